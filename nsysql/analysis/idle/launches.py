"""Join GPU activities with the calls that launched them, and derive facts about the whole export from these."""

from functools import cached_property

import polars as pl

from nsysql.analysis.global_ids import process_of
from nsysql.analysis.idle.activity import ORDER
from nsysql.analysis.idle.attribution import RUNTIME
from nsysql.analysis.idle.blocks import InMemory, OnDisk
from nsysql.analysis.idle.drains import drain_calls
from nsysql.analysis.intervals import rank_among, with_nearest, with_ties_in_order
from nsysql.analysis.view_reader import ViewReader

PART = pl.Enum(["first", "last"])
LOOKUPS = 100  # a CUDA runtime looks up more functions of the driver when it starts
TIES = ["api_start_ns", "stream_id", "correlation_id", "kind", "row_id"]
CALL = {  # names in activities for the columns of their launching rows
    "thread_id": "key",
    "call_id": "row_id",
    "api_start_ns": "start_ns",
    "api_end_ns": "end_ns",
    "api_name_id": "name_id",
}
HELD_UP = ("row_id", "start_ns", "call_id", "recorded_ns", "last_end_ns", "last_gpu_id")


def with_launch(activity: pl.DataFrame, rows: pl.DataFrame) -> pl.DataFrame:
    """Add to the sorted activities of GPUs the calls that launched them: _activity_launch, computed in memory."""
    call = _calls(activity, rows)
    rows_with_call = activity.with_columns(rows[name].gather(call).alias(new) for new, name in CALL.items())
    return with_ties_in_order(rows_with_call, ORDER, TIES).drop("correlation_id")


def _calls(activity: pl.DataFrame, rows: pl.DataFrame) -> pl.Series:
    """Return the position in `rows` of the call with each activity's process and correlation id; NULL if none."""
    of_process = rows.lazy().select("source", "correlation_id", "row_id", process_id=process_of(pl.col("key")))
    recorded = of_process.with_row_index("call").filter(pl.col("source") == RUNTIME).drop_nulls("correlation_id")
    calls = recorded.drop("source").collect()
    keys = activity.select("process_id", "correlation_id")
    one = _one_number(keys, calls)
    if one is None:
        calls = calls.sort("row_id").unique(["process_id", "correlation_id"], keep="first")
        return keys.join(calls, on=["process_id", "correlation_id"], how="left", maintain_order="left")["call"]
    sought, known = (f.select(one).to_series() for f in (keys, calls))
    order = calls.select(pl.arg_sort_by(known)).to_series()
    if (known.gather(order).diff() == 0).any():  # of calls that share an id the first in the table counts
        order = calls.select(pl.arg_sort_by(known, "row_id")).to_series()
    known = known.gather(order).append(pl.Series([-1]))  # a search beyond the last then finds no call
    at = known.head(order.len()).search_sorted(sought.fill_null(-1), side="left")
    call_of = calls["call"].gather(order).append(pl.Series([None], dtype=pl.UInt32)).gather(at)
    return pl.select(pl.when(known.gather(at) == sought).then(call_of)).to_series().alias("call")


def _one_number(*frames: pl.DataFrame) -> pl.Expr | None:
    """Combine process and correlation id to one number, whose search costs half of a join; None if it is too large."""
    processes = pl.concat([f["process_id"].unique() for f in frames]).drop_nulls().unique().sort()
    low = min((v for f in frames if isinstance(v := f["correlation_id"].min(), int)), default=0)
    high = max((v for f in frames if isinstance(v := f["correlation_id"].max(), int)), default=0)
    if low < 0 or (high + 1) * (processes.len() + 1) >= 2**62:
        return None
    return rank_among(pl.col("process_id"), processes) * (high + 1) + pl.col("correlation_id")


def multi_work_calls(blocks: InMemory | OnDisk) -> pl.DataFrame:
    """Return the calls that launched several activities: call_id, start_ns of the first, end_ns of the last.

    These activities are the nodes of a graph, or the parts of a batched call.
    """
    work = blocks.work("call_id", "start_ns", "end_ns")
    calls = work["call_id"].drop_nulls().sort()
    several = calls.filter(calls == calls.shift()).unique()
    rows = work.lazy().filter(pl.col("call_id").is_in(several.implode()))
    return rows.group_by("call_id").agg(pl.col("start_ns").min(), pl.col("end_ns").max()).collect()


