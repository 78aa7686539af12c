"""The events of an export, of a large one in few rows.

What is read of every event are its times and which row it is; a million and more of these take little memory. Short
ones are merged row by row of the timeline, and only what is left gets names and details.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import polars as pl

from nsysql.analysis.idle.activity import shrink_ints
from nsysql.analysis.timeline import counted, in_lanes, with_levels
from nsysql.capture.export import Export
from nsysql.errors import MissingData
from nsysql.pages.timeline.tracks import (
    NAME,
    TEXTS,
    Parts,
    idle_events,
    link,
    made,
    of_gpu,
    rows_of,
    thread_style,
    work_events,
)

VIEWS = {  # of what threads did, without names: the category of its rows, or two and what the first one's style is
    "_nvtx_range_ids": ("nvtx", "nvtx_start_end"),
    "_api_call_ids": ("cuda",),
    "_os_call_ids": ("os",),
    "mpi_event": ("mpi",),
    "off_cpu": ("off_cpu",),
}
ROW_OF_MPI = (  # of NVIDIA's tables of MPI calls each counts its own rows, as do those of GPU work
    "row_id * 4 + CASE source WHEN 'p2p' THEN 0 WHEN 'start_wait' THEN 1 WHEN 'other' THEN 2 ELSE 3 END AS at"
)
ROW_OF_WORK = "row_id * 4 + CASE kind WHEN 'kernel' THEN 0 WHEN 'memcpy' THEN 1 WHEN 'memset' THEN 2 ELSE 3 END AS at"
WORK = tuple(f"CUPTI_ACTIVITY_KIND_{kind}" for kind in ("KERNEL", "MEMCPY", "MEMSET", "GRAPH_TRACE"))  # in that order
CALLS = {  # of categories, the view with their names and the table that it reads
    "nvtx": ("nvtx_range", "NVTX_EVENTS"),
    "nvtx_start_end": ("nvtx_range", "NVTX_EVENTS"),
    "cuda": ("api_call", "CUPTI_ACTIVITY_KIND_RUNTIME"),
    "os": ("os_call", "OSRT_API"),
}
STREAM = ["gpu_id", "pid", "context_id", "stream_id"]
PLACE = ("process_id", *STREAM)
EVIDENCE = (  # of pieces, what is said of them
    "gpu_id, start_ns AS at, cause, evidence_name, function, evidence_table, evidence_row_id, waits_for, gap_id, tid"
)
SHAPE = (  # of kernels, what is said of them
    "grid_x, grid_y, grid_z, block_x, block_y, block_z, registers_per_thread,"
    " static_shared_memory_bytes, dynamic_shared_memory_bytes"
)
OF_WORK = f"process_id, correlation_id, kind, name, is_communication, bytes, {SHAPE}"  # of all
LASTS = "WHERE end_ns > start_ns"
FINISHED = "WHERE end_ns >= start_ns AND thread_id IS NOT NULL"
WHAT = ("at",)  # which row of its view an event is
RARE = 16  # of so many rows one is looked up as fast as all are read

Intervals = Sequence[tuple[int, int]]
Fewer = Callable[[pl.DataFrame], pl.DataFrame]


def exceed(run: Export, window: dict[str, int], most: int) -> bool:
    """Whether there are more events than so many."""
    count = 0
    for view in ("_gpu_work_ids", *VIEWS):
        count += run.count(view, window, most + 1 - count)
        if count > most:
            return True
    return False


def read(
    run: Export, window: dict[str, int], gpu: int | None, most: int | None, exact: Intervals
) -> tuple[pl.DataFrame, pl.DataFrame, int]:
    """Tracks, events in about so many rows at most (None: all), and the length of events that may be merged."""

    def fewer(events: pl.DataFrame) -> pl.DataFrame:
        return counted(events) if most is None else with_levels(events, most, exact)[0]

    work, pieces = of_gpu(gpu, *_gpu_rows(run, window, fewer))
    parts = {key: part for view in VIEWS for key, part in _parts(run, view, window, fewer).items()}
    rows = rows_of(run, work, parts, pieces)
    tracks, events = made(rows, WHAT)
    if events.is_empty():
        return tracks, events, 0
    del work, pieces, parts, rows
    events, part = (counted(events), 0) if most is None else with_levels(events, most, exact)
    return tracks, _with_texts(run, window, tracks, events), part


def _gpu_rows(run: Export, window: dict[str, int], fewer: Fewer) -> tuple[pl.DataFrame | None, pl.DataFrame | None]:
    """Of the rows of gpu_events and of idle_pieces the times, the place, and which row each is; None without any.

    The rows of a stream, and those of idle time of a GPU, are in lanes and few.
    """
    columns = ", ".join((*PLACE, "start_ns", "end_ns", ROW_OF_WORK, "correlation_id"))

    def linked(rows: pl.DataFrame) -> pl.DataFrame:
        return rows.with_columns(link=link("process_id")).drop("process_id", "correlation_id")

    try:
        work = _placed(run.select("_gpu_work_ids", columns, LASTS, linked, **window), STREAM, fewer)
    except MissingData:
        return None, None
    if work.is_empty():
        return None, None
    start, end = window.get("start_ns"), window.get("end_ns")
    within = [pl.col(name).clip(start, end) for name in ("start_ns", "end_ns")]  # as idle_pieces cuts them
    pieces = run.select("_idle_piece", "gpu_id, gap_id, start_ns, end_ns").with_columns(within)
    has_length = pl.col("end_ns") > pl.col("start_ns")
    link_ = -pl.col("gap_id")  # of a GPU each has another start
    linked_pieces = pieces.filter(has_length).select("gpu_id", "start_ns", "end_ns", at="start_ns", link=link_)
    del pieces
    return work, None if linked_pieces.is_empty() else _placed(linked_pieces, ["gpu_id"], fewer)


def category(view: str) -> str:
    """The column that says which of a view's categories a row is of: 0 or 1."""
    is_second = "style <> 'PushPop'" if len(VIEWS[view]) > 1 else "false"
    return f"({is_second})::UTINYINT AS category"


