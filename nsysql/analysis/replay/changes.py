"""Apply changes of the program to the waits of its graph, in the likely, the low and the high case."""

import fnmatch
import re
from collections.abc import Callable
from dataclasses import dataclass

import numpy
import polars

from nsysql.analysis.intervals import LENGTH
from nsysql.analysis.parts.kernel_names import OPTIMIZER
from nsysql.analysis.replay.graph import NEVER, Array, Edge, Graph
from nsysql.catalog.query_file import thresholds
from nsysql.errors import UsageError

MEMORY = (  # as in the view _api_cause
    r"^(cu(da)?(Malloc|Free|HostAlloc|HostRegister|HostUnregister|MemPool|Ipc(Open|Close)Mem|DeviceGraphMemTrim)"
    r"|cuMem(Alloc|Free|Host|Create|Release|Retain|Export|Import|Map|Unmap|Address|SetAccess|Pool)"
    r"|cu(Array|MipmappedArray)(3D)?(Create|Destroy)|cuMulticast)"
)
ASKS = r"(?i)(synchronize|streamquery|eventquery)"
ELEMENTWISE = r"(?i)(elementwise|pointwise|vectorized|unrolled_|foreach|multi_tensor_apply|reduce_kernel)"
KINDS = "kernel:NAME, copy:DIRECTION, call:NAME, memset, host_code, launch_calls, memory_management, synchronization"
FUSED = int(thresholds()["fused_kernels"][1])  # most kernels that one replaces
SHORT_NS = int(thresholds()["short_gap_ns"][1])  # longer host code is more than a launch
GONE = 0.5  # share of the host code before a call, with a wait in it, that a change takes if it is about the wait
LARGE = 65_536  # bytes: smaller copies are latency


@dataclass(frozen=True)
class Waits:
    """The waits of all edges in the likely case, and in the cases that save most (`low` time) and least (`high`)."""

    likely: Array
    low: Array
    high: Array

    @staticmethod
    def all(wait: Array) -> "Waits":
        return Waits(wait, wait, wait)

    def each(self, change: Callable[[Array], Array]) -> "Waits":
        """Apply the same change to all three."""
        likely = change(self.likely)
        low = likely if self.low is self.likely else change(self.low)
        return Waits(likely, low, likely if self.high is self.likely else change(self.high))


@dataclass(frozen=True)
class Selection:
    """The rows of calls and works that a change concerns."""

    calls: Array
    works: Array


def within(graph: Graph, selection: Selection, inside: Array) -> Selection:
    """Reduce a selection to the calls in `inside`, and the work that they launched."""
    called = graph.works["call"].to_numpy()
    work_inside = (called >= 0) & inside[numpy.maximum(called, 0)]
    return Selection(selection.calls & inside, selection.works & work_inside)


def edges(graph: Graph, kinds: tuple[Edge, ...], calls: Array | None = None, works: Array | None = None) -> Array:
    """Return a mask of the edges of some kinds that belong to some calls, or to some work."""
    mask = numpy.isin(graph.kind, [int(k) for k in kinds])
    if calls is not None:
        mask &= (graph.call >= 0) & calls[numpy.maximum(graph.call, 0)]
    if works is not None:
        mask &= (graph.work >= 0) & works[numpy.maximum(graph.work, 0)]
    return mask


def zeroed(wait: Array, none: Array, never: Array | None = None) -> Array:
    """Set waits to 0 for the edges of one mask, and to NEVER for those of another."""
    changed = wait.copy()
    changed[none] = 0
    if never is not None:
        changed[never] = NEVER
    return changed


def works_inside(graph: Graph, works: Array, inside: Array | None) -> Array:
    """Reduce work to what calls in `inside` launched; all of it if that is None."""
    return works if inside is None else within(graph, Selection(inside, works), inside).works


def calls_of(graph: Graph, works: Array) -> Array:
    """Return a mask of the calls that launched some work."""
    calls, called = numpy.zeros(graph.calls.height, dtype=bool), graph.works["call"].to_numpy()
    calls[called[works & (called >= 0)]] = True
    return calls


