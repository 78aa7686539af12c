"""Gaps whose next activity has no launch in the export: migrations of unified memory, or work launched before it."""

import polars as pl

from nsysql.analysis.global_ids import process_of
from nsysql.analysis.idle.attribution import RUNTIME, attribute, only, rest_as
from nsysql.analysis.idle.blocks import LONG_CALL_NS, Block
from nsysql.analysis.intervals import overlaps

MIGRATIONS = (11, 12, 13)  # copy kinds of unified memory


def without_launch(block: Block, covered: pl.DataFrame, claims: pl.DataFrame) -> pl.DataFrame:
    """The gaps that nobody asked to end; where a call lies over one its work was queued: it is launch latency.

    `covered` is as covering_calls gives it.
    """
    parts = _unasked(block).join(covered, on="gap_id", how="left", maintain_order="left")
    is_covered = pl.col("call_row_id").is_not_null()
    cause = (
        pl.when("is_migration")
        .then(pl.lit("unified_memory"))
        .when(is_covered)
        .then(pl.lit("launch_latency"))
        .otherwise(pl.lit("no_launch_recorded"))
    )
    source = pl.when(is_covered).then(pl.lit(RUNTIME))
    named = parts.with_columns(**rest_as(cause, source, pl.col("call_row_id"), pl.col("call_name_id")))
    return pl.concat(attribute(named, _of_process(only(claims, {"profiler": 1}))))


def covering_calls(block: Block, rows: pl.DataFrame) -> pl.DataFrame:
    """The gaps that one long call of their process lies over: gap_id, call_thread_id, call_row_id, call_name_id.

    Of several calls the one that began last, then the first in the table.
    """
    parts = _unasked(block).filter(~pl.col("is_migration"))
    calls = rows.filter((pl.col("source") == RUNTIME) & (pl.col("end_ns") - pl.col("start_ns") >= LONG_CALL_NS))
    calls = _of_process(calls.with_columns(call_thread_id="key")).with_row_index("row")
    pairs = overlaps(
        parts.select(pl.col("gap_id").alias("interval"), "key", "start_ns", "end_ns"),
        calls.select("row", "key", "start_ns", "end_ns"),
    )
    gaps = parts.select(interval="gap_id", gap_start_ns="start_ns", gap_end_ns="end_ns")
    found = pairs.join(gaps, on="interval").join(calls, on="row")
    over = found.filter((pl.col("start_ns") <= pl.col("gap_start_ns")) & (pl.col("end_ns") >= pl.col("gap_end_ns")))
    last = over.sort("interval", "start_ns", "row_id", descending=[False, True, False]).unique("interval", keep="first")
    return last.select("call_thread_id", gap_id="interval", call_row_id="row_id", call_name_id="name_id")


def _unasked(block: Block) -> pl.DataFrame:
    """The gaps that no launch and no read of the host ended, by their process: gap_id, key, times, is_migration."""
    unknown = block.gaps.filter(pl.col("call_id").is_null() & pl.col("api_start_ns").is_null())
    work = block.activity.select("kind", "detail_id", "process_id")[unknown["next"]]
    is_migration = (pl.col("kind") == "memcpy") & pl.col("detail_id").is_in(MIGRATIONS)
    parts = unknown.select("gap_id", "start_ns", "end_ns").hstack(work)
    return parts.select("gap_id", "start_ns", "end_ns", key="process_id", is_migration=is_migration)


def _of_process(claims: pl.DataFrame) -> pl.DataFrame:
    """The claims, with their process as key instead of their thread."""
    return claims.with_columns(key=process_of(pl.col("key")))
