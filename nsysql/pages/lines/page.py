"""The page about lines in sections."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from nsysql.pages.elements import Bar, Page, Section, notes_section
from nsysql.pages.lines.gather import UNATTRIBUTED, Lines
from nsysql.pages.phrases import Row, counted, percent, share, without_signature
from nsysql.pages.sections import table
from nsysql.words.quantities import safe

SCHEMA = "nsysql.lines/1"  # adding a key does not change the number; removing or changing one does


def document(found: Lines) -> dict[str, Any]:
    """The page as lists and dictionaries: totals, then all rows."""
    return {
        "schema": SCHEMA,
        "export": found.path,
        "asked": {"by": found.asked.by, "sort": found.asked.sort, **dict(found.asked.filters)},
        "totals": found.totals,
        "rows": found.rows.to_dicts(),
        "notes": list(found.notes),
    }


KINDS = ("python_samples", "native_samples", "system_samples")
NUMBERS = (
    "gpu_ns/all_gpu_ns=of_GPU_time:share gpu_ns=GPU_time launches=launches wait_ns=waits"
    " idle_ns/all_idle_ns=of_idle:pct idle_ns=idle cpu_samples=CPU_samples bar= python_samples/cpu_samples=Python:pct"
    " native_samples/cpu_samples=native:pct system_samples/cpu_samples=system:pct"
    " stack_samples/all_stack_samples=of_samples:pct stack_samples=Python_stacks page_faults=page_faults"
)
ORDER = {
    "gpu": "GPU time", "launches": "launches", "wait": "waits", "idle": "idle time", "samples": "samples",
    "name": "name",
}  # fmt: skip
MEANING = "waits: time in blocking calls; idle: GPUs waited for what the launching thread did there."
TIMES = {"gpu_ns": "GPU time", "wait_ns": "waits", "idle_ns": "idle time"}


def page(found: Lines) -> Page:
    """The page: a row per line, function or file; what has no place; notes."""
    sections = [_table(found)]
    notes = found.notes if found.totals["gpu_ns"] is None else (*found.notes, MEANING)
    sections.append(notes_section(notes))
    return Page(f"{found.path}: where in the source the time goes", tuple(sections))


def _table(found: Lines) -> Section:
    by, totals = found.asked.by, found.totals
    every = found.rows.to_dicts()
    names = short_files(row["file"] for row in every if row["file"] is not None)
    top = found.asked.top or len(every)
    shown = every[:top] + [row for row in every[top:] if row["how"] == UNATTRIBUTED]  # how much is not attributed
    rows = []
    for row in shown:
        count = row["cpu_samples"]
        rows.append(
            {
                **row,
                **{
                    name: row[name] if count else None
                    for name in ("python_samples", "native_samples", "system_samples")
                },
                "bar": Bar(share(count, totals["cpu_samples"] or 0), 8) if totals["gpu_ns"] is None else "",
                **{f"all_{name}": totals[name] for name in ("gpu_ns", "idle_ns", "stack_samples")},
                "place": place({**row, "file": names.get(row["file"], row["file"])}),
                "name": function(row),
                "how": "" if row["how"] == UNATTRIBUTED else row["how"],
            }
        )
    place_name = by if found.has_lines else "module"
    columns = f"{NUMBERS} place={place_name}:whole name=function:text how=found_by:text"
    after = tuple(_after(found, every, sum(row["how"] != UNATTRIBUTED for row in every[top:])))
    return table(f"By {by}", columns, rows, f"sorted by {_order(found)}", after=after)


def _order(found: Lines) -> str:
    """What the rows are sorted by; without GPU time the next key of the query."""
    if found.asked.sort == "gpu" and found.totals["gpu_ns"] is None:
        return "samples"
    return ORDER[found.asked.sort]


def short_files(files: Iterable[str]) -> dict[str, str]:
    """Each file mapped to the shortest end of its path that is unique.

    >>> short_files(["/a/x/run.py", "/a/y/run.py", "/a/y/net.py"])
    {'/a/x/run.py': 'x/run.py', '/a/y/run.py': 'y/run.py', '/a/y/net.py': 'net.py'}
    """
    parts = {name: re.split(r"[/\\]+", name) for name in files}
    count = Counter(tuple(own[-n:]) for own in parts.values() for n in range(1, len(own) + 1))
    return {
        name: next(("/".join(own[-n:]) for n in range(1, len(own)) if count[tuple(own[-n:])] == 1), name)
        for name, own in parts.items()
    }


def place(row: Row) -> str:
    """The place as text: file:line, the file, or the module; (unattributed) if unknown."""
    if row["how"] == UNATTRIBUTED:
        return f"({UNATTRIBUTED})"
    if row["file"] is None:
        return safe(row["module"] or "")
    return safe(row["file"]) + (f":{row['line']}" if row["line"] is not None else "")


def function(row: Row) -> str:
    """The function; empty if unknown."""
    return safe(without_signature(row["function"])) if row["function"] else ""


def _after(found: Lines, rows: Sequence[Row], left: int) -> Iterator[str]:
    if left:
        yield f"{counted(left, 'more row')}; --top 0 shows all."
    for none in rows:
        of = [
            f"{percent(none[name], total)} of the {what}"
            for name, what in TIMES.items()
            if (total := found.totals[name]) and none[name]
        ]
        if none["how"] == UNATTRIBUTED and of:
            yield f"Without a known place: {', '.join(of)}."
