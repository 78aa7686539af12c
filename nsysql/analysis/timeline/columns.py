"""A timeline in so many columns: how much of each is covered, and by what most."""

import polars as pl


def columns(events: pl.DataFrame, start_ns: int, end_ns: int, count: int) -> pl.DataFrame:
    """Of each track's lane the columns in which something ran: track, lane, column, share of it, style and name.

    Style and name are those that have most of the column. `events` do not overlap in a lane; those that are merged
    cover as much as took their time.
    """
    span = max(1, end_ns - start_ns)
    clipped = events.select(
        "track", "lane", "style", "name", covered=_covered(events),
        a=pl.col("start_ns").clip(start_ns, end_ns) - start_ns,
        b=pl.max_horizontal("end_ns", pl.col("start_ns") + 1).clip(start_ns, end_ns) - start_ns,
    ).filter(pl.col("b") > pl.col("a"))  # fmt: skip
    wide = [pl.col(name).cast(pl.Float64) * count / span for name in "ab"]
    placed = clipped.with_columns(from_column=wide[0], to_column=wide[1]).with_columns(
        column=pl.int_ranges(
            pl.col("from_column").floor().cast(pl.Int64).clip(0, count - 1),
            pl.col("to_column").ceil().cast(pl.Int64).clip(1, count),
        )
    )
    cells = placed.explode("column", empty_as_null=False).with_columns(
        share=(pl.min_horizontal("to_column", pl.col("column") + 1) - pl.max_horizontal("from_column", "column"))
        * pl.col("covered")
    )
    by_style = cells.group_by("track", "lane", "column", "style").agg(
        pl.col("share").sum(), name=pl.col("name").get(pl.col("share").arg_max())
    )
    order = by_style.sort("track", "lane", "column", "share", "style", descending=[False, False, False, True, False])
    return order.group_by("track", "lane", "column", maintain_order=True).agg(
        pl.col("share").sum().clip(0.0, 1.0), pl.col("style", "name").first()
    )


def _covered(events: pl.DataFrame) -> pl.Expr:
    """How much of its length something ran in each row."""
    if "busy_ns" not in events.columns:
        return pl.lit(1.0)
    length = pl.col("end_ns") - pl.col("start_ns")
    return pl.when(length > 0).then((pl.col("busy_ns") / length).clip(0.0, 1.0)).otherwise(1.0)
