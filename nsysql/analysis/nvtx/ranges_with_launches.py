"""NVTX ranges that contain launch calls, in blocks with these calls: from memory, or from disk if they are many."""

from collections.abc import Iterator
from dataclasses import dataclass

import polars as pl

from nsysql.analysis.nvtx import blocks
from nsysql.analysis.nvtx.launches import WORK, LaunchIndex, are_outside, by_call, launching
from nsysql.analysis.nvtx.ranges import RANGES, named_ranges, with_short_names
from nsysql.analysis.parallel import parallel_map
from nsysql.analysis.view_reader import ViewReader


@dataclass
class RangeBlock:
    """A block of ranges, each with the interval [low, high) of its calls in `calls`."""

    ranges: pl.DataFrame
    calls: pl.DataFrame
    first: int  # index of the first of these calls among all calls
    is_shared: bool = False  # whether calls of a process may share a correlation id


def ranges_with_launches_in(view: ViewReader) -> "InMemory | OnDisk | None":
    """The ranges that contain calls; None if calls of a thread overlap.

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
        """The ranges of each block, without names, with its calls."""
        for number in range(len(self._work) - 1):
            yield self._ranges.read(number, "thread_id", "start_ns", "end_ns"), self._calls(number)

    @staticmethod
    def _scanned(block: tuple[pl.DataFrame, pl.DataFrame]) -> tuple[int, pl.DataFrame | None]:
        """The number of calls in a block, and the calls outside its ranges; None instead of these if calls overlap."""
        calls = LaunchIndex(block[1])
        return calls.rows.height, _outside(calls, calls.with_launches(block[0])) if calls.follow else None


def _outside(calls: LaunchIndex, ranges: pl.DataFrame) -> pl.DataFrame:
    """The calls outside all ranges."""
    return calls.rows.filter(are_outside(ranges["low"], ranges["high"], calls.rows.height))


def _first_work(view: ViewReader, bounds: pl.DataFrame) -> list[int]:
    """The index of each block's first work, and the end of the last block.

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
