"""Piece 1 of a gap: the host had not asked for work yet. What its thread was doing is the cause."""

import polars as pl

from nsysql.idle.booking import THREAD_BITS, as_cause, book, is_cause, rest_as

SYNC_NOTICE_NS = 1_000_000  # the first millisecond of a wait past the GPU's work is the time it took to notice
WAITS = ("os_wait_lock", "not_scheduled")  # a thread that waits for another one does only these


def before_launch(gaps: pl.DataFrame, activity: pl.DataFrame, rows: pl.DataFrame) -> pl.DataFrame:
    """Piece 1: the host had not asked for work yet. What its thread was doing is the cause."""
    parts = gaps.filter(pl.col("api_start_ns") > pl.col("start_ns")).select(
        "gap_id",
        "start_ns",
        "previous",
        end_ns=pl.min_horizontal("api_start_ns", "end_ns"),
        key="thread_id",
    )
    has_others = rows.select((pl.col("rank") > 7).any()).item()
    claims = rows.filter(pl.col("rank") <= 7) if has_others else rows  # a long table, and mostly whole
    booked = pl.concat(book(parts.with_columns(**rest_as(pl.lit("host_code"))), claims))
    booked = _split_sync(booked, parts)
    worker = _workers(parts, activity).join(
        booked.filter(~is_cause("host_code", *WAITS)).select("gap_id"), on="gap_id", how="anti"
    )
    if worker.is_empty():
        return booked
    waiting = pl.col("gap_id").is_in(worker["gap_id"].implode()) & is_cause("host_code", "os_wait_lock")
    return booked.with_columns(cause=pl.when(waiting).then(as_cause("waiting_for_thread")).otherwise("cause"))


def _workers(parts: pl.DataFrame, activity: pl.DataFrame) -> pl.DataFrame:
    """The parts whose GPU's previous activity was launched by another thread of the process."""
    both = parts.select("gap_id", "key", other=activity["thread_id"].gather(parts["previous"]))
    same_process = (pl.col("key") - (pl.col("key") & THREAD_BITS)) == (
        pl.col("other") - (pl.col("other") & THREAD_BITS)
    )
    return both.filter(same_process & (pl.col("key") != pl.col("other")))


def _split_sync(booked: pl.DataFrame, parts: pl.DataFrame) -> pl.DataFrame:
    """Blocking calls: up to a millisecond into the gap the return of a wait, beyond it a wait for something else."""
    sync = booked.filter(pl.col("cause") == "sync").join(
        parts.select("gap_id", border=pl.col("start_ns") + SYNC_NOTICE_NS), on="gap_id"
    )
    soon = sync.with_columns(pl.min_horizontal("end_ns", "border").alias("end_ns"), cause=as_cause("sync_return"))
    late = sync.with_columns(pl.max_horizontal("start_ns", "border").alias("start_ns"), cause=as_cause("sync_wait"))
    split = pl.concat([soon, late]).filter(pl.col("end_ns") > pl.col("start_ns"))
    return pl.concat([booked.filter(pl.col("cause") != "sync"), split.select(booked.columns)])