def _placed(rows: pl.DataFrame, by: list[str], fewer: Fewer) -> pl.DataFrame:
    """The rows of each place in lanes and in few rows."""
    if rows.is_empty():
        return rows
    on_track = rows.with_columns(track=pl.lit(0, pl.UInt32))
    parts = on_track.partition_by(by, as_dict=True, include_key=False, maintain_order=True)
    del rows, on_track
    placed = []
    for key in list(parts):  # each is let go when it is merged
        place = [pl.lit(value, pl.Int64).alias(name) for name, value in zip(by, key, strict=True)]
        placed.append(fewer(in_lanes(parts.pop(key))).with_columns(place))
    return pl.concat(placed)


def _parts(run: Export, view: str, window: dict[str, int], fewer: Fewer) -> Parts:
    """What the view has of each thread and category, in lanes and in few rows."""
    if not run.has(view):
        return {}
    row = ROW_OF_MPI if view == "mpi_event" else "row_id AS at"
    columns = f"thread_id, {category(view)}, start_ns, end_ns, {row}"
    is_linked = view == "_api_call_ids"
    linked = link("thread_id") if is_linked else pl.lit(0, pl.Int8)
    parts: dict[tuple[int, int], list[pl.DataFrame]] = {}

    def split(rows: pl.DataFrame) -> pl.DataFrame:
        """Of a batch the rows of each thread; the first one is empty, also where the question is asked again."""
        if rows.is_empty():
            parts.clear()
        own = shrink_ints(rows.select("thread_id", "category", "start_ns", "end_ns", *WHAT, link=linked))
        for key, part in own.partition_by("thread_id", "category", as_dict=True, include_key=False).items():
            parts.setdefault(key, []).append(part)
        return rows.clear()

    run.select(view, f"{columns}, correlation_id" if is_linked else columns, FINISHED, split, **window)
    read_parts: Parts = {}
    while parts:  # each is let go when it is merged
        thread, number = key = next(reversed(parts))
        placed = in_lanes(pl.concat(parts.pop(key), how="vertical_relaxed").with_columns(track=pl.lit(0, pl.UInt32)))
        read_parts[thread, VIEWS[view][number]] = fewer(placed).with_columns(pl.col("link", *WHAT).cast(pl.Int64))
    return read_parts


