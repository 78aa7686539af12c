"""NVTX ranges in blocks that fit the processor's cache; nested ranges are always in the same block.

If there are too many for memory, DuckDB first sorts them on disk; then each block is read when it is iterated. What is
made of the blocks is merged into slices that follow each other.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import Protocol

import polars as pl

from nsysql.analysis.parallel import drain
from nsysql.analysis.view_reader import ViewReader

BYTES_PER_RANGE = 50  # bytes per NVTX row; if all exceed the memory budget, ranges are read from disk in blocks
BLOCK = 2**17  # ranges in a block, plus those up to the next possible cut
CHUNK = 2**20  # rows searched for cuts at a time


class Blocks(Protocol):
    """Ranges in blocks, in order of thread and start; at least one block. They can be iterated once."""

    def __iter__(self) -> Iterator[pl.DataFrame]: ...

    def by_least(self, name: str) -> tuple[list[int], Iterator[pl.DataFrame]]:
        """The least value of this column in each block, and the blocks, in order of these values."""


class InMemory:
    """Blocks of ranges in memory; each is freed when it is iterated."""

    def __init__(self, ranges: pl.DataFrame) -> None:
        self._blocks = list(blocks(ranges))

    def __iter__(self) -> Iterator[pl.DataFrame]:
        return drain(self._blocks)

    def by_least(self, name: str) -> tuple[list[int], Iterator[pl.DataFrame]]:
        """See Blocks."""
        self._blocks.sort(key=lambda block: _least(block[name]))
        return [_least(block[name]) for block in self._blocks], drain(self._blocks)


class OnDisk:
    """Blocks of a view's ranges, each read when it is iterated; `narrow` shrinks each block.

    `bounds` has one row per block, in order of thread and start: `first` and `end`, the half-open interval of its row
    indexes in the view; thread_id and start_ns of its first row; least_start_ns and least_row_id, the least values in
    it.
    """

    def __init__(self, views: ViewReader, name: str, narrow: Callable[[pl.DataFrame], pl.DataFrame]) -> None:
        views.spill(name, "thread_id", "start_ns")
        self._views, self._name, self._narrow = views, name, narrow
        self.bounds = bounds(chunks(views, name, "row_id", "thread_id", "start_ns", "end_ns"))

    def __iter__(self) -> Iterator[pl.DataFrame]:
        return map(self.read, range(self.bounds.height))

    def by_least(self, name: str) -> tuple[list[int], Iterator[pl.DataFrame]]:
        """See Blocks."""
        order = self.order(name)
        return self.bounds[f"least_{name}"][order].to_list(), map(self.read, order)

    def order(self, name: str) -> list[int]:
        """The numbers of the blocks in order of the least value of this column in each."""
        return self.bounds[f"least_{name}"].arg_sort().to_list()

    def read(self, number: int, *columns: str) -> pl.DataFrame:
        """The block with this number in `bounds`, all columns or some."""
        first, end = self.bounds.select("first", "end").row(number)
        rows = self._views.read_spilled(self._name, first, end, *columns)
        return rows if columns else self._narrow(rows)


def is_large(views: ViewReader, name: str) -> bool:
    """Whether a view has too many ranges for the memory budget."""
    return views.rows(name) * BYTES_PER_RANGE > views.memory_budget


def in_blocks(views: ViewReader, name: str, narrow: Callable[[pl.DataFrame], pl.DataFrame]) -> Blocks:
    """The ranges of a view in blocks; `narrow` shrinks each frame that is read."""
    return OnDisk(views, name, narrow) if is_large(views, name) else InMemory(views(name, narrow=narrow))


def chunks(views: ViewReader, name: str, *columns: str) -> Iterator[pl.DataFrame]:
    """These columns of a spilled view in frames of CHUNK rows; at least one frame."""
    first = 0
    while (chunk := views.read_spilled(name, first, first + CHUNK, *columns)).height or not first:
        yield chunk
        first += CHUNK


def bounds(ranges: Iterable[pl.DataFrame]) -> pl.DataFrame:
    """The bounds of blocks (see OnDisk) for ranges in order of thread and start that come in chunks."""
    firsts, read, before, least = [0], 0, pl.DataFrame(), []
    for chunk in ranges:
        known = pl.concat([before, chunk], how="diagonal")
        free = _free(known) + (read - before.height)
        while (place := free.search_sorted(firsts[-1] + BLOCK)) < free.len():
            firsts.append(free[place])
        number = pl.Series(firsts).search_sorted(pl.int_range(read, read + chunk.height, eager=True), side="right") - 1
        least.append(
            chunk.group_by(number=number)
            .agg(
                pl.col("thread_id", "start_ns").first(),
                least_start_ns=pl.col("start_ns").min(),
                least_row_id=pl.col("row_id").min(),
            )
            .sort("number")
        )
        read += chunk.height
        last = known.filter(pl.col("thread_id").eq_missing(known["thread_id"].last()))
        before = last.select(pl.col("row_id", "thread_id", "start_ns").last(), pl.col("end_ns").max())
    of_block = pl.concat(least).group_by("number", maintain_order=True)
    own = of_block.agg(pl.col("thread_id", "start_ns").first(), pl.col("least_start_ns", "least_row_id").min())
    ends = pl.Series("end", [*firsts[1:], read], dtype=pl.Int64)
    limits = pl.DataFrame({"number": range(len(firsts)), "first": firsts}).hstack([ends])
    return limits.join(own.cast({"number": pl.Int64}), on="number", how="left", maintain_order="left").with_columns(
        pl.col("least_start_ns", "least_row_id").fill_null(0)
    )


def _free(placed: pl.DataFrame) -> pl.Series:
    """The indexes, in ranges by thread and start, before which no range of the thread is open."""
    same = pl.col("thread_id") == pl.col("thread_id").shift()
    start, before = pl.col("start_ns"), pl.col("start_ns").shift()
    reach = pl.col("end_ns").cum_max().over("thread_id").shift()
    apart = (start > reach) & (start > before)  # an end can be before its start
    return placed.select((~same | apart).arg_true()).to_series().cast(pl.Int64)


def blocks(ranges: pl.DataFrame) -> Iterator[pl.DataFrame]:
    """The ranges of each block, in order of thread and start; at least one block.

    Cuts are between threads, and where no range of the thread is open.
    """
    order = in_order(ranges)
    placed = ranges.select("thread_id", "start_ns", "end_ns")[order]
    free = _free(placed)
    full = free.search_sorted(pl.int_range(BLOCK, order.len(), BLOCK, eager=True))
    cuts = free.gather(full.filter(full < free.len())).unique().sort().to_list()
    for first, end in zip([0, *cuts], [*cuts, order.len()], strict=True):
        yield ranges[order.slice(first, end - first)]


def _least(values: pl.Series) -> int:
    least = values.min()
    return least if isinstance(least, int) else 0


def in_order(ranges: pl.DataFrame) -> pl.Series:
    """Row indexes sorted by thread and start; sorts by start only if rows of a thread are not in order already."""
    order = _by_thread(ranges["thread_id"])
    placed = ranges.select("thread_id", "start_ns")[order]
    same = pl.col("thread_id") == pl.col("thread_id").shift()
    if placed.select((same & (pl.col("start_ns") < pl.col("start_ns").shift())).any()).item():
        return order.gather(placed.select(pl.arg_sort_by("thread_id", "start_ns", maintain_order=True)).to_series())
    return order


def _by_thread(threads: pl.Series) -> pl.Series:
    """Row indexes grouped by thread, in their original order."""
    numbered = threads.to_frame("thread").with_columns(number=pl.int_range(pl.len(), dtype=pl.UInt32))
    return pl.concat([numbered.clear(), *numbered.partition_by("thread")], rechunk=True)["number"]


SLICE = 2**18  # rows that a slice has at least, if they are not the last


def merge_slices(frames: Iterable[pl.DataFrame], least: list[int], name: str) -> Iterator[pl.DataFrame]:
    """The rows of all frames in slices, in any order: no value of that column is less than one of an earlier slice.

    `least` has the least value of each frame, in order. At least one slice; NULLs go last.
    """
    waiting: list[pl.DataFrame] = []
    ready: list[pl.DataFrame] = []
    for frame, border in zip(frames, [*least[1:], None], strict=True):
        waiting.append(frame if frame[name].is_sorted(nulls_last=True) else frame.sort(name, nulls_last=True))
        ends = [_up_to(one[name], border) for one in waiting]
        ready += [one.head(end) for one, end in zip(waiting, ends, strict=True) if end or border is None]
        waiting = [one.slice(end) for one, end in zip(waiting, ends, strict=True) if end < one.height]
        if border is None or sum(one.height for one in ready) >= SLICE:
            yield from _cut(pl.concat(ready, how="diagonal_relaxed"), name)
            ready = []


def _cut(rows: pl.DataFrame, name: str) -> Iterator[pl.DataFrame]:
    """Rows in slices by that column, equal values in the same one; at least one slice."""
    if rows.height < 2 * SLICE:
        yield rows
        return
    rows = rows.sort(name, nulls_last=True)
    borders = rows[name].gather(pl.int_range(SLICE, rows.height, SLICE, eager=True)).unique().sort()
    cuts = [end for border in borders if border is not None and (end := _up_to(rows[name], border))]
    for first, end in zip([0, *cuts], [*cuts, rows.height], strict=True):
        yield rows.slice(first, end - first)


def _up_to(values: pl.Series, border: int | None) -> int:
    """How many of the values, in order with NULLs last, are less than the border; all where there is none."""
    if border is None:
        return values.len()
    known = values.head(values.len() - values.null_count())
    return int(known.search_sorted(border, side="left"))
