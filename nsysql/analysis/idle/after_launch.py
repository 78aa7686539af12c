"""Attribute piece 3 of a gap: work was queued but the GPU did not start it."""

import polars as pl

from nsysql.analysis.global_ids import pid_of
from nsysql.analysis.idle.attribution import (
    RUNTIME,
    SOURCE,
    STREAMS,
    SYNCHRONIZATION,
    as_cause,
    attribute,
    is_cause,
    only,
    rest_as,
)  # fmt: skip
from nsysql.analysis.idle.blocks import Block
from nsysql.analysis.idle.launches import LedgerContext
from nsysql.analysis.intervals import END, LENGTH, START, overlaps

WAIT = pl.Schema({"gap_id": pl.UInt32(), "wait_source": SOURCE, "wait_row_id": pl.Int64()})


def stream_waits(parts: pl.DataFrame, activity: pl.DataFrame, whole: LedgerContext) -> pl.DataFrame:
    """Return the gaps whose next activity's stream was made to wait: gap_id, wait_source, wait_row_id.

    `parts` has gap_id, gpu_id, gap_start_ns, start_ns, call_id, next and previous, as in find_gaps.
    """
    waits = pl.concat([_event_waits(parts, whole.stream_waits), _default_stream_waits(parts, activity, whole.streams)])
    return waits.unique("gap_id", keep="first", maintain_order=True)


def _event_waits(parts: pl.DataFrame, waits: pl.DataFrame) -> pl.DataFrame:
    """Return waits for an event requested between the stream's previous launch and the next activity's.

    If the record of the event is known, the recording stream's last work before it must end at the gap's start or
    later, or be on another GPU.
    """
    if waits.is_empty():
        return pl.DataFrame(schema=WAIT)
    is_late = pl.col("last_end_ns") >= pl.col("gap_start_ns")
    held = pl.col("recorded_ns").is_null() | is_late | (pl.col("last_gpu_id") != pl.col("gpu_id"))
    held_up = parts.select("gap_id", "gpu_id", "gap_start_ns", pl.col("call_id").cast(pl.Int64))
    rows = waits.join(held_up, on="call_id").filter(held)
    rows = rows.sort("gap_id", "start_ns", "row_id", descending=[False, True, False])
    return rows.select("gap_id", wait_source=pl.lit(SYNCHRONIZATION).cast(SOURCE), wait_row_id="row_id")


def _default_stream_waits(parts: pl.DataFrame, activity: pl.DataFrame, streams: pl.DataFrame) -> pl.DataFrame:
    """Return waits of the legacy default stream's work for blocking streams, and of theirs for it."""
    if not streams["is_null"].any():
        return pl.DataFrame(schema=WAIT)
    fell_idle = parts.filter(pl.col("start_ns") == pl.col("gap_start_ns"))
    after, before = (
        activity.select("process_id", pl.col("stream_id").cast(pl.Int64)).select(pl.all().gather(fell_idle[c]))
        for c in ("next", "previous")
    )
    both = fell_idle.select("gap_id").hstack(after).hstack(before.rename(lambda name: f"{name}_before"))
    is_same, is_other = (pl.col(c) == pl.col(f"{c}_before") for c in ("process_id", "stream_id"))
    both = both.filter(is_same, ~is_other).with_columns(pid=pid_of(pl.col("process_id")))
    both = both.join(streams, on=["pid", "stream_id"])
    both = both.join(streams, left_on=["pid", "stream_id_before"], right_on=["pid", "stream_id"], suffix="_before")
    is_wait = pl.col("is_null") & pl.col("is_blocking_before") | pl.col("is_null_before") & pl.col("is_blocking")
    source = pl.lit(STREAMS).cast(SOURCE)
    return both.filter(is_wait).select("gap_id", wait_source=source, wait_row_id=pl.lit(None, pl.Int64))


LATENCY_SAMPLES = 20  # fewer pieces are too few for a median
LATENCY_NS = (2_000, 20_000)  # bounds of the median launch latency
LATENCY_CAP = 3  # time beyond this many medians is not latency


def after_launch(block: Block, rows: pl.DataFrame, claims: pl.DataFrame, whole: LedgerContext) -> pl.DataFrame:
    """Return the pieces of part 3: work was queued but the GPU did not start it."""
    parts, block.after = after_parts(block, whole), None
    of_gap = block.gaps.select("gpu_id")
    cap = of_gap.join(whole.caps, on="gpu_id", how="left", nulls_equal=True, maintain_order="left")["cap"]
    (within, beyond), (more, others) = (_capped(some, cap) for some in attribute(parts, only(claims, {"profiler": 1})))
    return pl.concat([within, more, _meanwhile(pl.concat([beyond, others]), block.gaps, rows)])


