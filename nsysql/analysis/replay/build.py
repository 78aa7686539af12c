"""Build the graph (graph.Graph) of a capture from its calls and GPU work: the edges, and how long each waits.

One edge of a node bound it in the capture: the one whose source plus its kind's usual wait came last. That edge
keeps the measured wait exactly, so the unchanged graph replays to the measured times; the others keep their usual wait,
or less if less was measured. What exceeds the usual wait while the GPU was idle is slack.
"""

import numpy
import polars

from nsysql.analysis.replay.calls import INDEX, merged_polls, outer_calls, threads
from nsysql.analysis.replay.edges import Edges
from nsysql.analysis.replay.gpu_edges import gpu_edges, late_starts
from nsysql.analysis.replay.graph import NEVER, NONE, Array, Edge, Graph
from nsysql.analysis.replay.thread_edges import submits, thread_edges


def build(
    calls: polars.DataFrame, works: polars.DataFrame, streams: polars.DataFrame, events: polars.DataFrame,
    waits: polars.DataFrame, messages: polars.DataFrame,
) -> Graph:  # fmt: skip
    """Build the graph of a capture.

    calls: start_ns, end_ns, process_id, thread_id, correlation_id, name, return_value. works: start_ns, end_ns,
    process_id, gpu_id, context_id, stream_id, correlation_id, kind, name, bytes, direction, is_pageable, is_null (on
    the legacy default stream). streams: the stream that a call waits for, as process_id, correlation_id, waits_on.
    events: process_id, start_ns, stream_id (which waits), recorded_stream_id, recorded_ns. waits: OS calls that end
    when another thread or program acts, or sleeps, as thread_id, start_ns, end_ns, is_lock (for a thread), is_sleep.
    messages: MPI calls, as process_id, thread_id, start_ns, end_ns, name_id.
    """
    nested = outer_calls(calls).with_columns(row=INDEX)
    known = nested.group_by("process_id", "correlation_id", maintain_order=True).agg(polars.col("outer").first())
    works = works.sort("start_ns", "end_ns", "gpu_id", "stream_id", "correlation_id")
    works = works.join(known, on=["process_id", "correlation_id"], how="left", maintain_order="left")
    launched = works.select("outer", "gpu_id", launches=polars.lit(True)).drop_nulls("outer")
    launched = launched.unique("outer", maintain_order=True)
    alone = nested.filter(polars.col("row") == polars.col("outer"))
    alone = alone.join(launched, on="outer", how="left", maintain_order="left")
    outer, concurrent = threads(merged_polls(alone.with_columns(polars.col("launches").fill_null(False))))
    outer = outer.sort("start_ns", "end_ns", "chain", "row")
    works = works.join(outer.select("outer", call=INDEX), on="outer", how="left", maintain_order="left").with_columns(
        polars.col("call").fill_null(NONE),
        stream=polars.struct("process_id", "gpu_id", "context_id", "stream_id").rank("dense"),
    )
    return _graph(Edges(outer, works, streams, events, waits, messages, concurrent))


