"""Sum the idle time attributed to each NVTX path and name, and find the path of each CPU sample."""

from collections.abc import Mapping

import polars as pl

from nsysql.analysis.global_ids import main_thread_of, process_of
from nsysql.analysis.lines.python_stacks import STACK, cut_by_stack, stacks_at
from nsysql.analysis.nvtx.paths import summed_by_path
from nsysql.analysis.operators.tree import KEY, stack, totals, under
from nsysql.analysis.view_reader import ViewReader, reads

OF = ["cause", STACK]


@reads("_operator_range", "_operator_name", "_idle_piece", "_python_stretch")
def idle_operators(views: ViewReader) -> dict[str, pl.DataFrame]:
    """Compute the frames _operator_idle and _operator_idle_stack."""
    pieces = views.once("_idle_piece", narrow=lambda some: some.select("thread_id", "cause", "start_ns", "end_ns"))
    pieces = cut_by_stack(pieces, views("_python_stretch"))
    ranges = views.of_threads("_operator_range")
    pieces = pieces.with_columns(thread_id=_threads_with_ranges(pieces["thread_id"], ranges))
    parts, names = summed_by_path(pieces, ranges, _sums), views("_operator_name")
    parts = parts.select(pl.col("cause").cast(pl.String), STACK, "idle", path=pl.col("text").cast(pl.String))
    own = parts.group_by("path").agg(pl.col("idle").sum())
    rows = totals(own, under(own["path"], names))
    stacks = parts.group_by("path", *OF).agg(value=pl.col("idle").sum())
    return {
        "_operator_idle": rows.select(*KEY, idle_total_ns="idle_total", idle_self_ns="idle_self"),
        "_operator_idle_stack": stacks.select("cause", "value", STACK, names=stack(pl.col("path"), names)),
    }


def _sums(parts: pl.DataFrame) -> pl.DataFrame:
    idle = (pl.col("end_ns") - pl.col("start_ns")).sum()
    return parts.group_by("path", *OF).agg(idle=idle)


def _threads_with_ranges(threads: pl.Series, ranges: Mapping[object, pl.DataFrame]) -> pl.Series:
    """Return the threads whose ranges count: those themselves, else the main threads of their processes."""
    known = {thread: thread for thread in threads.unique().to_list()}
    for thread in known:
        if isinstance(thread, int) and thread not in ranges:
            known[thread] = main_thread_of(process_of(thread))
    return threads.cast(pl.Int64).replace(list(known), list(known.values()))


SAMPLE = ["chain_id", "stack_number"]


@reads("_operator_range", "_operator_name", "cpu_sample", "_python_stretch", "_python_sample_stack")
def operator_samples(views: ViewReader) -> dict[str, pl.DataFrame]:
    """Compute the frame _operator_sample."""
    samples = _samples(views).select(
        pl.col(SAMPLE).cast(pl.Int64),
        "start_ns",
        end_ns="start_ns",
        thread_id=pl.when(pl.col("start_ns").is_not_null()).then("thread_id"),
    )
    counts = summed_by_path(samples, views.of_threads("_operator_range"), _counted)
    sums = counts.group_by(*SAMPLE, "text").agg(pl.col("value").sum())
    names = stack(pl.col("text").cast(pl.String), views("_operator_name"))
    return {"_operator_sample": sums.select(*SAMPLE, "value", names=names)}


def _counted(samples: pl.DataFrame) -> pl.DataFrame:
    return samples.group_by(*SAMPLE, "path").agg(value=pl.len().cast(pl.Int64))


def _samples(views: ViewReader) -> pl.DataFrame:
    """Return CPU samples with the Python stack of their thread; without any, the samples of Python stacks."""
    samples = views("cpu_sample")
    if samples.is_empty():
        stacks = views("_python_sample_stack")
        return stacks.select("thread_id", "start_ns", "stack_number", chain_id=pl.lit(None, pl.Int64))
    return samples.with_columns(stacks_at(samples, "start_ns", views("_python_stretch")))
