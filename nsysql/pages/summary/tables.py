"""The sections of the summary: tables, and in prose what was captured, what nsys said of it, and what it lacks."""

import re
from collections.abc import Iterator, Sequence

import polars as pl

from nsysql.catalog.raw_schema import read_raw
from nsysql.pages.elements import LABEL, PROSE, Cell, Section, notes_section
from nsysql.pages.first_screen import STANDS_ON
from nsysql.pages.idle.page import ledger
from nsysql.pages.phrases import Row, beginning, gpus, seconds
from nsysql.pages.scope import ScopedRun
from nsysql.pages.sections import Drawn, Table
from nsysql.pages.summary import metrics
from nsysql.words.quantities import counted, program, size, time

GIB = 2**30
SHOWN_PROCESSES = 4
NAMED = 3  # processes that a message names
MESSAGE = 136  # characters of a message
LACKED = "nsys profile options that would add it"
DID = {  # what a process did, by the columns of `processes`
    "api_calls": "CUDA call", "kernels": "kernel", "memory_operations": "memory operation", "graph_runs": "graph run",
    "nvtx_ranges": "NVTX range", "mpi_calls": "MPI call", "os_calls": "OS call",
}  # fmt: skip
# What would help a reader of the page, by the tables that any one of which would hold it.
CAPTURE_HINTS = (
    (("CUPTI_ACTIVITY_KIND_RUNTIME", "CUPTI_ACTIVITY_KIND_KERNEL"), "CUDA calls and GPU work", None),
    (("NVTX_EVENTS",), "which part of the program was running, where it is annotated", None),
    (("OSRT_API",), "what the CPU waited for in the operating system", None),
    (("SCHED_EVENTS",), "when threads were off the CPU", None),
    (("SAMPLING_CALLCHAINS", "COMPOSITE_EVENTS"), "the functions that the CPU was in", "--sample=process-tree"),
    (("CUDA_CALLCHAINS",), "the places in the source that call CUDA", "--cudabacktrace=all"),
    (("CUDA_GPU_MEMORY_USAGE_EVENTS",), "GPU memory in use over time", "--cuda-memory-usage=true"),
    (("GPU_METRICS",), "use of SMs, tensor cores and memory over time", "--gpu-metrics-devices=all"),
)


def without_gpu_work(scoped: ScopedRun) -> str:
    """Why there is no GPU work, as far as the export tells."""
    calls = int(scoped.rows("processes")["api_calls"].sum())
    if calls:
        return f"No GPU work was recorded: {counted(calls, 'CUDA call')}, but no kernel, memcpy, memset or graph."
    if scoped.run.has("_api_call_ids"):
        return "No GPU work was recorded, and no CUDA call."
    asked = "Was the run captured with --trace=cuda, and does the program use CUDA?"
    return f"No GPU work and no CUDA call was recorded. {asked}"


def _captured(scoped: ScopedRun) -> Iterator[Section]:
    """Versions, length, GPUs, processes."""
    info, narrowed = scoped.run.info, scoped.scope.interval(scoped.run)
    facts = [
        f"nsys {info.product_version}" if info.product_version else "nsys version not recorded",
        f"schema {info.schema_version}" if info.schema_version else "schema version not recorded",
        size(info.size_bytes),
        f"{time(info.duration_ns)} captured" if info.duration_ns else "length of the capture not recorded",
    ]
    times = scoped.rows("gpu_time")
    if narrowed is None and not times.is_empty():  # often a small part of the capture
        start, end = min(times["window_start_ns"]), max(times["window_end_ns"])
        facts.append(f"GPU work from {seconds(start)} to {seconds(end)} ({time(end - start)})")
    rows: list[tuple[Cell, ...]] = [("export", ", ".join(facts))]
    if narrowed is not None:
        text = f"{narrowed}. Sums by name include overlapping events in full; busy and idle time are clipped."
        rows.append(("limited to", text))
    rows += _gpus(scoped)
    rows += [("process", text) for text in _processes(scoped)]
    yield Section("Captured", columns=(LABEL, PROSE), rows=tuple(rows))


def _gpus(scoped: ScopedRun) -> Iterator[tuple[str, str]]:
    """GPUs with their properties, equal ones together: first those that ran something."""
    used = set(scoped.rows("gpu_time")["gpu_id"])
    known = {row["gpu_id"]: ", ".join(_properties(row)) for row in scoped.rows("gpus").to_dicts()}
    alike: dict[str, list[int | None]] = {}
    for gpu_id in sorted({*used, *known}, key=lambda i: (i not in used, i is None, i or 0)):
        idle = "; no GPU work recorded" if used and gpu_id not in used else ""
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


