"""The timeline of an interval, or of the time around a gap, from the queries of an export."""

from collections.abc import Sequence

import polars as pl

from nsysql.capture.export import Export
from nsysql.errors import MissingData, UsageError
from nsysql.pages.phrases import Row, seconds
from nsysql.pages.scope import PageScope
from nsysql.pages.timeline import merged
from nsysql.pages.timeline.model import Timeline
from nsysql.pages.timeline.tracks import answers, ask, idle_events, made, of_gpu, thread_events, work_events

MOST_EVENTS = 1_500_000  # of more, short ones are merged while they are read
LEFT = 600_000  # rows that are left of these
LEFT_OF_STILL = 150_000  # the same for a picture that does not zoom
NOTHING = (
    "the export has nothing that a timeline shows: no GPU work, CUDA call, NVTX range, OS runtime call or MPI call;"
    " capture with --trace=cuda,nvtx,osrt."
)


def collect(
    run: Export, scope: PageScope, most: int | None = MOST_EVENTS, exact: Sequence[tuple[int, int]] = (),
    left: int = LEFT,
) -> Timeline:  # fmt: skip
    """The timeline. Raises MissingData if there is none, UsageError if the interval is empty or the GPU has no work.

    Of more events than `most` short ones are merged into about `left` rows, but not in the intervals `exact`;
    None: all are kept.
    """
    start, end = read_interval(run, scope)
    window = {name: value for name, value in (("start_ns", start), ("end_ns", end)) if value is not None}
    if most is not None and merged.exceed(run, window, most):
        tracks, events, part = merged.read(run, window, scope.gpu, min(most, left), exact)
    else:
        (tracks, events), part = _read(run, window, scope.gpu), 0
    if events.is_empty():
        raise nothing(run)
    low, high = int(events["start_ns"].min()), int(events["end_ns"].max())  # type: ignore[arg-type]
    low, high = low if start is None else start, high if end is None else end
    notes = tuple(run.data_problems("gpu_events", "thread_events", "idle_pieces"))
    return Timeline(
        run.path.name, low, max(high, low + 1), tracks, events, run.cause_titles, notes, part, kernels=run.kernel_names
    )


def _read(run: Export, window: dict[str, int], gpu: int | None) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Tracks and events, all of them."""
    work, threads = ask(run, "gpu_events", **window), ask(run, "thread_events", **window)
    pieces = None if work is None else ask(run, "idle_pieces", paths=False, **window)
    work, pieces = of_gpu(gpu, work, pieces)
    parts = {} if threads is None else thread_events(threads)
    events = None if work is None else work_events(work), parts, None if pieces is None else idle_events(pieces)
    return made(answers(run, *events))


def read_interval(run: Export, scope: PageScope) -> tuple[int | None, int | None]:
    """The interval of the page. Raises UsageError if it is empty."""
    start, end = scope.start_ns, scope.end_ns
    if scope.steps is not None:
        steps = run.find_steps(scope.steps, scope.step_range)
        start, end = steps.start_ns, steps.end_ns
    elif scope.nvtx is not None:
        ranges = run.find_ranges(scope.nvtx).window
        start, end = ranges.start, ranges.end
    if start is not None and end is not None and start >= end:
        raise UsageError(f"{start} ns ({seconds(start)}) is not before {end} ns ({seconds(end)}).")
    return start, end


def nothing(run: Export) -> MissingData | UsageError:
    """Why there is nothing to show."""
    frames = [f for f in (ask(run, "gpu_events"), ask(run, "thread_events")) if f is not None]
    if not frames:
        return MissingData(NOTHING)
    low = min(int(f["start_ns"].min()) for f in frames)  # type: ignore[arg-type]
    high = max(int(f["end_ns"].max()) for f in frames)  # type: ignore[arg-type]
    span = f"{low} and {high} ns ({seconds(low)} to {seconds(high)})"
    return UsageError(f"nothing was under way there: the events of the export lie between {span}.")


MARGIN = 0.15  # of the gap, on each side of it


def interval_around(gap: Row) -> tuple[int, int]:
    """The times around a row of idle_gaps between which it is drawn, its launch among them where that is near."""
    margin = max(1, int(gap["dur_ns"] * MARGIN))
    return gap["start_ns"] - margin, gap["end_ns"] + margin


def around(timeline: Timeline, gap: Row) -> Timeline:
    """The timeline around a row of idle_gaps."""
    on_gpu = pl.col("kind").is_in(["idle", "stream"]) & pl.col("gpu_id").eq_missing(gap["gpu_id"])
    on_thread = pl.col("thread_id").eq_missing(pl.lit(gap["thread_id"], pl.Int64)) & pl.col("thread_id").is_not_null()
    return timeline.between(*interval_around(gap), on_gpu | on_thread)


def around_gap(run: Export, number: int) -> Timeline:
    """The timeline around the gap of that number. Raises UsageError if there is none."""
    gaps = run.query("idle_gaps", gap=number, paths=False)
    if gaps.is_empty():
        raise UsageError(f"there is no gap {number}; `nsysql idle-gaps` lists gaps with their numbers.")
    return read_around(run, gaps.to_dicts()[0])


def read_around(run: Export, gap: Row) -> Timeline:
    """The timeline around a row of idle_gaps, of which only that interval is read."""
    start, end = interval_around(gap)
    return around(collect(run, PageScope(None, start, end)), gap)