def _graph(g: Edges) -> Graph:
    """Add all edges, and number the nodes so that each waits for earlier ones only."""
    thread_edges(g)
    submits(g)
    gpu_edges(g)
    late_starts(g)
    edges = g.arrays()
    number = in_order(edges[0], edges[1], len(g.measured))
    right = number[edges[1]] < number[edges[0]]  # otherwise edges form a cycle, and this one is dropped
    alone = numpy.flatnonzero(numpy.bincount(edges[0][right], minlength=len(number)) == 0)[1:]  # all but node 0
    g.add(Edge.BEGIN, alone, numpy.zeros(len(alone), dtype=numpy.int64), g.measured[alone], NONE, NONE)
    right = numpy.append(right, numpy.ones(len(alone), dtype=bool))
    node, source, kind, usual, call, work = (v[right] for v in g.arrays())
    wait, slack = _waits(g, node, source, numpy.where((kind == Edge.MAYBE) | (kind == Edge.SPIN), NEVER, usual))
    wait = numpy.where(kind == Edge.MAYBE, numpy.minimum(usual, g.measured[node] - g.measured[source]), wait)
    slack_ns = _idle_slack(g, slack)
    node, source = number[node], number[source]
    g.renumber(number)
    order = numpy.lexsort((source, kind == Edge.PACE, node))  # host code is a better reason than a pace
    waits = numpy.zeros(g.calls.height, dtype=bool)
    waits[call[(kind == Edge.WAIT)]] = True
    calls = g.calls.with_columns(
        waits=polars.Series(waits), first=polars.Series(g.starts), last=polars.Series(g.returns)
    )
    works = g.works.with_columns(first=polars.Series(g.begins), last=polars.Series(g.ends))
    return Graph(
        calls, works, g.measured, node[order], source[order], kind[order], wait[order], call[order], work[order],
        slack_ns, g.concurrent,
    )  # fmt: skip


def _waits(g: Edges, node: Array, source: Array, usual: Array) -> tuple[Array, Array]:
    """Return the wait of each edge, and the slack of each node: what its bound edge waited beyond the usual."""
    real = g.measured[node] - g.measured[source]
    wait = numpy.minimum(usual, real)
    expected = g.measured[source] + usual
    order = numpy.lexsort((expected, node))
    last = order[numpy.append(node[order][1:] != node[order][:-1], True)]
    wait[last] = real[last]
    slack = numpy.zeros(len(g.measured), dtype=numpy.int64)
    slack[node[last]] = numpy.maximum(real[last] - usual[last], 0)
    return wait, slack


def _idle_slack(g: Edges, slack: Array) -> int:
    """Sum the slack of works' starts while no other work runs on the GPU, in ns over all GPUs."""
    until = g.works.select(polars.col("end_ns").cum_max().shift(1).over("gpu_id").fill_null(2**62)).to_series()
    idle = numpy.maximum(g.begin - until.to_numpy(), 0)
    return int(numpy.minimum(slack[g.begins], idle)[g.called >= 0].sum())


def in_order(node: Array, source: Array, count: int) -> Array:
    """Number nodes anew so that sources come first: the clocks of CPU and GPU disagree by microseconds.

    Only the nodes spanned by an edge that leads back get new numbers, among themselves. Those in a cycle of edges come
    last of these, in their old order.
    """
    number, back = numpy.arange(count), source > node
    if not back.any():
        return number
    spans = numpy.bincount(node[back], minlength=count) - numpy.bincount(source[back], minlength=count)
    joined = numpy.cumsum(spans) > 0  # a node with the next one
    group = numpy.cumsum(~numpy.append(False, joined[:-1]))
    places = numpy.flatnonzero(joined | numpy.append(False, joined[:-1]))
    own = numpy.zeros(count, dtype=numpy.int64)
    own[places] = numpy.arange(len(places))
    inside = (group[source] == group[node]) & (source != node)
    ready = _sources_first(own[node[inside]], own[source[inside]], len(places))
    number[places[ready[numpy.argsort(group[places[ready]], kind="stable")]]] = places
    return number


def _sources_first(node: Array, source: Array, count: int) -> Array:
    """Return the nodes in an order in which sources come first; those in a cycle last."""
    order = numpy.argsort(source, kind="stable")
    first = numpy.searchsorted(source[order], numpy.arange(count + 1)).tolist()
    follower = node[order].tolist()
    missing = numpy.bincount(node, minlength=count).tolist()
    ready = [n for n, left in enumerate(missing) if not left]
    for done in ready:  # grows as it is read
        for edge in range(first[done], first[done + 1]):
            other = follower[edge]
            missing[other] -= 1
            if not missing[other]:
                ready.append(other)
    return numpy.array(ready + sorted(set(range(count)) - set(ready)), dtype=numpy.int64)
