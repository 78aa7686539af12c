"""Chart of a comparison: the time of A and B as bars by account, and below them the differences."""

from nsysql.pages.compare.bars import ComparisonBars, Difference
from nsysql.render.charts.frame import HEADING, LETTER, LINE, box, cut, fills, legend, picture, text, wrapped
from nsysql.render.timeline.palette import BLUE, VERMILION
from nsysql.words.quantities import time

BAR, ROW = 22, 18  # heights
NAMES, NUMBERS = 330, 150  # widths of the columns beside the steps
SIDE = 90  # width beside the bars of A and B
LEAST = 0.0005  # share of A from which a percentage is shown
AROUND = 0.08  # margin on each side, as a share of the span of the differences


def svg(found: ComparisonBars, width: int = 1000) -> str:
    """The picture, `width` pixels wide."""
    colors = fills(found.styles)
    parts = [text(0, 14, found.title, "g")]
    y = float(HEADING)
    for said in (found.sentence, *found.warnings):
        for line in wrapped(said, width):
            parts.append(text(0, y + 12, line, "m"))
            y += LINE
    y += 6
    scale = (width - SIDE) / max(1.0, found.a_ns, found.b_ns)
    for name, total, spent in (("A", found.a_ns, found.a), ("B", found.b_ns, found.b)):
        parts.append(text(0, y + 15, f"{name}  {time(total)}"))
        x = float(SIDE)
        for style, title in found.styles.items():
            if (wide := spent.get(style, 0.0) * scale) > 0.05:
                parts.append(box(x, y, wide, BAR - 4, colors[style], f"{name}: {title} {time(spent[style])}"))
            x += wide
        y += BAR
    drawn, y = legend([(colors[style], title) for style, title in found.styles.items()], y, width)
    parts += drawn
    y += 10
    if found.differences:
        y = _steps(found, parts, y, width)
    if any(one.is_certain for one in found.differences):
        y += LINE
        parts.append(text(0, y, "* beyond the scatter of the samples", "m"))
    return picture(f"{found.title}. {found.sentence}", width, y + 8, parts)


def _steps(found: ComparisonBars, parts: list[str], y: float, width: int) -> float:
    """The differences as a waterfall, each from where the one above ends; returns the lower edge."""
    ends = [found.a_ns]
    for one in found.differences:
        ends.append(ends[-1] + one.delta_ns)
    low, high = min(ends), max(ends)
    low, high = low - (high - low) * AROUND, high + (high - low) * AROUND
    scale = (width - NAMES - NUMBERS) / max(1e-9, high - low)

    def place(ns: float) -> float:
        return NAMES + (ns - low) * scale

    parts.append(text(0, y + 12, "From A to B", "g"))
    y += ROW
    first = y
    for one, start in zip(found.differences, ends, strict=False):
        end = start + one.delta_ns
        parts.append(text(0, y + 12, cut(one.name, NAMES - 12)))
        about = f"{one.name}: {time(one.a_ns)} in A, {time(one.b_ns)} in B"
        fill = VERMILION if one.delta_ns > 0 else BLUE
        parts.append(box(place(min(start, end)), y + 1, abs(one.delta_ns) * scale, ROW - 4, fill, about))
        parts.append(text(width, y + 12, _number(one, found.a_ns), "e"))
        y += ROW
    for name, ns in (("A", found.a_ns), ("B", ends[-1])):
        x = place(ns)
        parts.append(f'<line class="d" x1="{x:.1f}" x2="{x:.1f}" y1="{first:.1f}" y2="{y:.1f}"/>')
        parts.append(text(x - LETTER / 2, (first if name == "A" else y + 12) - (4 if name == "A" else 0), name, "m"))
    return y + 12


def _number(one: Difference, whole: float) -> str:
    sign = "+" if one.delta_ns > 0 else "-"
    is_seen = whole and abs(one.delta_ns) >= LEAST * whole
    share = f" ({100 * one.delta_ns / whole:+.1f}%)" if is_seen else ""
    return f"{sign}{time(abs(one.delta_ns))}{share}{'*' if one.is_certain else ''}"
