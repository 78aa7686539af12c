"""Examine an export: which questions it answers, nsys's own messages, the profiler's overhead, and checks."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import polars as pl

from nsysql.capture.capture_info import Info
from nsysql.capture.column_usage import ColumnUsage
from nsysql.capture.export import Export
from nsysql.catalog import requirements
from nsysql.catalog.header import own_folder
from nsysql.catalog.parameters import bind
from nsysql.catalog.query import Query
from nsysql.catalog.raw_schema import read_raw
from nsysql.catalog.requirements import raw_tables
from nsysql.errors import MissingData, NsysqlError
from nsysql.nsys.analyze import ADVICE, read_rule
from nsysql.nsys.reports import read_report
from nsysql.pages.lines import NO_LINES, capture_notes, has_lines

ANSWERED, PARTLY, CANNOT = "answered", "answered without", "cannot be answered"


@dataclass(frozen=True)
class MissingItem:
    """Something that an export lacks for a question, and the capture option that records it; empty if none does.

    was_on: the option was used, as it recorded something else; so no such events occurred, or this nsys does not record
    them.
    """

    what: str
    option: str = ""
    was_on: bool = False


@dataclass(frozen=True)
class Verdict:
    """A question of a kind (query, report, rule, cause) and whether the export answers it."""

    kind: str
    name: str
    verdict: str
    lacks: tuple[MissingItem, ...] = ()

    @property
    def row(self) -> dict[str, str | None]:
        """The verdict as texts."""
        options = dict.fromkeys(lack.option for lack in self.lacks if lack.option and not lack.was_on)
        lacks = [lack.what for lack in self.lacks]
        return {
            "kind": self.kind, "name": self.name, "verdict": self.verdict,
            "lacks": "; ".join(lacks) or None, "options": "; ".join(options) or None,
        }  # fmt: skip


class Examiner:
    """Checks questions against the export's tables: their row counts, and the reasons for those that cannot be read."""

    def __init__(self, run: Export, rows: Mapping[str, int], damaged: Mapping[str, str]) -> None:
        self._run = run
        self._rows = rows
        self._damaged = damaged

    def answers(self) -> Iterator[Verdict]:
        """A verdict on every question."""
        for query in map(self._run.find, self._run.paths):
            yield self._answer("query", query, {}, self._has)
        has = frozenset(self._run.info.tables).__contains__  # an empty table is enough, as for NVIDIA
        for name in self._run.paths:
            if name in ADVICE:
                rule = read_rule(name, {}, self._run.paths)
                yield self._answer("rule", rule.query, rule.parameters, has)
            elif self._run.find(name).same_as:
                report = read_report(name, {}, self._run.paths)
                yield self._answer("report", report.query, report.parameters, has)
        yield from self._causes()

    def _has(self, table: str) -> bool:
        return bool(self._rows.get(table)) or table in self._damaged

    def _answer(self, kind: str, query: Query, parameters: Mapping[str, Any], has: Callable[[str], bool]) -> Verdict:
        broken = sorted(raw_tables(query) & self._damaged.keys())
        if broken:
            return Verdict(kind, query.name, CANNOT, tuple(MissingItem(f"{t} is damaged") for t in broken))
        values = bind(query, parameters)
        if wanted := requirements.missing_tables(query, has, values):
            return Verdict(kind, query.name, CANNOT, tuple(self._lacks(wanted)))
        try:
            lacks = (
                *(MissingItem(" and ".join(t), option) for option, t in requirements.unrecorded(query, self._has)),
                *self._columns(query, values),
            )
        except NsysqlError as error:  # a user's query that is not a SELECT
            return Verdict(kind, query.name, CANNOT, (MissingItem(str(error)),))
        return Verdict(kind, query.name, PARTLY if lacks else ANSWERED, lacks)

    def _columns(self, query: Query, values: Mapping[str, Any]) -> Iterator[MissingItem]:
        """Columns that the query reads and the export's tables lack."""
        absent = {t: self._absent[t] for t in raw_tables(query) & self._absent.keys() if self._has(t)}
        if absent or not query.path.is_relative_to(own_folder()):
            for table, read in sorted(self.reader.columns(query, values).items()):
                if lost := sorted(read & absent.get(table, set())):
                    yield MissingItem(f"{table} ({', '.join(lost)})")

    def _lacks(self, wanted: Iterable[tuple[str, ...]]) -> Iterator[MissingItem]:
        for tables in wanted:
            flags = {read_raw()[table].flag for table in tables} - {None}
            on = {t.flag for t in read_raw().values() if t.flag in flags and self._has(t.name)}
            yield MissingItem(requirements.named(tables), requirements.option_of(tables), bool(flags) and flags == on)

    @cached_property
    def reader(self) -> ColumnUsage:
        """Which columns the queries read; each is planned once."""
        return ColumnUsage()

    @cached_property
    def _absent(self) -> dict[str, set[str]]:
        return requirements.absent_columns(self._run.facts.filled(self._run.tables.keys() - self._damaged.keys()))

    def _causes(self) -> Iterator[Verdict]:
        """Verdicts on causes in the idle ledger: one is known if the ledger is, and if its evidence was recorded."""
        ledger = self._answer("cause", self._run.find("idle_ledger"), {}, self._has)
        for row in self._run.query("idle_causes").to_dicts():
            needs, sharper = (requirements.read_needs(row[name]) for name in ("needs", "sharper"))
            wanted, unsharp = (tuple(self._lacks(requirements.unmet_needs(of, self._has))) for of in (needs, sharper))
            if lacks := ledger.lacks if ledger.verdict == CANNOT else wanted:
                yield Verdict("cause", row["cause"], CANNOT, lacks)
            else:
                yield Verdict("cause", row["cause"], PARTLY if unsharp else ANSWERED, unsharp)


