"""What the idle page shows, as frames: each from a query that can also be asked alone."""

from dataclasses import dataclass, replace

import polars as pl

from nsysql.capture.export import Export
from nsysql.errors import MissingData, UsageError
from nsysql.pages.idle.notes import notes
from nsysql.pages.idle.ranges import FEW_GAPS, are_few, labeled_later
from nsysql.pages.lines.captured import CAPTURE, has_lines
from nsysql.pages.phrases import seconds
from nsysql.pages.scope import PageScope
from nsysql.pages.steps.line import StepLine, read_ahead, step_line
from nsysql.pages.verdict.collect import facts
from nsysql.pages.verdict.facts import Facts, Verdict
from nsysql.pages.verdict.judge import judge

NO_ACTIVITY = (
    "no GPU activity was recorded (the export has no kernel, copy or memset table;"
    " was the run captured with --trace=cuda?)."
)
CALLS_ALONE = (
    "no GPU activity was recorded: the export has CUDA calls, but no kernel, copy, memset or graph run;"
    " did the program launch any while it was captured?"
)
GROUPS = ("nvtx", "api", "thread", "function", "line")  # what idle_groups groups by


@dataclass(frozen=True)
class IdleFrames:
    """What it takes to say why GPUs were idle and what to do first; calls are idle_groups by api.

    in_mpi is idle_in_mpi, without rows where no MPI call was recorded.
    """

    causes: pl.DataFrame
    gpu_time: pl.DataFrame
    exposed_time: pl.DataFrame
    ledger: pl.DataFrame
    calls: pl.DataFrame
    in_mpi: pl.DataFrame
    gaps: pl.DataFrame


@dataclass(frozen=True)
class Idle:
    """Why the GPUs were idle, in frames named as the queries that they are the answers of."""

    path: str
    asked: PageScope
    frames: IdleFrames
    groups: pl.DataFrame | None
    patterns: pl.DataFrame
    lengths: pl.DataFrame
    facts: Facts
    verdict: Verdict
    steps: StepLine | None
    idle_before_ns: int
    notes: tuple[str, ...]


def collect(run: Export, asked: PageScope) -> Idle:
    """The frames of the page. Raises MissingData where the export has no GPU activity."""
    if not (asked.filters or asked.per_process):
        read_ahead(run)
    gaps = longest(run, asked, paths=are_few(run))  # first: the ledger gives on the calls that it reads
    labeled = labeled_later(run, gaps)
    gpu_time = gpu_time_or_raise(run, asked)
    found = idle_frames(run, asked, gpu_time, gaps)
    groups = _groups(run, asked, found.calls)
    patterns = run.query("idle_patterns", top=asked.top, **asked.window)
    lengths = run.query("idle_lengths", min_gap_ns=asked.min_gap_ns, **asked.window)
    is_long = gaps.height > FEW_GAPS and not are_few(run)
    found = replace(found, gaps=longest(run, asked, paths=True) if is_long else labeled())
    judged = facts(run, asked, found)
    steps = None if asked.filters or asked.per_process else step_line(run)
    return Idle(
        path=run.path.name,
        asked=asked,
        frames=found,
        groups=groups,
        patterns=patterns,
        lengths=lengths,
        facts=judged,
        verdict=judge(judged),
        steps=steps,
        idle_before_ns=_before(run, asked, steps),
        notes=tuple(notes(run, asked, found.ledger)),
    )


def _before(run: Export, asked: PageScope, steps: StepLine | None) -> int:
    """The idle time before the first steady step, of all GPUs."""
    if steps is None:
        return 0
    return int(run.query("idle_ledger", **{**asked.window, "end_ns": steps.start_ns})["idle_ns"].sum())


def idle_frames(run: Export, asked: PageScope, gpu_time: pl.DataFrame, gaps: pl.DataFrame) -> IdleFrames:
    """The frames that tell why the GPUs of `gpu_time` were idle; `gaps` are the longest."""
    window = asked.window
    return IdleFrames(
        causes=run.query("idle_causes"),
        gpu_time=gpu_time,
        exposed_time=run.query("exposed_time", **window),
        ledger=run.query("idle_ledger", **window),
        calls=run.query("idle_groups", by="api", **window),
        in_mpi=run.query("idle_in_mpi", **window) if run.has("mpi_event") else pl.DataFrame(),
        gaps=gaps,
    )


def longest(run: Export, asked: PageScope, paths: bool = False) -> pl.DataFrame:
    """The longest gaps; the NVTX ranges that they begin in are left out, unless these are asked for.

    Raises MissingData where there is no GPU work.
    """
    _refuse_none(run)
    return run.query("idle_gaps", min_gap_ns=asked.min_gap_ns, top=asked.top, paths=paths, **asked.window)


def _groups(run: Export, asked: PageScope, calls: pl.DataFrame) -> pl.DataFrame | None:
    """The idle time by what is asked for besides causes and patterns. Raises MissingData where that is not recorded."""
    if asked.by == "api":
        return calls
    if asked.by == "drain":
        return run.query("idle_drains", **asked.window)
    return groups(run, asked) if asked.by in GROUPS else None


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
    _refuse_none(run)
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
        span = f"{first} and {last} ns ({seconds(first)} to {seconds(last)})"
        raise UsageError(f"no GPU was at work there: the activity of the export lies between {span}.")
    return found


def _refuse_none(run: Export) -> None:
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
