"""The launches of each process in order of their call, and the GPU work of each."""

import polars as pl

from nsysql.compute.idle.activity import shrink_ints
from nsysql.compute.view_reader import ViewReader

VIEW = "_launched_symbol"
ORDER = ("process_id", "api_start_ns", "call_id", "symbol")


def launched_work(views: ViewReader) -> dict[int, pl.DataFrame]:
    """The rows of _launched_symbol by process, in order of call; the frames share their memory."""
    work = views(VIEW, narrow=shrink_ints, stream=True).sort(ORDER)
    own = work.select(pl.col("process_id").rle()).unnest("process_id")
    ends = own["len"].cum_sum().to_list()
    return {
        int(process_id): work.slice(end - length, length).drop("process_id")
        for process_id, length, end in zip(own["value"].to_list(), own["len"].to_list(), ends, strict=True)
    }


def launches(work: pl.DataFrame) -> pl.DataFrame:
    """The launches of a process, one row each; one that has several pieces of work has the least of their symbols."""
    is_first = (pl.col("call_id") != pl.col("call_id").shift()).fill_null(True)
    return work.filter(is_first).select("thread_id", "api_start_ns", "api_end_ns", "symbol", "is_run")
