"""The rows of the view _launch_extent, in less memory if every call has its own correlation id."""

import polars as pl

from nsysql.analysis.global_ids import PER_PROCESS
from nsysql.analysis.view_reader import ViewReader

WORK = "_launched_work"
IDS = 2**32  # number of possible correlation ids


def launching(view: ViewReader) -> tuple[pl.DataFrame, bool]:
    """The calls that launched GPU work, and whether calls of a process may share a correlation id.

    Without the nsys_ columns, which would equal the others, if each call launched one piece of work and none a graph.
    Work that several calls could have launched is paired with each of them, which can be very many pairs: if there are
    more pairs than pieces of work, the view is read already aggregated per call.
    """
    most = view.rows(WORK)
    work = view(WORK, narrow=with_short_ids, which=f"LIMIT {most + 1}")
    if work.height <= most:
        if not work["is_graph"].any() and not have_repeats(work):
            return work.drop("is_graph"), False
        calls = _summed(work)
        if not have_repeats(calls):
            return calls, False
    return view("_launch_extent", narrow=lambda calls: with_short_ids(calls.drop("launch"))), True


def by_call(work: pl.DataFrame) -> pl.DataFrame:
    """The calls of some rows of _launched_work, in the form of `launching`; they must include all work of each call."""
    is_alone = not work["is_graph"].any() and not work["row_id"].is_duplicated().any()
    return with_short_ids(work.drop("is_graph") if is_alone else _summed(work))


def have_repeats(calls: pl.DataFrame) -> bool:
    """Whether rows of a process share a correlation id; may be a false positive if ids have more than 32 bits."""
    ids = calls["correlation_id"]
    process = calls["thread_id"] // PER_PROCESS
    known = process.unique()
    if known.len() > 1:
        ids = process.replace_strict(known, pl.int_range(known.len(), eager=True), return_dtype=pl.Int64) * IDS + ids
    ids = ids.sort()  # takes less memory than n_unique()
    return bool((ids == ids.shift()).any())


def with_short_ids(calls: pl.DataFrame) -> pl.DataFrame:
    """The calls with row and correlation ids in the smallest integer types that fit."""
    return calls.with_columns(calls[name].shrink_dtype() for name in ("row_id", "correlation_id"))


def _summed(work: pl.DataFrame) -> pl.DataFrame:
    """The work summed per call, for calls with several pieces of work or a graph launch."""
    in_nsys = ~pl.col("is_graph")
    return work.group_by("row_id").agg(
        pl.col("thread_id", "call_ns", "return_ns", "correlation_id").first(),
        start_ns=pl.col("start_ns").min(),
        end_ns=pl.col("end_ns").max(),
        nsys_start_ns=pl.col("start_ns").filter(in_nsys).min(),
        nsys_end_ns=pl.col("end_ns").filter(in_nsys).max(),
    )