def paced(graph: Graph, waits: Waits) -> Waits:
    """Let waits for other threads (high: all waits that may be; low: none) keep their pace, unless most of one is gone.

    What the change takes from the host code before a call comes sooner.
    """
    paces = numpy.flatnonzero(numpy.isin(graph.kind, (Edge.PACE, Edge.MAYBE)))
    if not paces.size:
        return waits
    host = numpy.zeros(graph.calls.height, dtype=numpy.int64)
    is_host = numpy.flatnonzero(graph.kind == Edge.HOST)
    host[graph.call[is_host]] = is_host
    is_pace, host = graph.call[paces] >= 0, host[graph.call[paces]]
    measured = graph.measured[graph.node[paces]] - graph.measured[graph.source[paces]]

    def keep(wait: Array, kept: Array) -> Array:
        less = graph.wait[host] - wait[host]
        gone = ~kept | is_pace & (less >= GONE * graph.wait[host])
        changed = wait.copy()
        changed[paces] = numpy.where(gone, NEVER, numpy.where(is_pace, measured - less, wait[paces]))
        return changed

    every = numpy.ones(paces.size, dtype=bool)
    return Waits(keep(waits.likely, graph.kind[paces] == Edge.PACE), keep(waits.low, ~every), keep(waits.high, every))


def spinning(graph: Graph, wait: Array) -> Array | None:
    """Return the waits if the host code that may spin until the GPU runs dry does; None if there is none."""
    spin = graph.kind == Edge.SPIN
    if not spin.any():
        return None
    calls: Array = numpy.zeros(graph.calls.height, dtype=bool)
    calls[graph.call[spin]] = True
    changed = zeroed(wait, edges(graph, (Edge.HOST,), calls=calls))
    changed[spin] = (graph.measured[graph.node] - graph.measured[graph.source])[spin]
    return changed


def nothing(graph: Graph) -> Selection:
    return Selection(numpy.zeros(graph.calls.height, dtype=bool), numpy.zeros(graph.works.height, dtype=bool))


def calls_like(graph: Graph, pattern: str) -> Array:
    """Return a mask of the calls whose name matches a regular expression."""
    return graph.calls["name"].str.contains(pattern).fill_null(False).to_numpy()


def _blocking_copies(graph: Graph) -> Array:
    """Return a mask of calls that wait for their own small copy, such as cudaMemcpy of a value: the wait takes long."""
    works = graph.works
    small = (works["kind"] == "memcpy") & (works["bytes"] < LARGE) & (works["call"] >= 0)
    is_blocking: Array = numpy.zeros(graph.calls.height, dtype=bool)
    is_blocking[works["call"].to_numpy()[small.fill_null(False).to_numpy()]] = True
    is_blocking &= graph.calls["waits"].to_numpy()
    return is_blocking


def _named(names: polars.Series, name: str) -> list[str]:
    """Return the names that NAME is: this one, else those that match it with * and ?, else those that contain it."""
    known = [known for known in names.unique().to_list() if known]
    same = [known for known in known if known.lower() == name.lower()]
    pattern = re.compile(fnmatch.translate(name if "*" in name else f"*{name}*"), re.IGNORECASE)
    return same or [known for known in known if pattern.match(known)]


def select(graph: Graph, what: str) -> tuple[str, Selection]:
    """Return the kind and the rows that a text such as 'kernel:ampere_sgemm*' or 'host_code' names.

    Kinds: kernel:NAME, copy:DIRECTION, call:NAME, memset, host_code, launch_calls, memory_management, synchronization.
    Raises UsageError for another kind, or if nothing of that name is in the capture.
    """
    kind, _, name = what.partition(":")
    none = nothing(graph)
    if kind in ("kernel", "copy", "memset"):
        of_kind = graph.works["kind"] == {"copy": "memcpy"}.get(kind, kind)
        matching = _named(graph.works["name"].filter(of_kind), name)
        selection = Selection(none.calls, (of_kind & graph.works["name"].is_in(matching)).fill_null(False).to_numpy())
    elif kind == "call":
        matching = _named(graph.calls["name"], name)
        selection = Selection(graph.calls["name"].is_in(matching).fill_null(False).to_numpy(), none.works)
    elif kind == "host_code":
        selection = Selection(~none.calls, none.works)
    elif kind == "launch_calls":
        selection = Selection((graph.calls["launches"] & ~graph.calls["waits"]).to_numpy(), none.works)
    elif kind == "memory_management":
        selection = Selection(calls_like(graph, MEMORY), none.works)
    elif kind == "synchronization":
        selection = Selection(calls_like(graph, ASKS) | _blocking_copies(graph), none.works)
    else:
        raise UsageError(f"what-if: there is no {kind!r} to change; there are {KINDS}.")
    if not (selection.calls.any() or selection.works.any()):
        raise UsageError(f"what-if: nothing in the capture matches {what!r}.")
    return kind, selection


