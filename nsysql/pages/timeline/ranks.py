"""The timelines of the exports of a job, and how they come to one clock: that of the first rank's export."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Generic, TypeVar

import polars as pl

from nsysql.analysis.ranks.clocks import Clock
from nsysql.analysis.ranks.job import Job
from nsysql.analysis.timeline.events import counted
from nsysql.capture.export import Export
from nsysql.capture.files import RunFile
from nsysql.pages.scope import PageScope
from nsysql.pages.timeline.model import Curves, Timeline

Open = Callable[[Path], AbstractContextManager[Export]]
T = TypeVar("T")


@dataclass(frozen=True)
class OfRank(Generic[T]):
    """What is read of one export of a job when it is asked for, on its own clock."""

    name: str
    ranks: str
    clock: Clock
    read: Callable[[], T]


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
    exports: Sequence[RunFile], job: Job, scope: PageScope, open_export: Open, read: Callable[[Export, PageScope], T]
) -> list[OfRank[T]]:
    """What is read of a job's exports, in their order. `scope` is on the clock of the first rank's export."""

    def timeline(file: RunFile, clock: Clock) -> OfRank[T]:
        def collected() -> T:
            with open_export(file.path) as run:
                return read(run, scope.moved(clock.offset_ns))

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
