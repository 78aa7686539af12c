"""A trace in Perfetto's own protobuf."""

from collections.abc import Iterator
from typing import IO

import polars as pl

from nsysql.pages.timeline.model import CAUSE, Timeline
from nsysql.pages.timeline.tracks import nested
from nsysql.render.perfetto import counters, gpu_stages, slices
from nsysql.render.perfetto.descriptions import Stages, Uuids, numbered, texts, tracks

CHUNK = 2**18  # rows encoded at a time


def write(timeline: Timeline, file: IO[bytes]) -> int:
    """Write the trace and return its number of events; all times are moved to 0 or later, as Perfetto requires."""
    for part in parts(timeline):
        file.write(part)
    return timeline.events.height


def parts(timeline: Timeline) -> Iterator[bytes]:
    """The trace in chunks of bytes."""
    moved = moved_by(timeline)
    own = nested(timeline)
    events, work = _threads(own, moved), _work(own, moved)
    names, details = numbered([events["name"], work["name"]]), numbered([events["detail"]])
    stages, uuids = Stages(own.tracks), Uuids()
    yield from texts(names, details, stages)
    yield from tracks(own, uuids)
    if own.counters is not None:
        yield from counters.packets(own.counters, moved, uuids)
    for chunk in _with_numbers(work, names, None).iter_slices(CHUNK):
        yield gpu_stages.packets(_with_stages(chunk, stages))
    numbered_events = _with_numbers(events, names, details).join(_ids(work), on="link", how="left")
    lanes = numbered_events.select("track", "own_lane").unique(maintain_order=True)
    known = lanes.with_columns(uuid=pl.Series([uuids.row(*row) for row in lanes.rows()], dtype=pl.UInt64))
    rows = slices.in_order(numbered_events.join(known, on=["track", "own_lane"], how="left"))
    for chunk in rows.iter_slices(CHUNK):
        yield slices.packets(chunk)


def moved_by(timeline: Timeline) -> int:
    """The offset added to all times, so that none is negative."""
    firsts = [timeline.events["start_ns"].min()]
    firsts += [] if timeline.counters is None else [timeline.counters["at_ns"].min()]
    return max(0, *(-first for first in firsts if isinstance(first, int)))


def _threads(timeline: Timeline, moved: int) -> pl.DataFrame:
    """The events shown as slices: all but the work of streams. Idle time is named by its cause."""
    streams = timeline.tracks.filter(kind="stream")["track"]
    cause = pl.col("style").str.strip_prefix(CAUSE).replace(timeline.titles)
    is_idle = pl.col("style").str.starts_with(CAUSE)
    return timeline.events.filter(~pl.col("track").is_in(streams.implode())).with_columns(
        pl.col("start_ns", "end_ns") + moved, name=pl.when(is_idle).then(cause).otherwise("name")
    )


def _work(timeline: Timeline, moved: int) -> pl.DataFrame:
    work = timeline.work
    if work is None:
        return pl.DataFrame(schema={"name": pl.String, "link": pl.Int64, "event_id": pl.Int64, "kind": pl.String})
    return work.with_columns(pl.col("start_ns", "end_ns") + moved).with_row_index("event_id", 1)


def _ids(work: pl.DataFrame) -> pl.DataFrame:
    """The events that each link launched."""
    linked = work.filter(pl.col("link") != 0)
    return linked.group_by("link", maintain_order=True).agg(event_ids=pl.col("event_id"))


def _with_numbers(frame: pl.DataFrame, names: pl.Series, details: pl.Series | None) -> pl.DataFrame:
    """The rows with the numbers of their interned texts; 0 if they have none."""
    made = {"name_number": _number("name", names)}
    if details is not None:
        made["detail_number"] = _number("detail", details)
    return frame.with_columns(**made)


def _number(column: str, values: pl.Series) -> pl.Expr:
    places = pl.int_range(1, values.len() + 1, dtype=pl.Int64, eager=True)
    return pl.col(column).replace_strict(values, places, default=0, return_dtype=pl.Int64)


def _with_stages(work: pl.DataFrame, stages: Stages) -> pl.DataFrame:
    """The rows with the numbers of their queue, stage and context."""
    return work.with_columns(
        queue=pl.col("track").replace_strict(stages.queue, return_dtype=pl.Int64),
        stage=pl.col("style").replace_strict(stages.stage, return_dtype=pl.Int64),
        context=pl.col("pid").replace_strict(stages.context, return_dtype=pl.Int64),
    )
