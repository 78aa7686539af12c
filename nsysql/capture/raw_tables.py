"""Write the SQL by which DuckDB reads each of NVIDIA's tables in one schema, whatever the export has of it.

Schema `unfiltered` has every table of raw.sql with all its columns, NULL or empty if the file lacks them; schema `raw`
is the same through the connection's window, if it has one; schema `at_moments` has the rows that are in progress at one
of a question's moments, schema `pushdown` those of tables of which a view needs few.

Cells of another type than their column's (SQLite allows any value anywhere) make DuckDB's reader fail; tables with such
cells are then read through SQLite's typeof(), which is slower, and the cells are NULL.
"""

import re
from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING

import duckdb

from nsysql.capture.forms.source import type_of
from nsysql.capture.forms.sqlite_rows import WRONG_CELL
from nsysql.capture.time_window import condition, overlaps_moment
from nsysql.catalog.query import Query
from nsysql.catalog.query_file import PUSHDOWN, SOURCE
from nsysql.catalog.raw_schema import RawTable, read_raw
from nsysql.privacy.rules import BLOCK, ENTIRE, ENVIRONMENT, LEFT_OUT, conditions, kind_of
from nsysql.words.sql_text import literal, quoted

if TYPE_CHECKING:
    from nsysql.capture.forms.source import Source

ROW_NUMBER = "rowid"  # column of converted exports that keeps NVIDIA's order


def hidden_cells(table: str, columns: Mapping[str, str]) -> dict[str, str]:
    """Return the columns of texts that can be private as a whole, with the SQL that leaves these texts out."""
    return {column: _hidden_cell(table, column, columns) for column, kind in columns.items() if kind == "VARCHAR"}


def _hidden_cell(table: str, column: str, columns: Mapping[str, str]) -> str:
    """Return the SQL of a text, hidden if its place makes it private or it contains variables of an environment."""
    kind, cell = kind_of(table, column), quoted(column)
    private, label = f"regexp_matches({cell}, {literal(BLOCK)})", ENVIRONMENT
    if kind in ENTIRE:
        rows = conditions(table, kind) if "name" in columns else []
        private, label = " OR ".join([*rows, private]) if rows else "true", kind
    return f"CASE WHEN {private} THEN {literal(f'<{label} left out>')} ELSE {cell} END"


BYTES = "BLOB"  # read only if a view selects some of the rows; NULL if a whole table is read, absent from schema raw
AT_MOMENTS = re.compile(r"\bat_moments\.(\w+)")
SCHEMAS = ("unfiltered", "raw", "at_moments", PUSHDOWN)


