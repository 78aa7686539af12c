"""Reduce values over time to fewer rows, or to the columns of a picture: lowest, highest and mean of merged values.

`values` has curve (its number), start_ns, end_ns (how long a value holds), low, high, mean, held_ns (the time that the
mean covers, without holes) and count (the number of values). The mean is weighted by time; values without duration
count for lowest and highest only, unless all are without.
"""

from collections.abc import Sequence

import polars as pl

VALUES = pl.Schema(
    {
        "curve": pl.UInt32(),
        "start_ns": pl.Int64(),
        "end_ns": pl.Int64(),
        "low": pl.Int64(),
        "high": pl.Int64(),
        "mean": pl.Float64(),
        "held_ns": pl.Int64(),
        "count": pl.UInt32(),
    }
)
COARSER = 4  # how much longer the parts get until the rows are few enough
_HELD = pl.col("held_ns").sum()
_MEAN = pl.when(_HELD > 0).then((pl.col("mean") * pl.col("held_ns")).sum() / _HELD).otherwise(pl.col("mean").mean())


def with_levels(
    values: pl.DataFrame, rows: int, part: int, exact: Sequence[tuple[int, int]] = ()
) -> tuple[pl.DataFrame, int]:
    """Merge short values until at most about `rows` are left, in order of curve and time; return the length used, too.

    `part` is the length in ns with which merging begins. Values in one of the intervals `exact` are kept as they are.
    """
    merged, used = values, 0
    span = 0 if values.is_empty() else int(values["end_ns"].max()) - int(values["start_ns"].min())  # type: ignore[arg-type]
    part = max(1, part)
    while merged.height > rows and used <= span:
        merged, used = merged_below(merged, part, exact), part
        part *= COARSER
    return merged.sort("curve", "start_ns", "end_ns"), used


def merged_below(values: pl.DataFrame, part: int, exact: Sequence[tuple[int, int]] = ()) -> pl.DataFrame:
    """Merge the values that hold for less than `part` ns and begin in the same part of that length."""
    inside = pl.lit(False)
    for start, end in exact:
        inside = inside | ((pl.col("start_ns") < end) & (pl.col("end_ns") > start))
    kept = inside | (pl.col("end_ns") - pl.col("start_ns") >= part)
    side = sum(((pl.col("start_ns") >= start).cast(pl.Int32) for start, _ in exact), start=pl.lit(0, pl.Int32))
    short = values.filter(~kept).with_columns(part=pl.col("start_ns") // part, side=side)
    sums = short.group_by("curve", "part", "side").agg(
        *(pl.col("start_ns").min(), pl.col("end_ns").max(), pl.col("low").min(), pl.col("high").max()),
        *(_MEAN.alias("mean"), _HELD, pl.col("count").sum()),
    )
    return pl.concat([values.filter(kept), sums.select(VALUES.names()).cast(VALUES)])


def columns(values: pl.DataFrame, start_ns: int, end_ns: int, count: int) -> pl.DataFrame:
    """Return the columns of each curve that have a value, in order: curve, column, low, high, mean."""
    span = max(1, end_ns - start_ns)
    from_, to = ((pl.col(name).clip(start_ns, end_ns) - start_ns) * (count / span) for name in ("start_ns", "end_ns"))
    first = pl.col("from").floor().cast(pl.Int64).clip(0, count - 1)
    last = pl.max_horizontal(pl.col("to").ceil().cast(pl.Int64).clip(1, count), first + 1)
    shown = values.filter((pl.col("end_ns") >= start_ns) & (pl.col("start_ns") <= end_ns))
    placed = shown.with_columns(**{"from": from_, "to": to}).with_columns(column=pl.int_ranges(first, last))
    cells = placed.explode("column", empty_as_null=False).with_columns(
        share=pl.min_horizontal("to", pl.col("column") + 1) - pl.max_horizontal("from", "column")
    )
    share = pl.col("share").sum()
    mean = (pl.col("mean") * pl.col("share")).sum() / share
    rows = cells.group_by("curve", "column").agg(
        pl.col("low").min(),
        pl.col("high").max(),
        mean=pl.when(share > 0).then(mean).otherwise(pl.col("mean").mean()),
    )
    return rows.sort("curve", "column")
