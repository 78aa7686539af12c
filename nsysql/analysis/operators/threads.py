"""Rows by the thread that they are of."""

import polars as pl


def of_threads(rows: pl.DataFrame) -> dict[object, pl.DataFrame]:
    """The rows of each thread, not copied where they follow each other; those of none are left out."""
    runs = rows["thread_id"].rle().struct.unnest()
    if not runs["value"].is_unique().all():
        parts = rows.drop_nulls("thread_id").partition_by("thread_id", as_dict=True, maintain_order=True)
        return {thread: own for (thread,), own in parts.items()}
    firsts = runs["len"].cum_sum() - runs["len"]
    rows_of = zip(runs["value"].to_list(), firsts.to_list(), runs["len"].to_list(), strict=True)
    return {thread: rows.slice(first, count) for thread, first, count in rows_of if thread is not None}
