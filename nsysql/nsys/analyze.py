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
from nsysql.catalog.query_file import read_query
from nsysql.errors import UsageError, suggestion
from nsysql.nsys.reports import MS, Report, as_given, deprecated, limit, read_options
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
ROWS, CHUNKS = 50, range(1, 1001)
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
    query, advice = read_query(paths[spelled]), ADVICE[spelled]
    defaults = {p.name: p.default for p in query.parameters} | {"top": ROWS}
    parameters: dict[str, Any] = defaults | read_options(f"rule '{name}'", query, filters, texts)
    parameters["top"] = limit(parameters["top"])
    if {"nvtx", "start_ns", "end_ns"} <= parameters.keys():
        del parameters["nvtx"]  # explicit times come before a range's
    if parameters.get("chunks", 1) not in CHUNKS:
        raise UsageError(f"Invalid argument passed to rule '{name}': chunks can be 1 to 1000.")
    shown = {"gap": parameters.get("min_gap_ns", 0) / MS, "threshold": parameters.get("threshold_pct", 0)}
    *found, nothing = (textwrap.fill(text.format(**shown), WIDTH) for text in (*advice.found, advice.nothing))
    title = deprecated(query) if name in ALIASES else advice.title
    more = "\nThese are the first {}, and there may be more: rows=-1 shows all.\n"
    intro, options = "".join(f"{text}\n\n" for text in found), as_given(filters, texts)
    return Report(name, options, query, parameters, title, intro, nothing, more)
