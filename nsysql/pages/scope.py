"""What of an export a page is about."""

from dataclasses import dataclass, replace
from typing import Any

from nsysql.errors import UsageError
from nsysql.pages.phrases import seconds


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
        """Refuse an interval that is empty."""
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
        """What narrows the page, as the parameters that every query takes; none where it is about the whole."""
        given = {"start_ns": self.start_ns, "end_ns": self.end_ns, "nvtx": self.nvtx, "steps": self.steps}
        if self.steps is not None:
            given["step_range"] = self.step_range
        return {name: value for name, value in given.items() if value is not None}

    @property
    def window(self) -> dict[str, Any]:
        """The parameters that every query of idle time takes."""
        gpu = {} if self.gpu is None else {"gpu": self.gpu}
        return {"per_process": self.per_process, **gpu, **self.filters}

    def moved(self, offset: int) -> "PageScope":
        """The same on the clock of an export to whose times the offset is added."""
        start, end = (None if ns is None else ns - offset for ns in (self.start_ns, self.end_ns))
        return replace(self, start_ns=start, end_ns=end)
