"""Every question against the export: queries, reports, rules, and causes of idle time.

What a question needs stands in its header, for a cause in the view idle_cause; nsysql.missing says whether
the export has it, here as when the question is asked.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from nsysql import missing
from nsysql.analyze.advice import ADVICE
from nsysql.analyze.spec import read_rule
from nsysql.doctor.columns import Reader
from nsysql.errors import NsysqlError
from nsysql.export import Export
from nsysql.lay import raw_tables
from nsysql.pack import sql_folder
from nsysql.parameters import bind
from nsysql.raw import read_raw
from nsysql.sqlfile import Query
from nsysql.stats.spec import read_report

ANSWERED, PARTLY, CANNOT = "answered", "answered without", "cannot be answered"


@dataclass(frozen=True)
class Lack:
    """What an export lacks for a question, and the capture option that would bring it; empty if none does.

    Where the option was on, since it recorded something else, nothing of the kind happened, or this nsys does
    not record it.
    """

    what: str
    option: str = ""
    was_on: bool = False


@dataclass(frozen=True)
class Answer:
    """A question of a kind (query, report, rule, cause) and whether the export answers it."""

    kind: str
    name: str
    verdict: str
    lacks: tuple[Lack, ...] = ()

    @property
    def row(self) -> dict[str, str | None]:
        """The same as texts."""
        options = dict.fromkeys(lack.option for lack in self.lacks if lack.option and not lack.was_on)
        lacks = [lack.what for lack in self.lacks]
        return {
            "kind": self.kind, "name": self.name, "verdict": self.verdict,
            "lacks": "; ".join(lacks) or None, "options": "; ".join(options) or None,
        }  # fmt: skip


class Examiner:
    """Knows what the export has: its tables with their rows, and those that cannot be read, with the reason."""

    def __init__(self, run: Export, rows: Mapping[str, int], damaged: Mapping[str, str]) -> None:
        self._run = run
        self._rows = rows
        self._damaged = damaged

    def answers(self) -> Iterator[Answer]:
        """A verdict on every question."""
        for query in map(self._run.find, self._run.paths):
            yield self._answer("query", query, {}, self._has)
        has = frozenset(self._run.info.tables).__contains__  # a table without rows will do, as for NVIDIA
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

    def _answer(self, kind: str, query: Query, given: Mapping[str, Any], has: Callable[[str], bool]) -> Answer:
        broken = sorted(raw_tables(query) & self._damaged.keys())
        if broken:
            return Answer(kind, query.name, CANNOT, tuple(Lack(f"{t} is damaged") for t in broken))
        values = bind(query, given)
        if wanted := missing.wanting(query, has, values):
            return Answer(kind, query.name, CANNOT, self._tables(wanted))
        try:
            lacks = (*self._unrecorded(query), *self._columns(query, values))
        except NsysqlError as error:  # somebody's pack is no SELECT
            return Answer(kind, query.name, CANNOT, (Lack(str(error)),))
        return Answer(kind, query.name, PARTLY if lacks else ANSWERED, lacks)

    def _unrecorded(self, query: Query) -> Iterator[Lack]:
        for option, tables in missing.unrecorded(query, self._has):
            yield Lack(" and ".join(tables), option)

    def _columns(self, query: Query, values: Mapping[str, Any]) -> Iterator[Lack]:
        """Columns that the query reads and the export's version of the table has not."""
        absent = {t: self._absent[t] for t in raw_tables(query) & self._absent.keys() if self._has(t)}
        if absent or not query.path.is_relative_to(sql_folder()):
            for table, read in sorted(self._reader.columns(query, values).items()):
                if lost := sorted(read & absent.get(table, set())):
                    yield Lack(f"{table} ({', '.join(lost)})")

    def _tables(self, wanted: list[tuple[str, ...]]) -> tuple[Lack, ...]:
        return tuple(self._lack(tables) for tables in wanted)

    def _lack(self, tables: tuple[str, ...]) -> Lack:
        flags = {read_raw()[table].flag for table in tables} - {None}
        on = {t.flag for t in read_raw().values() if t.flag in flags and self._has(t.name)}
        return Lack(missing.named(tables), missing.option_of(tables), bool(flags) and flags == on)

    @cached_property
    def _reader(self) -> Reader:
        return Reader()

    @cached_property
    def _absent(self) -> dict[str, set[str]]:
        return missing.absent_columns(self._run.columns)

    def _causes(self) -> Iterator[Answer]:
        """The rows of the idle ledger: a cause is told where the ledger is, and what shows it was recorded."""
        ledger = self._answer("cause", self._run.find("idle_ledger"), {}, self._has)
        for row in self._run.query("idle_causes").to_dicts():
            wanted = self._tables(missing.lacking(missing.read_needs(row["needs"]), self._has))
            unsharp = self._tables(missing.lacking(missing.read_needs(row["sharper"]), self._has))
            if ledger.verdict == CANNOT:
                yield Answer("cause", row["cause"], CANNOT, ledger.lacks)
            elif wanted:
                yield Answer("cause", row["cause"], CANNOT, wanted)
            else:
                yield Answer("cause", row["cause"], PARTLY if unsharp else ANSWERED, unsharp)
