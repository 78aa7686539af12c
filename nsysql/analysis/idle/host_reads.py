"""Gaps that end because the host reads unified memory: the host asked, though it launched nothing.

A page that the CPU touches migrates to it. Where no launched work waits by then, the GPU has nothing to do, and what
the host did up to that time is why: the gap is all before the launch. Where work waits, it waits for the pages.
"""

import polars as pl

from nsysql.analysis.idle.ledger_context import LedgerContext

TO_HOST = 12  # the copy kind of migrations from the GPU
SOON_NS = 20_000  # work that starts so soon after is not held up; the clocks of GPU and CPU differ by some


def asked_by_host(gaps: pl.DataFrame, activity: pl.DataFrame, whole: LedgerContext) -> pl.DataFrame:
    """The gaps, those that end with such a read with the thread that launched last, as if it launched at their end."""
    unknown = gaps.filter(pl.col("call_id").is_null())
    if unknown.is_empty():
        return gaps
    work = activity.select("kind", "detail_id", "process_id")[unknown["next"]]
    reads = unknown.select("gap_id", "gpu_id", "start_ns", "end_ns").hstack(work)
    reads = reads.filter((pl.col("kind") == "memcpy") & (pl.col("detail_id") == TO_HOST))
    if reads.is_empty():
        return gaps
    launched = whole.launched
    reads = reads.sort("start_ns").join_asof(
        launched.select("process_id", "api_start_ns", last_thread_id="thread_id").sort("api_start_ns"),
        left_on="start_ns",
        right_on="api_start_ns",
        by="process_id",
        check_sortedness=False,
    )
    reads = _idle(reads.drop("api_start_ns"), launched).drop_nulls("last_thread_id")
    found = gaps.join(reads.select("gap_id", "last_thread_id"), on="gap_id", how="left", maintain_order="left")
    is_read = pl.col("last_thread_id").is_not_null()
    return (
        found.with_columns(
            pl.when(is_read).then("end_ns").otherwise(own).alias(own) for own in ("api_start_ns", "api_end_ns")
        )
        .with_columns(thread_id=pl.coalesce("thread_id", "last_thread_id"))
        .drop("last_thread_id")
    )


def _idle(reads: pl.DataFrame, launched: pl.DataFrame) -> pl.DataFrame:
    """The reads at whose time no launched work of their process waits to start on their GPU."""
    key = ["process_id", "gpu_id"]
    launched = launched.cast({name: reads.schema[name] for name in key})  # on disk they take more bytes or fewer
    waiting = launched.filter(pl.col("start_ns") - SOON_NS > pl.col("api_end_ns")).with_columns(
        begun_ns=pl.col("start_ns") - SOON_NS
    )
    counts = {
        name: waiting.sort(time).select(*key, pl.col(time), pl.int_range(1, pl.len() + 1).over(key).alias(name))
        for name, time in (("asked", "api_end_ns"), ("begun", "begun_ns"))
    }
    reads = reads.sort("end_ns")
    for name, time in (("asked", "api_end_ns"), ("begun", "begun_ns")):
        reads = reads.join_asof(counts[name], left_on="end_ns", right_on=time, by=key, check_sortedness=False).drop(
            time
        )
    return reads.filter(pl.col("asked").fill_null(0) == pl.col("begun").fill_null(0))
