"""A timeline's events, packed: columns of varints and their texts, deflated, as base64, which no text can leave.

The bytes: four for the length of the header, lowest first; the header as JSON; then each column of it. Rows are in
order of track, lane and start. `start` is the distance to the start before it in the row's lane, the first from the
timeline's start, zigzag as lanes of many crossing events may overlap. Of merged rows `count` is more than one.
"""

import base64
import json
import zlib
from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

from nsysql.compute.timeline.levels import with_levels
from nsysql.names.naming import BRIEF
from nsysql.pages.timeline.model import Timeline
from nsysql.quantities import safe
from nsysql.render.timeline.palette import colour, label, on_colour
from nsysql.render.varint import varints, zigzag

ROWS = 600_000  # events of a file, merged ones counted once
MOST = 14_000_000  # bytes of the packed events; beyond them the rows are halved
NAME = 1_000  # letters of a name


@dataclass(frozen=True)
class Payload:
    """Packed events, how many they are and how many rows they were merged into, and below which length."""

    text: str
    events: int
    rows: int
    part_ns: int


def packed(timeline: Timeline, exact: Sequence[tuple[int, int]], rows: int = ROWS) -> Payload:
    """The timeline in at most MOST bytes; exact where it has few events, and in these stretches of time."""
    while True:
        merged, part = with_levels(timeline.events, rows, exact)
        data = zlib.compress(_bytes(timeline, merged), 6)
        text = base64.b64encode(data).decode()
        if len(text) <= MOST or rows < 1000:
            return Payload(text, timeline.event_count, merged.height, max(part, timeline.merged_ns))
        rows //= 2


def _bytes(timeline: Timeline, events: pl.DataFrame) -> bytes:
    events = events.with_columns(pl.col("name").str.slice(0, NAME), pl.col("detail").fill_null("").str.slice(0, NAME))
    texts = {name: events[name].unique(maintain_order=True) for name in ("style", "name", "detail")}
    before = pl.col("start_ns").shift().over("track", "lane").fill_null(timeline.start_ns)
    links = events.filter(pl.col("link") > 0)["link"].unique().sort()
    columns = {
        "start": zigzag(events.select(pl.col("start_ns") - before).to_series().to_numpy()),
        "length": events.select(pl.col("end_ns") - pl.col("start_ns")).to_series().to_numpy(),
        **{name: _numbers(events[name], every).to_numpy() for name, every in texts.items()},
        "link": (_numbers(events["link"], links) + 1).fill_null(0).to_numpy(),
        "count": events["count"].to_numpy(),
        "busy": events.filter(pl.col("count") > 1)["busy_ns"].to_numpy(),
        "longest": events.filter(pl.col("count") > 1)["longest_ns"].to_numpy(),
    }
    parts = {name: varints(numbers) for name, numbers in columns.items()}
    lanes = events.group_by("track", "lane", maintain_order=True).agg(rows=pl.len())
    header = {
        "origin": str(timeline.start_ns),
        "span": timeline.end_ns - timeline.start_ns,
        "rows": events.height,
        "tracks": _tracks(timeline.tracks),
        "lanes": lanes.rows(),
        "styles": [_style(style, timeline.titles) for style in texts["style"].to_list()],
        "names": [safe(name) for name in texts["name"].to_list()],
        "short": _short(texts["name"].to_list()),
        "details": [safe(detail) for detail in texts["detail"].to_list()],
        "columns": [[name, len(part)] for name, part in parts.items()],
    }
    head = json.dumps(header, separators=(",", ":"), ensure_ascii=False).encode("utf-8", "backslashreplace")
    return len(head).to_bytes(4, "little") + head + b"".join(parts.values())


def _numbers(values: pl.Series, every: pl.Series) -> pl.Series:
    """The place of each value among all; NULL for one that is not there."""
    places = pl.int_range(every.len(), dtype=pl.Int64, eager=True)
    return values.replace_strict(every, places, default=None, return_dtype=pl.Int64)


def _tracks(tracks: pl.DataFrame) -> list[dict[str, object]]:
    shown = tracks.select("track", "group", "label", "kind", "lanes", "gpu_id", "tid", "events")
    return [{**row, "group": safe(row["group"]), "label": safe(row["label"])} for row in shown.to_dicts()]


def _style(style: str, titles: dict[str, str]) -> dict[str, str]:
    return {"style": style, "label": label(style, titles), "colour": colour(style), "text": on_colour(colour(style))}


def _short(names: list[str]) -> dict[int, str]:
    """The short names of kernels, by their place."""
    short = BRIEF.of_texts(names)
    return {place: safe(short[name]) for place, name in enumerate(names) if short.get(name, name) != name}
