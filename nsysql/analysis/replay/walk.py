"""The replay itself: the time of every node as the latest of what it waits for, in one pass."""

from dataclasses import dataclass

import numpy
import polars

from nsysql.analysis.replay.model import NEVER, Array, Edge, Graph


@dataclass(frozen=True)
class Replay:
    """Times of all nodes (ns), and of each node the edge that bound it (-1: none)."""

    times: Array
    bound_by: Array


def replay(graph: Graph) -> Replay:
    """The times of a graph's nodes, in integer ns: unchanged waits give the measured times. Linear in its edges."""
    times, bound = [NEVER] * len(graph.measured), [-1] * len(graph.measured)
    times[0] = 0
    for edge, (node, source, wait) in enumerate(
        zip(graph.node.tolist(), graph.source.tolist(), graph.wait.tolist(), strict=True)
    ):
        time = times[source] + wait
        if time > times[node]:
            times[node], bound[node] = time, edge
    return Replay(numpy.array(times, dtype=numpy.int64), numpy.array(bound, dtype=numpy.int64))


def windows(graph: Graph, times: Array, chosen: Array | None = None) -> dict[int, int]:
    """First to last GPU work of each GPU (ns), of the works chosen by a mask, all if None."""
    begin, end = times[graph.works["first"].to_numpy()], times[graph.works["last"].to_numpy()]
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
    Edge.EVENT: "waits for events",
    Edge.RUN: "GPU work",
    Edge.TOGETHER: "collectives",
    Edge.PLACE: "work without a call",
}


def critical_path(graph: Graph, found: Replay) -> polars.DataFrame:
    """The chain of waits that determines when the last GPU work ends: one row per edge, in order of time.

    Columns: kind (as in NAMES; copies and kernels by kind), name (call or work), start_ns, end_ns, dur_ns, call, work.
    """
    node = int(graph.works["last"].to_numpy()[numpy.argmax(found.times[graph.works["last"].to_numpy()])])
    edges = []
    while node > 0 and found.bound_by[node] >= 0:
        edges.append(int(found.bound_by[node]))
        node = int(graph.source[edges[-1]])
    path = numpy.array(edges[::-1], dtype=numpy.int64)
    calls = [*graph.calls["name"].to_list(), None]
    works = [*graph.works["name"].to_list(), None]
    work_kinds = [*graph.works["kind"].to_list(), None]
    kinds, at_call, at_work = graph.kind[path], graph.call[path], graph.work[path]
    start, end = found.times[graph.source[path]], found.times[graph.node[path]]
    return polars.DataFrame(
        {
            "kind": [
                work_kinds[w] if k == Edge.RUN else NAMES[Edge(k)]
                for k, w in zip(kinds.tolist(), at_work.tolist(), strict=True)
            ],
            "name": [works[w] if w >= 0 else calls[c] for c, w in zip(at_call.tolist(), at_work.tolist(), strict=True)],
            "start_ns": start,
            "end_ns": end,
            "dur_ns": end - start,
            "call": at_call,
            "work": at_work,
        },
        schema_overrides={"kind": polars.String, "name": polars.String},
    )


def path_within(graph: Graph, found: Replay, chosen: Array | None = None) -> polars.DataFrame:
    """The part of the critical path from the first of the chosen works to the last; `dur_ns` is clipped to that."""
    first, last = (
        found.times[nodes if chosen is None else nodes[chosen]]
        for nodes in (graph.works["first"].to_numpy(), graph.works["last"].to_numpy())
    )
    begin, end = int(first.min()), int(last.max())
    path = critical_path(graph, found).filter((polars.col("end_ns") > begin) & (polars.col("start_ns") < end))
    clipped = polars.col("end_ns") - polars.max_horizontal("start_ns", polars.lit(begin))
    return path.with_columns(clipped.alias("dur_ns"))


def most_of(path: polars.DataFrame) -> tuple[str, float] | None:
    """The kind of waits that have most of a path, and their share of it."""
    sums = path.group_by("kind").agg(polars.col("dur_ns").sum()).sort("dur_ns", "kind", descending=[True, False])
    return (str(sums["kind"][0]), sums["dur_ns"][0] / max(1, sums["dur_ns"].sum())) if sums.height else None
