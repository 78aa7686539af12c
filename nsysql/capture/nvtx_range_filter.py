"""Find the NVTX ranges or the steps that a filter names."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from nsysql.analysis.window import Window, joined
from nsysql.errors import MissingData, UnknownName, UsageError, suggestion

LABELS = """
SELECT label
FROM _nvtx_range_label
WHERE label IS NOT NULL
GROUP BY label
ORDER BY starts_with(label, $label || '@') DESC, count(*) DESC, label ASC
LIMIT 5000
"""
Ask = Callable[[str, dict[str, Any]], list[tuple[Any, ...]]]


@dataclass(frozen=True)
class NvtxRange:
    """One range; its thread is None if it is the main one, which stands for the process."""

    start_ns: int
    end_ns: int
    thread_id: int | None
    process_id: int


@dataclass(frozen=True)
class NvtxRanges:
    """The ranges that a filter names, out of `count` with that label: the one at `index`, or all if that is None."""

    label: str
    index: int | None
    count: int
    ranges: tuple[NvtxRange, ...]

    @cached_property
    def window(self) -> Window:
        """The time within any of them."""
        return joined((one.start_ns, one.end_ns) for one in self.ranges)

    @cached_property
    def scopes(self) -> tuple[tuple[int | None, int, Window], ...]:
        """The time within those of each thread, or process if the thread is None: thread, process, window."""
        spans: dict[tuple[int | None, int], list[tuple[int, int]]] = {}
        for one in self.ranges:
            spans.setdefault((one.thread_id, one.process_id), []).append((one.start_ns, one.end_ns))
        return tuple((*scope, joined(windows)) for scope, windows in spans.items())

    def __str__(self) -> str:
        if self.count == 1:
            return f"the NVTX range {self.label}"
        if self.index is None:
            return f"the {self.count:,} NVTX ranges {self.label} ({self.label}/0 is the first)"
        return f"the NVTX range {self.label}/{self.index}, one of {self.count} of that name (/0 is the first)"


def split_range(text: str) -> tuple[str, int | None]:
    """Split NAME[@DOMAIN][/INDEX] into label and index.

    >>> split_range("step@train/2"), split_range("a/b")
    (('step@train', 2), ('a/b', None))
    """
    match = re.fullmatch(r"(.*)/([0-9]+)", text, re.DOTALL)
    return (match[1], int(match[2])) if match else (text, None)


def find_ranges(text: str, ask: Ask, as_nsys: bool = False) -> NvtxRanges:
    """Find the NVTX ranges that `text` names: all of that exact name, else the one of NAME/INDEX.

    With `as_nsys` one range: NAME/INDE takes precedence over a name that ends so; INDE is 0 by default. Raises
    UnknownName with near matches.
    """
    label, index = split_range(text)
    exact = [] if as_nsys else _labeled(text, ask)
    if exact:
        return NvtxRanges(text, None, len(exact), tuple(exact))
    ranges = _labeled(label, ask)
    index = index or 0
    if index < len(ranges):
        return NvtxRanges(label, index, len(ranges), (ranges[index],))
    if ranges:
        raise UnknownName(f"The NVTX range {label!r} occurs {len(ranges)} times; {index} is no index of it.")
    labels = [str(row[0]) for row in ask(LABELS, {"label": label})]
    domain, _, name = label.partition(":")  # as reports show it
    meant = [known for known in labels if known.startswith(f"{label}@") or known == f"{name}@{domain}"]
    offer = f" Did you mean {' or '.join(sorted(meant)[:3])}?" if meant else suggestion(label, labels)
    raise UnknownName(f"No NVTX range is named {label!r}; `nsysql nvtx-sum` lists them: NAME or NAME@DOMAIN.{offer}")


def _labeled(label: str, ask: Ask) -> list[NvtxRange]:
    """Return the ranges with a label, in order of start."""
    rows = ask("SELECT * FROM _nvtx_range_label WHERE label = $label ORDER BY start_ns, row_id", {"label": label})
    return [NvtxRange(start, end, None if main else thread, pid) for _, _, start, end, thread, pid, main in rows]


STEPS = re.compile(r"(\d+)(?::(\d+))?")
NO_STEP = (
    "no step was found: no NVTX range holds most of the launches, and their sequence does not repeat."
    " Mark the steps (nvtx.annotate, torch.cuda.nvtx.range), or name the ranges that do with --step-range NAME."
)


@dataclass(frozen=True)
class StepInterval:
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


def find_steps(text: str, spans: list[tuple[Any, ...]]) -> StepInterval:
    """Find the steps that 'steady', '5' or '5:10' (inclusive) names; `spans` are rows of _step_span by step.

    Raises UsageError if the text names no steps, MissingData if the capture has none.
    """
    match = STEPS.fullmatch(text.strip())
    if match is None and text.strip() != "steady":
        raise UsageError(f"{text!r} names no steps; write steady, a number such as 5, or 5:10.")
    if not spans:
        raise MissingData(NO_STEP[0].upper() + NO_STEP[1:])
    if match is None:
        chosen = [span for span in spans if span[3]]
        if not chosen:
            raise MissingData("No step is steady: all are warm-up, or cut off.")
    else:
        first, last = int(match[1]), int(match[2] or match[1])
        chosen = [span for span in spans if first <= span[0] <= last]
        if last < first:
            raise UsageError(f"{text!r} names no steps: {first} is after {last}.")
        if not chosen or last > spans[-1][0]:
            raise UsageError(f"There is no step {max(first, last)}; there are steps 0 to {spans[-1][0]}.")
    start, end = min(span[1] for span in chosen), max(span[2] for span in chosen)
    return StepInterval(chosen[0][0], chosen[-1][0], start, end, str(chosen[0][4]), match is None)
