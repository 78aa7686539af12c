"""NVTX ranges in blocks that fit the processor's cache: what lies in each other is in the same one.

Too many for memory become a table in DuckDB first, which sorts them on disk; then each block is read when it is drawn.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import Protocol

import polars as pl

from nsysql.compute.prefetch import drain
from nsysql.compute.view_reader import ViewReader

BYTES_PER_RANGE = 50  # bytes for each row of NVTX: where they exceed what DuckDB works in, not all are held in memory
BLOCK = 2**17  # ranges that a block has, and those up to the next cut
CHUNK = 2**20  # rows that are looked through together for cuts


class Blocks(Protocol):
    """Ranges in blocks, in order of thread and start; at least one block. They can be drawn once."""

    def __iter__(self) -> Iterator[pl.DataFrame]: ...

    def by_least(self, name: str) -> tuple[list[int], Iterator[pl.DataFrame]]:
        """The least value of that column in each block and the blocks, in order of these values."""


class InMemory:
    """Blocks of ranges that are all there; each is let go when it is drawn."""

    def __init__(self, ranges: pl.DataFrame) -> None:
        self._blocks = list(blocks(ranges))

    def __iter__(self) -> Iterator[pl.DataFrame]:
        return drain(self._blocks)

    def by_least(self, name: str) -> tuple[list[int], Iterator[pl.DataFrame]]:
        """As in Blocks."""
        self._blocks.sort(key=lambda block: _least(block[name]))
        return [_least(block[name]) for block in self._blocks], drain(self._blocks)


class OnDisk:
    """Blocks of a view's ranges, each read when it is drawn; `narrow` makes it smaller.

    `bounds` has the blocks in order of thread and start: the place of the first row of each in that view and the
    place after the last, thread_id and start_ns of the first, and the least start_ns and row_id as least_start_ns
    and least_row_id.
    """

    def __init__(self, views: ViewReader, name: str, narrow: Callable[[pl.DataFrame], pl.DataFrame]) -> None:
        views.spill(name, "thread_id", "start_ns")
        self._views, self._name, self._narrow = views, name, narrow
        self.bounds = bounds(chunks(views, name, "row_id", "thread_id", "start_ns", "end_ns"))

    def __iter__(self) -> Iterator[pl.DataFrame]:
        return map(self.read, range(self.bounds.height))

    def by_least(self, name: str) -> tuple[list[int], Iterator[pl.DataFrame]]:
        """As in Blocks."""
        order = self.order(name)
        return self.bounds[f"least_{name}"][order].to_list(), map(self.read, order)

    def order(self, name: str) -> list[int]:
        """The numbers of the blocks in order of the least value of that column in each."""
        return self.bounds[f"least_{name}"].arg_sort().to_list()

    def read(self, number: int, *columns: str) -> pl.DataFrame:
        """The block of that number in `bounds`, some of its columns or all."""
        first, end = self.bounds.select("first", "end").row(number)
        rows = self._views.read_spilled(self._name, first, end, *columns)
        return rows if columns else self._narrow(rows)


def is_large(views: ViewReader, name: str) -> bool:
    """Whether a view has too many ranges to hold them in memory."""
    return views.rows(name) * BYTES_PER_RANGE > views.memory_budget


def in_blocks(views: ViewReader, name: str, narrow: Callable[[pl.DataFrame], pl.DataFrame]) -> Blocks:
    """The ranges of a view, which `narrow` makes smaller some at a time."""
    return OnDisk(views, name, narrow) if is_large(views, name) else InMemory(views(name, narrow=narrow))


def chunks(views: ViewReader, name: str, *columns: str) -> Iterator[pl.DataFrame]:
    """Those columns of a spilled view, some rows after the others; at least one frame."""
    first = 0
    while (chunk := views.read_spilled(name, first, first + CHUNK, *columns)).height or not first:
        yield chunk
        first += CHUNK


def bounds(ranges: Iterable[pl.DataFrame]) -> pl.DataFrame:
    """Where blocks begin and end, as OnDisk has it, of ranges in order of thread and start that come in chunks."""
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
    found = pl.DataFrame({"number": range(len(firsts)), "first": firsts}).hstack([ends])
    return found.join(own.cast({"number": pl.Int64}), on="number", how="left", maintain_order="left").with_columns(
        pl.col("least_start_ns", "least_row_id").fill_null(0)
    )


def _free(placed: pl.DataFrame) -> pl.Series:
    """The places, of ranges in order of thread and start, at which no range of the thread is open."""
    same = pl.col("thread_id") == pl.col("thread_id").shift()
    start, before = pl.col("start_ns"), pl.col("start_ns").shift()
    reach = pl.col("end_ns").cum_max().over("thread_id").shift()
    apart = (start > reach) & (start > before)  # an end can lie before its start
    return placed.select((~same | apart).arg_true()).to_series().cast(pl.Int64)


def blocks(ranges: pl.DataFrame) -> Iterator[pl.DataFrame]:
    """The ranges of each block, in order of thread and start; at least one block.

    Cuts lie between threads, and where no range of the thread is open.
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
    """The numbers of the rows by thread and start; those of a thread mostly come in order."""
    order = _by_thread(ranges["thread_id"])
    placed = ranges.select("thread_id", "start_ns")[order]
    same = pl.col("thread_id") == pl.col("thread_id").shift()
    if placed.select((same & (pl.col("start_ns") < pl.col("start_ns").shift())).any()).item():
        return order.gather(placed.select(pl.arg_sort_by("thread_id", "start_ns", maintain_order=True)).to_series())
    return order


def _by_thread(threads: pl.Series) -> pl.Series:
    """The numbers of the rows, those of a thread together and in their order."""
    numbered = threads.to_frame("thread").with_columns(number=pl.int_range(pl.len(), dtype=pl.UInt32))
    return pl.concat([numbered.clear(), *numbered.partition_by("thread")], rechunk=True)["number"]
