"""Extend samples to intervals: each moment belongs to the nearest sample of its thread, up to one sampling interval."""

import polars as pl


def stretches(samples: pl.DataFrame) -> pl.DataFrame:
    """The interval of each sample (thread_id, start_ns, place_number), in order: the same columns and end_ns.

    It reaches half way to the neighboring samples, at most the thread's median sampling interval; ties go to the
    earlier sample. Of several samples of a thread at one time the first counts. For a thread with one sample the median
    of all threads is used; without any, a sample covers its own moment only.
    """
    own = samples.drop_nulls("thread_id").unique(["thread_id", "start_ns"], keep="first", maintain_order=True)
    own = own.sort("thread_id", "start_ns")
    interval = pl.col("start_ns").diff().over("thread_id")
    reach = interval.median().over("thread_id").fill_null(interval.median()).fill_null(0).floor().cast(pl.Int64)
    middle = (pl.col("start_ns") + pl.col("start_ns").shift(-1).over("thread_id")).floordiv(2) + 1
    with_reach = own.with_columns(reach=reach, middle=middle)
    begin = pl.max_horizontal(pl.col("start_ns") - pl.col("reach"), pl.col("middle").shift(1).over("thread_id"))
    end = pl.min_horizontal(pl.col("start_ns") + pl.col("reach") + 1, "middle")
    return with_reach.with_columns(start_ns=begin, end_ns=end).drop("reach", "middle")


def borders(found: pl.DataFrame) -> pl.DataFrame:
    """Turn intervals without overlap into change points, from which on a place holds: thread_id, at, place_number.

    place_number is NULL where no place holds.
    """
    begin = found.select("thread_id", "place_number", at="start_ns", order=pl.lit(1))
    end = found.select("thread_id", at="end_ns", place_number=pl.lit(None, pl.Int64), order=pl.lit(0))
    both = pl.concat([begin, end], how="diagonal").sort("thread_id", "at", "order")
    return both.unique(["thread_id", "at"], keep="last", maintain_order=True).select("thread_id", "at", "place_number")
