"""Which gaps ended late because a stream was told to wait, by an event or as the legacy default stream."""

import polars as pl

from nsysql.analysis.global_ids import pid_of
from nsysql.analysis.idle.attribution import SOURCE, STREAMS, SYNCHRONIZATION
from nsysql.analysis.idle.ledger_context import LedgerContext

WAIT = pl.Schema({"gap_id": pl.UInt32(), "wait_source": SOURCE, "wait_row_id": pl.Int64()})


def stream_waits(parts: pl.DataFrame, activity: pl.DataFrame, whole: LedgerContext) -> pl.DataFrame:
    """The gaps whose next activity's stream was told to wait: gap_id, wait_source, wait_row_id.

    `parts` has gap_id, gpu_id, gap_start_ns, start_ns, call_id, next and previous, as in find_gaps.
    """
    found = pl.concat([_event_waits(parts, whole.stream_waits), _default_stream_waits(parts, activity, whole.streams)])
    return found.unique("gap_id", keep="first", maintain_order=True)


def _event_waits(parts: pl.DataFrame, waits: pl.DataFrame) -> pl.DataFrame:
    """Waits for an event asked for between the stream's previous launch and the next activity's.

    Where the record of the event is known, the recording stream's last work before it must have ended with the
    gap's start, or lie on another GPU.
    """
    if waits.is_empty():
        return pl.DataFrame(schema=WAIT)
    held = (
        pl.col("recorded_ns").is_null()
        | (pl.col("last_end_ns") >= pl.col("gap_start_ns"))
        | (pl.col("last_gpu_id") != pl.col("gpu_id"))
    )
    held_up = parts.select("gap_id", "gpu_id", "gap_start_ns", pl.col("call_id").cast(pl.Int64))
    return (
        waits.join(held_up, on="call_id")
        .filter(held)
        .sort("gap_id", "start_ns", "row_id", descending=[False, True, False])
        .select("gap_id", wait_source=pl.lit(SYNCHRONIZATION).cast(SOURCE), wait_row_id="row_id")
    )


def _default_stream_waits(parts: pl.DataFrame, activity: pl.DataFrame, streams: pl.DataFrame) -> pl.DataFrame:
    """Work of the legacy default stream waits for blocking streams, and theirs for it."""
    if not streams["is_null"].any():
        return pl.DataFrame(schema=WAIT)
    fell_idle = parts.filter(pl.col("start_ns") == pl.col("gap_start_ns"))
    asked, before = (
        activity.select("process_id", pl.col("stream_id").cast(pl.Int64)).select(pl.all().gather(fell_idle[c]))
        for c in ("next", "previous")
    )
    pid = pid_of(pl.col("process_id"))
    both = (
        fell_idle.select("gap_id")
        .hstack(asked)
        .hstack(before.rename({"process_id": "process_id_before", "stream_id": "stream_id_before"}))
        .filter(
            (pl.col("process_id") == pl.col("process_id_before")) & (pl.col("stream_id") != pl.col("stream_id_before"))
        )
        .with_columns(pid=pid)
        .join(streams, on=["pid", "stream_id"])
        .join(streams, left_on=["pid", "stream_id_before"], right_on=["pid", "stream_id"], suffix="_before")
    )
    return both.filter(
        (pl.col("is_null") & pl.col("is_blocking_before")) | (pl.col("is_null_before") & pl.col("is_blocking"))
    ).select("gap_id", wait_source=pl.lit(STREAMS).cast(SOURCE), wait_row_id=pl.lit(None, pl.Int64))
