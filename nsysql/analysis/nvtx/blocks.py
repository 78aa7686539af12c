"""Split NVTX ranges into blocks that fit the processor's cache; nested ranges are always in the same block.

If there are too many for memory, DuckDB first sorts them on disk; then each block is read when it is iterated.
"""

from collections.abc import Callable, Iterable, Iterator

import polars as pl

from nsysql.analysis.intervals import free_places
from nsysql.analysis.view_reader import ViewReader

BYTES_PER_RANGE = 50  # bytes per NVTX row; if all exceed the memory budget, ranges are read from disk in blocks
BLOCK = 2**17  # ranges in a block, plus those up to the next possible cut
CHUNK = 2**20  # rows searched for cuts at a time
RANGES = "_nvtx_named_range"
NO_EARLIER = pl.max_horizontal("start_ns", "end_ns")  # the end of a range, never before its start


def named_ranges(view: ViewReader, chosen: Callable[[pl.DataFrame], pl.DataFrame] = pl.DataFrame) -> pl.DataFrame:
    """Return the rows of _nvtx_named_range, each batch filtered by `chosen`; the view is large and its names repeat."""
    return view(RANGES, narrow=lambda ranges: chosen(with_short_names(ranges)), stream=True)


def with_short_names(ranges: pl.DataFrame) -> pl.DataFrame:
    """Return the ranges with categorical names, and row_id in 32 bits if it fits."""
    fits = ranges["row_id"].is_between(0, 2**32 - 1).all()
    return ranges.cast({"name": pl.Categorical, "row_id": pl.UInt32 if fits else pl.Int64})


class OnDisk:
    """Blocks of a view's ranges, each read when it is iterated; `narrow` shrinks each block.

    `bounds` has one row per block, in order of thread and start: `first` and `end`, the half-open interval of its row
    indexes in the view; thread_id and start_ns of its first row.
    """

    def __init__(self, views: ViewReader, name: str, narrow: Callable[[pl.DataFrame], pl.DataFrame]) -> None:
        views.spill(name, "thread_id", "start_ns")
        self._views, self._name, self._narrow = views, name, narrow
        self.bounds = bounds(chunks(views, name, "thread_id", "start_ns", "end_ns"))

    def __iter__(self) -> Iterator[pl.DataFrame]:
        return map(self.read, range(self.bounds.height))

    def read(self, number: int, *columns: str) -> pl.DataFrame:
        """Read the block with this number in `bounds`, all columns or some."""
        first, end = self.bounds.select("first", "end").row(number)
        rows = self._views.read_spilled(self._name, first, end, *columns)
        return rows if columns else self._narrow(rows)


def is_large(views: ViewReader, name: str) -> bool:
    """Tell whether a view has too many ranges for the memory budget."""
    return views.rows(name) * BYTES_PER_RANGE > views.memory_budget


def chunks(views: ViewReader, name: str, *columns: str) -> Iterator[pl.DataFrame]:
    """Yield these columns of a spilled view in frames of CHUNK rows; at least one frame."""
    first = 0
    while (chunk := views.read_spilled(name, first, first + CHUNK, *columns)).height or not first:
        yield chunk
        first += CHUNK


def bounds(ranges: Iterable[pl.DataFrame]) -> pl.DataFrame:
    """Return the bounds of blocks (see OnDisk) for ranges in order of thread and start that come in chunks."""
    firsts, read, before, rows = [0], 0, pl.DataFrame(), []
    for chunk in ranges:
        known = pl.concat([before, chunk])
        free = free_places(known, "thread_id") + (read - before.height)
        while (place := free.search_sorted(firsts[-1] + BLOCK)) < free.len():
            firsts.append(free[place])
        numbered = chunk.select(pl.int_range(read, read + pl.len()).alias("first"), "thread_id", "start_ns")
        rows.append(numbered.filter(pl.col("first").is_in(firsts)))
        read += chunk.height
        last = known.filter(pl.col("thread_id").eq_missing(known["thread_id"].last()))
        before = last.select(pl.col("thread_id", "start_ns").last(), pl.col("end_ns").max())
    limits = pl.DataFrame({"first": firsts, "end": [*firsts[1:], read]})
    return limits.join(pl.concat(rows), on="first", how="left", maintain_order="left")


def blocks(ranges: pl.DataFrame) -> Iterator[pl.DataFrame]:
    """Yield the ranges of each block, in order of thread and start; at least one block.

    Cuts are between threads, and where no range of the thread is open.
    """
    order = in_order(ranges)
    placed = ranges.select("thread_id", "start_ns", "end_ns")[order]
    for first, end in bounds([placed]).select("first", "end").rows():
        yield ranges[order.slice(first, end - first)]


def in_order(ranges: pl.DataFrame) -> pl.Series:
    """Return row indexes sorted by thread and start; sorts by start only if rows of a thread are not in order."""
    order = _by_thread(ranges["thread_id"])
    placed = ranges.select("thread_id", "start_ns")[order]
    same = pl.col("thread_id") == pl.col("thread_id").shift()
    if placed.select((same & (pl.col("start_ns") < pl.col("start_ns").shift())).any()).item():
        return order.gather(placed.select(pl.arg_sort_by("thread_id", "start_ns", maintain_order=True)).to_series())
    return order


def _by_thread(threads: pl.Series) -> pl.Series:
    """Return row indexes grouped by thread, in their original order."""
    numbered = threads.to_frame("thread").with_columns(number=pl.int_range(pl.len(), dtype=pl.UInt32))
    return pl.concat([numbered.clear(), *numbered.partition_by("thread")], rechunk=True)["number"]