def _processes(scoped: ScopedRun) -> Iterator[str]:
    """Profiled processes with what they did, the busiest first."""
    rows = scoped.rows("processes").to_dicts()
    for row in rows[:SHOWN_PROCESSES]:
        did = [counted(row[name], word) for name, word in DID.items() if row[name]]
        rank = "" if row["rank"] is None else f"rank {row['rank']}, "
        yield f"{rank}{row['pid']} {program(row['name'] or 'of unknown name')}: {', '.join(did)}"
    if len(rows) > SHOWN_PROCESSES:
        yield f"and {len(rows) - SHOWN_PROCESSES} more (nsysql processes)"
    if not rows:
        yield "no process with CUDA, NVTX, MPI or OS runtime data"


def _messages(scoped: ScopedRun) -> Iterator[Section]:
    """Messages of nsys, those that differ only in numbers together, without those that the capture refutes."""
    alike: dict[tuple[str, str], tuple[str, list[Row]]] = {}
    for row in scoped.rows("capture_messages").to_dicts():
        if not row["is_refuted"]:
            text = beginning(row["text"], MESSAGE)
            alike.setdefault((row["severity"], re.sub(r"\d+", "#", row["text"])), (text, []))[1].append(row)
    shown = list(alike.items())[: scoped.scope.top]
    rows = tuple((severity, text + about(messages)) for (severity, _), (text, messages) in shown)
    rest = len(alike) - len(rows)
    after = (f"{counted(rest, 'more message')} (nsysql capture-messages).",) if rest else ()
    yield Section("nsys diagnostics", "errors and warnings of the capture", (), (LABEL, PROSE), rows, after)


def about(messages: Sequence[Row]) -> str:
    """The processes that a message is about, in brackets."""
    names = list(dict.fromkeys(f"{row['pid']} {program(row['name'])}".strip() for row in messages if row["pid"]))
    if not names:
        return ""
    rest = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
    return f" (process {', '.join(names[:NAMED])}{rest})"


def lacking(scoped: ScopedRun) -> Iterator[tuple[str, str]]:
    """The capture options that would record what the export lacks, and what that would tell."""
    for tables, tells, option in CAPTURE_HINTS:
        if not any(scoped.run.has(table) for table in tables):
            yield option or read_raw()[tables[0]].flag or "", tells


CAPTURED = Drawn("processes", _captured, lambda scoped: scoped.rows("processes"))
MESSAGES = Drawn("capture_messages", _messages, lambda scoped: scoped.rows("capture_messages"))
LACKS = Drawn(
    "lacks",
    lambda scoped: [Section("Not captured", LACKED, (), (LABEL, PROSE), tuple(lacking(scoped)))],
    lambda scoped: pl.DataFrame(list(lacking(scoped)), schema=["option", "tells"], orient="row"),
)
NOTES = Drawn("notes", lambda scoped: [notes_section(f"{note}." for note in scoped.run.data_problems(*STANDS_ON))])


GAPS = 3  # longest gaps
TIMES = "total_time_ns=share:share total_time_ns=total"
MEMSET = "[CUDA memset]"
KINDS = ("busy", "idle", "kernel", "memcpy", "memset", "graph")


