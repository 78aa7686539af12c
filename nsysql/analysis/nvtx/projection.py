"""Project NVTX ranges to the GPU: from the first start to the last end of the work launched in each.

Launch calls are sorted by thread and start, so the calls in a range are contiguous. Minima and maxima over many
intervals of one list come from a sparse table, of which only one level (intervals of 2, 4, 8 ... calls) is in memory at
a time; two overlapping intervals of a level cover a range.
"""

from collections.abc import Iterator

import polars as pl

from nsysql.analysis.global_ids import PER_PROCESS
from nsysql.analysis.nvtx.blocks import NO_EARLIER, named_ranges
from nsysql.analysis.nvtx.launches import InMemory, RangeBlock, have_repeats, ranges_with_launches_in
from nsysql.analysis.nvtx.nesting import nest_block, with_children
from nsysql.analysis.parallel import parallel_map
from nsysql.analysis.view_reader import ViewReader, reads


def distinct(values: pl.Series, low: pl.Series, high: pl.Series) -> pl.Series:
    """Count the distinct values, without NULL, in each interval [low, high) of positions.

    The first of equal values in an interval counts: the one whose previous occurrence, if any, is before low.
    """
    placed = values.to_frame("value").with_columns(place=pl.int_range(pl.len())).drop_nulls("value")
    again = placed.with_columns(before=pl.col("place").shift().over("value")).drop_nulls("before")
    known = pl.Series([0]).append(values.is_not_null().cast(pl.Int64).cum_sum())
    uncounted = at_least(again["before"], again["place"].search_sorted(high, side="left"), low)
    return (known.gather(high) - known.gather(low) - uncounted).cast(pl.UInt32)


def at_least(values: pl.Series, ends: pl.Series, least: pl.Series) -> pl.Series:
    """Count for each pair (end, least) how many of the first `end` values are >= `least`; no value is negative.

    A wavelet matrix: for each bit, from the highest, the values are stably partitioned by it. Values that agree with
    `least` in the bits so far are contiguous; those of them with the bit set where `least` has it clear are greater.
    """
    first = pl.repeat(0, ends.len(), dtype=pl.Int64, eager=True)
    last, least, place = ends.cast(pl.Int64), least.cast(pl.Int64), first
    highest = max((top for one in (values, least) if isinstance(top := one.max(), int)), default=0)
    for bit in reversed(range(highest.bit_length())):
        has = values // 2**bit % 2 == 1
        without = pl.Series([0]).append((~has).cast(pl.Int64).cum_sum())  # before each position
        left, right = without.gather(first), without.gather(last)
        bit_of_least = least // 2**bit % 2
        place += (1 - bit_of_least) * ((last - first) - (right - left))
        first = left + bit_of_least * (without[-1] + first - 2 * left)
        last = right + bit_of_least * (without[-1] + last - 2 * right)
        values = values.filter(~has).append(values.filter(has))
    return place + (last - first)


RECORD = "_nvtx_projection"
FIRST, LAST = ("start_ns", "nsys_start_ns"), ("end_ns", "nsys_end_ns")
OF_RANGE = {"range_start_ns": pl.col("start_ns"), "range_dur_ns": pl.col("end_ns") - pl.col("start_ns")}


@reads(
    "_nvtx_named_range", "_launched_work", "_launch_extent", "_ambiguous_correlation_id", "_nvtx_projection_fallback"
)
def projections(view: ViewReader) -> Iterator[dict[str, pl.DataFrame]]:
    """Compute the frame _nvtx_projection; in parts if it is large."""
    blocks = ranges_with_launches_in(view)
    if blocks is None:
        own = named_ranges(view).select(pl.col("row_id").cast(pl.Int64), "name", "is_push_pop", **OF_RANGE)
        # joins every call with every range around it
        yield {RECORD: _counted(view("_nvtx_projection_fallback").join(own, on="row_id", how="left"))}
        return
    outside, is_whole = _outside(blocks.outside), isinstance(blocks, InMemory)
    projected = parallel_map(_projected, blocks)
    del blocks
    for some in [pl.concat(projected, how="diagonal_relaxed")] if is_whole else projected:
        yield {RECORD: pl.concat([outside, some], how="diagonal_relaxed")}
        outside = outside.clear()


def _as_in_nsys(calls: pl.DataFrame) -> pl.DataFrame:
    """Add their nsys_ columns, which are absent if they equal the others, to the calls."""
    return calls.with_columns(**{nsys: own for own, nsys in (FIRST, LAST) if nsys not in calls.columns})


def _projected(block: RangeBlock) -> pl.DataFrame:
    """Add nesting and the extent of their launched work to the ranges of a block."""
    nested = nest_block(block.ranges.with_columns(end_ns=NO_EARLIER, **OF_RANGE))
    first, end = nested.select(pl.col("low").min().fill_null(0), pl.col("high").max().fill_null(0)).row(0)
    calls = _as_in_nsys(block.calls).slice(first, end - first)
    sums = _sums(nested["low"] - first, nested["high"] - first, calls)
    if block.is_shared:
        sums = sums.with_columns(_ids(nested["low"] - first, nested["high"] - first, calls))
    return _counted(nested.drop("start_ns", "end_ns", "low", "high").hstack(sums)).drop("parent_at", strict=False)


