"""The page about lines in sections."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from nsysql.pages.elements import Bar, Cell, Column, Page, Section, notes_section
from nsysql.pages.lines.gather import UNATTRIBUTED, Lines
from nsysql.pages.phrases import Row, counted, percent, share, without_signature
from nsysql.words.quantities import safe, time

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


TITLES = {"line": "line", "function": "function", "file": "file"}
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
    rows = found.rows.to_dicts()
    shown = rows if found.asked.top is None else rows[: found.asked.top]
    of_none = [row for row in rows if row["how"] == UNATTRIBUTED]
    shown += [
        row for row in of_none if row not in shown
    ]  # always shown, so that the reader sees how much is not attributed
    headings, cells = [*map(Column, _headings(found))], []
    names = short_files(row["file"] for row in rows if row["file"] is not None)
    for row in shown:
        cells.append((*_numbers(found, row), _short(row, names), function(row), _how(row)))
    columns = (
        *headings, Column(TITLES[found.asked.by] if found.has_lines else "module", right=False, whole=True),
        Column("function", right=False), Column("found by", right=False),
    )  # fmt: skip
    return Section(
        f"By {TITLES[found.asked.by]}", f"sorted by {_order(found)}", (), columns, tuple(cells),
        tuple(_after(found, rows, len(shown) - len([row for row in shown if row["how"] == UNATTRIBUTED]))),
    )  # fmt: skip


def _order(found: Lines) -> str:
    """What the rows are sorted by; without GPU time the next key of the query."""
    if found.asked.sort == "gpu" and found.totals["gpu_ns"] is None:
        return "samples"
    return ORDER[found.asked.sort]


def _headings(found: Lines) -> Iterator[str]:
    totals = found.totals
    if totals["gpu_ns"] is not None:
        yield from ("of GPU time", "", "GPU time", "launches", "waits")
    if totals["idle_ns"] is not None:
        yield from ("of idle", "idle")
    if totals["cpu_samples"] is not None:
        yield from ("CPU samples", *([""] if totals["gpu_ns"] is None else []), "Python", "native", "system")
    if totals["stack_samples"] is not None:
        yield from ("of samples", "Python stacks")
    if totals["page_faults"] is not None:
        yield "page faults"


def _numbers(found: Lines, row: Row) -> Iterator[Cell]:
    totals = found.totals
    if (gpu := totals["gpu_ns"]) is not None:
        yield from (percent(row["gpu_ns"], gpu), Bar(share(row["gpu_ns"], gpu), 5), time(row["gpu_ns"]))
        yield from (f"{row['launches']:,}", time(row["wait_ns"]))
    if (idle := totals["idle_ns"]) is not None:
        yield from (percent(row["idle_ns"], idle), time(row["idle_ns"]))
    if totals["cpu_samples"] is not None:
        count = row["cpu_samples"]
        yield f"{count:,}"
        if totals["gpu_ns"] is None:
            yield Bar(share(count, totals["cpu_samples"]), 8)
        for name in ("python_samples", "native_samples", "system_samples"):
            yield percent(row[name], count) if count else ""
    if (stacks := totals["stack_samples"]) is not None:
        yield from (percent(row["stack_samples"], stacks), f"{row['stack_samples']:,}")
    if totals["page_faults"] is not None:
        yield f"{row['page_faults']:,}"


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


def _short(row: Row, names: Mapping[str, str]) -> str:
    """The place, with the file's short name."""
    return place({**row, "file": names.get(row["file"])}) if row["file"] is not None else place(row)


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


def _how(row: Row) -> str:
    return "" if row["how"] == UNATTRIBUTED else str(row["how"])


def _after(found: Lines, rows: Sequence[Row], shown: int) -> Iterator[str]:
    placed = sum(row["how"] != UNATTRIBUTED for row in rows)
    if placed > shown:
        yield f"{counted(placed - shown, 'more row')}; --top 0 shows all."
    none = next((row for row in rows if row["how"] == UNATTRIBUTED), None)
    if none is not None:
        parts = [
            f"{percent(none[name], total)} of the {what}"
            for name, what in TIMES.items()
            if (total := found.totals[name]) and none[name]
        ]
        if parts:
            yield f"Without a known place: {', '.join(parts)}."