def host_code(graph: Graph, waits: Waits, factor: float, share: Array) -> Waits:
    """Multiply the host code before each call by a factor; `share` of it, from 0 to 1, is concerned."""
    mask = edges(graph, (Edge.HOST, Edge.RANK), calls=share > 0)
    by = 1 - (1 - factor) * share[graph.call[mask]]

    def change(wait: Array) -> Array:
        changed = wait.copy()
        changed[mask] = numpy.round(numpy.maximum(wait[mask], 0) * by).astype(numpy.int64)
        return changed

    return waits.each(change)


def scale(graph: Graph, waits: Waits, kind: str, chosen: Selection, factor: float) -> Waits:
    """Multiply durations by a factor; 0 removes the calls with the work that they launch, and waits of blocking calls.

    The call of a large copy from pageable memory takes as long as the copy, so it is scaled with it. Low, of removed
    work: the host code that leads to the launch goes as well, unless it takes longer than a launch.
    """
    if chosen.works.any() and factor == 0:
        removed = without(graph, waits, chosen.works)
        low = zeroed(removed.low, _launching(graph, calls_of(graph, chosen.works)))
        return Waits(removed.likely, low, removed.high)
    if kind == "host_code":
        return host_code(graph, waits, factor, chosen.calls.astype(float))
    if chosen.works.any():
        staged = chosen.works & is_pageable(graph) & (graph.works["bytes"] >= LARGE).fill_null(False).to_numpy()
        mask = edges(graph, (Edge.RUN, Edge.TOGETHER), works=chosen.works)
        mask |= edges(graph, (Edge.OWN,), calls=calls_of(graph, staged))
    else:
        mask = edges(graph, (Edge.OWN, Edge.CALLBACK), calls=chosen.calls)
    gone = edges(graph, (Edge.WAIT, Edge.QUEUE, Edge.CALLBACK), calls=chosen.calls) & (factor == 0)

    def change(wait: Array) -> Array:
        scaled = numpy.round(numpy.maximum(wait, 0) * factor).astype(numpy.int64)
        return numpy.where(gone, NEVER, numpy.where(mask, scaled, wait))

    return waits.each(change)


def is_pageable(graph: Graph) -> Array:
    """Return a mask of copies from or to pageable memory."""
    works = graph.works
    return ((works["kind"] == "memcpy") & works["is_pageable"].fill_null(False) & (works["bytes"] > 0)).to_numpy()


def without(graph: Graph, waits: Waits, works: Array) -> Waits:
    """Remove work, and the calls that launched nothing else."""
    calls = calls_of(graph, works) & ~calls_of(graph, ~works)
    run = edges(graph, (Edge.RUN, Edge.TOGETHER), works=works)
    own = edges(graph, (Edge.OWN,), calls=calls)
    submit = edges(graph, (Edge.SUBMIT, Edge.ENGINE, Edge.STREAM), works=works)
    wait = edges(graph, (Edge.WAIT,), calls=calls)

    def change(old: Array) -> Array:
        changed = zeroed(old, run | own, wait)
        changed[submit] = numpy.minimum(changed[submit], 0)
        return changed

    return waits.each(change)


def _launching(graph: Graph, calls: Array) -> Array:
    """Return a mask of edges of calls and of host code before them, except host code longer than a launch."""
    mask = edges(graph, (Edge.HOST, Edge.OWN), calls=calls)
    mask &= (graph.kind != Edge.HOST) | (graph.wait < SHORT_NS)
    return mask


def graphed(graph: Graph, waits: Waits, inside: Array | None = None) -> Waits:
    """Turn launches in a row into one CUDA graph: the host code and the calls between them go, the first launch stays.

    Host code that takes longer than a launch also stays: it may load data, which no graph replaces. A run of launches
    ends at a blocking call, at memory management, and where the thread changes, but at no other call, such as a query.
    """
    calls = graph.calls
    ends = (calls["waits"] & ~calls["polls"]).to_numpy() | calls_like(graph, MEMORY)
    if inside is not None:
        ends = ends | ~inside
    launch = polars.col("launches") & ~polars.col("ends")
    frame = calls.select("chain", "launches", polars.Series("ends", ends))
    run = frame.with_columns(run=polars.col("ends").cum_sum().over("chain")).with_columns(
        of=launch.sum().over("chain", "run"), until=launch.cum_sum().over("chain", "run")
    )
    is_later = polars.col("until") > launch.cast(polars.Int64)  # after a launch of its run
    is_before = polars.col("until") - launch.cast(polars.Int64) < polars.col("of")  # and up to the last
    follows = run.select(~polars.col("ends") & is_later & is_before).to_series().to_numpy()
    if not follows.any():
        raise UsageError("what-if: no two launches follow each other without a blocking call between them.")
    gone = _launching(graph, follows)
    never = edges(graph, (Edge.QUEUE, Edge.WAIT), calls=follows)
    return waits.each(lambda wait: zeroed(wait, gone, never))