def _counted(ranges: pl.DataFrame) -> pl.DataFrame:
    """Add num_child and nsys_num_child, the number of their direct children, to the ranges."""
    in_nsys = pl.col("nsys_end_ns").is_not_null()
    ranges = with_children(ranges, num_child=pl.len(), nsys_num_child=(in_nsys & ~pl.col("is_lost_by_nsys")).sum())
    if not ranges["is_lost_by_nsys"].any():
        return ranges
    children = _lost_parents(ranges.filter(in_nsys & pl.col("is_lost_by_nsys")), ranges.filter("is_repeat"))
    ranges = ranges.join(children.group_by("row_id").len("lost"), on="row_id", how="left", maintain_order="left")
    count = pl.when("is_lost_by_nsys").then("lost").otherwise("nsys_num_child")
    return ranges.with_columns(nsys_num_child=count).drop("lost")


def _lost_parents(lost: pl.DataFrame, repeats: pl.DataFrame) -> pl.DataFrame:
    """Return the range that NVIDIA reports as the parent of each of these ranges: row_id.

    NVIDIA takes ranges with equal start and end for each other's parents, and the first one for the parent of the
    ranges nested in them.
    """
    within = repeats.select(row_id="parent_row_id", repeated="row_id")
    around = repeats.select(parent_row_id="row_id", first="parent_row_id")
    placed = lost.join(within, on="row_id", how="left").join(around, on="parent_row_id", how="left")
    own = pl.when("is_repeat").then("parent_row_id")
    return placed.select(row_id=pl.coalesce(own, "repeated", "first", "parent_row_id"))


def _sums(low: pl.Series, high: pl.Series, calls: pl.DataFrame) -> pl.DataFrame:
    """Sum the work launched in each range: start_ns, end_ns, num_gpu_ops, and the same as nsys counts."""
    count = high.cast(pl.Int64) - low.cast(pl.Int64)
    first, last = (_extremes(calls[name], low, count, least=name == "start_ns") for name in (FIRST[0], LAST[0]))
    sums = {FIRST[0]: first, LAST[0]: last, "num_gpu_ops": high - low}
    if all(calls[own].equals(calls[nsys]) for own, nsys in (FIRST, LAST)):
        return pl.DataFrame({**sums, FIRST[1]: first, LAST[1]: last, "nsys_num_gpu_ops": high - low})
    counted = pl.Series([0]).append(calls[LAST[1]].is_not_null().cast(pl.Int64).cum_sum())
    first, last = (_extremes(calls[name], low, count, least=name == FIRST[1]) for name in (FIRST[1], LAST[1]))
    of_nsys = (counted.gather(high) - counted.gather(low)).cast(pl.UInt32)
    return pl.DataFrame({**sums, FIRST[1]: first, LAST[1]: last, "nsys_num_gpu_ops": of_nsys})


def _ids(low: pl.Series, high: pl.Series, calls: pl.DataFrame) -> list[pl.Series]:
    """Count the distinct correlation ids in each range: num_gpu_ops, and the same as nsys counts."""
    in_nsys = pl.when(pl.col(LAST[1]).is_not_null()).then("correlation_id")
    counted = {"num_gpu_ops": calls["correlation_id"], "nsys_num_gpu_ops": calls.select(in_nsys).to_series()}
    return [distinct(ids, low, high).alias(name) for name, ids in counted.items()]


def _extremes(values: pl.Series, low: pl.Series, count: pl.Series, least: bool) -> pl.Series:
    """Return the least or greatest of `count` values from `low` on, ignoring NULL."""
    better = pl.min_horizontal if least else pl.max_horizontal
    extremes = pl.repeat(None, count.len(), dtype=pl.Int64, eager=True)
    table, width = values.alias("table"), 1
    while True:
        of_width = ((count >= width) & (count < 2 * width)).arg_true()
        if not of_width.is_empty():
            begin = low.gather(of_width).cast(pl.Int64)
            end = begin + count.gather(of_width) - width
            best = pl.select(better(pl.lit(table.gather(begin)), pl.lit(table.gather(end)))).to_series()
            extremes = extremes.scatter(of_width, best)
        width *= 2
        if not (count >= width).any():
            return extremes
        shifted = table.shift(-(width // 2))
        table = pl.select(better(pl.lit(table), pl.lit(shifted))).to_series()


def _outside(calls: pl.DataFrame) -> pl.DataFrame:
    """Return one row for work launched outside all ranges, if any; its thread is that of the work that ended last.

    Only this row mixes processes, whose correlation ids can be equal: nsys counts these once.
    """
    rest = _as_in_nsys(calls)
    order, down = ["correlation_id", "row_id"], [True, False, False]
    last = rest.sort(["end_ns", *order], descending=down)
    nsys = rest.drop_nulls("nsys_end_ns").sort(["nsys_end_ns", *order], descending=down)
    launch = pl.struct(pl.col("thread_id") // PER_PROCESS, "correlation_id")
    number = launch.n_unique() if have_repeats(rest) else pl.len()
    return rest.select(
        pl.col(FIRST).min(),
        pl.col(LAST).max(),
        num_gpu_ops=number,
        nsys_num_gpu_ops=pl.lit(nsys["correlation_id"].n_unique(), pl.UInt32),
        outside_thread_id=pl.lit(last["thread_id"].first(), pl.Int64),
        nsys_outside_thread_id=pl.lit(nsys["thread_id"].first(), pl.Int64),
        is_repeat=pl.lit(False),
        is_lost_by_nsys=pl.lit(False),
    ).filter(pl.col("num_gpu_ops") > 0)
