"""Prepare the calls of a capture for the graph: outermost ones, by threads that take turns, and what they wait for."""

import polars

from nsysql.analysis.intervals import with_nearest

TOLERANCE = 20_000  # ns by which the clocks of CPU and GPU can disagree
TAKING_TURNS = 0.02  # threads whose calls overlap for less of their time are one chain
DEVICE_WAIT = r"^(cuda(Device|Thread)Synchronize|cuCtxSynchronize)"
STREAM_WAIT = r"^cu(da)?StreamSynchronize"
EVENT_WAIT = r"^cu(da)?EventSynchronize"
ANY_WAIT = r"Synchronize"  # another thread can make calls meanwhile
QUERY = r"^cu(da)?(Event|Stream)Query"
NOT_READY = 600  # what a query returns until the work has ended
ERRORS = r"^cu(da)?(Get|Peek\w*)LastError"  # which clear what a query returned
FREE = r"^(cudaFree(Host|Array)?|cuMemFree(Host|_v2)?)(_v\d+)?$"
MUCH = 0.05  # share of the launches from which a thread matters; of the time, from which waits for others do
INDEX = polars.int_range(polars.len())  # of each row


def outer_calls(calls: polars.DataFrame) -> polars.DataFrame:
    """Sort calls by process, thread and start; add `outer`, the row of the outermost call around each, or its own."""
    ordered = calls.sort("process_id", "thread_id", "start_ns", -polars.col("end_ns"), "correlation_id")
    thread = ["process_id", "thread_id"]
    until = polars.col("end_ns").cum_max().shift(1).over(thread)
    inner = (polars.col("end_ns") <= until).fill_null(False)
    return ordered.with_columns(outer=polars.when(~inner).then(INDEX).forward_fill())


def merged_polls(calls: polars.DataFrame) -> polars.DataFrame:
    """Make one call, `polls`, of queries in a row that all but the last return "not ready": the thread waits for it.

    Calls between them that ask for the last error do not matter.
    """
    name, status, thread = polars.col("name"), polars.col("return_value"), ["process_id", "thread_id"]
    asks, clears = name.str.contains(QUERY), name.str.contains(ERRORS)
    is_open = polars.when(~clears).then(asks & (status == NOT_READY).fill_null(False))
    again = (asks | clears) & is_open.forward_fill().shift(1).over(thread)
    runs = calls.with_columns(again=again.fill_null(False), answer=polars.when(asks).then(status))
    if not runs["again"].any():
        return calls.with_columns(polls=polars.lit(False))
    answer = polars.col("answer").drop_nulls()
    merged = runs.group_by((~polars.col("again")).cum_sum().alias("run"), maintain_order=True).agg(
        polars.exclude("end_ns", "again", "answer").first(),
        polars.col("end_ns").last(),
        polls=(answer.len() > 1) & (answer.last() != NOT_READY).fill_null(False),
    )
    return merged.drop("run")


def threads(calls: polars.DataFrame) -> tuple[polars.DataFrame, str | None]:
    """Add `chain` to calls, one number for a process's threads that take turns; say why threads cannot be replayed.

    Threads that launch at once, each on GPUs of its own, are as independent as processes.
    """
    by_time = calls.sort("process_id", "start_ns", "end_ns").with_columns(
        polars.when(~(polars.col("name").str.contains(ANY_WAIT) | polars.col("polls"))).then("end_ns").otherwise(0)
        .cum_max().shift(1, fill_value=0).over("process_id").alias("until")
    )  # fmt: skip
    overlap = by_time.group_by("process_id").agg(
        both=(polars.min_horizontal("until", "end_ns") - polars.col("start_ns")).clip(0).sum(),
        all=(polars.col("end_ns") - polars.col("start_ns")).sum(),
    )
    turns = overlap.filter(polars.col("both") <= TAKING_TURNS * polars.col("all"))["process_id"]
    one = polars.col("process_id").is_in(turns.implode())
    thread = polars.when(one).then(0).otherwise("thread_id").alias("thread")
    chained = calls.with_columns(chain=polars.struct("process_id", thread).rank("dense"))
    gpu = ["process_id", "gpu_id"]
    launches = chained.filter("launches").group_by(*gpu, "chain").len()
    busy = launches.filter(polars.col("len") >= MUCH * polars.col("len").sum().over(gpu))
    most = busy.group_by(gpu).len()["len"].max()
    why = None
    if isinstance(most, int) and most > 1:
        why = f"{most} threads of one process launch work on one GPU at once, and how they wait is not recorded"
    return chained, why


def waited_for(calls: polars.DataFrame, works: polars.DataFrame, streams: polars.DataFrame) -> polars.DataFrame:
    """Return the work that each blocking call waits for (call, work): the last work before the call on each stream.

    A call that waits for an event can return while later work of the stream runs: it waits for the last that has ended.
    """
    name = polars.col("name")
    of = {DEVICE_WAIT: "device", STREAM_WAIT: "stream", EVENT_WAIT: "event"}
    kinds = [polars.when(name.str.contains(pattern)).then(polars.lit(kind)) for pattern, kind in of.items()]
    kinds.append(polars.when("polls").then(polars.lit("event")))
    kinds.append(polars.when(name.str.contains(FREE)).then(polars.lit("device")))
    waits = calls.with_columns(waits_for=polars.coalesce(kinds), call=INDEX).drop_nulls("waits_for")
    waits = waits.join(streams, on=["process_id", "correlation_id"], how="left", maintain_order="left")
    launched = works.with_columns(work=INDEX).filter(polars.col("call") >= 0)
    asked = polars.Series("asked_ns", calls["start_ns"].to_numpy()[launched["call"].to_numpy()])
    launched = launched.with_columns(asked).sort("asked_ns", "start_ns")
    ended = launched.sort("end_ns", "start_ns").select("stream", "work", work_end_ns="end_ns")
    every = launched.select("process_id", "stream", "stream_id").unique("stream", keep="first", maintain_order=True)
    is_any = (polars.col("waits_for") != "stream") | polars.col("waits_on").is_null()
    pairs = (
        waits.join(every.with_row_index("place"), on="process_id")
        .filter(is_any | (polars.col("waits_on") == polars.col("stream_id")))
        .select("place", "stream", "call", "start_ns", "end_ns", "waits_for", "waits_on")
        .sort("start_ns")
    )
    asked_of = launched.select("stream", "asked_ns", "work", work_end_ns="end_ns")
    pairs = with_nearest(pairs, asked_of, "start_ns", "asked_ns", "stream").sort("end_ns")
    pairs = with_nearest(pairs, ended, "end_ns", "work_end_ns", "stream", suffix="_ended")
    runs, is_event = polars.col("work_end_ns") > polars.col("end_ns") + TOLERANCE, polars.col("waits_for") == "event"
    later = polars.when(is_event & runs)
    pairs = pairs.with_columns(
        later.then(f"{name}_ended").otherwise(name).alias(name) for name in ("work", "work_end_ns")
    )
    pairs = pairs.drop_nulls("work").filter(~runs).sort("place", "start_ns", "call")
    unsure = is_event | ((polars.col("waits_for") == "stream") & polars.col("waits_on").is_null())
    latest = polars.col("work_end_ns") == polars.col("work_end_ns").max().over("call")
    return pairs.filter(~unsure | latest).select("call", "work")
