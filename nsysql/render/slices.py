"""Shares over time as a small picture: a column for each slice of time, as high as its share."""

from nsysql.pages.elements import Slices
from nsysql.render.timeline.palette import KINDS
from nsysql.words.quantities import tenths

WIDTH, HEIGHT = 9, 16  # pixels of a slice


def svg(cell: Slices) -> str:
    """The picture, self-contained; the pointer finds the share of each slice, and nothing is drawn where none is."""
    columns = []
    for place, share in enumerate(cell.shares):
        if share is None:
            continue
        high, text = HEIGHT * min(1.0, max(0.0, share)), f"<title>{tenths(100 * share)} %</title>"
        slot = f'x="{place * WIDTH}" width="{WIDTH}"'
        filled = f'y="{HEIGHT - high:.2f}" height="{high:.2f}" fill="{KINDS["kernel"]}"'
        columns += [f'<rect {slot} y="0" height="{HEIGHT}" fill="#8884">{text}</rect>']
        columns += [f"<rect {slot} {filled}>{text}</rect>"]
    size = f'width="{len(cell.shares) * WIDTH}" height="{HEIGHT}"'
    return f'<svg xmlns="http://www.w3.org/2000/svg" class="slices" role="img" {size}>{"".join(columns)}</svg>'
