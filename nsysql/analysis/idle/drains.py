"""Find the blocking call after which the GPU ran dry, for each gap.

While the host is ahead of a GPU, the GPU only falls idle after something removed the lead: a blocking call that spans
the start of the gap, or returned shortly before it, if the host was never well ahead again since and had not launched
the next work when the gap began: with that in it the queue was not empty.
"""

from typing import Any

import numpy as np
import polars as pl

from nsysql.analysis.global_ids import process_of
from nsysql.analysis.idle.attribution import RUNTIME, is_cause
from nsysql.analysis.idle.blocks import Block, InMemory, OnDisk
from nsysql.analysis.intervals import END, START, last_until

SOON_NS = 20_000  # work that starts within this time after a call's return was not held back: clocks differ slightly
RECENT_NS = 6_000_000  # a call that returned earlier before the gap did not empty the queue for it
AHEAD_NS = 500_000  # work that waits longer for the GPU shows that the host was ahead again
KEY = ["gpu_id", "process_id"]
TIMES = ("start_ns", "end_ns", "api_start_ns", "api_end_ns")
Times = np.ndarray[Any, np.dtype[np.int64]]


def drain_calls(blocks: InMemory | OnDisk) -> pl.DataFrame:
    """Return the blocking calls after which a GPU's queue was empty, as in _drain_call."""
    activity = blocks.work(*KEY, "kind", "detail_id", "call_id", *TIMES)
    is_to_gpu = (pl.col("kind") == "memcpy") & (pl.col("detail_id") != 2) & pl.col("call_id").is_not_null()
    to_gpu = activity.lazy().filter(is_to_gpu).select("call_id").unique().collect().to_series()
    process = process_of(pl.col("key"))
    is_blocking = is_cause("sync") & (pl.col("source") == RUNTIME) & ~pl.col("row_id").is_in(to_gpu.implode())
    calls = blocks.states(lambda rows: rows.filter(is_blocking & (END > START)))
    calls = calls.select("row_id", "start_ns", "end_ns", "name_id", process_id=process, thread_id="key")
    by_process = calls.sort("start_ns", "row_id").partition_by("process_id", as_dict=True)
    work = activity.lazy().filter(pl.col("call_id").is_not_null()).select(*KEY, *TIMES).collect()
    calls_by_gpu = []
    kind = work["gpu_id"].dtype
    for (gpu_id, process_id), own in work.partition_by(KEY, as_dict=True, include_key=False).items():
        if process_id is not None and (process_id,) in by_process:
            emptying = _emptying(own, by_process[process_id,])
            calls_by_gpu.append(emptying.with_columns(gpu_id=pl.lit(gpu_id, kind)))
    columns = [*KEY, "row_id", "thread_id", "start_ns", "end_ns", "name_id", "launch_count"]
    none = calls.clear().with_columns(gpu_id=pl.lit(None, kind), launch_count=pl.lit(0, pl.Int64))
    return pl.concat([none.select(columns), *(some.select(columns) for some in calls_by_gpu)], how="vertical_relaxed")


def _emptying(work: pl.DataFrame, calls: pl.DataFrame) -> pl.DataFrame:
    """Keep the calls, in order of start, after which none of their process's work on one GPU was left waiting.

    Numpy takes a tenth of the time of polars if a job has thousands of processes.
    """
    starts, ends, api_starts, api_ends = (work[name].to_numpy() for name in TIMES)
    started, returned = calls["start_ns"].to_numpy(), calls["end_ns"].to_numpy()
    waiting = starts - SOON_NS > api_ends
    launched, done = np.sort(api_starts), np.sort(ends)
    ended = _until(done, started)
    waited = (_until(launched, started) > ended) & (_until(done, returned + SOON_NS) > ended)
    empty = _until(np.sort(api_ends[waiting]), returned) == _until(np.sort(starts[waiting]), returned + SOON_NS)
    calls_begun = launched[np.diff(launched, prepend=launched[:1] - 1) != 0]  # np.unique hashes: ten times as long
    launches = _until(calls_begun, started)[waited & empty]
    return calls.filter(pl.Series(waited & empty)).with_columns(launch_count=np.diff(launches, prepend=0))


def _until(times: Times, moments: Times) -> Times:
    """Count for each moment the sorted times at or before it."""
    return times.searchsorted(moments, side="right")


class Drains:
    """Finds the call that emptied the queue before each gap; for one block after the other, in order of time."""

    def __init__(self, calls: pl.DataFrame) -> None:
        self._calls = calls.sort("start_ns", "row_id").partition_by(KEY, as_dict=True)
        self._ahead: dict[tuple[object, ...], int] = {}  # the last start so far of work that had waited long

    def of(self, block: Block) -> pl.Series:
        """Return the row of the call that emptied the queue before each gap of the block; NULL if none did."""
        gaps = block.gaps
        gaps_with_calls = gaps.select("gap_id", "gpu_id", "start_ns", "end_ns", "call_id", "api_end_ns")
        gaps_with_calls = gaps_with_calls.with_columns(block.activity["process_id"].gather(gaps["next"]))
        waited = pl.col("start_ns") - pl.col("api_end_ns") > AHEAD_NS
        ahead = block.activity.lazy().filter(waited).select(*KEY, "start_ns").collect()
        row = pl.repeat(None, gaps.height, dtype=pl.Int64, eager=True)
        ahead_of = ahead.partition_by(KEY, as_dict=True)
        for key, own in gaps_with_calls.partition_by(KEY, as_dict=True).items():
            if key in self._calls:
                starts = ahead_of.get(key, ahead.clear())["start_ns"]
                before = pl.Series([self._ahead[key]] if key in self._ahead else [], dtype=starts.dtype)
                row = row.scatter(own["gap_id"], _emptied(own, self._calls[key], before.append(starts)))
        for key, own in ahead_of.items():
            self._ahead[key] = own["start_ns"][-1]
        return row


def _emptied(gaps: pl.DataFrame, calls: pl.DataFrame, ahead: pl.Series) -> pl.Series:
    """Return the last of the sorted calls to begin before each gap, if it emptied the queue for it.

    `ahead` has the starts of work that had waited long for the GPU, in order.
    """
    known = calls.select(returned_ns="end_ns", row="row_id").select(pl.all().extend_constant(None, 1))
    last = ahead.extend_constant(None, 1).gather(last_until(ahead, gaps["start_ns"]))
    placed = gaps.hstack(known[last_until(calls["start_ns"], gaps["start_ns"])]).with_columns(last.alias("ahead_ns"))
    during = (pl.col("returned_ns") >= pl.col("start_ns")) & (pl.col("returned_ns") <= pl.col("end_ns"))
    before = (
        (pl.col("returned_ns") < pl.col("start_ns"))
        & (pl.col("start_ns") - pl.col("returned_ns") <= RECENT_NS)
        & pl.col("call_id").is_not_null()
        & (pl.col("api_end_ns") > pl.col("start_ns"))
        & (pl.col("ahead_ns").is_null() | (pl.col("ahead_ns") <= pl.col("returned_ns") + SOON_NS))
    )
    return placed.select(pl.when(during | before).then("row")).to_series()
