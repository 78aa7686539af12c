"""NVTX ranges carried over to the GPU: the first start and the last end of what was launched in each.

Launching calls stand in order of thread and start; those that lie in a range follow each other. The least and
the greatest of so many stretches of one list come from a sparse table of which only one level is kept at a
time: what two overlapping stretches of 2, 4, 8 ... calls give.
"""

from collections.abc import Callable
from functools import partial

import polars as pl

from nsysql.nvtx.blocks import blocks, side_by_side, slices
from nsysql.nvtx.calls import Calls
from nsysql.nvtx.launching import launching
from nsysql.nvtx.nesting import nest_block, with_children
from nsysql.nvtx.ranges import NO_EARLIER, named_ranges

FIRST, LAST = ("start_ns", "nsys_start_ns"), ("end_ns", "nsys_end_ns")
OF_RANGE = {"range_start_ns": pl.col("start_ns"), "range_dur_ns": pl.col("end_ns") - pl.col("start_ns")}


def compute(view: Callable[[str], pl.DataFrame]) -> dict[str, pl.DataFrame]:
    """The frame nvtx_projection_record, from the views named in its header."""
    known = _known(view)
    if known is None:
        own = named_ranges(view).select(pl.col("row_id").cast(pl.Int64), "name", "is_push_pop", **OF_RANGE)
        known = _counted(view("nvtx_projection_joined").join(own, on="row_id", how="left"))
    return {"nvtx_projection_record": known}


def _known(view: Callable[[str], pl.DataFrame]) -> pl.DataFrame | None:
    """The same where calls of a thread follow each other and ranges nest, else None.

    What lies around a range that holds calls holds them too: the others need no place.
    """
    ranges, launches = named_ranges(view), launching(view)
    calls = None if launches is None else Calls(launches, ranges)
    del launches
    if calls is None or not calls.follow:
        return None
    held = pl.concat(side_by_side(partial(_held, calls), slices(ranges)))
    del ranges
    projected = side_by_side(partial(_project, calls.rows, held), blocks(held))
    del held
    known = [block for block in projected if block is not None]
    if len(known) < len(projected):
        return None
    outside = _outside(pl.concat(block.filter(level=0).select("low", "high") for block in known), calls.rows)
    return pl.concat([*(block.drop("low", "high") for block in known), outside], how="diagonal_relaxed")


def _held(calls: Calls, ranges: pl.DataFrame) -> pl.DataFrame:
    """The ranges that hold calls, from low to high."""
    inside = calls.within(ranges.with_columns(end_ns=NO_EARLIER))
    return ranges[inside["at"]].hstack(inside.select("low", "high"))


def _project(calls: pl.DataFrame, held: pl.DataFrame, block: pl.Series) -> pl.DataFrame | None:
    """The ranges of a block with their places and with what their calls launched; None where ranges cross."""
    nested = nest_block(held[block].with_columns(end_ns=NO_EARLIER, **OF_RANGE))
    if nested is None:
        return None
    first, end = nested.select(pl.col("low").min().fill_null(0), pl.col("high").max().fill_null(0)).row(0)
    near = calls.slice(first, end - first)
    sums = _sums(nested["low"] - first, nested["high"] - first, near)
    return _counted(nested.drop("start_ns", "end_ns").hstack(sums))


def _counted(found: pl.DataFrame) -> pl.DataFrame:
    """The ranges with num_child and nsys_num_child, the ranges among them that lie directly in each."""
    in_nsys = pl.col("nsys_end_ns").is_not_null() & ~pl.col("is_lost_by_nsys")
    return with_children(found, num_child=pl.len(), nsys_num_child=in_nsys.sum())


def _sums(low: pl.Series, high: pl.Series, calls: pl.DataFrame) -> pl.DataFrame:
    """What the calls of each range launched: start_ns, end_ns, num_gpu_ops and the same as nsys counts."""
    count = high.cast(pl.Int64) - low.cast(pl.Int64)
    first, last = (_extremes(calls[name], low, count, least=name == "start_ns") for name in (FIRST[0], LAST[0]))
    sums = {FIRST[0]: first, LAST[0]: last, "num_gpu_ops": high - low}
    if all(calls[own].equals(calls[nsys]) for own, nsys in (FIRST, LAST)):
        return pl.DataFrame({**sums, FIRST[1]: first, LAST[1]: last, "nsys_num_gpu_ops": high - low})
    counted = pl.Series([0]).append(calls[LAST[1]].is_not_null().cast(pl.Int64).cum_sum())
    return pl.DataFrame(
        {
            **sums,
            FIRST[1]: _extremes(calls[FIRST[1]], low, count, least=True),
            LAST[1]: _extremes(calls[LAST[1]], low, count, least=False),
            "nsys_num_gpu_ops": counted.gather(high) - counted.gather(low),
        }
    )


def _extremes(values: pl.Series, low: pl.Series, count: pl.Series, least: bool) -> pl.Series:
    """The least or greatest of `count` values from `low` on; NULLs are passed over."""
    better = pl.min_horizontal if least else pl.max_horizontal
    found = pl.repeat(None, count.len(), dtype=pl.Int64, eager=True)
    table, width = values.alias("table"), 1
    while True:
        of_width = ((count >= width) & (count < 2 * width)).arg_true()
        if not of_width.is_empty():
            begin = low.gather(of_width).cast(pl.Int64)
            end = begin + count.gather(of_width) - width
            best = pl.select(better(pl.lit(table.gather(begin)), pl.lit(table.gather(end)))).to_series()
            found = found.scatter(of_width, best)
        width *= 2
        if not (count >= width).any():
            return found
        shifted = table.shift(-(width // 2))
        table = pl.select(better(pl.lit(table), pl.lit(shifted))).to_series()


def _outside(top: pl.DataFrame, calls: pl.DataFrame) -> pl.DataFrame:
    """One row for the work launched in no range, if there is some; its thread is that of what ended last.

    `top` are the outermost ranges. Here alone calls of several processes meet, whose correlation ids can be equal:
    these count once, as in nsys.
    """
    at = pl.int_range(calls.height, eager=True)
    covered = top["low"].sort().search_sorted(at, side="right") > top["high"].sort().search_sorted(at, side="right")
    rest = calls.filter(~covered)
    order, down = ["correlation_id", "row_id"], [True, False, False]
    last = rest.sort(["end_ns", *order], descending=down)
    nsys = rest.drop_nulls("nsys_end_ns").sort(["nsys_end_ns", *order], descending=down)
    return rest.select(
        pl.col(FIRST).min(),
        pl.col(LAST).max(),
        num_gpu_ops=pl.col("correlation_id").n_unique().cast(pl.Int64),
        nsys_num_gpu_ops=pl.lit(nsys["correlation_id"].n_unique(), pl.Int64),
        outside_thread_id=pl.lit(last["thread_id"].first(), pl.Int64),
        nsys_outside_thread_id=pl.lit(nsys["thread_id"].first(), pl.Int64),
        is_repeat=pl.lit(False),
        is_lost_by_nsys=pl.lit(False),
    ).filter(pl.col("num_gpu_ops") > 0)
