"""The events of a large export in few rows.

What is read of every event are its times and which row it is; a million and more of these take little memory. Short
ones are merged row by row of the timeline, and only what is left gets names and details.
"""

from collections.abc import Sequence
from typing import Any

import polars as pl

from nsysql.compute.timeline.levels import counted, with_levels
from nsysql.errors import MissingData
from nsysql.export import Export
from nsysql.pages.timeline.asking import ask, of_gpu
from nsysql.pages.timeline.tracks import (
    CATEGORIES,
    NO_NAME,
    TEXTS,
    Answers,
    Parts,
    idle_events,
    in_lanes,
    link,
    made,
    thread_style,
    work_events,
)

VIEWS = {  # of what threads did: the category of its rows, or how one of its columns says it
    "nvtx_range": "CASE style WHEN 'PushPop' THEN 'nvtx' ELSE 'nvtx_start_end' END",
    "api_call": "'cuda'",
    "os_call": "'os'",
    "mpi_event": "'mpi'",
    "off_cpu": "'off_cpu'",
}
ROW_OF_MPI = (  # of NVIDIA's tables of MPI calls each counts its own rows, as do those of GPU work
    "row_id * 4 + CASE source WHEN 'p2p' THEN 0 WHEN 'start_wait' THEN 1 WHEN 'other' THEN 2 ELSE 3 END AS at"
)
ROW_OF_WORK = "row_id * 4 + CASE kind WHEN 'kernel' THEN 0 WHEN 'memcpy' THEN 1 WHEN 'memset' THEN 2 ELSE 3 END AS at"
PLACE = ("gpu_id", "process_id", "pid", "context_id", "stream_id")
PIECE = ("gpu_id", "start_ns", "end_ns", "start_ns AS at")  # pieces of a GPU begin one after the other
EVIDENCE = (  # of pieces, what is said of them
    "gpu_id, start_ns AS at, cause, evidence_name, function, evidence_table, evidence_row_id, waits_for, gap_id, tid"
)
LAUNCH = "* EXCLUDE (gpu_id, pid, device_id, context_id, stream_id, start_ns, end_ns)"  # what is said of work
WHAT = ("at",)  # which row of its view an event is

Stretches = Sequence[tuple[int, int]]


def exceed(run: Export, window: dict[str, int], most: int) -> bool:
    """Whether there are more events than so many."""
    found = 0
    for view in ("gpu_work", *VIEWS):
        found += run.count(view, window, most + 1 - found)
        if found > most:
            return True
    return False


def read(
    run: Export, window: dict[str, int], gpu: int | None, most: int, exact: Stretches
) -> tuple[pl.DataFrame, pl.DataFrame, None, int]:
    """Tracks, events in about so many rows at most, None for the work, and the length of events that may be merged."""
    work = _rows(run, "gpu_events", window, (*PLACE, "start_ns", "end_ns", ROW_OF_WORK, "correlation_id"))
    pieces = None if work is None else _rows(run, "idle_pieces", window, PIECE, paths=False)
    work, pieces = of_gpu(gpu, work, pieces)

    def fewer(events: pl.DataFrame) -> pl.DataFrame:
        return counted(with_levels(events, most, exact)[0])

    answers = Answers(
        None if work is None else work.with_columns(link=link("process_id")),
        {key: part for view in VIEWS for key, part in _parts(run, view, window, fewer).items()},
        None if pieces is None else pieces.with_columns(link=pl.lit(0, pl.Int64)),
        run.query("gpus"),
        ask(run, "thread"),
        ask(run, "process"),
    )
    del work, pieces
    tracks, events, _ = made(answers, WHAT, fewer)
    if events.is_empty():
        return tracks, events, None, 0
    del answers
    events, part = with_levels(events, most, exact)
    return tracks, _with_texts(run, window, tracks, events), None, part


def _rows(
    run: Export, query: str, window: dict[str, int], columns: tuple[str, ...], **parameters: object
) -> pl.DataFrame | None:
    """These columns of a query's rows; None where there are none."""
    try:
        found = run.narrowed(query, ", ".join(columns), None, False, **window, **parameters)
    except MissingData:
        return None
    return None if found.is_empty() else found


