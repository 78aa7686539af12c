"""What a trace shows, read row after row: as many events as an export has, in little memory.

Beside the events of a timeline: counters, CPU samples, the critical path, kernels' occupancy.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from typing import Any

import polars as pl

from nsysql.analysis.replay.graph import critical_path, replay
from nsysql.analysis.timeline import VALUES, fewer_values, merged_values
from nsysql.capture.export import Export
from nsysql.capture.replay_graph import explained_graph
from nsysql.pages.scope import PageScope
from nsysql.pages.timeline import event_rows
from nsysql.pages.timeline.curves import MEMORY, MOST_VALUES, group_of_gpu, read_curves
from nsysql.pages.timeline.gather import MOST_EVENTS as MOST_READ
from nsysql.pages.timeline.gather import collect, nothing, read_interval
from nsysql.pages.timeline.model import CAUSE, Timeline
from nsysql.pages.timeline.tracks import NAME, ask, link, of_gpu, rows_of, tracks_of, work_style

COUNTERS = pl.Schema(
    {"group": pl.String(), "name": pl.String(), "unit": pl.String(), "at_ns": pl.Int64(), "value": pl.Int64()}
)
BUSY, QUEUE = "busy", "launch queue"  # names of counters
NO_GPU = 2**32 - 1  # a curve's number where the export does not say which GPU it is
SLICES = 1000  # of the time that a GPU works, each with how busy it is
LABEL = "critical path"
AXES = [f"{what}_{axis}" for what in ("grid", "block") for axis in "xyz"]
SHAPE = [
    *("kind", "gpu_id", "name", *AXES),
    *("registers_per_thread", "static_shared_memory_bytes", "dynamic_shared_memory_bytes"),
]
KNOWN = {"occupancy_pct": pl.Float64, "limited_by": pl.String, "waves": pl.Float64, "last_wave_pct": pl.Float64}


def _curves(run: Export, start_ns: int, end_ns: int, gpu: int | None, most: int | None) -> Iterator[pl.DataFrame]:
    """Sampled metrics, and memory in use."""
    curves = read_curves(run, start_ns, end_ns, gpu, most)
    if curves is None:
        return
    is_memory = pl.col("family") == MEMORY
    name = pl.when(is_memory).then("memory: " + pl.col("name")).otherwise("name")
    named = curves.rows.select("curve", "unit", "gpu_id", is_memory, name=name)
    rows = curves.values.join(named, on="curve", how="left", maintain_order="left")
    value = pl.when("family").then("high").otherwise(pl.col("mean").round().cast(pl.Int64))
    yield rows.with_columns(at_ns="start_ns", value=value)


def _busy(run: Export, window: dict[str, int]) -> Iterator[pl.DataFrame]:
    """The share of equal slices of each GPU's window in which it works."""
    rows = ask(run, "busy_over_time", slices=SLICES, **window)
    if rows is None:
        return
    length = pl.col("end_ns") - pl.col("start_ns")
    shares = rows.filter(length > 0).with_columns(value=(100 * pl.col("busy_ns") + length // 2) // length)
    ends = shares.group_by("gpu_id").agg(start_ns=pl.col("end_ns").max(), value=pl.lit(0, pl.Int64))
    both = pl.concat([shares.select(ends.columns), ends])
    yield both.with_columns(name=pl.lit(BUSY), unit=pl.lit("%"), at_ns="start_ns")


def _queue(run: Export, window: dict[str, int], span: int, most: int | None) -> Iterator[pl.DataFrame]:
    """How much launched work each GPU has not started; of many values short ones are merged while they are read."""
    if not run.has("launch"):
        return
    part = 0
    if most is not None and run.count("_gpu_work_ids", window, most // 2 + 1) > most // 2:
        part = max(1, span // most)

    def fewer(rows: pl.DataFrame) -> pl.DataFrame:
        end = pl.col("end_ns").fill_null(pl.col("start_ns"))
        until = rows.with_columns(end, curve=pl.col("gpu_id").fill_null(NO_GPU).cast(VALUES["curve"]))
        if not part:
            return until.select("curve", "start_ns", "end_ns", high=pl.col("depth").cast(pl.Int32))
        depth = dict.fromkeys(("low", "high", "mean"), pl.col("depth"))
        held = until.with_columns(held_ns=pl.col("end_ns") - pl.col("start_ns"), count=1, **depth)
        return merged_values(held.select(VALUES.names()).cast(VALUES), part)

    values = run.select("launch_queue", "gpu_id, start_ns, end_ns, depth", "", fewer, **window)
    if most is not None and part:
        values, _ = fewer_values(values, most, part)
    values = values.sort("curve", "start_ns", "end_ns").select("curve", "start_ns", "high")
    at = pl.max_horizontal("start_ns", pl.lit(window.get("start_ns"), pl.Int64))
    for _, own in values.group_by("curve", maintain_order=True):
        named = own.select(gpu_id=pl.col("curve").replace(NO_GPU, None), at_ns=at, value="high")
        last = named.unique("at_ns", keep="last", maintain_order=True)
        yield last.with_columns(name=pl.lit(QUEUE), unit=pl.lit("launches"))


def critical_events(run: Export, start_ns: int, end_ns: int) -> pl.DataFrame | None:
    """What determined when the last GPU work ended, between two times; None if the capture cannot be replayed.

    Columns start_ns, end_ns, name, detail. Work and calls have their names; other waits what they are, with the call
    or work that they lead to.
    """
    graph = explained_graph(run)
    if graph is None:
        return None
    start, end, kind = pl.col("start_ns"), pl.col("end_ns"), pl.col("kind")
    is_run = (pl.col("call") >= 0) & (kind == "CUDA calls") | kind.is_in(graph.works["kind"].implode())
    path = critical_path(graph, replay(graph)).filter((end > start) & (end > start_ns) & (start < end_ns))
    texts = {"name": pl.when(is_run).then("name").otherwise("kind"), "detail": pl.when(~is_run).then("name")}
    return path.select(start, end, **texts).sort("start_ns", "end_ns", descending=[False, True])


def known_shapes(run: Export) -> pl.DataFrame | None:
    """The launch shapes of which `occupancy` says one thing; None if it has none."""
    shapes = ask(run, "occupancy")
    if shapes is None:
        return None
    sides = (
        pl.col(axis[:-2])
        .str.split(" x ")
        .list.get("xyz".index(axis[-1]), null_on_oob=True)
        .cast(pl.Int64, strict=False)
        .alias(axis)
        for axis in AXES
    )
    launched = shapes.with_columns(sides, kind=pl.lit("kernel"))
    return launched.filter(pl.len().over(SHAPE) == 1).drop_nulls("occupancy_pct").select(*SHAPE, *KNOWN)


def with_occupancy(shapes: pl.DataFrame | None, work: pl.DataFrame) -> pl.DataFrame:
    """Rows of gpu_events with the columns of KNOWN; NULL if `shapes` has none."""
    if shapes is None:
        return work.with_columns(pl.lit(None, kind).alias(name) for name, kind in KNOWN.items())
    return work.join(shapes, on=SHAPE, how="left", maintain_order="left")


MOST_EVENTS = 5_000_000  # of more, short ones are merged as in a report
GAP = "gap"  # what the slice of a gap is called, around its pieces
EXTENT = "count(*)::BIGINT AS count, min(start_ns) AS start_ns, max(end_ns) AS end_ns"
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
        places = self.tracks.filter(kind="stream").select(*event_rows.STREAM, "track")
        shapes = known_shapes(self.run)
        for batch in self._batches("gpu_events", "*"):
            placed = batch.join(places, on=event_rows.STREAM, how="left", nulls_equal=True, maintain_order="left")
            named = placed.with_columns(style=work_style(), link=link("process_id"), name=NAME)
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

    def counters(self, most: int = MOST_VALUES) -> Iterator[pl.DataFrame]:
        """Values over time, in a frame for each source, or GPU: a row for each value, from its time on.

        Columns group (the GPU's), name, unit, at_ns, value; in order of group, name and time. A metric's sample is
        valid from the one before to its own time, so that it begins there; values are those of the export. What holds
        when the interval begins has a row at its start. Of more values than `most` short ones are merged unless all is
        asked for: of metrics their mean is kept, of all else the highest.
        """
        kept, gpu, span = None if self.is_full else most, self.scope.gpu, self.end_ns - self.start_ns
        curves = _curves(self.run, self.start_ns, self.end_ns, gpu, kept)
        for part in chain(curves, _busy(self.run, self.window), _queue(self.run, self.window, span, kept)):
            rows = (part if gpu is None else part.filter(gpu_id=gpu)).with_columns(group=group_of_gpu())
            yield rows.select(COUNTERS.names()).cast(COUNTERS).sort("group", "name", "at_ns", maintain_order=True)

    def samples(self) -> Iterator[pl.DataFrame]:
        """CPU samples with their call stacks; none if the export has none."""
        if self.run.has("cpu_sample") and self.run.has("_sample_stack"):
            for batch in self.run.stream("cpu_samples", "pid, tid, start_ns, stack"):
                yield batch.filter(pl.col("start_ns").is_between(self.start_ns, self.end_ns))

    def _threads(self) -> Events:
        tracks = self.tracks.drop_nulls("thread_id")
        numbers = dict(zip(tracks.select("thread_id", "kind").iter_rows(), tracks["track"], strict=True))
        if not numbers:
            return
        for batch in self.run.stream("thread_events", CALL, **self.window):
            rows = batch.with_columns(name=NAME, link=link("thread_id"))
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
    window = read_interval(run, scope)
    start, end = window.get("start_ns"), window.get("end_ns")
    if most is not None and event_rows.exceed(run, window, most):
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
    span = _with_samples(run, start, end, window.get("start_ns", first), window.get("end_ns", last))
    pieces = None if work is None else work.select("gpu_id").unique().with_columns(count=0)
    tracks = _with_path(tracks_of(rows_of(run, work, threads, pieces)), scope)
    return Streamed(run, scope, window, tracks, run.cause_titles, count, *span, most is None)


def _with_samples(run: Export, start: int | None, end: int | None, first: int, last: int) -> tuple[int, int]:
    """From when to when the trace is: with the CPU samples, where it is not narrowed on that side."""
    last = max(last, first + 1)
    extent = "min(start_ns) AS low, max(start_ns) AS high"
    low, high = run.select("cpu_sample", extent).row(0) if run.has("cpu_sample") else (None, None)
    if low is None:
        return first, last
    return min(first, low) if start is None else first, max(last, high) if end is None else last


def _extents(run: Export, window: dict[str, int]) -> tuple[pl.DataFrame | None, dict[tuple[int, str], pl.DataFrame]]:
    """Of each stream, and of each thread and category, how many events it has, from when to when; of what has some."""
    work, threads = None, {}
    if run.has("_gpu_work_ids"):
        columns = ", ".join((*event_rows.STREAM, EXTENT))
        rows = run.select("_gpu_work_ids", columns, f"{event_rows.LASTS} GROUP BY ALL", **window)
        work = None if rows.is_empty() else rows.sort(event_rows.STREAM)
    for view, categories in event_rows.VIEWS.items():
        if run.has(view):
            columns = f"thread_id, {event_rows.category(view)}, {EXTENT}"
            rows = run.select(view, columns, f"{event_rows.FINISHED} GROUP BY ALL", **window)
            for (thread, number), own in rows.partition_by("thread_id", "category", as_dict=True).items():
                threads[thread, categories[number]] = own
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
