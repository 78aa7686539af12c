"""The timeline around a gap: the idle GPU, its streams, and the thread that ended the gap by its launch."""

import polars as pl

from nsysql.capture.export import Export
from nsysql.errors import UsageError
from nsysql.pages.phrases import Row
from nsysql.pages.scope import PageScope
from nsysql.pages.timeline.gather import collect
from nsysql.pages.timeline.model import Timeline

MARGIN = 0.15  # of the gap, on each side of it


def stretch(gap: Row) -> tuple[int, int]:
    """The times around a row of idle_gaps between which it is drawn, its launch among them where that is near."""
    margin = max(1, int(gap["dur_ns"] * MARGIN))
    return gap["start_ns"] - margin, gap["end_ns"] + margin


def around(timeline: Timeline, gap: Row) -> Timeline:
    """The timeline around a row of idle_gaps."""
    on_gpu = pl.col("kind").is_in(["idle", "stream"]) & pl.col("gpu_id").eq_missing(gap["gpu_id"])
    on_thread = pl.col("thread_id").eq_missing(pl.lit(gap["thread_id"], pl.Int64)) & pl.col("thread_id").is_not_null()
    return timeline.between(*stretch(gap), on_gpu | on_thread)


def around_gap(run: Export, number: int) -> Timeline:
    """The timeline around the gap of that number. Raises UsageError where there is none."""
    found = run.query("idle_gaps", gap=number, paths=False)
    if found.is_empty():
        raise UsageError(f"there is no gap {number}; `nsysql idle-gaps` lists gaps with their numbers.")
    return read_around(run, found.to_dicts()[0])


def read_around(run: Export, gap: Row) -> Timeline:
    """The timeline around a row of idle_gaps, of which only that stretch is read."""
    start, end = stretch(gap)
    return around(collect(run, PageScope(None, start, end)), gap)
