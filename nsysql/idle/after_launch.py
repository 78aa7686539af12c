"""Piece 3 of a gap: work was queued and the GPU did not start it."""

from collections.abc import Callable

import polars as pl

from nsysql.idle.booking import RUNTIME, as_cause, book, is_cause, only, rest_as
from nsysql.idle.stream_waits import stream_waits

LATENCY_SAMPLES = 20  # fewer pieces than this make no median
LATENCY_NS = (2_000, 20_000)  # bounds of the usual launch latency
LATENCY_CAP = 3  # what exceeds this many medians is not latency


def after_launch(
    gaps: pl.DataFrame,
    activity: pl.DataFrame,
    rows: pl.DataFrame,
    claims: pl.DataFrame,
    view: Callable[[str], pl.DataFrame],
) -> pl.DataFrame:
    """Piece 3: work was queued and the GPU did not start it."""
    after = gaps.filter(pl.col("api_end_ns") < pl.col("end_ns")).select(
        "gap_id",
        "gpu_id",
        "end_ns",
        "next",
        "previous",
        "call",
        gap_start_ns="start_ns",
        start_ns=pl.max_horizontal("start_ns", "api_end_ns"),
        key="thread_id",
    )
    later = _later_parts(after, activity)
    graphs = view("api_cause").filter("is_graph_launch")["id"]
    row, name = (rows[column].gather(after["call"]) for column in ("row_id", "name_id"))
    is_graph = pl.lit(name.is_in(graphs.implode()))
    is_later = pl.col("gap_id").is_in(later.implode())
    kind = (
        pl.when(is_later & is_graph)
        .then(as_cause("graph_dependency"))
        .when(is_later)
        .then(as_cause("launch_batch"))
        .when(is_graph)
        .then(as_cause("graph_launch"))
        .otherwise(as_cause("launch_latency"))
    )
    waits = stream_waits(after, activity, rows, view).filter(~pl.col("gap_id").is_in(later.implode()))
    parts = after.select("gap_id", "gpu_id", "start_ns", "end_ns", "key", **rest_as(kind, pl.lit(RUNTIME), row, name))
    del after, row, name
    waiting = parts.join(waits, on="gap_id")
    waiting = waiting.with_columns(
        **rest_as(as_cause("stream_wait"), pl.col("wait_source"), pl.col("wait_row_id")),
    )
    if not waiting.is_empty():
        parts = parts.filter(~pl.col("gap_id").is_in(waits["gap_id"].implode()))
    profiled = only(claims, {"profiler": 1})
    own = _latency_caps(parts)
    caps = gaps.select("gpu_id").join(own, on="gpu_id", how="left", nulls_equal=True, maintain_order="left")["cap"]
    uncut, cut = book(parts, profiled)
    return pl.concat([*book(waiting, profiled), *_capped(uncut, caps), *_capped(cut, caps)])


def _later_parts(after: pl.DataFrame, activity: pl.DataFrame) -> pl.Series:
    """The gaps whose next activity is not the first one of its launch."""
    shared = activity.lazy().filter("is_shared").group_by("call").agg(first_ns=pl.col("start_ns").min()).collect()
    if shared.is_empty():
        return pl.Series(dtype=pl.UInt32)
    return after.join(shared, on="call").filter(pl.col("end_ns") > pl.col("first_ns"))["gap_id"]


def _latency_caps(parts: pl.DataFrame) -> pl.DataFrame:
    """Per GPU how long a start can take to count as latency: gpu_id, cap."""
    usual = (
        parts.filter(pl.col("rest") == "launch_latency")
        .group_by("gpu_id")
        .agg(median=(pl.col("end_ns") - pl.col("start_ns")).median(), count=pl.len())
    )
    median = (
        pl.when(pl.col("count") < LATENCY_SAMPLES).then(LATENCY_NS[0]).otherwise(pl.col("median").clip(*LATENCY_NS))
    )
    return usual.select("gpu_id", cap=(LATENCY_CAP * median).floor().cast(pl.Int64))


def _capped(booked: pl.DataFrame, caps: pl.Series) -> list[pl.DataFrame]:
    """Launch latency up to its cap, counted over the pieces of a gap; what is beyond is unexplained.

    `caps` has the cap of each gap.
    """
    is_latency = is_cause("launch_latency")
    spent = pl.lit(0)
    if booked["is_cut"].any():
        latency_ns = pl.when(is_latency).then(pl.col("end_ns") - pl.col("start_ns")).otherwise(0)
        spent = latency_ns.cum_sum().over("gap_id") - latency_ns
    border = pl.col("start_ns") + (pl.lit(caps.gather(booked["gap_id"])) - spent).clip(lower_bound=0)
    split = booked.with_columns(border=pl.when(is_latency & (pl.col("end_ns") > border)).then(border))
    within = split.with_columns(end_ns=pl.coalesce("border", "end_ns")).filter(pl.col("end_ns") > pl.col("start_ns"))
    beyond = split.filter(pl.col("border").is_not_null()).with_columns(
        start_ns="border", cause=as_cause("queued_unexplained")
    )
    return [within.drop("border"), beyond.drop("border")]
