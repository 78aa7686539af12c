"""What of an export a page is about, and the answers to its queries."""

from dataclasses import dataclass, field, replace
from typing import Any

import polars as pl

from nsysql.capture.export import Export
from nsysql.errors import MissingData, UsageError
from nsysql.pages.phrases import seconds

TYPES = {"BIGINT": pl.Int64, "INTEGER": pl.Int64, "DOUBLE": pl.Float64, "VARCHAR": pl.String, "BOOLEAN": pl.Boolean}
WITHOUT_TIMES = ("capture_messages", "gpus", "idle_causes")  # cannot be narrowed


@dataclass(frozen=True)
class PageScope:
    """What of the export the page is about, and how much of it is shown."""

    gpu: int | None = None
    start_ns: int | None = None
    end_ns: int | None = None
    nvtx: str | None = None
    per_process: bool = False
    min_gap_ns: int = 0
    top: int | None = 5
    by: str = "cause"
    steps: str | None = None
    step_range: str | None = None

    def __post_init__(self) -> None:
        """Refuse an empty interval, and one that is given in two ways."""
        if self.nvtx is not None and (self.start_ns, self.end_ns) != (None, None):
            raise UsageError("give either --nvtx, or --start and --end.")
        if self.steps is not None and (self.start_ns, self.end_ns, self.nvtx) != (None, None, None):
            raise UsageError("give either --steps, or --nvtx, or --start and --end.")
        if self.step_range is not None and self.steps is None:
            raise UsageError("--step-range says what marks the steps; say with --steps which ones, such as steady.")
        if self.start_ns is not None and self.end_ns is not None and self.start_ns >= self.end_ns:
            times = f"--start {self.start_ns} ns ({seconds(self.start_ns)})", f"--end {self.end_ns} ns"
            raise UsageError(f"{times[0]} is not before {times[1]} ({seconds(self.end_ns)}).")

    @property
    def filters(self) -> dict[str, Any]:
        """What narrows the page, as the parameters that every query takes; none if it is about the whole."""
        values = ((name, getattr(self, name)) for name in ("start_ns", "end_ns", "nvtx", "steps", "step_range"))
        return {name: value for name, value in values if value is not None}

    @property
    def window(self) -> dict[str, Any]:
        """The parameters that every query of idle time takes."""
        gpu = {} if self.gpu is None else {"gpu": self.gpu}
        return {"per_process": self.per_process, **gpu, **self.filters}

    def moved(self, offset: int) -> "PageScope":
        """The same on the clock of an export to whose times the offset is added."""
        start, end = (None if ns is None else ns - offset for ns in (self.start_ns, self.end_ns))
        return replace(self, start_ns=start, end_ns=end)

    def interval(self, run: Export) -> str | None:
        """The interval that the page is narrowed to, in words. Raises MissingData if there is no such NVTX range."""
        if self.nvtx is not None:
            return str(run.find_ranges(self.nvtx))
        if self.steps is not None:
            return str(run.find_steps(self.steps, self.step_range))
        borders = [(word, ns) for word, ns in (("from", self.start_ns), ("to", self.end_ns)) if ns is not None]
        return f"the time {' '.join(f'{word} {seconds(ns)}' for word, ns in borders)}" if borders else None


@dataclass
class ScopedRun:
    """An export in the scope of a page; each query is asked once."""

    run: Export
    scope: PageScope
    _frames: dict[str, pl.DataFrame] = field(default_factory=dict)

    def rows(self, query: str) -> pl.DataFrame:
        """The answer to a query, narrowed as the page is; without rows if the export lacks what it needs."""
        if query not in self._frames:
            self._frames[query] = self._ask(query)
        return self._frames[query]

    def _ask(self, query: str) -> pl.DataFrame:
        query_ = self.run.find(query)
        names = {*(p.name for p in query_.parameters), *self.scope.filters}
        narrowing = {} if query in WITHOUT_TIMES else self.scope.window
        try:
            return self.run.query(query, **{name: value for name, value in narrowing.items() if name in names})
        except MissingData:
            columns = query_.columns
            return pl.DataFrame(schema={column.name: TYPES.get(column.type, pl.String) for column in columns})

    def interval_parts(self) -> pl.DataFrame:
        """The interval that the page is narrowed to, as rows of `part`: one for each GPU that worked in it."""
        return self.rows("gpu_time").select(
            pl.lit(0).alias("part_id"), "gpu_id", pl.lit("work").alias("kind"), pl.lit(None, pl.String).alias("name"),
            pl.col("window_start_ns").alias("start_ns"), pl.col("window_ns").alias("length_ns"), "busy_ns", "idle_ns",
            pl.lit(None, pl.Int64).alias("step_count"), pl.lit(None, pl.Int64).alias("step_ns"),
        )  # fmt: skip

    def interval_causes(self) -> pl.DataFrame:
        """The causes of idle time in that interval, as rows of the findings' `causes`."""
        titles = self.rows("idle_causes").select("cause", "title")
        titled = self.rows("idle_ledger").join(titles, on="cause", maintain_order="left")
        return titled.select(pl.lit(0).alias("part_id"), "gpu_id", "title", "idle_ns")