def _with_texts(run: Export, window: dict[str, int], tracks: pl.DataFrame, events: pl.DataFrame) -> pl.DataFrame:
    """The events with style, name and detail in place of the row that each is."""
    placed = events.join(tracks.select("track", "kind", "gpu_id"), on="track", how="left", maintain_order="left")
    counts = dict(tracks.group_by("kind").agg(pl.col("events").sum()).rows())
    parts = []
    for (kind,), own in placed.with_row_index("place").partition_by("kind", as_dict=True).items():
        if kind == "stream":
            rows = {table: own.filter(pl.col("at") % 4 == kind)["at"] // 4 for kind, table in enumerate(WORK)}
            work = _among(run, "gpu_events", window, f"{OF_WORK}, {ROW_OF_WORK}", own.select("at"), "", rows)
            texts = work_events(work)
            on = ["at"]
        elif kind == "idle":
            texts = idle_events(_pieces(run, window, own.select("gpu_id", "at"), counts[kind]))
            on = ["gpu_id", "at"]
        else:
            texts = _names(run, str(kind), window, own.select("at"))
            none = pl.lit(None, pl.String)
            texts = texts.with_columns(NAME, category=pl.lit(kind), detail=none).with_columns(style=thread_style())
            on = ["at"]
        known = own.join(texts.select(*on, *TEXTS), on=on, how="left", nulls_equal=True, maintain_order="left")
        parts.append(known.select("place", *(name for name in events.columns if name not in WHAT), *TEXTS))
    return pl.concat(parts).sort("place").drop("place")


def _pieces(run: Export, window: dict[str, int], wanted: pl.DataFrame, count: int) -> pl.DataFrame:
    """The rows of idle_pieces that are wanted, of so many."""
    starts = wanted["at"].unique()
    which = f"WHERE start_ns IN ({', '.join(map(str, starts))})" if starts.len() * RARE < count else ""
    return _among(run, "idle_pieces", {**window, "paths": False}, EVIDENCE, wanted, which)


def _names(run: Export, kind: str, window: dict[str, int], wanted: pl.DataFrame) -> pl.DataFrame:
    """The names of rows of a category, and the colors of ranges: at, name, color."""
    none = pl.lit(None, pl.Int64)
    if kind == "off_cpu":
        return wanted.unique().with_columns(name=pl.lit("off the CPU"), color=none)
    if kind == "mpi":
        calls = run.select("mpi_event", f"{ROW_OF_MPI}, name_id", **window).join(wanted.unique(), on="at", how="semi")
        names = run.query("string").select(name_id="id", name="text")
        return calls.join(names, on="name_id", how="left").select("at", "name", color=none)
    view, table = CALLS[kind]
    color = "color" if view == "nvtx_range" else "NULL::BIGINT AS color"
    return _among(run, view, window, f"row_id AS at, name, {color}", wanted, "", {table: wanted["at"]})


def _among(
    run: Export, query: str, parameters: dict[str, Any], columns: str, wanted: pl.DataFrame, which: str = "",
    rows: Mapping[str, pl.Series] | None = None,
) -> pl.DataFrame:  # fmt: skip
    """The rows of a query that are among those wanted, looked through some at a time.

    `rows` are those that it needs of tables.
    """
    keys = wanted.unique()
    needed = {table: own.unique().sort().to_list() for table, own in (rows or {}).items()}

    def among(some: pl.DataFrame) -> pl.DataFrame:
        return some.join(keys, on=keys.columns, how="semi", nulls_equal=True)

    return run.select(query, columns, which, among, needed, **parameters)
