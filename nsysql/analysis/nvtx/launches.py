"""Read NVTX ranges that contain launch calls, in blocks with these calls: from memory, or from disk if they are many.

The launch calls in a range are a contiguous run in the calls sorted by thread and time. They are the rows of the view
_launch_extent, in less memory if every call has its own correlation id.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import polars as pl

from nsysql.analysis.global_ids import PER_PROCESS
from nsysql.analysis.intervals import rank_among
from nsysql.analysis.nvtx import blocks
from nsysql.analysis.nvtx.blocks import NO_EARLIER, RANGES, named_ranges, with_short_names
from nsysql.analysis.parallel import parallel_map
from nsysql.analysis.view_reader import ViewReader

WORK = "_launched_work"
IDS = 2**32  # number of possible correlation ids


def launching(view: ViewReader) -> tuple[pl.DataFrame, bool]:
    """Return the calls that launched GPU work, and whether calls of a process may share a correlation id.

    The nsys_ columns are missing if they would equal the others: each call launched one piece of work, and none a
    graph. Work that several calls could have launched is paired with each of them, which can be very many pairs: if
    there are more pairs than pieces of work, the view is read already aggregated per call.
    """
    most = view.rows(WORK)
    work = view(WORK, narrow=with_short_ids, which=f"LIMIT {most + 1}")
    if work.height <= most:
        if not work["is_graph"].any() and not have_repeats(work):
            return work.drop("is_graph"), False
        calls = _summed(work)
        if not have_repeats(calls):
            return calls, False
    return view("_launch_extent", narrow=lambda calls: with_short_ids(calls.drop("launch"))), True


def by_call(work: pl.DataFrame) -> pl.DataFrame:
    """Return the calls of rows of _launched_work, as `launching` does; these must include all work of each call."""
    is_alone = not work["is_graph"].any() and not work["row_id"].is_duplicated().any()
    return with_short_ids(work.drop("is_graph") if is_alone else _summed(work))


def have_repeats(calls: pl.DataFrame) -> bool:
    """Tell whether rows of a process share a correlation id; false positives are possible if ids exceed 32 bits."""
    ids = calls["correlation_id"]
    process = calls["thread_id"] // PER_PROCESS
    known = process.unique()
    if known.len() > 1:
        ids = process.replace_strict(known, pl.int_range(known.len(), eager=True), return_dtype=pl.Int64) * IDS + ids
    ids = ids.sort()  # takes less memory than n_unique()
    return bool((ids == ids.shift()).any())


def with_short_ids(calls: pl.DataFrame) -> pl.DataFrame:
    """Return the calls with row and correlation ids in the smallest integer types that fit."""
    return calls.with_columns(calls[name].shrink_dtype() for name in ("row_id", "correlation_id"))


def _summed(work: pl.DataFrame) -> pl.DataFrame:
    """Sum the work per call, for calls with several pieces of work or a graph launch."""
    in_nsys = ~pl.col("is_graph")
    return work.group_by("row_id").agg(
        pl.col("thread_id", "call_ns", "return_ns", "correlation_id").first(),
        start_ns=pl.col("start_ns").min(),
        end_ns=pl.col("end_ns").max(),
        nsys_start_ns=pl.col("start_ns").filter(in_nsys).min(),
        nsys_end_ns=pl.col("end_ns").filter(in_nsys).max(),
    )


def are_outside(low: pl.Series, high: pl.Series, count: int) -> pl.Series:
    """Return a mask over 0..count, true where no interval [low, high) covers the position."""
    order = high.arg_sort()  # of intervals with equal low the longest is scattered last, and wins
    reached = pl.repeat(0, count, dtype=high.dtype, eager=True).scatter(low.gather(order), high.gather(order))
    return reached.cum_max() <= pl.int_range(count, eager=True)


class LaunchIndex:
    """Launch calls, `rows` sorted by thread and start, so that the calls in any range are contiguous.

    `follow` is false if calls of a thread overlap, or times do not fit 64 bits: then the index cannot be used.
    """

    def __init__(self, calls: pl.DataFrame) -> None:
        """Takes the columns out of the frame `calls` to save memory, if `follow` is true."""
        self._threads = calls["thread_id"].unique().sort()
        times = (calls["call_ns"].min(), calls["return_ns"].max())
        first, last = (time if isinstance(time, int) else 0 for time in times)
        self._before, self._after = first - 1, last + 1
        self._span = self._after - self._before + 1
        self.rows, self.follow = calls, self._span * (self._threads.len() + 1) < 2**62
        if self.follow:
            placed = calls.select(self._line("call_ns"), self._line("return_ns"), "row_id")
            order = placed.select(pl.arg_sort_by("call_ns", "row_id")).to_series()
            own = ((placed if name in placed.columns else calls, name) for name in calls.columns)
            self.rows = pl.DataFrame([frame.drop_in_place(name).gather(order) for frame, name in own])
            self.follow = self.rows["return_ns"].is_sorted()

    def with_launches(self, ranges: pl.DataFrame) -> pl.DataFrame:
        """Return the ranges that contain calls, with the interval [low, high) of these in `rows`."""
        placed = ranges.with_columns(end_ns=NO_EARLIER).with_row_index("at")
        placed = placed.select("at", self._line("start_ns"), self._line("end_ns")).drop_nulls("start_ns")
        inside = placed.select(
            "at",
            low=self.rows["call_ns"].search_sorted(placed["start_ns"], side="left"),
            high=self.rows["return_ns"].search_sorted(placed["end_ns"], side="right"),
        ).filter(pl.col("high") > pl.col("low"))
        return ranges[inside["at"]].hstack(inside.select("low", "high"))

    def _line(self, time: str) -> pl.Expr:
        """Map times to one axis, thread after thread; NULL for a thread without calls.

        Times before the first call or after the last are clipped to just outside of them, which changes no result.
        """
        thread = rank_among(pl.col("thread_id"), self._threads)
        return (thread * self._span + (pl.col(time).clip(self._before, self._after) - self._before)).alias(time)


@dataclass
class RangeBlock:
    """A block of ranges, each with the interval [low, high) of its calls in `calls`."""

    ranges: pl.DataFrame
    calls: pl.DataFrame
    first: int  # index of the first of these calls among all calls
    is_shared: bool = False  # whether calls of a process may share a correlation id


def ranges_with_launches_in(view: ViewReader) -> "InMemory | OnDisk | None":
    """Return the ranges that contain calls; None if calls of a thread overlap.

    A range around one with calls contains these calls too, so ranges without calls do not matter for nesting.
    """
    on_disk = OnDisk(view) if blocks.is_large(view, RANGES) else None
    if on_disk is not None and on_disk.is_known:
        return on_disk
    launches, is_shared = launching(view)
    calls = LaunchIndex(launches)
    del launches
    return InMemory(calls, named_ranges(view, calls.with_launches), is_shared) if calls.follow else None


class InMemory:
    """Blocks that share all calls, to be iterated once; `outside` has the calls outside all ranges."""

    def __init__(self, calls: LaunchIndex, ranges: pl.DataFrame, is_shared: bool) -> None:
        self._is_shared = is_shared
        self.outside = _outside(calls, ranges)
        self._calls = calls.rows.drop("call_ns", "return_ns")
        self._blocks = blocks.blocks(ranges)

    def __iter__(self) -> Iterator[RangeBlock]:
        return (RangeBlock(ranges, self._calls, 0, self._is_shared) for ranges in self._blocks)


class OnDisk:
    """Blocks that are read from two tables when they are iterated: ranges, and work with its calls.

    A block's calls begin at its first range or later, and before the first range of the next block. None is in a range
    of another block, as those end before.
    """

    def __init__(self, view: ViewReader) -> None:
        self._view = view
        self._ranges = blocks.OnDisk(view, RANGES, with_short_names)
        most = view.rows(WORK)  # as in launching()
        view.spill(WORK, "thread_id", "call_ns", most=most + 1)
        self._work = _first_work(view, self._ranges.bounds)
        self._first: list[int] = [0]
        rest: list[pl.DataFrame] = []
        self.is_known = self._work[-1] <= most and view("_ambiguous_correlation_id").is_empty()
        for calls, outside in parallel_map(self._scanned, self._narrow() if self.is_known else []):
            self.is_known &= outside is not None
            self._first.append(self._first[-1] + calls)
            rest += [] if outside is None else [outside]
        self.outside = pl.concat(rest, how="diagonal_relaxed") if self.is_known else pl.DataFrame()

    def __iter__(self) -> Iterator[RangeBlock]:
        return map(self._read, range(len(self._work) - 1))

    def _read(self, number: int) -> RangeBlock:
        calls = LaunchIndex(self._calls(number))
        return RangeBlock(calls.with_launches(self._ranges.read(number)), calls.rows, self._first[number])

    def _calls(self, number: int) -> pl.DataFrame:
        return by_call(self._view.read_spilled(WORK, self._work[number], self._work[number + 1]))

    def _narrow(self) -> Iterator[tuple[pl.DataFrame, pl.DataFrame]]:
        """Yield the ranges of each block, without names, with its calls."""
        for number in range(len(self._work) - 1):
            yield self._ranges.read(number, "thread_id", "start_ns", "end_ns"), self._calls(number)

    @staticmethod
    def _scanned(block: tuple[pl.DataFrame, pl.DataFrame]) -> tuple[int, pl.DataFrame | None]:
        """Count the calls in a block, and return those outside its ranges; None instead of these if calls overlap."""
        calls = LaunchIndex(block[1])
        return calls.rows.height, _outside(calls, calls.with_launches(block[0])) if calls.follow else None


def _outside(calls: LaunchIndex, ranges: pl.DataFrame) -> pl.DataFrame:
    """Return the calls outside all ranges."""
    return calls.rows.filter(are_outside(ranges["low"], ranges["high"], calls.rows.height))


def _first_work(view: ViewReader, bounds: pl.DataFrame) -> list[int]:
    """Return the index of each block's first work, and the end of the last block.

    It is that of the first call that begins with the block's first range or later; work launched before the first block
    belongs to the first block, too.
    """
    order = ["thread_id", "call_ns", "is_work"]
    marks = bounds.select("thread_id", call_ns="start_ns", is_work=pl.lit(False))
    begun = pl.repeat(0, marks.height, dtype=pl.Int64, eager=True)
    rows = 0
    for chunk in blocks.chunks(view, WORK, "thread_id", "call_ns"):
        rows += chunk.height
        both = pl.concat([marks, chunk.with_columns(is_work=pl.lit(True))]).sort(order, nulls_last=True)
        before = both.select("is_work", begun=pl.col("is_work").cast(pl.Int64).cum_sum()).filter(~pl.col("is_work"))
        begun += before["begun"]
    return [0, *begun[1:], rows]
