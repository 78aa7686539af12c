"""The page about lines: where in the source the time goes, and what an export lacks to know it."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import polars as pl

from nsysql.capture.export import Export
from nsysql.errors import MissingData, UsageError
from nsysql.pages.elements import Bar, Page, Section, notes_section
from nsysql.pages.phrases import Row, percent, share, without_signature
from nsysql.pages.sections import table
from nsysql.words.quantities import counted, safe

CAPTURE = (
    "capture Python with --python-sampling=true, OpenACC with --trace=openacc, other programs with NVTX ranges named"
    " file.cpp:12 name (nsysql record --for lines prints the command)"
)
NO_LINES = f"the export has no lines of source, functions at best: {CAPTURE}."
NO_FUNCTIONS = (
    "functions of calls and of what runs between them are not recorded: capture with --cudabacktrace=all and"
    " --sample=process-tree."
)
BLOBS = (
    "export the report again with nsys export --type=sqlite --include-blobs=true, which needs an nsys whose exports"
    " have schema 3.16.1 or later, or ask the report itself where any nsys is installed: nsysql lines RUN.nsys-rep"
)
UNATTRIBUTED = "unattributed"
COUNTS = (
    "gpu_ns", "launches", "wait_ns", "idle_ns", "cpu_samples", "python_samples", "native_samples", "system_samples",
    "stack_samples", "page_faults",
)  # fmt: skip


@dataclass(frozen=True)
class LinesAsked:
    """The page's options: what a row is, the order, rows to show (None: all), with idle time or not, and filters."""

    by: str = "line"
    sort: str = "gpu"
    top: int | None = 20
    idle: bool = True
    filters: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Lines:
    """All rows of the query `lines`, in its order; `totals` are their sums, None if not recorded."""

    path: str
    asked: LinesAsked
    rows: pl.DataFrame
    totals: dict[str, int | None]
    notes: tuple[str, ...]

    @property
    def has_lines(self) -> bool:
        """Whether any line is known."""
        return bool(self.rows["file"].is_not_null().any())


def collect(run: Export, choice: LinesAsked) -> Lines:
    """The data of the page. Raises MissingData if the export has nothing to count."""
    rows = run.query("lines", by=choice.by, sort=choice.sort, idle=choice.idle, **choice.filters)
    totals = {name: None if rows[name].null_count() == rows.height else int(rows[name].sum()) for name in COUNTS}
    if all(total is None for total in totals.values()):
        raise MissingData(f"lines cannot be shown of {run.path}: {_why_none(run, choice)}.")
    notes = (*capture_notes(run), *run.data_problems("lines"))
    has_none = rows["file"].null_count() == rows.height
    return Lines(run.path.name, choice, rows, totals, (NO_LINES, *notes) if has_none else notes)


def _why_none(run: Export, choice: LinesAsked) -> str:
    """Why there is nothing to count."""
    lost, every = stacks_lost(run)
    if lost == every > 0:
        return f"its {every:,} Python samples are there without their stacks; {BLOBS}"
    return f"no GPU work and no sample {'is in the selected time' if choice.filters else 'was recorded'}"


def has_lines(run: Export) -> bool:
    """Whether any place in the export has a line number."""
    known = ("_place", "WHERE line IS NOT NULL"), ("cpu_page_fault", "WHERE line > 0")
    return any(run.count(view, {}, 1, which) for view, which in known)


def capture_notes(run: Export) -> Iterator[str]:
    """What the export lacks for source lines, and how to get it."""
    lost, every = stacks_lost(run)
    if lost:
        if lost == every and run.sql("SELECT 1 FROM python_sample LIMIT 1").is_empty():
            yield f"{every:,} Python samples are in the export without their stacks: {BLOBS}."
        else:
            yield f"the stacks of {lost:,} of {every:,} Python samples cannot be read."
    if not run.has("call_site"):
        yield NO_FUNCTIONS


def stacks_lost(run: Export) -> tuple[int, int]:
    """The number of Python samples without a readable stack, and of all Python samples."""
    if not run.has("NVTX_EVENTS"):
        return 0, 0
    threads: list[dict[str, Any]] = run.query("python_samples").to_dicts()
    every = sum(row["samples"] for row in threads)
    return every - sum(row["stacks"] for row in threads), every


SCHEMA = "nsysql.lines/1"  # adding a key does not change the number; removing or changing one does


def document(lines: Lines) -> dict[str, Any]:
    """The page as lists and dictionaries: totals, then all rows."""
    return {
        "schema": SCHEMA,
        "export": lines.path,
        "asked": {"by": lines.asked.by, "sort": lines.asked.sort, **dict(lines.asked.filters)},
        "totals": lines.totals,
        "rows": lines.rows.to_dicts(),
        "notes": list(lines.notes),
    }


