"""What findings save: the capture replayed with the kernels of one made faster, or without its calls, all else equal.

Where the CPU launches not far ahead, a faster kernel only lengthens the GPU's wait for it; where it launches far ahead,
a call that is gone saves nothing. The bound of the rule stays where the replay says more.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy
import polars as pl

from nsysql.analysis.replay.changes import Selection, Waits, nothing, scale, select, within
from nsysql.analysis.replay.model import Array, Graph
from nsysql.analysis.replay.walk import NAMES, most_of, path_within, replay
from nsysql.capture.export import Export
from nsysql.capture.replay_graph import explained_graph
from nsysql.errors import UsageError

if TYPE_CHECKING:
    from nsysql.findings.engine import Finding

CLASSES = {  # of kernels, by what a finding claims; a finding that claims a kernel names it
    "matrix": pl.col("class").eq("matrix") & pl.col("precision").eq("fp32"),
    "layout": pl.col("class").eq("layout"),
    "elementwise": pl.col("class").eq("elementwise"),
}
REMOVED = {
    **dict.fromkeys(("sync-each-launch", "sync-per-step", "sync-for-value"), ("synchronization",)),
    "allocation-per-step": (
        "memory_management",
        *(f"call:{what}{how}" for what in ("Stream", "Event") for how in ("Create", "Destroy")),
    ),
}
OF_KERNELS = ("kernel", *CLASSES)
UNLAUNCHED = 0.1  # of the work of a part: work without its call keeps its place, whatever is faster
MUCH_LESS = 0.5  # of the bound of the rule: then the finding says what limits
LITTLE = 0.01  # of its part: a smaller finding is not shown
Row = tuple[int, str, str, int, int]  # part, subject, claims, total_ns, saves_ns


def replayed(found: Sequence["Finding"], run: Export) -> list["Finding"]:
    """The findings; those on kernels, blocking calls and allocation save no more than the replay says.

    It does not say of kernels for which unified memory migrates: they cause the migrations, which it leaves out.
    """
    apart = _migrating(run)
    asked = [
        f for f in found if f.saves_ns and (f.code in REMOVED or (f.claims in OF_KERNELS and f.part_id not in apart))
    ]
    graph = explained_graph(run) if asked else None
    if graph is None:
        return list(found)
    saved, spans = {}, part_spans(run)
    for f in asked:
        inside = in_part(graph, spans, f.part_id)
        if not inside.any() or (graph.works["call"].to_numpy()[inside] < 0).mean() > UNLAUNCHED:
            continue
        waits = Waits.all(graph.wait)
        if f.code in REMOVED:
            for what in REMOVED[f.code]:
                waits = _without(graph, waits, what, inside)
        else:
            rows = [(f.part_id, s, f.claims or "", f.total_ns, f.saves_ns or 0) for s in f.subjects]
            waits = faster(graph, waits, rows, run, spans)
        changed = graph.with_waits(waits.likely)
        after = replay(changed)
        saves = max(0, _span(graph, graph.measured, inside) - _span(graph, after.times, inside))
        most = most_of(path_within(changed, after, inside)) if saves < MUCH_LESS * (f.saves_ns or 0) else None
        saved[id(f)] = _at_most(f, saves, most[0] if most and most[0] in NAMES.values() else None)
    return [saved.get(id(f), f) for f in found]


def _migrating(run: Export) -> set[int]:
    """The parts in which unified memory migrates."""
    if not run.has("memcpy"):
        return set()
    return set(run.query("part_copy").filter("is_migration")["part_id"])


def _without(graph: Graph, waits: Waits, what: str, inside: Array) -> Waits:
    """The waits without the calls of a kind from the first of a part's launches to the last."""
    launched = graph.works["call"].to_numpy()[inside]
    launched = launched[launched >= 0]
    try:
        kind, chosen = select(graph, what)
    except UsageError:  # the capture has none
        return waits
    if not launched.size:
        return waits
    start = graph.calls["start_ns"].to_numpy()
    first, last = start[launched.min()], start[launched.max()]
    return scale(graph, waits, kind, within(graph, chosen, (start >= first) & (start <= last)), 0)


def faster(graph: Graph, waits: Waits, rows: Sequence[Row], run: Export, spans: pl.DataFrame) -> Waits:
    """The waits with the kernels that rows of a rule are about in as much less time as the rule counts on."""
    for part_id, subject, claims, total, saves in rows:
        works = (graph.works["kind"] == "kernel").to_numpy() & in_part(graph, spans, part_id)
        names = [subject] if claims == "kernel" else _of_class(run, part_id, claims)
        works &= graph.works["name"].is_in(names).fill_null(False).to_numpy()
        if works.any() and total:
            chosen = Selection(nothing(graph).calls, works)
            waits = scale(graph, waits, "kernel", chosen, 1 - min(saves, total) / total)
    return waits


def part_spans(run: Export) -> pl.DataFrame:
    """The stretches of time of all parts: part_id, gpu_id, start_ns, end_ns."""
    return run.narrowed("_part_span", "part_id, gpu_id, start_ns, end_ns", None, False)


def in_part(graph: Graph, spans: pl.DataFrame, part_id: int) -> Array:
    """Which work of the graph starts in a part: a mask of its works."""
    start, gpu = graph.works["start_ns"].to_numpy(), graph.works["gpu_id"]
    inside = numpy.zeros(graph.works.height, dtype=bool)
    for _, gpu_id, first, end in spans.filter(pl.col("part_id") == part_id).iter_rows():
        inside |= (start >= first) & (start < end) & gpu.eq_missing(gpu_id).to_numpy()
    return inside


def _of_class(run: Export, part_id: int, claims: str) -> list[str]:
    own = run.query("part_kernel").filter((pl.col("part_id") == part_id) & CLASSES[claims])
    return own["name"].unique().drop_nulls().to_list()


def _span(graph: Graph, times: Array, inside: Array) -> int:
    """From the first of the work to the last."""
    if not inside.any():
        return 0
    first, last = (times[graph.works[name].to_numpy()[inside]] for name in ("first", "last"))
    return int(last.max() - first.min())


def _at_most(f: "Finding", saved: int, limit: str | None) -> "Finding":
    """The finding with what the replay says it saves, where that is less, and what would limit the part then."""
    before = f.saves_ns or 0
    if saved >= before:
        return f
    share = saved / before if before else 0.0
    says = f"{f.says} Then the limit is {limit}." if limit else f.says
    return replace(
        f,
        saves_ns=saved,
        says=says,
        bound="about",
        weight=f.weight * share,
        shown=f.shown and saved >= LITTLE * f.part_ns,
    )
