"""Let kernels get shorter if those beside them do: they shared multiprocessors, or the bandwidth of memory."""

from dataclasses import dataclass

import numpy
import polars

from nsysql.analysis.replay.changes import Waits, paced
from nsysql.analysis.replay.gpu_edges import COLLECTIVE
from nsysql.analysis.replay.graph import NONE, Array, Edge, Graph

MEMORY = 2.0  # times its share of the multiprocessors: the share of memory bandwidth that a kernel can take at most
ROUNDS = 3  # a kernel gets shorter, then one beside it, then one beside that: what is gained further on is little


@dataclass(frozen=True)
class Pieces:
    """Stretches of time with several kernels on a GPU: a row for each kernel, first those that the GPU serves first.

    GPUs give blocks of the kernel of highest priority, then of the one that began first, what others leave.
    """

    stretch: Array  # number of the stretch; rows are sorted by it
    dur: Array  # ns of the stretch
    work: Array
    taken: Array  # share of the multiprocessors that the kernel had, if it took what those before it left
    before: Array  # sum of `taken` of the rows before it in the stretch
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
    pieces = _pieces(graph, kernels)
    if pieces is None:
        return waits
    still = ~is_changed & ~graph.works["name"].str.contains(COLLECTIVE).fill_null(False).to_numpy()  # those wait
    cases = [_gained(pieces, kept, still, graph, at_most) for at_most in (False, True)]
    if not cases[1].any():
        return waits

    def less(wait: Array, gained: Array) -> Array:
        changed = wait.copy()
        changed[run] -= numpy.minimum(gained[work], numpy.maximum(wait[run], 0))
        return changed

    return Waits(less(waits.likely, cases[0]), less(waits.low, cases[1]), waits.high)


def _gained(pieces: Pieces, kept: Array, still: Array, graph: Graph, at_most: bool) -> Array:
    """Return how many ns each work gets shorter; `kept` is the share of its duration that a change leaves."""
    duration = (graph.works["end_ns"] - graph.works["start_ns"]).to_numpy()
    gained: Array = numpy.zeros(len(duration))
    lost = pieces.most if at_most else pieces.likely
    first = numpy.flatnonzero(numpy.append(True, pieces.stretch[1:] != pieces.stretch[:-1]))
    size = numpy.diff(numpy.append(first, len(pieces.stretch)))
    for _ in range(ROUNDS):
        gone = 1 - kept[pieces.work]
        if at_most:
            others = numpy.repeat(numpy.add.reduceat(gone, first), size) - gone
        else:
            sums = numpy.cumsum(gone * pieces.taken) - gone * pieces.taken
            others = (sums - numpy.repeat(sums[first], size)) / numpy.where(pieces.before > 0, pieces.before, 1)
        more = pieces.dur * lost * numpy.clip(others, 0, 1)
        gained = numpy.bincount(pieces.work, weights=more, minlength=len(duration)) * still
        kept = numpy.where(still, 1 - gained / numpy.maximum(duration, 1), kept)
    whole: Array = numpy.floor(numpy.minimum(gained, duration)).astype(numpy.int64)
    return whole


def _pieces(graph: Graph, kernels: Array) -> Pieces | None:
    """Cut the time of each GPU where a kernel starts or ends; None if no kernel ran beside another."""
    works = graph.works[kernels].with_columns(polars.col("gpu_id").fill_null(NONE), work=polars.Series(kernels))
    place = works.select(polars.struct("priority", "start_ns", "work").rank("ordinal").alias("place"))
    ends = [works.select("gpu_id", at=at, is_start=at == "start_ns").hstack(place) for at in ("start_ns", "end_ns")]
    events = polars.concat(ends).sort("gpu_id", "at", "is_start", "place")
    of_place = numpy.empty(len(kernels) + 1, dtype=numpy.int64)
    of_place[place["place"].to_numpy()] = kernels
    found: list[tuple[int, int, int]] = []  # stretch, dur, place
    running: set[int] = set()
    since = 0
    for at, own in events.select("at", "place").iter_rows():
        if len(running) > 1 and at > since:
            found += [(len(found), at - since, other) for other in sorted(running)]
        since = at
        running.symmetric_difference_update((own,))
    if not found:
        return None
    stretch, dur, places = numpy.array(found, dtype=numpy.int64).T
    return _measured(graph, stretch, dur, of_place[places])


def _measured(graph: Graph, stretch: Array, dur: Array, work: Array) -> Pieces:
    """Compute what each kernel had of the GPU in each stretch."""
    share = numpy.maximum(graph.works["gpu_share"].fill_null(1).to_numpy(), 1e-6)[work]
    first = numpy.flatnonzero(numpy.append(True, stretch[1:] != stretch[:-1]))
    size = numpy.diff(numpy.append(first, len(stretch)))

    def before(values: Array) -> Array:
        sums = numpy.cumsum(values) - values
        earlier: Array = sums - numpy.repeat(sums[first], size)
        return earlier

    def others(values: Array) -> Array:
        rest: Array = numpy.repeat(numpy.add.reduceat(values, first), size) - values
        return rest

    known = numpy.where(share < 1, share, 0)  # one that fills the GPU left something, as others began: how much?
    speed = numpy.minimum(1, numpy.clip(1 - before(known), 0, 1) / share)
    taken = numpy.where(share < 1, speed * share, 0)
    rest, memory = 1 - others(share), numpy.minimum(1, MEMORY * share)
    least = numpy.where(rest > 0, numpy.minimum(1, rest / share), 1 / (1 - rest + share))  # nothing left: an equal part
    least = numpy.minimum(least, 1 / numpy.maximum(1, others(memory) + memory))
    return Pieces(stretch, dur, work, taken, before(taken), 1 - speed, 1 - least)
