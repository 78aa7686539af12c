"""Rows of threads with the Python stack that their thread had then."""

import polars as pl

from nsysql.compute.intervals import overlaps, winners

STACK = "stack_number"


def stacks_at(rows: pl.DataFrame, time: str, stretches: pl.DataFrame) -> pl.Series:
    """The number of the stack of each row's thread_id at its time; NULL where no sample is near."""
    if stretches.is_empty() or rows.is_empty():
        return pl.repeat(None, rows.height, dtype=pl.Int64, eager=True).alias(STACK)
    asked = rows.select(pl.col("thread_id").cast(pl.Int64), at=pl.col(time).cast(pl.Int64)).with_row_index("row")
    held = stretches.select("thread_id", "end_ns", STACK, at="start_ns").sort("at")
    found = asked.sort("at").join_asof(held, on="at", by="thread_id", check_sortedness=False).sort("row")
    return found.select(pl.when(pl.col("at") < pl.col("end_ns")).then(STACK)).to_series()


def cut_by_stack(pieces: pl.DataFrame, stretches: pl.DataFrame) -> pl.DataFrame:
    """Pieces (thread_id, start_ns, end_ns and more) cut where the stack of their thread changes, with its number."""
    threads = stretches["thread_id"].unique().implode()
    is_near = pl.col("thread_id").is_in(threads)
    near = pieces.filter(is_near).with_row_index("interval")
    rest = pieces.filter(~is_near.fill_null(False)).with_columns(pl.lit(None, pl.Int64).alias(STACK))
    if near.is_empty():
        return rest
    pairs = overlaps(
        near.select("interval", "thread_id", "start_ns", "end_ns").rename({"thread_id": "key"}),
        stretches.select("start_ns", "end_ns", key="thread_id").with_row_index("row"),
    )
    claims = pairs.hstack(stretches.select("start_ns", "end_ns")[pairs["row"]]).select(
        "interval", "start_ns", "end_ns", "row"
    )
    cut = winners(near.select("interval", "start_ns", "end_ns"), claims, [("start_ns", False), ("row", False)])
    numbers = stretches[STACK].gather(claims["row"])
    parts = cut.with_columns(numbers.gather(cut["claim"]).alias(STACK)).join(
        near.drop("start_ns", "end_ns"), on="interval", maintain_order="left"
    )
    return pl.concat([rest, parts.select(rest.columns)], how="vertical_relaxed")
