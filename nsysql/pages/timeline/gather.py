"""What a timeline shows, from the queries that can also be asked alone."""

from dataclasses import dataclass

import polars as pl

from nsysql.errors import MissingData, UsageError
from nsysql.export import Export
from nsysql.pages.phrases import seconds
from nsysql.pages.timeline.model import Timeline
from nsysql.pages.timeline.tracks import Answers, made

NOTHING = (
    "the export has nothing that a timeline shows: no GPU work, CUDA call, NVTX range, OS runtime call or MPI call;"
    " capture with --trace=cuda,nvtx,osrt."
)


@dataclass(frozen=True)
class TimelineScope:
    """What of the export is shown: a stretch of time, an NVTX range, or steps; all GPUs, or one."""

    start_ns: int | None = None
    end_ns: int | None = None
    nvtx: str | None = None
    gpu: int | None = None
    steps: str | None = None
    step_range: str | None = None


def collect(run: Export, asked: TimelineScope) -> Timeline:
    """The timeline. Raises MissingData where there is none, UsageError where the stretch or the GPU is none."""
    start, end = _stretch(run, asked)
    window = {name: value for name, value in (("start_ns", start), ("end_ns", end)) if value is not None}
    work, threads = _ask(run, "gpu_events", **window), _ask(run, "thread_events", **window)
    if work is None and threads is None:
        raise _nothing(run) if window else MissingData(NOTHING)
    pieces = None if work is None else _ask(run, "idle_pieces", paths=False, **window)
    if asked.gpu is not None:
        _refuse_unknown(work, asked.gpu)
        work, pieces = (None if f is None else f.filter(pl.col("gpu_id") == asked.gpu) for f in (work, pieces))
    causes = run.query("idle_causes")
    titles = dict(zip(causes["cause"], causes["title"], strict=True))
    answers = Answers(work, threads, pieces, run.query("gpus"), _ask(run, "thread"), _ask(run, "process"))
    tracks, events, work = made(answers)
    if events.is_empty():
        raise _nothing(run)
    low, high = int(events["start_ns"].min()), int(events["end_ns"].max())  # type: ignore[arg-type]
    low, high = low if start is None else start, high if end is None else end
    return Timeline(run.path.name, low, max(high, low + 1), tracks, events, titles, _notes(run), work)


def _ask(run: Export, query: str, **parameters: object) -> pl.DataFrame | None:
    """The answer; None where the export has nothing for it."""
    try:
        found = run.query(query, **parameters)
    except MissingData:
        return None
    return None if found.is_empty() else found


def _stretch(run: Export, asked: TimelineScope) -> tuple[int | None, int | None]:
    start: int | None
    end: int | None
    if asked.steps is not None:
        if (asked.start_ns, asked.end_ns, asked.nvtx) != (None, None, None):
            raise UsageError("give either --steps, or --nvtx, or --start and --end.")
        steps = run.find_steps(asked.steps, asked.step_range)
        start, end = steps.start_ns, steps.end_ns
    elif asked.nvtx is None:
        start, end = asked.start_ns, asked.end_ns
    elif (asked.start_ns, asked.end_ns) != (None, None):
        raise UsageError("give either --nvtx, or --start and --end.")
    else:
        found = run.find_range(asked.nvtx)
        start, end = found.start_ns, found.end_ns
    if start is not None and end is not None and start >= end:
        raise UsageError(f"{start} ns ({seconds(start)}) is not before {end} ns ({seconds(end)}).")
    return start, end


def _refuse_unknown(work: pl.DataFrame | None, gpu: int) -> None:
    known = [] if work is None else work["gpu_id"].unique().drop_nulls().sort().to_list()
    if gpu not in known:
        there = f"; there is {', '.join(map(str, known))}" if known else ""
        raise UsageError(f"no GPU work was recorded on GPU {gpu}{there}.")


def _nothing(run: Export) -> MissingData | UsageError:
    """Why a stretch shows nothing."""
    frames = [f for f in (_ask(run, "gpu_events"), _ask(run, "thread_events")) if f is not None]
    if not frames:
        return MissingData(NOTHING)
    low = min(int(f["start_ns"].min()) for f in frames)  # type: ignore[arg-type]
    high = max(int(f["end_ns"].max()) for f in frames)  # type: ignore[arg-type]
    span = f"{low} and {high} ns ({seconds(low)} to {seconds(high)})"
    return UsageError(f"nothing was under way there: the events of the export lie between {span}.")


def _notes(run: Export) -> tuple[str, ...]:
    return tuple(run.data_problems("gpu_events", "thread_events", "idle_pieces"))
