"""A flame graph as data."""

from dataclasses import dataclass, field
from typing import Literal

import polars as pl

from nsysql.capture.export import Export
from nsysql.errors import MissingData
from nsysql.pages.timeline.model import CAUSE

Weight = Literal["gpu", "cpu", "idle", "launches", "samples"]
TITLES = {
    "gpu": "GPU time", "cpu": "CPU time", "idle": "idle time of the GPUs", "launches": "launching calls",
    "samples": "CPU samples",
}  # fmt: skip
TIMES = ("gpu", "cpu", "idle")  # weights with values in ns


@dataclass(frozen=True)
class Flame:
    """Stacks of an export: columns stack (frames separated by semicolons, outermost first) and value.

    `styles` maps frames to palette styles, if they have one. `notes` are sentences without a full stop, `kernels` the
    short names of kernels.
    """

    title: str
    weight: str
    stacks: pl.DataFrame
    styles: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    kernels: dict[str, str] = field(default_factory=dict)

    @property
    def total(self) -> int:
        """The sum of all stacks."""
        return int(self.stacks["value"].sum())

    @property
    def is_time(self) -> bool:
        """Whether values are ns."""
        return self.weight in TIMES


NONE = {  # why there are no stacks
    "gpu": "no GPU work; capture with --trace=cuda",
    "launches": "no GPU work with its launching calls; capture with --trace=cuda",
    "idle": "no idle time between GPU work; where it has no GPU work, capture with --trace=cuda",
    "cpu": "no NVTX ranges and no launching calls; capture with --trace=cuda,nvtx",
    "samples": "no CPU samples with call stacks; capture with --sample=process-tree",
}
NO_RANGES = "the export has no NVTX ranges: --trace=nvtx records those that a program has"


def collect(run: Export, weight: str, **filters: object) -> Flame:
    """The flame graph; `filters` are those of a query: a time interval, an NVTX range or steps.

    Raises MissingData if there are no stacks, UsageError for filters that are not valid.
    """
    cannot, none = f"a flame graph of {TITLES[weight]} cannot be made of {run.path}", f"the export has {NONE[weight]}."
    try:
        stacks = run.query("stacks", weight=weight, **filters)
    except MissingData as error:
        if {"nvtx", "steps"} & filters.keys():  # there may be no such range or step
            raise
        raise MissingData(f"{cannot}: {none}") from error
    if stacks.is_empty():
        raise MissingData(f"{cannot}: {'there is none in the selected time.' if filters else none}")
    styles = {title: CAUSE + cause for cause, title in run.cause_titles.items()} if weight == "idle" else {}
    notes = [] if run.has("NVTX_EVENTS") else [NO_RANGES]
    return Flame(run.path.name, weight, stacks, styles, notes, run.kernel_names)
