"""Build the graph for the replay from an open export's calls and GPU work."""

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy
import polars

from nsysql.analysis.replay.build import build
from nsysql.analysis.replay.changes import SHORT_NS
from nsysql.analysis.replay.gpu_edges import COLLECTIVE
from nsysql.analysis.replay.graph import Array, Edge, Graph, windows
from nsysql.errors import MissingData
from nsysql.words.quantities import tenths

if TYPE_CHECKING:
    from nsysql.capture.export import Export

MOST_WORK = 200_000  # pieces of GPU work that are replayed: seconds, not minutes
MOST_SLACK = 0.10  # share of the window: beyond it the graph does not explain the capture
MOST_LOST = 0.10  # share of the work that may lack its call: it keeps its place whatever gets faster
CALLS = "start_ns, end_ns, process_id, thread_id, correlation_id, name, return_value"
WORKS = (
    "start_ns, end_ns, process_id, gpu_id, context_id, stream_id, correlation_id, kind, name, bytes, "
    "CASE WHEN kind = 'memcpy' THEN name END AS direction, is_pageable, is_null, priority, gpu_share"
)
STREAMS = {"process_id": polars.Int64, "correlation_id": polars.Int64, "waits_on": polars.Int64}
WAITS: dict[str, type[polars.DataType]] = dict.fromkeys(("thread_id", "start_ns", "end_ns"), polars.Int64)
WAITS |= dict.fromkeys(("is_lock", "is_sleep"), polars.Boolean)
MESSAGES = dict.fromkeys(("process_id", "thread_id", "start_ns", "end_ns", "name_id"), polars.Int64)
IS = "is_lock(name) AS is_lock, is_sleep(name) AS is_sleep"
WAIT = "is_lock(name) OR is_message(name) OR is_sleep(name)"
PAUSE = "is_lock(name) OR is_poll(name) OR is_sleep(name)"  # in which a thread that feeds others does nothing
OFTEN = 10  # waits of a thread that feeds others: one after each piece of work
SHORT_WAIT = 10_000  # ns: of threads that take turns; shorter waits are about as long as waking up
EVENTS = dict.fromkeys(("process_id", "start_ns", "stream_id", "recorded_stream_id", "recorded_ns"), polars.Int64)


def read_graph(run: "Export", most: int | None = None, **narrowed: object) -> Graph:
    """Build the graph of an export's calls and GPU work that the filters (start_ns, end_ns, nvtx, steps) keep.

    It has the first `most` pieces of work, all if None. Raises MissingData if there are no CUDA calls or no GPU work.
    """
    first = "" if most is None else f"ORDER BY start_ns, end_ns, correlation_id LIMIT {most}"
    works = run.select("_replay_work", WORKS, first, **narrowed)
    until = f"WHERE start_ns <= {int(works['end_ns'].to_numpy().max())}" if works.height == most else ""
    calls = run.select("api_call", CALLS, until, **narrowed)
    if not works.height or not calls.height:
        what = "GPU work" if calls.height else "CUDA API calls"
        raise MissingData(f"what-if: {run.path} has no {what} here to replay; capture with --trace=cuda.")

    def rows(
        table: str, view: str, columns: str, which: str, schema: Mapping[str, type[polars.DataType]]
    ) -> polars.DataFrame:
        return run.select(view, columns, which) if run.has(table) else polars.DataFrame(schema=schema)

    waited = "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION"
    streams = rows(waited, "synchronization", "process_id, correlation_id, stream_id AS waits_on", "", STREAMS)
    events = rows(waited, "stream_wait", ", ".join(EVENTS), "", EVENTS)
    takes_turns = calls.group_by("process_id").agg(polars.col("thread_id").n_unique())["thread_id"].max() != 1
    long = f"WHERE dur_ns >= {SHORT_WAIT if takes_turns else SHORT_NS} AND ({WAIT})"
    waits = rows("OSRT_API", "os_call", f"thread_id, start_ns, end_ns, {IS}", long, WAITS)
    messages = rows("mpi_event", "mpi_event", ", ".join(MESSAGES), "WHERE end_ns IS NOT NULL", MESSAGES)
    streams = streams.unique(["process_id", "correlation_id"], keep="first", maintain_order=True)
    link = run.select("_gpu_peak", "min(link_bytes_per_s) AS rate")["rate"][0]
    graph = build(calls, works, streams, events, waits, messages)
    active = _active_share(run, calls, works)
    return replace(graph, link_bytes_per_s=link, active_share=active, met_ns=_met(run, works, messages))


