"""Gaps: where a GPU ran nothing, and the launch that ended it.

Activities and calls are long tables of many columns; a gap names its rows in them by position.
"""

import polars as pl

from nsysql.idle.activity import ORDER
from nsysql.idle.booking import RUNTIME, THREAD_BITS

TIES = ["api_start_ns", "stream_id", "correlation_id", "kind", "row_id"]


def launches(activity: pl.DataFrame, rows: pl.DataFrame) -> pl.Series:
    """The position in `rows` of the call of each activity's process and correlation id; NULL where not recorded."""
    calls = (
        rows.lazy()
        .select("source", "correlation_id", process_id=pl.col("key") - (pl.col("key") & THREAD_BITS))
        .with_row_index("call")
        .filter((pl.col("source") == RUNTIME) & pl.col("correlation_id").is_not_null())
        .drop("source")
        .collect()
    )
    asked = activity.select("process_id", "correlation_id")
    one = _one_number(asked, calls)
    if one is None:
        calls = calls.unique(["process_id", "correlation_id"], keep="first", maintain_order=True)
        return asked.join(calls, on=["process_id", "correlation_id"], how="left", maintain_order="left")["call"]
    sought, known = (f.select(one).to_series() for f in (asked, calls))
    order = calls.select(pl.arg_sort_by(known, maintain_order=True)).to_series()
    known = known.gather(order).append(pl.Series([-1]))  # so that what is sought after the last is found nowhere
    at = known.head(order.len()).search_sorted(sought.fill_null(-1), side="left")
    found = calls["call"].gather(order).append(pl.Series([None], dtype=pl.UInt32)).gather(at)
    return pl.select(pl.when(known.gather(at) == sought).then(found)).to_series().alias("call")


def are_shared(call: pl.Series, calls: int) -> pl.Series:
    """Whether the call that launched each activity, the position of one of `calls`, launched others too."""
    known = call.drop_nulls()
    at = pl.int_range(known.len(), dtype=pl.UInt32, eager=True)
    last = pl.repeat(0, calls, dtype=pl.UInt32, eager=True).scatter(known, at)
    several = known.filter(last.gather(known) != at).unique()
    is_shared = pl.repeat(False, calls, eager=True).scatter(several, True)
    return is_shared.gather(call).fill_null(False).alias("is_shared")


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


def ties_in_order(activity: pl.DataFrame, rows: pl.DataFrame) -> pl.DataFrame:
    """Of activities of a GPU that start together, the one whose launch began first goes first, then stream, then id."""
    alike = pl.all_horizontal(pl.col(c) == pl.col(c).shift() for c in ORDER).fill_null(False)
    tied = activity.select((alike | alike.shift(-1, fill_value=False)).arg_true()).to_series()
    if tied.is_empty():
        return activity
    sorting = activity[tied].with_columns(api_start_ns=rows["start_ns"].gather(activity["call"].gather(tied)))
    order = sorting.select(pl.arg_sort_by(ORDER + TIES, nulls_last=True)).to_series()
    at = pl.int_range(activity.height, dtype=pl.UInt32, eager=True)
    return activity[at.scatter(tied, tied.gather(order))]


def find_gaps(activity: pl.DataFrame, rows: pl.DataFrame) -> pl.DataFrame:
    """One row per gap, in order of GPU and start.

    Columns gap_id (from 0), gpu_id, start_ns, end_ns; previous and next, the positions of the activities
    before and after; call, the position of the next one's launch, its thread_id, api_start_ns and api_end_ns.
    """
    running = activity.select(*ORDER, "end_ns", busy_until=pl.col("end_ns").cum_max().over("gpu_id"))
    last = pl.when(pl.col("end_ns") == pl.col("busy_until")).then(pl.int_range(pl.len(), dtype=pl.UInt32))
    gaps = running.select(
        "gpu_id",
        pl.col("busy_until").shift().over("gpu_id").alias("start_ns"),
        end_ns="start_ns",
        previous=last.forward_fill().shift(),
        next=pl.int_range(pl.len(), dtype=pl.UInt32),
    ).filter(pl.col("end_ns") > pl.col("start_ns"))
    call = activity["call"].gather(gaps["next"])
    names = {"key": "thread_id", "start_ns": "api_start_ns", "end_ns": "api_end_ns"}
    asked = {new: rows[name].gather(call) for name, new in names.items()}
    no_earlier = pl.max_horizontal("api_start_ns", "api_end_ns")  # where a return before the start was recorded
    return gaps.with_columns(call, **asked).with_columns(api_end_ns=no_earlier).with_row_index("gap_id")


def named(gaps: pl.DataFrame, activity: pl.DataFrame, rows: pl.DataFrame) -> pl.DataFrame:
    """The gaps with the columns of idle_gap_record, but for the main cause."""

    def of(which: str, *columns: str) -> dict[str, pl.Series]:
        return {f"{which}_{c}": activity[c].gather(gaps[which]) for c in columns}

    return gaps.select(
        pl.col("gap_id") + 1,
        "gpu_id",
        "start_ns",
        "end_ns",
        **of("previous", "kind", "detail_id"),
        **of("next", "kind", "detail_id", "stream_id"),
        thread_id="thread_id",
        api_name_id=rows["name_id"].gather(gaps["call"]),
    )
