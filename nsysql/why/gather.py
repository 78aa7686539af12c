"""What the idle page tells, as frames: each from a query that can also be asked alone."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import polars as pl

from nsysql.beside import Beside
from nsysql.errors import MissingData, UsageError
from nsysql.export import Export
from nsysql.idle.paths import BETWEEN, NO_TEXT
from nsysql.summary.words import moment

NO_ACTIVITY = (
    "no GPU activity was recorded (the export has no kernel, copy or memset table;"
    " was the run captured with --trace=cuda?)."
)
CALLS_ALONE = (
    "no GPU activity was recorded: the export has CUDA calls, but no kernel, copy, memset or graph run;"
    " did the program launch any while it was captured?"
)
LACKING = (  # tables, the option that records them, and what the ledger cannot tell without
    ("OSRT_API", "--trace=osrt", "Host code includes waits in the operating system: locks, I/O, sleeps"),
    ("SCHED_EVENTS", "--cpuctxsw=process-tree", "Host code includes time in which the thread was off the CPU"),
    ("NVTX_EVENTS", "--trace=nvtx", "no part of the program can be named"),
    ("CUPTI_ACTIVITY_KIND_RUNTIME", "--trace=cuda", "no launch is known, so nobody can be asked"),
)
EVENTS = (
    "captured without --cuda-event-trace=true: that a stream waited for another one is taken from the wait"
    " alone, not from what it waited for."
)


STACK = "nvtx_stack"
GROUPS = ("nvtx", "api", "thread", "line")  # what idle_groups groups by


@dataclass(frozen=True)
class Asked:
    """What of the export the page is about, and how much of it is shown."""

    gpu: int | None = None
    start_ns: int | None = None
    end_ns: int | None = None
    nvtx: str | None = None
    per_process: bool = False
    min_gap_ns: int = 0
    top: int | None = 5
    by: str = "cause"

    @property
    def window(self) -> dict[str, Any]:
        """The parameters that every query of the page takes."""
        given = {"gpu": self.gpu, "start_ns": self.start_ns, "end_ns": self.end_ns, "nvtx": self.nvtx}
        return {"per_process": self.per_process, **{k: v for k, v in given.items() if v is not None}}


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
    gpu_time, gaps = recorded(run, asked), _longest(run, asked)
    around = _around(run, gaps)
    ranges = run.beside(around)
    found = booked(run, asked, gpu_time, gaps)
    groups = _groups(run, asked, found.calls)
    patterns = run.query("idle_patterns", top=asked.top, **asked.window)
    lengths = run.query("idle_lengths", min_gap_ns=asked.min_gap_ns, **asked.window)
    return Idle(
        path=run.path.name,
        asked=asked,
        booked=replace(found, gaps=_with_paths(run, gaps, around, ranges)),
        groups=groups,
        patterns=patterns,
        lengths=lengths,
        notes=tuple(_notes(run, asked, found.ledger)),
    )


def booked(run: Export, asked: Asked, gpu_time: pl.DataFrame, gaps: pl.DataFrame | None = None) -> Booked:
    """The frames that tell why the GPUs of `gpu_time` were idle; `gaps` are the longest, where they are known."""
    window = asked.window
    return Booked(
        causes=run.query("idle_causes"),
        gpu_time=gpu_time,
        exposed_time=run.query("exposed_time", **window),
        ledger=run.query("idle_ledger", **window),
        calls=run.query("idle_groups", by="api", **window),
        in_mpi=run.query("idle_in_mpi", **window) if run.has("mpi_event") else pl.DataFrame(),
        gaps=_longest(run, asked) if gaps is None else gaps,
    )


def _longest(run: Export, asked: Asked) -> pl.DataFrame:
    """The longest gaps, without the NVTX ranges that they begin in."""
    return run.query("idle_gaps", min_gap_ns=asked.min_gap_ns, top=asked.top, paths=False, **asked.window)


def _around(run: Export, gaps: pl.DataFrame) -> dict[str, dict[str, str]]:
    """The question for the ranges that these gaps begin in, where there are any: NVTX is read only around them."""
    if gaps.is_empty() or not run.has("nvtx_own_range"):
        return {}
    return {STACK: {"moments": ",".join(map(str, gaps["start_ns"]))}}


def _with_paths(run: Export, gaps: pl.DataFrame, around: dict[str, dict[str, str]], ranges: Beside) -> pl.DataFrame:
    """The gaps with their nvtx_path, as that question is answered."""
    if not around:
        return gaps
    stacks = ranges.answer(STACK)
    if stacks is None:  # it failed beside
        stacks = run.query(STACK, **around[STACK])
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
    try:
        found = run.query("gpu_time", **asked.window)
        every = found if not found.is_empty() else run.query("gpu_time", per_process=asked.per_process)
    except MissingData:
        if run.has("gpu_work_record"):  # the NVTX range is what is missing
            raise
        raise MissingData(_no_activity(run)) from None
    if every.is_empty():
        raise MissingData(_no_activity(run))
    if found.is_empty() and asked.gpu is not None and asked.gpu not in every["gpu_id"]:
        raise UsageError(f"GPU {asked.gpu} ran nothing; there is {', '.join(map(str, every['gpu_id']))}.")
    if found.is_empty():
        first, last = min(every["window_start_ns"].to_list()), max(every["window_end_ns"].to_list())
        span = f"{first} and {last} ns ({moment(first)} to {moment(last)})"
        raise UsageError(f"no GPU was at work there: the activity of the export lies between {span}.")
    return found


def _no_activity(run: Export) -> str:
    return CALLS_ALONE if run.has("api_call_record") else NO_ACTIVITY


def _notes(run: Export, asked: Asked, ledger: pl.DataFrame) -> list[str]:
    """What the page is narrowed to, what the export lacks and the option that would bring it, what was assumed."""
    causes = set(ledger["cause"])
    notes = [*_narrowed(run, asked), *(f"{text}." for text in run.columnless("idle_pieces"))]
    for table, option, effect in LACKING:
        matters = "host_code" in causes if effect.startswith("Host") else True
        if matters and not run.has(table):
            notes.append(f"captured without {option}: {effect}.")
    if "stream_wait" in causes and not run.has("CUPTI_ACTIVITY_KIND_CUDA_EVENT"):
        notes.append(EVENTS)
    if not asked.per_process:
        notes += _shared(run.query("gpu_processes"))
    return notes


def _narrowed(run: Export, asked: Asked) -> Iterator[str]:
    """Which stretch the page is about, if not the whole."""
    if asked.nvtx is not None:
        yield f"narrowed to {run.find_range(asked.nvtx)}."
    elif asked.start_ns is not None or asked.end_ns is not None:
        borders = (("from", asked.start_ns), ("to", asked.end_ns))
        yield f"narrowed to the time {' '.join(f'{word} {moment(ns)}' for word, ns in borders if ns is not None)}."


def _shared(processes: pl.DataFrame) -> Iterator[str]:
    """A sentence for each GPU that several processes worked on."""
    for _, rows in processes.group_by("gpu_id", maintain_order=True):
        if rows.height > 1:
            names = ", ".join(f"{row['pid']} ({row['name'] or 'name unknown'})" for row in rows.to_dicts())
            how = "" if rows["is_known"].all() else ", taken for one GPU because their device numbers are equal"
            yield (
                f"processes {names} share GPU {rows['gpu_id'][0]}{how}: it is busy when any of them is;"
                " --per-process keeps them apart."
            )
