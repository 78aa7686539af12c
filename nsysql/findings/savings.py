"""Estimate what findings save by a replay of the capture with what each advises in its part, all else equal.

`what-if` replays findings by the same functions and never predicts more than the finding says: it changes the kernels,
calls and gaps of the finding by as much as the finding counts on.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial

import numpy
import polars as pl

from nsysql.analysis.global_ids import process_of
from nsysql.analysis.intervals import covered_until, union
from nsysql.analysis.replay import beside, changes, copies
from nsysql.analysis.replay.changes import SHORT_NS, Selection, Waits, nothing, scale
from nsysql.analysis.replay.graph import NAMES, Array, Edge, Graph, Replay, most_of, path_within, replay, span
from nsysql.capture.export import Export
from nsysql.capture.replay_graph import explained_graph
from nsysql.errors import UsageError
from nsysql.findings.finding import Finding, Row
from nsysql.words.quantities import time
from nsysql.words.sql_text import literal

Advice = Callable[[Graph, Waits, Array | None], Waits]  # changes the masked calls and the work they launched
CLASSES = {  # classes of kernels, by claim; the claim "kernel" names its kernels itself
    "matrix": pl.col("class").eq("matrix") & pl.col("precision").eq("fp32"),
    "layout": pl.col("class").eq("layout"),
    "elementwise": pl.col("class").eq("elementwise"),
}
OF_KERNELS = ("kernel", *CLASSES)
FEWER = ("elementwise", "short")  # claims of findings that save launches: the calls between launches go as well
SET_UP = ("memory_management", *(f"call:{what}{how}" for what in ("Stream", "Event") for how in ("Create", "Destroy")))


def _removed(graph: Graph, waits: Waits, inside: Array | None, what: str) -> Waits:
    """Remove the calls of a kind from the waits. Raises UsageError if there are none."""
    kind, chosen = changes.select(graph, what)
    return scale(graph, waits, kind, chosen if inside is None else changes.within(graph, chosen, inside), 0)


SYNCHRONIZATION = ("sync-each-launch", "sync-per-step", "sync-for-value")
ADVICE: dict[str, tuple[Advice, ...]] = {  # changes of each finding, by its code
    **dict.fromkeys(SYNCHRONIZATION, (partial(_removed, what="synchronization"),)),
    "allocation-per-step": tuple(partial(_removed, what=what) for what in SET_UP),
    "memset": (partial(_removed, what="memset"),),
    **dict.fromkeys(("launch-bound", "graph-candidate", "host-paced"), (changes.graphed,)),
    **dict.fromkeys(("round-trip", "same-copy-each-step"), (copies.once,)),
    **dict.fromkeys(("exposed-copies", "one-copy-engine"), (copies.overlapped,)),
    "unfused-elementwise": (changes.fused,),
    "pageable-copies": (copies.rate,),
}
HOST_CODE, WAITS = ("host_code", "os_other"), ("os_wait_io", "os_wait_lock", "blocked")
IDLE_CAUSES = {  # causes of the gaps that a finding is about: host code gets faster only there
    "host-code": HOST_CODE,
    "host-output": (*HOST_CODE, "os_wait_io"),
    "input-wait": (*WAITS, *HOST_CODE),
    "waits-for-thread": ("waiting_for_thread",),
}
ESTIMATED = "about"  # bound of rules that rely on the replay, whether it predicts less or more
UNLAUNCHED = 0.1  # share of a part's work that may lack its call: such work keeps its time whatever gets faster
MUCH_LESS = 0.5  # share of what the rule bounds: with less, the finding names what limits then
FAR_MORE = 1.5  # times the idle time after synchronization: the saving needs a reason
IF_AHEAD = 0.5  # weight of such a saving: it needs a host that waits for nothing else
LITTLE = 0.01  # share of its part: smaller findings are not shown


def is_replayed(f: Finding) -> bool:
    """Tell whether `what-if` can predict what a finding saves."""
    return f.code in ADVICE or f.code in IDLE_CAUSES or (f.claims in OF_KERNELS and f.saves_ns is not None)


def replayed(findings: Sequence[Finding], run: Export) -> list[Finding]:
    """Set what the replay says findings save; bounds are only lowered, except those of launches.

    Findings that are hidden and that it could only lower keep their bounds; without others no graph is built.
    Kernels in parts where unified memory migrates are not replayed: the replay omits the migrations that they cause.
    """
    apart = set(run.query("part_copy").filter("is_migration")["part_id"]) if run.has("memcpy") else set()
    replays = [f for f in findings if f.saves_ns and is_replayed(f) and (f.shown or _can_rise(f))]
    replays = [f for f in replays if f.bound == ESTIMATED or f.claims in (*OF_KERNELS, *FEWER, "sync")]
    replays = [f for f in replays if f.claims not in OF_KERNELS or not apart.intersection(f.part_ids)]
    graph = explained_graph(run) if replays else None
    if graph is None:
        return list(findings)
    saved, spans = {}, part_spans(run)
    for f in replays:
        parts = [in_part(graph, spans, part_id) for part_id in f.part_ids]
        inside = numpy.logical_or.reduce(parts)
        if not inside.any() or (graph.works["call"].to_numpy()[inside] < 0).mean() > UNLAUNCHED:
            continue
        try:
            own = advised(graph, Waits.all(graph.wait), f, run, spans)
        except UsageError:  # nothing of the kind was launched in these parts
            continue
        whole = [_beside(graph, part, spans, part_id) for part, part_id in zip(parts, f.part_ids, strict=True)]
        waits = beside.settled(graph, own)
        # without calls that wait for the GPU, the host waits elsewhere; kernels save most if no other thread is late
        is_bound = f.claims in OF_KERNELS and f.bound != ESTIMATED
        at_best = beside.settled(graph, Waits.all(own.likely)).low if is_bound else waits.likely
        wait = waits.high if f.code in SYNCHRONIZATION else at_best
        saves, done = _saved(graph, wait, whole)
        least = _saved(graph, waits.likely, whole)[0] if at_best is not waits.likely else saves
        is_less = saves < MUCH_LESS * (f.saves_ns or 0)
        most = most_of(path_within(graph.with_waits(wait), done, inside)) if is_less else None
        saved[id(f)] = _estimated(f, saves, least, most[0] if most and most[0] in NAMES.values() else None)
    return [saved.get(id(f), f) for f in findings]


def _saved(graph: Graph, wait: Array, parts: Iterable[Array]) -> tuple[int, Replay]:
    """Return what other waits save, that is, in the part that saves most, and the replay with them."""
    done = replay(graph.with_waits(wait))
    return max(0, *(span(graph, graph.measured, part) - span(graph, done.times, part) for part in parts)), done


def advised(graph: Graph, waits: Waits, f: Finding, run: Export, spans: pl.DataFrame) -> Waits:
    """Change the waits as a finding advises, in its parts. Raises UsageError if there is nothing to change."""
    if f.code in IDLE_CAUSES:
        return _without_idle_host(graph, waits, f, run, spans)
    if f.code in ADVICE:
        inside = numpy.logical_or.reduce([_calls_in(graph, spans, part_id) for part_id in f.part_ids])
        return followed(graph, waits, ADVICE[f.code], inside)
    return faster(graph, waits, f.rows, run, spans)


def followed(graph: Graph, waits: Waits, advice: Iterable[Advice], inside: Array | None) -> Waits:
    """Apply several changes, of which some may have nothing to change; raises UsageError if all have nothing."""
    refused: list[UsageError] = []
    done = 0
    for change in advice:
        try:
            waits, done = change(graph, waits, inside), done + 1
        except UsageError as error:
            refused.append(error)
    if not done:
        raise refused[0]
    return waits


def faster(graph: Graph, waits: Waits, rows: Iterable[Row], run: Export, spans: pl.DataFrame) -> Waits:
    """Shorten the kernels that rows of a rule are about by as much as the rule counts on."""
    for part_id, subject, claims, total, saves in rows:
        works = (graph.works["kind"] == "kernel").to_numpy() & in_part(graph, spans, part_id)
        names = [subject]
        if claims != "kernel":
            names = run.query("part_kernel").filter(CLASSES[claims], part_id=part_id)["name"].drop_nulls().to_list()
        works &= graph.works["name"].is_in(names).fill_null(False).to_numpy()
        if works.any() and total:
            chosen = Selection(nothing(graph).calls, works)
            waits = scale(graph, waits, "kernel", chosen, 1 - min(saves, total) / total)
    return waits


def _without_idle_host(graph: Graph, waits: Waits, f: Finding, run: Export, spans: pl.DataFrame) -> Waits:
    """Shorten host code by the time that the GPU is idle because of it in the gaps of a finding."""
    pieces = _pieces(f.code, run)
    mask = (graph.kind == Edge.HOST) & (graph.wait > 0)
    call = graph.call[mask]
    end, process = (graph.calls[name].to_numpy()[call] for name in ("start_ns", "process_id"))
    shorter = numpy.zeros(end.size)
    for part_id in f.part_ids:
        of_part = spans.filter(pl.col("part_id") == part_id)
        own = pieces.join(of_part.select("gpu_id").unique(), on="gpu_id", how="semi").drop_nulls("thread_id")
        for (of_process,), rows in own.group_by(process_of(pl.col("thread_id"))):
            idle = _overlap(rows.sort("start_ns"), of_part, end - graph.wait[mask], end) * (process == of_process)
            shorter += idle * min(1.0, (f.saves_ns or 0) / max(1, idle.sum()))
    if not shorter.any():
        raise UsageError(f"what-if: no time between CUDA calls is in the gaps of {f.code}.")
    of_call = numpy.zeros(graph.calls.height, dtype=numpy.int64)
    of_call[call] = numpy.floor(shorter)
    change = numpy.where(numpy.isin(graph.kind, (Edge.HOST, Edge.RANK)), of_call[graph.call], 0)
    return waits.each(lambda wait: wait - numpy.minimum(change, numpy.maximum(wait, 0)))


def _pieces(code: str, run: Export) -> pl.DataFrame:
    """Return the pieces of gaps with the causes of a finding; only long gaps for a finding about these."""
    which = f"WHERE cause IN ({', '.join(map(literal, IDLE_CAUSES[code]))})"
    pieces = run.select("_idle_piece", "gap_id, gpu_id, thread_id, start_ns, end_ns", which)
    if code != "host-code":
        return pieces
    long = run.select("_idle_gap", "gap_id", f"WHERE end_ns - start_ns >= {SHORT_NS}")
    return pieces.join(long, on="gap_id", how="semi")


def _overlap(runs: pl.DataFrame, spans: pl.DataFrame, begin: Array, end: Array) -> Array:
    """Return how long each interval from begin to end overlaps both the runs and the spans."""
    overlap = numpy.zeros(begin.size, dtype=numpy.int64)
    for first, last in spans.select("start_ns", "end_ns").iter_rows():
        covered = [covered_until(runs, pl.Series(numpy.clip(times, first, last))) for times in (begin, end)]
        overlap += (covered[1] - covered[0]).to_numpy()
    return overlap


def part_spans(run: Export) -> pl.DataFrame:
    """Return the intervals of all parts: part_id, gpu_id, start_ns, end_ns."""
    return run.select("_part_span", "part_id, gpu_id, start_ns, end_ns")


def in_part(graph: Graph, spans: pl.DataFrame, part_id: int) -> Array:
    """Return a mask of the graph's work that starts in a part."""
    gpu, own = graph.works["gpu_id"], spans.filter(pl.col("part_id") == part_id)
    inside = starting_in(graph.works, own)
    inside &= gpu.is_in(own["gpu_id"].implode(), nulls_equal=True).to_numpy()
    return inside


