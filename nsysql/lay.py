"""Laying an export out in DuckDB: NVIDIA's tables in one shape, then the views, each when first needed.

Schema `whole` has every table of raw.sql with all its columns, NULL or empty where the file has nothing;
schema `raw` is the same through the connection's window, if it has one; schema `near` has the rows that are
under way at one of a question's moments, schema `picked` those of which a view needs few; the views lie in `main`.

Cells of another type than their column's (SQLite keeps any value anywhere) make DuckDB's reader fail; tables
that have such cells are laid through SQLite's own typeof() then, which is slower, and the cells are NULL.
"""

import re
import uuid
from copy import copy
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from nsysql.frames import BATCH, extend, gathered, narrowed, place
from nsysql.inputs.source import STORED
from nsysql.inputs.words import literal
from nsysql.mark import mark
from nsysql.pack import read_views
from nsysql.private import ENVIRONMENT, LEFT_OUT, conditions
from nsysql.raw import RawTable, read_raw
from nsysql.sqlfile import PICKED, SOURCE, Query
from nsysql.window import condition, under_way

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator

    import duckdb
    import polars

    from nsysql.inputs.source import Source

SCHEMAS = ("whole", "raw", "near", PICKED)  # of the raw tables: as the export has them, then parts of them


class Layout:
    """What of raw.sql and the views is laid so far, for one connection and one file."""

    def __init__(self, con: "duckdb.DuckDBPyConnection", file: "Source") -> None:
        self._con = con
        self._file = file
        self._is_whole = True
        self._laid: set[str] = set()
        self._seen: set[str] = set()
        self._aside: dict[str, str] = {}
        self._computed: dict[str, polars.DataFrame] = {}
        self.mended: dict[str, int] = {}
        self.room, self.folder = float("inf"), Path()
        for schema in SCHEMAS:
            con.execute(f"CREATE SCHEMA {schema}")

    def through(self, con: "duckdb.DuckDBPyConnection", is_whole: bool) -> "Layout":
        """The same for another connection to the database, which sees the whole export or through a window.

        What SQL laid is shared, what Python computes is not.
        """
        other = copy(self)
        other._con, other._is_whole, other._seen, other._aside, other._computed = con, is_whole, set(), {}, {}
        return other

    def lay(
        self, names: frozenset[str], spared: frozenset[str] = frozenset(), later: frozenset[str] = frozenset()
    ) -> None:
        """Lay the raw tables and views of those names, and all that they stand on; those spared without rows.

        Views that come later have none yet, wherever they stand.
        """
        views, tables = read_views(), read_raw()
        spelled = {name.lower(): name for name in (*views, *tables)}
        known = views.keys() | tables.keys()  # a view and a table can differ in case alone
        for name in sorted({name if name in known else spelled.get(name.lower(), name) for name in names}):
            if name in self._seen:
                continue
            if name in spared | later:
                self._con.execute(_empty(read_views()[name]))
                continue
            if name in views and self._is_stored(name):
                self._con.execute(f"CREATE OR REPLACE TEMP VIEW {name} AS FROM {STORED}.{name}")
                self._seen.add(name)
                continue
            if name in views and views[name].computed_by:  # which asks for what it needs
                self._compute(views[name])
                continue
            if name in views:
                self.lay(views[name].sources, later=later)
            if name in views and views[name].kept:
                self._keep(views[name])
            elif name in known and name not in self._laid:
                self._con.execute(self._definition(name))
                self._laid.add(name)
            if not later or not later & _stands_on(name):
                self._seen.add(name)

    def lay_near(self, tables: frozenset[str], moments: list[int]) -> None:
        """Lay in schema `near` the rows of those raw tables that are under way at one of the moments."""
        for name in sorted(tables & self._file.tables.keys()):
            if not {"start", "end"} <= {column.lower() for column in self._file.tables[name]}:
                continue
            where = under_way(moments)
            self._con.execute(
                f'CREATE OR REPLACE VIEW near."{name}" AS FROM ({self._select(name, where)}) WHERE {where}'
            )

    def _keep(self, view: Query) -> None:
        """Lay a view as a table, each connection's own: its rows can hang on the window."""
        if view.kept_if and not self._con.execute(f"SELECT {view.kept_if}").fetchall()[0][0]:
            self._con.execute(_empty(view))
        else:
            self._con.execute(f"{self._picked(view)} CREATE TEMP TABLE {view.name} AS {view.sql}")

    def _picked(self, view: Query) -> str:
        """The rows that a view picks from a raw table, which SQLite itself seeks out."""
        if view.picked_from is None:
            return ""
        table, where = view.picked_from
        rows = self._select(table, where) if self._file.tables.get(table) else f'FROM whole."{table}"'
        again = SOURCE.sub(r'FROM whole."\1"', where)
        seen = f"SELECT * FROM (FROM ({rows}) WHERE {again}){condition(read_raw()[table])}"
        return f"CREATE OR REPLACE VIEW {PICKED}.{view.name} AS {seen};"

    def _definition(self, name: str) -> str:
        if name in read_views():
            view = read_views()[name]
            return f"{self._picked(view)} CREATE VIEW main.{name} AS {rows_of(view)}"
        table = read_raw()[name]
        through = f'CREATE VIEW raw."{name}" AS SELECT * FROM whole."{name}"{condition(table)}'
        return f'{self._table(table)}; {through}; CREATE VIEW near."{name}" AS FROM whole."{name}" WHERE false'

    def _compute(self, view: Query) -> None:
        """Lay a view whose rows Python computes from other views, and those computed or given along with it."""
        module = import_module(view.computed_by or "")
        begun: set[str] = set()
        try:
            for name, frame in gathered(module.parts(self) if hasattr(module, "parts") else [module.compute(self)]):
                self._take(name, frame, is_more=name in begun)
                begun.add(name)
        except BaseException:  # what is there in part is not there
            self._seen -= begun
            for name in begun:
                self._computed.pop(name, None)
                self._aside.pop(name, None)
            raise

    def _take(self, name: str, frame: "polars.DataFrame", is_more: bool) -> None:
        """Lay rows that Python computed for a view: all of them so far, or more."""
        self._computed.pop(name, None)
        if is_more:
            self._extend(name, frame)
            return
        is_copied = read_views()[name].kept or "String" in map(str, frame.dtypes)  # into a table, or by Arrow
        if not is_copied:  # two are too many
            self._computed[name] = frame
        self._place(name, frame)
        self._seen.add(name)

    def slices(self, views: tuple[str, ...]) -> "Iterator[None]":
        """Lay views that one module computes with one slice of their rows after the other, once where known."""
        if self._seen.intersection(views) or self._is_stored(views[0]):
            self.lay(frozenset(views))
            yield
            return
        for frames in import_module(read_views()[views[0]].computed_by or "").slices(self):
            for name, frame in frames.items():
                self._place(name, frame)
            yield

    def _is_stored(self, name: str) -> bool:
        """Whether the rows of a view lie in the file, where this very nsysql put them."""
        stored = self._file.stored().get(name)
        return self._is_whole and stored is not None and stored == mark()

    def _place(self, name: str, frame: "polars.DataFrame") -> None:
        place(self._con, name, frame)

    def _extend(self, name: str, frame: "polars.DataFrame") -> None:
        if name not in self._aside:
            self._aside[name] = self._table_aside(name)
        extend(self._con, name, frame, self._aside[name])

    def __call__(
        self,
        view: str,
        narrow: "Callable[[polars.DataFrame], polars.DataFrame] | None" = None,
        stream: bool = False,
        which: str = "",
    ) -> "polars.DataFrame":
        """The rows of a view as a polars frame; `narrow` copies each batch of them, which is let go then.

        With `stream` batches come one by one and their rows are never all there, which DuckDB 1.5 does without fail
        where they come from one table: of a UNION ALL it can deadlock, which is why nothing here is execute().
        `which` follows the view's name in SQL: a condition, an order. Without it and `narrow` all rows.
        """
        self.lay(frozenset({view}))
        if view in self._computed and not which:
            return narrow(self._computed[view]) if narrow else self._computed[view]
        rows = self._con.sql(f"FROM {self._aside.get(view, view)} {which}")
        if narrow is None:
            return rows.pl()
        return narrowed(rows.to_arrow_reader(BATCH) if stream else rows.to_arrow_table(), narrow)

    def rows(self, view: str) -> int:
        """How many events NVIDIA's tables have that a view stands on, told without reading them."""
        tables = raw_tables(read_views()[view]) & self._file.tables.keys()
        return sum(self._file.count(name) for name in tables if "start" in read_raw()[name].columns)

    def set_aside(self, view: str, *order: str) -> None:
        """Lay a view as a table on disk, in a database of its own beside what DuckDB spills."""
        if view not in self._aside:
            self.lay(read_views()[view].sources)
            table = self._table_aside(view)
            ordered = f" ORDER BY {', '.join(order)}" if order else ""
            self._con.execute(f"CREATE TABLE {table} AS FROM ({read_views()[view].sql}){ordered}")
            self._con.execute(f"CREATE OR REPLACE TEMP VIEW {view} AS FROM {table}")
            self._aside[view] = table
            self._seen.add(view)

    def part(self, view: str, first: int, end: int, *columns: str) -> "polars.DataFrame":
        """The rows of a view that was set aside from the place first to before end, in order; all columns if none."""
        rows = f"FROM {self._aside[view]} WHERE rowid >= {first} AND rowid < {end} ORDER BY rowid"
        return self._con.sql(f"SELECT {', '.join(columns) or '*'} {rows}").pl()

    def _table_aside(self, view: str) -> str:
        """A name for a table on disk, for a view's rows as this connection sees them."""
        self.folder.mkdir(exist_ok=True)
        self._con.execute(
            f"ATTACH IF NOT EXISTS {literal(str(self.folder / 'aside.duckdb'))} AS aside (RECOVERY_MODE no_wal_writes)"
        )
        return f"aside.main.{view}_{uuid.uuid4().hex}"

    def read_all(self) -> tuple[dict[str, int], dict[str, str]]:
        """Read every cell of every table: tables with their rows, and those that cannot be read with the reason."""
        present = [name for name in read_raw() if name in self._file.tables]
        damaged = {name: why for name in present if (why := self._failure(lambda n: self.lay(frozenset({n})), name))}
        rows: dict[str, int] = {}
        for name in present:
            if name not in damaged and (why := self._failure(lambda n: rows.update({n: self._rows(n)}), name)):
                damaged[name] = why
        return rows, damaged

    def _rows(self, name: str) -> int:
        """The rows of a raw table, all its cells read."""
        cells = ", ".join(f'count("{column}")' for column in read_raw()[name].columns)
        count: int = self._con.execute(f'SELECT count(*), {cells} FROM whole."{name}"').fetchall()[0][0]
        return count

    def _failure(self, act: "Callable[[str], None]", name: str) -> str | None:
        """Why DuckDB fails to do that with a table, or None; cells of a wrong type are for `mend`."""
        import duckdb

        try:
            act(name)
        except duckdb.Error as error:
            if "Mismatch Type Error" in str(error) and name not in self.mended:
                raise
            return str(error).strip().splitlines()[0]
        return None

    def mend(self) -> bool:
        """Lay tables anew that have cells of a wrong type; `mended` counts them. Whether there were any to lay.

        Where none is wrong, a cell is of another type than its column's and can be read all the same: then all.
        """
        present = sorted(self._laid.intersection(self._file.tables) - self.mended.keys())
        wrong = {name: self._file.wrong_cells(name, read_raw()[name].columns) for name in present}
        for name, cells in wrong.items():
            if cells or not any(wrong.values()):
                self.mended[name] = cells
                self._con.execute(f'DROP VIEW whole."{name}"; {self._table(read_raw()[name])}')
        return bool(present)

    def _table(self, table: RawTable) -> str:
        if not self._file.tables.get(table.name):
            columns = ", ".join(f'"{name}" {kind}' for name, kind in table.columns.items())
            return f'CREATE TABLE whole."{table.name}" ({columns})'
        return f'CREATE VIEW whole."{table.name}" AS {self._select(table.name)}'

    def _lacking(self, table: RawTable) -> frozenset[str]:
        """The columns of raw.sql that the file's table has not."""
        found = {"rowid", *(column.lower() for column in self._file.tables.get(table.name, ()))}
        return frozenset(column for column in table.columns if column.lower() not in found)

    def _select(self, name: str, where: str = "") -> str:
        """All columns of a table that the file has, as raw.sql names and types them."""
        table = read_raw()[name]
        lacking = self._lacking(table)
        has = {column: kind for column, kind in table.columns.items() if column not in lacking}
        shown = {column: f'"{column}"' for column in has} | _hidden(name, has)
        columns = ", ".join(shown.get(c, "NULL::" + kind) + f' AS "{c}"' for c, kind in table.columns.items())
        asked = [table, *(read_raw()[other] for other in SOURCE.findall(where))]
        if any(re.search(rf"\b{column}\b", where) for one in asked for column in self._lacking(one)):
            where = ""  # the file's own engine would not know the column
        source = f"FROM ({self._file.select(name, has, name in self.mended, where)})" if has else "WHERE false"
        return f"SELECT {columns} {source}"


