"""In which NVTX path each CPU sample is."""

import polars as pl

from nsysql.analysis.global_ids import of_threads
from nsysql.analysis.lines.python_stacks import stacks_at
from nsysql.analysis.nvtx.paths import NUMBER, OUTSIDE, STEP, PathInterval, paths_at, text_of_paths
from nsysql.analysis.operators.tree import stack
from nsysql.analysis.view_reader import ViewReader

READS = ("_operator_range", "_operator_name", "cpu_sample", "_python_stretch", "_python_sample_stack")
PROVIDES = ("_operator_sample",)

SAMPLE = pl.Schema({"chain_id": pl.Int64(), "stack_number": pl.Int64(), "path": NUMBER()})
KEY = ["chain_id", "stack_number", "path"]


def compute(views: ViewReader) -> dict[str, pl.DataFrame]:
    """The frame _operator_sample, from the views in READS."""
    samples = _samples(views)
    ranges, names = of_threads(views("_operator_range")), views("_operator_name")
    outside = pl.lit(OUTSIDE, NUMBER).alias("path")
    is_placed = pl.col("thread_id").is_not_null() & pl.col("start_ns").is_not_null()
    parts = [samples.filter(~is_placed).with_columns(outside)]
    steps = [pl.DataFrame(schema=STEP)]

    def take(interval: PathInterval) -> None:
        steps.append(interval.steps)

    for thread, own in of_threads(samples.filter(is_placed)).items():
        own = own.sort("start_ns")
        known = ranges.get(thread)
        parts.append(own.with_columns(outside if known is None else paths_at(known, own["start_ns"], take)))
    sums = (
        pl.concat([frame.select(KEY).cast(SAMPLE) for frame in parts]).group_by(KEY).agg(value=pl.len().cast(pl.Int64))
    )
    sums = sums.join(text_of_paths(steps), on="path")
    return {"_operator_sample": sums.select("chain_id", "stack_number", "value", names=stack(pl.col("text"), names))}


def _samples(views: ViewReader) -> pl.DataFrame:
    """CPU samples with the Python stack of their thread; where none was taken the samples of Python stacks."""
    samples = views("cpu_sample")
    if samples.is_empty():
        stacks = views("_python_sample_stack")
        return stacks.select("thread_id", "start_ns", "stack_number", chain_id=pl.lit(None, pl.Int64))
    return samples.with_columns(stacks_at(samples, "start_ns", views("_python_stretch")))
