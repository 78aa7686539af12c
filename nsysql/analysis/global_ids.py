"""Split the ids that nsys packs into one number, as in `queries/functions.sql`: for numbers, columns and series.

globalTid is the process's globalPid with the thread in its lowest 24 bits, and the pid in the 24 above them.
"""

from typing import TypeVar

import polars as pl

from nsysql.analysis.intervals import runs_of


def of_threads(rows: pl.DataFrame) -> dict[object, pl.DataFrame]:
    """Return the rows of each thread, without copying those that are contiguous; rows without a thread are left out."""
    if rows["thread_id"].rle().len() == rows["thread_id"].n_unique():
        return {thread: own for thread, own in runs_of(rows, "thread_id") if thread is not None}
    parts = rows.drop_nulls("thread_id").partition_by("thread_id", as_dict=True, maintain_order=True)
    return {thread: own for (thread,), own in parts.items()}


Id = TypeVar("Id", int, pl.Expr, pl.Series)
THREAD_BITS = 0xFFFFFF
PER_PROCESS = 2**24  # a globalTid divided by it numbers the process


def process_of(global_tid: Id) -> Id:
    """Return the globalPid of a globalTid."""
    return global_tid - tid_of(global_tid)


def pid_of(global_id: Id) -> Id:
    """Return the pid of a globalTid or a globalPid."""
    return (global_id // PER_PROCESS) & THREAD_BITS


def tid_of(global_tid: Id) -> Id:
    """Return the tid of a globalTid."""
    return global_tid & THREAD_BITS


def main_thread_of(global_pid: Id) -> Id:
    """Return the globalTid of a process's main thread, whose tid is the pid."""
    return global_pid | pid_of(global_pid)
