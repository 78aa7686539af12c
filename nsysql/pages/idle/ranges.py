"""The NVTX ranges that gaps are labeled with: read in full where they are few, else only around the gaps."""

import polars as pl

from nsysql.analysis.nvtx.paths import BETWEEN, NO_TEXT
from nsysql.capture.export import Export

RANGES, STACK = "_nvtx_own_range", "nvtx_stack"
SMALL = 300_000  # ranges up to which all are read
FEW_GAPS = 1000  # gaps around which ranges are read, where there are more


def are_few(run: Export) -> bool:
    """Whether all NVTX ranges can be read in little time: the label is then that of most of a gap's host time."""
    return run.has(RANGES) and run.count(RANGES, {}, SMALL + 1) <= SMALL


def moments(run: Export, gaps: pl.DataFrame) -> pl.DataFrame:
    """Rows of idle_gap_middles for these gaps, where ranges are many and gaps are few; else none."""
    if gaps.is_empty() or gaps.height > FEW_GAPS or not run.has(RANGES) or are_few(run):
        return pl.DataFrame()
    return run.query("idle_gap_middles", gaps=",".join(map(str, gaps["gap_id"])))


def with_paths(gaps: pl.DataFrame, found: pl.DataFrame, stacks: pl.DataFrame) -> pl.DataFrame:
    """The gaps with their nvtx_path, from the ranges that their thread is in at their moments."""
    paths = stacks.group_by("moment_ns", "thread_id", maintain_order=True).agg(
        nvtx_path=pl.col("name").fill_null(NO_TEXT).str.join(BETWEEN)
    )
    labels = found.join(paths, on=["moment_ns", "thread_id"], how="left").select("gap_id", "nvtx_path")
    return gaps.drop("nvtx_path").join(labels, on="gap_id", how="left", maintain_order="left").select(gaps.columns)


def labeled(run: Export, gaps: pl.DataFrame) -> pl.DataFrame:
    """The gaps with the NVTX ranges that they are in, if these are still to be read."""
    found = moments(run, gaps)
    if found.is_empty():
        return gaps
    return with_paths(gaps, found, run.query(STACK, moments=",".join(map(str, found["moment_ns"]))))
