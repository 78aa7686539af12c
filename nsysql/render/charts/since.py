"""Chart of a series of captures: a dot for each, the interval of the change behind them."""

from nsysql.pages.runs.since import Points
from nsysql.render.charts.frame import HEADING, LINE, box, picture, shown, text, wrapped
from nsysql.render.timeline.palette import BLUE, GRAY, VERMILION
from nsysql.words.quantities import time

HEIGHT, LEFT, RADIUS = 160, 80, 3


def svg(found: Points, width: int = 1000) -> str:
    """The picture, `width` pixels wide."""
    parts = [text(0, 14, found.title, "g")]
    y = float(HEADING)
    for line in wrapped(found.sentence, width):
        parts.append(text(0, y + 12, line, "m"))
        y += LINE
    top, step = y + 10, (width - LEFT - 10) / max(1, len(found.names) - 1)
    low, high = min(found.times_ns), max(found.times_ns)
    scale = HEIGHT / (high - low or 1.0)

    def across(place: float) -> float:
        return LEFT + place * step

    if found.low is not None and found.high is not None:
        left = across(found.low - 0.5)
        parts.append(
            box(left, top, across(found.high + 0.5) - left, HEIGHT, f"{GRAY}55", "95 % interval of the change")
        )
    for ns, place in ((high, top + 4), (low, top + HEIGHT + 4)):
        parts.append(text(0, place, time(ns), "m"))
    for i, (name, ns) in enumerate(zip(found.names, found.times_ns, strict=True)):
        color = VERMILION if found.at is not None and i >= found.at else BLUE
        about = f"<title>{shown(f'{name}: {time(ns)}')}</title>"
        at = f'cx="{across(i):.1f}" cy="{top + (high - ns) * scale:.1f}"'
        parts.append(f'<circle {at} r="{RADIUS}" fill="{color}">{about}</circle>')
    y = top + HEIGHT + LINE
    parts += [text(LEFT, y, found.names[0], "m"), text(width, y, found.names[-1], "m e")]
    return picture(f"{found.title}. {found.sentence}", width, y + 8, parts)
