"""`nsysql analyze`: rules by name, with advice, in the formats of `nsysql stats`.

Rules are ordinary queries (queries/rules). `gpu_gaps:gap=10:rows=-1` asks for a query with parameters; each has a
title, advice for where it found something, and a sentence for where not, in which `{gap}` and `{threshold}` stand for
the values that it was asked with.
"""

import textwrap
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from nsysql.capture.export import Export
from nsysql.catalog.parameters import with_filters
from nsysql.catalog.query import Query
from nsysql.catalog.query_file import read_query
from nsysql.errors import UsageError, suggestion
from nsysql.nsys.stats.help import page_of
from nsysql.nsys.stats.reports import Report, limit
from nsysql.nsys.stats.runner import ReportRequest, stats

IDLE = (
    "What the CPU did meanwhile tells why: `nsysql idle-gaps` attributes every idle nanosecond to a cause, and "
    "captures with --trace=osrt,nvtx and --sample=process-tree let it say more."
)


@dataclass(frozen=True)
class Advice:
    """The words of one rule."""

    title: str
    found: tuple[str, ...]
    nothing: str


ADVICE = {  # in the order in which they are run when none is asked for
    "cuda_memcpy_async": Advice(
        "Asynchronous copies of pageable memory",
        (
            "These copies were asked for by an Async function, yet the CPU waited for them: pageable memory "
            "is staged through pinned memory first.",
            "Use pinned memory on the host's side: cudaMallocHost, or cudaHostRegister for memory that is there.",
        ),
        "No copy from or to pageable memory was asked for by an Async function.",
    ),
    "cuda_memcpy_sync": Advice(
        "Synchronous copies",
        (
            "The CPU waited until each of these copies was done.",
            "Use the Async functions with a stream and pinned memory, so that the CPU goes on and copies "
            "overlap with kernels. Copies of up to 64 KB from the host to a GPU are not listed: they do not "
            "wait.",
        ),
        "No copy made the CPU wait.",
    ),
    "cuda_memset_sync": Advice(
        "Synchronous memory sets",
        (
            "The CPU waited until each of these sets of pinned or managed memory was done.",
            "Use cudaMemsetAsync with a stream.",
        ),
        "No set of pinned or managed memory made the CPU wait.",
    ),
    "cuda_api_sync": Advice(
        "Waits for the GPU",
        (
            "These calls held the CPU until all work that was queued before had been done.",
            "Wait less often; order work of several streams by events (cudaStreamWaitEvent), and wait for "
            "an event of the one result that is needed (cudaEventSynchronize) rather than for a whole "
            "stream or device.",
        ),
        "No call of cudaDeviceSynchronize or cudaStreamSynchronize was recorded.",
    ),
    "gpu_gaps": Advice(
        "Gaps in a GPU's work",
        ("For each of these stretches, longer than {gap} ms, a GPU had nothing to do for the process.", IDLE),
        "No GPU was without work of a process for more than {gap} ms.",
    ),
    "gpu_time_util": Advice(
        "Little-used stretches of a GPU's time",
        ("A GPU worked for the process less than {threshold} % of the time of each of these stretches.", IDLE),
        "No stretch of a GPU's time was used less than {threshold} %.",
    ),
    "dx12_mem_ops": Advice(
        "Slow memory operations of Direct3D 12",
        (
            "These calls fill fresh memory with zeros, read memory that is made for writing, or write "
            "memory that is made for reading.",
            "Create heaps and resources with D3D12_HEAP_FLAG_CREATE_NOT_ZEROED where their content is "
            "written anyway; read from readback heaps and write to upload heaps.",
        ),
        "No slow memory operation was found.",
    ),
}


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
    name, *texts = text.split(":")
    spelled = ALIASES.get(name, name)
    if spelled not in ADVICE or spelled not in paths:
        raise UsageError(f"Rule '{name}' could not be found.{suggestion(name, [*ADVICE, *ALIASES])}")
    query = read_query(paths[spelled])
    known = {p.name: p.default for p in with_filters(query)}
    parameters: dict[str, Any] = {OPTIONS[key]: value for key, value in filters.items()}
    for option in texts:
        key, _, value = option.partition("=")
        if OPTIONS.get(key) not in known:
            raise UsageError(f"Invalid argument passed to rule '{name}': {option}.")
        parameters[OPTIONS[key]] = _value(name, key, value)
    if "nvtx" in parameters and {"start_ns", "end_ns"} <= parameters.keys():
        del parameters["nvtx"]  # explicit times come before a range's
    own = {p.name: p.default for p in query.parameters} | {"as_nsys": True, "top": ROWS} | parameters
    own["top"] = limit(own["top"])
    options = (*(f"{key}={value}" for key, value in filters.items()), *texts)
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


DOCS = {  # options that say more, or other, than their parameter
    "rows": f"Rows to show, {ROWS} without it; -1 shows all.",
    "gap": "Shortest gap to show, in ms; 500 without it.",
}


def rules_page(name: str, paths: Mapping[str, Path]) -> str:
    """The list of rules, or what one of them is; ALL is all of them. Raises UsageError for an unknown one."""
    if name == "ALL":
        return "\n\n".join(_rule(read_query(paths[rule])) for rule in ADVICE)
    if name:
        spelled = ALIASES.get(name, name)
        if spelled not in ADVICE:
            raise UsageError(f"There is no rule {name!r}; --help-rules lists them.{suggestion(name, ADVICE)}")
        return _rule(read_query(paths[spelled]))
    width = max(map(len, ADVICE))
    rules = (f"  {rule:{width}}  {advice.title}" for rule, advice in ADVICE.items())
    return "\n".join(["Rules, in the order without --rule", *rules])


def _rule(query: Query) -> str:
    known, options = {p.name: p for p in with_filters(query)}, []
    for key, p in ((key, known[name]) for key, name in OPTIONS.items() if name in known):
        doc = p.doc if p.default is None else f"{p.doc.rstrip('.')}; {p.default:g} without it."
        options.append((f"{f'{key}=...':14}", DOCS.get(key) or doc))
    return page_of(query, ADVICE[query.name].title, ALIASES, options)
