"""Where the boxes of a flame graph lie: stacks side by side, those that begin alike under one box."""

import polars as pl

SEMICOLON = ";"


def boxes(stacks: pl.DataFrame, least: float) -> pl.DataFrame:
    """A box per beginning of stacks (stack, value) that has `least` of the value: level, first, value, name, is_last.

    `first` is what lies left of it; `is_last` where a stack ends in it. In order of level and first.
    """
    order = pl.col("stack").str.replace_all(SEMICOLON, "\x00", literal=True)  # what begins alike stays together
    rows = stacks.sort(order).select(
        "value", first=pl.col("value").cum_sum() - pl.col("value"), parts=pl.col("stack").str.split(SEMICOLON)
    )
    found, level = [_level(rows, 0, least)], 0
    while found[-1].height:
        level += 1
        rows = rows.filter(pl.col("parts").list.len() > level)
        found.append(_level(rows, level, least))
    return pl.concat(found)


def _level(rows: pl.DataFrame, level: int, least: float) -> pl.DataFrame:
    begin = pl.col("parts").list.head(level + 1).list.join(SEMICOLON)
    grouped = rows.group_by(begin.alias("begin")).agg(
        pl.col("first").min(),
        pl.col("value").sum(),
        name=pl.col("parts").list.get(level).first(),
        is_last=(pl.col("parts").list.len() == level + 1).any(),
    )
    drawn = grouped.filter(pl.col("value") >= least).sort("first")
    return drawn.select(pl.lit(level, pl.Int64).alias("level"), "first", "value", "name", "is_last")
