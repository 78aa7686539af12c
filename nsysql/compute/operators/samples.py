"""In which NVTX path each CPU sample is."""

import polars as pl

from nsysql.compute.lines.python_cut import stacks_at
from nsysql.compute.operators.threads import follow, of_threads, read_ranges
from nsysql.compute.operators.tree import OUTSIDE, stack
from nsysql.compute.view_reader import ViewReader

READS = ("_nvtx_own_range", "_nvtx_end_time", "string", "cpu_sample", "_python_stretch", "_python_sample_stack")
PROVIDES = ("_operator_sample",)

SAMPLE = pl.Schema({"chain_id": pl.Int64(), "stack_number": pl.Int64(), "path": pl.String()})
KEY = ["chain_id", "stack_number", "path"]


def compute(views: ViewReader) -> dict[str, pl.DataFrame]:
    """The frame _operator_sample, from the views in READS."""
    samples = _samples(views)
    ranges, names = read_ranges(views)
    found = [pl.DataFrame(schema=SAMPLE)]
    found.append(samples.filter(pl.col("thread_id").is_null()).select("chain_id", "stack_number", path=pl.lit(OUTSIDE)))
    for thread, own in of_threads(samples).items():
        followed = follow(ranges.get(thread), own["start_ns"])
        found.append(own.select("chain_id", "stack_number", followed.at_times(own["start_ns"]).alias("path")))
    sums = pl.concat([frame.cast(SAMPLE) for frame in found]).group_by(KEY).agg(value=pl.len().cast(pl.Int64))
    return {"_operator_sample": sums.select("chain_id", "stack_number", "value", names=stack(pl.col("path"), names))}


def _samples(views: ViewReader) -> pl.DataFrame:
    """CPU samples with the Python stack of their thread; where none was taken the samples of Python stacks."""
    samples = views("cpu_sample")
    if samples.is_empty():
        found = views("_python_sample_stack")
        return found.select("thread_id", "start_ns", "stack_number", chain_id=pl.lit(None, pl.Int64))
    return samples.with_columns(stacks_at(samples, "start_ns", views("_python_stretch")))