class RawTables:
    """The SQL of the raw tables of one file.

    `bad_cells`: cells of a wrong type of each table that is read through typeof(). `left_out`: ids of texts of the
    environment in StringIds, which are left out; None until they were searched for. `copies`: the copy that a table is
    read from, if any.
    """

    def __init__(self, file: "Source") -> None:
        self._file = file
        self.bad_cells: dict[str, int] = {}
        self.left_out: set[int] | None = None
        self.copies: dict[str, str] = {}

    @cached_property
    def streamed(self) -> set[str]:
        """The event tables that each query reads from the export anew, row by row."""
        names = self._file.tables.keys() & read_raw().keys()
        return {name for name in names if "start" in read_raw()[name].columns and self._file.is_streamed(name)}

    def read_from(self, copied: str, name: str) -> str:
        """Define a table anew so that it is read from that copy."""
        self.copies[name] = copied
        self.streamed.discard(name)
        return self.define_anew(name)

    def define(self, name: str) -> str:
        """Define a table in schemas unfiltered and raw."""
        table = self.table(name)
        read = {column: kind for column, kind in table.columns.items() if kind != BYTES}
        if not self._file.tables.get(name):
            return f"{_without_rows('unfiltered', table.columns, name)}; {_without_rows('raw', read, name)}"
        shown = "*" if len(read) == len(table.columns) else ", ".join(map(quoted, read))
        through = f'CREATE VIEW raw."{name}" AS SELECT {shown} FROM unfiltered."{name}"{condition(table)}'
        return f"{self.define_unfiltered(name)}; {through}"

    def define_unfiltered(self, name: str) -> str:
        """Define a table of the file in schema unfiltered."""
        return f'CREATE VIEW unfiltered."{name}" AS {self.select(name)}'

    def define_anew(self, name: str) -> str:
        """Define a table again, after how it is read has changed."""
        return f'DROP VIEW unfiltered."{name}"; {self.define_unfiltered(name)}'

    def define_before(self, view: Query) -> str:
        """Define what a view reads of schemas pushdown and at_moments; empty if it reads neither."""
        none = "".join(  # empty until a question sets its moments
            f'CREATE VIEW IF NOT EXISTS at_moments."{name}" AS FROM unfiltered."{name}" WHERE false;'
            for name in sorted(set(AT_MOMENTS.findall(view.sql)))
        )
        return none + self._define_pushdown(view)

    def define_at_moments(self, name: str, moments: list[int]) -> str:
        """Define schema at_moments' view of a table; empty if its rows have no start and end."""
        if not {"start", "end"} <= {column.lower() for column in self._file.tables[name]}:
            return ""
        where = overlaps_moment(moments)
        rows = f"FROM ({self.select(name, where)}) WHERE {where}"
        return f'CREATE OR REPLACE VIEW at_moments."{name}" AS {rows};'

    def _define_pushdown(self, view: Query) -> str:
        """Define schema pushdown's view of the rows of a table that a view needs; empty if it needs none."""
        if view.engine.pushdown is None:
            return ""
        name, where = view.engine.pushdown
        rows = self.select(name, where) if self._file.tables.get(name) else f'FROM unfiltered."{name}"'
        again = SOURCE.sub(r'FROM unfiltered."\1"', where).replace(" LIKE ", " ILIKE ")  # SQLite's LIKE ignores case
        seen = f"SELECT * FROM (FROM ({rows}) WHERE {again}){condition(read_raw()[name])}"
        return f"CREATE OR REPLACE VIEW {PUSHDOWN}.{view.name} AS {seen};"

    def table(self, name: str) -> RawTable:
        """Return a table as raw.sql declares it, or with the columns of the file if raw.sql does not list it."""
        if name in read_raw():
            return read_raw()[name]
        columns = {c: type_of(kind) for c, kind in self._file.tables[name].items() if c != ROW_NUMBER}
        return RawTable(name, "", columns, None)

    def _lacking(self, table: RawTable) -> frozenset[str]:
        """Return the columns of raw.sql that the file's table lacks."""
        present = {"rowid", *(column.lower() for column in self._file.tables.get(table.name, ()))}
        return frozenset(column for column in table.columns if column.lower() not in present)

    def select(self, name: str, where: str = "") -> str:
        """Select a table's columns that the file has, as raw.sql declares them; bytes only if `where` names them.

        SQLite has to convert bytes to text, which takes time for every row; a copy has none.
        """
        table = self.table(name)
        of_bytes = [column for column, kind in table.columns.items() if kind == BYTES and column in where]
        if name in self.copies and not of_bytes:
            return f"FROM {self.copies[name]}"
        lacking = self._lacking(table)
        left = lacking if where else lacking | {column for column, kind in table.columns.items() if kind == BYTES}
        has = {column: kind for column, kind in table.columns.items() if column not in left}
        hidden = _hidden if name in read_raw() else hidden_cells
        shown = {column: f'"{column}"' for column in has} | hidden(name, has)
        if name == "StringIds" and self.left_out:
            among = ", ".join(map(str, sorted(self.left_out)))
            shown["value"] = f"CASE WHEN id IN ({among}) THEN {literal(LEFT_OUT)} ELSE value END"
        columns = ", ".join(shown.get(c, "NULL::" + kind) + f' AS "{c}"' for c, kind in table.columns.items())
        tables = [table, *(read_raw()[other] for other in SOURCE.findall(where))]
        if any(re.search(rf"\b{column}\b", where) for one in tables for column in self._lacking(one)):
            where = ""  # the file's own engine would not know the column
        source = f"FROM ({self._rows(name, has, where)})" if has else "WHERE false"
        return f"SELECT {columns} {source}"

    def _rows(self, name: str, columns: dict[str, str], where: str) -> str:
        """Return the file's SELECT of these columns; copying a table here can detect cells of a wrong type."""
        try:
            return self._file.select(name, columns, name in self.bad_cells, where)
        except duckdb.Error as error:
            if WRONG_CELL not in str(error) or name in self.bad_cells:
                raise
            self.bad_cells[name] = self._file.wrong_cells(name, self.table(name).columns)
            return self._file.select(name, columns, True, where)


def _without_rows(schema: str, columns: Mapping[str, str], name: str) -> str:
    """Define a table that the file lacks; planning an empty table takes less time than a view of one."""
    return f'CREATE TABLE {schema}."{name}" ({", ".join(f"{quoted(c)} {kind}" for c, kind in columns.items())})'


def _hidden(table: str, columns: Mapping[str, str]) -> dict[str, str]:
    """Return the column whose cells can be variables of the environment, with the SQL that leaves these out."""
    hidden = conditions(table, ENVIRONMENT)
    if not hidden or "value" not in columns:
        return {}
    private = " OR ".join(hidden) if "name" in columns else "true"
    return {"value": f"CASE WHEN {private} THEN {literal(LEFT_OUT)} ELSE value END"}
