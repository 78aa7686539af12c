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
TIMES = ("gpu", "cpu", "idle")  # weights with values in ns


@dataclass(frozen=True)
class Flame:
    """Stacks of an export: columns stack (frames separated by semicolons, outermost first) and value.

    `styles` maps frames to palette styles, if they have one. `notes` are sentences without a full stop.
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