def _beside(graph: Graph, inside: Array, spans: pl.DataFrame, part_id: int) -> Array:
    """Return a mask of the work of a part and of its processes on other GPUs meanwhile: they wait for the last."""
    process = graph.works["process_id"]
    beside = process.is_in(process.filter(pl.Series(inside)).unique().implode()).to_numpy()
    return inside | beside & starting_in(graph.works, spans.filter(pl.col("part_id") == part_id))


def starting_in(rows: pl.DataFrame, spans: pl.DataFrame) -> Array:
    """Return a mask of the rows that start in one of the spans."""
    start = rows["start_ns"].to_numpy()
    ordered = spans.sort("start_ns")
    at = numpy.searchsorted(ordered["start_ns"].to_numpy(), start, side="right") - 1
    inside: Array = (at >= 0) & (start < ordered["end_ns"].cum_max().to_numpy()[numpy.maximum(at, 0)])
    return inside


def host_code_in(graph: Graph, ranges: pl.DataFrame) -> Array:
    """Return the share of the host code before each call that is within the ranges of its thread, from 0 to 1."""
    edges = numpy.flatnonzero(graph.kind == Edge.HOST)
    call, begin, end = graph.call[edges], graph.measured[graph.source[edges]], graph.measured[graph.node[edges]]
    share = numpy.zeros(graph.calls.height)
    for (thread,), rows in ranges.group_by("thread_id"):
        own = (graph.calls["thread_id"] == thread).to_numpy()[call]
        merged = union(rows.sort("start_ns", "end_ns"))
        until = [covered_until(merged, pl.Series(at[own])).to_numpy() for at in (begin, end)]
        share[call[own]] = (until[1] - until[0]) / numpy.maximum(end - begin, 1)[own]
    return share


