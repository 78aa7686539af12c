"""Charts of a comparison and of a series of captures.

The time of A and B as bars by account, and below them the differences; a dot for each capture of a series, the interval
of the change behind them.
"""

from nsysql.analysis.compare import sentences
from nsysql.analysis.compare.compare import AccountChange, Comparison, sums
from nsysql.analysis.compare.series import Series
from nsysql.analysis.digest import KERNELS
from nsysql.pages.phrases import TITLES, style
from nsysql.pages.since import sentence
from nsysql.render.charts.frame import LETTER, LINE, box, cut, fills, headed, legend, picture, text
from nsysql.render.timeline.palette import BLUE, GRAY, VERMILION, svg_text
from nsysql.words.quantities import counted, time

BAR, ROW = 22, 18  # heights
NAMES, NUMBERS = 330, 150  # widths of the columns beside the steps; in a narrow picture names stand above them
PHONE = 600  # pixels from which on a picture is not narrow
SIDE = 90  # width beside the bars of A and B
LEAST = 0.0005  # share of A from which a percentage is shown
AROUND = 0.08  # margin on each side, as a share of the span of the differences
Difference = tuple[str, float, float, bool]  # name, ns in A and in B, whether it exceeds the scatter of the samples


def svg(comparison: Comparison, top: int | None, width: int = 1000) -> str:
    """The picture, `width` pixels wide, with at most `top` differences by name and the sum of the others."""
    titles: dict[str, str] = {}
    spent: tuple[dict[str, float], dict[str, float]] = {}, {}
    for account in comparison.accounts:
        own_style = style(account.kind, account.name)
        titles[own_style] = account.title if account.kind == "idle" else TITLES.get(account.kind, account.kind)
        for own, ns in zip(spent, (account.a_ns, account.b_ns), strict=True):
            own[own_style] = own.get(own_style, 0.0) + float(ns)
    titles = dict(sorted(titles.items(), key=lambda one: (-(spent[0][one[0]] + spent[1][one[0]]), one[0])))
    colors, title = fills(titles), f"A and B compared: {sentences.unit(comparison)}"
    sentence = sentences.sentence(comparison)
    unfair = (remark.text for remark in comparison.remarks if remark.is_unfair)
    parts, y = headed(title, (sentence, *unfair), width)
    y += 6
    times = float(comparison.a_ns), float(comparison.b_ns)
    scale = (width - SIDE) / max(1.0, *times)
    for name, total, own in zip("AB", times, spent, strict=True):
        parts.append(text(0, y + 15, f"{name}  {time(total)}"))
        x = float(SIDE)
        for of, what in titles.items():
            if (wide := own[of] * scale) > 0.05:
                parts.append(box(x, y, wide, BAR - 4, colors[of], f"{name}: {what} {time(own[of])}"))
            x += wide
        y += BAR
    drawn, y = legend([(colors[of], what) for of, what in titles.items()], y, width)
    parts += drawn
    y += 10
    differences = _differences(comparison, top)
    if differences:
        y = _steps(differences, times[0], parts, y, width)
    if any(is_certain for *_, is_certain in differences):
        y += LINE
        parts.append(text(0, y, "* beyond the scatter of the samples", "m"))
    return picture(f"{title}. {sentence}", width, y + 8, parts)


def _differences(comparison: Comparison, top: int | None) -> list[Difference]:
    """The differences, the largest first; they sum to B minus A."""
    changed = [account for account in comparison.accounts if account.delta_ns]
    rest = changed[top:] if top else []
    shown = changed[: len(changed) - len(rest)]
    made = [(_name(one, comparison), float(one.a_ns), float(one.b_ns), one.is_certain) for one in shown]
    if rest:
        a, b = map(float, sums(rest))
        made.append((counted(len(rest), "smaller difference"), a, b, False))
    return made


