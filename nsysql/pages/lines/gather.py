"""The data of the page about lines, and what an export lacks for it."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import polars as pl

from nsysql.capture.export import Export
from nsysql.errors import MissingData

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


def collect(run: Export, asked: LinesAsked) -> Lines:
    """The data of the page. Raises MissingData if the export has nothing to count."""
    rows = run.query("lines", by=asked.by, sort=asked.sort, idle=asked.idle, **asked.filters)
    totals = {name: None if rows[name].null_count() == rows.height else int(rows[name].sum()) for name in COUNTS}
    if all(total is None for total in totals.values()):
        raise MissingData(f"lines cannot be shown of {run.path}: {_why_none(run, asked)}.")
    notes = [*capture_notes(run)]
    if not rows["file"].is_not_null().any():
        notes.insert(0, NO_LINES)
    return Lines(run.path.name, asked, rows, totals, (*notes, *run.data_problems("lines")))


def _why_none(run: Export, asked: LinesAsked) -> str:
    """Why there is nothing to count."""
    lost, every = stacks_lost(run)
    if lost == every > 0:
        return f"its {every:,} Python samples are there without their stacks; {BLOBS}"
    return f"no GPU work and no sample {'is in the selected time' if asked.filters else 'was recorded'}"


def has_lines(run: Export) -> bool:
    """Whether any place in the export has a line number."""
    return bool(run.query("lines", idle=False)["line"].is_not_null().any())


def capture_notes(run: Export) -> Iterator[str]:
    """What the export lacks for source lines, and how to get it."""
    lost, every = stacks_lost(run)
    if lost:
        if lost == every and not _has_payloads(run):
            yield f"{every:,} Python samples are in the export without their stacks: {BLOBS}."
        else:
            yield f"the stacks of {lost:,} of {every:,} Python samples cannot be read."
    if not run.has("call_site"):
        yield NO_FUNCTIONS


def _has_payloads(run: Export) -> bool:
    """Whether there are payloads, even unreadable ones as in a redacted export."""
    return not run.sql("SELECT 1 FROM python_sample LIMIT 1").is_empty()


def stacks_lost(run: Export) -> tuple[int, int]:
    """The number of Python samples without a readable stack, and of all Python samples."""
    if not run.has("NVTX_EVENTS"):
        return 0, 0
    found: list[dict[str, Any]] = run.query("python_samples").to_dicts()
    every = sum(row["samples"] for row in found)
    return every - sum(row["stacks"] for row in found), every
