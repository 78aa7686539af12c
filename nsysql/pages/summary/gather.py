"""What the summary page shows, as frames: each from a query that can also be asked alone."""

from dataclasses import dataclass, replace
from typing import Any

import polars as pl

from nsysql.capture.capture_info import Info
from nsysql.capture.export import Export
from nsysql.catalog.raw_schema import read_raw
from nsysql.errors import MissingData
from nsysql.pages.idle.gather import IdleFrames, idle_frames, longest
from nsysql.pages.idle.notes import narrowed_to
from nsysql.pages.idle.ranges import are_few, labeled_later
from nsysql.pages.scope import PageScope
from nsysql.pages.steps.line import StepLine, read_ahead, step_line
from nsysql.pages.summary import metrics
from nsysql.pages.verdict.collect import LONGEST, facts
from nsysql.pages.verdict.facts import Verdict
from nsysql.pages.verdict.idle import without_gpu
from nsysql.pages.verdict.judge import judge

GAPS = 3  # longest gaps shown
BACKGROUND = (  # asked while the ledger is computed, the longest first
    "nvtx_names",
    "cuda_gpu_kern_sum",
    "cuda_gpu_mem_time_sum",
    "cuda_gpu_mem_size_sum",
    "osrt_sum",
    "capture_messages",
)
WITHOUT_TIMES = ("capture_messages",)  # of no time
STANDS_ON = ("idle_gaps", "launch_pace", "cuda_gpu_kern_sum", "nvtx_sum", "osrt_sum")  # they read what the page reads
TYPES = {"BIGINT": pl.Int64, "DOUBLE": pl.Float64, "VARCHAR": pl.String, "BOOLEAN": pl.Boolean}


@dataclass(frozen=True)
class CaptureHint:
    """What an export lacks: the capture option that records it, and what it would tell."""

    option: str
    tells: str


@dataclass(frozen=True)
class TimeScope:
    """What the page is narrowed to, in words and in times; None where it has no such end."""

    words: str
    start_ns: int | None
    end_ns: int | None


@dataclass(frozen=True)
class Summary:
    """An export in frames, one per section of the page; without rows where the export has nothing for it."""

    info: Info
    stretch: TimeScope | None
    has_gpu_work: bool
    has_calls: bool
    gpus: pl.DataFrame
    processes: pl.DataFrame
    gpu_time: pl.DataFrame
    why: IdleFrames | None
    steps: StepLine | None
    verdict: Verdict | None
    launch_pace: pl.DataFrame
    kernels: pl.DataFrame
    api_calls: pl.DataFrame
    memory_by_time: pl.DataFrame
    memory_by_size: pl.DataFrame
    nvtx: pl.DataFrame
    os_calls: pl.DataFrame
    metrics: pl.DataFrame
    mpi_ranks: pl.DataFrame
    mpi_calls: pl.DataFrame
    messages: pl.DataFrame
    lacks: tuple[CaptureHint, ...]
    notes: tuple[str, ...]

    @property
    def gaps(self) -> pl.DataFrame:
        """The longest gaps of all GPUs."""
        columns = ["gap_id", "gpu_id", "start_ns", "end_ns", "gap_ns", "previous_name", "next_name"]
        if self.why is None:
            return pl.DataFrame()
        return self.why.gaps.sort("gap_ns", descending=True, maintain_order=True).head(GAPS).select(columns)


# What would help a reader of the page, by the tables that any one of which would hold it.
CAPTURE_HINTS = (
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


def collect(
    run: Export, start_ns: int | None = None, end_ns: int | None = None, nvtx: str | None = None,
    steps: str | None = None, step_range: str | None = None,
) -> Summary:  # fmt: skip
    """The frames of the summary page, narrowed to a stretch of time, an NVTX range or steps.

    Raises MissingData where there is no such range, UsageError where the stretch is none.
    """
    asked = PageScope(start_ns=start_ns, end_ns=end_ns, nvtx=nvtx, top=LONGEST, steps=steps, step_range=step_range)
    stretch, filters, has_work = _stretch(run, asked), asked.filters, run.has("_gpu_work_ids")
    if has_work:
        run.query("exposed_time", **asked.window)  # reads the work of the GPUs, in all threads; then some are free
    beside = run.in_background({} if filters else {name: {} for name in BACKGROUND})
    if not filters:
        read_ahead(run)

    def ask(name: str) -> pl.DataFrame:
        narrowing = {} if name in WITHOUT_TIMES else filters
        try:
            return run.query(name, **narrowing) if narrowing else beside.answer(name)
        except MissingData:
            return pl.DataFrame(schema={c.name: TYPES[c.type] for c in run.find(name).columns})

    gaps = longest(run, asked, paths=are_few(run)) if has_work else pl.DataFrame()  # first: it gives on what it reads
    labeled = labeled_later(run, gaps)
    gpu_time = ask("gpu_time")
    why = idle_frames(run, asked, gpu_time, gaps) if has_work and not gpu_time.is_empty() else None
    launch_pace = ask("launch_pace")
    ranges, ranks = ask("nvtx_names"), ask("mpi_ranks")
    if why is not None:
        why = replace(why, gaps=labeled())
    return Summary(
        info=run.info,
        stretch=stretch,
        has_gpu_work=has_work,
        has_calls=run.has("_api_call_ids"),
        gpus=run.query("gpus"),
        processes=_processes(run, ranges, filters),
        gpu_time=gpu_time,
        why=why,
        steps=None if filters else step_line(run),
        verdict=without_gpu(ranks) if why is None else judge(facts(run, asked, why)),
        launch_pace=launch_pace,
        kernels=ask("cuda_gpu_kern_sum"),
        api_calls=ask("cuda_api_sum"),
        memory_by_time=ask("cuda_gpu_mem_time_sum"),
        memory_by_size=ask("cuda_gpu_mem_size_sum"),
        nvtx=ranges,
        os_calls=ask("osrt_sum"),
        metrics=metrics.collect(run, filters, gpu_time),
        mpi_ranks=ranks,
        mpi_calls=ask("mpi_event_sum").drop_nulls("total_time_ns"),
        messages=ask("capture_messages"),
        lacks=tuple(_lacks(run)),
        notes=tuple(run.data_problems(*STANDS_ON)),
    )


def _stretch(run: Export, asked: PageScope) -> TimeScope | None:
    words = narrowed_to(run, asked)
    if words is None:
        return None
    if asked.steps is not None:
        steps = run.find_steps(asked.steps, asked.step_range)
        return TimeScope(words, steps.start_ns, steps.end_ns)
    times = asked if asked.nvtx is None else run.find_range(asked.nvtx)
    return TimeScope(words, times.start_ns, times.end_ns)


def _processes(run: Export, nvtx: pl.DataFrame, filters: dict[str, Any]) -> pl.DataFrame:
    """The profiled processes, their NVTX ranges counted from what is already read."""
    processes = run.query("processes", count_nvtx=False, **filters)
    if not nvtx["pid"].is_in(processes["pid"].implode()).all():
        return run.query("processes", **filters)
    counts = nvtx.group_by("pid").agg(pl.col("instances").sum().alias("counted"))
    joined = processes.join(counts, on="pid", how="left", maintain_order="left")
    return joined.with_columns(pl.col("counted").fill_null(0).alias("nvtx_ranges")).drop("counted")


def _lacks(run: Export) -> list[CaptureHint]:
    return [
        CaptureHint(option or read_raw()[tables[0]].flag or "", tells)
        for tables, tells, option in CAPTURE_HINTS
        if not any(run.has(table) for table in tables)
    ]
