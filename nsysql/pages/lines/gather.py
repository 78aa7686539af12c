"""The data of the page about lines, from the query `lines`."""

from dataclasses import dataclass, field
from typing import Any

import polars as pl

from nsysql.capture.export import Export
from nsysql.errors import MissingData
from nsysql.pages.lines.captured import BLOBS, NO_LINES, capture_notes, stacks_lost

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
