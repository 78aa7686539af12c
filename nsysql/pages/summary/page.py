"""The summary for people: sections of rows that are ready to read, each saying what its rows mean."""

import re
from collections.abc import Iterator, Sequence

from nsysql.pages.elements import Cell, Column, Page, Section
from nsysql.pages.phrases import Row, beginning, counted, gpus, seconds
from nsysql.pages.summary import metrics
from nsysql.pages.summary.gather import Summary
from nsysql.pages.summary.gpu_sections import gpu_sections, within
from nsysql.pages.summary.mpi import mpi
from nsysql.pages.summary.top_sections import memory, named, nvtx
from nsysql.pages.verdict.page import section as verdict
from nsysql.words.quantities import size, time

GIB = 2**30
SHOWN_PROCESSES = 4
NAMED = 3  # processes that a message names
MESSAGE = 136  # characters of a message
OVERLAPPING = "sums by name count what overlaps it, whole; busy and idle time are cut to it"
LABEL, PROSE = Column(right=False), Column(right=False, wrap=True)
DID = {  # what a process did, by the columns of `processes`
    "api_calls": "CUDA call",
    "kernels": "kernel",
    "memory_operations": "memory operation",
    "graph_runs": "graph run",
    "nvtx_ranges": "NVTX range",
    "mpi_calls": "MPI call",
    "os_calls": "OS call",
}


def page(found: Summary, top: int) -> Page:
    """The page, with at most `top` rows in sections that list names."""
    sections = [
        *([] if found.verdict is None else [verdict(found.verdict)]),
        *([] if found.steps is None else [Section("Steps", before=(f"{found.steps}",))]),
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
        *metrics.section(found.metrics, found.gpu_time),
        *nvtx(found, top),
        *mpi(found, top),
        *named(
            "OS runtime",
            "time in the calls, all threads; mostly waiting",
            found.os_calls.rename({"num_calls": "count"}),
            top,
        ),
        *_messages(found, top),
        *_lacks(found),
        *_notes(found),
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
        *_working(found),
    ]
    rows: list[tuple[Cell, ...]] = [("export", ", ".join(facts))]
    if found.stretch is not None:
        rows.append(("narrowed to", f"{found.stretch.words}: {OVERLAPPING}"))
    rows += _gpus(found)
    rows += [("process", text) for text in _processes(found)]
    return Section("Captured", columns=(LABEL, PROSE), rows=tuple(rows))


def _working(found: Summary) -> Iterator[str]:
    """From when to when the GPUs worked: often a small part of what was captured."""
    if not found.gpu_time.is_empty() and found.stretch is None:
        start, end = min(found.gpu_time["window_start_ns"]), max(found.gpu_time["window_end_ns"])
        yield f"GPU work from {seconds(start)} to {seconds(end)} ({time(end - start)})"


def _gpus(found: Summary) -> Iterator[tuple[str, str]]:
    """GPUs with their properties, equal ones together: first those that ran something."""
    used = set(found.gpu_time["gpu_id"])
    known = {row["gpu_id"]: ", ".join(_properties(row)) for row in found.gpus.to_dicts()}
    alike: dict[str, list[int | None]] = {}
    for gpu_id in sorted({*used, *known}, key=lambda i: (i not in used, i is None, i or 0)):
        idle = f"; idle, no GPU work recorded{within(found)}" if used and gpu_id not in used else ""
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
        rank = "" if row["rank"] is None else f"rank {row['rank']}, "
        yield f"{rank}{row['pid']} {program(row['name'] or 'of unknown name')}: {', '.join(did)}"
    if len(rows) > SHOWN_PROCESSES:
        yield f"and {len(rows) - SHOWN_PROCESSES} more (nsysql processes)"
    if not rows:
        yield f"no process with CUDA, NVTX, MPI or OS runtime data{within(found)}"


def _messages(found: Summary, top: int) -> Iterator[Section]:
    """What nsys itself said about the capture, messages that differ in numbers alone together.

    What the capture itself refutes is left out.
    """
    alike: dict[tuple[str, str], tuple[str, list[Row]]] = {}
    for row in found.messages.to_dicts():
        if not row["is_refuted"]:
            text = beginning(row["text"], MESSAGE)
            alike.setdefault((row["severity"], re.sub(r"\d+", "#", row["text"])), (text, []))[1].append(row)
    rows = tuple((severity, text + about(said)) for (severity, _), (text, said) in list(alike.items())[:top])
    if rows:
        rest = len(alike) - len(rows)
        after = (f"{counted(rest, 'more message')} (nsysql capture-messages).",) if rest else ()
        yield Section("nsys diagnostics", "errors and warnings of the capture", (), (LABEL, PROSE), rows, after)


def program(name: str | None) -> str:
    """A program without its folder."""
    return re.split(r"[/\\]", name or "")[-1]


def about(said: Sequence[Row]) -> str:
    """The processes that a message is about, in brackets."""
    named = [f"{row['pid']} {program(row['name'])}".strip() for row in said if row["pid"]]
    names = list(dict.fromkeys(named))
    if not names:
        return ""
    rest = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
    return f" (process {', '.join(names[:NAMED])}{rest})"


def _lacks(found: Summary) -> Iterator[Section]:
    if found.lacks:
        rows = tuple((lack.option, lack.tells) for lack in found.lacks)
        meaning = "nsys profile options that would add it"
        yield Section("Not captured", meaning, (), (LABEL, PROSE), rows)


def _notes(found: Summary) -> Iterator[Section]:
    """What no export should have, and what the page has been computed without."""
    if found.notes:
        yield Section("Notes", columns=(PROSE,), rows=tuple((f"{note}.",) for note in found.notes))
