"""The page of what changes would save: a row per change, then the critical path."""

from dataclasses import asdict
from typing import Any

from nsysql.findings.what_if import WhatIf
from nsysql.pages.elements import Bar, Cell, Column, Page, Section
from nsysql.pages.phrases import share
from nsysql.words.kernel_names import Names
from nsysql.words.quantities import counted, tenths, time

SHOWN = 8  # rows
CHANGES = (
    Column("change", right=False, wrap=True), Column("time after"), Column("range", spare=True), Column("saves"),
    Column(""), Column("", right=False), Column("limits then", right=False, spare=True),
)  # fmt: skip
PATH = (Column("kind", right=False), Column("name", right=False), Column("time"), Column(""), Column("", right=False))
_UNITS = {"kernel": ("kernel",), "copy": ("copy", "copies"), "call": ("call",)}


def document(what_if: WhatIf) -> dict[str, Any]:
    """The page as data: the first prediction's times, all predictions, and the critical path by kind and name."""
    rows = [
        {
            "change": p.label.replace("{}", p.kernel or "{}"), "before_ns": p.before_ns,
            "after_ns": p.after_ns, "after_low_ns": p.low_ns,
            "after_high_ns": p.high_ns, "saves_ns": p.saves_ns, "limit": p.limit,
            "gpus": [{"gpu_id": g, "before_ns": b, "after_ns": a} for g, b, a in p.gpus],
        }
        for p in what_if.predictions
    ]  # fmt: skip
    first = {key: value for key, value in rows[0].items() if key.endswith("_ns")} if rows else {}
    return {
        "file": what_if.file, "scope": what_if.scope, "slack_pct": 100 * what_if.slack, **first, "predictions": rows,
        "critical_path": what_if.path.head(20).to_dicts(), "concerned": [asdict(c) for c in what_if.concerned],
    }  # fmt: skip


def page(what_if: WhatIf, top: int | None = SHOWN) -> Page:
    """The page: a row per change, then the critical path."""
    rows: list[tuple[Cell, ...]] = []
    for p in what_if.predictions[:top]:
        name = Names((p.kernel,), p.label) if p.kernel else p.label
        between = "" if p.low_ns == p.high_ns else f"{time(p.low_ns)} to {time(p.high_ns)}"
        rows.append((name, time(p.after_ns), between, time(p.saves_ns), *_share(p.saves_ns, p.before_ns), p.limit))
    sentence = "No change saves 1% or more."
    if what_if.predictions and what_if.predictions[0].before_ns:
        sentence = f"{what_if.scope[0].upper()}{what_if.scope[1:]}: {time(what_if.predictions[0].before_ns)}."
    notes: tuple[str, ...] = ("One change a row, all else as measured; host times include what the profiler adds.",)
    notes += tuple(
        f"{c.what} stands for {counted(c.count, *_UNITS[c.kind])} of {counted(len(c.names), 'name')}, "
        f"{time(c.dur_ns)} as captured."
        for c in what_if.concerned
    )
    if (slack := tenths(100 * what_if.slack)) != "0.0":
        notes += (f"{slack}% of the window is waiting that the export does not explain, kept as measured.",)
    active = what_if.active_share
    if any(p.after_ns < active * p.before_ns for p in what_if.predictions[:top]):
        notes += (
            f"A thread without CUDA calls is active {tenths(100 * active)}% of the time; if it loads data for the GPU, "
            "the run gets no shorter than that.",
        )
    if any(p.after_ns < what_if.met_ns for p in what_if.predictions[:top]):
        notes += (
            f"Ranks outside the capture take part in collectives up to {time(what_if.met_ns)}: unless they get faster, "
            "too, the run gets no shorter than that.",
        )
    if what_if.spins:
        before = f"Host code before {counted(what_if.spins, 'call')} ends as the GPU runs dry"
        notes += (f"{before}: it may be a loop that waits for the GPU. The range has both cases.",)
    total = max(1, int(what_if.path["dur_ns"].sum()))
    critical: list[tuple[Cell, ...]] = []
    for kind, name, dur, _ in what_if.path.head(5).iter_rows():
        shown = Names((name,)) if name and kind != "CUDA calls" else str(name or "")
        shown = f"before {name}" if kind == "host code" else shown
        critical.append((str(kind), shown, time(dur), *_share(dur, total)))
    sections = (
        Section("What if", "", (sentence,), CHANGES, tuple(rows), notes),
        Section("Critical path", "what determined the time, as captured", (), PATH, tuple(critical)),
    )
    return Page(what_if.file, sections)


def _share(part: float, of: float) -> tuple[str, Bar]:
    return f"{tenths(100 * share(part, of))}%", Bar(share(part, of))
