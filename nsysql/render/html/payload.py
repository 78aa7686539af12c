"""A timeline's events, packed: columns of varints and their texts, deflated, as base64, which is safe in HTML.

The bytes: four for the length of the header, lowest first; the header as JSON; then each column of it. Rows are in
order of track, lane and start. `start` is the distance to the start before it in the row's lane, the first from the
timeline's start, zigzag as lanes of many crossing events may overlap. Of merged rows `count` is more than one.
`link` is a number that a launching call and its work share, of idle time the number of its gap.
Columns that begin with `curve` are of the values of curves, in order of curve and time: `curveStart` is the distance
to the end before it, the first of a curve from the timeline's start; `curveMore` is what the highest value is above
the lowest, and `curveMean` (of merged ones) what the mean is above it, in thousandths.
"""

import base64
import json
import re
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import polars as pl

from nsysql.analysis.timeline import counted, fewer_values, with_levels
from nsysql.pages.timeline.curves import in_order
from nsysql.pages.timeline.model import OWN, Curves, Timeline
from nsysql.render.perfetto.wire import varints, zigzag
from nsysql.render.timeline.palette import FAMILIES, FAMILY_OF, color, label, on_color, shown_names
from nsysql.words.quantities import safe

if TYPE_CHECKING:
    import numpy as np

ROWS = 600_000  # most rows of events in a file; merged events are one row
VALUES = 200_000  # most values of curves in a file; merged values count once
MOST = 14_000_000  # bytes of the packed events; beyond them the rows are halved
NAME = 1_000  # characters of a name
THOUSAND = 1000  # parts of a value that a mean is given in
QUIET = 0.01  # of the capture
MAIN = {"cuda", "mpi", "nvtx", "nvtx_start_end"}  # kinds of the tracks of threads that are worth seeing
MOST_THREADS = 6  # that are not folded
THREAD = re.compile(r"thread \d+.*")
TRACK = ("track", "kind", "lanes", "gpu_id", "tid", "events")


@dataclass(frozen=True)
class Payload:
    """Packed events, their number, the number of rows after merging, and the duration below which they were merged.

    Then the number of values of curves, and the duration below which these were merged.
    """

    text: str
    events: int
    rows: int
    part_ns: int
    values: int
    values_ns: int


