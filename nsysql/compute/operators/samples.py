"""In which NVTX path each CPU sample is."""

import polars as pl

from nsysql.compute.operators.threads import follow, of_threads, read_ranges
from nsysql.compute.operators.tree import OUTSIDE, stack
from nsysql.compute.view_reader import ViewReader

READS = ("_nvtx_own_range", "_nvtx_end_time", "string", "cpu_sample")
PROVIDES = ("_operator_sample",)

SAMPLE = pl.Schema({"chain_id": pl.Int64(), "path": pl.String()})


def compute(views: ViewReader) -> dict[str, pl.DataFrame]:
    """The frame _operator_sample, from the views in READS."""
    samples = views("cpu_sample")
    ranges, names = read_ranges(views)
    found = [pl.DataFrame(schema=SAMPLE)]
    found.append(samples.filter(pl.col("thread_id").is_null()).select("chain_id", path=pl.lit(OUTSIDE)))
    for thread, own in of_threads(samples).items():
        followed = follow(ranges.get(thread), own["start_ns"])
        found.append(own.select("chain_id", followed.at_times(own["start_ns"]).alias("path")))
    sums = (
        pl.concat([frame.cast(SAMPLE) for frame in found])
        .group_by("chain_id", "path")
        .agg(value=pl.len().cast(pl.Int64))
    )
    return {"_operator_sample": sums.select("chain_id", "value", names=stack(pl.col("path"), names))}
