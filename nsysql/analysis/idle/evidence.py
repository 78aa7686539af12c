"""Correct the causes of claims that depend on other rows of the export.

A library's own CUDA runtime starts in whatever call comes first; a blocking copy stages its data before or after the
GPU's work; and a call that waits for the profiler on another thread is the profiler's.
"""

import polars as pl

from nsysql.analysis.global_ids import process_of
from nsysql.analysis.idle.attribution import RUNTIME, as_cause, is_cause
from nsysql.analysis.intervals import END, START, overlaps, with_nearest

RETURNS_WITH_NS = 200_000  # a call that returns within this time after the profiler's work waited for it
SETUP_RANK, OFF_RANK = 3, 1  # the profiler has 0, blocking calls 2


def refined(rows: pl.DataFrame, starts: pl.DataFrame, staged: pl.DataFrame) -> pl.DataFrame:
    """Return the rows with the causes that follow from other rows.

    `starts` and `staged` are the frames of runtime_starts and staged in launches.py.
    """
    rows = _set_up(rows, starts)
    rows = _split_copies(rows, staged)
    return pl.concat([rows, _held_by_profiler(rows), _off_cpu_in_calls(rows)], how="vertical_relaxed")


def _set_up(rows: pl.DataFrame, starts: pl.DataFrame) -> pl.DataFrame:
    """Attribute the first call of a library's CUDA runtime to context set-up, whatever its name."""
    if starts.is_empty():
        return rows
    is_start = (pl.col("source") == RUNTIME) & pl.col("row_id").is_in(starts["call_id"].implode())
    return rows.with_columns(
        cause=pl.when(is_start).then(as_cause("context_setup")).otherwise("cause"),
        rank=pl.when(is_start).then(pl.lit(SETUP_RANK, rows["rank"].dtype)).otherwise("rank"),
    )


def _split_copies(rows: pl.DataFrame, staged: pl.DataFrame) -> pl.DataFrame:
    """Cut blocking copies where the GPU's part begins or ends: on one side of it the CPU moves the data."""
    if staged.is_empty():
        return rows
    is_copy = (pl.col("source") == RUNTIME) & is_cause("sync") & pl.col("row_id").is_in(staged["call_id"].implode())
    borders = staged.rename({"call_id": "row_id"}).cast({"row_id": rows["row_id"].dtype})
    copies = rows.filter(is_copy).join(borders, on="row_id")
    border = pl.col("border_ns").clip("start_ns", "end_ns")
    halves = []
    for part, start, end in (("first", pl.col("start_ns"), border), ("last", border, pl.col("end_ns"))):
        cause = pl.when(pl.col("staged_part") == part).then(as_cause("pageable_copy")).otherwise("cause")
        halves.append(copies.with_columns(start_ns=start, end_ns=end, cause=cause))
    cut = pl.concat(halves).filter(END > START).select(rows.columns)
    return pl.concat([rows.filter(~is_copy), cut])


def _off_cpu_in_calls(rows: pl.DataFrame) -> pl.DataFrame:
    """Return intervals off the CPU as claims on the blocking calls and staged copies around them, cut to these."""
    off = rows.filter(pl.col("source") == "SCHED_EVENTS").with_row_index("row")
    if off.is_empty():
        return rows.clear()
    calls = rows.filter((pl.col("source") == RUNTIME) & is_cause("sync", "pageable_copy"))
    calls = calls.filter(pl.col("key").is_in(off["key"].unique().implode())).with_row_index("interval")
    times = ("key", "start_ns", "end_ns")
    pairs = overlaps(calls.select("interval", *times), off.select("row", *times))
    call = calls.select(low="start_ns", high="end_ns")[pairs["interval"]]
    both = off[pairs["row"]].hstack(call)
    return both.with_columns(
        pl.max_horizontal("start_ns", "low").alias("start_ns"),
        pl.min_horizontal("end_ns", "high").alias("end_ns"),
        rank=pl.lit(OFF_RANK, rows["rank"].dtype),
    ).select(rows.columns)


def _held_by_profiler(rows: pl.DataFrame) -> pl.DataFrame:
    """Return claims of the profiler on calls that waited for its work on another thread of the process.

    Such a call overlaps that work and returns when it ends, or soon after. Of several works the last one to end before
    the return counts, and of those the longest.
    """
    process = process_of(pl.col("key")).alias("process_id")
    work = rows.filter(is_cause("profiler")).sort("end_ns", "start_ns", descending=[False, True])
    if work.is_empty():
        return work
    work = work.with_columns(process, work_start_ns="start_ns", work_end_ns="end_ns")
    calls = rows.lazy().filter(pl.col("source") == RUNTIME).select("key", "start_ns", "end_ns", process).collect()
    near = work["work_end_ns"].search_sorted(calls["end_ns"], side="right").cast(pl.Int64)
    last_end = work["work_end_ns"].gather_every(1).append(pl.Series([-(2**62)])).gather(near - 1)
    calls = calls.filter(calls["end_ns"] - last_end <= RETURNS_WITH_NS)  # the few that return soon after such work
    ended = work.drop("start_ns", "end_ns", "key")
    held = with_nearest(calls.sort("end_ns"), ended, "end_ns", "work_end_ns", "process_id")
    is_soon = pl.col("end_ns") - pl.col("work_end_ns") <= RETURNS_WITH_NS
    held = held.filter(is_soon, pl.col("start_ns") < pl.col("work_end_ns"))
    held = held.with_columns(start_ns=pl.max_horizontal("start_ns", "work_start_ns"), end_ns="work_end_ns")
    return held.filter(END > START).select(rows.columns)