def packed(timeline: Timeline, exact: Sequence[tuple[int, int]], rows: int = ROWS) -> Payload:
    """The timeline in at most MOST bytes; exact if it has few events, and always exact in these time intervals."""
    while True:
        merged, part = with_levels(timeline.events, rows, exact)
        fewer = _fewer(timeline, rows * VALUES // ROWS, exact)
        data = zlib.compress(_bytes(timeline, merged, fewer), 6)
        text = base64.b64encode(data).decode()
        if len(text) <= MOST or rows < 1000:
            length = max(part, timeline.merged_ns)
            values = (0, 0) if fewer is None else (int(fewer.values["count"].sum()), fewer.merged_ns)
            return Payload(text, timeline.event_count, merged.height, length, *values)
        rows //= 2


def _fewer(timeline: Timeline, most: int, exact: Sequence[tuple[int, int]]) -> Curves | None:
    """The curves reduced to about this many values."""
    known = timeline.curves
    if known is None:
        return None
    part = (timeline.end_ns - timeline.start_ns) // max(1, most // max(1, known.rows.height))
    values, used = fewer_values(known.values, max(1, most), part, exact)
    return Curves(known.rows, values, max(used, known.merged_ns))


def _bytes(timeline: Timeline, events: pl.DataFrame, measured: Curves | None) -> bytes:
    events = events.with_columns(pl.col("name").str.slice(0, NAME), pl.col("detail").fill_null("").str.slice(0, NAME))
    texts = {name: events[name].unique(maintain_order=True) for name in ("style", "name", "detail")}
    before = pl.col("start_ns").shift().over("track", "lane").fill_null(timeline.start_ns)
    links = events.filter(pl.col("link") > 0)["link"].unique().sort()
    columns = {
        "start": zigzag(events.select(pl.col("start_ns") - before).to_series().to_numpy()),
        "length": events.select(pl.col("end_ns") - pl.col("start_ns")).to_series().to_numpy(),
        **{name: _numbers(events[name], every).to_numpy() for name, every in texts.items()},
        "link": _numbers(events["link"], links).fill_null(-1).to_numpy() + 1 + (-events["link"]).clip(0).to_numpy(),
        "count": events["count"].to_numpy(),
        "busy": events.filter(pl.col("count") > 1)["busy_ns"].to_numpy(),
        "longest": events.filter(pl.col("count") > 1)["longest_ns"].to_numpy(),
        **({} if measured is None else _curve_columns(measured.values, timeline.start_ns)),
    }
    parts = {name: varints(numbers) for name, numbers in columns.items()}
    short = shown_names(texts["name"].to_list(), timeline.kernels)
    lanes = events.group_by("track", "lane", maintain_order=True).agg(rows=pl.len())
    header = {
        "origin": str(timeline.start_ns),
        "span": timeline.end_ns - timeline.start_ns,
        "window": [at - timeline.start_ns for at in timeline.window],
        "rows": events.height,
        "tracks": _tracks(timeline),
        "curves": _lengths(measured),
        "lanes": lanes.rows(),
        "styles": [_style(style, timeline.titles) for style in texts["style"].to_list()],
        "names": [safe(name) for name in texts["name"].to_list()],
        "short": {place: safe(short[name]) for place, name in enumerate(texts["name"].to_list()) if name in short},
        "details": [safe(detail) for detail in texts["detail"].to_list()],
        "columns": [[name, len(part)] for name, part in parts.items()],
    }
    head = json.dumps(header, separators=(",", ":"), ensure_ascii=False).encode("utf-8", "backslashreplace")
    return len(head).to_bytes(4, "little") + head + b"".join(parts.values())


def _numbers(values: pl.Series, every: pl.Series) -> pl.Series:
    """The index of each value among all; NULL if it is not among them."""
    places = pl.int_range(every.len(), dtype=pl.Int64, eager=True)
    return values.replace_strict(every, places, default=None, return_dtype=pl.Int64)


def _curve_columns(values: pl.DataFrame, start_ns: int) -> "dict[str, np.ndarray]":
    before = pl.col("end_ns").shift().over("curve").fill_null(start_ns)
    is_merged = pl.col("count") > 1
    above = ((pl.col("mean") - pl.col("low")) * THOUSAND).round().cast(pl.Int64).clip(0)
    return {
        "curveStart": zigzag(values.select(pl.col("start_ns") - before).to_series().to_numpy()),
        "curveLength": values.select(pl.col("end_ns") - pl.col("start_ns")).to_series().to_numpy(),
        "curveLow": zigzag(values["low"].to_numpy()),
        "curveMore": values.select(pl.col("high") - pl.col("low")).to_series().to_numpy(),
        "curveCount": values["count"].to_numpy(),
        "curveMean": values.filter(is_merged).select(above).to_series().to_numpy(),
    }


def _lengths(measured: Curves | None) -> list[int]:
    """The number of values of each curve, by the curves' numbers."""
    if measured is None:
        return []
    counts = dict(measured.values.group_by("curve").agg(pl.len()).rows())
    return [counts.get(curve, 0) for curve in range(measured.rows.height)]


def _tracks(timeline: Timeline) -> list[dict[str, object]]:
    """The tracks, and the curves, which have numbers after them, in the order in which they are shown."""
    first = timeline.tracks.height
    groups: dict[object, list[dict[str, object]]] = {}
    for row in in_order(timeline, with_others=True):
        if row["kind"] == "curve":
            track = _curve(row, first)
        else:
            folded = {"isFolded": row["is_folded"]} if "is_folded" in row else {}
            track = {**{name: row[name] for name in TRACK}, **_named(row), **folded}
        groups.setdefault(track["group"], []).append(track)
    if "is_folded" not in timeline.tracks.columns:
        groups = _folded(groups, _quiet(timeline))
    return [track for tracks in groups.values() for track in tracks]


def _quiet(timeline: Timeline) -> set[object]:
    """The threads that did hardly anything: they only called the OS, for less than QUIET of the time."""
    is_call = pl.col("kind").is_in(["os", "off_cpu"])
    only = timeline.tracks.filter(is_call.all().over("group"))
    own = ~pl.col("name").cast(pl.String).str.starts_with("[NSys")
    calls = counted(timeline.events).filter(own).join(only.filter(kind="os"), on="track").group_by("group")
    busy = only.select("group").unique().join(calls.agg(pl.col("busy_ns").sum()), on="group", how="left")
    least = QUIET * (timeline.end_ns - timeline.start_ns)
    return set(map(safe, busy.filter(pl.col("busy_ns").fill_null(0) < least)["group"].to_list()))


def _folded(groups: dict[object, list[dict[str, object]]], quiet: set[object]) -> dict[object, list[dict[str, object]]]:
    """Which groups are folded at first: threads without ranges and calls, or beyond MOST_THREADS; the quiet as one."""
    made, rest, threads = {}, [], 0
    together = f"{len(quiet)} threads with nothing but short OS calls and the profiler's"
    for group, tracks in groups.items():
        kinds = {track["kind"] for track in tracks}
        if len(quiet) > 1 and group in quiet:
            thread = THREAD.search(str(group))
            name = thread[0] if thread else group
            rest += [{**one, "group": together, "label": f"{name}, {one['label']}", "isFolded": True} for one in tracks]
        elif "curve" in kinds:
            made[group] = tracks
        else:
            is_thread = not kinds & {"idle", "stream"}
            is_folded = is_thread and threads > 0 and (not kinds & MAIN or threads >= MOST_THREADS)
            threads += is_thread
            made[group] = [{**one, "isFolded": is_folded} for one in tracks]
    return {**made, together: rest}


def _named(row: dict[str, Any]) -> dict[str, object]:
    return {"group": safe(row["group"]), "label": safe(row["label"])}


def _curve(row: dict[str, Any], first: int) -> dict[str, object]:
    names = {"track": first + row["curve"], "curve": row["curve"], "name": safe(row["name"] or row["label"])}
    shown = {name: row[name] for name in ("kind", "lanes", "gpu_id", "top", "unit")}
    return {**names, **_named(row), **shown, "color": color(row["style"]), "isFolded": not row["is_main"]}


def _style(style: str, titles: dict[str, str]) -> dict[str, object]:
    fill, is_own = color(style), style.startswith(OWN)
    named = {"style": style, "label": label(style, titles), "family": (family := FAMILY_OF.get(style, ""))}
    named["base"] = FAMILIES[family][0] if family else fill
    return {**named, "color": fill, "text": on_color(fill), "isOwn": is_own}
