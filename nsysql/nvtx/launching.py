"""The rows of the view nvtx_launching, in less memory, where every call has a correlation id of its own."""

from collections.abc import Callable

import polars as pl

PROCESS = 2**24  # what a thread id has below that of its process
IDS = 2**32  # correlation ids that there are


def launching(view: Callable[[str], pl.DataFrame]) -> pl.DataFrame | None:
    """The calls that launched GPU work; None where two of a process share a correlation id."""
    work = view("nvtx_launched_work")
    work = work.with_columns(work["row_id"].shrink_dtype())
    is_plain = work["row_id"].n_unique() == work.height and not work["is_graph"].any()
    calls = _alike(work) if is_plain else _summed(work)
    processes = (calls["thread_id"] // PROCESS).rank("dense").cast(pl.Int64)
    return calls if (processes * IDS + calls["correlation_id"]).n_unique() == calls.height else None


def _alike(work: pl.DataFrame) -> pl.DataFrame:
    """The calls where each launched one piece of work, and none a graph run."""
    return work.drop("is_graph").with_columns(nsys_start_ns="start_ns", nsys_end_ns="end_ns")


def _summed(work: pl.DataFrame) -> pl.DataFrame:
    """The calls where one launched several pieces of work, or a graph run."""
    in_nsys = ~pl.col("is_graph")
    return work.group_by("row_id").agg(
        pl.col("thread_id", "call_ns", "return_ns", "correlation_id").first(),
        start_ns=pl.col("start_ns").min(),
        end_ns=pl.col("end_ns").max(),
        nsys_start_ns=pl.col("start_ns").filter(in_nsys).min(),
        nsys_end_ns=pl.col("end_ns").filter(in_nsys).max(),
    )
