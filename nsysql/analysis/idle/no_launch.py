"""Attribute gaps whose next activity has no launch in the export: unified memory migrations, or earlier launches.

A page of unified memory that the CPU touches migrates to it. If no launched work is waiting, the GPU has nothing to do,
and the cause is what the host did until then: the whole gap is before the launch. If work waits, it waits for the
pages.
"""

import polars as pl

from nsysql.analysis.global_ids import process_of
from nsysql.analysis.idle.attribution import RUNTIME, attribute, only, rest_as
from nsysql.analysis.idle.blocks import LONG_CALL_NS, Block
from nsysql.analysis.idle.launches import LedgerContext
from nsysql.analysis.intervals import LENGTH, overlaps, with_nearest

MIGRATIONS = (11, 12, 13)  # copy kinds of unified memory


def without_launch(block: Block, covered: pl.DataFrame, claims: pl.DataFrame) -> pl.DataFrame:
    """Return the pieces of gaps that nobody asked to end; if a call spans one, its work was queued: launch latency.

    `covered` is the result of covering_calls.
    """
    parts = _not_requested(block).join(covered, on="gap_id", how="left", maintain_order="left")
    is_covered = pl.col("call_row_id").is_not_null()
    other = pl.when(is_covered).then(pl.lit("launch_latency")).otherwise(pl.lit("no_launch_recorded"))
    cause = pl.when("is_migration").then(pl.lit("unified_memory")).otherwise(other)
    source = pl.when(is_covered).then(pl.lit(RUNTIME))
    named = parts.with_columns(**rest_as(cause, source, pl.col("call_row_id"), pl.col("call_name_id")))
    return pl.concat(attribute(named, _of_process(only(claims, {"profiler": 1}))))


def covering_calls(block: Block, rows: pl.DataFrame) -> pl.DataFrame:
    """Return the gaps spanned by one long call of their process: gap_id, call_thread_id, call_row_id, call_name_id.

    If there are several, the one that began last is used, then the first in the table.
    """
    parts = _not_requested(block).filter(~pl.col("is_migration"))
    calls = rows.filter((pl.col("source") == RUNTIME) & (LENGTH >= LONG_CALL_NS))
    calls = _of_process(calls.with_columns(call_thread_id="key")).with_row_index("row")
    times = ("key", "start_ns", "end_ns")
    pairs = overlaps(parts.select(pl.col("gap_id").alias("interval"), *times), calls.select("row", *times))
    gaps = parts.select(interval="gap_id", gap_start_ns="start_ns", gap_end_ns="end_ns")
    covered = pairs.join(gaps, on="interval").join(calls, on="row")
    over = covered.filter((pl.col("start_ns") <= pl.col("gap_start_ns")) & (pl.col("end_ns") >= pl.col("gap_end_ns")))
    last = over.sort("interval", "start_ns", "row_id", descending=[False, True, False]).unique("interval", keep="first")
    return last.select("call_thread_id", gap_id="interval", call_row_id="row_id", call_name_id="name_id")


def _not_requested(block: Block) -> pl.DataFrame:
    """Return the gaps that no launch and no read of the host ended, by process: gap_id, key, times, is_migration."""
    unknown = block.gaps.filter(pl.col("call_id").is_null() & pl.col("api_start_ns").is_null())
    work = block.activity.select("kind", "detail_id", "process_id")[unknown["next"]]
    is_migration = (pl.col("kind") == "memcpy") & pl.col("detail_id").is_in(MIGRATIONS)
    parts = unknown.select("gap_id", "start_ns", "end_ns").hstack(work)
    return parts.select("gap_id", "start_ns", "end_ns", key="process_id", is_migration=is_migration)


def _of_process(claims: pl.DataFrame) -> pl.DataFrame:
    """Return the claims with their process as key instead of their thread."""
    return claims.with_columns(key=process_of(pl.col("key")))


TO_HOST = 12  # the copy kind of migrations from the GPU
SOON_NS = 20_000  # work that starts within this time is not held up; the clocks of GPU and CPU differ slightly


def asked_by_host(gaps: pl.DataFrame, activity: pl.DataFrame, whole: LedgerContext) -> pl.DataFrame:
    """Give gaps that end with a host read the thread that launched last, as if it launched at their end."""
    unknown = gaps.filter(pl.col("call_id").is_null())
    if unknown.is_empty():
        return gaps
    work = activity.select("kind", "detail_id", "process_id")[unknown["next"]]
    reads = unknown.select("gap_id", "gpu_id", "start_ns", "end_ns").hstack(work)
    reads = reads.filter((pl.col("kind") == "memcpy") & (pl.col("detail_id") == TO_HOST))
    if reads.is_empty():
        return gaps
    launched = whole.launched
    asked = launched.select("process_id", "api_start_ns", last_thread_id="thread_id").sort("api_start_ns")
    reads = with_nearest(reads.sort("start_ns"), asked, "start_ns", "api_start_ns", "process_id")
    reads = _idle(reads.drop("api_start_ns"), launched).drop_nulls("last_thread_id")
    rows = gaps.join(reads.select("gap_id", "last_thread_id"), on="gap_id", how="left", maintain_order="left")
    is_read = pl.col("last_thread_id").is_not_null()
    times = (pl.when(is_read).then("end_ns").otherwise(own).alias(own) for own in ("api_start_ns", "api_end_ns"))
    return rows.with_columns(*times, thread_id=pl.coalesce("thread_id", "last_thread_id")).drop("last_thread_id")


def _idle(reads: pl.DataFrame, launched: pl.DataFrame) -> pl.DataFrame:
    """Keep the reads during which no launched work of their process waits to start on their GPU."""
    key = ["process_id", "gpu_id"]
    launched = launched.cast({name: reads.schema[name] for name in key})  # on disk they have other widths
    begun, reads = pl.col("start_ns") - SOON_NS, reads.sort("end_ns")
    waiting = launched.filter(begun > pl.col("api_end_ns"))
    for name, time in (("asked", pl.col("api_end_ns")), ("begun", begun)):
        count = pl.int_range(1, pl.len() + 1).over(key).alias(name)
        counts = waiting.select(*key, at=time).sort("at").select(*key, "at", count)
        reads = with_nearest(reads, counts, "end_ns", "at", key).drop("at")
    return reads.filter(pl.col("asked").fill_null(0) == pl.col("begun").fill_null(0))
