"""The rows of the view nvtx_launching, in less memory, where every call has a correlation id of its own."""

from collections.abc import Callable

import polars as pl

PROCESS = 2**24  # what a thread id has below that of its process
IDS = 2**32  # correlation ids that there are


def launching(view: Callable[..., pl.DataFrame]) -> pl.DataFrame | None:
    """The calls that launched GPU work; None where two of a process share a correlation id.

    Without the columns named after nsys where each launched one piece of work, and none a graph run: they are the
    same as the others.
    """
    work = view("nvtx_launched_work", narrow=with_short_ids)
    if not work["is_graph"].any() and not have_repeats(work):
        return work.drop("is_graph")
    calls = _summed(work)
    return None if have_repeats(calls) else calls


def by_call(work: pl.DataFrame) -> pl.DataFrame:
    """The calls of some rows of nvtx_launched_work, as `launching` has them; each call's work must be among them."""
    is_alone = not work["is_graph"].any() and not work["row_id"].is_duplicated().any()
    return with_short_ids(work.drop("is_graph") if is_alone else _summed(work))


def have_repeats(calls: pl.DataFrame) -> bool:
    """Whether rows of a process share a correlation id; it can be true also where ids are of more than 32 bits."""
    ids = calls["correlation_id"]
    process = calls["thread_id"] // PROCESS
    known = process.unique()
    if known.len() > 1:
        ids = process.replace_strict(known, pl.int_range(known.len(), eager=True), return_dtype=pl.Int64) * IDS + ids
    ids = ids.sort()  # which takes less memory than n_unique()
    return bool((ids == ids.shift()).any())


def with_short_ids(calls: pl.DataFrame) -> pl.DataFrame:
    """Some calls with numbers of rows and correlation in as few bytes as they fit."""
    return calls.with_columns(calls[name].shrink_dtype() for name in ("row_id", "correlation_id"))


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
