"""Change the copies of a graph: leave out repeated ones, copy from pinned memory, hide them beside other work."""

from collections.abc import Callable

import numpy
import polars

from nsysql.analysis.replay.changes import LARGE, Waits, calls_of, edges, is_pageable, without, works_inside, zeroed
from nsysql.analysis.replay.graph import NEVER, Array, Edge, Graph
from nsysql.errors import UsageError

PINNED_FROM = 1_000_000  # bytes from which a copy shows the rate of its link
LINKS = {"low": 8e9, "likely": 12.5e9, "high": 26e9}  # bytes/s of PCIe 3 x16 (measured 8 to 12.5) to 4 x16 (16 to 26)
OF_LINK = {"low": 0.67, "likely": 1.0, "high": 1.08}  # share of the rate of a known link that copies reach


def once(graph: Graph, waits: Waits, inside: Array | None = None) -> Waits:
    """Keep only the first of large copies of one size and direction that come back with each repeat.

    The first run of equal copies that are launched in a row, without other large copies or kernels between, is kept
    (two arrays of one size are two); the others and their calls go.
    """
    key = ["gpu_id", "direction", "bytes"]
    is_copy = (polars.col("kind") == "memcpy") & (polars.col("bytes") >= LARGE)
    called = graph.works.with_row_index("work").filter(polars.col("call") >= 0)
    launched = called.filter(is_copy | (polars.col("kind") == "kernel"))
    runs = launched.sort("call", "work").with_columns(run=polars.struct("kind", *key).rle_id()).filter(is_copy)
    again = runs.filter(polars.col("run") != polars.col("run").min().over(key))["work"].to_numpy()
    if not len(again):
        raise UsageError("what-if: there is no repeated copy of 64 kB or more.")
    works = numpy.zeros(graph.works.height, dtype=bool)
    works[again] = True
    return without(graph, waits, works_inside(graph, works, inside))


def rate(graph: Graph, waits: Waits, inside: Array | None = None, bytes_per_s: float | None = None) -> Waits:
    """Copy from and to pageable memory at the rate of pinned copies, and without blocking (streams).

    The rate is the one given, else that of the capture's own large pinned copies, else that of the GPU's usual link,
    else between those of PCIe 3 and 4. Low: copies of both directions and kernels overlap if they can; high: all in
    order, each call waits as before.
    """
    works = graph.works
    every = is_pageable(graph)
    pageable = works_inside(graph, every, inside)
    if not pageable.any():
        raise UsageError("what-if: there is no copy from or to pageable memory.")
    size = works["bytes"].fill_null(0).to_numpy().astype(float)
    duration = (works["end_ns"] - works["start_ns"]).to_numpy()
    pinned = ~every & (works["kind"] == "memcpy").to_numpy() & (size >= PINNED_FROM)
    pinned &= works["name"].str.contains("Host").fill_null(False).to_numpy()
    own = float(numpy.median(size[pinned] / duration[pinned]) * 1e9) if pinned.any() else None
    known = bytes_per_s or own
    link = graph.link_bytes_per_s
    rates = dict.fromkeys(LINKS, known) if known else {k: part * link for k, part in OF_LINK.items()} if link else LINKS
    run = edges(graph, (Edge.RUN,), works=pageable)
    blocking = edges(graph, (Edge.WAIT,), works=pageable)
    own_time = edges(graph, (Edge.OWN,), calls=calls_of(graph, pageable))
    lead = edges(graph, (Edge.SUBMIT, Edge.STREAM, Edge.JOIN, Edge.EVENT), works=pageable)

    def at(wait: Array, speed: float) -> Array:
        changed = wait.copy()
        new = numpy.minimum(numpy.round(size[graph.work[run]] / speed * 1e9).astype(numpy.int64), wait[run])
        changed[run] = new
        changed[own_time] = numpy.minimum(changed[own_time], 5_000)
        changed[lead] = numpy.minimum(changed[lead], 10_000)  # nothing is staged first
        tail = blocking & (changed > NEVER)
        changed[tail] = numpy.clip(changed[tail], 0, 10_000)  # nothing is copied out of a staging buffer
        return changed

    hidden = _hidden(graph, _beside_others(graph, pageable))
    likely, low, high = (rates[case] or 1 for case in ("likely", "high", "low"))
    return Waits(at(waits.likely, likely), hidden(at(waits.low, low)), at(waits.high, high))