def _name(account: AccountChange, comparison: Comparison) -> str:
    if account.kind in KERNELS:
        return " replaced by ".join(comparison.kernel_names[name] for name in (account.name, account.b_name) if name)
    return ("idle: " if account.kind == "idle" else "") + (account.name if account.kind == "cpu" else account.title)


def _steps(differences: list[Difference], whole: float, parts: list[str], y: float, width: int) -> float:
    """The differences as a waterfall, each from where the one above ends; returns the lower edge."""
    ends = [whole]
    for _, a, b, _ in differences:
        ends.append(ends[-1] + b - a)
    low, high = min(ends), max(ends)
    low, high = low - (high - low) * AROUND, high + (high - low) * AROUND
    names, row = (NAMES, ROW) if width >= PHONE else (8, 2 * ROW)
    scale = (width - names - NUMBERS) / max(1e-9, high - low)

    def place(ns: float) -> float:
        return names + (ns - low) * scale

    parts.append(text(0, y + 12, "From A to B", "g"))
    y += ROW
    first = y
    for (name, a, b, is_certain), start in zip(differences, ends, strict=False):
        parts.append(text(0, y + 12, cut(name, (NAMES if row == ROW else width) - 12)))
        y += row - ROW
        fill = VERMILION if b > a else BLUE
        left, wide = place(min(start, start + b - a)), abs(b - a) * scale
        parts.append(box(left, y + 1, wide, ROW - 4, fill, f"{name}: {time(a)} in A, {time(b)} in B"))
        parts.append(text(width, y + 12, _number(b - a, whole) + ("*" if is_certain else ""), "e"))
        y += ROW
    for name, ns in (("A", whole), ("B", ends[-1])):
        x = place(ns)
        parts.append(f'<line class="d" x1="{x:.1f}" x2="{x:.1f}" y1="{first:.1f}" y2="{y:.1f}"/>')
        parts.append(text(x - LETTER / 2, (first if name == "A" else y + 12) - (4 if name == "A" else 0), name, "m"))
    return y + 12


def _number(delta: float, whole: float) -> str:
    share = f" ({100 * delta / whole:+.1f}%)" if whole and abs(delta) >= LEAST * whole else ""
    return f"{'+' if delta > 0 else '-'}{time(abs(delta))}{share}"


HEIGHT, LEFT, RADIUS = 160, 80, 3


def svg_of_series(series: Series, width: int = 1000) -> str:
    """The picture, `width` pixels wide."""
    title, verdict = f"Time of {sentences.UNITS.get(series.unit, series.unit)}", sentence(series)
    parts, y = headed(title, [verdict], width)
    top, step = y + 10, (width - LEFT - 10) / max(1, len(series.names) - 1)
    low, high = min(series.times_ns, default=0.0), max(series.times_ns, default=0.0)
    scale = HEIGHT / (high - low or 1.0)

    def across(place: float) -> float:
        return LEFT + place * step

    change = series.changes[0] if series.changes else None
    if change is not None:
        left, right = across(change.low - 0.5), across(change.high + 0.5)
        parts.append(box(left, top, right - left, HEIGHT, f"{GRAY}55", "95% interval of the change"))
    for ns, place in ((high, top + 4), (low, top + HEIGHT + 4)):
        parts.append(text(0, place, time(ns), "m"))
    for i, (name, ns) in enumerate(zip(series.names, series.times_ns, strict=True)):
        color = VERMILION if change is not None and i >= change.at else BLUE
        about = f"<title>{svg_text(f'{name}: {time(ns)}')}</title>"
        at = f'cx="{across(i):.1f}" cy="{top + (high - ns) * scale:.1f}"'
        parts.append(f'<circle {at} r="{RADIUS}" fill="{color}">{about}</circle>')
    y = top + HEIGHT + LINE
    if series.names:
        parts += [text(LEFT, y, series.names[0], "m"), text(width, y, series.names[-1], "m e")]
    return picture(f"{title}. {verdict}", width, y + 8, parts)
