"""Steps of several blocks: blocks of launches whose periods differ in turn, as 75 ms, 1.2 ms, 75 ms, 1.2 ms."""

from typing import Any

import polars as pl

MOST = 8  # blocks of a step
LEAST = 4  # steps that must be seen
LIKE = 0.25  # share of their median by which the periods of one place in the step may differ
SHARE = 0.9  # share of the periods that must be like the median of their place
USUAL = 0.8  # share of the periods like the median of all from which the others are slow steps and no turn


def blocks_of_step(periods: pl.Series) -> int:
    """How many consecutive blocks are one step, from their periods in order; 1 if periods do not differ in turn.

    >>> blocks_of_step(pl.Series([75, 1, 76, 1, 75, 1, 74, 1])), blocks_of_step(pl.Series([10, 11, 10, 10, 11] * 9))
    (2, 1)
    """
    if periods.len() < 2 * LEAST or _share_like(periods, 1) >= USUAL:
        return 1
    counts = range(2, min(MOST, periods.len() // LEAST) + 1)
    return next((count for count in counts if _share_like(periods, count) >= SHARE), 1)


def _share_like(periods: pl.Series, count: int) -> float:
    """The share of the periods that are like the median of those with the same place among `count` blocks."""
    placed = pl.DataFrame({"period": periods}).with_columns(place=pl.int_range(pl.len()) % count)
    median = pl.col("period").median().over("place")
    return float(placed.select(((pl.col("period") - median).abs() <= LIKE * median).mean()).item() or 0)


def together(marks: pl.DataFrame, count: int) -> pl.DataFrame:
    """The marks of steps that consist of `count` blocks each; a last one with fewer is not complete."""
    first: dict[str, Any] = {name: pl.col(name).first() for name in ("cpu_start_ns", "first_launch")}
    last: dict[str, Any] = {name: pl.col(name).last() for name in ("cpu_end_ns", "end_launch")}
    steps = marks.group_by(pl.int_range(pl.len()) // count, maintain_order=True).agg(
        **first,
        **last,
        is_complete=pl.col("is_complete").all() & (pl.len() == count),
        is_equal=pl.col("is_equal").all() & (pl.len() == count),
        is_alike=pl.col("is_alike").all() & (pl.len() == count),
    )
    return steps.select(marks.columns).cast(marks.schema)
