"""Horizontal bars with their names and numbers as SVG."""

from collections.abc import Sequence

from nsysql.pages.quantity_bars import BarGroup
from nsysql.render.charts.frame import HEADING, LINE, box, cut, picture, text
from nsysql.render.timeline.palette import color

NAMES, NUMBERS = 290, 190  # widths of the columns beside the bars
ROW = 18


def svg(groups: Sequence[BarGroup], width: int = 1000) -> str:
    """The groups below each other, on one scale, `width` pixels wide."""
    longest = max((bar.value_ns for group in groups for bar in group.bars), default=1)
    scale = max(10, width - NAMES - NUMBERS) / max(1, longest)
    parts, y = [], 0.0
    for group in groups:
        parts.append(text(0, y + 14, cut(group.title, width), "g"))
        y += HEADING + 4
        for bar in group.bars:
            wide = bar.value_ns * scale
            parts.append(text(0, y + 12, cut(bar.name, NAMES - 10)))
            parts.append(box(NAMES, y + 2, wide, ROW - 5, color(bar.style), f"{bar.name}: {bar.said}"))
            parts.append(text(NAMES + wide + 6, y + 12, bar.said, "m"))
            y += ROW
        y += LINE
    return picture(groups[0].title if groups else "", width, y, parts)
