"""Which gaps ended late because a stream was told to wait, by an event or as the legacy default stream."""

from collections.abc import Callable

import polars as pl

from nsysql.idle.booking import SOURCE, STREAMS, SYNCHRONIZATION, THREAD_BITS

WAIT = pl.Schema({"gap_id": pl.UInt32(), "wait_source": SOURCE, "wait_row_id": pl.Int64()})


def stream_waits(
    parts: pl.DataFrame, activity: pl.DataFrame, rows: pl.DataFrame, view: Callable[[str], pl.DataFrame]
) -> pl.DataFrame:
    """The gaps whose next activity's stream was told to wait: gap_id, wait_source, wait_row_id.

    `parts` has gap_id, gpu_id, gap_start_ns, start_ns, next and previous, as in find_gaps.
    """
    found = pl.concat(
        [_event_waits(parts, activity, rows, view("stream_wait")), _default_stream_waits(parts, activity, view)]
    )
    return found.unique("gap_id", keep="first", maintain_order=True)


def _event_waits(parts: pl.DataFrame, activity: pl.DataFrame, rows: pl.DataFrame, waits: pl.DataFrame) -> pl.DataFrame:
    """Waits for an event asked for between the stream's previous launch and the next activity's.

    A wait concerns the first work launched on its stream after it. Where the record of the event is known,
    the recording stream's last work before it must have ended with the gap's start, or lie on another GPU.
    """
    if waits.is_empty():
        return pl.DataFrame(schema=WAIT)
    launched = _launched(activity, rows, waits)
    concerned = (
        waits.with_columns(key=_streams(waits, waits))
        .sort("start_ns")
        .join_asof(
            launched,
            left_on="start_ns",
            right_on="api_start_ns",
            by="key",
            strategy="forward",
            allow_exact_matches=False,
            check_sortedness=False,
        )
    )
    ended = concerned.with_columns(call=activity["call"].gather(concerned["at"])).drop("api_start_ns", "at", "key")
    ended = ended.join(parts.select("gap_id", "gpu_id", "gap_start_ns", "call"), on="call")
    ended = (
        ended.with_columns(key=_streams(ended, waits, "recorded_stream_id"))
        .sort("recorded_ns")
        .join_asof(
            launched,
            left_on="recorded_ns",
            right_on="api_start_ns",
            by="key",
            allow_exact_matches=False,
            check_sortedness=False,
        )
    )
    last = activity.select(last_end_ns="end_ns", last_gpu_id="gpu_id").select(pl.all().gather(ended["at"]))
    held = (
        pl.col("recorded_ns").is_null()
        | (pl.col("last_end_ns") >= pl.col("gap_start_ns"))
        | (pl.col("last_gpu_id") != pl.col("gpu_id"))
    )
    return (
        ended.hstack(last)
        .filter(held)
        .sort("gap_id", "start_ns", "row_id", descending=[False, True, False])
        .select("gap_id", wait_source=pl.lit(SYNCHRONIZATION).cast(SOURCE), wait_row_id="row_id")
    )


def _launched(activity: pl.DataFrame, rows: pl.DataFrame, waits: pl.DataFrame) -> pl.DataFrame:
    """The activities on the streams that the waits name, whose launch is recorded, by its start.

    Columns key, the stream as a number; api_start_ns; and at, the activity's position.
    """
    keys = _streams(activity, waits)
    on_them = (keys.is_not_null() & activity["call"].is_not_null()).arg_true()
    start_ns = rows["start_ns"].gather(activity["call"].gather(on_them))
    return pl.DataFrame({"key": keys.gather(on_them), "api_start_ns": start_ns, "at": on_them}).sort("api_start_ns")


def _streams(frame: pl.DataFrame, waits: pl.DataFrame, column: str = "stream_id") -> pl.Series:
    """The stream of each row as a number, by its process and `column`; NULL if no wait names such a one."""
    streams = pl.concat([waits["stream_id"], waits["recorded_stream_id"]]).drop_nulls().unique().sort()
    processes = waits["process_id"].drop_nulls().unique().sort()
    rank = [
        pl.col(c).cast(pl.Int64).replace_strict(known, pl.int_range(known.len(), eager=True), default=None)
        for c, known in (("process_id", processes), (column, streams))
    ]
    return frame.select((rank[0] * streams.len() + rank[1]).cast(pl.Int32)).to_series()


def _default_stream_waits(
    parts: pl.DataFrame, activity: pl.DataFrame, view: Callable[[str], pl.DataFrame]
) -> pl.DataFrame:
    """Work of the legacy default stream waits for blocking streams, and theirs for it."""
    streams = view("cuda_stream").group_by("pid", "stream_id").agg(pl.col("is_null").any(), pl.col("is_blocking").all())
    if not streams["is_null"].any():
        return pl.DataFrame(schema=WAIT)
    fell_idle = parts.filter(pl.col("start_ns") == pl.col("gap_start_ns"))
    asked, before = (
        activity.select("process_id", pl.col("stream_id").cast(pl.Int64)).select(pl.all().gather(fell_idle[c]))
        for c in ("next", "previous")
    )
    pid = (pl.col("process_id") // 2**24) & THREAD_BITS
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
