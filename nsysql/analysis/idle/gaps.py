"""Gaps: where a GPU ran nothing, and the launch that ended it.

Activities and calls are long tables of many columns; a gap names the activities around it by position.
"""

import polars as pl

from nsysql.analysis.idle.activity import ORDER


def find_gaps(activity: pl.DataFrame) -> pl.DataFrame:
    """One row per gap, in order of GPU and start.

    `activity` is _activity_launch, or a part of it. Columns gap_id (from 0), gpu_id, start_ns, end_ns; previous and
    next, the positions of the activities before and after; and the thread_id, call_id, api_start_ns and
    api_end_ns of the next one.
    """
    running = activity.select(*ORDER, "end_ns", busy_until=pl.col("end_ns").cum_max().over("gpu_id"))
    last = pl.when(pl.col("end_ns") == pl.col("busy_until")).then(pl.int_range(pl.len(), dtype=pl.UInt32))
    gaps = running.select(
        "gpu_id",
        pl.col("busy_until").shift().over("gpu_id").alias("start_ns"),
        end_ns="start_ns",
        previous=last.forward_fill().shift(),
        next=pl.int_range(pl.len(), dtype=pl.UInt32),
    ).filter(pl.col("end_ns") > pl.col("start_ns"))
    asked = activity.select("thread_id", "call_id", "api_start_ns", "api_end_ns").select(pl.all().gather(gaps["next"]))
    no_earlier = pl.max_horizontal("api_start_ns", "api_end_ns")  # where a return before the start was recorded
    return gaps.hstack(asked).with_columns(api_end_ns=no_earlier).with_row_index("gap_id")


def last_to_end(activity: pl.DataFrame) -> pl.DataFrame:
    """The activity of the last GPU that ends last, of equals the last: what keeps the GPU busy when others follow."""
    of_gpu = activity.filter(pl.col("gpu_id").eq_missing(pl.col("gpu_id").last()))
    return of_gpu.filter(pl.col("end_ns") == pl.col("end_ns").max()).tail(1)


def named(gaps: pl.DataFrame, activity: pl.DataFrame) -> pl.DataFrame:
    """The gaps with the columns of _idle_gap, but for the main cause; gap_id is still from 0."""

    def of(which: str, *columns: str) -> dict[str, pl.Series]:
        return {f"{which}_{c}": activity[c].gather(gaps[which]) for c in columns}

    return gaps.select(
        "gap_id",
        "gpu_id",
        "start_ns",
        "end_ns",
        **of("previous", "kind", "detail_id"),
        **of("next", "kind", "detail_id", "stream_id"),
        thread_id="thread_id",
        launch_ns="api_start_ns",
        api_name_id=activity["api_name_id"].gather(gaps["next"]),
    )