def staged(blocks: InMemory | OnDisk) -> pl.DataFrame:
    """Return the calls that copy pageable memory: call_id, border_ns, staged_part.

    For a copy to the GPU the CPU first moves the data to a pinned buffer, for one from the GPU it moves them out of one
    afterwards; the call takes the time of both. The border is where the GPU's part begins or ends: for a call with
    several copies the first one's start or the last one's end. staged_part is the CPU's part, 'first' or 'last'.
    """
    is_from_gpu = (pl.col("detail_id") == 2).all()
    work = blocks.work("call_id", "detail_id", "is_pageable", "start_ns", "end_ns").lazy()
    copies = work.filter("is_pageable", pl.col("call_id").is_not_null(), pl.col("detail_id").is_in([1, 2]))
    border = pl.when(is_from_gpu).then(pl.col("end_ns").max()).otherwise(pl.col("start_ns").min())
    part = pl.when(is_from_gpu).then(pl.lit("last")).otherwise(pl.lit("first")).cast(PART)
    return copies.group_by("call_id").agg(border_ns=border, staged_part=part).collect()


def first_launches(blocks: InMemory | OnDisk) -> pl.DataFrame:
    """Return the kernel functions of each process: process_id, function_id, api_start_ns, later_ns.

    These are the start of the function's first launch, and the median duration of its later launches. Template
    instances are separate functions: each is loaded when it is launched first.
    """
    took, first = pl.col("api_end_ns") - pl.col("api_start_ns"), pl.col("api_start_ns").min()
    later = took.filter(pl.col("api_start_ns") > first).median()
    work = blocks.work("process_id", "function_id", "api_start_ns", "api_end_ns", "call_id").lazy()
    functions = work.drop_nulls(["function_id", "call_id"]).group_by("process_id", "function_id")
    return functions.agg(api_start_ns=first, later_ns=later).cast({"function_id": pl.Int64}).collect()


def last_launched(blocks: InMemory | OnDisk) -> pl.DataFrame:
    """Return the start of each GPU's last work whose launch is recorded: gpu_id, last_ns."""
    recorded = blocks.work("gpu_id", "start_ns", "call_id").lazy().drop_nulls("call_id")
    return recorded.group_by("gpu_id").agg(last_ns=pl.col("start_ns").max()).collect()


def runtime_starts(blocks: InMemory | OnDisk, names: pl.DataFrame) -> pl.DataFrame:
    """Return the calls in which a CUDA runtime started: call_id.

    Each library linked to its own CUDA runtime starts one: it looks up the driver's functions (at least LOOKUPS calls
    of cuGetProcAddress), calls cuInit, and its first call, whatever its name, then sets the context up. Runtime calls
    are those named cuda; a thread's driver calls may be in between. `names` has id and text.
    """
    columns = ("key", "start_ns", "row_id", "name_id")
    calls = blocks.states(lambda rows: rows.filter(pl.col("source") == RUNTIME).select(columns))

    def ids(pattern: str) -> pl.Expr:
        return pl.col("name_id").is_in(names.filter(pl.col("text").str.contains(pattern))["id"].implode())

    is_init, is_lookup, is_runtime = ids(r"^cuInit($|_)"), ids(r"^cuGetProcAddress($|_)"), ids("^cuda")
    starting = calls.filter(is_init | is_lookup)["key"].unique()
    known = calls.filter(pl.col("key").is_in(starting.implode())).sort("key", "start_ns", "row_id")
    known = known.with_columns(is_init=is_init, is_lookup=is_lookup, is_runtime=is_runtime)
    before = (pl.col("is_runtime").cum_sum() - pl.col("is_runtime")).over("key").alias("before")
    first = pl.col("row_id").filter("is_runtime").first()
    counted = known.group_by("key", before).agg(first, pl.col("is_init", "is_lookup").sum())
    starts = counted.drop_nulls("row_id").filter((pl.col("is_init") > 0) | (pl.col("is_lookup") >= LOOKUPS))
    return starts.select(call_id="row_id")


