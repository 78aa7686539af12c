"""Rows by the thread that they are of."""

import polars as pl


def of_threads(rows: pl.DataFrame) -> dict[object, pl.DataFrame]:
    """The rows of each thread; those of none are left out."""
    parts = rows.drop_nulls("thread_id").partition_by("thread_id", as_dict=True, maintain_order=True)
    return {thread: own for (thread,), own in parts.items()}
