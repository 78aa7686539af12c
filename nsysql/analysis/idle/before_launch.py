"""Attribute pieces 1 and 2 of a gap: the host had not yet asked for work, then the launch call had not returned.

Before the call the cause is what its thread was doing.
"""

import polars as pl

from nsysql.analysis.global_ids import pid_of, process_of, tid_of
from nsysql.analysis.idle.attribution import RUNTIME, as_cause, attribute, is_cause, only, rest_as
from nsysql.analysis.idle.blocks import Block
from nsysql.analysis.idle.launches import LedgerContext
from nsysql.analysis.intervals import END, START

SYNC_NOTICE_NS = 1_000_000  # the first millisecond of a wait after the end of the GPU's work is the time to notice it
FAULT_NS = 50_000  # a thread back on its CPU so shortly before the pages it reads move had a page fault
OFF_IN_CALL = 1  # the rank of being off the CPU in a blocking call
HOST_RANKS = 8  # ranks of what a thread does before its launch; higher ones are for launches
# A worker that waits for its owner has only these causes; being traced meanwhile is not its own activity.
WAITS = ("os_wait_lock", "preempted", "blocked", "waiting_for_thread", "profiler")


def before_launch(gaps: pl.DataFrame, activity: pl.DataFrame, rows: pl.DataFrame) -> pl.DataFrame:
    """Return the pieces of part 1: the host had not yet asked for work. The cause is what its thread was doing."""
    parts = gaps.filter(pl.col("api_start_ns") > pl.col("start_ns"))
    end = pl.min_horizontal("api_start_ns", "end_ns")
    parts = parts.select("gap_id", "start_ns", "previous", end_ns=end, key="thread_id")
    has_others = rows.select((pl.col("rank") > HOST_RANKS).any()).item()
    claims = rows.filter(pl.col("rank") <= HOST_RANKS) if has_others else rows  # long, and mostly kept
    workers = _workers(parts, activity)
    busy: list[pl.Series] = []

    def judged(claimed: pl.DataFrame) -> pl.DataFrame:
        if workers.len():
            at_work = claimed.filter(~is_cause(*WAITS) & pl.col("interval").is_in(workers.implode()))
            busy.append(at_work["interval"].unique())
        claimed = _with_later_launches(_without_returns(claimed, gaps["start_ns"]), gaps["start_ns"])
        return _with_page_faults(claimed, gaps)

    attributed = pl.concat(attribute(parts.with_columns(**rest_as(pl.lit("host_code"))), claims, judged))
    attributed = _split_sync(attributed, parts)
    waiting = workers.filter(~workers.is_in(busy[0].implode())) if busy else workers
    if waiting.is_empty():
        return attributed
    mains = parts.filter(tid_of(pl.col("key")) == pid_of(pl.col("key")))["gap_id"]
    # its workers wait for the main thread, which computes between their launches
    is_owner = pl.col("gap_id").is_in(mains.implode())
    is_wait = pl.col("gap_id").is_in(waiting.implode()) & (is_cause("os_wait_lock") | is_cause("host_code") & ~is_owner)
    return attributed.with_columns(cause=pl.when(is_wait).then(as_cause("waiting_for_thread")).otherwise("cause"))


def _without_returns(claimed: pl.DataFrame, starts: pl.Series) -> pl.DataFrame:
    """Drop claims of threads that slept until their GPU was done and were back soon: that is the return of the wait."""
    began = pl.lit(starts.gather(claimed["interval"]))
    is_nap = (pl.col("start_ns") < began) & (pl.col("end_ns") <= began + SYNC_NOTICE_NS)
    return claimed.filter((pl.col("rank") != OFF_IN_CALL) | ~is_nap)


def _with_later_launches(claimed: pl.DataFrame, starts: pl.Series) -> pl.DataFrame:
    """Give launching calls that began in the gap another cause than those that began before it.

    The earlier ones held up the next launch; the others launched other work. `starts` has those of all gaps.
    """
    is_later = is_cause("launch_call") & (pl.col("start_ns") >= pl.lit(starts.gather(claimed["interval"])))
    return claimed.with_columns(cause=pl.when(is_later).then(as_cause("other_cuda_api")).otherwise("cause"))