def _parts(run: Export, view: str, window: dict[str, int], fewer: Any) -> Parts:
    """What the view has of each thread and category, in lanes and in few rows."""
    if not run.has(view):
        return {}
    row = ROW_OF_MPI if view == "mpi_event" else "row_id AS at"
    correlation = "correlation_id" if view == "api_call" else "0::BIGINT"
    asked = f"thread_id, {VIEWS[view]} AS category, start_ns, end_ns, {row}, {correlation} AS correlation_id"
    parts = run.narrowed(view, asked, _finished, **window).partition_by("thread_id", "category", as_dict=True)
    found: Parts = {}
    while parts:  # each is let go when it is merged
        (thread, category), part = parts.popitem()
        own = part.select(pl.lit(0, pl.UInt32).alias("track"), "start_ns", "end_ns", *WHAT, link=link("thread_id"))
        del part
        found[thread, str(category)] = fewer(in_lanes(own))
    return found


def _finished(rows: pl.DataFrame) -> pl.DataFrame:
    own = rows.filter((pl.col("end_ns") >= pl.col("start_ns")) & pl.col("thread_id").is_not_null())
    return own.with_columns(pl.col("category").cast(pl.Enum(list(CATEGORIES))))


def _with_texts(run: Export, window: dict[str, int], tracks: pl.DataFrame, events: pl.DataFrame) -> pl.DataFrame:
    """The events with style, name and detail in place of the row that each is."""
    placed = events.join(tracks.select("track", "kind", "gpu_id"), on="track", how="left", maintain_order="left")
    found = []
    for (kind,), own in placed.with_row_index("place").partition_by("kind", as_dict=True).items():
        if kind == "stream":
            texts = work_events(_among(run, "gpu_events", window, f"{LAUNCH}, {ROW_OF_WORK}", own.select("at")))
            on = ["at"]
        elif kind == "idle":
            texts = idle_events(_among(run, "idle_pieces", window, EVIDENCE, own.select("gpu_id", "at")))
            on = ["gpu_id", "at"]
        else:
            texts = _names(run, str(kind), window, own.select("at"))
            texts = texts.with_columns(
                pl.col("name").fill_null(NO_NAME),
                category=pl.lit(kind),
                detail=pl.lit(None, pl.String),
            ).with_columns(style=thread_style())
            on = ["at"]
        known = own.join(texts.select(*on, *TEXTS), on=on, how="left", nulls_equal=True, maintain_order="left")
        found.append(known.select("place", *(name for name in events.columns if name not in WHAT), *TEXTS))
    return pl.concat(found).sort("place").drop("place")


def _names(run: Export, category: str, window: dict[str, int], wanted: pl.DataFrame) -> pl.DataFrame:
    """The names of rows of a category, and the colours of ranges: at, name, color."""
    none = pl.lit(None, pl.Int64)
    if category == "off_cpu":
        return wanted.unique().with_columns(name=pl.lit("off the CPU"), color=none)
    if category == "mpi":
        calls = run.narrowed("mpi_event", f"{ROW_OF_MPI}, name_id", **window).join(wanted.unique(), on="at", how="semi")
        names = run.query("string").select(name_id="id", name="text")
        return calls.join(names, on="name_id", how="left").select("at", "name", color=none)
    view = {"cuda": "api_call", "os": "os_call"}.get(category, "nvtx_range")
    color = "color" if view == "nvtx_range" else "NULL::BIGINT AS color"
    return _among(run, view, window, f"row_id AS at, name, {color}", wanted)


def _among(run: Export, query: str, window: dict[str, int], columns: str, wanted: pl.DataFrame) -> pl.DataFrame:
    """The rows of a query that are among those wanted, looked through some at a time."""
    asked = {**window, "paths": False} if query == "idle_pieces" else window
    keys = wanted.unique()

    def among(some: pl.DataFrame) -> pl.DataFrame:
        return some.join(keys, on=keys.columns, how="semi", nulls_equal=True)

    return run.narrowed(query, columns, among, False, **asked)
