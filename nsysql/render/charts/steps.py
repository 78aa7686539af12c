"""Chart of steps as columns by account, with the median, and sentences on the slow ones.

If there are many steps, a column is the mean of several.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

import polars as pl

from nsysql.analysis.digest import KERNELS
from nsysql.errors import MissingData
from nsysql.pages.phrases import TITLES, gpu_number, style
from nsysql.pages.step_accounts import Steps
from nsysql.pages.steps import described, mark
from nsysql.render.charts.frame import HEADING, LETTER, LINE, PATH, box, cut, fills, legend, picture, text, wrapped
from nsysql.render.timeline.palette import marks, short_time
from nsysql.words.quantities import time

MOST = 320  # columns
SHOWN = 9  # accounts with a color of their own
REST = "other"
HIGH = 220  # pixels of the tallest column
ABOVE = 1.12  # height in longest steady steps: longer steps are cut off at the top
MARKED = 12  # pixels above the columns for their marks


@dataclass(frozen=True)
class Column:
    """A step, or the mean of several: its number, period, time by style in ns, and `mark` if it is not steady."""

    steps: str
    first: int
    period_ns: float
    parts: dict[str, float]
    mark: str


def svg(measured: Steps, width: int = 1000) -> str:
    """The picture, `width` pixels wide. Raises MissingData if there are no steps."""
    if measured.series is None:
        raise MissingData(f"{measured.reason or 'there are no steps.'}")
    steps, steady = measured.own.sort("step"), measured.steady["period_ns"]
    styles, spent = _accounts(measured)
    each = -(-steps.height // MOST)
    columns = [_mean(measured, steps.slice(at, each), spent) for at in range(0, steps.height, each)]
    longest = max((one.period_ns for one in columns), default=1.0)
    top = max(1.0, min(longest, float(steady.max() or longest) * ABOVE))  # type: ignore[arg-type]
    colors = fills([*styles, REST])
    place = f"on GPU {gpu_number(measured.gpu_id)}" if measured.on_gpu else "on the marking thread"
    title = f"{measured.path}: {described(measured.series, steps.height)} {place}"
    base = HEADING + MARKED + HIGH
    left, ruler = _ruler(top, base, width)
    parts = [text(0, 14, cut(title, 0.88 * width), "g"), *ruler]
    wide = (width - left) / max(1, len(columns))
    slow = {one.step for one in measured.slow} if each == 1 else set()
    for at, column in enumerate(columns):
        x, room = left + at * wide, wide - (1 if wide > 4 else 0)
        parts.append(_column(column, styles, x, room, base, top, colors))
        parts += _above(column, slow, x + room / 2, base, top)
    parts += _numbers(columns, left, wide, base, width)
    median = None if steady.is_empty() else float(steady.median())  # type: ignore[arg-type]
    if median is not None and median <= top:
        y = base - median / top * HIGH
        parts.append(f'<line class="d" x1="{left:.1f}" x2="{width}" y1="{y:.1f}" y2="{y:.1f}"/>')
    drawn, y = legend([(colors[of], named) for of, named in styles.items()], base + LINE + 4, width)
    parts += drawn
    for caption in _captions(measured, columns, median, each, top):
        for line in wrapped(caption, width):
            y += LINE
            parts.append(text(0, y, line, "m"))
    return picture(title, width, y + 6, parts)


def _ruler(top: float, base: float, width: int) -> tuple[float, list[str]]:
    """Round times on the left with their lines, and where the columns begin."""
    ticks = [(at, short_time(at) if at else "0") for at, _ in marks(0, int(top), 4)]
    left = 14 + LETTER * max(len(label) for _, label in ticks)
    parts = []
    for at, label in ticks:
        y = base - at / top * HIGH
        parts.append(f'<line class="l" x1="{left:.1f}" x2="{width}" y1="{y:.1f}" y2="{y:.1f}"/>')
        parts.append(text(left - 6, y + 4, label, "m e"))
    return left, parts


def _accounts(steps: Steps) -> tuple[dict[str, str], defaultdict[int, Counter[str]]]:
    """The titles of the largest accounts by style, those with most time first, and the time of each step by style."""
    times: Counter[str] = Counter()
    titles: dict[str, str] = {}
    rows = []
    for step, kind, name, ns in steps.own_accounts.select("step", "kind", "name", "total_ns").rows():
        own = PATH + name if kind == "nvtx" else style(kind, name)
        times[own] += ns
        titles[own] = name if kind == "nvtx" else steps.titles[name] if kind == "idle" else TITLES.get(kind, kind)
        rows.append((step, own, ns))
    shown = {own: titles[own] for own in sorted(times, key=lambda own: (-times[own], own))[:SHOWN]}
    if len(times) > SHOWN:
        shown[REST] = "other"
    spent: defaultdict[int, Counter[str]] = defaultdict(Counter)
    for step, own, ns in rows:
        spent[step][own if own in shown else REST] += ns
    return shown, spent


def _mean(steps: Steps, some: pl.DataFrame, spent: defaultdict[int, Counter[str]]) -> Column:
    first, last = int(some["step"][0]), int(some["step"][-1])
    sums: defaultdict[str, float] = defaultdict(float)
    for step in some["step"]:
        for own, total in spent[step].items():
            sums[own] += total / some.height
    number = f"step {first}" if first == last else f"steps {first} to {last}"
    return Column(number, first, float(some["period_ns"].mean() or 0), sums, mark(steps, some))  # type: ignore[arg-type]


def _column(
    column: Column, styles: dict[str, str], x: float, room: float, base: float, top: float, colors: dict[str, str]
) -> str:
    """A column from the bottom, by account."""
    about = f"{column.steps}{f', {column.mark}' if column.mark else ''}: {time(column.period_ns)}"
    at, drawn = 0.0, []
    rest = column.period_ns - sum(column.parts.values())
    parts = [*((of, title, column.parts.get(of, 0.0)) for of, title in styles.items())]
    parts += [(REST, "not in an account", rest)] if rest > column.period_ns / 1000 else []
    for of, title, spent in parts:
        low, high = min(at, top) / top * HIGH, min(at + spent, top) / top * HIGH
        if high - low > 0.05:
            drawn.append(box(x, base - high, room, high - low, colors[of], f"{about}; {title} {time(spent)}"))
        at += spent
    faint = ' opacity=".45"' if column.mark else ""
    return f"<g{faint}>{''.join(drawn)}</g>"


def _above(column: Column, slow: set[int], middle: float, base: float, top: float) -> Iterator[str]:
    """A mark above a column that is cut off, and above a slow step."""
    if column.period_ns > top:
        yield f'<path class="m" d="M{middle - 4:.1f} {base - HIGH - 2}h8l-4 -6z"/>'
    elif column.first in slow:
        y = base - column.period_ns / top * HIGH - 3
        yield f'<path class="m" d="M{middle:.1f} {y:.1f}l-3 -5h6z"/>'


def _numbers(columns: list[Column], left: float, wide: float, base: float, width: int) -> Iterator[str]:
    """The numbers of steps below the columns, as many as fit."""
    widest = LETTER * len(str(columns[-1].first)) + 14 if columns else 1
    every = max(1, -(-int(widest) // max(1, int(wide))))
    for place in range(0, len(columns), every):
        if left + place * wide + widest <= width + 14:
            yield text(left + place * wide, base + 12, str(columns[place].first), "m")


def _captions(steps: Steps, columns: list[Column], median: float | None, each: int, top: float) -> Iterator[str]:
    """Sentences that explain the picture, and a line for each slow step, with the account that adds most."""
    captions = []
    if median is not None:
        captions.append(f"Dashed: the median of steady steps, {time(median)}.")
    if each > 1:
        captions.append(f"A column is the mean of {each} steps.")
    if marked := dict.fromkeys(one.mark for one in columns if one.mark):
        captions.append(f"Faint: {', '.join(marked)}.")
    beyond = [one for one in columns if one.period_ns > top]
    if beyond:
        named = ", ".join(f"{one.steps} {time(one.period_ns)}" for one in beyond[:3])
        more = f" and {len(beyond) - 3} more" if len(beyond) > 3 else ""
        captions.append(f"▲ longer than the picture is high: {named}{more}.")
    yield " ".join(captions)
    usual = steps.median or {}
    for slow in steps.slow:
        longer = time(slow.period_ns - usual["period_ns"])
        line = f"step {slow.step}: {time(slow.period_ns)}, {longer} longer than step {usual['step']}"
        more_of = slow.more if steps.on_gpu else slow.more_cpu
        for row in more_of.filter(pl.col("delta_ns") > 0).head(1).to_dicts() if more_of.height else ():
            line += f"; most by {_name(steps, row['kind'], row['name'])} (+{time(row['delta_ns'])})"
        yield f"▼ {line}" if each == 1 else line


def _name(steps: Steps, kind: str, name: str) -> str:
    if kind == "idle":
        return f"idle time, {steps.titles[name]}"
    if kind == "outside":
        return f"time {TITLES[kind]}"
    return steps.kernels.get(name, name) if kind in KERNELS else name
