"""Piece 3 of a gap: work was queued and the GPU did not start it."""

from collections.abc import Callable

import polars as pl

from nsysql.idle.booking import RUNTIME, as_cause, book, is_cause, only, rest_as
from nsysql.idle.stream_waits import stream_waits

LATENCY_SAMPLES = 20  # fewer pieces than this make no median
LATENCY_NS = (2_000, 20_000)  # bounds of the usual launch latency
LATENCY_CAP = 3  # what exceeds this many medians is not latency


def after_launch(
    gaps: pl.DataFrame, activity: pl.DataFrame, rows: pl.DataFrame, view: Callable[[str], pl.DataFrame]
) -> pl.DataFrame:
    """Piece 3: work was queued and the GPU did not start it."""
    graphs = view("api_cause").filter("is_graph_launch")["id"]
    parts = gaps.filter(pl.col("api_end_ns") < pl.col("end_ns")).select(
        "gap_id",
        "gpu_id",
        pl.max_horizontal("start_ns", "api_end_ns").alias("start_ns"),
        "end_ns",
        "api_start_ns",
        "api_row_id",
        "api_name_id",
        "process_id",
        "stream_id",
        "previous_process_id",
        "previous_stream_id",
        gap_start_ns="start_ns",
        key="thread_id",
    )
    batched = (
        activity.filter(pl.col("api_row_id").is_duplicated())
        .group_by("api_row_id")
        .agg(first_ns=pl.col("start_ns").min())
    )
    later = parts.join(batched, on="api_row_id").filter(pl.col("end_ns") > pl.col("first_ns"))["gap_id"]
    waits = stream_waits(parts, activity, view).filter(~pl.col("gap_id").is_in(later.implode()))
    is_graph = pl.col("api_name_id").is_in(graphs.implode())
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
    is_waiting = pl.col("gap_id").is_in(waits["gap_id"].implode())
    waiting = parts.filter(is_waiting).join(waits, on="gap_id")
    parts = parts.filter(~is_waiting).with_columns(rest_as(kind, pl.lit(RUNTIME), "api_row_id", "api_name_id"))
    waiting = waiting.with_columns(rest_as(as_cause("stream_wait"), pl.col("wait_source"), "wait_row_id"))
    profiled = only(rows, {"profiler": 1})
    caps = _latency_caps(parts)
    return pl.concat(
        [
            *book(waiting, profiled),
            *(_capped(booked, gaps["gpu_id"], caps) for booked in book(parts, profiled)),
        ]
    )


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


def _capped(booked: pl.DataFrame, gpus: pl.Series, caps: pl.DataFrame) -> pl.DataFrame:
    """Launch latency up to the GPU's cap, counted over the pieces of a gap; what is beyond is unexplained.

    `gpus` has the GPU of each gap.
    """
    latency = booked.filter(is_cause("launch_latency"))
    if latency.is_empty():
        return booked
    length = pl.col("end_ns") - pl.col("start_ns")
    spent = pl.lit(0) if latency["gap_id"].is_unique().all() else length.cum_sum().over("gap_id") - length
    cap = gpus.gather(latency["gap_id"] - 1).replace_strict(caps["gpu_id"], caps["cap"])
    latency = latency.with_columns(border=pl.col("start_ns") + (cap - spent).clip(lower_bound=0))
    within = latency.with_columns(pl.min_horizontal("end_ns", "border").alias("end_ns"))
    beyond = latency.filter(pl.col("end_ns") > pl.col("border")).with_columns(
        pl.max_horizontal("start_ns", "border").alias("start_ns"), cause=as_cause("queued_unexplained")
    )
    within = within.filter(pl.col("end_ns") > pl.col("start_ns"))
    return pl.concat(
        [
            booked.filter(~is_cause("launch_latency")),
            within.select(booked.columns),
            beyond.select(booked.columns),
        ]
    )
