"""What a --rule argument asks for: `gpu_gaps:gap=10:rows=-1` → a query and its parameters."""

import textwrap
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from nsysql.capture.export import Export
from nsysql.catalog.parameters import with_filters
from nsysql.catalog.query_file import read_query
from nsysql.errors import UsageError, suggestion
from nsysql.nsys.analyze.rule_advice import ADVICE, Advice
from nsysql.nsys.stats.reports import Report, limit
from nsysql.nsys.stats.runner import ReportRequest, stats


def analyze(run: Export, call: ReportRequest) -> bool:
    """Give the rules, all of them where none is named. Whether there was no error.

    Raises UsageError for unknown formats.
    """
    return stats(run, replace(call, reports=call.reports or tuple(ADVICE)), read_rule)


ALIASES = {
    "cuda-async-memcpy": "cuda_memcpy_async",
    "cuda-sync-memcpy": "cuda_memcpy_sync",
    "cuda-sync-memset": "cuda_memset_sync",
    "cuda-sync-api": "cuda_api_sync",
    "gpu-starv": "gpu_gaps",
    "gpu-low-util": "gpu_time_util",
    "dx12-mem-op": "dx12_mem_ops",
}
OPTIONS = {
    "rows": "top", "gap": "min_gap_ns", "threshold": "threshold_pct", "chunks": "chunks", "process": "pid",
    "thread": "tid", "start": "start_ns", "end": "end_ns", "nvtx": "nvtx",
}  # fmt: skip
ROWS, CHUNKS, MS = 50, range(1, 1001), 1_000_000
WIDTH = 79


class Rule(Report):
    """A rule of a call: a report with advice before its rows."""

    @property
    def advice(self) -> Advice:
        """The words of the rule."""
        return ADVICE[self.query.name]

    @property
    def title(self) -> str:
        """What heads the rule."""
        return f"DEPRECATED - Use {self.query.name} instead" if self.name in ALIASES else self.advice.title

    @property
    def intro(self) -> str:
        """The advice, in lines for a console."""
        return "".join(f"{self._worded(text)}\n\n" for text in self.advice.found)

    @property
    def nothing(self) -> str:
        """What is said where the rule found nothing."""
        return self._worded(self.advice.nothing)

    def outro(self, count: int) -> str:
        """What is said after that many rows."""
        top = self.parameters["top"]
        return f"\nThese are the first {count}, and there may be more: rows=-1 shows all.\n" if count == top else ""

    def _worded(self, text: str) -> str:
        gap, threshold = self.parameters.get("min_gap_ns", 0), self.parameters.get("threshold_pct", 0)
        return textwrap.fill(text.format(gap=f"{gap / MS:g}", threshold=f"{threshold:g}"), WIDTH)


def read_rule(text: str, filters: dict[str, str], paths: Mapping[str, Path]) -> Rule:
    """The rule that `text` asks for, such as `gpu_gaps:gap=10`, seen through the filters of the call.

    Raises UsageError for an unknown rule or option, and for a value that is none.
    """
    name, *given = text.split(":")
    found = ALIASES.get(name, name)
    if found not in ADVICE or found not in paths:
        raise UsageError(f"Rule '{name}' could not be found.{suggestion(name, [*ADVICE, *ALIASES])}")
    query = read_query(paths[found])
    known = {p.name: p.default for p in with_filters(query)}
    parameters: dict[str, Any] = {OPTIONS[key]: value for key, value in filters.items()}
    for option in given:
        key, _, value = option.partition("=")
        if OPTIONS.get(key) not in known:
            raise UsageError(f"Invalid argument passed to rule '{name}': {option}.")
        parameters[OPTIONS[key]] = _value(name, key, value)
    if "nvtx" in parameters and {"start_ns", "end_ns"} <= parameters.keys():
        del parameters["nvtx"]  # explicit times come before a range's
    own = {p.name: p.default for p in query.parameters} | {"as_nsys": True, "top": ROWS} | parameters
    own["top"] = limit(own["top"])
    options = (*(f"{key}={value}" for key, value in filters.items()), *given)
    return Rule(name, options, query, {key: value for key, value in own.items() if key in known})


def _value(rule: str, key: str, text: str) -> Any:
    """The value of an option as its parameter wants it."""
    if key in ("start", "end", "nvtx"):
        return text
    try:
        number = float(text) if key in ("gap", "threshold") else int(text)
    except ValueError:
        raise UsageError(f"Invalid argument passed to rule '{rule}': {key}={text} is no number.") from None
    if key == "chunks" and number not in CHUNKS:
        raise UsageError(f"Invalid argument passed to rule '{rule}': chunks can be 1 to 1000.")
    return round(number * MS) if key == "gap" else number
