"""Define the graph of a capture, and replay it: the time of each node is the latest of what it waits for, in one pass.

Nodes are in order of time; edges have a kind, a wait, and the call or work that they belong to.
"""

from dataclasses import dataclass, field, replace
from enum import IntEnum
from typing import Any

import numpy
import polars

Array = numpy.ndarray[Any, numpy.dtype[Any]]
NEVER = -(2**60)  # the wait of an edge that is removed
NONE = -1


class Edge(IntEnum):
    """Why a node waits for another. The node is a call's start or return, or the start or end of GPU work."""

    BEGIN = 0  # a thread's first call: at its measured time
    HOST = 1  # host code between two calls of a thread
    OWN = 2  # a call's own time, from its start to its return
    WAIT = 3  # a blocking call returns after the work that it waits for
    QUEUE = 4  # a launch returns when the launch queue has a free place
    SUBMIT = 5  # work starts after its call has begun
    STREAM = 6  # work of a stream follows each other
    ENGINE = 7  # one copy at a time per direction and GPU
    JOIN = 8  # the legacy default stream and blocking streams wait for each other
    EVENT = 9  # work of another stream: the stream was made to wait for an event, or began as that work ended
    RUN = 10  # work runs, from its start to its end
    TOGETHER = 11  # the kernels of one collective end together
    PLACE = 12  # work without a recorded call keeps its place after the call before it
    RANK = 13  # an MPI call returns once the other ranks are in theirs; their host code is in the wait
    PACE = 14  # waits for other threads end no sooner after each other: these have a pace of their own
    CALLBACK = 15  # work after a host function waits for it
    MAYBE = 16  # only in the case that takes longest: the same of messages, which may be answers; branches of a graph
    SPIN = 17  # host code until the GPU ran dry may have waited for that: then it is none


@dataclass(frozen=True)
class Graph:
    """Nodes are numbered in an order in which every edge leads from a smaller number to a larger one.

    calls: one row per CUDA API call that is in no other call, in order of start: start_ns, end_ns, name, process_id,
    thread (one number for threads that take turns), waits (a blocking call), step nodes `first`, `last`.
    works: one row per GPU activity, in order of start: start_ns, end_ns, call (row of calls, or -1), kind, name,
    gpu_id, stream, bytes, direction, is_pageable, and nodes `first`, `last`.
    """

    calls: polars.DataFrame
    works: polars.DataFrame
    measured: Array  # time of each node, ns
    node: Array  # of each edge: the node that waits; edges are sorted by it
    source: Array  # the node that it waits for
    kind: Array  # Edge
    wait: Array  # ns, from the source to the node
    call: Array  # row of calls that the edge belongs to, or -1
    work: Array  # row of works that the edge belongs to, or -1
    slack_ns: int  # time in which a GPU waited for something that no edge explains
    concurrent: str | None  # why threads of the capture cannot be replayed
    active_share: float = 0.0  # of the time in which a thread that may feed the GPU's is active: it gets no faster
    met_ns: Array = field(default_factory=lambda: numpy.zeros(0, numpy.int64))  # ends of collectives with absent ranks
    link_bytes_per_s: float | None = None  # of pinned copies on the GPUs' usual link; None if it is not known

    def with_waits(self, wait: Array) -> "Graph":
        """Return the same graph with other waits."""
        return replace(self, wait=wait)


@dataclass(frozen=True)
class Replay:
    """Times of all nodes (ns), and for each node the edge that bound it (-1: none)."""

    times: Array
    bound_by: Array


def replay(graph: Graph) -> Replay:
    """Compute the times of a graph's nodes, in integer ns: unchanged waits give the measured times. Linear in edges.

    Most nodes wait for only one other: chains of these are summed at once, and the rest is processed edge by edge.
    """
    several = numpy.bincount(graph.node, minlength=len(graph.measured))[graph.node] > 1
    root, after = numpy.arange(len(graph.measured)), numpy.zeros(len(graph.measured), dtype=numpy.int64)
    root[graph.node[~several]], after[graph.node[~several]] = graph.source[~several], graph.wait[~several]
    while not numpy.array_equal(further := root[root], root):
        root, after = further, after + after[root]
    source = graph.source[several]
    edges = graph.node[several], root[source], graph.wait[several] + after[source]
    ends = [NEVER] * len(graph.measured)
    ends[0] = 0
    for node, begin, wait in zip(*(values.tolist() for values in edges), strict=True):
        time = ends[begin] + wait
        if time > ends[node]:
            ends[node] = time
    times = numpy.array(ends, dtype=numpy.int64)[root] + after
    bound = numpy.full(len(times), -1)
    binding = numpy.flatnonzero(times[graph.source] + graph.wait == times[graph.node])[::-1]  # the first one stays
    bound[graph.node[binding]] = binding
    return Replay(times, bound)


