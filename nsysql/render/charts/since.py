"""Chart of a series of captures: a dot for each, the interval of the change behind them."""

from nsysql.analysis.compare import sentences
from nsysql.analysis.compare.series import Series
from nsysql.pages.runs.since import sentence
from nsysql.render.charts.frame import HEADING, LINE, box, picture, shown, text, wrapped
from nsysql.render.timeline.palette import BLUE, GRAY, VERMILION
from nsysql.words.quantities import time

HEIGHT, LEFT, RADIUS = 160, 80, 3


def svg(found: Series, width: int = 1000) -> str:
    """The picture, `width` pixels wide."""
    title, said = f"Time of {sentences.UNITS.get(found.unit, found.unit)}", sentence(found)
    parts = [text(0, 14, title, "g")]
    y = float(HEADING)
    for line in wrapped(said, width):
        parts.append(text(0, y + 12, line, "m"))
        y += LINE
    top, step = y + 10, (width - LEFT - 10) / max(1, len(found.names) - 1)
    low, high = min(found.times_ns), max(found.times_ns)
    scale = HEIGHT / (high - low or 1.0)

    def across(place: float) -> float:
        return LEFT + place * step

    change = found.change
    if change is not None:
        left, right = across(change.low - 0.5), across(change.high + 0.5)
        parts.append(box(left, top, right - left, HEIGHT, f"{GRAY}55", "95 % interval of the change"))
    for ns, place in ((high, top + 4), (low, top + HEIGHT + 4)):
        parts.append(text(0, place, time(ns), "m"))
    for i, (name, ns) in enumerate(zip(found.names, found.times_ns, strict=True)):
        color = VERMILION if change is not None and i >= change.at else BLUE
        about = f"<title>{shown(f'{name}: {time(ns)}')}</title>"
        at = f'cx="{across(i):.1f}" cy="{top + (high - ns) * scale:.1f}"'
        parts.append(f'<circle {at} r="{RADIUS}" fill="{color}">{about}</circle>')
    y = top + HEIGHT + LINE
    parts += [text(LEFT, y, found.names[0], "m"), text(width, y, found.names[-1], "m e")]
    return picture(f"{title}. {said}", width, y + 8, parts)
