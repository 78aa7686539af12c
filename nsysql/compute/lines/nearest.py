"""Samples as stretches of time: each moment belongs to the nearest sample of its thread, within one interval."""

import polars as pl


def stretches(samples: pl.DataFrame) -> pl.DataFrame:
    """The stretch of each sample (thread_id, start_ns, place_number), in order: the same with end_ns.

    Half of the way to its neighbours, at most the thread's median interval; of two that are equally near the earlier.
    Of samples of a thread at one time the first counts. Without two samples of a thread the interval is the median of
    all threads, else nothing: then a sample tells of its own moment only.
    """
    own = samples.drop_nulls("thread_id").unique(["thread_id", "start_ns"], keep="first", maintain_order=True)
    own = own.sort("thread_id", "start_ns")
    apart = pl.col("start_ns").diff().over("thread_id")
    reach = apart.median().over("thread_id").fill_null(apart.median()).fill_null(0).floor().cast(pl.Int64)
    middle = (pl.col("start_ns") + pl.col("start_ns").shift(-1).over("thread_id")).floordiv(2) + 1
    placed = own.with_columns(reach=reach, middle=middle)
    begin = pl.max_horizontal(pl.col("start_ns") - pl.col("reach"), pl.col("middle").shift(1).over("thread_id"))
    end = pl.min_horizontal(pl.col("start_ns") + pl.col("reach") + 1, "middle")
    return placed.with_columns(start_ns=begin, end_ns=end).drop("reach", "middle")


def borders(found: pl.DataFrame) -> pl.DataFrame:
    """Stretches of threads that do not overlap as times from which on a place holds: thread_id, at, place_number.

    NULL where none does.
    """
    begin = found.select("thread_id", "place_number", at="start_ns", order=pl.lit(1))
    end = found.select("thread_id", at="end_ns", place_number=pl.lit(None, pl.Int64), order=pl.lit(0))
    both = pl.concat([begin, end], how="diagonal").sort("thread_id", "at", "order")
    return both.unique(["thread_id", "at"], keep="last", maintain_order=True).select("thread_id", "at", "place_number")