def blocked_launches(waits: pl.DataFrame, blocks: InMemory | OnDisk, shared: pl.DataFrame) -> pl.DataFrame:
    """Return the waits of streams for CUDA events, with the launch that each holds up and the work that it waits for.

    A wait holds up the next launch on its stream. It waits for the last work launched on the recording stream before
    the record; if that launch has several activities (those in `shared`), for all. Columns as in HELD_UP: recorded_ns
    is NULL if unknown, last_end_ns and last_gpu_id if that work is not recorded.
    """
    if waits.is_empty():
        return pl.DataFrame(schema=dict.fromkeys(HELD_UP, pl.Int64))
    activity = blocks.work("process_id", "context_id", "stream_id", "call_id", "api_start_ns", "end_ns", "gpu_id")
    launched_on = _on_streams(activity, waits)
    held, how = waits.with_columns(key=_streams(waits, waits)).sort("start_ns"), {"allow_exact_matches": False}
    held = with_nearest(held, launched_on, "start_ns", "api_start_ns", "key", strategy="forward", **how)
    held = held.drop_nulls("at")
    held = held.with_columns(call_id=activity["call_id"].gather(held["at"]).cast(pl.Int64)).drop("at", "api_start_ns")
    held = held.with_columns(key=_streams(held, waits, "recorded_")).sort("recorded_ns")
    held = with_nearest(held, launched_on, "recorded_ns", "api_start_ns", "key", **how)
    last = activity.select(last_call_id="call_id", last_end_ns="end_ns", last_gpu_id="gpu_id")
    several = shared.select(last_call_id=pl.col("call_id").cast(last["last_call_id"].dtype), whole_end_ns="end_ns")
    known = held.hstack(last.select(pl.all().gather(held["at"]))).join(several, on="last_call_id", how="left")
    return known.with_columns(last_end_ns=pl.coalesce("whole_end_ns", "last_end_ns")).select(HELD_UP)


def _on_streams(activity: pl.DataFrame, waits: pl.DataFrame) -> pl.DataFrame:
    """Return the activities with a recorded launch on the streams that the waits name, by the launch's start.

    Columns key, the stream as a number; api_start_ns; and at, the activity's position.
    """
    keys = _streams(activity, waits)
    at = (keys.is_not_null() & activity["call_id"].is_not_null()).arg_true()
    start_ns = activity["api_start_ns"].gather(at)
    return pl.DataFrame({"key": keys.gather(at), "api_start_ns": start_ns, "at": at}).sort("api_start_ns")


def _streams(frame: pl.DataFrame, waits: pl.DataFrame, prefix: str = "") -> pl.Series:
    """Return the stream of each row as a number, by its process, context and stream; NULL if no wait names it."""
    number = pl.lit(0, pl.Int64)
    for column, own in (("process_id", "process_id"), *((c, prefix + c) for c in ("context_id", "stream_id"))):
        named = [waits[name] for name in (column, f"recorded_{column}") if name in waits.columns]
        known = pl.concat(named).drop_nulls().unique().sort()
        number = number * known.len() + rank_among(pl.col(own).cast(pl.Int64), known)
    return frame.select(number).to_series()


class LedgerContext:
    """Launches, waits and streams of the whole export, and the caps of launch latency once they are known.

    The functions that compute the frames describe them.
    """

    caps: pl.DataFrame

    def __init__(self, views: ViewReader, blocks: InMemory | OnDisk) -> None:
        self._views, self._blocks = views, blocks
        self.shared_launches = multi_work_calls(blocks)
        self.stream_waits = blocked_launches(views("stream_wait"), blocks, self.shared_launches)
        self.first_launches = first_launches(blocks)
        self.last_launched = last_launched(blocks)
        self.drains = drain_calls(blocks)
        self.staged_copies = staged(blocks)
        self.runtime_starts = runtime_starts(blocks, views("string"))

    @cached_property
    def streams(self) -> pl.DataFrame:
        """The streams of each process, by its pid: whether it is the legacy default stream, and whether it blocks."""
        streams = self._views("cuda_stream").group_by("pid", "stream_id")
        return streams.agg(pl.col("is_null").any(), pl.col("is_blocking").all())

    @cached_property
    def launched(self) -> pl.DataFrame:
        """All activities with a recorded launch: gpu_id, process_id, thread_id, start_ns, api_start_ns, api_end_ns.

        It is long, and only used for exports in which the host reads unified memory.
        """
        columns = ("gpu_id", "process_id", "thread_id", "start_ns", "api_start_ns", "api_end_ns")
        return self._blocks.work("call_id", *columns).drop_nulls("call_id").drop("call_id")

    @cached_property
    def graph_launches(self) -> pl.Series:
        """The names of calls that launch a CUDA graph."""
        return self._views("_api_cause").filter("is_graph_launch")["id"]
