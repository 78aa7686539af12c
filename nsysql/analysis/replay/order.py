"""Number the nodes of a graph in an order in which every edge leads from a smaller number to a larger one."""

import numpy
import polars

from nsysql.analysis.replay.graph import Array


def numbered_nodes(calls: polars.DataFrame, works: polars.DataFrame) -> tuple[Array, Array, Array, Array, Array]:
    """Number the nodes: calls' starts and returns, works' starts and ends; return the measured time of each, too."""
    start, end = calls["start_ns"].to_numpy(), calls["end_ns"].to_numpy()
    begin, stop = works["start_ns"].to_numpy(), works["end_ns"].to_numpy()
    called = works["call"].to_numpy()
    not_before = numpy.where(called >= 0, start[numpy.maximum(called, 0)], begin) if len(start) else begin
    keys = [start, end, numpy.maximum(begin, not_before), numpy.maximum(stop, not_before)]
    # At equal times: ends of work, returns, starts of calls, starts of work; without duration an end follows its start.
    ranks = [
        numpy.full(len(start), 2),
        numpy.where(end > start, 1, 4),
        numpy.full(len(begin), 3),
        numpy.where(keys[3] > keys[2], 0, 5),
    ]
    order = numpy.lexsort((numpy.concatenate(ranks), numpy.concatenate(keys)))
    number = numpy.empty(len(order), dtype=numpy.int64)
    number[order] = numpy.arange(1, len(order) + 1)
    measured = numpy.zeros(len(order) + 1, dtype=numpy.int64)
    measured[number] = numpy.concatenate([start, end, begin, stop])
    a, b, c, d = numpy.split(number, numpy.cumsum([len(start), len(end), len(begin)]))
    return a, b, c, d, measured


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
