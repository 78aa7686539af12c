"""Chart of steps as columns by account, with the median, and sentences on the slow ones."""

from collections.abc import Iterator

from nsysql.pages.steps.bars import REST, StepBars, StepColumn
from nsysql.render.charts.frame import HEADING, LETTER, LINE, box, cut, fills, legend, picture, text, wrapped
from nsysql.render.timeline.palette import marks, short_time
from nsysql.words.quantities import time

HIGH = 220  # pixels of the tallest column
ABOVE = 1.12  # height in longest steady steps: longer steps are cut off at the top
MARKED = 12  # pixels above the columns for their marks


def svg(found: StepBars, width: int = 1000) -> str:
    """The picture, `width` pixels wide."""
    longest = max((one.period_ns for one in found.columns), default=1.0)
    top = max(1.0, min(longest, (found.longest_steady_ns or longest) * ABOVE))
    ticks = [(at, short_time(at) if at else "0") for at, _ in marks(0, int(top), 4)]
    left = 14 + LETTER * max(len(said) for _, said in ticks)
    colors = fills([*found.styles, REST])
    parts = [text(0, 14, cut(found.title, width), "g")]
    base = HEADING + MARKED + HIGH
    for at, said in ticks:
        y = base - at / top * HIGH
        parts.append(f'<line class="l" x1="{left:.1f}" x2="{width}" y1="{y:.1f}" y2="{y:.1f}"/>')
        parts.append(text(left - 6, y + 4, said, "m e"))
    wide = (width - left) / max(1, len(found.columns))
    for place, column in enumerate(found.columns):
        parts += _column(found, column, left + place * wide, wide, base, top, colors)
    parts += _numbers(found, left, wide, base, width)
    if found.median_ns is not None and found.median_ns <= top:
        y = base - found.median_ns / top * HIGH
        parts.append(f'<line class="d" x1="{left:.1f}" x2="{width}" y1="{y:.1f}" y2="{y:.1f}"/>')
    below = base + LINE + 4
    drawn, y = legend([(colors[style], title) for style, title in found.styles.items()], below, width)
    parts += drawn
    for said in _captions(found, top):
        for line in wrapped(said, width):
            y += LINE
            parts.append(text(0, y, line, "m"))
    return picture(found.title, width, y + 6, parts)


def _column(
    found: StepBars, column: StepColumn, x: float, wide: float, base: float, top: float, colors: dict[str, str]
) -> Iterator[str]:
    """A column from the bottom: its parts, and a mark above one that is cut off."""
    room = wide - (1 if wide > 4 else 0)
    about = f"{column.steps}{f', {column.mark}' if column.mark else ''}: {time(column.period_ns)}"
    faint = ' opacity=".45"' if column.mark else ""
    at, drawn = 0.0, []
    rest = column.period_ns - sum(column.parts.values())
    parts = [*((style, title, column.parts.get(style, 0.0)) for style, title in found.styles.items())]
    parts += [(REST, "not in an account", rest)] if rest > column.period_ns / 1000 else []
    for style, title, spent in parts:
        low, high = min(at, top) / top * HIGH, min(at + spent, top) / top * HIGH
        if high - low > 0.05:
            drawn.append(box(x, base - high, room, high - low, colors[style], f"{about}; {title} {time(spent)}"))
        at += spent
    yield f"<g{faint}>{''.join(drawn)}</g>"
    middle = x + room / 2
    if column.period_ns > top:
        yield f'<path class="m" d="M{middle - 4:.1f} {base - HIGH - 2}h8l-4 -6z"/>'
    elif column.first in found.slow_steps and found.each == 1:
        y = base - column.period_ns / top * HIGH - 3
        yield f'<path class="m" d="M{middle:.1f} {y:.1f}l-3 -5h6z"/>'


def _numbers(found: StepBars, left: float, wide: float, base: float, width: int) -> Iterator[str]:
    """The numbers of steps below the columns, as many as fit."""
    widest = LETTER * len(str(found.columns[-1].first)) + 14 if found.columns else 1
    every = max(1, -(-int(widest) // max(1, int(wide))))
    for place in range(0, len(found.columns), every):
        if left + place * wide + widest <= width + 14:
            yield text(left + place * wide, base + 12, str(found.columns[place].first), "m")


def _captions(found: StepBars, top: float) -> Iterator[str]:
    """Sentences that explain the picture."""
    said = []
    if found.median_ns is not None:
        said.append(f"Dashed: the median of steady steps, {time(found.median_ns)}.")
    if found.each > 1:
        said.append(f"A column is the mean of {found.each} steps.")
    if marked := dict.fromkeys(one.mark for one in found.columns if one.mark):
        said.append(f"Faint: {', '.join(marked)}.")
    beyond = [one for one in found.columns if one.period_ns > top]
    if beyond:
        named = ", ".join(f"{one.steps} {time(one.period_ns)}" for one in beyond[:3])
        more = f" and {len(beyond) - 3} more" if len(beyond) > 3 else ""
        said.append(f"▲ longer than the picture is high: {named}{more}.")
    yield " ".join(said)
    for one in found.slow:
        yield f"▼ {one}" if found.each == 1 else one
