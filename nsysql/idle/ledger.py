"""Gaps and their pieces: why each GPU was idle, nanosecond by nanosecond.

A gap ends because an activity starts, and that one was asked for by a launch on a thread. What the thread
did before the launch, the launch call itself, and what the GPU waited for after it are booked separately,
each stretch to the first cause that applies. No table is read twice, and no gap meets a row that does not
overlap it.
"""

from collections.abc import Callable

import polars as pl

from nsysql.idle.after_launch import after_launch
from nsysql.idle.before_launch import before_launch
from nsysql.idle.booking import CAUSE, SOURCE, is_cause
from nsysql.idle.gaps import find_gaps, in_gpu_order, launched, named
from nsysql.idle.in_launch import in_launch, without_launch


def compute(view: Callable[[str], pl.DataFrame]) -> dict[str, pl.DataFrame]:
    """The frames gpu_window_record, idle_gap_record and idle_piece_record, from the views named in their headers."""
    rows = (
        _narrow(view("thread_activity"), "name_id")
        .rename({"thread_id": "key"})
        .cast({"cause": CAUSE, "source": SOURCE})
    )
    activity = in_gpu_order(launched(_narrow(view("gpu_activity_record"), "detail_id", "short_name_id"), rows))
    rows = rows.drop("correlation_id")
    gaps = find_gaps(activity)
    activity = activity.drop(
        "kind", "detail_id", "row_id", "correlation_id", "is_pageable", "api_end_ns", "api_name_id"
    )
    before = before_launch(gaps, rows)
    rows = rows.filter(is_cause("profiler", "module_load", "blocked_launch"))  # few; all that the other pieces ask for
    pieces = pl.concat(
        [
            before,
            in_launch(gaps, activity, rows),
            after_launch(gaps, activity, rows, view),
            without_launch(gaps, rows),
        ]
    )
    of_gap = pieces["gap_id"] - 1
    return {
        "gpu_window_record": activity.group_by("gpu_id").agg(pl.col("start_ns").min(), pl.col("end_ns").max()),
        "idle_gap_record": named(gaps),
        "idle_piece_record": pieces.select(
            "gap_id",
            gaps["gpu_id"].gather(of_gap),
            "cause",
            "start_ns",
            "end_ns",
            gaps["thread_id"].gather(of_gap),
            evidence_table="source",
            evidence_row_id="row_id",
            evidence_name_id="name_id",
        ),
    }


def _narrow(frame: pl.DataFrame, *columns: str) -> pl.DataFrame:
    """The frame with those columns in 32 bits where their values fit: half the memory of a long table."""
    fits = [c for c in columns if frame[c].is_between(-(2**31), 2**31 - 1).all()]
    return frame.cast(dict.fromkeys(fits, pl.Int32))
