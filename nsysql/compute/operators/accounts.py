"""What each NVTX path and each name has: CPU time, and the GPU work launched inside."""

import polars as pl

from nsysql.compute.lines.python_cut import STACK, stacks_at
from nsysql.compute.operators.threads import Stretches, counts, follow, of_threads, read_ranges
from nsysql.compute.operators.tree import KEY, OUTSIDE, running, stack, totals, under
from nsysql.compute.view_reader import ViewReader

READS = ("_nvtx_own_range", "_nvtx_end_time", "string", "_activity_launch", "_python_stretch")
PROVIDES = ("_operator", "_operator_stack")

WORK = ["gpu_id", "start_ns", "end_ns", "kind", "detail_id", "thread_id", "call_id", "api_start_ns", "api_end_ns"]
OWN = {  # numbers of a path, as they are named in `_operator`
    "cpu_total": "cpu_total_ns",
    "cpu_self": "cpu_self_ns",
    "gpu_total": "gpu_total_ns",
    "gpu_self": "gpu_self_ns",
    "count_self": "count",
    "kernels_total": "kernels",
    "launches_total": "launches",
}


def compute(views: ViewReader) -> dict[str, pl.DataFrame]:
    """The frames _operator and _operator_stack, from the views in READS."""
    ranges, names = read_ranges(views)
    work = _work(views)
    launched = of_threads(work)
    own = [_empty("count"), _empty("cpu")]
    paths = [work.filter(pl.col("thread_id").is_null()).with_columns(path=pl.lit(OUTSIDE))]
    for thread in {**ranges, **launched}:
        mine = launched.get(thread, work.clear())
        followed = follow(ranges.get(thread), pl.concat([mine["api_start_ns"], mine["api_end_ns"]]))
        own += [counts(followed), _cpu_time(followed)]
        paths.append(mine.with_columns(followed.at_times(mine["api_start_ns"]).alias("path")))
    work = pl.concat(paths)
    sums = _sums(own, work)
    around = under(sums["path"], names)
    found = totals(sums, around).join(running(work, around), on=KEY, how="left", nulls_equal=True)
    columns = (pl.col(name).cast(pl.Int64).alias(alias) for name, alias in OWN.items())
    busy = pl.col("gpu_busy_ns").fill_null(0).cast(pl.Int64)
    return {"_operator": found.select(*KEY, *columns, busy), "_operator_stack": _stacks(sums, work, names)}


def _work(views: ViewReader) -> pl.DataFrame:
    """The GPU work with its calls; is_launch in the first row of each call."""
    work = views("_activity_launch", narrow=lambda some: some.select(WORK))
    is_launch = pl.col("call_id").is_first_distinct() & pl.col("call_id").is_not_null()
    work = work.with_columns(is_launch=is_launch).drop("call_id")
    return work.with_columns(stacks_at(work, "api_start_ns", views("_python_stretch")))


def _empty(name: str) -> pl.DataFrame:
    return pl.DataFrame(schema={"path": pl.String, name: pl.Int64})


def _cpu_time(thread: Stretches) -> pl.DataFrame:
    """The time of each path: path, cpu."""
    lasting = pl.DataFrame({"path": thread.paths, "cpu": thread.at.diff().shift(-1).fill_null(0)})
    return lasting.group_by("path").agg(pl.col("cpu").sum()).cast({"path": pl.String, "cpu": pl.Int64})


def _sums(own: list[pl.DataFrame], work: pl.DataFrame) -> pl.DataFrame:
    """What each path has of its own: path, count, cpu, gpu, kernels, launches."""
    of_work = work.group_by("path").agg(
        gpu=(pl.col("end_ns") - pl.col("start_ns")).sum(),
        kernels=(pl.col("kind").cast(pl.String) == "kernel").sum().cast(pl.Int64),
        launches=pl.col("is_launch").sum().cast(pl.Int64),
    )
    both = pl.concat([*own, of_work], how="diagonal")
    return both.group_by("path").agg(pl.all().sum())


def _stacks(sums: pl.DataFrame, work: pl.DataFrame, names: pl.DataFrame) -> pl.DataFrame:
    """The rows of _operator_stack: what ran is the last frame, but of CPU time."""
    ran = work.group_by("path", pl.col("kind").cast(pl.String), "detail_id", STACK).agg(
        gpu=(pl.col("end_ns") - pl.col("start_ns")).sum(), launches=pl.col("is_launch").sum().cast(pl.Int64)
    )
    columns = ["path", "kind", "detail_id", STACK]
    on_gpu = ran.unpivot(["gpu", "launches"], index=columns, variable_name="weight")
    on_cpu = sums.select("path", value="cpu", weight=pl.lit("cpu"))
    both = pl.concat([on_gpu, on_cpu], how="diagonal_relaxed").filter(pl.col("value") > 0)
    return both.select(
        "weight", "kind", pl.col("detail_id").cast(pl.Int64), "value", STACK, names=stack(pl.col("path"), names)
    ).select("weight", "names", "kind", "detail_id", "value", STACK)
