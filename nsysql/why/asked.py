"""What the idle page and the summary are asked."""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Asked:
    """What of the export the page is about, and how much of it is shown."""

    gpu: int | None = None
    start_ns: int | None = None
    end_ns: int | None = None
    nvtx: str | None = None
    per_process: bool = False
    min_gap_ns: int = 0
    top: int | None = 5
    by: str = "cause"

    @property
    def filters(self) -> dict[str, Any]:
        """What narrows the page, as the parameters that every query takes; none where it is about the whole."""
        given = {"start_ns": self.start_ns, "end_ns": self.end_ns, "nvtx": self.nvtx}
        return {name: value for name, value in given.items() if value is not None}

    @property
    def window(self) -> dict[str, Any]:
        """The parameters that every query of idle time takes."""
        gpu = {} if self.gpu is None else {"gpu": self.gpu}
        return {"per_process": self.per_process, **gpu, **self.filters}
