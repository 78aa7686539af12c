"""The page of what changes would save: a row per change, then the critical path."""

from typing import Any

from nsysql.findings.what_if import WhatIf
from nsysql.pages.elements import Bar, Cell, Column, Page, Section
from nsysql.words.kernel_names import Names
from nsysql.words.quantities import tenths, time

SHOWN = 8  # rows
PATH = (Column("kind", right=False), Column("name", right=False), Column("time"), Column(""), Column("", right=False))


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
        "critical_path": what_if.path.head(20).to_dicts(),
    }  # fmt: skip


def page(what_if: WhatIf, top: int | None = SHOWN) -> Page:
    """The page: a row per change, then the critical path."""
    rows: list[tuple[Cell, ...]] = []
    for p in what_if.predictions[:top]:
        between = "" if p.low_ns == p.high_ns else f"{time(p.low_ns)} to {time(p.high_ns)}"
        share = p.saves_ns / p.before_ns if p.before_ns else 0.0
        rows.append(
            (
                Names((p.kernel,), p.label) if p.kernel else p.label,
                time(p.after_ns),
                between,
                time(p.saves_ns),
                f"{tenths(100 * share)}%",
                Bar(share),
                p.limit,
            )
        )
    columns = (
        Column("change", right=False, wrap=True), Column("time after"), Column("range", spare=True), Column("saves"),
        Column(""), Column("", right=False), Column("limits then", right=False, spare=True),
    )  # fmt: skip
    before = what_if.predictions[0].before_ns if what_if.predictions else None
    sentence = (
        f"{what_if.scope[0].upper()}{what_if.scope[1:]}: {time(before)}." if before else "No change saves 1% or more."
    )
    notes = (
        "One change a row, all else as measured; host times include what the profiler adds.",
        f"{tenths(100 * what_if.slack)}% of the window is waiting that the export does not explain; it stays.",
    )
    total = max(1, int(what_if.path["dur_ns"].sum()))
    critical = tuple(
        (
            str(kind),
            Names((name,)) if name and kind != "CUDA calls" else str(name or ""),
            time(dur),
            f"{tenths(100 * dur / total)}%",
            Bar(dur / total),
        )
        for kind, name, dur, _ in what_if.path.head(5).iter_rows()
    )
    return Page(
        what_if.file,
        (
            Section("What if", "", (sentence,), columns, tuple(rows), notes),
            Section(
                "Critical path", "what determined the time, as captured", (),
                PATH,
                critical,
            ),
        ),
    )  # fmt: skip
