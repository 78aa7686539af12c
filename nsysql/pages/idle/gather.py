"""What the idle page is asked, and refusals if the export has nothing for it."""

import polars as pl

from nsysql.capture.export import Export
from nsysql.errors import MissingData, UsageError
from nsysql.pages.lines.captured import CAPTURE, has_lines
from nsysql.pages.phrases import seconds
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


def groups(run: Export, asked: PageScope, top: int | None = None) -> pl.DataFrame:
    """idle_groups as asked for. Raises MissingData where the export has nothing to group by."""
    if asked.by == "nvtx" and not run.has("NVTX_EVENTS"):
        raise MissingData("--by nvtx needs NVTX ranges, and the export has none; capture with --trace=nvtx.")
    if asked.by == "function" and not run.has("call_site"):
        raise MissingData(
            "--by function needs call stacks, and the export has none; capture with --cudabacktrace=all,"
            " and --sample=process-tree for what runs between the calls."
        )
    if asked.by == "line" and not has_lines(run):
        raise MissingData(f"--by line needs lines of source, and the export has none; {CAPTURE}.")
    return run.query("idle_groups", by=asked.by, top=top, **asked.window)


def gpu_time_or_raise(run: Export, asked: PageScope) -> pl.DataFrame:
    """GPU time of what is asked for. Raises MissingData where the export has no GPU activity at all."""
    refuse_none(run)
    found = run.query("gpu_time", **asked.window)
    every = found if not found.is_empty() else run.query("gpu_time", per_process=asked.per_process)
    if every.is_empty():
        raise MissingData(_no_activity(run))
    if found.is_empty() and asked.gpu is not None and asked.gpu not in every["gpu_id"]:
        raise UsageError(
            f"no GPU work was recorded on GPU {asked.gpu}; there is {', '.join(map(str, every['gpu_id']))}."
        )
    if found.is_empty():
        first, last = min(every["window_start_ns"].to_list()), max(every["window_end_ns"].to_list())
        span = f"{first} to {last} ns ({seconds(first)} to {seconds(last)})"
        raise UsageError(f"no GPU work in that interval; the export's GPU work spans {span}.")
    return found


def refuse_none(run: Export) -> None:
    """Raise MissingData where nothing ran on a GPU."""
    if not run.has("_gpu_work_ids"):
        raise MissingData(_no_activity(run))


def _no_activity(run: Export) -> str:
    why = CALLS_ALONE if run.has("_api_call_ids") else NO_ACTIVITY
    if not run.has("mpi_event"):
        return why
    ranks = [str(rank) for rank in run.query("mpi_ranks")["rank"].drop_nulls()]
    whose = f" of rank{'s' if len(ranks) > 1 else ''} {', '.join(ranks)}" if ranks else ""
    return f"{why} It has MPI calls{whose}: see nsysql summary and nsysql mpi-ranks."
