"""Examine an export: which questions it answers, nsys's own messages, the profiler's overhead, and checks."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import polars as pl

from nsysql.capture.capture_info import Info
from nsysql.capture.column_usage import ColumnUsage
from nsysql.capture.export import Export
from nsysql.catalog import requirements
from nsysql.catalog.parameters import bind
from nsysql.catalog.raw_schema import raw_tables, read_raw
from nsysql.errors import MissingData, NsysqlError
from nsysql.pages.doctor.answers import Examiner, Verdict
from nsysql.pages.lines.gather import NO_LINES, capture_notes


@dataclass(frozen=True)
class Finding:
    """A check that found something in a table: the number of rows or cells, and the queries that are affected."""

    check: str
    table: str
    found: int
    rows: int
    first_ns: int | None
    last_ns: int | None
    touches: tuple[str, ...]


@dataclass(frozen=True)
class Check:
    """A check: its title, what a finding means for the numbers, and whether there was something to check."""

    check: str
    title: str
    meaning: str
    was_made: bool = True


SMALL = 32 * 2**20  # bytes; the checks of a smaller export are one question
WRONG_TYPE = Check(  # cannot be checked in SQL, where these cells are NULL already
    "wrong_type",
    "cells of a wrong type",
    "text, reals or blobs where a number belongs, or blobs for text: they are read as NULL, and sums leave them out",
)


@dataclass(frozen=True)
class Examination:
    """The result of an examination. `damaged` maps tables that cannot be read to the reason; messages are nsys's own.

    `lines` are sentences on how well source lines are known.
    """

    info: Info
    answers: tuple[Verdict, ...]
    damaged: Mapping[str, str]
    messages: pl.DataFrame | None
    costs: pl.DataFrame
    checks: tuple[Check, ...]
    findings: tuple[Finding, ...]
    events: int
    lines: tuple[str, ...] = ()

    @property
    def can_be_analysed(self) -> bool:
        """Whether the export can be read and has events."""
        return bool(self.events) and not self.damaged


def collect(run: Export) -> Examination:
    """Examine the export: every table is read in full."""
    rows, damaged = run.facts.read_all()
    checked = list(_checked(run, damaged))
    examiner = Examiner(run, rows, damaged)
    checks = dict.fromkeys(_check(row, rows) for row in checked)
    return Examination(
        info=run.info,
        answers=tuple(examiner.answers()),
        damaged=damaged,
        messages=_ask(run, "capture_messages", damaged, all_messages=True),
        costs=_costs(run, damaged),
        checks=(WRONG_TYPE, *checks),
        findings=(*_wrong_cells(run, rows), *_findings(run, rows, checked, examiner.reader)),
        events=sum(count for table, count in rows.items() if _has_times(table)),
        lines=_lines(run, damaged),
    )


def _lines(run: Export, damaged: Mapping[str, str]) -> tuple[str, ...]:
    """Sentences on the evidence for source lines in the export, and what it lacks."""
    try:
        found = None if damaged else _ask(run, "lines", damaged, idle=False)
    except NsysqlError:  # the other checks go on
        found = None
    if found is None:
        return ()
    known = (NO_LINES,) if found.height and not found["line"].is_not_null().any() else ()
    return tuple(text[0].upper() + text[1:] for text in (*known, *capture_notes(run)))


def _has_times(table: str) -> bool:
    columns = read_raw()[table].columns
    return "start" in columns and table != "PROFILER_OVERHEAD"


def _ask(run: Export, name: str, damaged: Mapping[str, str], **parameters: Any) -> pl.DataFrame | None:
    """The result of a query; None if the export lacks the data."""
    if raw_tables(run.find(name)) & damaged.keys():
        return None
    try:
        return run.query(name, **parameters)
    except MissingData:
        return None


def _costs(run: Export, damaged: Mapping[str, str]) -> pl.DataFrame:
    found = _ask(run, "profiler_costs", damaged)
    return pl.DataFrame(schema={"name": pl.String, "total_time_ns": pl.Int64}) if found is None else found


def _checked(run: Export, damaged: Mapping[str, str]) -> Iterator[dict[str, Any]]:
    """The rows of capture_checks, in the order of its choices.

    Together the checks take several times the memory of one, and apart each takes its time to plan: so those of a large
    export are asked one after the other, those of a small one at once.
    """
    choices = run.find("capture_checks").parameters[0].choices
    asked = [None] if run.info.size_bytes < SMALL else choices
    for check in asked:
        found = _ask(run, "capture_checks", damaged, check_id=check)
        rows = [] if found is None else found.to_dicts()
        yield from sorted(rows, key=lambda row: choices.index(row["check_id"]))


def _check(row: Mapping[str, Any], rows: Mapping[str, int]) -> Check:
    lacking = requirements.unmet_needs(requirements.read_needs(row["needs"]), lambda table: bool(rows.get(table)))
    return Check(row["check_id"], row["title"], row["meaning"], was_made=not lacking)


def _wrong_cells(run: Export, rows: Mapping[str, int]) -> Iterator[Finding]:
    for table, cells in sorted(run.facts.wrong_cells.items()):
        if not cells:  # not of the declared type, but readable
            continue
        yield Finding(WRONG_TYPE.check, table, cells, rows[table], None, None, tuple(_touched(run, table)))


def _findings(
    run: Export, rows: Mapping[str, int], checked: list[dict[str, Any]], reader: ColumnUsage
) -> Iterator[Finding]:
    for row in checked:
        if table := row["source"]:
            touched = tuple(_touched(run, table, row["touches"], reader))
            times = row["first_ns"], row["last_ns"]
            yield Finding(row["check_id"], table, row["rows_found"], rows[table], *times, touched)


def _touched(run: Export, table: str, touches: str | None = None, reader: ColumnUsage | None = None) -> Iterator[str]:
    """The queries that a finding in the table affects: what the query capture_checks has in `touches`."""
    names = (touches or table).split(", ")
    column_of, _, column = names[0].partition(".")
    for query in map(run.find, run.paths):
        read = raw_tables(query)
        if query.pack == "doctor" or not read.intersection([table] if column else names):
            continue
        if not reader or not column or column in reader.columns(query, bind(query, {})).get(column_of, ()):
            yield query.name
