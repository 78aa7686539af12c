"""Gaps: where a GPU ran nothing, and the launch that ended it."""

import polars as pl

from nsysql.idle.booking import RUNTIME, THREAD_BITS


def launched(activity: pl.DataFrame, rows: pl.DataFrame) -> pl.DataFrame:
    """Each activity with the call of its process and correlation id; NULL where that is not recorded."""
    calls = (
        rows.select("key", "source", "correlation_id")
        .with_row_index("at")
        .filter((pl.col("source") == RUNTIME) & pl.col("correlation_id").is_not_null())
        .select("at", "correlation_id", process_id=pl.col("key") - (pl.col("key") & THREAD_BITS))
    )
    on = ["process_id", "correlation_id"]
    keyed = _one_key(activity, calls, on)
    if keyed is None:
        found = activity.join(calls, on=on, how="left")
    else:
        found = keyed[0].join(keyed[1].drop(on), on="launch", how="left").drop("launch")
    call = rows.select(
        thread_id="key",
        api_start_ns="start_ns",
        api_end_ns="end_ns",
        api_row_id="row_id",
        api_name_id="name_id",
    ).select(pl.all().gather(found["at"]))
    return found.drop("at").hstack(call)


def _one_key(left: pl.DataFrame, right: pl.DataFrame, on: list[str]) -> tuple[pl.DataFrame, pl.DataFrame] | None:
    """Both frames with process and correlation id as one number, on which a join costs half; None where too large."""
    processes = pl.concat([f["process_id"].unique() for f in (left, right)]).drop_nulls().unique().sort()
    low = min((v for f in (left, right) if isinstance(v := f["correlation_id"].min(), int)), default=0)
    high = max((v for f in (left, right) if isinstance(v := f["correlation_id"].max(), int)), default=0)
    if low < 0 or (high + 1) * (processes.len() + 1) >= 2**62:
        return None
    rank = pl.col("process_id").replace_strict(
        processes, pl.int_range(processes.len(), eager=True), default=None, return_dtype=pl.Int64
    )
    key = (rank * (high + 1) + pl.col("correlation_id")).alias("launch")
    return left.with_columns(key), right.with_columns(key)


def in_gpu_order(activity: pl.DataFrame) -> pl.DataFrame:
    """By GPU and start; of those that start together, the one whose launch began first, then stream, then id."""
    order = ["gpu_id", "start_ns", "api_start_ns", "stream_id", "correlation_id", "kind", "row_id"]
    activity = activity.sort(order[:2])
    same = (pl.col("start_ns") == pl.col("start_ns").shift()) & (pl.col("gpu_id") == pl.col("gpu_id").shift())
    return activity.sort(order, nulls_last=True) if activity.select(same.any()).item() else activity


def find_gaps(activity: pl.DataFrame) -> pl.DataFrame:
    """One row per gap, in order of GPU and start: the next activity's columns, and the previous one's."""
    running = activity.with_row_index("at").with_columns(busy_until=pl.col("end_ns").cum_max().over("gpu_id"))
    last = pl.when(pl.col("end_ns") == pl.col("busy_until")).then("at").forward_fill()
    gaps = running.with_columns(
        pl.col("busy_until").shift().over("gpu_id"),
        previous=last.shift(),
    ).filter(pl.col("start_ns") > pl.col("busy_until"))
    before = activity.select(
        previous_kind="kind",
        previous_detail_id="detail_id",
        previous_process_id="process_id",
        previous_stream_id="stream_id",
        previous_thread_id="thread_id",
    )[gaps["previous"]]
    return (
        gaps.drop("at", "previous", "end_ns")
        .rename({"busy_until": "start_ns", "start_ns": "end_ns"})
        .hstack(before)
        .with_row_index("gap_id", offset=1)
        .with_columns(pl.col("gap_id").cast(pl.Int64))
    )


def named(gaps: pl.DataFrame) -> pl.DataFrame:
    return gaps.select(
        "gap_id",
        "gpu_id",
        "start_ns",
        "end_ns",
        pl.col("previous_kind").cast(pl.String),
        "previous_detail_id",
        "previous_process_id",
        "previous_stream_id",
        "previous_thread_id",
        next_kind=pl.col("kind").cast(pl.String),
        next_detail_id="detail_id",
        next_row_id="row_id",
        next_process_id="process_id",
        next_stream_id="stream_id",
        thread_id="thread_id",
        api_row_id="api_row_id",
        api_name_id="api_name_id",
        api_start_ns="api_start_ns",
        api_end_ns="api_end_ns",
    )
