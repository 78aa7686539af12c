"""One gap in full: every piece that it was booked in, with the row that is the evidence."""

from dataclasses import dataclass

import polars as pl

from nsysql.errors import UsageError
from nsysql.export import Export
from nsysql.render.cells import time
from nsysql.render.page import Cell, Column, Page, Section
from nsysql.summary.words import Row, gpu_number, moment, percent, work
from nsysql.why.asked import Asked
from nsysql.why.gather import recorded
from nsysql.why.words import Causes

NO_ROW = "no row of this thread: it ran the program itself"


@dataclass(frozen=True)
class Explained:
    """A gap, a row of idle_gaps, and its pieces, rows of idle_pieces."""

    path: str
    gap: Row
    pieces: pl.DataFrame
    causes: pl.DataFrame


def gather(run: Export, asked: Asked, gap: int) -> Explained:
    """The gap of that number. Raises UsageError where there is none."""
    recorded(run, asked)
    found = run.query("idle_gaps", gap=gap, **asked.window)
    if found.is_empty():
        raise UsageError(f"there is no gap {gap} here; `nsysql idle-gaps` lists gaps with their numbers.")
    pieces = run.query("idle_pieces", gap=gap, paths=False, **asked.window)
    return Explained(run.path.name, found.to_dicts()[0], pieces, run.query("idle_causes"))


def page(found: Explained) -> Page:
    """The gap, then its pieces in order of time; offsets count from the gap's start."""
    return Page(f"{found.path}: gap {found.gap['gap_id']}", (_gap(found), _pieces(found)))


def _gap(found: Explained) -> Section:
    gap = found.gap
    rows: list[tuple[Cell, ...]] = [
        ("GPU", gpu_number(gap["gpu_id"])),
        ("idle", f"{time(gap['gap_ns'])} from {moment(gap['start_ns'])} to {moment(gap['end_ns'])}"),
        ("after", work(gap["previous_name"])),
        ("before", f"{work(gap['next_name'])} on stream {gap['next_stream_id']}"),
        ("launch", f"{gap['launch_name']} on thread {_tid(gap)}" if gap["launch_name"] else "not recorded"),
    ]
    if gap["nvtx_path"]:
        rows.append(("NVTX", gap["nvtx_path"]))
    return Section("Gap", columns=(Column(right=False), Column(right=False, wrap=True)), rows=tuple(rows))


def _tid(gap: Row) -> str:
    return str(gap["thread_id"] & 0xFFFFFF)


def _pieces(found: Explained) -> Section:
    causes, start = Causes(found.causes), found.gap["start_ns"]
    rows: list[tuple[Cell, ...]] = []
    for piece in found.pieces.to_dicts():
        place = (f"+{time(piece['start_ns'] - start)}", time(piece["dur_ns"]))
        part = percent(piece["dur_ns"], found.gap["gap_ns"])
        rows.append((*place, part, causes.title(piece["cause"]), _evidence(piece)))
    columns = (*map(Column, ("at", "length", "of gap")), Column("cause", right=False))
    meaning = "times clipped to the gap; row is the position in that table of the export"
    return Section("Pieces", meaning, (), (*columns, Column("evidence", right=False, wrap=True)), tuple(rows))


def _evidence(piece: Row) -> str:
    if piece["evidence_table"] is None:
        return NO_ROW if piece["cause"] == "host_code" else "no row"
    name = piece["evidence_name"]
    row = "" if piece["evidence_row_id"] is None else f" row {piece['evidence_row_id']}"
    return f"{f'{name}, ' if name else ''}{piece['evidence_table']}{row}"