COUNTED = ("_gpu_work_ids", "COMPOSITE_EVENTS", "CUDA_UM_CPU_PAGE_FAULT_EVENTS")  # what lines count, besides samples
WRONG_TYPE = {  # cannot be checked in SQL, where these cells are NULL already
    "check": "wrong_type",
    "title": "cells of a wrong type",
    "meaning": "text, reals or blobs where a number belongs, or blobs for text: they are read as NULL, and sums leave"
    " them out",
    "was_made": True,
}


@dataclass(frozen=True)
class Examination:
    """The result of an examination. `damaged` maps tables that cannot be read to the reason; messages are nsys's own.

    `checks` are the checks with what a finding means for the numbers, and whether there was something to check;
    `findings` what they found in a table: the number of rows or cells, and the queries that are affected. `lines` are
    sentences on how well source lines are known.
    """

    info: Info
    answers: tuple[Verdict, ...]
    damaged: Mapping[str, str]
    messages: pl.DataFrame | None
    costs: pl.DataFrame
    checks: tuple[dict[str, Any], ...]
    findings: tuple[dict[str, Any], ...]
    events: int
    lines: tuple[str, ...]

    @property
    def can_be_analysed(self) -> bool:
        """Whether the export can be read and has events."""
        return bool(self.events) and not self.damaged


def collect(run: Export) -> Examination:
    """Examine the export: every table is read in full."""
    rows, damaged = run.facts.read_all()
    checked = [] if (found := _ask(run, "capture_checks", damaged)) is None else found.to_dicts()
    examiner = Examiner(run, rows, damaged)
    checks = {}
    for row in checked:
        lacking = requirements.unmet_needs(requirements.read_needs(row["needs"]), lambda table: bool(rows.get(table)))
        kept = {"check": row["check_id"], "title": row["title"], "meaning": row["meaning"], "was_made": not lacking}
        checks[row["check_id"]] = kept
    costs = _ask(run, "profiler_costs", damaged)
    timed = {name for name, table in read_raw().items() if "start" in table.columns} - {"PROFILER_OVERHEAD"}
    return Examination(
        info=run.info,
        answers=tuple(examiner.answers()),
        damaged=damaged,
        messages=_ask(run, "capture_messages", damaged, all_messages=True),
        costs=pl.DataFrame(schema={"name": pl.String, "total_time_ns": pl.Int64}) if costs is None else costs,
        checks=(WRONG_TYPE, *checks.values()),
        findings=tuple(_findings(run, rows, checked, examiner.reader)),
        events=sum(count for table, count in rows.items() if table in timed),
        lines=_lines(run, damaged),
    )


def _lines(run: Export, damaged: Mapping[str, str]) -> tuple[str, ...]:
    """Sentences on the evidence for source lines in the export, and what it lacks."""
    if damaged:
        return ()
    try:
        run.require(run.find("lines"))
        has_rows = any(map(run.has, COUNTED)) or run.count("python_sample", {}, 1)
        known = (NO_LINES,) if has_rows and not has_lines(run) else ()
    except NsysqlError:  # the other checks go on
        return ()
    return tuple(text[0].upper() + text[1:] for text in (*known, *capture_notes(run)))


def _ask(run: Export, name: str, damaged: Mapping[str, str], **parameters: Any) -> pl.DataFrame | None:
    """The result of a query; None if the export lacks the data."""
    if raw_tables(run.find(name)) & damaged.keys():
        return None
    try:
        return run.query(name, **parameters)
    except MissingData:
        return None


def _findings(
    run: Export, rows: Mapping[str, int], checked: list[dict[str, Any]], reader: ColumnUsage
) -> Iterator[dict[str, Any]]:
    wrong = [
        {"check_id": WRONG_TYPE["check"], "source": table, "rows_found": cells, "touches": table}
        for table, cells in sorted(run.facts.wrong_cells.items())
        if cells  # else not of the declared type, but readable
    ]
    for row in (*wrong, *checked):
        if table := row["source"]:
            yield {
                "check": row["check_id"], "table": table, "found": row["rows_found"], "rows": rows[table],
                "first_ns": row.get("first_ns"), "last_ns": row.get("last_ns"), "before_ns": row.get("before_ns"),
                "touches": tuple(_touched(run, table, row["touches"] or table, reader)),
            }  # fmt: skip


def _touched(run: Export, table: str, touches: str, reader: ColumnUsage) -> Iterator[str]:
    """The queries that a finding in the table affects: what the query capture_checks has in `touches`."""
    names = touches.split(", ")
    column_of, _, column = names[0].partition(".")
    for query in map(run.find, run.paths):
        read = raw_tables(query)
        if query.pack == "doctor" or not read.intersection([table] if column else names):
            continue
        if not column or column in reader.columns(query, bind(query, {})).get(column_of, ()):
            yield query.name
