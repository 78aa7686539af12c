"""Gaps and their pieces: why each GPU was idle, nanosecond by nanosecond.

A gap ends because an activity starts, and that one was asked for by a launch on a thread. What the thread
did before the launch, the launch call itself, and what the GPU waited for after it are booked separately,
each stretch to the first cause that applies. No table of the export is read twice, and no gap meets a row that
does not overlap it.
"""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import polars as pl

from nsysql.frames import Views
from nsysql.idle.after_launch import after_launch, after_parts, latency_caps, latency_samples
from nsysql.idle.before_launch import before_launch
from nsysql.idle.blocks import ROWS, WORK, Block, InMemory, OnDisk, is_large, told_by
from nsysql.idle.booking import CAUSE, RUNTIME, is_cause
from nsysql.idle.gaps import named
from nsysql.idle.in_launch import in_launch, without_launch
from nsysql.idle.launches import held_up, launched, shared
from nsysql.idle.whole import Whole

SHARED = ("profiler", "module_load")  # causes that can stand in more than one part of a gap


def parts(views: Views) -> Iterator[dict[str, pl.DataFrame]]:
    """The frames of the views that name this module, from the views named in their headers, as they come.

    Some of them are given along where all is in memory. Of a large export the others come block by block.
    """
    blocks: InMemory | OnDisk
    if is_large(views):
        blocks = OnDisk(views)
    else:
        rows = told_by(views(ROWS))
        activity = launched(views("gpu_activity_record"), rows)
        rows = rows.drop("correlation_id")
        several = shared(activity)
        waits = held_up(views("stream_wait"), activity, several)
        yield {WORK: activity, "shared_launch": several, "stream_wait_launch": waits, "call_time": _calls(rows)}
        blocks = InMemory(activity, rows)
        del activity, rows
    whole = Whole(views)
    samples = [latency_samples(after_parts(block, whole)) for block in blocks]
    whole.caps = latency_caps(pl.concat(samples, how="vertical_relaxed"))
    del samples
    number, windows = 1, []
    for block in blocks:
        gaps, pieces = _records(block, blocks.rows(block.gaps), whole)
        yield {
            "idle_gap_record": gaps.with_columns(pl.col("gap_id") + number),
            "idle_piece_record": pieces.with_columns(pl.col("gap_id") + number),
        }
        number += gaps.height
        windows.append(_windows(block.activity))
    yield {"gpu_window_record": _windows(pl.concat(windows, how="vertical_relaxed"))}


def _calls(rows: pl.DataFrame) -> pl.DataFrame:
    """The CUDA API calls among the rows, as in call_time."""
    return rows.filter(pl.col("source") == RUNTIME).select("start_ns", "end_ns", "name_id", thread_id="key")


def _windows(activity: pl.DataFrame) -> pl.DataFrame:
    """From the first activity of each GPU to the last, as in gpu_window_record."""
    return activity.group_by("gpu_id").agg(pl.col("start_ns").min(), pl.col("end_ns").max())


def _records(block: Block, rows: pl.DataFrame, whole: Whole) -> tuple[pl.DataFrame, pl.DataFrame]:
    """The gaps and pieces of a block, as in idle_gap_record and idle_piece_record; gap_id is still from 0."""
    gaps, pieces = block.gaps, _pieces(block, rows, whole)
    of_gap = pieces["gap_id"]
    return named(gaps, block.activity).with_columns(main_cause=_main_causes(gaps, pieces)), pieces.select(
        "gap_id",
        gaps["gpu_id"].gather(of_gap),
        "cause",
        "start_ns",
        "end_ns",
        gaps["thread_id"].gather(of_gap),
        evidence_table="source",
        evidence_row_id="row_id",
        evidence_name_id="name_id",
        is_first=_are_first(pieces),
    )


def _pieces(block: Block, rows: pl.DataFrame, whole: Whole) -> pl.DataFrame:
    """The pieces of all gaps; what stands before the launch is booked beside the rest, which takes as long."""
    claims = rows.filter(is_cause("profiler", "module_load", "blocked_launch"))  # few; all that the rest asks for
    with ThreadPoolExecutor(1) as pool:
        before = pool.submit(before_launch, block.gaps, block.activity, rows)
        rest = [in_launch(block, claims, whole), after_launch(block, claims, whole), without_launch(block, claims)]
        return pl.concat([before.result(), *rest])


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
