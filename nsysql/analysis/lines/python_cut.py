"""Find the Python stack of a row's thread at the row's time."""

import polars as pl

from nsysql.analysis.intervals import overlaps, winners

STACK = "stack_number"


def stacks_at(rows: pl.DataFrame, time: str, stretches: pl.DataFrame) -> pl.Series:
    """The stack number of each row's thread_id at its time; NULL if no sample's interval covers it."""
    if stretches.is_empty() or rows.is_empty():
        return pl.repeat(None, rows.height, dtype=pl.Int64, eager=True).alias(STACK)
    times = rows.select(pl.col("thread_id").cast(pl.Int64), at=pl.col(time).cast(pl.Int64)).with_row_index("row")
    sampled = stretches.select("thread_id", "end_ns", STACK, at="start_ns").sort("at")
    found = times.sort("at").join_asof(sampled, on="at", by="thread_id", check_sortedness=False).sort("row")
    return found.select(pl.when(pl.col("at") < pl.col("end_ns")).then(STACK)).to_series()


def cut_by_stack(pieces: pl.DataFrame, stretches: pl.DataFrame) -> pl.DataFrame:
    """Split pieces (thread_id, start_ns, end_ns and more) where the stack of their thread changes; adds its number."""
    threads = stretches["thread_id"].unique().implode()
    is_sampled = pl.col("thread_id").is_in(threads)
    on_sampled = pieces.filter(is_sampled).with_row_index("interval")
    others = pieces.filter(~is_sampled.fill_null(False)).with_columns(pl.lit(None, pl.Int64).alias(STACK))
    if on_sampled.is_empty():
        return others
    pairs = overlaps(
        on_sampled.select("interval", "thread_id", "start_ns", "end_ns").rename({"thread_id": "key"}),
        stretches.select("start_ns", "end_ns", key="thread_id").with_row_index("row"),
    )
    claims = pairs.hstack(stretches.select("start_ns", "end_ns")[pairs["row"]]).select(
        "interval", "start_ns", "end_ns", "row"
    )
    cut = winners(on_sampled.select("interval", "start_ns", "end_ns"), claims, [("start_ns", False), ("row", False)])
    numbers = stretches[STACK].gather(claims["row"])
    parts = cut.with_columns(numbers.gather(cut["claim"]).alias(STACK)).join(
        on_sampled.drop("start_ns", "end_ns"), on="interval", maintain_order="left"
    )
    return pl.concat([others, parts.select(others.columns)], how="vertical_relaxed")
