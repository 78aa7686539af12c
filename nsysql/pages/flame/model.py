"""A flame graph as data."""

from dataclasses import dataclass, field
from typing import Literal

import polars as pl

Weight = Literal["gpu", "cpu", "idle", "launches", "samples"]
TITLES = {
    "gpu": "GPU time",
    "cpu": "CPU time",
    "idle": "idle time of the GPUs",
    "launches": "launching calls",
    "samples": "CPU samples",
}
TIMES = ("gpu", "cpu", "idle")  # of which the values are ns


@dataclass(frozen=True)
class Flame:
    """Stacks (stack: frames between semicolons, outermost first; value), of an export by its name.

    `styles` are those of the palette for frames that have one. `notes` are sentences without a full stop.
    """

    title: str
    weight: str
    stacks: pl.DataFrame
    styles: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    @property
    def total(self) -> int:
        """The sum of all stacks."""
        return int(self.stacks["value"].sum())

    @property
    def is_time(self) -> bool:
        """Whether values are ns."""
        return self.weight in TIMES
