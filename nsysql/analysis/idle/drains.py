"""Who emptied the queue: the blocking call after which the GPU ran dry, for each gap.

A GPU that the host keeps ahead of falls idle only after something took the lead away. That is a blocking call which
lies over the start of the gap, or returned shortly before it, if the host was never well ahead again since and had not
launched the next work when the gap began: with that in it the queue was not empty.
"""

import polars as pl

from nsysql.analysis.global_ids import process_of
from nsysql.analysis.idle.attribution import RUNTIME, is_cause
from nsysql.analysis.idle.blocks import Block, InMemory, OnDisk

SOON_NS = 20_000  # work that starts so soon after a call's return was not held back: clocks differ by some
RECENT_NS = 6_000_000  # a call that returned longer before the gap did not empty the queue for it
AHEAD_NS = 500_000  # work that waits longer for the GPU shows that the host was ahead again
KEY = ["gpu_id", "process_id"]
TIMES = ("start_ns", "end_ns", "api_start_ns", "api_end_ns")


def drain_calls(blocks: InMemory | OnDisk) -> pl.DataFrame:
    """The blocking calls that emptied a GPU's queue, as in _drain_call."""
    activity = blocks.work(*KEY, "kind", "detail_id", "call_id", *TIMES)
    is_to_gpu = (pl.col("kind") == "memcpy") & (pl.col("detail_id") != 2) & pl.col("call_id").is_not_null()
    to_gpu = activity.lazy().filter(is_to_gpu).select("call_id").unique().collect().to_series()
    process = process_of(pl.col("key"))
    is_blocking = is_cause("sync") & (pl.col("source") == RUNTIME) & ~pl.col("row_id").is_in(to_gpu.implode())
    calls = blocks.states(lambda rows: rows.filter(is_blocking & (pl.col("end_ns") > pl.col("start_ns"))))
    calls = calls.select("row_id", "start_ns", "end_ns", "name_id", process_id=process, thread_id="key")
    found = []
    for key in activity.select(KEY).unique(maintain_order=True).rows():
        own = calls.clear() if key[1] is None else calls.filter(process_id=key[1])
        if not own.is_empty():
            is_own = _of_queue(activity, key) & pl.col("call_id").is_not_null()
            work = activity.lazy().filter(is_own).select(TIMES).collect()
            found.append(_emptying(work, own).with_columns(pl.lit(key[0], activity["gpu_id"].dtype).alias("gpu_id")))
    columns = [*KEY, "row_id", "thread_id", "start_ns", "end_ns", "name_id", "launch_count"]
    none = calls.clear().with_columns(pl.lit(None, activity["gpu_id"].dtype).alias("gpu_id"), launch_count=pl.lit(0))
    return pl.concat([none.select(columns), *(some.select(columns) for some in found)], how="vertical_relaxed")


def _emptying(work: pl.DataFrame, calls: pl.DataFrame) -> pl.DataFrame:
    """Those calls after which nothing of this work, of their process on one GPU, was left waiting."""
    own = calls.sort("start_ns", "row_id")
    waiting = work.filter(pl.col("start_ns") - SOON_NS > pl.col("api_end_ns"))

    def until(times: pl.Series, moments: pl.Series) -> pl.Series:
        return times.sort().search_sorted(moments, side="right")

    asked, ended = (until(work[c], own["start_ns"]) for c in ("api_start_ns", "end_ns"))
    waited = (asked > ended) & (until(work["end_ns"] - SOON_NS, own["end_ns"]) > ended)
    empty = until(waiting["api_end_ns"], own["end_ns"]) == until(waiting["start_ns"] - SOON_NS, own["end_ns"])
    launches = work["api_start_ns"].unique()
    own = own.with_columns(launches=until(launches, own["start_ns"]))
    return own.filter(waited & empty).with_columns(
        launch_count=pl.col("launches").cast(pl.Int64).diff().fill_null(pl.col("launches"))
    )


class Drains:
    """Which call emptied the queue before each gap; asked block by block, in order of time."""

    def __init__(self, calls: pl.DataFrame) -> None:
        self._calls = calls.sort("start_ns", "row_id")
        self._ahead: dict[tuple[object, ...], int] = {}  # the last start so far of work that had waited long

    def of(self, block: Block) -> pl.Series:
        """The row of the call that emptied the queue before each gap of the block; NULL if none did."""
        gaps = block.gaps
        asked = gaps.select("gap_id", "gpu_id", "start_ns", "end_ns", "call_id", "api_end_ns")
        asked = asked.with_columns(block.activity["process_id"].gather(gaps["next"]))
        waited = pl.col("start_ns") - pl.col("api_end_ns") > AHEAD_NS
        ahead = block.activity.lazy().filter(waited).select(*KEY, "start_ns").collect()
        row = pl.repeat(None, gaps.height, dtype=pl.Int64, eager=True)
        for key, own in asked.partition_by(KEY, as_dict=True).items():
            calls = self._calls.filter(_of_queue(self._calls, key))
            if not calls.is_empty():
                starts = ahead.filter(_of_queue(ahead, key))["start_ns"]
                row = row.scatter(own["gap_id"], _emptied(own, calls, self._after(key, starts)))
        for key, own in ahead.partition_by(KEY, as_dict=True).items():
            self._ahead[key] = own["start_ns"][-1]
        return row

    def _after(self, key: tuple[object, ...], starts: pl.Series) -> pl.Series:
        """The starts of work that had waited long, after the last one of the blocks before."""
        before = pl.Series([self._ahead[key]] if key in self._ahead else [], dtype=starts.dtype)
        return before.append(starts)


def _of_queue(frame: pl.DataFrame, key: tuple[object, ...]) -> pl.Expr:
    """Whether a row is of that GPU and process."""
    return pl.all_horizontal(pl.col(c).eq_missing(pl.lit(v, frame[c].dtype)) for c, v in zip(KEY, key, strict=True))


def _last(times: pl.Series, moments: pl.Series) -> pl.Series:
    """The position of the last of some times, which are in order, up to each moment; -1 if none."""
    return times.search_sorted(moments, side="right").cast(pl.Int64) - 1


def _emptied(gaps: pl.DataFrame, calls: pl.DataFrame, ahead: pl.Series) -> pl.Series:
    """The last of the calls, in order of start, to begin before each gap, where it emptied the queue for it.

    `ahead` has the starts of work that had waited long for the GPU, in order.
    """
    known = calls.select(returned_ns="end_ns", row="row_id").select(pl.all().extend_constant(None, 1))
    last = ahead.extend_constant(None, 1).gather(_last(ahead, gaps["start_ns"]))
    found = gaps.hstack(known[_last(calls["start_ns"], gaps["start_ns"])]).with_columns(last.alias("ahead_ns"))
    during = (pl.col("returned_ns") >= pl.col("start_ns")) & (pl.col("returned_ns") <= pl.col("end_ns"))
    before = (
        (pl.col("returned_ns") < pl.col("start_ns"))
        & (pl.col("start_ns") - pl.col("returned_ns") <= RECENT_NS)
        & pl.col("call_id").is_not_null()
        & (pl.col("api_end_ns") > pl.col("start_ns"))
        & (pl.col("ahead_ns").is_null() | (pl.col("ahead_ns") <= pl.col("returned_ns") + SOON_NS))
    )
    return found.select(pl.when(during | before).then("row")).to_series()