def fused(graph: Graph, waits: Waits, inside: Array | None = None) -> Waits:
    """Merge consecutive elementwise kernels of a stream, FUSED at most, into one that takes as long as the longest.

    The host code between them goes, unless it takes longer than a launch. High: all as captured.
    """
    works = graph.works
    fusible = works["name"].str.contains(ELEMENTWISE) & ~works["name"].str.contains(OPTIMIZER)
    kernel = (works["kind"] == "kernel") & fusible.fill_null(False)
    chosen = works_inside(graph, kernel.to_numpy(), inside)
    rows = works.select(
        "stream", "start_ns", "end_ns", chosen=polars.Series(chosen), work=polars.int_range(polars.len())
    )
    runs = (
        rows.sort("stream", "start_ns", "work")
        .with_columns(polars.struct("stream", "chosen").rle_id().alias("run"))
        .filter("chosen")
        .with_columns(run=polars.struct("run", polars.int_range(polars.len()).over("run") // FUSED))
    )
    longest = polars.col("work").sort_by("dur", "work").last().over("run")
    rest = runs.with_columns(dur=LENGTH).filter(polars.col("work") != longest)["work"]
    if rest.is_empty():
        raise UsageError("what-if: there are no elementwise kernels in a row.")
    gone = numpy.isin(numpy.arange(works.height), rest.to_numpy())
    run = edges(graph, (Edge.RUN, Edge.STREAM), works=gone)
    changed = run | _launching(graph, calls_of(graph, gone))
    likely = zeroed(waits.likely, changed)
    return Waits(likely, likely if waits.low is waits.likely else zeroed(waits.low, changed), waits.high)


def floor(graph: Graph, waits: Waits, chosen: Selection, size: int, bandwidth: float) -> Waits:
    """Limit kernels by memory only: bytes that one launch touches over the bandwidth; high, at 75 % of it."""
    run = edges(graph, (Edge.RUN,), works=chosen.works)

    def at(wait: Array, share: float) -> Array:
        return numpy.where(run, numpy.minimum(wait, round(size / (bandwidth * share) * 1e9)), wait)

    high = at(waits.high, 0.75)
    return Waits(high, at(waits.low, 1.0), high)


def durations_from(graph: Graph, waits: Waits, other: Graph) -> Waits:
    """Take the durations of kernels and copies one by one from another capture of the same sequence of work.

    The kernels of one collective take as long as the shortest of them, because the others wait for it. Raises
    UsageError if the sequences differ.
    """
    mine, theirs = graph.works, other.works
    columns = ["gpu", "stream_number", "kind"]
    sequences = [_sequence(works) for works in (mine, theirs)]
    if not sequences[0].select(columns).equals(sequences[1].select(columns)):
        why = f"do not launch the same work in one order ({mine.height:,} and {theirs.height:,} pieces)"
        instead = "so durations cannot be exchanged one by one; `nsysql compare` compares them"
        raise UsageError(f"what-if: the captures {why}, {instead}.")
    duration = numpy.zeros(mine.height + 1, dtype=numpy.int64)  # the last one is for edges without work
    duration[sequences[0]["work"].to_numpy()] = sequences[1]["dur"].to_numpy()
    begun = numpy.zeros(len(graph.measured), dtype=numpy.int64)
    begun[mine["first"].to_numpy()] = numpy.arange(mine.height)
    together, shortest = graph.kind == Edge.TOGETHER, duration.copy()
    numpy.minimum.at(shortest, graph.work[together], duration[begun[graph.source[together]]])
    return waits.each(lambda wait: numpy.where(together | (graph.kind == Edge.RUN), shortest[graph.work], wait))


def _sequence(works: polars.DataFrame) -> polars.DataFrame:
    """Sort work by GPU and stream; the streams of a GPU are numbered by first use."""
    place, gpu = polars.int_range(polars.len(), dtype=polars.Int64), polars.col("gpu_id").rank("dense")
    number = works.with_columns(work=place, dur=LENGTH, gpu=gpu)
    used = polars.col("work").min().over("stream").rank("dense").over("gpu")
    return number.with_columns(stream_number=used).sort("gpu", "stream_number", "work")