def _hidden(table: str, columns: "Collection[str]") -> dict[str, str]:
    """The column whose cells can be variables of the environment, with the SQL that leaves these out."""
    found = conditions(table, ENVIRONMENT)
    if not found or "value" not in columns:
        return {}
    private = " OR ".join(found) if "name" in columns else "true"
    return {"value": f"CASE WHEN {private} THEN {literal(LEFT_OUT)} ELSE value END"}


def _empty(view: Query) -> str:
    columns = ", ".join(f"NULL::{c.type} AS {c.name}" for c in view.columns)
    return f"CREATE OR REPLACE TEMP VIEW {view.name} AS SELECT {columns} WHERE false"


def rows_of(view: Query) -> str:
    """The SELECT of a view; without rows where what it is kept for is not there."""
    return f"FROM ({view.sql}) WHERE {view.kept_if}" if view.kept_if else view.sql


def _stands_on(name: str) -> frozenset[str]:
    """The views and tables that a view reads, and those that these read."""
    sources = read_views()[name].sources if name in read_views() else frozenset()
    return sources.union(*map(_stands_on, sources))


def raw_tables(query: Query) -> frozenset[str]:
    """The raw tables that a query or view stands on, through its views."""
    views = read_views()
    found: set[str] = set()
    for name in query.sources:
        if name in views:
            found |= raw_tables(views[name])
        elif name in read_raw():
            found.add(name)
    return frozenset(found)
