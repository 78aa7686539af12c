"""Define a series of steps, the result of each method to find steps."""

from dataclasses import dataclass

import polars as pl

from nsysql.analysis.intervals import LENGTH, union

MARKS = pl.Schema({
    "cpu_start_ns": pl.Int64(),
    "cpu_end_ns": pl.Int64(),
    "is_complete": pl.Boolean(),
    "first_launch": pl.Int64(),  # index of the step's first launch in its process; NULL if found by ranges
    "end_launch": pl.Int64(),  # index after its last one
    "is_equal": pl.Boolean(),  # has the launches of most steps; NULL if found by ranges
    "is_alike": pl.Boolean(),  # has about as many launches as most steps
})  # fmt: skip

WHOLE = 0.9  # share of the median period that the last step must have to be a complete one
CLOSE = 1.1  # ratio of launches in a step up to which processes or GPUs can do the same in steps that no range marks


@dataclass(frozen=True)
class StepSeries:
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
    is_layers: bool = False  # repeats the layers of a model, not steps
    step_range: str | None = None  # the value of --step-range that chooses this series
    is_of_thread: bool = False  # the work of its steps is what its thread launches: others have their own loops


def spans(starts: pl.Series, last_end: int, is_complete: bool) -> pl.DataFrame:
    """Return the marks of contiguous steps found by ranges: each ends where the next begins."""
    ends = starts.slice(1).append(pl.Series([last_end], dtype=pl.Int64))
    complete = pl.Series([True] * (starts.len() - 1) + [is_complete], dtype=pl.Boolean)
    return marked(pl.DataFrame({"cpu_start_ns": starts, "cpu_end_ns": ends, "is_complete": complete}))


def marked(times: pl.DataFrame) -> pl.DataFrame:
    """Return the marks of steps found by ranges: these times, and no launches."""
    none = {name: pl.lit(None, MARKS[name]) for name in ("first_launch", "end_launch", "is_equal")}
    return times.with_columns(**none, is_alike=True).select(MARKS.names()).cast(MARKS)


def union_ns(ranges: pl.DataFrame) -> int:
    """Return the time that ranges, sorted by start, cover: overlaps count once."""
    return int(union(ranges).select(LENGTH.clip(lower_bound=0).sum()).item())


def loops_alike(series: pl.DataFrame, of: str, *by: str) -> pl.DataFrame:
    """Return the series that no range marks, with `launches` of a step and the number of a `group`.

    Series of a group have equal `by` and close launches; one of each `of` is in it, counted in the order of `series`.
    """
    launches = pl.col("name").cast(pl.String).str.extract(r"^(\d+) launches$").cast(pl.Int64)
    loops = series.with_columns(launches=launches).filter(pl.col("launches").is_not_null())
    loops = loops.with_columns(nth=pl.int_range(pl.len()).over(of, *by)).sort(*by, "nth", "launches")
    before = pl.col("launches").shift().over(*by, "nth")
    return loops.with_columns(group=(before.is_null() | (pl.col("launches") > CLOSE * before)).cum_sum()).drop("nth")


def with_known_end(times: pl.DataFrame) -> pl.DataFrame:
    """Leave out, of rows of step_times, the last step on a GPU if it is much shorter than the others there.

    It ends with its work, not where a next step begins: it lacks the idle time after it.
    """
    is_last = pl.col("step") == pl.col("step").max()
    is_short = pl.col("period_ns") < WHOLE * pl.col("period_ns").filter(~is_last).median()
    return times.filter(pl.col("gpu_id").is_null() | ~(is_last & is_short).over("gpu_id").fill_null(False))
