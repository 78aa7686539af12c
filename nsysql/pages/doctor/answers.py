"""Check every question against the export: queries, reports, rules, and causes of idle time.

The needs of a question are in its header, those of a cause in the view idle_cause; nsysql.catalog.requirements checks
them, here and when a query runs.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from nsysql.capture.column_usage import ColumnUsage
from nsysql.capture.export import Export
from nsysql.catalog import requirements
from nsysql.catalog.packs import sql_folder
from nsysql.catalog.parameters import bind
from nsysql.catalog.query import Query
from nsysql.catalog.raw_schema import raw_tables, read_raw
from nsysql.errors import NsysqlError
from nsysql.nsys.analyze import ADVICE, read_rule
from nsysql.nsys.stats.reports import read_report

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

    def _answer(self, kind: str, query: Query, given: Mapping[str, Any], has: Callable[[str], bool]) -> Verdict:
        broken = sorted(raw_tables(query) & self._damaged.keys())
        if broken:
            return Verdict(kind, query.name, CANNOT, tuple(MissingItem(f"{t} is damaged") for t in broken))
        values = bind(query, given)
        if wanted := requirements.missing_tables(query, has, values):
            return Verdict(kind, query.name, CANNOT, self._tables(wanted))
        try:
            lacks = (*self._unrecorded(query), *self._columns(query, values))
        except NsysqlError as error:  # a user's query that is not a SELECT
            return Verdict(kind, query.name, CANNOT, (MissingItem(str(error)),))
        return Verdict(kind, query.name, PARTLY if lacks else ANSWERED, lacks)

    def _unrecorded(self, query: Query) -> Iterator[MissingItem]:
        for option, tables in requirements.unrecorded(query, self._has):
            yield MissingItem(" and ".join(tables), option)

    def _columns(self, query: Query, values: Mapping[str, Any]) -> Iterator[MissingItem]:
        """Columns that the query reads and the export's tables lack."""
        absent = {t: self._absent[t] for t in raw_tables(query) & self._absent.keys() if self._has(t)}
        if absent or not query.path.is_relative_to(sql_folder()):
            for table, read in sorted(self.reader.columns(query, values).items()):
                if lost := sorted(read & absent.get(table, set())):
                    yield MissingItem(f"{table} ({', '.join(lost)})")

    def _tables(self, wanted: list[tuple[str, ...]]) -> tuple[MissingItem, ...]:
        return tuple(self._lack(tables) for tables in wanted)

    def _lack(self, tables: tuple[str, ...]) -> MissingItem:
        flags = {read_raw()[table].flag for table in tables} - {None}
        on = {t.flag for t in read_raw().values() if t.flag in flags and self._has(t.name)}
        return MissingItem(requirements.named(tables), requirements.option_of(tables), bool(flags) and flags == on)

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
            wanted = self._tables(requirements.unmet_needs(requirements.read_needs(row["needs"]), self._has))
            unsharp = self._tables(requirements.unmet_needs(requirements.read_needs(row["sharper"]), self._has))
            if ledger.verdict == CANNOT:
                yield Verdict("cause", row["cause"], CANNOT, ledger.lacks)
            elif wanted:
                yield Verdict("cause", row["cause"], CANNOT, wanted)
            else:
                yield Verdict("cause", row["cause"], PARTLY if unsharp else ANSWERED, unsharp)