def after_parts(block: Block, whole: LedgerContext) -> pl.DataFrame:
    """Return the parts of a block's gaps after their launch: gap_id, gpu_id, key, start_ns, end_ns and their rest."""
    if block.after is not None:
        return block.after
    activity = block.activity
    after = block.gaps.filter(pl.col("api_end_ns") < pl.col("end_ns")).with_columns(
        gap_start_ns="start_ns", start_ns=pl.max_horizontal("start_ns", "api_end_ns"), key="thread_id"
    )
    name = activity["api_name_id"].gather(after["next"])
    later = _later_parts(after, whole)
    is_graph = pl.lit(name.is_in(whole.graph_launches.implode()))
    is_later = pl.col("gap_id").is_in(later.implode())
    of_graph = pl.when(is_later).then(as_cause("graph_dependency")).otherwise(as_cause("graph_launch"))
    of_others = pl.when(is_later).then(as_cause("launch_batch")).otherwise(as_cause("launch_latency"))
    kind = pl.when(is_graph).then(of_graph).otherwise(of_others)
    waits = stream_waits(after, activity, whole).filter(~pl.col("gap_id").is_in(later.implode()))
    launch = rest_as(kind, pl.lit(RUNTIME), pl.col("call_id"), name)
    parts = after.select("gap_id", "gpu_id", "start_ns", "end_ns", "key", **launch)
    wait = rest_as(as_cause("stream_wait"), pl.col("wait_source"), pl.col("wait_row_id"))
    waiting = parts.join(waits, on="gap_id").with_columns(**wait)
    if not waiting.is_empty():
        others = parts.filter(~pl.col("gap_id").is_in(waits["gap_id"].implode()))
        parts = pl.concat([others, waiting.select(parts.columns)])
    block.after = parts
    return parts


def _later_parts(after: pl.DataFrame, whole: LedgerContext) -> pl.Series:
    """Return the gaps whose next activity is not the first one of its launch."""
    first = whole.shared_launches.select(call_id=pl.col("call_id").cast(after["call_id"].dtype), first_ns="start_ns")
    return after.join(first, on="call_id").filter(pl.col("end_ns") > pl.col("first_ns"))["gap_id"]


def latency_samples(parts: pl.DataFrame) -> pl.DataFrame:
    """Return how long each start took for which there is no other cause: gpu_id, dur_ns."""
    usual = parts.filter(pl.col("rest") == "launch_latency")
    samples = usual.select("gpu_id", dur_ns=LENGTH)
    return samples.select(column.shrink_dtype() for column in samples)


def latency_caps(samples: pl.DataFrame) -> pl.DataFrame:
    """Return the longest time per GPU that a start may take to count as latency: gpu_id, cap."""
    median = pl.col("dur_ns").median().clip(*LATENCY_NS)
    usual = pl.when(pl.len() < LATENCY_SAMPLES).then(LATENCY_NS[0]).otherwise(median)
    return samples.group_by("gpu_id").agg(cap=(LATENCY_CAP * usual).floor().cast(pl.Int64))


def _meanwhile(queued: pl.DataFrame, gaps: pl.DataFrame, rows: pl.DataFrame) -> pl.DataFrame:
    """Use the call in which the launching thread spent most time as evidence of unexplained pieces.

    If several are equally long, the first in the table is used. If there is none, the launch stays the evidence.
    """
    if queued.is_empty():
        return queued
    pieces = queued.with_row_index("interval").with_columns(gaps["thread_id"].gather(queued["gap_id"]).alias("key"))
    calls = rows.filter(pl.col("source") == RUNTIME).with_row_index("row")
    times = ("key", "start_ns", "end_ns")
    pairs = overlaps(pieces.select("interval", *times), calls.select("row", *times))
    both = pairs.hstack(pieces.select(low="start_ns", high="end_ns")[pairs["interval"]])
    both = both.hstack(calls.select("start_ns", "end_ns", "row_id", "name_id")[pairs["row"]])
    spent = pl.min_horizontal("high", "end_ns") - pl.max_horizontal("low", "start_ns")
    order = both.with_columns(spent=spent).sort("interval", "spent", "row_id", descending=[False, True, False])
    longest = order.unique("interval", keep="first").select("interval", call_row="row_id", call_name="name_id")
    known = pieces.join(longest, on="interval", how="left", maintain_order="left")
    known = known.with_columns(row_id=pl.coalesce("call_row", "row_id"), name_id=pl.coalesce("call_name", "name_id"))
    return known.select(queued.columns)


def _capped(attributed: pl.DataFrame, caps: pl.Series) -> list[pl.DataFrame]:
    """Split launch latency at its cap, counted from the start of the gap's part; the time beyond is unexplained.

    `caps` has the cap of each gap.
    """
    is_latency = is_cause("launch_latency")
    first = pl.col("start_ns").min().over("gap_id") if attributed["is_cut"].any() else pl.col("start_ns")
    border = pl.max_horizontal("start_ns", first + pl.lit(caps.gather(attributed["gap_id"])))
    split = attributed.with_columns(border=pl.when(is_latency & (pl.col("end_ns") > border)).then(border))
    within = split.with_columns(end_ns=pl.coalesce("border", "end_ns")).filter(END > START)
    beyond = split.drop_nulls("border").with_columns(start_ns="border", cause=as_cause("queued_unexplained"))
    return [within.drop("border"), beyond.drop("border")]
