"""Piece 2 of a gap: the launch call had begun and not returned."""

import polars as pl

from nsysql.analysis.idle.attribution import RUNTIME, attribute, only, rest_as
from nsysql.analysis.idle.blocks import Block
from nsysql.analysis.idle.ledger_context import LedgerContext

FIRST_LAUNCH_NS = 1_000_000  # a first launch longer than this loads or compiles code
FIRST_TO_LATER = 3  # so does one that takes more than this many later ones


def in_launch(block: Block, claims: pl.DataFrame, whole: LedgerContext) -> pl.DataFrame:
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
    return pl.concat(attribute(parts, only(claims, {"profiler": 1, "module_load": 2, "blocked_launch": 3})))


def _first_launches(inside: pl.DataFrame, activity: pl.DataFrame, whole: LedgerContext) -> pl.Series:
    """The gaps that end with the first launch of a function by its process, where that took long.

    Long is more than a millisecond, or than three later launches of the function.
    """
    function = ["process_id", "function_id"]
    first = inside.filter(pl.col("api_start_ns").is_in(whole.first_launches["api_start_ns"].implode()))
    first = first.select(
        "gap_id",
        "api_start_ns",
        took_ns=pl.col("api_end_ns") - pl.col("api_start_ns"),
        **{c: activity[c].gather(first["next"]) for c in function},
    )
    first = first.drop_nulls("function_id").cast({"function_id": pl.Int64})
    known = first.join(whole.first_launches, on=[*function, "api_start_ns"])
    is_slow = (pl.col("took_ns") > FIRST_LAUNCH_NS) | (pl.col("took_ns") > FIRST_TO_LATER * pl.col("later_ns"))
    return known.filter(is_slow)["gap_id"]
