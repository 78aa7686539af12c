"""Gaps and their pieces: why each GPU was idle, nanosecond by nanosecond.

A gap ends because an activity starts, and that one was asked for by a launch on a thread. What the thread
did before the launch, the launch call itself, and what the GPU waited for after it are booked separately,
each stretch to the first cause that applies. No table is read twice, and no gap meets a row that does not
overlap it.
"""

from collections.abc import Callable

import polars as pl

from nsysql.idle.sweep import overlaps, winners

MS = 1_000_000
THREAD_BITS = 0xFFFFFF  # the thread's part of a globalTid; without it stands the process's globalPid
SYNC_NOTICE_NS = MS  # the first millisecond of a wait past the GPU's work is the time it took to notice
FIRST_LAUNCH_NS = MS  # a first launch longer than this loads or compiles code
LATENCY_SAMPLES = 20  # fewer pieces than this make no median
LATENCY_NS = (2_000, 20_000)  # bounds of the usual launch latency
LATENCY_CAP = 3  # what exceeds this many medians is not latency
MIGRATIONS = (11, 12, 13)  # copy kinds of unified memory
WAITS = ("os_wait_lock", "not_scheduled")  # a thread that waits for another one does only these

RUNTIME = "CUPTI_ACTIVITY_KIND_RUNTIME"
SYNCHRONIZATION = "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION"
STREAMS = "TARGET_INFO_CUDA_STREAM"
SOURCE = pl.Enum(
    [
        RUNTIME,
        SYNCHRONIZATION,
        STREAMS,
        "CUPTI_ACTIVITY_KIND_OVERHEAD",
        "OSRT_API",
        "PROFILER_OVERHEAD",
        "SCHED_EVENTS",
    ]
)
CAUSE = pl.Enum(
    [
        "profiler",
        "sync",  # split into the next two before it is booked
        "sync_return",
        "sync_wait",
        "module_load",
        "context_setup",
        "stream_and_event_setup",
        "graph_build",
        "memory_management",
        "other_cuda_api",
        "os_wait_lock",
        "os_wait_io",
        "os_sleep",
        "os_other",
        "not_scheduled",
        "waiting_for_thread",
        "host_code",
        "blocked_launch",
        "pageable_copy",
        "first_launch",
        "launch_call",
        "graph_dependency",
        "launch_batch",
        "stream_wait",
        "graph_launch",
        "launch_latency",
        "queued_unexplained",
        "unified_memory",
        "no_launch_recorded",
    ]
)
PIECE: dict[str, pl.DataType | type[pl.DataType]] = {
    "gap_id": pl.Int64,
    "cause": CAUSE,
    "start_ns": pl.Int64,
    "end_ns": pl.Int64,
    "source": SOURCE,
    "row_id": pl.Int64,
    "name_id": pl.Int64,
}
ORDER = [("rank", False), ("start_ns", True), ("end_ns", False), ("source", False), ("row_id", False)]

View = Callable[[str], pl.DataFrame]


def compute(view: View) -> dict[str, pl.DataFrame]:
    """The frames gpu_window_record, idle_gap_record and idle_piece_record, from the views named in their headers."""
    rows = (
        _narrow(view("thread_activity"), "name_id")
        .rename({"thread_id": "key"})
        .cast({"cause": CAUSE, "source": SOURCE})
    )
    activity = _in_gpu_order(
        _launched(_narrow(view("gpu_activity_record"), "detail_id", "short_name_id"), rows)
    )
    rows = rows.drop("correlation_id")
    gaps = find_gaps(activity)
    activity = activity.drop(
        "kind", "detail_id", "row_id", "correlation_id", "is_pageable", "api_end_ns", "api_name_id"
    )
    before = _before_launch(gaps, rows)
    rows = rows.filter(
        _is("profiler", "module_load", "blocked_launch")
    )  # few; all that the other pieces ask for
    pieces = pl.concat(
        [
            before,
            _in_launch(gaps, activity, rows),
            _after_launch(gaps, activity, rows, view),
            _without_launch(gaps, rows),
        ]
    )
    of_gap = pieces["gap_id"] - 1
    return {
        "gpu_window_record": activity.group_by("gpu_id").agg(
            pl.col("start_ns").min(), pl.col("end_ns").max()
        ),
        "idle_gap_record": _named(gaps),
        "idle_piece_record": pieces.select(
            "gap_id",
            gaps["gpu_id"].gather(of_gap),
            "cause",
            "start_ns",
            "end_ns",
            gaps["thread_id"].gather(of_gap),
            evidence_table="source",
            evidence_row_id="row_id",
            evidence_name_id="name_id",
        ),
    }


