"""Piece 2 of a gap: the launch call had begun and not returned; and gaps whose launch nobody recorded."""

import polars as pl

from nsysql.idle.booking import RUNTIME, THREAD_BITS, book, only, rest_as

FIRST_LAUNCH_NS = 1_000_000  # a first launch longer than this loads or compiles code
MIGRATIONS = (11, 12, 13)  # copy kinds of unified memory


def in_launch(gaps: pl.DataFrame, activity: pl.DataFrame, rows: pl.DataFrame) -> pl.DataFrame:
    """Piece 2: the launch call had begun and not returned."""
    parts = gaps.filter((pl.col("api_start_ns") < pl.col("end_ns")) & (pl.col("api_end_ns") > pl.col("start_ns")))
    parts = parts.with_columns(
        pl.max_horizontal("start_ns", "api_start_ns").alias("start_ns"),
        pl.min_horizontal("end_ns", "api_end_ns").alias("end_ns"),
        key="thread_id",
    )
    long = pl.col("api_end_ns") - pl.col("api_start_ns") > FIRST_LAUNCH_NS
    slow = parts.filter(long & pl.col("short_name_id").is_not_null()).select("process_id", "short_name_id").unique()
    first = (
        activity.join(slow, on=["process_id", "short_name_id"], how="semi")
        .group_by("process_id", "short_name_id")
        .agg(first_ns=pl.col("api_start_ns").min())
    )
    parts = parts.join(first, on=["process_id", "short_name_id"], how="left", maintain_order="left")
    cause = (
        pl.when(pl.col("is_pageable"))
        .then(pl.lit("pageable_copy"))
        .when(long & (pl.col("api_start_ns") == pl.col("first_ns")))
        .then(pl.lit("first_launch"))
        .otherwise(pl.lit("launch_call"))
    )
    claims = only(rows, {"profiler": 1, "module_load": 2, "blocked_launch": 3})
    return pl.concat(book(parts.with_columns(rest_as(cause, pl.lit(RUNTIME), "api_row_id", "api_name_id")), claims))


def without_launch(gaps: pl.DataFrame, rows: pl.DataFrame) -> pl.DataFrame:
    """Gaps whose next activity has no launch in the export: migrations of unified memory, or work cut off."""
    migrated = (pl.col("kind") == "memcpy") & pl.col("detail_id").is_in(MIGRATIONS)
    parts = gaps.filter(pl.col("api_start_ns").is_null()).with_columns(
        key="process_id",
    )
    cause = pl.when(migrated).then(pl.lit("unified_memory")).otherwise(pl.lit("no_launch_recorded"))
    claims = only(rows, {"profiler": 1}).with_columns(key=pl.col("key") - (pl.col("key") & THREAD_BITS))
    return pl.concat(book(parts.with_columns(rest_as(cause)), claims))
