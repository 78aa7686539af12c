"""NVTX ranges in blocks that fit the processor's cache: what lies in each other is in the same one."""

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

import polars as pl

BLOCK = 2**17  # ranges that a block has at least
Part = TypeVar("Part")
Made = TypeVar("Made")


def blocks(ranges: pl.DataFrame) -> Iterator[pl.Series]:
    """The numbers of the ranges of each block, in order of thread and start; at least one block.

    Threads are cut where none of their ranges is open.
    """
    numbers = pl.int_range(ranges.height, dtype=pl.UInt32, eager=True).alias("number")
    of_thread = ranges.select("thread_id", numbers).partition_by("thread_id", include_key=False)
    held = numbers.clear()
    for thread in of_thread:
        for piece in _pieces(ranges.select("start_ns", "end_ns"), thread["number"]):
            held = held.append(piece)
            if held.len() >= BLOCK:
                yield held
                held = numbers.clear()
    yield held


def slices(ranges: pl.DataFrame) -> Iterator[pl.DataFrame]:
    """The ranges as they stand, so many at a time; at least one slice."""
    yield from ranges.iter_slices(BLOCK) if ranges.height else [ranges]


def side_by_side(work: Callable[[Part], Made], parts: Iterable[Part]) -> list[Made]:
    """What `work` makes of each part, in their order, by as many threads as polars has."""
    with ThreadPoolExecutor(pl.thread_pool_size()) as pool:
        return list(pool.map(work, parts))


def _pieces(times: pl.DataFrame, numbers: pl.Series) -> Iterator[pl.Series]:
    """The ranges of a thread in order of start, cut at the first place after each BLOCK where all before have ended."""
    start = times["start_ns"].gather(numbers)
    if not start.is_sorted():
        order = start.to_frame().select(pl.arg_sort_by("start_ns", maintain_order=True)).to_series()
        numbers, start = numbers.gather(order), start.gather(order)
    if numbers.len() <= BLOCK:
        yield numbers
        return
    reach = times["end_ns"].gather(numbers).cum_max().shift()
    free = ((start > reach) & (start > start.shift())).arg_true()  # an end can lie before its start
    full = free.search_sorted(pl.int_range(BLOCK, numbers.len(), BLOCK, eager=True))
    cuts = free.gather(full.filter(full < free.len())).unique().sort().to_list()
    for first, end in zip([0, *cuts], [*cuts, numbers.len()], strict=True):
        yield numbers.slice(first, end - first)
