"""In which NVTX path each CPU sample is."""

import polars as pl

from nsysql.analysis.global_ids import of_threads
from nsysql.analysis.lines.python_stacks import stacks_at
from nsysql.analysis.nvtx.paths import summed_by_path
from nsysql.analysis.operators.tree import stack
from nsysql.analysis.view_reader import ViewReader

READS = ("_operator_range", "_operator_name", "cpu_sample", "_python_stretch", "_python_sample_stack")
PROVIDES = ("_operator_sample",)

KEY = ["chain_id", "stack_number"]


def compute(views: ViewReader) -> dict[str, pl.DataFrame]:
    """The frame _operator_sample, from the views in READS."""
    samples = _samples(views).select(
        pl.col(KEY).cast(pl.Int64),
        "start_ns",
        end_ns="start_ns",
        thread_id=pl.when(pl.col("start_ns").is_not_null()).then("thread_id"),
    )
    counts = summed_by_path(samples, of_threads(views("_operator_range")), _counted)
    sums = counts.group_by(*KEY, "text").agg(pl.col("value").sum())
    names = stack(pl.col("text"), views("_operator_name"))
    return {"_operator_sample": sums.select(*KEY, "value", names=names)}


def _counted(samples: pl.DataFrame) -> pl.DataFrame:
    return samples.group_by(*KEY, "path").agg(value=pl.len().cast(pl.Int64))


def _samples(views: ViewReader) -> pl.DataFrame:
    """CPU samples with the Python stack of their thread; where none was taken the samples of Python stacks."""
    samples = views("cpu_sample")
    if samples.is_empty():
        stacks = views("_python_sample_stack")
        return stacks.select("thread_id", "start_ns", "stack_number", chain_id=pl.lit(None, pl.Int64))
    return samples.with_columns(stacks_at(samples, "start_ns", views("_python_stretch")))