def _narrow(frame: pl.DataFrame, *columns: str) -> pl.DataFrame:
    """The frame with those columns in 32 bits where their values fit: half the memory of a long table."""
    fits = [c for c in columns if frame[c].is_between(-(2**31), 2**31 - 1).all()]
    return frame.cast(dict.fromkeys(fits, pl.Int32))


# Gaps --------------------------------------------------------------------------------------------


def _launched(activity: pl.DataFrame, rows: pl.DataFrame) -> pl.DataFrame:
    """Each activity with the call of its process and correlation id; NULL where that is not recorded."""
    calls = (
        rows.select("key", "source", "correlation_id")
        .with_row_index("at")
        .filter((pl.col("source") == RUNTIME) & pl.col("correlation_id").is_not_null())
        .select("at", "correlation_id", process_id=pl.col("key") - (pl.col("key") & THREAD_BITS))
    )
    on = ["process_id", "correlation_id"]
    keyed = _one_key(activity, calls, on)
    if keyed is None:
        found = activity.join(calls, on=on, how="left")
    else:
        found = keyed[0].join(keyed[1].drop(on), on="launch", how="left").drop("launch")
    call = rows.select(
        thread_id="key",
        api_start_ns="start_ns",
        api_end_ns="end_ns",
        api_row_id="row_id",
        api_name_id="name_id",
    ).select(pl.all().gather(found["at"]))
    return found.drop("at").hstack(call)


def _one_key(
    left: pl.DataFrame, right: pl.DataFrame, on: list[str]
) -> tuple[pl.DataFrame, pl.DataFrame] | None:
    """Both frames with process and correlation id as one number, on which a join costs half; None where too large."""
    processes = pl.concat([f["process_id"].unique() for f in (left, right)]).drop_nulls().unique().sort()
    low = min((v for f in (left, right) if isinstance(v := f["correlation_id"].min(), int)), default=0)
    high = max((v for f in (left, right) if isinstance(v := f["correlation_id"].max(), int)), default=0)
    if low < 0 or (high + 1) * (processes.len() + 1) >= 2**62:
        return None
    rank = pl.col("process_id").replace_strict(
        processes, pl.int_range(processes.len(), eager=True), default=None, return_dtype=pl.Int64
    )
    key = (rank * (high + 1) + pl.col("correlation_id")).alias("launch")
    return left.with_columns(key), right.with_columns(key)


def _in_gpu_order(activity: pl.DataFrame) -> pl.DataFrame:
    """By GPU and start; of those that start together, the one whose launch began first, then stream, then id."""
    order = ["gpu_id", "start_ns", "api_start_ns", "stream_id", "correlation_id", "kind", "row_id"]
    activity = activity.sort(order[:2])
    same = (pl.col("start_ns") == pl.col("start_ns").shift()) & (pl.col("gpu_id") == pl.col("gpu_id").shift())
    return activity.sort(order, nulls_last=True) if activity.select(same.any()).item() else activity


def find_gaps(activity: pl.DataFrame) -> pl.DataFrame:
    """One row per gap, in order of GPU and start: the next activity's columns, and the previous one's."""
    running = activity.with_row_index("at").with_columns(busy_until=pl.col("end_ns").cum_max().over("gpu_id"))
    last = pl.when(pl.col("end_ns") == pl.col("busy_until")).then("at").forward_fill()
    gaps = running.with_columns(
        pl.col("busy_until").shift().over("gpu_id"),
        previous=last.shift(),
    ).filter(pl.col("start_ns") > pl.col("busy_until"))
    before = activity.select(
        previous_kind="kind",
        previous_detail_id="detail_id",
        previous_process_id="process_id",
        previous_stream_id="stream_id",
        previous_thread_id="thread_id",
    )[gaps["previous"]]
    return (
        gaps.drop("at", "previous", "end_ns")
        .rename({"busy_until": "start_ns", "start_ns": "end_ns"})
        .hstack(before)
        .with_row_index("gap_id", offset=1)
        .with_columns(pl.col("gap_id").cast(pl.Int64))
    )


