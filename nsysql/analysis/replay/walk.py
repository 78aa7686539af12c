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
    """The times of a graph's nodes, in integer ns: unchanged waits give the measured times. Linear in its edges.

    Most nodes wait for one other alone: chains of these are added up at once, and the rest goes edge by edge.
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


def critical_path(graph: Graph, replayed: Replay) -> polars.DataFrame:
    """The chain of waits that determines when the last GPU work ends: one row per edge, in order of time.

    Columns: kind (as in NAMES; copies and kernels by kind), name (call or work), start_ns, end_ns, dur_ns, call, work.
    """
    node = int(graph.works["last"].to_numpy()[numpy.argmax(replayed.times[graph.works["last"].to_numpy()])])
    edges = []
    while node > 0 and replayed.bound_by[node] >= 0:
        edges.append(int(replayed.bound_by[node]))
        node = int(graph.source[edges[-1]])
    path = numpy.array(edges[::-1], dtype=numpy.int64)
    call, work = (polars.Series(rows[path]) for rows in (graph.call, graph.work))
    at_call, at_work = (rows.set(rows < 0, None) for rows in (call, work))
    start, end = replayed.times[graph.source[path]], replayed.times[graph.node[path]]
    named = polars.Series(graph.kind[path]).replace_strict(NAMES, return_dtype=polars.String)
    works = graph.works.select(polars.col("kind", "name").cast(polars.String).gather(at_work))
    is_run = polars.lit(polars.Series(graph.kind[path] == Edge.RUN))
    return polars.select(
        kind=polars.when(is_run).then(works["kind"]).otherwise(named),
        name=polars.when(at_work.is_null()).then(graph.calls["name"].gather(at_call)).otherwise(works["name"]),
        start_ns=start,
        end_ns=end,
        dur_ns=end - start,
        call=call,
        work=work,
    )


def path_within(graph: Graph, replayed: Replay, chosen: Array | None = None) -> polars.DataFrame:
    """The part of the critical path from the first of the chosen works to the last; `dur_ns` is clipped to that."""
    first, last = (
        replayed.times[nodes if chosen is None else nodes[chosen]]
        for nodes in (graph.works["first"].to_numpy(), graph.works["last"].to_numpy())
    )
    begin, end = int(first.min()), int(last.max())
    path = critical_path(graph, replayed).filter((polars.col("end_ns") > begin) & (polars.col("start_ns") < end))
    clipped = polars.col("end_ns") - polars.max_horizontal("start_ns", polars.lit(begin))
    return path.with_columns(clipped.alias("dur_ns"))


def most_of(path: polars.DataFrame) -> tuple[str, float] | None:
    """The kind of waits that have most of a path, and their share of it."""
    sums = path.group_by("kind").agg(polars.col("dur_ns").sum()).sort("dur_ns", "kind", descending=[True, False])
    return (str(sums["kind"][0]), sums["dur_ns"][0] / max(1, sums["dur_ns"].sum())) if sums.height else None