def span(graph: Graph, times: Array, chosen: Array | None = None) -> int:
    """Return the ns from first to last GPU work, of the works chosen by a mask, all if None; 0 if it chooses none."""
    begin, end = (times[nodes if chosen is None else nodes[chosen]] for nodes in _nodes(graph))
    return int(end.max() - begin.min()) if begin.size else 0


def _nodes(graph: Graph) -> tuple[Array, Array]:
    """Return the nodes of all works: starts and ends."""
    return graph.works["first"].to_numpy(), graph.works["last"].to_numpy()


def windows(graph: Graph, times: Array, chosen: Array | None = None) -> dict[int, int]:
    """Return the time from first to last GPU work of each GPU (ns), of the works chosen by a mask, all if None."""
    begin, end = (times[nodes] for nodes in _nodes(graph))
    frame = polars.DataFrame({"gpu": graph.works["gpu_id"], "begin": begin, "end": end})
    frame = frame if chosen is None else frame.filter(polars.Series(chosen))
    grouped = frame.group_by("gpu").agg(polars.col("begin").min(), polars.col("end").max()).sort("gpu")
    return {gpu: end - begin for gpu, begin, end in grouped.iter_rows()}


NAMES = {
    Edge.BEGIN: "before the first call",
    Edge.HOST: "host code",
    Edge.OWN: "CUDA calls",
    Edge.WAIT: "return of blocking calls",
    Edge.QUEUE: "full launch queue",
    Edge.SUBMIT: "launch latency",
    Edge.STREAM: "between work of a stream",
    Edge.ENGINE: "copy engine",
    Edge.JOIN: "default stream",
    Edge.EVENT: "waits for other streams",
    Edge.RUN: "GPU work",
    Edge.TOGETHER: "collectives",
    Edge.PLACE: "work without a call",
    Edge.RANK: "waits for other ranks",
    Edge.CALLBACK: "host functions",
    Edge.SPIN: "return of blocking calls",
    **dict.fromkeys((Edge.PACE, Edge.MAYBE), "waits for other threads"),
}


def critical_path(graph: Graph, replayed: Replay) -> polars.DataFrame:
    """Return the chain of waits that determines when the last GPU work ends: one row per edge, in order of time.

    Columns: kind (as in NAMES; copies and kernels by kind), name (call or work), start_ns, end_ns, dur_ns, call, work.
    """
    node = int(graph.works["last"].to_numpy()[numpy.argmax(replayed.times[graph.works["last"].to_numpy()])])
    edges, bound_by, source = [], replayed.bound_by.tolist(), graph.source.tolist()
    while node > 0 and (edge := bound_by[node]) >= 0:
        edges.append(edge)
        node = source[edge]
    path = numpy.array(edges[::-1], dtype=numpy.int64)
    call, work = (polars.Series(rows[path]) for rows in (graph.call, graph.work))
    at_call, at_work = (rows.set(rows < 0, None) for rows in (call, work))
    start, end = replayed.times[graph.source[path]], replayed.times[graph.node[path]]
    named = polars.Series(graph.kind[path]).replace_strict(NAMES, return_dtype=polars.String)
    works = graph.works.select(polars.col("kind", "name").cast(polars.String).gather(at_work))
    is_run = polars.lit(polars.Series(graph.kind[path] == Edge.RUN))
    kind = polars.when(is_run).then(works["kind"]).otherwise(named)
    name = polars.when(at_work.is_null()).then(graph.calls["name"].gather(at_call)).otherwise(works["name"])
    return polars.select(kind=kind, name=name, start_ns=start, end_ns=end, dur_ns=end - start, call=call, work=work)


def path_within(graph: Graph, replayed: Replay, chosen: Array | None = None) -> polars.DataFrame:
    """Return the part of the critical path from the first of the chosen works to the last; clips `dur_ns` to it."""
    first, last = (replayed.times[nodes if chosen is None else nodes[chosen]] for nodes in _nodes(graph))
    begin, end = int(first.min()), int(last.max())
    path = critical_path(graph, replayed).filter((polars.col("end_ns") > begin) & (polars.col("start_ns") < end))
    clipped = polars.col("end_ns") - polars.max_horizontal("start_ns", polars.lit(begin))
    return path.with_columns(clipped.alias("dur_ns"))


def most_of(path: polars.DataFrame) -> tuple[str, float] | None:
    """Return the kind of waits with most of a path, and its share."""
    sums = path.group_by("kind").agg(polars.col("dur_ns").sum()).sort("dur_ns", "kind", descending=[True, False])
    return (str(sums["kind"][0]), sums["dur_ns"][0] / max(1, sums["dur_ns"].sum())) if sums.height else None
