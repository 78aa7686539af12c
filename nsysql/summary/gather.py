"""What the summary page tells, as frames: each from a query that can also be asked alone."""

from dataclasses import dataclass
from typing import Any

import polars as pl

from nsysql.errors import MissingData
from nsysql.export import Export
from nsysql.info import Info
from nsysql.raw import read_raw
from nsysql.why.asked import Asked
from nsysql.why.gather import Booked, booked
from nsysql.why.notes import narrowed_to

GAPS = 3  # longest gaps shown
BESIDE = (  # asked while the ledger is computed, the longest first
    "nvtx_names",
    "cuda_api_sum",
    "cuda_gpu_kern_sum",
    "cuda_gpu_mem_time_sum",
    "cuda_gpu_mem_size_sum",
    "osrt_sum",
    "capture_messages",
)
TYPES = {"BIGINT": pl.Int64, "DOUBLE": pl.Float64, "VARCHAR": pl.String, "BOOLEAN": pl.Boolean}


@dataclass(frozen=True)
class Lack:
    """What an export lacks: the capture option that records it, and what it would tell."""

    option: str
    tells: str


@dataclass(frozen=True)
class Summary:
    """An export in frames, one per section of the page; without rows where the export has nothing for it."""

    info: Info
    narrowed_to: str | None
    gpus: pl.DataFrame
    processes: pl.DataFrame
    gpu_time: pl.DataFrame
    why: Booked | None
    launch_pace: pl.DataFrame
    kernels: pl.DataFrame
    api_calls: pl.DataFrame
    memory_by_time: pl.DataFrame
    memory_by_size: pl.DataFrame
    nvtx: pl.DataFrame
    os_calls: pl.DataFrame
    messages: pl.DataFrame
    lacks: tuple[Lack, ...]

    @property
    def gaps(self) -> pl.DataFrame:
        """The longest gaps of all GPUs."""
        columns = ["gpu_id", "start_ns", "end_ns", "gap_ns", "previous_name", "next_name"]
        return pl.DataFrame() if self.why is None else self.why.gaps.head(GAPS).select(columns)


# What would help a reader of the page, by the tables that any one of which would hold it.
WORTH = (
    (("CUPTI_ACTIVITY_KIND_RUNTIME", "CUPTI_ACTIVITY_KIND_KERNEL"), "CUDA calls and GPU work", None),
    (("NVTX_EVENTS",), "which part of the program was running, where it is annotated", None),
    (("OSRT_API",), "what the CPU waited for in the operating system", None),
    (("SCHED_EVENTS",), "when threads were off the CPU", None),
    (
        ("SAMPLING_CALLCHAINS", "COMPOSITE_EVENTS"),
        "the functions that the CPU was in",
        "--sample=process-tree",
    ),
    (("CUDA_CALLCHAINS",), "the places in the source that call CUDA", "--cudabacktrace=all"),
    (("CUDA_GPU_MEMORY_USAGE_EVENTS",), "GPU memory in use over time", "--cuda-memory-usage=true"),
    (("GPU_METRICS",), "use of SMs, tensor cores and memory over time", "--gpu-metrics-devices=all"),
)


def gather(run: Export, start_ns: int | None = None, end_ns: int | None = None, nvtx: str | None = None) -> Summary:
    """The frames of the summary page, narrowed to a stretch of time or an NVTX range.

    Raises MissingData where there is no such range, UsageError where the stretch is none.
    """
    asked = Asked(start_ns=start_ns, end_ns=end_ns, nvtx=nvtx, top=GAPS)
    stretch, filters = narrowed_to(run, asked), asked.filters
    beside = run.beside({} if filters else {name: {} for name in BESIDE})

    def ask(name: str, **filters: Any) -> pl.DataFrame:
        try:
            return run.query(name, **filters) if filters else beside.answer(name)
        except MissingData:
            return pl.DataFrame(schema={c.name: TYPES[c.type] for c in run.find(name).columns})

    gpu_time = ask("gpu_time", **filters)
    why = None if gpu_time.is_empty() else booked(run, asked, gpu_time)
    launch_pace = ask("launch_pace", **filters)
    ranges = ask("nvtx_names", **filters)
    return Summary(
        info=run.info,
        narrowed_to=stretch,
        gpus=run.query("gpus"),
        processes=_processes(run, ranges, filters),
        gpu_time=gpu_time,
        why=why,
        launch_pace=launch_pace,
        kernels=ask("cuda_gpu_kern_sum", **filters),
        api_calls=ask("cuda_api_sum", **filters),
        memory_by_time=ask("cuda_gpu_mem_time_sum", **filters),
        memory_by_size=ask("cuda_gpu_mem_size_sum", **filters),
        nvtx=ranges,
        os_calls=ask("osrt_sum", **filters),
        messages=ask("capture_messages"),
        lacks=tuple(_lacks(run)),
    )


def _processes(run: Export, nvtx: pl.DataFrame, filters: dict[str, Any]) -> pl.DataFrame:
    """The profiled processes, their NVTX ranges counted from what is already read."""
    processes = run.query("processes", count_nvtx=False, **filters)
    if not nvtx["pid"].is_in(processes["pid"].implode()).all():
        return run.query("processes", **filters)
    counts = nvtx.group_by("pid").agg(pl.col("instances").sum().alias("counted"))
    joined = processes.join(counts, on="pid", how="left", maintain_order="left")
    return joined.with_columns(pl.col("counted").fill_null(0).alias("nvtx_ranges")).drop("counted")


def _lacks(run: Export) -> list[Lack]:
    return [
        Lack(option or read_raw()[tables[0]].flag or "", tells)
        for tables, tells, option in WORTH
        if not any(run.has(table) for table in tables)
    ]
