"""The calls that launched the GPUs' activities, and what hangs on them, where all of them are in memory.

Each function gives the rows of a view whose SQL says the same; that takes longer, and is for what is on disk.
"""

import polars as pl

from nsysql.idle.activity import ORDER
from nsysql.idle.booking import RUNTIME, THREAD_BITS

TIES = ["api_start_ns", "stream_id", "correlation_id", "kind", "row_id"]
CALL = {  # columns of the rows of threads, as the activity that they launched has them
    "thread_id": "key",
    "call_id": "row_id",
    "api_start_ns": "start_ns",
    "api_end_ns": "end_ns",
    "api_name_id": "name_id",
}
HELD_UP = pl.Schema(
    {name: pl.Int64() for name in ("row_id", "start_ns", "call_id", "recorded_ns", "last_end_ns", "last_gpu_id")}
)


def launched(activity: pl.DataFrame, rows: pl.DataFrame) -> pl.DataFrame:
    """The activities of GPUs, in order, with the calls that launched them: launched_activity, made in memory."""
    call = _calls(activity, rows)
    found = activity.with_columns(rows[name].gather(call).alias(new) for new, name in CALL.items())
    return _ties_in_order(found).drop("correlation_id")


def _calls(activity: pl.DataFrame, rows: pl.DataFrame) -> pl.Series:
    """The position in `rows` of the call of each activity's process and correlation id; NULL where not recorded."""
    calls = (
        rows.lazy()
        .select("source", "correlation_id", "row_id", process_id=pl.col("key") - (pl.col("key") & THREAD_BITS))
        .with_row_index("call")
        .filter((pl.col("source") == RUNTIME) & pl.col("correlation_id").is_not_null())
        .drop("source")
        .collect()
    )
    asked = activity.select("process_id", "correlation_id")
    one = _one_number(asked, calls)
    if one is None:
        calls = calls.sort("row_id").unique(["process_id", "correlation_id"], keep="first")
        return asked.join(calls, on=["process_id", "correlation_id"], how="left", maintain_order="left")["call"]
    sought, known = (f.select(one).to_series() for f in (asked, calls))
    order = calls.select(pl.arg_sort_by(known)).to_series()
    if (known.gather(order).diff() == 0).any():  # of calls that share an id the first in the table counts
        order = calls.select(pl.arg_sort_by(known, "row_id")).to_series()
    known = known.gather(order).append(pl.Series([-1]))  # so that what is sought after the last is found nowhere
    at = known.head(order.len()).search_sorted(sought.fill_null(-1), side="left")
    found = calls["call"].gather(order).append(pl.Series([None], dtype=pl.UInt32)).gather(at)
    return pl.select(pl.when(known.gather(at) == sought).then(found)).to_series().alias("call")


def _one_number(*frames: pl.DataFrame) -> pl.Expr | None:
    """Process and correlation id as one number, by which a search costs half of a join; None where too large."""
    processes = pl.concat([f["process_id"].unique() for f in frames]).drop_nulls().unique().sort()
    low = min((v for f in frames if isinstance(v := f["correlation_id"].min(), int)), default=0)
    high = max((v for f in frames if isinstance(v := f["correlation_id"].max(), int)), default=0)
    if low < 0 or (high + 1) * (processes.len() + 1) >= 2**62:
        return None
    rank = pl.col("process_id").replace_strict(
        processes, pl.int_range(processes.len(), eager=True), default=None, return_dtype=pl.Int64
    )
    return rank * (high + 1) + pl.col("correlation_id")


def _ties_in_order(activity: pl.DataFrame) -> pl.DataFrame:
    """Of activities of a GPU that start together, the one whose launch began first goes first, then stream, then id."""
    alike = pl.all_horizontal(pl.col(c) == pl.col(c).shift() for c in ORDER).fill_null(False)
    tied = activity.select((alike | alike.shift(-1, fill_value=False)).arg_true()).to_series()
    if tied.is_empty():
        return activity
    order = activity[tied].select(pl.arg_sort_by(ORDER + TIES, nulls_last=True)).to_series()
    at = pl.int_range(activity.height, dtype=pl.UInt32, eager=True)
    return activity[at.scatter(tied, tied.gather(order))]


def shared(activity: pl.DataFrame) -> pl.DataFrame:
    """The calls that launched several of the activities, as in shared_launch."""
    calls = activity["call_id"].drop_nulls().sort()
    several = calls.filter(calls == calls.shift()).unique()
    found = activity.lazy().select("call_id", "start_ns", "end_ns").filter(pl.col("call_id").is_in(several.implode()))
    return found.group_by("call_id").agg(pl.col("start_ns").min(), pl.col("end_ns").max()).collect()


def held_up(waits: pl.DataFrame, activity: pl.DataFrame, shared_launch: pl.DataFrame) -> pl.DataFrame:
    """The waits of stream_wait, each with the launch that it holds up and the work that it waits for.

    As in stream_wait_launch.
    """
    if waits.is_empty():
        return pl.DataFrame(schema=HELD_UP)
    launched_on = _on_streams(activity, waits)
    held = (
        waits.with_columns(key=_streams(waits, waits))
        .sort("start_ns")
        .join_asof(
            launched_on,
            left_on="start_ns",
            right_on="api_start_ns",
            by="key",
            strategy="forward",
            allow_exact_matches=False,
            check_sortedness=False,
        )
        .drop_nulls("at")
    )
    held = held.with_columns(call_id=activity["call_id"].gather(held["at"]).cast(pl.Int64)).drop("at", "api_start_ns")
    held = (
        held.with_columns(key=_streams(held, waits, "recorded_stream_id"))
        .sort("recorded_ns")
        .join_asof(
            launched_on,
            left_on="recorded_ns",
            right_on="api_start_ns",
            by="key",
            allow_exact_matches=False,
            check_sortedness=False,
        )
    )
    last = activity.select(last_call_id="call_id", last_end_ns="end_ns", last_gpu_id="gpu_id")
    several = shared_launch.select(
        last_call_id=pl.col("call_id").cast(last["last_call_id"].dtype), whole_end_ns="end_ns"
    )
    return (
        held.hstack(last.select(pl.all().gather(held["at"])))
        .join(several, on="last_call_id", how="left")
        .with_columns(last_end_ns=pl.coalesce("whole_end_ns", "last_end_ns"))
        .select(HELD_UP.names())
    )


def _on_streams(activity: pl.DataFrame, waits: pl.DataFrame) -> pl.DataFrame:
    """The activities on the streams that the waits name, whose launch is recorded, by its start.

    Columns key, the stream as a number; api_start_ns; and at, the activity's position.
    """
    keys = _streams(activity, waits)
    at = (keys.is_not_null() & activity["call_id"].is_not_null()).arg_true()
    start_ns = activity["api_start_ns"].gather(at)
    return pl.DataFrame({"key": keys.gather(at), "api_start_ns": start_ns, "at": at}).sort("api_start_ns")


def _streams(frame: pl.DataFrame, waits: pl.DataFrame, column: str = "stream_id") -> pl.Series:
    """The stream of each row as a number, by its process and `column`; NULL if no wait names such a one."""
    streams = pl.concat([waits["stream_id"], waits["recorded_stream_id"]]).drop_nulls().unique().sort()
    processes = waits["process_id"].drop_nulls().unique().sort()
    rank = [
        pl.col(c).cast(pl.Int64).replace_strict(known, pl.int_range(known.len(), eager=True), default=None)
        for c, known in (("process_id", processes), (column, streams))
    ]
    return frame.select((rank[0] * streams.len() + rank[1]).cast(pl.Int32)).to_series()
