"""The steps that a filter names."""

import re
from dataclasses import dataclass
from typing import Any

from nsysql.errors import MissingData, UsageError

STEPS = re.compile(r"(\d+)(?::(\d+))?")
NONE = (
    "no step was found: no NVTX range holds most of the launches, and their sequence does not repeat."
    " Mark the steps (nvtx.annotate, torch.cuda.nvtx.range), or name the ranges that do with --step-range NAME."
)


@dataclass(frozen=True)
class StepStretch:
    """The steps that a filter names, from the start of the first on any GPU to the end of the last."""

    first: int
    last: int
    start_ns: int
    end_ns: int
    name: str
    is_steady: bool

    def __str__(self) -> str:
        steady = "steady " if self.is_steady else ""
        which = f"step {self.first}" if self.first == self.last else f"steps {self.first} to {self.last}"
        return f"{steady}{which} ({self.name})"


def find_steps(text: str, spans: list[tuple[Any, ...]]) -> StepStretch:
    """The steps that 'steady', '5' or '5:10' (both included) name; `spans` are rows of _step_span in order of step.

    Raises UsageError where the text names none, MissingData where there are none.
    """
    found = STEPS.fullmatch(text.strip())
    if found is None and text.strip() != "steady":
        raise UsageError(f"{text!r} names no steps; write steady, a number such as 5, or 5:10.")
    if not spans:
        raise MissingData(NONE[0].upper() + NONE[1:])
    if found is None:
        chosen = [span for span in spans if span[3]]
        if not chosen:
            raise MissingData("No step is steady: all are warm-up, or cut off.")
    else:
        first, last = int(found[1]), int(found[2] or found[1])
        chosen = [span for span in spans if first <= span[0] <= last]
        if last < first:
            raise UsageError(f"{text!r} names no steps: {first} is after {last}.")
        if not chosen or last > spans[-1][0]:
            raise UsageError(f"There is no step {max(first, last)}; there are steps 0 to {spans[-1][0]}.")
    start, end = min(span[1] for span in chosen), max(span[2] for span in chosen)
    return StepStretch(chosen[0][0], chosen[-1][0], start, end, str(chosen[0][4]), found is None)