def _named(gaps: pl.DataFrame) -> pl.DataFrame:
    return gaps.select(
        "gap_id",
        "gpu_id",
        "start_ns",
        "end_ns",
        pl.col("previous_kind").cast(pl.String),
        "previous_detail_id",
        "previous_process_id",
        "previous_stream_id",
        "previous_thread_id",
        next_kind=pl.col("kind").cast(pl.String),
        next_detail_id="detail_id",
        next_row_id="row_id",
        next_process_id="process_id",
        next_stream_id="stream_id",
        thread_id="thread_id",
        api_row_id="api_row_id",
        api_name_id="api_name_id",
        api_start_ns="api_start_ns",
        api_end_ns="api_end_ns",
    )


# Booking -----------------------------------------------------------------------------------------


def _booked(parts: pl.DataFrame, claims: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Parts of gaps cut by the claims that win them; what nothing claims is booked to the part's rest.

    `parts` has gap_id, key, start_ns, end_ns and the columns of _rest, at most one part a gap; `claims` has
    key, start_ns, end_ns, rank, cause, source, row_id and name_id. Returns the pieces of parts that no claim
    touched, one each, and the pieces of those that were cut.
    """
    parts = parts.filter(pl.col("end_ns") > pl.col("start_ns")).select(
        "gap_id", "key", "start_ns", "end_ns", *REST
    )
    pairs = overlaps(
        parts.select(pl.col("gap_id").alias("interval"), "key", "start_ns", "end_ns"),
        claims.with_row_index("row"),
    )
    if pairs.is_empty():
        return _uncut(parts), pl.DataFrame(schema=PIECE)
    claimed = pairs.select("interval").hstack(claims.drop("key")[pairs["row"]]).cast({"name_id": pl.Int64})
    is_cut = pl.col("gap_id").is_in(pairs["interval"].unique().implode())
    cut = parts.filter(is_cut)
    won = winners(cut.select(pl.col("gap_id").alias("interval"), "start_ns", "end_ns"), claimed, ORDER)
    evidence = claimed.select("cause", "source", "row_id", "name_id").with_row_index("claim")
    pieces = (
        won.join(evidence, on="claim", how="left", maintain_order="left")
        .rename({"interval": "gap_id"})
        .join(cut.select("gap_id", *REST), on="gap_id", maintain_order="left")
    )
    free = pl.col("claim").is_null()
    pieces = pieces.with_columns(
        pl.when(free).then(rest).otherwise(own).alias(own)
        for own, rest in zip(("cause", "source", "row_id", "name_id"), REST, strict=True)
    )
    return _uncut(parts.filter(~is_cut)), pieces.select(list(PIECE))


def _uncut(parts: pl.DataFrame) -> pl.DataFrame:
    names = dict(zip(REST, ("cause", "source", "row_id", "name_id"), strict=True))
    return parts.rename(names).select(list(PIECE))


REST = ("rest", "rest_source", "rest_row_id", "rest_name_id")


def _rest(
    cause: pl.Expr, source: pl.Expr | None = None, row: str | None = None, name: str | None = None
) -> list[pl.Expr]:
    """The columns that say to what a part's unclaimed stretches are booked, and on what evidence."""
    return [
        cause.cast(CAUSE).alias("rest"),
        (pl.lit(None) if source is None else source).cast(SOURCE).alias("rest_source"),
        (pl.lit(None, pl.Int64) if row is None else pl.col(row)).alias("rest_row_id"),
        (pl.lit(None) if name is None else pl.col(name)).cast(pl.Int64).alias("rest_name_id"),
    ]


def _only(rows: pl.DataFrame, ranks: dict[str, int]) -> pl.DataFrame:
    """The rows of those causes, ranked anew."""
    return rows.filter(pl.any_horizontal(pl.col("cause") == cause for cause in ranks)).with_columns(
        rank=pl.col("cause").cast(pl.String).replace_strict(ranks, return_dtype=pl.UInt8)
    )


def _before_launch(gaps: pl.DataFrame, rows: pl.DataFrame) -> pl.DataFrame:
    """Piece 1: the host had not asked for work yet. What its thread was doing is the cause."""
    parts = gaps.filter(pl.col("api_start_ns") > pl.col("start_ns")).with_columns(
        pl.min_horizontal("api_start_ns", "end_ns").alias("end_ns"), key="thread_id"
    )
    claims = rows.filter(pl.col("rank") <= 7)
    booked = pl.concat(_booked(parts.with_columns(_rest(pl.lit("host_code"))), claims))
    booked = _split_sync(booked, parts)
    worker = parts.filter(
        (pl.col("previous_process_id") == pl.col("process_id"))
        & (pl.col("previous_thread_id") != pl.col("thread_id"))
    ).join(booked.filter(~_is("host_code", *WAITS)).select("gap_id"), on="gap_id", how="anti")
    waiting = pl.col("gap_id").is_in(worker["gap_id"].implode()) & _is("host_code", "os_wait_lock")
    return booked.with_columns(cause=pl.when(waiting).then(_cause("waiting_for_thread")).otherwise("cause"))


def _is(*causes: str) -> pl.Expr:
    return pl.any_horizontal(pl.col("cause") == cause for cause in causes)


def _cause(name: str) -> pl.Expr:
    return pl.lit(name).cast(CAUSE)


def _split_sync(booked: pl.DataFrame, parts: pl.DataFrame) -> pl.DataFrame:
    """Blocking calls: up to a millisecond into the gap the return of a wait, beyond it a wait for something else."""
    sync = booked.filter(pl.col("cause") == "sync").join(
        parts.select("gap_id", border=pl.col("start_ns") + SYNC_NOTICE_NS), on="gap_id"
    )
    soon = sync.with_columns(
        pl.min_horizontal("end_ns", "border").alias("end_ns"), cause=_cause("sync_return")
    )
    late = sync.with_columns(
        pl.max_horizontal("start_ns", "border").alias("start_ns"), cause=_cause("sync_wait")
    )
    split = pl.concat([soon, late]).filter(pl.col("end_ns") > pl.col("start_ns"))
    return pl.concat([booked.filter(pl.col("cause") != "sync"), split.select(booked.columns)])


def _in_launch(gaps: pl.DataFrame, activity: pl.DataFrame, rows: pl.DataFrame) -> pl.DataFrame:
    """Piece 2: the launch call had begun and not returned."""
    parts = gaps.filter(
        (pl.col("api_start_ns") < pl.col("end_ns")) & (pl.col("api_end_ns") > pl.col("start_ns"))
    )
    parts = parts.with_columns(
        pl.max_horizontal("start_ns", "api_start_ns").alias("start_ns"),
        pl.min_horizontal("end_ns", "api_end_ns").alias("end_ns"),
        key="thread_id",
    )
    long = pl.col("api_end_ns") - pl.col("api_start_ns") > FIRST_LAUNCH_NS
    slow = (
        parts.filter(long & pl.col("short_name_id").is_not_null())
        .select("process_id", "short_name_id")
        .unique()
    )
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
    claims = _only(rows, {"profiler": 1, "module_load": 2, "blocked_launch": 3})
    return pl.concat(
        _booked(parts.with_columns(_rest(cause, pl.lit(RUNTIME), "api_row_id", "api_name_id")), claims)
    )


def _without_launch(gaps: pl.DataFrame, rows: pl.DataFrame) -> pl.DataFrame:
    """Gaps whose next activity has no launch in the export: migrations of unified memory, or work cut off."""
    migrated = (pl.col("kind") == "memcpy") & pl.col("detail_id").is_in(MIGRATIONS)
    parts = gaps.filter(pl.col("api_start_ns").is_null()).with_columns(
        key="process_id",
    )
    cause = pl.when(migrated).then(pl.lit("unified_memory")).otherwise(pl.lit("no_launch_recorded"))
    claims = _only(rows, {"profiler": 1}).with_columns(key=pl.col("key") - (pl.col("key") & THREAD_BITS))
    return pl.concat(_booked(parts.with_columns(_rest(cause)), claims))


# After the call returned -------------------------------------------------------------------------


def _after_launch(gaps: pl.DataFrame, activity: pl.DataFrame, rows: pl.DataFrame, view: View) -> pl.DataFrame:
    """Piece 3: work was queued and the GPU did not start it."""
    graphs = view("api_cause").filter("is_graph_launch")["id"]
    parts = gaps.filter(pl.col("api_end_ns") < pl.col("end_ns")).select(
        "gap_id",
        "gpu_id",
        pl.max_horizontal("start_ns", "api_end_ns").alias("start_ns"),
        "end_ns",
        "api_start_ns",
        "api_row_id",
        "api_name_id",
        "process_id",
        "stream_id",
        "previous_process_id",
        "previous_stream_id",
        gap_start_ns="start_ns",
        key="thread_id",
    )
    batched = (
        activity.filter(pl.col("api_row_id").is_duplicated())
        .group_by("api_row_id")
        .agg(first_ns=pl.col("start_ns").min())
    )
    later = parts.join(batched, on="api_row_id").filter(pl.col("end_ns") > pl.col("first_ns"))["gap_id"]
    waits = _stream_waits(parts, activity, view).filter(~pl.col("gap_id").is_in(later.implode()))
    is_graph = pl.col("api_name_id").is_in(graphs.implode())
    is_later = pl.col("gap_id").is_in(later.implode())
    kind = (
        pl.when(is_later & is_graph)
        .then(_cause("graph_dependency"))
        .when(is_later)
        .then(_cause("launch_batch"))
        .when(is_graph)
        .then(_cause("graph_launch"))
        .otherwise(_cause("launch_latency"))
    )
    is_waiting = pl.col("gap_id").is_in(waits["gap_id"].implode())
    waiting = parts.filter(is_waiting).join(waits, on="gap_id")
    parts = parts.filter(~is_waiting).with_columns(_rest(kind, pl.lit(RUNTIME), "api_row_id", "api_name_id"))
    waiting = waiting.with_columns(_rest(_cause("stream_wait"), pl.col("wait_source"), "wait_row_id"))
    profiled = _only(rows, {"profiler": 1})
    caps = _latency_caps(parts)
    return pl.concat(
        [
            *_booked(waiting, profiled),
            *(_capped(booked, gaps["gpu_id"], caps) for booked in _booked(parts, profiled)),
        ]
    )


def _latency_caps(parts: pl.DataFrame) -> pl.DataFrame:
    """Per GPU how long a start can take to count as latency: gpu_id, cap."""
    usual = (
        parts.filter(pl.col("rest") == "launch_latency")
        .group_by("gpu_id")
        .agg(median=(pl.col("end_ns") - pl.col("start_ns")).median(), count=pl.len())
    )
    median = (
        pl.when(pl.col("count") < LATENCY_SAMPLES)
        .then(LATENCY_NS[0])
        .otherwise(pl.col("median").clip(*LATENCY_NS))
    )
    return usual.select("gpu_id", cap=(LATENCY_CAP * median).floor().cast(pl.Int64))


def _capped(booked: pl.DataFrame, gpus: pl.Series, caps: pl.DataFrame) -> pl.DataFrame:
    """Launch latency up to the GPU's cap, counted over the pieces of a gap; what is beyond is unexplained.

    `gpus` has the GPU of each gap.
    """
    latency = booked.filter(_is("launch_latency"))
    if latency.is_empty():
        return booked
    length = pl.col("end_ns") - pl.col("start_ns")
    spent = pl.lit(0) if latency["gap_id"].is_unique().all() else length.cum_sum().over("gap_id") - length
    cap = gpus.gather(latency["gap_id"] - 1).replace_strict(caps["gpu_id"], caps["cap"])
    latency = latency.with_columns(border=pl.col("start_ns") + (cap - spent).clip(lower_bound=0))
    within = latency.with_columns(pl.min_horizontal("end_ns", "border").alias("end_ns"))
    beyond = latency.filter(pl.col("end_ns") > pl.col("border")).with_columns(
        pl.max_horizontal("start_ns", "border").alias("start_ns"), cause=_cause("queued_unexplained")
    )
    within = within.filter(pl.col("end_ns") > pl.col("start_ns"))
    return pl.concat(
        [booked.filter(~_is("launch_latency")), within.select(booked.columns), beyond.select(booked.columns)]
    )


def _stream_waits(parts: pl.DataFrame, activity: pl.DataFrame, view: View) -> pl.DataFrame:
    """The gaps whose next activity's stream was told to wait: gap_id, wait_source, wait_row_id."""
    found = pl.concat(
        [_event_waits(parts, activity, view("stream_wait")), _default_stream_waits(parts, view)]
    )
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


def _default_stream_waits(parts: pl.DataFrame, view: View) -> pl.DataFrame:
    """Work of the legacy default stream waits for blocking streams, and theirs for it."""
    streams = (
        view("cuda_stream")
        .group_by("pid", "stream_id")
        .agg(pl.col("is_null").any(), pl.col("is_blocking").all())
    )
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
        (pl.col("is_null") & pl.col("is_blocking_before"))
        | (pl.col("is_null_before") & pl.col("is_blocking"))
    ).select("gap_id", wait_source=pl.lit(STREAMS).cast(SOURCE), wait_row_id=pl.lit(None, pl.Int64))
