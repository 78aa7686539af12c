"""The result of a method of finding steps."""

from dataclasses import dataclass

import polars as pl

MARKS = pl.Schema({"cpu_start_ns": pl.Int64(), "cpu_end_ns": pl.Int64(), "is_complete": pl.Boolean()})


@dataclass(frozen=True)
class Found:
    """A series of steps of one process.

    `marks` has one row per step, in order, with the columns of MARKS: the CPU time that a step spans.
    """

    found_by: str
    name: str
    process_id: int
    thread_id: int
    marks: pl.DataFrame
    covered: float  # share of the process's launches, or of the thread's time, that is in the steps
    note: str | None = None
    is_steps: bool = True


def spans(starts: pl.Series, last_end: int, is_complete: bool) -> pl.DataFrame:
    """The marks of contiguous steps: each ends where the next begins."""
    ends = starts.slice(1).append(pl.Series([last_end], dtype=pl.Int64))
    complete = pl.Series([True] * (starts.len() - 1) + [is_complete], dtype=pl.Boolean)
    return pl.DataFrame({"cpu_start_ns": starts, "cpu_end_ns": ends, "is_complete": complete}, schema=MARKS)