def _with_page_faults(claimed: pl.DataFrame, gaps: pl.DataFrame) -> pl.DataFrame:
    """Give threads that were off the CPU until their read of unified memory moved pages the cause unified_memory."""
    is_read = gaps["call_id"].is_null() & gaps["api_start_ns"].is_not_null()
    until = gaps.select(pl.when(is_read).then(pl.col("end_ns") - FAULT_NS)).to_series().gather(claimed["interval"])
    is_off = (pl.col("source") == "SCHED_EVENTS") & is_cause("blocked", "waiting_for_thread")
    is_fault = is_off & (pl.col("end_ns") >= pl.lit(until))
    return claimed.with_columns(cause=pl.when(is_fault).then(as_cause("unified_memory")).otherwise("cause"))


def _workers(parts: pl.DataFrame, activity: pl.DataFrame) -> pl.Series:
    """Return the gaps whose GPU's previous activity was launched by another thread of the process."""
    both = parts.select("gap_id", "key", other=activity["thread_id"].gather(parts["previous"]))
    same_process = process_of(pl.col("key")) == process_of(pl.col("other"))
    return both.filter(same_process & (pl.col("key") != pl.col("other")))["gap_id"]


def _split_sync(attributed: pl.DataFrame, parts: pl.DataFrame) -> pl.DataFrame:
    """Split blocking calls: up to a millisecond into the gap the return of a wait, later a wait for something else."""
    borders = parts.select("gap_id", border=pl.col("start_ns") + SYNC_NOTICE_NS)
    sync = attributed.filter(pl.col("cause") == "sync").join(borders, on="gap_id")
    soon = sync.with_columns(pl.min_horizontal("end_ns", "border").alias("end_ns"), cause=as_cause("sync_return"))
    late = sync.with_columns(pl.max_horizontal("start_ns", "border").alias("start_ns"), cause=as_cause("sync_wait"))
    split = pl.concat([soon, late]).filter(END > START)
    return pl.concat([attributed.filter(pl.col("cause") != "sync"), split.select(attributed.columns)])


FIRST_LAUNCH_NS = 1_000_000  # a first launch that takes longer loads or compiles code
FIRST_TO_LATER = 3  # so does one that takes longer than this many later ones


def in_launch(block: Block, claims: pl.DataFrame, whole: LedgerContext) -> pl.DataFrame:
    """Return the pieces of part 2: the launch call had begun but not returned."""
    activity = block.activity
    inside = block.gaps.filter(pl.col("api_start_ns") < pl.col("end_ns"), pl.col("api_end_ns") > pl.col("start_ns"))
    is_pageable, name = (activity[column].gather(inside["next"]) for column in ("is_pageable", "api_name_id"))
    is_first = pl.col("gap_id").is_in(_first_launches(inside, activity, whole).implode())
    other = pl.when(is_first).then(pl.lit("first_launch")).otherwise(pl.lit("launch_call"))
    cause = pl.when(pl.lit(is_pageable)).then(pl.lit("pageable_copy")).otherwise(other)
    call = rest_as(cause, pl.lit(RUNTIME), pl.col("call_id"), name)
    start, end = pl.max_horizontal("start_ns", "api_start_ns"), pl.min_horizontal("end_ns", "api_end_ns")
    parts = inside.select("gap_id", start_ns=start, end_ns=end, key="thread_id", **call)
    return pl.concat(attribute(parts, only(claims, {"profiler": 1, "module_load": 2, "blocked_launch": 3})))


def _first_launches(inside: pl.DataFrame, activity: pl.DataFrame, whole: LedgerContext) -> pl.Series:
    """Return the gaps that end with the first launch of a function by its process, if that took long.

    Long is more than a millisecond, or than three later launches of the function.
    """
    function = ["process_id", "function_id"]
    first = inside.filter(pl.col("api_start_ns").is_in(whole.first_launches["api_start_ns"].implode()))
    took, of = pl.col("api_end_ns") - pl.col("api_start_ns"), {c: activity[c].gather(first["next"]) for c in function}
    first = first.select("gap_id", "api_start_ns", took_ns=took, **of)
    first = first.drop_nulls("function_id").cast({"function_id": pl.Int64})
    known = first.join(whole.first_launches, on=[*function, "api_start_ns"])
    is_slow = (pl.col("took_ns") > FIRST_LAUNCH_NS) | (pl.col("took_ns") > FIRST_TO_LATER * pl.col("later_ns"))
    return known.filter(is_slow)["gap_id"]