def _calls_in(graph: Graph, spans: pl.DataFrame, part_id: int) -> Array:
    """Return a mask of the calls that launched a part's work, or begin in the part in a process that did."""
    launched = graph.works["call"].to_numpy()[in_part(graph, spans, part_id)]
    launched = launched[launched >= 0]
    process = graph.calls["process_id"]
    inside = starting_in(graph.calls, spans.filter(pl.col("part_id") == part_id))
    inside &= process.is_in(process.gather(launched).unique().implode()).to_numpy()
    inside[launched] = True
    return inside


def _can_rise(f: Finding) -> bool:
    """Tell whether the replay may raise what a finding saves; otherwise it only lowers it."""
    return f.claims in FEWER or (f.bound == ESTIMATED and f.claims not in ("copy", "allocation"))


def _estimated(f: Finding, saved: int, least: int, limit: str | None) -> Finding:
    """Set what the replay says the finding saves; add what would limit the part then, or what it saves at least."""
    before = f.saves_ns or 0
    if saved >= before and not _can_rise(f):
        saved = before
    more, is_ahead = f"Then the limit is {limit}." if limit else "", False
    if least < MUCH_LESS * saved:
        more = f"Only {time(least)} if other threads keep their pace."
    elif saved == before and not _can_rise(f):
        return f
    if f.claims in OF_KERNELS and saved > f.total_ns:
        more = "Fewer launches save more than their time."
    if f.code in SYNCHRONIZATION and saved > FAR_MORE * f.total_ns:
        more, is_ahead = "A host that need not wait gets ahead, which saves more.", True
    bound = f.bound if f.claims in OF_KERNELS else ESTIMATED  # only for kernels the replay assumes a time
    certainty, factor = ("possible", IF_AHEAD) if is_ahead else (f.certainty, 1.0)
    return replace(
        f, saves_ns=saved, says=f"{f.says} {more}".strip(), bound=bound, certainty=certainty,
        weight=f.weight * saved / before * factor, shown=saved >= LITTLE * f.part_ns,
    )  # fmt: skip
