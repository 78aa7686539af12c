"""NVTX ranges in blocks that fit the processor's cache: what lies in each other is in the same one."""

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

import polars as pl

BLOCK = 2**17  # ranges that a block has, and those up to the next cut
Part = TypeVar("Part")
Made = TypeVar("Made")


def blocks(ranges: pl.DataFrame) -> Iterator[pl.Series]:
    """The numbers of the ranges of each block, in order of thread and start; at least one block.

    Cuts lie between threads, and where no range of the thread is open.
    """
    order = _by_thread(ranges["thread_id"])
    placed = ranges.select("thread_id", "start_ns", "end_ns")[order]
    same = pl.col("thread_id") == pl.col("thread_id").shift()
    start, before = pl.col("start_ns"), pl.col("start_ns").shift()
    if placed.select((same & (start < before)).any()).item():
        sorting = placed.select(pl.arg_sort_by("thread_id", "start_ns", maintain_order=True)).to_series()
        order, placed = order.gather(sorting), placed[sorting]
    reach = pl.col("end_ns").cum_max().over("thread_id").shift()
    apart = (start > reach) & (start > before)  # an end can lie before its start
    free = placed.select((~same | apart).arg_true()).to_series()
    full = free.search_sorted(pl.int_range(BLOCK, order.len(), BLOCK, eager=True))
    cuts = free.gather(full.filter(full < free.len())).unique().sort().to_list()
    for first, end in zip([0, *cuts], [*cuts, order.len()], strict=True):
        yield order.slice(first, end - first)


def slices(ranges: pl.DataFrame) -> Iterator[pl.DataFrame]:
    """The ranges as they stand, so many at a time; at least one slice."""
    yield from ranges.iter_slices(BLOCK) if ranges.height else [ranges]


def side_by_side(work: Callable[[Part], Made], parts: Iterable[Part]) -> list[Made]:
    """What `work` makes of each part, in their order, by as many threads as polars has."""
    with ThreadPoolExecutor(pl.thread_pool_size()) as pool:
        return list(pool.map(work, parts))


def _by_thread(threads: pl.Series) -> pl.Series:
    """The numbers of the rows, those of a thread together and in their order."""
    numbered = threads.to_frame("thread").with_columns(number=pl.int_range(pl.len(), dtype=pl.UInt32))
    return pl.concat([numbered.clear(), *numbered.partition_by("thread")], rechunk=True)["number"]
