"""What a trace shows, read row after row: as many events as an export has, in little memory."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import polars as pl

from nsysql.capture.export import Export
from nsysql.pages.scope import PageScope
from nsysql.pages.timeline import merged
from nsysql.pages.timeline.curves import MOST_VALUES
from nsysql.pages.timeline.gather import MOST_EVENTS as MOST_READ
from nsysql.pages.timeline.gather import collect, nothing, read_interval
from nsysql.pages.timeline.model import CAUSE, Timeline
from nsysql.pages.timeline.traced import LABEL, counters, cpu_samples, critical_events, known_shapes, with_occupancy
from nsysql.pages.timeline.tracks import NO_NAME, answers, link, of_gpu, tracks_of, work_style

MOST_EVENTS = 5_000_000  # of more, short ones are merged as in a report
GAP = "gap"  # what the slice of a gap is called, around its pieces
EXTENT = "count(*)::BIGINT AS count, min(start_ns) AS start_ns, max(end_ns) AS end_ns"
STREAM = ("gpu_id", "pid", "context_id", "stream_id")
PIECE = (
    "gpu_id, gap_id, cause, start_ns, end_ns, tid, evidence_table, evidence_row_id, evidence_name, waits_for, function"
)
CALL = "thread_id, category, start_ns, end_ns, name, correlation_id"

Events = Iterator[tuple[int, pl.DataFrame]]


@dataclass(frozen=True)
class Streamed:
    """What a trace is written from: its tracks, and their events while they are read.

    `tracks` as in `nsysql.pages.timeline.model`, without lanes. `work` gives rows of gpu_events with track, style, link
    and what is known of their occupancy; `events` the number of a track and some of its events, in order of start, and
    of the end from the last: start_ns, end_ns, name, and what else is known: link, or what a piece of idle time has as
    evidence. The events of one track follow each other.
    """

    run: Export
    scope: PageScope
    window: dict[str, int]
    tracks: pl.DataFrame
    titles: dict[str, str]
    count: int
    start_ns: int
    end_ns: int
    is_full: bool
    merged: Timeline | None = None

    def work(self) -> Iterator[pl.DataFrame]:
        """The GPU work, in order of GPU and start; none if it is merged."""
        if self.merged is not None or not self._numbers("stream"):
            return
        places = self.tracks.filter(kind="stream").select(*STREAM, "track")
        shapes = known_shapes(self.run)
        for batch in self._batches("gpu_events", "*"):
            placed = batch.join(places, on=STREAM, how="left", nulls_equal=True, maintain_order="left")
            named = placed.with_columns(style=work_style(), link=link("process_id"), name=_named("name"))
            yield with_occupancy(shapes, named)

    def events(self) -> Events:
        """The events that are slices, track after track."""
        if self.merged is not None:
            yield from _of_merged(self.merged)
        else:
            yield from self._threads()
            yield from self._idle()
        path = self._numbers("path")
        critical = critical_events(self.run, self.start_ns, self.end_ns) if path else None
        if critical is not None:
            yield path[0], critical

    def counters(self) -> Iterator[pl.DataFrame]:
        """Values over time, as `traced.counters` has them; of many short ones are merged unless all is asked for."""
        most = None if self.is_full else MOST_VALUES
        return counters(self.run, self.start_ns, self.end_ns, self.window, self.scope.gpu, most)

    def samples(self) -> Iterator[pl.DataFrame]:
        """CPU samples with their call stacks."""
        return cpu_samples(self.run, self.start_ns, self.end_ns)

    def _threads(self) -> Events:
        tracks = self.tracks.drop_nulls("thread_id")
        numbers = dict(zip(tracks.select("thread_id", "kind").iter_rows(), tracks["track"], strict=True))
        if not numbers:
            return
        for batch in self.run.stream("thread_events", CALL, **self.window):
            rows = batch.with_columns(name=_named("name"), link=link("thread_id"))
            parts = rows.partition_by("thread_id", "category", as_dict=True, maintain_order=True)
            yield from ((numbers[key], part) for key, part in parts.items())

    def _idle(self) -> Events:
        numbers = dict(self.tracks.filter(kind="idle").select("gpu_id", "track").iter_rows())
        if not numbers:
            return
        rest = None
        order = "ORDER BY gpu_id, start_ns"
        for batch in self._batches("idle_pieces", PIECE, order, paths=False):
            every = batch if rest is None else pl.concat([rest, batch])
            is_last = pl.col("gap_id") == every["gap_id"][-1]  # it may go on in the next batch
            rest = every.filter(is_last)
            yield from self._of_gaps(every.filter(~is_last), numbers)
        if rest is not None:
            yield from self._of_gaps(rest, numbers)

    def _of_gaps(self, pieces: pl.DataFrame, numbers: dict[Any, int]) -> Events:
        """The pieces of whole gaps, within a slice for each gap."""
        whole = pl.col("start_ns").first(), pl.col("end_ns").last(), pl.col("tid").first()
        gaps = pieces.group_by("gpu_id", "gap_id", maintain_order=True).agg(whole)
        around = gaps.with_columns(name=pl.lit(GAP), within=0)
        named = pieces.drop("gap_id", "tid").with_columns(name=pl.col("cause").replace(self.titles), within=1)
        both = pl.concat([around, named.drop("cause")], how="diagonal_relaxed")
        rows = both.sort("gpu_id", "start_ns", "within", maintain_order=True)
        for (gpu,), part in rows.partition_by("gpu_id", as_dict=True, maintain_order=True).items():
            yield numbers[gpu], part

    def _batches(self, query: str, select: str, order: str = "", **parameters: object) -> Iterator[pl.DataFrame]:
        """The rows of the GPU that is asked for, of all if none is."""
        gpu = self.scope.gpu
        batches = self.run.stream(query, select, order, **self.window, **parameters)
        return batches if gpu is None else (batch.filter(gpu_id=gpu) for batch in batches)

    def _numbers(self, kind: str) -> list[int]:
        return self.tracks.filter(kind=kind)["track"].to_list()


def streamed(run: Export, scope: PageScope, most: int | None = MOST_EVENTS) -> Streamed:
    """What a trace of an export shows; of more events than `most` short ones are merged.

    Raises MissingData if there are none, UsageError if the interval is empty or the GPU has no work.
    """
    start, end = read_interval(run, scope)
    window = {name: value for name, value in (("start_ns", start), ("end_ns", end)) if value is not None}
    if most is not None and merged.exceed(run, window, most):
        timeline = collect(run, scope, min(most, MOST_READ))
        tracks, span = _with_path(timeline.tracks, scope), (timeline.start_ns, timeline.end_ns)
        span = _with_samples(run, start, end, *span)
        return Streamed(run, scope, window, tracks, timeline.titles, timeline.event_count, *span, False, timeline)
    work, threads = _extents(run, window)
    work, _ = of_gpu(scope.gpu, work, None)
    counts = [frame for frame in (work, *threads.values()) if frame is not None]
    if not counts:
        raise nothing(run)
    extent = pl.col("count").sum(), pl.col("start_ns").min(), pl.col("end_ns").max()
    count, first, last = pl.concat(counts, how="diagonal_relaxed").select(extent).row(0)
    span = _with_samples(run, start, end, first if start is None else start, last if end is None else end)
    pieces = None if work is None else work.select("gpu_id").unique().with_columns(count=0)
    tracks = _with_path(tracks_of(answers(run, work, threads, pieces)), scope)
    return Streamed(run, scope, window, tracks, run.cause_titles, count, *span, most is None)


def _with_samples(run: Export, start: int | None, end: int | None, first: int, last: int) -> tuple[int, int]:
    """From when to when the trace is: with the CPU samples, where it is not narrowed on that side."""
    last = max(last, first + 1)
    if not run.has("cpu_sample"):
        return first, last
    low, high = run.select("cpu_sample", "min(start_ns) AS low, max(start_ns) AS high").row(0)
    if low is None:
        return first, last
    return min(first, low) if start is None else first, max(last, high) if end is None else last


def _extents(run: Export, window: dict[str, int]) -> tuple[pl.DataFrame | None, dict[tuple[int, str], pl.DataFrame]]:
    """Of each stream, and of each thread and category, how many events it has, from when to when; of what has some."""
    work, threads = None, {}
    if run.has("_gpu_work_ids"):
        key = ", ".join(STREAM)
        rows = run.select("_gpu_work_ids", f"{key}, {EXTENT}", f"{merged.LASTS} GROUP BY ALL", **window)
        work = None if rows.is_empty() else rows.sort(STREAM)
    for view, categories in merged.VIEWS.items():
        if run.has(view):
            category = "false" if len(categories) == 1 else "style <> 'PushPop'"
            columns = f"thread_id, {category} AS is_second, {EXTENT}"
            rows = run.select(view, columns, f"{merged.FINISHED} GROUP BY ALL", **window)
            for thread, is_second, *_ in rows.rows():
                own = rows.filter(thread_id=thread, is_second=is_second)
                threads[thread, categories[is_second]] = own
    return work, threads


def _with_path(tracks: pl.DataFrame, scope: PageScope) -> pl.DataFrame:
    """The tracks with one for the critical path before them, which is that of all GPUs."""
    if scope.gpu is not None or not (tracks["kind"] == "stream").any():
        return tracks
    row = {"track": int(tracks["track"].max()) + 1, "group": LABEL, "label": LABEL, "kind": "path"}  # type: ignore[arg-type]
    path = pl.DataFrame([{name: row.get(name) for name in tracks.schema}], schema=tracks.schema)
    return pl.concat([path, tracks])


def _of_merged(timeline: Timeline) -> Events:
    """The events of a timeline in which some are merged."""
    is_idle = pl.col("style").str.starts_with(CAUSE)
    name = pl.when(is_idle).then(pl.col("style").str.strip_prefix(CAUSE).replace(timeline.titles)).otherwise("name")
    several = pl.when(pl.col("count") > 1)
    named = timeline.events.with_columns(name=name, events=several.then("count"), busy_ns=several.then("busy_ns"))
    rows = named.sort("track", "start_ns", "end_ns", "lane", descending=[False, False, True, False])
    for (track,), part in rows.partition_by("track", as_dict=True, maintain_order=True).items():
        yield int(track), part


def _named(column: str) -> pl.Expr:
    return pl.col(column).fill_null(NO_NAME)
