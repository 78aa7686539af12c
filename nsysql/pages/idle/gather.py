"""What the idle page is asked: refusals if the export has nothing for it, labels of gaps, and notes."""

from collections.abc import Iterator

import polars as pl

from nsysql.analysis.nvtx.paths import BETWEEN, NO_TEXT
from nsysql.capture.export import Export
from nsysql.errors import MissingData, UsageError
from nsysql.findings.sentences import without_kernels
from nsysql.pages.lines import CAPTURE, has_lines
from nsysql.pages.phrases import gpu_number, seconds
from nsysql.pages.scope import PageScope

NO_ACTIVITY = (
    "no GPU activity was recorded (the export has no kernel, copy or memset table;"
    " was the run captured with --trace=cuda?)."
)
CALLS_ALONE = (
    "no GPU activity was recorded: the export has CUDA calls, but no kernel, copy, memset or graph run;"
    " did the program launch any while it was captured?"
)
GROUPS = ("nvtx", "api", "thread", "function", "line")  # what idle_groups groups by
RANGES = "_nvtx_own_range"
SMALL = 300_000  # ranges up to which all are read
FEW_GAPS = 1000  # gaps around which ranges are read, where there are more
NO_LAUNCH = "no launch is known, so no thread or call can be blamed"
LACKING = (  # tables, what they would have, the option that records it, and what the ledger cannot tell without
    ("OSRT_API", "OS runtime calls", "--trace=osrt", "Host code includes waits for locks, I/O and sleeps"),
    ("SCHED_EVENTS", "thread scheduling", "--cpuctxsw=process-tree", "Host code includes time off the CPU"),
    ("NVTX_EVENTS", "NVTX ranges", "--trace=nvtx, and a program that has some", "no part of the program can be named"),
    ("CUPTI_ACTIVITY_KIND_RUNTIME", "CUDA API calls", "--trace=cuda", NO_LAUNCH),
)
EVENTS = (
    "no CUDA events recorded (--cuda-event-trace=true): that a stream waited for another one is taken from the"
    " wait alone, not from what it waited for."
)


def groups(run: Export, scope: PageScope, top: int | None = None) -> pl.DataFrame:
    """idle_groups as asked for. Raises MissingData if the export has nothing to group by."""
    if scope.by == "nvtx" and not run.has("NVTX_EVENTS"):
        raise MissingData("--by nvtx needs NVTX ranges, and the export has none; capture with --trace=nvtx.")
    if scope.by == "function" and not run.has("call_site"):
        raise MissingData(
            "--by function needs call stacks, and the export has none; capture with --cudabacktrace=all,"
            " and --sample=process-tree for what runs between the calls."
        )
    if scope.by == "line" and not has_lines(run):
        raise MissingData(f"--by line needs lines of source, and the export has none; {CAPTURE}.")
    return run.query("idle_groups", by=scope.by, top=top, **scope.window)


def gpu_time_or_raise(run: Export, scope: PageScope) -> pl.DataFrame:
    """GPU time of what is asked for. Raises MissingData if the export has no GPU activity at all."""
    if not run.has("_gpu_work_ids"):
        raise MissingData(_no_activity(run))
    times = run.query("gpu_time", **scope.window)
    every = times if not times.is_empty() else run.query("gpu_time", per_process=scope.per_process)
    if every.is_empty():
        raise MissingData(_no_activity(run))
    if times.is_empty() and scope.gpu is not None and scope.gpu not in every["gpu_id"]:
        known = ", ".join(map(str, every["gpu_id"]))
        raise UsageError(f"no GPU work was recorded on GPU {scope.gpu}; there is {known}.")
    if times.is_empty():
        first, last = min(every["window_start_ns"].to_list()), max(every["window_end_ns"].to_list())
        span = f"{first} to {last} ns ({seconds(first)} to {seconds(last)})"
        raise UsageError(f"no GPU work in that interval; the export's GPU work spans {span}.")
    return times


