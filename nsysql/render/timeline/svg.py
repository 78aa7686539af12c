"""A timeline as SVG: self-contained, for documents and pull requests."""

from collections.abc import Iterator
from textwrap import wrap
from typing import Any

import polars as pl

from nsysql.analysis.timeline import merged_below
from nsysql.pages.timeline.curves import amount, in_order
from nsysql.pages.timeline.model import OWN, Timeline
from nsysql.render.charts.frame import picture
from nsysql.render.timeline.palette import color, label, legend, marks, on_color, shown_names, svg_text
from nsysql.words.quantities import counted
from nsysql.words.truncate import beginning

LANE, SPACE, GROUP, RULER, LEGEND = 15, 3, 18, 22, 18  # heights
GUTTER, NARROW = 130, 84  # width of the rows' names, of those of a picture for phones
PHONE = 600  # pixels from which on a picture is not for phones
LETTER = 6.6  # width of a letter
TITLED = 3  # width from which on the pointer finds a name
CURVE = 26  # height of a curve
STEP = 2  # pixels that share a value of a curve
CURVES = "Metrics and memory: dark is the mean of what shares a place, light its highest value."
MOST_LANES = 8  # of a row that are drawn
STYLE = ".tl .g{font-weight:600}.tl .s{font-size:9px}.tl .l{stroke:#8884}"


