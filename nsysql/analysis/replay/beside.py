"""Let kernels get shorter if those beside them do: they shared multiprocessors, or the bandwidth of memory."""

from dataclasses import dataclass

import numpy
import polars

from nsysql.analysis.replay.changes import Waits, paced
from nsysql.analysis.replay.gpu_edges import COLLECTIVE
from nsysql.analysis.replay.graph import Array, Edge, Graph

MEMORY = 2.0  # times its share of the multiprocessors: the share of memory bandwidth that a kernel can take at most
EDGES = (("start_ns", 1), ("end_ns", -1))  # of a kernel, with the change of how many run
ROUNDS = 3  # a kernel gets shorter, then one beside it, then one beside that: what is gained further on is little


@dataclass(frozen=True)
class Groups:
    """Sums over the rows of each interval."""

    first: Array  # row that begins each interval
    size: Array

    def before(self, values: Array) -> Array:
        """Return the sum of the values of the rows before each row."""
        sums = numpy.cumsum(values) - values
        earlier: Array = sums - numpy.repeat(sums[self.first], self.size)
        return earlier

    def others(self, values: Array) -> Array:
        """Return the sum of the values of the other rows, for each row."""
        rest: Array = numpy.repeat(numpy.add.reduceat(values, self.first), self.size) - values
        return rest


@dataclass(frozen=True)
class Overlaps:
    """Intervals with several kernels on a GPU: a row for each kernel, first those that the GPU serves first.

    GPUs give blocks of the kernel of highest priority, then of the one that began first, what others leave.
    """

    intervals: Groups
    dur: Array  # its ns
    work: Array
    taken: Array  # share of the multiprocessors that the kernel had, if it took what those before it left
    before: Array  # sum of `taken` of the rows before it in the interval
    likely: Array  # share of its speed that it lost to them
    most: Array  # share that it lost at most, to all others: all of them came first, or memory was the limit


def settled(graph: Graph, waits: Waits) -> Waits:
    """Return the waits after all changes: kernels beside shorter ones get shorter, waits for others keep their pace."""
    return paced(graph, _shared(graph, waits))


def _shared(graph: Graph, waits: Waits) -> Waits:
    """Shorten kernels that ran beside others which the change shortens or removes.

    Likely, they ran in what others left; low, they lost to them all that they could; high, nothing.
    """
    run = numpy.flatnonzero(graph.kind == Edge.RUN)
    work, kernels = graph.work[run], numpy.flatnonzero((graph.works["kind"] == "kernel").to_numpy())
    kept = numpy.ones(graph.works.height)
    kept[work] = numpy.clip(waits.likely[run] / numpy.maximum(graph.wait[run], 1), 0, 1)
    is_changed: Array = numpy.zeros(graph.works.height, dtype=bool)
    is_changed[work] = waits.likely[run] != graph.wait[run]
    if not is_changed[kernels].any() or is_changed[kernels].all():
        return waits
    overlaps = _overlaps(graph, kernels)
    if overlaps is None:
        return waits
    still = ~is_changed & ~graph.works["name"].str.contains(COLLECTIVE).fill_null(False).to_numpy()  # those wait
    cases = [_gained(overlaps, kept, still, graph, at_most) for at_most in (False, True)]
    if not cases[1].any():
        return waits

    def less(wait: Array, gained: Array) -> Array:
        changed = wait.copy()
        changed[run] -= numpy.minimum(gained[work], numpy.maximum(wait[run], 0))
        return changed

    return Waits(less(waits.likely, cases[0]), less(waits.low, cases[1]), waits.high)


def _gained(overlaps: Overlaps, kept: Array, still: Array, graph: Graph, at_most: bool) -> Array:
    """Return how many ns each work gets shorter; `kept` is the share of its duration that a change leaves."""
    duration = (graph.works["end_ns"] - graph.works["start_ns"]).to_numpy()
    gained: Array = numpy.zeros(len(duration))
    lost = overlaps.most if at_most else overlaps.likely
    for _ in range(ROUNDS):
        gone = 1 - kept[overlaps.work]
        if at_most:
            others = overlaps.intervals.others(gone)
        else:
            earlier = overlaps.intervals.before(gone * overlaps.taken)
            others = earlier / numpy.where(overlaps.before > 0, overlaps.before, 1)
        more = overlaps.dur * lost * numpy.clip(others, 0, 1)
        gained = numpy.bincount(overlaps.work, weights=more, minlength=len(duration)) * still
        kept = numpy.where(still, 1 - gained / numpy.maximum(duration, 1), kept)
    whole: Array = numpy.floor(numpy.minimum(gained, duration)).astype(numpy.int64)
    return whole


def _overlaps(graph: Graph, kernels: Array) -> Overlaps | None:
    """Cut the time of each GPU where a kernel starts or ends; None if no kernel ran beside another."""
    works = graph.works[kernels].select("gpu_id", "start_ns", "end_ns", "priority", work=polars.Series(kernels))
    works = works.sort("priority", "start_ns", "work").with_row_index("place")  # first those served first
    edges = polars.concat(works.select("gpu_id", "place", at=at, step=step) for at, step in EDGES)
    edges = edges.sort("gpu_id", "at", "step", "place").with_row_index("edge")
    at, running = edges["at"].to_numpy(), edges["step"].cum_sum().to_numpy()
    is_shared = (running[:-1] > 1) & (at[1:] > at[:-1])  # from an edge to the next
    before = numpy.append(0, numpy.cumsum(is_shared))  # shared intervals before each edge
    start, end = (before[edges.filter(step=step).sort("place")["edge"].to_numpy()] for _, step in EDGES)
    count = numpy.maximum(end - start, 0)
    if not count.any():
        return None
    place = numpy.repeat(numpy.arange(works.height), count)
    interval = numpy.arange(len(place)) + numpy.repeat(start - (numpy.cumsum(count) - count), count)
    order = numpy.lexsort((place, interval))
    interval, place = interval[order], place[order]
    return _measured(graph, interval, numpy.diff(at)[is_shared][interval], works["work"].to_numpy()[place])


def _measured(graph: Graph, interval: Array, dur: Array, work: Array) -> Overlaps:
    """Compute what each kernel had of the GPU in each interval."""
    share = numpy.maximum(graph.works["gpu_share"].fill_null(1).to_numpy(), 1e-6)[work]
    first = numpy.flatnonzero(numpy.append(True, interval[1:] != interval[:-1]))
    intervals = Groups(first, numpy.diff(numpy.append(first, len(interval))))
    before, others = intervals.before, intervals.others
    known = numpy.where(share < 1, share, 0)  # one that fills the GPU left some, as others ran: how much is not known
    speed = numpy.minimum(1, numpy.clip(1 - before(known), 0, 1) / share)
    taken = numpy.where(share < 1, speed * share, 0)
    rest, memory = 1 - others(share), numpy.minimum(1, MEMORY * share)
    least = numpy.where(rest > 0, numpy.minimum(1, rest / share), 1 / (1 - rest + share))  # nothing left: an equal part
    least = numpy.minimum(least, 1 / numpy.maximum(1, others(memory) + memory))
    return Overlaps(intervals, dur, work, taken, before(taken), 1 - speed, 1 - least)
