"""Gaps and their pieces: why each GPU was idle, nanosecond by nanosecond.

A gap ends because an activity starts, and that one was asked for by a launch on a thread. What the thread
did before the launch, the launch call itself, and what the GPU waited for after it are booked separately,
each stretch to the first cause that applies. No table is read twice, and no gap meets a row that does not
overlap it.
"""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import polars as pl

from nsysql.idle.activity import narrow
from nsysql.idle.after_launch import after_launch
from nsysql.idle.before_launch import before_launch
from nsysql.idle.booking import CAUSE, RUNTIME, SOURCE, is_cause
from nsysql.idle.gaps import are_shared, find_gaps, launches, named, ties_in_order
from nsysql.idle.in_launch import in_launch, without_launch

SHARED = ("profiler", "module_load")  # causes that can stand in more than one part of a gap


def compute(view: Callable[[str], pl.DataFrame]) -> dict[str, pl.DataFrame]:
    """The frames of the views that name this module, from the views named in their headers.

    One of them is given along: all calls have been read for the others.
    """
    rows = narrow(view("thread_activity")).rename({"thread_id": "key"}).cast({"cause": CAUSE, "source": SOURCE})
    work = view("gpu_activity_record")
    call = launches(work, rows)
    activity = ties_in_order(work.with_columns(call, are_shared(call, rows.height)), rows).drop("correlation_id")
    rows = rows.drop("correlation_id")
    gaps = find_gaps(activity, rows)
    pieces = _pieces(gaps, activity, rows, view)
    of_gap = pieces["gap_id"]
    return {
        "gpu_window_record": activity.group_by("gpu_id").agg(pl.col("start_ns").min(), pl.col("end_ns").max()),
        "run_launch_record": _run_launches(activity, rows),
        "idle_gap_record": named(gaps, activity, rows).with_columns(main_cause=_main_causes(gaps, pieces)),
        "idle_piece_record": pieces.select(
            pl.col("gap_id") + 1,
            gaps["gpu_id"].gather(of_gap),
            "cause",
            "start_ns",
            "end_ns",
            gaps["thread_id"].gather(of_gap),
            evidence_table="source",
            evidence_row_id="row_id",
            evidence_name_id="name_id",
            is_first=_are_first(pieces),
        ),
        "call_time": _calls(rows),
    }


def _calls(rows: pl.DataFrame) -> pl.DataFrame:
    """The CUDA API calls among the rows, as in call_time."""
    return rows.filter(pl.col("source") == RUNTIME).select("start_ns", "end_ns", "name_id", thread_id="key")


def _pieces(
    gaps: pl.DataFrame, activity: pl.DataFrame, rows: pl.DataFrame, view: Callable[[str], pl.DataFrame]
) -> pl.DataFrame:
    """The pieces of all gaps; what stands before the launch is booked beside the rest, which takes as long."""
    claims = rows.filter(is_cause("profiler", "module_load", "blocked_launch"))  # few; all that the rest asks for
    with ThreadPoolExecutor(1) as pool:
        before = pool.submit(before_launch, gaps, activity, rows)
        rest = [
            in_launch(gaps, activity, rows, claims),
            after_launch(gaps, activity, rows, claims, view),
            without_launch(gaps, activity, claims),
        ]
        return pl.concat([before.result(), *rest])


def _run_launches(activity: pl.DataFrame, rows: pl.DataFrame) -> pl.DataFrame:
    """The kernels and graph runs with their calls, as in run_launch_record."""
    runs = activity.filter(pl.col("kind").is_in(["kernel", "graph"])).select(
        "gpu_id", "start_ns", "end_ns", "call", "is_shared"
    )
    return runs.with_columns(
        api_start_ns=rows["start_ns"].gather(runs["call"]), api_end_ns=rows["end_ns"].gather(runs["call"])
    )


def _main_causes(gaps: pl.DataFrame, pieces: pl.DataFrame) -> pl.Series:
    """The cause with most nanoseconds of each gap; of equals the first in the list of causes.

    A piece that is longer than half of its gap decides; only where none is, pieces are added up.
    """
    length = (gaps["end_ns"] - gaps["start_ns"]).gather(pieces["gap_id"])
    most = pieces.select("gap_id", "cause", decides=(pl.col("end_ns") - pl.col("start_ns")) * 2 > length)
    decided = most.filter("decides")
    code = pl.repeat(None, gaps.height, dtype=pl.UInt8, eager=True)
    code = code.scatter(decided["gap_id"], decided["cause"].to_physical().cast(pl.UInt8))
    open_gaps = code.is_null().arg_true()
    added = (
        pieces.filter(pl.col("gap_id").is_in(open_gaps.implode()))
        .group_by("gap_id", "cause")
        .agg(idle_ns=(pl.col("end_ns") - pl.col("start_ns")).sum())
        .sort("gap_id", "idle_ns", "cause", descending=[False, True, False])
        .unique("gap_id", keep="first")
    )
    code = code.scatter(added["gap_id"], added["cause"].to_physical().cast(pl.UInt8))
    return pl.Series(CAUSE.categories).cast(CAUSE).gather(code)


def _are_first(pieces: pl.DataFrame) -> pl.Series:
    """Whether each piece is the first one booked to its cause in its gap. Parts without claims are one piece each."""
    several = pieces.select((pl.col("is_cut") | is_cause(*SHARED)).arg_true()).to_series()
    of_cause = pieces.select(pl.struct("gap_id", "cause"))[several].to_series()
    again = several.filter(~of_cause.is_first_distinct())
    return pl.repeat(True, pieces.height, eager=True).scatter(again, False)
