"""The timeline of an interval, or of the time around a gap, from the queries of an export; those of a job's exports.

The timelines of a job come to one clock, that of the first rank's export.
"""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Generic, TypeVar

import polars as pl

from nsysql.analysis.ranks.clocks import Clock
from nsysql.analysis.ranks.job import Job
from nsysql.analysis.timeline import counted
from nsysql.capture.export import Export
from nsysql.capture.files import RunFile
from nsysql.errors import MissingData, UsageError
from nsysql.pages.phrases import Row, seconds
from nsysql.pages.scope import PageScope
from nsysql.pages.timeline import event_rows
from nsysql.pages.timeline.model import Curves, Timeline
from nsysql.pages.timeline.tracks import ask

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
    window = read_interval(run, scope)
    rows = min(most, left) if most is not None and event_rows.exceed(run, window, most) else None
    tracks, events, part = event_rows.read(run, window, scope.gpu, rows, exact)
    if events.is_empty():
        raise nothing(run)
    low = window.get("start_ns", int(events["start_ns"].min()))  # type: ignore[arg-type]
    high = window.get("end_ns", int(events["end_ns"].max()))  # type: ignore[arg-type]
    notes = tuple(run.data_problems("gpu_events", "thread_events", "idle_pieces"))
    return Timeline(
        run.path.name, low, max(high, low + 1), tracks, events, run.cause_titles, notes, part, kernels=run.kernel_names
    )


def read_interval(run: Export, scope: PageScope) -> dict[str, int]:
    """The interval of the page, as parameters of a query. Raises UsageError if it is empty."""
    start, end = scope.start_ns, scope.end_ns
    if scope.steps is not None:
        steps = run.find_steps(scope.steps, scope.step_range)
        start, end = steps.start_ns, steps.end_ns
    elif scope.nvtx is not None:
        ranges = run.find_ranges(scope.nvtx).window
        start, end = ranges.start, ranges.end
    if start is not None and end is not None and start >= end:
        raise UsageError(f"{start} ns ({seconds(start)}) is not before {end} ns ({seconds(end)}).")
    return {name: ns for name, ns in (("start_ns", start), ("end_ns", end)) if ns is not None}


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
    """The timeline around the gap of that number, read only there. Raises UsageError if there is none."""
    gaps = run.query("idle_gaps", gap=number, paths=False).to_dicts()
    if not gaps:
        raise UsageError(f"there is no gap {number}; `nsysql idle-gaps` lists gaps with their numbers.")
    return around(collect(run, PageScope(None, *interval_around(gaps[0]))), gaps[0])


Open = Callable[[Path], AbstractContextManager[Export]]
T = TypeVar("T")


@dataclass(frozen=True)
class OfRank(Generic[T]):
    """What is read of one export of a job when it is asked for, on its own clock."""

    name: str
    ranks: str
    clock: Clock
    read: Callable[..., T]


def aligned(one: OfRank[Timeline]) -> Timeline:
    """The timeline with the clock's offset added to its times."""
    offset, timeline = one.clock.offset_ns, one.read()
    shifted = pl.col("start_ns", "end_ns") + offset
    curves = timeline.curves
    return replace(
        timeline,
        start_ns=timeline.start_ns + offset,
        end_ns=timeline.end_ns + offset,
        events=timeline.events.with_columns(shifted),
        curves=None if curves is None else replace(curves, values=curves.values.with_columns(shifted)),
    )


def of_job(
    exports: Sequence[RunFile], job: Job, scope: PageScope, open_export: Open, read: Callable[..., T]
) -> list[OfRank[T]]:
    """What `read` makes of a job's exports, in their order, when asked; `scope` is on the clock of the first rank's."""

    def timeline(file: RunFile, clock: Clock) -> OfRank[T]:
        def collected(*more: object) -> T:
            with open_export(file.path) as run:
                return read(run, scope.moved(clock.offset_ns), *more)

        ranks = ", ".join(str(member.rank) for member in job.members if exports[member.file] == file)
        return OfRank(file.name, ranks, clock, collected)

    places = sorted({member.file for member in job.members})
    return [timeline(exports[place], clock) for place, clock in zip(places, job.clocks, strict=True)]


def with_one_length(timelines: Sequence[Timeline]) -> list[Timeline]:
    """Aligned timelines, all from the first start to the last end."""
    start = min((one.start_ns for one in timelines), default=0)
    end = max((one.end_ns for one in timelines), default=0)
    return [replace(one, start_ns=start, end_ns=end) for one in timelines]


def together(timelines: Sequence[tuple[str, Timeline]]) -> Timeline:
    """Aligned timelines as one.

    Of each rank a group has its idle time and communication; others have all else, and its curves, and are folded
    (column is_folded).
    """
    tracks: list[pl.DataFrame] = []
    events: list[pl.DataFrame] = []
    curves: list[Curves] = []
    first = 0
    for place, (name, one) in enumerate(timelines):
        is_shown = pl.col("track").is_in(_shown(one))
        label = pl.when(is_shown).then("label").otherwise(pl.format("{}, {}", "label", "group"))
        placed = one.tracks.with_columns(
            track=pl.col("track") + first,
            group=pl.when(is_shown).then(pl.lit(name)).otherwise(pl.lit(f"{name}: streams and threads")),
            label=label,
            is_folded=~is_shown,
        ).sort("is_folded", maintain_order=True)
        tracks.append(placed)
        if one.curves is not None:
            number = sum(each.rows.height for each in curves)
            curves.append(_of_rank(one.curves, number, name, placed["track"][-1]))
        link = pl.when(pl.col("link") > 0).then(pl.col("link") + place % 64 * 2**57).otherwise("link")
        events.append(counted(one.events).with_columns(track=pl.col("track") + first, link=link))
        first += one.tracks.height
    every, measured = [one for _, one in timelines], None
    if curves:
        rows, values = pl.concat([one.rows for one in curves]), pl.concat([one.values for one in curves])
        measured = Curves(rows, values, max(one.merged_ns for one in curves))
    return Timeline(
        "all ranks",
        min(one.start_ns for one in every),
        max(one.end_ns for one in every),
        pl.concat(tracks, how="diagonal"),
        pl.concat([one.select(events[0].columns) for one in events]),
        {cause: title for one in every for cause, title in one.titles.items()},
        tuple(dict.fromkeys(note for one in every for note in one.notes)),
        merged_ns=max(one.merged_ns for one in every),
        curves=measured,
    )


def _of_rank(curves: Curves, first: int, name: str, after: int) -> Curves:
    """The curves of a rank, numbered from `first`, folded as a group below the track `after`."""
    number = pl.col("curve") + first
    rows = curves.rows.with_columns(
        curve=number,
        label=pl.format("{}, {}", "label", "group"),
        group=pl.lit(f"{name}: metrics and memory"),
        is_main=False,
        after=pl.lit(after, pl.UInt32),
    )
    return Curves(rows, curves.values.with_columns(curve=number), curves.merged_ns)


def _shown(timeline: Timeline) -> list[int]:
    """The tracks of idle time and of communication; without any the first of a GPU, or of all."""
    talking = timeline.events.filter(pl.col("style").is_in(["communication", "mpi"]))["track"].unique()
    tracks = timeline.tracks.filter((pl.col("kind") == "idle") | pl.col("track").is_in(talking.implode()))
    return (tracks if tracks.height else timeline.tracks.head(1))["track"].to_list()
