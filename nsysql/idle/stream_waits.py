"""Which gaps ended late because a stream was told to wait, by an event or as the legacy default stream."""

from collections.abc import Callable

import polars as pl

from nsysql.idle.booking import SOURCE, STREAMS, SYNCHRONIZATION, THREAD_BITS


def stream_waits(parts: pl.DataFrame, activity: pl.DataFrame, view: Callable[[str], pl.DataFrame]) -> pl.DataFrame:
    """The gaps whose next activity's stream was told to wait: gap_id, wait_source, wait_row_id."""
    found = pl.concat([_event_waits(parts, activity, view("stream_wait")), _default_stream_waits(parts, view)])
    return found.unique("gap_id", keep="first", maintain_order=True)


def _event_waits(parts: pl.DataFrame, activity: pl.DataFrame, waits: pl.DataFrame) -> pl.DataFrame:
    """Waits for an event asked for between the stream's previous launch and the next activity's.

    A wait concerns the first work launched on its stream after it. Where the record of the event is known,
    the recording stream's last work before it must have ended with the gap's start, or lie on another GPU.
    """
    if waits.is_empty():
        return pl.DataFrame(schema={"gap_id": pl.Int64, "wait_source": SOURCE, "wait_row_id": pl.Int64})
    concerned = waits.sort("start_ns").join_asof(
        _of_streams(activity, waits, "stream_id", "api_row_id"),
        left_on="start_ns",
        right_on="api_start_ns",
        by=["process_id", "stream_id"],
        strategy="forward",
        allow_exact_matches=False,
        check_sortedness=False,
    )
    ended = concerned.join(parts.select("gap_id", "gpu_id", "gap_start_ns", "api_row_id"), on="api_row_id")
    before = _of_streams(activity, waits, "recorded_stream_id", "end_ns", "gpu_id").rename(
        {"stream_id": "recorded_stream_id", "end_ns": "last_end_ns", "gpu_id": "last_gpu_id"}
    )
    ended = (
        ended.drop("api_start_ns")
        .sort("recorded_ns")
        .join_asof(
            before,
            left_on="recorded_ns",
            right_on="api_start_ns",
            by=["process_id", "recorded_stream_id"],
            allow_exact_matches=False,
            check_sortedness=False,
        )
    )
    held = (
        pl.col("recorded_ns").is_null()
        | (pl.col("last_end_ns") >= pl.col("gap_start_ns"))
        | (pl.col("last_gpu_id") != pl.col("gpu_id"))
    )
    return (
        ended.filter(held)
        .sort("gap_id", "start_ns", "row_id", descending=[False, True, False])
        .select("gap_id", wait_source=pl.lit(SYNCHRONIZATION).cast(SOURCE), wait_row_id="row_id")
    )


def _of_streams(activity: pl.DataFrame, waits: pl.DataFrame, column: str, *columns: str) -> pl.DataFrame:
    """The launches on the streams that `column` of the waits names, in order of their launch."""
    streams = waits.select("process_id", stream_id=column).drop_nulls().unique()
    launched = activity.lazy().select("process_id", "stream_id", "api_start_ns", *columns)
    found = launched.filter(pl.col("api_start_ns").is_not_null()).join(
        streams.lazy(), on=["process_id", "stream_id"], how="semi"
    )
    return found.sort("api_start_ns").collect()


def _default_stream_waits(parts: pl.DataFrame, view: Callable[[str], pl.DataFrame]) -> pl.DataFrame:
    """Work of the legacy default stream waits for blocking streams, and theirs for it."""
    streams = view("cuda_stream").group_by("pid", "stream_id").agg(pl.col("is_null").any(), pl.col("is_blocking").all())
    pid = (pl.col("process_id") // 2**24) & THREAD_BITS
    same = parts.filter(
        (pl.col("previous_process_id") == pl.col("process_id"))
        & (pl.col("previous_stream_id") != pl.col("stream_id"))
        & (pl.col("start_ns") == pl.col("gap_start_ns"))
    ).with_columns(pid=pid)
    both = same.join(streams, on=["pid", "stream_id"]).join(
        streams, left_on=["pid", "previous_stream_id"], right_on=["pid", "stream_id"], suffix="_before"
    )
    return both.filter(
        (pl.col("is_null") & pl.col("is_blocking_before")) | (pl.col("is_null_before") & pl.col("is_blocking"))
    ).select("gap_id", wait_source=pl.lit(STREAMS).cast(SOURCE), wait_row_id=pl.lit(None, pl.Int64))
