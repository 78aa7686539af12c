"""The summary for people: sections of rows that are ready to read, each saying what its rows mean."""

import re
from collections.abc import Iterator

from nsysql.render.cells import size, time
from nsysql.render.page import Cell, Column, Page, Section
from nsysql.summary.gather import Summary
from nsysql.summary.gpu import gpu_sections, within
from nsysql.summary.names import memory, named, nvtx
from nsysql.summary.words import Row, beginning, counted, gpus

GIB = 2**30
SHOWN_PROCESSES = 4
MESSAGE = 136  # characters of a message
OVERLAPPING = "sums by name count what overlaps it, whole; busy and idle time are cut to it"
LABEL, PROSE = Column(right=False), Column(right=False, wrap=True)
DID = {  # what a process did, by the columns of `processes`
    "api_calls": "CUDA call",
    "kernels": "kernel",
    "memory_operations": "memory operation",
    "graph_runs": "graph run",
    "nvtx_ranges": "NVTX range",
    "os_calls": "OS call",
}


def page(found: Summary, top: int) -> Page:
    """The page, with at most `top` rows in sections that list names."""
    sections = [
        _captured(found),
        *gpu_sections(found),
        *named(
            "Kernels",
            "time on the GPU by name; shares of all kernels' time",
            found.kernels.rename({"instances": "count"}),
            top,
        ),
        *named(
            "CUDA API",
            "time in the calls on the CPU, all threads; waiting for the GPU included",
            found.api_calls.rename({"num_calls": "count"}),
            top,
        ),
        *memory(found, top),
        *nvtx(found, top),
        *named(
            "OS runtime",
            "time in the calls, all threads; mostly waiting",
            found.os_calls.rename({"num_calls": "count"}),
            top,
        ),
        *_messages(found, top),
        *_lacks(found),
    ]
    return Page(found.info.path.name, tuple(sections))


def _captured(found: Summary) -> Section:
    """What was captured: versions, length, GPUs, processes."""
    info = found.info
    facts = [
        f"nsys {info.product_version}" if info.product_version else "nsys version not recorded",
        f"schema {info.schema_version}" if info.schema_version else "schema version not recorded",
        size(info.size_bytes),
        f"{time(info.duration_ns)} captured" if info.duration_ns else "length of the capture not recorded",
    ]
    rows: list[tuple[Cell, ...]] = [("export", ", ".join(facts))]
    if found.stretch is not None:
        rows.append(("narrowed to", f"{found.stretch.words}: {OVERLAPPING}"))
    rows += _gpus(found)
    rows += [("process", text) for text in _processes(found)]
    return Section("Captured", columns=(LABEL, PROSE), rows=tuple(rows))


def _gpus(found: Summary) -> Iterator[tuple[str, str]]:
    """GPUs with their properties, equal ones together: first those that ran something."""
    used = set(found.gpu_time["gpu_id"])
    known = {row["gpu_id"]: ", ".join(_properties(row)) for row in found.gpus.to_dicts()}
    alike: dict[str, list[int | None]] = {}
    for gpu_id in sorted({*used, *known}, key=lambda i: (i not in used, i is None, i or 0)):
        idle = f"; ran nothing{within(found)}" if used and gpu_id not in used else ""
        alike.setdefault(known.get(gpu_id, "not described in the export") + idle, []).append(gpu_id)
    for text, ids in alike.items():
        yield gpus(ids), text


def _properties(row: Row) -> Iterator[str]:
    yield row["name"] or "no name recorded"
    if row["compute_capability"]:
        yield f"compute {row['compute_capability']}"
    if row["sm_count"]:
        yield f"{row['sm_count']} SMs"
    if row["total_memory_bytes"]:
        yield f"{row['total_memory_bytes'] / GIB:.1f} GiB"
    if row["memory_bandwidth_bytes_per_s"]:
        yield f"{size(row['memory_bandwidth_bytes_per_s'])}/s"


def _processes(found: Summary) -> Iterator[str]:
    """Profiled processes with what they did, the busiest first."""
    rows = found.processes.to_dicts()
    for row in rows[:SHOWN_PROCESSES]:
        did = [counted(row[name], word) for name, word in DID.items() if row[name]]
        program = re.split(r"[/\\]", row["name"] or "of unknown name")[-1]
        yield f"{row['pid']} {program}: {', '.join(did)}"
    if len(rows) > SHOWN_PROCESSES:
        yield f"and {len(rows) - SHOWN_PROCESSES} more (nsysql processes)"
    if not rows:
        yield f"none with CUDA, NVTX or OS runtime rows{within(found)}"


def _messages(found: Summary, top: int) -> Iterator[Section]:
    """What nsys itself said about the capture, messages that differ in numbers alone together."""
    alike = {
        (row["severity"], re.sub(r"\d+", "#", row["text"])): beginning(row["text"], MESSAGE)
        for row in found.messages.to_dicts()
    }
    rows = tuple((severity, text) for (severity, _), text in list(alike.items())[:top])
    if rows:
        rest = len(alike) - len(rows)
        after = (f"{counted(rest, 'more message')} (nsysql capture-messages).",) if rest else ()
        yield Section("Said by nsys", "errors and warnings of the capture", (), (LABEL, PROSE), rows, after)


def _lacks(found: Summary) -> Iterator[Section]:
    if found.lacks:
        rows = tuple((lack.option, lack.tells) for lack in found.lacks)
        meaning = "what more a capture could tell, and the option for it"
        yield Section("Not recorded", meaning, (), (LABEL, PROSE), rows)