def _no_activity(run: Export) -> str:
    if lost := without_kernels(run):
        return f"When the GPU worked is not known: {'; '.join(lost)}."
    why = CALLS_ALONE if run.has("_api_call_ids") else NO_ACTIVITY
    if not run.has("mpi_event"):
        return why
    ranks = [str(rank) for rank in run.query("mpi_ranks")["rank"].drop_nulls()]
    whose = f" of rank{'s' if len(ranks) > 1 else ''} {', '.join(ranks)}" if ranks else ""
    return f"{why} It has MPI calls{whose}: see nsysql summary and nsysql mpi-ranks."


def are_few(run: Export) -> bool:
    """Whether all NVTX ranges can be read in little time: the label is then that of most of a gap's host time."""
    return run.has(RANGES) and run.count(RANGES, {}, SMALL + 1) <= SMALL


def labeled(run: Export, gaps: pl.DataFrame) -> pl.DataFrame:
    """The gaps with the NVTX ranges that they are in, if these are still to be read: ranges are many, gaps few."""
    if gaps.is_empty() or gaps.height > FEW_GAPS or not run.has(RANGES) or are_few(run):
        return gaps
    middles = run.query("idle_gap_middles", gaps=",".join(map(str, gaps["gap_id"])))
    if middles.is_empty():
        return gaps
    stacks = run.query("nvtx_stack", moments=",".join(map(str, middles["moment_ns"])))
    place = ["moment_ns", "thread_id"]
    path = pl.col("name").fill_null(NO_TEXT).str.join(BETWEEN)
    paths = stacks.group_by(place, maintain_order=True).agg(nvtx_path=path)
    labels = middles.join(paths, on=place, how="left").select("gap_id", "nvtx_path")
    return gaps.drop("nvtx_path").join(labels, on="gap_id", how="left", maintain_order="left").select(gaps.columns)


def notes(run: Export, scope: PageScope, ledger: pl.DataFrame) -> list[str]:
    """What the page is narrowed to, what the export lacks and the option that would bring it, what was assumed."""
    causes = set(ledger["cause"])
    interval = scope.interval(run)
    texts = [] if interval is None else [f"narrowed to {interval}."]
    texts += [f"{text}." for text in run.data_problems("idle_pieces")]
    for table, what, option, effect in LACKING:
        matters = "host_code" in causes if effect.startswith("Host") else True
        if matters and not run.has(table):
            texts.append(f"no {what} recorded ({option}): {effect}.")
    if "stream_wait" in causes and not run.has("CUPTI_ACTIVITY_KIND_CUDA_EVENT"):
        texts.append(EVENTS)
    processes = run.query("gpu_processes")
    texts += _ranks(run, processes)
    if not scope.per_process:
        texts += _shared(processes)
    return texts


def _ranks(run: Export, processes: pl.DataFrame) -> Iterator[str]:
    """Which MPI rank worked on which GPU."""
    if not run.has("mpi_event"):
        return
    ranks = run.query("mpi_ranks").drop_nulls("rank").join(processes.select("pid", "gpu_id"), on="pid")
    if not ranks.is_empty():
        rows = ranks.unique(["rank", "gpu_id"]).sort("rank", "gpu_id").to_dicts()
        named = [f"rank {row['rank']} on GPU {gpu_number(row['gpu_id'])} (process {row['pid']})" for row in rows]
        yield f"MPI {', '.join(named)}."


def _shared(processes: pl.DataFrame) -> Iterator[str]:
    """A sentence for each GPU that several processes worked on."""
    for _, rows in processes.group_by("gpu_id", maintain_order=True):
        if rows.height > 1:
            names = ", ".join(f"{row['pid']} ({row['name'] or 'name unknown'})" for row in rows.to_dicts())
            how = "" if rows["is_known"].all() else ", taken for one GPU because their device numbers are equal"
            shared = f"processes {names} share GPU {gpu_number(rows['gpu_id'][0])}{how}"
            yield f"{shared}: it is busy when any of them is; --per-process keeps them apart."