def svg(timeline: Timeline, width: int = 1000, heading: bool = True) -> str:
    """The picture, so many pixels wide; what is narrower than a pixel is merged."""
    part = max(1, (timeline.end_ns - timeline.start_ns) // (width - gutter(width)))
    drawn = _Picture(timeline, width, heading)
    parts = [*drawn.parts(merged_below(timeline.events, part))]
    return picture(timeline.title, width, drawn.y, parts, STYLE, "tl")


def gutter(width: int) -> int:
    """How much of a picture the names of its rows have."""
    return GUTTER if width >= PHONE else NARROW


class _Picture:
    """Where the next row goes, and how times become places."""

    def __init__(self, timeline: Timeline, width: int, heading: bool) -> None:
        self._timeline = timeline
        self._width, self._heading, self._gutter = width, heading, gutter(width)
        self._scale = (width - gutter(width)) / max(1, timeline.end_ns - timeline.start_ns)
        self.y = 0

    def parts(self, events: pl.DataFrame) -> Iterator[str]:
        """The elements, from the top."""
        if self._heading:
            self.y += GROUP
            span = f"from {self._timeline.start_ns / 1e9:.6f} s to {self._timeline.end_ns / 1e9:.6f} s"
            title = svg_text(self._timeline.title)
            yield f'<text x="0" y="{self.y - 5}"><tspan class="g">{title}</tspan> {span}</text>'
        yield from self._ruler()
        rows = events.partition_by("track", as_dict=True)
        curves = self._timeline.curve_columns((self._width - self._gutter) // STEP)
        group = None
        for track in in_order(self._timeline):
            if track["group"] != group:
                group = track["group"]
                self.y += GROUP
                yield f'<text class="g" x="0" y="{self.y - 5}">{svg_text(group)}</text>'
            if track["kind"] == "curve":
                yield from self._curve(track, curves[track["curve"]])
            elif (track["track"],) in rows:
                yield from self._row(track, rows[(track["track"],)])
        yield from self._legend(events["style"].unique().sort().to_list())

    def _ruler(self) -> Iterator[str]:
        self.y += RULER
        for at, text in marks(self._timeline.start_ns, self._timeline.end_ns, (self._width - self._gutter) // 90):
            x = self._x(at)
            yield f'<line class="l" x1="{x:.1f}" x2="{x:.1f}" y1="{self.y - 5}" y2="{self.y}"/>'
            if x < self._width - 40:
                yield f'<text class="m" x="{x + 2:.1f}" y="{self.y - 8}">{text}</text>'

    def _row(self, track: dict[str, object], events: pl.DataFrame) -> Iterator[str]:
        lanes = min(MOST_LANES, int(str(track["lanes"])))
        yield f'<text class="m" x="8" y="{self.y + 11}">{self._named(track)}</text>'
        if more := int(str(track["lanes"])) - lanes:
            yield f'<text class="m s" x="8" y="{self.y + lanes * LANE - 4}">+{counted(more, "lane")}</text>'
        for event in events.filter(pl.col("lane") < lanes).to_dicts():
            yield self._event(event, self.y + event["lane"] * LANE, track["kind"] == "idle")
        self.y += lanes * LANE + SPACE

    def _curve(self, curve: dict[str, Any], cells: pl.DataFrame) -> Iterator[str]:
        """The mean of each step as an area, lighter the highest value; and over it what they are of all."""
        unit, bottom = curve["unit"], self.y + CURVE - 2
        low, mean, high = (amount(curve[name], unit) for name in ("low", "mean", "high"))
        top = f"to {amount(curve['top'], unit)}"
        yield f'<text class="m" x="8" y="{self.y + 11}">{self._named(curve)}</text>'
        yield f'<text class="m s" x="8" y="{self.y + 22}">{svg_text(top)}</text>'
        caption = f"{curve['name']}: mean {mean}, lowest {low}, highest {high}"
        yield f'<g fill="{color(str(curve["style"]))}"><title>{svg_text(caption)}</title>'
        size = f'width="{self._width - self._gutter}" height="{CURVE - 2}"'
        yield f'<rect x="{self._gutter}" y="{self.y}" {size} fill-opacity=".1"/>'
        scale = (CURVE - 2) / curve["top"]
        for name, opacity in (("high", ".4"), ("mean", ".9")):
            path = _area(cells["column"].to_list(), cells[name].to_list(), bottom, scale, self._gutter)
            yield f'<path d="{path}" fill-opacity="{opacity}"/>'
        yield "</g>"
        self.y += CURVE + SPACE

    def _named(self, row: dict[str, Any]) -> str:
        return svg_text(str(row["label"])[: int(self._gutter / LETTER) + 1])

    def _event(self, event: dict[str, object], y: int, is_idle: bool) -> str:
        """An event; idle time is as high as its share of the place, and nothing of it is larger than it is."""
        start, end = int(str(event["start_ns"])), int(str(event["end_ns"]))
        left = max(self._gutter, self._x(start))
        wide = max(0.0 if is_idle else 0.6, min(self._width, self._x(end)) - left)
        fill, style = color(str(event["style"])), str(event["style"])
        name = str(event["name"])
        shown = shown_names([name], self._timeline.kernels).get(name, name)
        shown = label(style, self._timeline.titles) if style.startswith("cause:") else shown
        count = int(str(event["count"]))
        share = int(str(event["busy_ns"])) / max(1, end - start) if count > 1 else 1.0
        about = shown if count == 1 else f"{count:,} events, the longest: {shown}"
        faint = f' fill-opacity="{max(0.35, min(1.0, share)):.2f}"' if count > 1 and not is_idle else ""
        edge = ' stroke="#8888" stroke-width=".6"' if style.startswith(OWN) else ""
        high = (LANE - 1) * (min(1.0, share) if is_idle else 1.0)
        where = f'x="{left:.2f}" y="{y + LANE - 1 - high:g}" width="{wide:.2f}" height="{high:.3g}"'
        if wide < TITLED:
            return f'<rect {where} fill="{fill}"{faint}{edge}/>'
        drawn = f'<rect {where} fill="{fill}"{faint}{edge}><title>{svg_text(about)} ({end - start:,} ns)</title></rect>'
        letters = int((wide - 4) / LETTER)
        if count > 1 or letters < 4:
            return drawn
        text = beginning(shown, letters)
        return f'{drawn}<text x="{left + 2:.1f}" y="{y + 11}" style="fill:{on_color(fill)}">{svg_text(text)}</text>'

    def _legend(self, styles: list[str]) -> Iterator[str]:
        x = 8.0
        self.y += LEGEND
        for family, members in legend(styles, self._timeline.titles):
            for i, (style, name) in enumerate(members):
                text = f"{family}: " if family and i == 0 else ""
                if x + 20 + len(text + name) * LETTER > self._width and x > 8:
                    x = 8.0
                    self.y += LEGEND
                if text:
                    yield f'<text class="m" x="{x:.0f}" y="{self.y - 3}">{svg_text(text)}</text>'
                    x += len(text) * LETTER
                yield f'<rect x="{x:.0f}" y="{self.y - 11}" width="9" height="9" fill="{color(style)}"/>'
                yield f'<text x="{x + 13:.0f}" y="{self.y - 3}">{svg_text(name)}</text>'
                x += (30 if i + 1 == len(members) else 22) + len(name) * LETTER
        if self._timeline.curves is not None:
            for line in wrap(CURVES, int(self._width / LETTER)):
                self.y += LEGEND
                yield f'<text class="m" x="8" y="{self.y - 3}">{line}</text>'
        self.y += 4

    def _x(self, at: int) -> float:
        return self._gutter + (at - self._timeline.start_ns) * self._scale


def _area(places: list[int], values: list[float], bottom: int, scale: float, left: int) -> str:
    """The path around the values from the bottom, a value a step; what is alike is drawn once, what is 0 not at all."""
    made: list[list[float]] = []
    before = -2
    for place, value in zip(places, values, strict=True):
        high = round(value * scale, 1)
        if made and place == before + 1 and made[-1][2] == high:
            made[-1][1] += 1
        elif high > 0:
            made.append([place, 1, high])
        before = place
    return "".join(f"M{left + at * STEP:g} {bottom}v-{high:g}h{wide * STEP:g}v{high:g}z" for at, wide, high in made)
