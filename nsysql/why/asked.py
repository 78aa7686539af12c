"""What the idle page is asked."""

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
    def window(self) -> dict[str, Any]:
        """The parameters that every query of the page takes."""
        given = {"gpu": self.gpu, "start_ns": self.start_ns, "end_ns": self.end_ns, "nvtx": self.nvtx}
        return {"per_process": self.per_process, **{k: v for k, v in given.items() if v is not None}}
