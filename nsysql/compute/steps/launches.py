"""The launches of each process in order of their call, and the GPU work of each."""

import polars as pl

from nsysql.compute.idle.activity import shrink_ints
from nsysql.compute.view_reader import ViewReader

VIEW = "_launched_symbol"
ORDER = ("process_id", "api_start_ns", "call_id", "symbol")


def launched_work(views: ViewReader) -> pl.DataFrame:
    """The rows of _launched_symbol in order of process and call."""
    return views(VIEW, narrow=shrink_ints).sort(ORDER)


def launches(work: pl.DataFrame) -> pl.DataFrame:
    """The launches of a process, one row each; one that has several pieces of work has the least of their symbols."""
    is_first = (pl.col("call_id") != pl.col("call_id").shift()).fill_null(True)
    return work.filter(is_first).select("thread_id", "api_start_ns", "api_end_ns", "symbol", "is_run")