def _gpu_time(scoped: ScopedRun) -> pl.DataFrame:
    """gpu_time with the shares of its window in percent."""
    window = pl.col("window_ns")
    shares = {f"{kind}_pct": 100 * pl.col(f"{kind}_ns") / window for kind in KINDS}
    mean = pl.when(pl.col("gap_count") > 0).then(pl.col("idle_ns") // pl.col("gap_count"))
    return scoped.rows("gpu_time").with_columns(**shares, mean_gap_ns=mean)


def _longest_gaps(scoped: ScopedRun) -> pl.DataFrame:
    """The longest gaps; none if no GPU worked."""
    if scoped.rows("gpu_time").is_empty():
        return pl.DataFrame()
    return scoped.run.query("idle_gaps", top=GAPS, paths=False, **scoped.scope.filters)


def _memory(scoped: ScopedRun) -> pl.DataFrame:
    """Memory operations by time, with their bytes and their rate.

    A memset that seems faster than memory has no rate: it is recorded too short.
    """
    times, sizes = scoped.rows("cuda_gpu_mem_time_sum"), scoped.rows("cuda_gpu_mem_size_sum")
    rows = times.join(sizes.select("operation", "total_bytes"), on="operation", how="left", maintain_order="left")
    rate = pl.when(pl.col("total_time_ns") > 0).then(pl.col("total_bytes") * 10**9 / pl.col("total_time_ns"))
    gpus = scoped.rows("gpus")
    fastest = gpus["memory_bandwidth_bytes_per_s"].min() if gpus.height else None
    known = (pl.col("operation") != MEMSET) | (rate <= pl.lit(fastest)).fill_null(value=False)
    return rows.with_columns(rate_bytes_per_s=pl.when(known).then(rate))


def _nvtx(scoped: ScopedRun) -> pl.DataFrame:
    """NVTX ranges by name, those of all processes together."""
    sums = pl.col("instances", "total_time_ns").sum()
    names = scoped.rows("nvtx_names").group_by("name").agg(sums)
    mean = pl.col("total_time_ns") // pl.col("instances")
    named = names.with_columns(mean_ns=mean, name=pl.col("name").replace({"": "(no text)"}).fill_null("(no text)"))
    return named.sort("total_time_ns", "name", descending=[True, False])


SECTIONS = (
    CAPTURED,
    Table(
        "gpu_time", "GPU time",
        "gpu_id=GPU window_ns=window busy_pct=busy:part idle_pct=idle_%? idle_ns=idle gap_count=gaps"
        " mean_gap_ns=mean_gap kernel_pct=kernels_% memcpy_pct=copies_% memset_pct=memsets_%? graph_pct=graphs_%?",
        "shares of the window from its first to its last work; kinds can overlap",
        read=_gpu_time,
        after=("Causes, recurring and longest gaps, evidence: nsysql idle-gaps --all.",),
    ),
    Table(
        "idle_ledger", "Why idle",
        "gpu_id=GPU window_pct=window_% idle_ns=time gap_count=gaps longest_ns=longest title=cause:text",
        "how long each GPU waited under each cause",
        read=ledger,
    ),
    Table(
        "longest_gaps", "Longest gaps",
        "gpu_id=GPU gap_id=gap dur_ns=length start_ns=at previous_name=after:kernel next_name=before:kernel",
        "and the work before and after them",
        read=_longest_gaps,
        after=("nsysql idle-gaps --explain GAP explains one, by its number.",),
    ),
    Table(
        "launch_pace", "Launches",
        "gpu_id=GPU launches=launches call_ns=launch_calls running_ns=GPU_time call_med_ns=med._call"
        " wait_med_ns=med._wait running_med_ns=med._duration? orphan_runs=without_launch",
        "of kernels and graphs: the call on the CPU, the wait in the queue, the time on the GPU",
    ),
    Table(
        "cuda_gpu_kern_sum", "Kernels", f"{TIMES} instances=count med_ns=median name=name:kernel",
        "time on the GPU by name; shares of all kernels' time",
        rest="name",
    ),
    Table(
        "cuda_api_sum", "CUDA API", f"{TIMES} num_calls=count med_ns=median name=name:text",
        "time in the calls on the CPU, all threads; waiting for the GPU included",
        rest="name",
    ),
    Table(
        "memory", "Memory operations",
        f"{TIMES} total_bytes=bytes:share total_bytes=total count=count rate_bytes_per_s=rate operation=operation:text",
        "memcpy and memset on the GPU; shares of their time and of their bytes",
        rest="kind",
        read=_memory,
    ),
    metrics.METRICS,
    Table(
        "nvtx", "NVTX ranges", f"{TIMES} instances=count mean_ns=mean name=name:text",
        "time between their ends on the CPU, nested ones counted again; names differing only in numbers are merged",
        rest="name",
        read=_nvtx,
    ),
    Table(
        "mpi_ranks", "MPI",
        "rank=rank pid=process mpi_ns=time mpi_pct=in_MPI_% call_count=calls sent_bytes=sent main_ns=longest"
        " main_call=function:text",
        "share of the time from first to last call, without MPI_Init and MPI_Finalize",
        after=("All ranks: nsysql mpi-ranks.",),
    ),
    Table(
        "mpi_event_sum", "MPI functions", f"{TIMES} instances=count med_ns=median name=name:text",
        "time in the calls, all ranks and threads",
        rest="name",
        read=lambda scoped: scoped.rows("mpi_event_sum").drop_nulls("total_time_ns"),
    ),
    Table(
        "osrt_sum", "OS runtime", f"{TIMES} num_calls=count med_ns=median name=name:text",
        "time in the calls, all threads; mostly waiting",
        rest="name",
    ),
    MESSAGES,
    LACKS,
    NOTES,
)  # fmt: skip
