"""When each step ran on each GPU, and how long that GPU was busy during the step."""

from collections.abc import Iterable

import polars as pl

from nsysql.analysis.idle.busy_intervals import by_gpu, union
from nsysql.analysis.intervals import covered_until
from nsysql.analysis.schemas import schema_of

WITHOUT = ("series_id", "busy_ns")
GPU_TIMES = pl.Schema({name: of for name, of in schema_of("_step_gpu").items() if name not in WITHOUT})


def gpu_times(work: pl.DataFrame, marks: pl.DataFrame) -> pl.DataFrame:
    """One row per step and GPU with work of the step: when it ran there, and the summed duration of its work.

    `work` is the GPU work of the process with its calls. A step begins on a GPU with the start of its earliest work,
    but not before the previous step, and ends where the next begins; the last ends with the last of all work.
    """
    by_launch = marks["first_launch"].null_count() == 0  # several launches can have the same time on a coarse clock
    first, end, called = (
        ("first_launch", "end_launch", "launch") if by_launch else ("cpu_start_ns", "cpu_end_ns", "api_start_ns")
    )
    step = marks[first].search_sorted(work[called].cast(pl.Int64), side="right").cast(pl.Int64) - 1
    own = work.with_columns(step=step).filter((pl.col("step") >= 0) & (pl.col(called) < int(marks[end][-1])))
    found = (
        own.group_by("gpu_id", "step")
        .agg(
            *(pl.col("start_ns").min().cast(pl.Int64), pl.col("end_ns").max().cast(pl.Int64)),
            work_ns=(pl.col("end_ns") - pl.col("start_ns")).sum(),
        )
        .sort("gpu_id", "step")
        .with_columns(gpu_start_ns=pl.col("start_ns").cum_max().over("gpu_id"))
    )
    last = pl.col("end_ns").max().over("gpu_id")
    after = pl.col("gpu_start_ns").shift(-1).over("gpu_id")
    return found.with_columns(gpu_end_ns=after.fill_null(last)).select(GPU_TIMES.names()).cast(GPU_TIMES)


def busy_time(times: pl.DataFrame, activity: Iterable[pl.DataFrame]) -> pl.DataFrame:
    """Add busy_ns: how long the GPU ran work of any process from gpu_start_ns to gpu_end_ns.

    `activity` has all GPU activities, by GPU and start, in frames that no busy interval spans.
    """
    busy = pl.repeat(0, times.height, dtype=pl.Int64, eager=True)
    for some in activity:
        for gpu_id, rows in by_gpu(some):
            runs = union(rows.select("start_ns", "end_ns"))
            is_own = times["gpu_id"].eq_missing(pl.Series([gpu_id], dtype=pl.Int64))
            until = [covered_until(runs, times[name]) for name in ("gpu_end_ns", "gpu_start_ns")]
            busy = busy + (until[0] - until[1]) * is_own.cast(pl.Int64)
    return times.with_columns(busy_ns=busy)