def _met(run: "Export", works: polars.DataFrame, messages: polars.DataFrame) -> Array:
    """Return the ends of collectives with ranks that the capture lacks: NCCL on one GPU only, MPI by number of ranks.

    If those ranks get no faster, these end no sooner.
    """
    is_of_nccl = (polars.col("kind") == "kernel") & polars.col("name").str.contains(COLLECTIVE)
    met = works.filter(is_of_nccl & (polars.col("gpu_id").filter(is_of_nccl).n_unique() == 1)).select("end_ns")
    if run.has("MPI_COLLECTIVES_EVENTS"):
        ranks = messages["process_id"].n_unique()
        met = met.vstack(run.select("_collective", "end_ns", f"WHERE source = 'mpi' AND rank_count > {ranks}"))
    return numpy.sort(met["end_ns"].to_numpy())


def _active_share(run: "Export", calls: polars.DataFrame, works: polars.DataFrame) -> float:
    """Return for which share of the time from first to last work the busiest thread without CUDA calls is active.

    Only threads that often wait for other threads or descriptors, or sleep, as those do that load data for others;
    from the first work to the last of these waits, and as long as usual after that.
    """
    if not run.has("OSRT_API"):
        return 0.0
    first, last = (int(ns) for ns in (works["start_ns"].to_numpy().min(), works["end_ns"].to_numpy().max()))
    within = f"WHERE end_ns > {first} AND start_ns < {last} AND ({PAUSE})"
    waits = run.select("os_call", "thread_id, start_ns, end_ns", within)
    waits = waits.join(calls.select("thread_id").unique(), on="thread_id", how="anti").sort("start_ns", "end_ns")
    until = polars.col("end_ns").cum_max().shift(1).over("thread_id").fill_null(first)
    active = waits.with_columns(ns=(polars.col("start_ns") - until).clip(0)).group_by("thread_id")
    sums = active.agg(polars.len(), polars.col("ns").sum(), polars.col("end_ns").max()).filter(
        polars.col("len") >= OFTEN
    )
    more = polars.min_horizontal((last - polars.col("end_ns")).clip(0), polars.col("ns") // polars.col("len"))
    return min(1.0, int(sums.select(polars.col("ns") + more).to_numpy().max(initial=0)) / max(1, last - first))


def unexplained(graph: Graph) -> str | None:
    """Say why changes of this capture cannot be predicted; None if they can."""
    window = sum(windows(graph, graph.measured).values())
    if graph.concurrent:
        return graph.concurrent
    lost = int((graph.kind == Edge.PLACE).sum()) / graph.works.height
    if lost > MOST_LOST:
        return f"the capture lacks the calls that launched {tenths(100 * lost)}% of the GPU work"
    if graph.slack_ns > MOST_SLACK * window:
        share = tenths(100 * graph.slack_ns / window)
        return (
            f"in {share}% of the window the GPU waited for something that the export does not show (batched "
            "submission, another process, the platform)"
        )
    return None


def explained_graph(run: "Export") -> Graph | None:
    """Return the whole graph; None if it does not explain the capture or is too large: a part has another path."""
    if run.count("_gpu_work_ids", {}, MOST_WORK + 1) > MOST_WORK:
        return None
    try:
        graph = read_graph(run)
    except MissingData:
        return None
    return None if unexplained(graph) else graph