def overlapped(graph: Graph, waits: Waits, inside: Array | None = None) -> Waits:
    """Put copies between host and GPU on separate streams: they wait for their engine, and nothing waits for them.

    Likely and low: all of a copy that has other work beside it can be hidden; high: as captured.
    """
    copies = _beside_others(graph, works_inside(graph, _to_or_from_host(graph.works), inside))
    if not copies.any():
        raise UsageError("what-if: there is no copy between host and GPU with work before and after it.")
    hidden = _hidden(graph, copies)
    return Waits(hidden(waits.likely), hidden(waits.low), waits.high)


def _to_or_from_host(works: polars.DataFrame) -> Array:
    return ((works["kind"] == "memcpy") & works["name"].str.contains("Host").fill_null(False)).to_numpy()


def _beside_others(graph: Graph, copies: Array) -> Array:
    """Reduce copies to those that other work can run beside: not the first works, and not the last of their streams."""
    last = graph.works.with_row_index("work").group_by("stream").agg(polars.col("work").last())["work"].to_numpy()
    copies = copies & (numpy.cumsum(~_to_or_from_host(graph.works)) > 0)
    copies[last] = False  # their end is still the end
    return copies


def _hidden(graph: Graph, copies: Array) -> Callable[[Array], Array]:
    """Return a change of waits: only their engine and the host code delay these copies, and nothing waits for them."""
    run = edges(graph, (Edge.RUN,), works=copies)
    calls = edges(graph, (Edge.WAIT,), works=copies)
    engine = _engine_turns(graph, copies)

    def change(wait: Array) -> Array:
        taken = numpy.zeros(graph.works.height, dtype=numpy.int64)
        taken[graph.work[run]] = wait[run]
        turns = engine.with_columns(taken=polars.Series(taken)[engine["before"]])
        turns = turns.group_by("turn", maintain_order=True).agg(polars.col("edge").last(), polars.col("taken").sum())
        changed = zeroed(wait, run, calls)
        changed[turns["edge"].to_numpy()] += turns["taken"].to_numpy()
        return changed

    return change


def _engine_turns(graph: Graph, copies: Array) -> polars.DataFrame:
    """Return the waits of copy engines (edge), the copy waited for (before), and equal `turn` for copies in a row.

    The stream's next work waits for the last copy of a turn only, so an engine's time for all of them delays the first
    copy of its next turn; the last turn has none.
    """
    engine = numpy.flatnonzero(edges(graph, (Edge.ENGINE,)))
    of_node = numpy.zeros(len(graph.measured), dtype=numpy.int64)  # the work that ends at a node; 0 if there is none
    of_node[graph.works["last"].to_numpy()] = numpy.arange(graph.works.height)
    before, copy = of_node[graph.source][engine], graph.work[engine]
    in_stream = graph.works.select(polars.int_range(polars.len()).shift(1).over("stream").fill_null(-1)).to_series()
    by = ["gpu_id", "direction"]
    rows = polars.DataFrame({"edge": engine, "before": before, "ends": in_stream.to_numpy()[copy] != before})
    rows = rows.with_columns(graph.works[by][copy].get_columns()).filter(polars.Series(copies[before]))
    turn = polars.struct(*by, polars.col("ends").cum_sum().shift(1, fill_value=0).over(by)).rank("dense")
    return rows.with_columns(turn=turn).filter(polars.col("ends").any().over("turn"))
