"""NVTX ranges carried over to the GPU: the first start and the last end of what was launched in each.

Launching calls stand in order of thread and start; those that lie in a range follow each other. The least and
the greatest of so many stretches of one list come from a sparse table of which only one level is kept at a
time: what two overlapping stretches of 2, 4, 8 ... calls give.
"""

from collections.abc import Callable

import polars as pl

from nsysql.nvtx.calls import calls_within

FIRST, LAST = ("start_ns", "nsys_start_ns"), ("end_ns", "nsys_end_ns")


def compute(view: Callable[[str], pl.DataFrame]) -> dict[str, pl.DataFrame]:
    """The frame nvtx_projection_record, from the views named in its header."""
    ranges = view("nvtx_range_parent")
    launching = view("nvtx_launching")
    held = calls_within(ranges, launching)
    if held is None or launching["launch"].n_unique() < launching.height:  # calls lie in each other, or share an id
        return {"nvtx_projection_record": view("nvtx_projection_joined")}
    inside, calls = held
    sums = _sums(inside, calls)
    known = ranges.drop("start_ns", "end_ns")[inside["at"]].hstack(sums)
    outside = _outside(known, inside, calls)
    return {"nvtx_projection_record": pl.concat([known, outside], how="diagonal")}


def _sums(inside: pl.DataFrame, calls: pl.DataFrame) -> pl.DataFrame:
    """What the calls of each range launched: start_ns, end_ns, num_gpu_ops and the same as nsys counts."""
    count = inside["high"].cast(pl.Int64) - inside["low"].cast(pl.Int64)
    counted = pl.Series([0]).append(calls["nsys_end_ns"].is_not_null().cast(pl.Int64).cum_sum())
    return pl.DataFrame(
        {
            **{name: _extremes(calls[name], inside["low"], count, least=True) for name in FIRST},
            **{name: _extremes(calls[name], inside["low"], count, least=False) for name in LAST},
            "num_gpu_ops": count,
            "nsys_num_gpu_ops": counted.gather(inside["high"]) - counted.gather(inside["low"]),
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


def _outside(known: pl.DataFrame, inside: pl.DataFrame, calls: pl.DataFrame) -> pl.DataFrame:
    """One row for the work launched in no range, if there is some; its thread is that of what ended last.

    Here alone calls of several processes meet, whose correlation ids can be equal: these count once, as in nsys.
    """
    top = inside.filter(known["level"] == 0)
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
