"""What the idle page tells, as frames: each from a query that can also be asked alone."""

from dataclasses import dataclass, replace

import polars as pl

from nsysql.errors import MissingData, UsageError
from nsysql.export import Export
from nsysql.idle.paths import BETWEEN, NO_TEXT
from nsysql.summary.words import moment
from nsysql.why.asked import Asked
from nsysql.why.notes import notes

NO_ACTIVITY = (
    "no GPU activity was recorded (the export has no kernel, copy or memset table;"
    " was the run captured with --trace=cuda?)."
)
CALLS_ALONE = (
    "no GPU activity was recorded: the export has CUDA calls, but no kernel, copy, memset or graph run;"
    " did the program launch any while it was captured?"
)
STACK = "nvtx_stack"
FEW = 1000  # gaps for which NVTX is read only around them
GROUPS = ("nvtx", "api", "thread", "line")  # what idle_groups groups by


@dataclass(frozen=True)
class Booked:
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
    asked: Asked
    booked: Booked
    groups: pl.DataFrame | None
    patterns: pl.DataFrame
    lengths: pl.DataFrame
    notes: tuple[str, ...]


def gather(run: Export, asked: Asked) -> Idle:
    """The frames of the page. Raises MissingData where the export has no GPU activity."""
    gaps = longest(run, asked)  # first: the ledger gives on the calls that it reads
    around = _around(run, gaps)
    ranges = run.beside(around)
    gpu_time = recorded(run, asked)
    found = booked(run, asked, gpu_time, gaps)
    groups = _groups(run, asked, found.calls)
    patterns = run.query("idle_patterns", top=asked.top, **asked.window)
    lengths = run.query("idle_lengths", min_gap_ns=asked.min_gap_ns, **asked.window)
    if around:
        found = replace(found, gaps=_with_paths(gaps, ranges.answer(STACK)))
    elif gaps.height > FEW:
        found = replace(found, gaps=longest(run, asked, paths=True))
    return Idle(
        path=run.path.name,
        asked=asked,
        booked=found,
        groups=groups,
        patterns=patterns,
        lengths=lengths,
        notes=tuple(notes(run, asked, found.ledger)),
    )


def booked(run: Export, asked: Asked, gpu_time: pl.DataFrame, gaps: pl.DataFrame) -> Booked:
    """The frames that tell why the GPUs of `gpu_time` were idle; `gaps` are the longest."""
    window = asked.window
    return Booked(
        causes=run.query("idle_causes"),
        gpu_time=gpu_time,
        exposed_time=run.query("exposed_time", **window),
        ledger=run.query("idle_ledger", **window),
        calls=run.query("idle_groups", by="api", **window),
        in_mpi=run.query("idle_in_mpi", **window) if run.has("mpi_event") else pl.DataFrame(),
        gaps=gaps,
    )


def longest(run: Export, asked: Asked, paths: bool = False) -> pl.DataFrame:
    """The longest gaps; the NVTX ranges that they begin in are left out, unless these are asked for.

    Raises MissingData where there is no GPU work.
    """
    _refuse_none(run)
    return run.query("idle_gaps", min_gap_ns=asked.min_gap_ns, top=asked.top, paths=paths, **asked.window)


def _around(run: Export, gaps: pl.DataFrame) -> dict[str, dict[str, str]]:
    """The question for the ranges that these gaps begin in, where they are few: NVTX is read only around them."""
    if gaps.is_empty() or gaps.height > FEW or not run.has("nvtx_own_range"):
        return {}
    return {STACK: {"moments": ",".join(map(str, gaps["start_ns"]))}}


def _with_paths(gaps: pl.DataFrame, stacks: pl.DataFrame) -> pl.DataFrame:
    """The gaps with their nvtx_path, from the ranges that they begin in."""
    paths = stacks.group_by(start_ns="moment_ns", thread_id="thread_id", maintain_order=True).agg(
        nvtx_path=pl.col("name").fill_null(NO_TEXT).str.join(BETWEEN)
    )
    found = gaps.drop("nvtx_path").join(paths, on=["start_ns", "thread_id"], how="left", maintain_order="left")
    return found.select(gaps.columns)


def _groups(run: Export, asked: Asked, calls: pl.DataFrame) -> pl.DataFrame | None:
    """The idle time by what is asked for beside causes and patterns. Raises MissingData where that is not recorded."""
    if asked.by == "api":
        return calls
    return groups(run, asked) if asked.by in GROUPS else None


def groups(run: Export, asked: Asked, top: int | None = None) -> pl.DataFrame:
    """idle_groups as asked for. Raises MissingData where the export has nothing to group by."""
    if asked.by == "nvtx" and not run.has("NVTX_EVENTS"):
        raise MissingData("--by nvtx needs NVTX ranges, and the export has none; capture with --trace=nvtx.")
    if asked.by == "line" and not run.has("call_place"):
        raise MissingData(
            "--by line needs call stacks, and the export has none; capture with --cudabacktrace=all,"
            " and --sample=process-tree for what runs between the calls."
        )
    return run.query("idle_groups", by=asked.by, top=top, **asked.window)


def recorded(run: Export, asked: Asked) -> pl.DataFrame:
    """GPU time of what is asked for. Raises MissingData where the export has no GPU activity at all."""
    _refuse_none(run)
    found = run.query("gpu_time", **asked.window)
    every = found if not found.is_empty() else run.query("gpu_time", per_process=asked.per_process)
    if every.is_empty():
        raise MissingData(_no_activity(run))
    if found.is_empty() and asked.gpu is not None and asked.gpu not in every["gpu_id"]:
        raise UsageError(f"GPU {asked.gpu} ran nothing; there is {', '.join(map(str, every['gpu_id']))}.")
    if found.is_empty():
        first, last = min(every["window_start_ns"].to_list()), max(every["window_end_ns"].to_list())
        span = f"{first} and {last} ns ({moment(first)} to {moment(last)})"
        raise UsageError(f"no GPU was at work there: the activity of the export lies between {span}.")
    return found


def _refuse_none(run: Export) -> None:
    """Raise MissingData where nothing ran on a GPU."""
    if not run.has("gpu_work_record"):
        raise MissingData(_no_activity(run))


def _no_activity(run: Export) -> str:
    return CALLS_ALONE if run.has("api_call_record") else NO_ACTIVITY
