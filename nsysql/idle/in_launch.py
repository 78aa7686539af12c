"""Piece 2 of a gap: the launch call had begun and not returned; and gaps whose launch nobody recorded."""

import polars as pl

from nsysql.idle.blocks import Block
from nsysql.idle.booking import RUNTIME, THREAD_BITS, book, only, rest_as
from nsysql.idle.whole import Whole

FIRST_LAUNCH_NS = 1_000_000  # a first launch longer than this loads or compiles code
MIGRATIONS = (11, 12, 13)  # copy kinds of unified memory


def in_launch(block: Block, claims: pl.DataFrame, whole: Whole) -> pl.DataFrame:
    """Piece 2: the launch call had begun and not returned."""
    activity = block.activity
    inside = block.gaps.filter(
        (pl.col("api_start_ns") < pl.col("end_ns")) & (pl.col("api_end_ns") > pl.col("start_ns"))
    )
    cause = (
        pl.when(pl.lit(activity["is_pageable"].gather(inside["next"])))
        .then(pl.lit("pageable_copy"))
        .when(pl.col("gap_id").is_in(_first_launches(inside, activity, whole).implode()))
        .then(pl.lit("first_launch"))
        .otherwise(pl.lit("launch_call"))
    )
    parts = inside.select(
        "gap_id",
        start_ns=pl.max_horizontal("start_ns", "api_start_ns"),
        end_ns=pl.min_horizontal("end_ns", "api_end_ns"),
        key="thread_id",
        **rest_as(cause, pl.lit(RUNTIME), pl.col("call_id"), activity["api_name_id"].gather(inside["next"])),
    )
    return pl.concat(book(parts, only(claims, {"profiler": 1, "module_load": 2, "blocked_launch": 3})))


def _first_launches(inside: pl.DataFrame, activity: pl.DataFrame, whole: Whole) -> pl.Series:
    """The gaps that end with the first launch of a function by its process, where that took long."""
    function = ["process_id", "short_name_id"]
    slow = inside.filter(pl.col("api_end_ns") - pl.col("api_start_ns") > FIRST_LAUNCH_NS)
    slow = slow.select("gap_id", "api_start_ns", **{c: activity[c].gather(slow["next"]) for c in function})
    slow = slow.drop_nulls("short_name_id").cast({"short_name_id": pl.Int64})
    if slow.is_empty():
        return slow["gap_id"]
    return slow.join(whole.first_launches, on=[*function, "api_start_ns"], how="semi")["gap_id"]


def without_launch(block: Block, claims: pl.DataFrame) -> pl.DataFrame:
    """Gaps whose next activity has no launch in the export: migrations of unified memory, or work cut off."""
    unknown = block.gaps.filter(pl.col("call_id").is_null())
    work = block.activity.select("kind", "detail_id", "process_id")[unknown["next"]]
    migrated = (pl.col("kind") == "memcpy") & pl.col("detail_id").is_in(MIGRATIONS)
    cause = pl.when(migrated).then(pl.lit("unified_memory")).otherwise(pl.lit("no_launch_recorded"))
    parts = unknown.hstack(work).select("gap_id", "start_ns", "end_ns", key="process_id", **rest_as(cause))
    of_process = only(claims, {"profiler": 1}).with_columns(key=pl.col("key") - (pl.col("key") & THREAD_BITS))
    return pl.concat(book(parts, of_process))
