"""`nsysql analyze`: rules by name, with advice, in the formats of `nsysql stats`.

Rules are ordinary queries (queries/rules). `gpu_gaps:gap=10:rows=-1` asks for a query with parameters; each has a
title, advice for where it found something, and a sentence for where not, in which `{gap:g}` and `{threshold:g}`
stand for the values that it was asked with.
"""

import textwrap
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from nsysql.capture.export import Export
from nsysql.catalog.parameters import with_filters
from nsysql.catalog.query_file import read_query
from nsysql.errors import UsageError, suggestion
from nsysql.nsys.reports import Report, deprecated, in_ns, limit
from nsysql.nsys.runner import ReportRequest, stats

IDLE = (
    "What the CPU did meanwhile tells why: `nsysql idle-gaps` attributes every idle nanosecond to a cause, and "
    "captures with --trace=osrt,nvtx and --sample=process-tree let it say more."
)


@dataclass(frozen=True)
class Advice:
    """The words of one rule, and the name that it had before."""

    before: str
    title: str
    found: tuple[str, ...]
    nothing: str


ADVICE = {  # in the order in which they are run when none is asked for
    "cuda_memcpy_async": Advice(
        "cuda-async-memcpy",
        "Asynchronous copies of pageable memory",
        (
            "These copies were asked for by an Async function, yet the CPU waited for them: pageable memory "
            "is staged through pinned memory first.",
            "Use pinned memory on the host's side: cudaMallocHost, or cudaHostRegister for memory that is there.",
        ),
        "No copy from or to pageable memory was asked for by an Async function.",
    ),
    "cuda_memcpy_sync": Advice(
        "cuda-sync-memcpy",
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
        "cuda-sync-memset",
        "Synchronous memory sets",
        (
            "The CPU waited until each of these sets of pinned or managed memory was done.",
            "Use cudaMemsetAsync with a stream.",
        ),
        "No set of pinned or managed memory made the CPU wait.",
    ),
    "cuda_api_sync": Advice(
        "cuda-sync-api",
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
        "gpu-starv",
        "Gaps in a GPU's work",
        ("For each of these stretches, longer than {gap:g} ms, a GPU had nothing to do for the process.", IDLE),
        "No GPU was without work of a process for more than {gap:g} ms.",
    ),
    "gpu_time_util": Advice(
        "gpu-low-util",
        "Little-used stretches of a GPU's time",
        ("A GPU worked for the process less than {threshold:g} % of the time of each of these stretches.", IDLE),
        "No stretch of a GPU's time was used less than {threshold:g} %.",
    ),
    "dx12_mem_ops": Advice(
        "dx12-mem-op",
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


ALIASES = {advice.before: name for name, advice in ADVICE.items()}
OPTIONS = {
    "rows": "top", "gap": "min_gap_ns", "threshold": "threshold_pct", "chunks": "chunks", "process": "pid",
    "thread": "tid", "start": "start_ns", "end": "end_ns", "nvtx": "nvtx",
}  # fmt: skip
ROWS, CHUNKS, MS = 50, range(1, 1001), 1_000_000
WIDTH = 79


def analyze(run: Export, call: ReportRequest) -> bool:
    """Give the rules, all of them where none is named. Whether there was no error.

    Raises UsageError for unknown formats.
    """
    return stats(run, replace(call, reports=call.reports or tuple(ADVICE)), read_rule)


def read_rule(text: str, filters: dict[str, str], paths: Mapping[str, Path]) -> Report:
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
    own: dict[str, Any] = {p.name: p.default for p in query.parameters} | {"as_nsys": True, "top": ROWS}
    own |= in_ns(parameters)
    own["top"] = limit(own["top"])
    options = (*(f"{key}={value}" for key, value in filters.items()), *texts)
    own = {key: value for key, value in own.items() if key in known}
    advice, values = ADVICE[spelled], {"gap": own.get("min_gap_ns", 0) / MS, "threshold": own.get("threshold_pct", 0)}
    *found, nothing = (textwrap.fill(text.format(**values), WIDTH) for text in (*advice.found, advice.nothing))
    title = deprecated(query) if name in ALIASES else advice.title
    more = "\nThese are the first {}, and there may be more: rows=-1 shows all.\n"
    return Report(name, options, query, own, title, "".join(f"{text}\n\n" for text in found), nothing, more)


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
