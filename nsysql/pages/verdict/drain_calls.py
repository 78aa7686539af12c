"""The calls that emptied the queue, for a verdict: summed by name, with the NVTX path that they are in."""

from collections.abc import Callable
from typing import Any

import polars as pl

from nsysql.analysis.idle.nvtx_paths import BETWEEN, NO_TEXT
from nsysql.capture.export import Export
from nsysql.pages.idle.ranges import RANGES, STACK, are_few
from nsysql.pages.verdict.idle import folded

SAMPLED, MOSTLY = 20, 0.8  # calls of a GPU, and those of them that decide


class DrainCalls:
    """Rows as of idle_drains, without the profiler's time.

    Where ranges are many, the path is the one that most of the worst calls have; it is read in the background until
    `labeled` is asked for.
    """

    def __init__(self, run: Export, window: dict[str, Any]) -> None:
        self._paths: Callable[[], pl.DataFrame] | None = None
        if are_few(run) or not run.has(RANGES):
            self.sums = _without_profiler(run.query("idle_drains", paths=are_few(run), **window))
            return
        calls = _without_profiler(run.query("idle_drain_calls", **window))
        sums = pl.col("idle_ns", "gap_count").sum(), pl.len().alias("calls"), pl.col("dur_ns").sum().alias("blocked_ns")
        found = calls.group_by("gpu_id", "drained_by").agg(*sums)
        self.sums = found.with_columns(after_every_launch=pl.lit(False))
        self._paths = _most_in(run, calls)

    def labeled(self) -> pl.DataFrame:
        """The rows with drained_by_nvtx."""
        return self.sums if self._paths is None else self.sums.join(self._paths(), on="drained_by", how="left")


def _without_profiler(drains: pl.DataFrame) -> pl.DataFrame:
    return drains.with_columns(idle_ns=pl.col("idle_ns") - pl.col("profiler_ns"))


def _most_in(run: Export, calls: pl.DataFrame) -> Callable[[], pl.DataFrame]:
    """The NVTX path that most of the worst calls of a name are in: drained_by, drained_by_nvtx; read from now on."""
    worst = calls.group_by("gpu_id", maintain_order=True).head(SAMPLED)
    if worst.is_empty():
        return lambda: worst.select("drained_by", drained_by_nvtx=pl.lit(None, pl.String))
    asked = run.in_background({STACK: {"moments": ",".join(map(str, worst["start_ns"]))}})
    return lambda: _common(worst, asked.answer(STACK))


def _common(worst: pl.DataFrame, stacks: pl.DataFrame) -> pl.DataFrame:
    """The path that most of these calls of a name are in, by the ranges at their starts."""
    paths = stacks.group_by(start_ns="moment_ns", thread_id="thread_id", maintain_order=True).agg(
        drained_by_nvtx=pl.col("name").fill_null(NO_TEXT).str.join(BETWEEN)
    )
    named = worst.join(paths, on=["start_ns", "thread_id"], how="left").with_columns(folded(pl.col("drained_by_nvtx")))
    common = named.group_by("drained_by", "drained_by_nvtx").agg(pl.len().alias("count"))
    common = common.with_columns(all=pl.col("count").sum().over("drained_by"))
    return common.filter(pl.col("count") >= MOSTLY * pl.col("all")).select("drained_by", "drained_by_nvtx")