KINDS = ("python_samples", "native_samples", "system_samples")
NUMBERS = (
    "gpu_ns/all_gpu_ns=of_GPU_time:share gpu_ns=GPU_time launches=launches wait_ns=waits"
    " idle_ns/all_idle_ns=of_idle:pct idle_ns=idle cpu_samples=CPU_samples bar= python_samples/cpu_samples=Python?:pct"
    " native_samples/cpu_samples=native?:pct system_samples/cpu_samples=system?:pct"
    " stack_samples/all_stack_samples=of_samples:pct stack_samples=Python_stacks page_faults=page_faults"
)
ORDER = {
    "gpu": "GPU time", "launches": "launches", "wait": "waits", "idle": "idle time", "samples": "samples",
    "name": "name",
}  # fmt: skip
NEXT = ("idle_ns", "cpu_samples", "stack_samples")  # what the query orders rows by that are equal in GPU time
MEANING = "waits: time in blocking calls; idle: GPUs waited for what the launching thread did there."
TIMES = {"gpu_ns": "GPU time", "wait_ns": "waits", "idle_ns": "idle time"}


def page(lines: Lines) -> Page:
    """The page: a row per line, function or file; what has no place; notes."""
    notes = lines.notes if lines.totals["gpu_ns"] is None else (*lines.notes, MEANING)
    return Page(f"{lines.path}: where in the source the time goes", (_table(lines), notes_section(notes)))


def _table(lines: Lines) -> Section:
    by, totals, top = lines.asked.by, lines.totals, lines.asked.top or lines.rows.height
    every, order, nowhere = _ordered(lines)
    names = short_files(row["file"] for row in every if row["file"] is not None)
    shown = every[:top] + [row for row in every[top:] if row["how"] == UNATTRIBUTED]  # how much is not attributed
    rows = [
        {
            **row,
            **{name: row[name] if row["cpu_samples"] else None for name in KINDS},
            **dict.fromkeys(nowhere),
            "bar": Bar(share(row["cpu_samples"], totals["cpu_samples"] or 0), 8) if totals["gpu_ns"] is None else "",
            **{f"all_{name}": totals[name] for name in ("gpu_ns", "idle_ns", "stack_samples")},
            "place": place({**row, "file": names.get(row["file"], row["file"])}),
            "name": function(row),
            "how": "" if row["how"] == UNATTRIBUTED else row["how"],
        }
        for row in shown
    ]
    place_name = by if lines.has_lines else "module"
    columns = f"{NUMBERS} place={place_name}:whole name=function:text how=found_by:text"
    after = tuple(_after(lines, every, sum(row["how"] != UNATTRIBUTED for row in every[top:])))
    title = f"By {by if lines.has_lines or by == 'file' else 'function'}"
    return table(title, columns, rows, f"sorted by {ORDER[order]}", after=after)


def _ordered(lines: Lines) -> tuple[list[dict[str, Any]], str, list[str]]:
    """The rows, what they are sorted by, and the columns to leave out, as no known place has any of them."""
    every, order = lines.rows.to_dicts(), lines.asked.sort
    known = [row for row in every if row["how"] != UNATTRIBUTED]
    sorted_by = {"gpu": "", "samples": "cpu_samples", "launches": "launches"}.get(order, f"{order}_ns")
    nowhere = [name for name in COUNTS if name != sorted_by and known and not any(row[name] for row in known)]
    if order == "gpu" and (lines.totals["gpu_ns"] is None or "gpu_ns" in nowhere):
        order = "idle" if lines.totals["idle_ns"] and "idle_ns" not in nowhere else "samples"
        every.sort(key=lambda row: [-(row[name] or 0) for name in NEXT])
    return every, order, nowhere


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


def _after(lines: Lines, rows: Sequence[Row], left: int) -> Iterator[str]:
    if left:
        yield f"{counted(left, 'more row')}; --top 0 shows all."
    for none in rows:
        of = [
            f"{percent(none[name], total)} of the {what}"
            for name, what in TIMES.items()
            if (total := lines.totals[name]) and none[name]
        ]
        if none["how"] == UNATTRIBUTED and of:
            yield f"Without a known place: {', '.join(of)}."


LARGEST = 4_000_000  # bytes of the largest file that is shown
AROUND = 3  # lines shown before and after one with measurements


def texts(folder: Path, files: Iterable[str]) -> dict[str, list[str]]:
    """The lines of the files found in the folder, by the file's name in the export.

    A file is searched by the end of its path, the longest first: for /home/me/app/train.py, app/train.py before
    train.py. Raises UsageError if there is no such folder.
    """
    if not folder.is_dir():
        raise UsageError(f"--source {folder} is not a folder; give the one with the program's source.")
    root = folder.resolve()
    return {name: lines for name in files if (lines := _read_source(root, name)) is not None}


def _read_source(root: Path, name: str) -> list[str] | None:
    parts = [part for part in re.split(r"[/\\]+", name) if part not in ("", ".") and not part.endswith(":")]
    if not parts or ".." in parts or "\0" in name:
        return None
    for first in range(len(parts)):
        try:
            path = root.joinpath(*parts[first:]).resolve()
            if path.is_relative_to(root) and path.is_file() and path.stat().st_size <= LARGEST:
                return path.read_text(encoding="utf-8", errors="replace").splitlines()
        except OSError:  # a name that this system cannot have, or a file that may not be read
            continue
    return None


def shown_lines(numbered: Iterable[int], count: int) -> list[int]:
    """The numbers of the lines to show of a file: those with measurements, and some around them."""
    near = {line for number in numbered for line in range(number - AROUND, number + AROUND + 1) if 1 <= line <= count}
    return sorted(near)
