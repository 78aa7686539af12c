"""Laying an export out in DuckDB: NVIDIA's tables in one shape, then the views, each when first needed.

Schema `whole` has every table of raw.sql with all its columns, NULL or empty where the file has nothing;
schema `raw` is the same through the connection's window, if it has one; schema `near` has the rows that are
under way at one of a question's moments, schema `picked` those of which a view needs few; the views lie in `main`.

Cells of another type than their column's (SQLite keeps any value anywhere) make DuckDB's reader fail; tables
that have such cells are read through SQLite's own typeof() then, which is slower, and the cells are NULL.
"""

import re
import uuid
from copy import copy
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from nsysql.catalog.dependencies import raw_tables
from nsysql.catalog.packs import read_views
from nsysql.catalog.query_file import PUSHDOWN, SOURCE, Query
from nsysql.catalog.raw_schema import RawTable, read_raw
from nsysql.engine.fingerprint import fingerprint
from nsysql.engine.frame_views import ROWS_PER_BATCH, append, collect_batches, merge_parts, register
from nsysql.engine.time_window import condition, overlaps_moment
from nsysql.engine.unlisted_tables import hidden_cells, unlisted_table
from nsysql.privacy.environment import environment_texts
from nsysql.privacy.rules import ENVIRONMENT, LEFT_OUT, conditions
from nsysql.sources.source import STORED
from nsysql.sources.sql_text import first_line, literal

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    import duckdb
    import polars

    from nsysql.sources.source import Source

SCHEMAS = ("unfiltered", "raw", "at_moments", PUSHDOWN)  # of the raw tables: as the export has them, then parts of them


class Layout:
    """The raw tables and views created so far, on one connection to one file."""

    def __init__(self, con: "duckdb.DuckDBPyConnection", file: "Source", name_letters: int | None = None) -> None:
        self._con = con
        self._name_letters = name_letters  # that the view string has of a name; all if None
        self._file = file
        self._is_whole = True
        self._laid: set[str] = set()
        self._seen: set[str] = set()
        self._aside: dict[str, str] = {}
        self._computed: dict[str, polars.DataFrame] = {}
        self._environment: list[set[int]] = []  # once it was asked for: the numbers of its texts in StringIds
        self._is_without_environment = False
        self.bad_cells: dict[str, int] = {}
        self.memory_budget, self.folder = float("inf"), Path()
        for schema in SCHEMAS:
            con.execute(f"CREATE SCHEMA {schema}")
        self._cut_names()

    def for_connection(self, con: "duckdb.DuckDBPyConnection", is_whole: bool) -> "Layout":
        """The same for another connection to the database, which sees the whole export or through a window.

        What SQL created is shared, what Python computes is not.
        """
        other = copy(self)
        other._con, other._is_whole, other._seen, other._aside, other._computed = con, is_whole, set(), {}, {}
        other._cut_names()
        return other

    def _cut_names(self) -> None:
        """Tell the connection how much of long names to read."""
        if self._name_letters is not None:
            self._con.execute(f"SET VARIABLE name_letters = {int(self._name_letters)}")

    def create(
        self, names: frozenset[str], spared: frozenset[str] = frozenset(), later: frozenset[str] = frozenset()
    ) -> None:
        """Lay the raw tables and views of those names, and all that they stand on; those spared without rows.

        Views that come later have none yet, wherever they stand.
        """
        views, tables = read_views(), read_raw()
        others = self._file.tables.keys() - tables.keys()
        spelled = {name.lower(): name for name in (*others, *views, *tables)}
        known = views.keys() | tables.keys() | others  # a view and a table can differ in case alone
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
            if name in views and views[name].engine.computed_by:  # which asks for what it needs
                self._compute(views[name])
                continue
            if name in views:
                self.create(views[name].sources, later=later)
            if name in views and views[name].engine.is_table:
                self._keep(views[name])
            elif name in known and name not in self._laid:
                self._con.execute(self._definition(name))
                self._laid.add(name)
            if not later or not later & _stands_on(name):
                self._seen.add(name)

    def leave_environment_out(self, names: frozenset[str]) -> None:
        """Prepare for SQL that is not ours, which reads these: texts of the environment are left out of them.

        Our own SQL asks for none but the texts that events name, and need not look for those.
        """
        if self._is_without_environment or not {"stringids", "string"} & {name.lower() for name in names}:
            return
        if not self._environment:
            self._environment.append(environment_texts(self._con, self._file))
            if self._left_out and "StringIds" in self._laid:
                self._con.execute(f'DROP VIEW unfiltered."StringIds"; {self._table(read_raw()["StringIds"])}')
        self._is_without_environment = True
        if self._left_out and "string" in self._seen:
            self._seen.discard("string")
            is_view = self._con.execute("FROM duckdb_views() WHERE view_name = 'string' AND temporary").fetchall()
            self._con.execute(f"DROP {'VIEW' if is_view else 'TABLE'} temp.string")

    @property
    def _left_out(self) -> set[int]:
        return self._environment[0] if self._environment else set()

    def create_at_moments(self, tables: frozenset[str], moments: list[int]) -> None:
        """Lay in schema `near` the rows of those raw tables that are under way at one of the moments."""
        for name in sorted(tables & self._file.tables.keys()):
            if not {"start", "end"} <= {column.lower() for column in self._file.tables[name]}:
                continue
            where = overlaps_moment(moments)
            self._con.execute(
                f'CREATE OR REPLACE VIEW at_moments."{name}" AS FROM ({self._select(name, where)}) WHERE {where}'
            )

    def _keep(self, view: Query) -> None:
        """Lay a view as a table, each connection's own: its rows can hang on the window."""
        if view.engine.table_if and not self._con.execute(f"SELECT {view.engine.table_if}").fetchall()[0][0]:
            self._con.execute(_empty(view))
        else:
            self._con.execute(f"{self._picked(view)} CREATE TEMP TABLE {view.name} AS {view.sql}")

    def _picked(self, view: Query) -> str:
        """The rows that a view picks from a raw table, which SQLite itself seeks out."""
        if view.engine.pushdown is None:
            return ""
        table, where = view.engine.pushdown
        rows = self._select(table, where) if self._file.tables.get(table) else f'FROM unfiltered."{table}"'
        again = SOURCE.sub(r'FROM unfiltered."\1"', where)
        seen = f"SELECT * FROM (FROM ({rows}) WHERE {again}){condition(read_raw()[table])}"
        return f"CREATE OR REPLACE VIEW {PUSHDOWN}.{view.name} AS {seen};"

    def _definition(self, name: str) -> str:
        if name in read_views():
            view = read_views()[name]
            return f"{self._picked(view)} CREATE VIEW main.{name} AS {rows_of(view)}"
        table = self._raw(name)
        through = f'CREATE VIEW raw."{name}" AS SELECT * FROM unfiltered."{name}"{condition(table)}'
        return (
            f'{self._table(table)}; {through}; CREATE VIEW at_moments."{name}" AS FROM unfiltered."{name}" WHERE false'
        )

    def _compute(self, view: Query) -> None:
        """Lay a view whose rows Python computes from other views, and those computed or given along with it."""
        module = import_module(view.engine.computed_by or "")
        begun: set[str] = set()
        try:
            for name, frame in merge_parts(module.parts(self) if hasattr(module, "parts") else [module.compute(self)]):
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
        is_copied = read_views()[name].engine.is_table or "String" in map(
            str, frame.dtypes
        )  # into a table, or by Arrow
        if not is_copied:  # two are too many
            self._computed[name] = frame
        self._place(name, frame)
        self._seen.add(name)

    def slices(self, views: tuple[str, ...]) -> "Iterator[None]":
        """Lay views that one module computes with one slice of their rows after the other, once where known."""
        if self._seen.intersection(views) or self._is_stored(views[0]):
            self.create(frozenset(views))
            yield
            return
        for frames in import_module(read_views()[views[0]].engine.computed_by or "").slices(self):
            for name, frame in frames.items():
                self._place(name, frame)
            yield

    def _is_stored(self, name: str) -> bool:
        """Whether the rows of a view lie in the file, where this very nsysql put them."""
        if name == "string" and self._left_out:
            return False
        stored = self._file.stored().get(name)
        return self._is_whole and stored is not None and stored == fingerprint()

    def _place(self, name: str, frame: "polars.DataFrame") -> None:
        register(self._con, name, frame)

    def _extend(self, name: str, frame: "polars.DataFrame") -> None:
        if name not in self._aside:
            self._aside[name] = self._table_aside(name)
        append(self._con, name, frame, self._aside[name])

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
        self.create(frozenset({view}))
        if view in self._computed and not which:
            return narrow(self._computed[view]) if narrow else self._computed[view]
        rows = self._con.sql(f"FROM {self._aside.get(view, view)} {which}")
        if narrow is None:
            return rows.pl()
        return collect_batches(rows.to_arrow_reader(ROWS_PER_BATCH) if stream else rows.to_arrow_table(), narrow)

    def rows(self, view: str, besides: frozenset[str] = frozenset()) -> int:
        """How many events NVIDIA's tables have that a view reads, but through these others, without reading them."""
        tables = raw_tables(read_views()[view], besides) & self._file.tables.keys()
        return sum(self._file.count(name) for name in tables if "start" in read_raw()[name].columns)

    def spill(self, view: str, *order: str, most: int | None = None) -> None:
        """Make a view a table on disk, `most` rows of it, in a database in the folder where DuckDB spills."""
        if view not in self._aside:
            self.create(read_views()[view].sources)
            table = self._table_aside(view)
            ordered = f" ORDER BY {', '.join(order)}" if order else ""
            rows = read_views()[view].sql if most is None else f"FROM ({read_views()[view].sql}) LIMIT {most}"
            self._con.execute(f"CREATE TABLE {table} AS FROM ({rows}){ordered}")
            self._con.execute(f"CREATE OR REPLACE TEMP VIEW {view} AS FROM {table}")
            self._aside[view] = table
            self._seen.add(view)

    def read_spilled(self, view: str, first: int, end: int, *columns: str) -> "polars.DataFrame":
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
        damaged = {name: why for name in present if (why := self._failure(lambda n: self.create(frozenset({n})), name))}
        rows: dict[str, int] = {}
        for name in present:
            if name not in damaged and (why := self._failure(lambda n: rows.update({n: self._rows(n)}), name)):
                damaged[name] = why
        return rows, damaged

    def _rows(self, name: str) -> int:
        """The rows of a raw table, all its cells read."""
        cells = ", ".join(f'count("{column}")' for column in read_raw()[name].columns)
        count: int = self._con.execute(f'SELECT count(*), {cells} FROM unfiltered."{name}"').fetchall()[0][0]
        return count

    def _failure(self, act: "Callable[[str], None]", name: str) -> str | None:
        """Why DuckDB fails to do that with a table, or None; cells of a wrong type are for `mend`."""
        import duckdb

        try:
            act(name)
        except duckdb.Error as error:
            if "Mismatch Type Error" in str(error) and name not in self.bad_cells:
                raise
            return str(self._file.damage(error) or first_line(error))
        return None

    def null_bad_cells(self) -> bool:
        """Create tables anew that have cells of a wrong type; `mended` counts them. Whether there were any.

        Where none is wrong, a cell is of another type than its column's and can be read all the same: then all.
        """
        present = sorted(self._laid.intersection(self._file.tables) - self.bad_cells.keys())
        wrong = {name: self._file.wrong_cells(name, self._raw(name).columns) for name in present}
        for name, cells in wrong.items():
            if cells or not any(wrong.values()):
                self.bad_cells[name] = cells
                self._con.execute(f'DROP VIEW unfiltered."{name}"; {self._table(self._raw(name))}')
        return bool(present)

    def _raw(self, name: str) -> RawTable:
        """A table as raw.sql has it; one that it does not know with the columns of the file."""
        return read_raw().get(name) or unlisted_table(name, self._file.tables[name])

    def _table(self, table: RawTable) -> str:
        if not self._file.tables.get(table.name):
            columns = ", ".join(f'"{name}" {kind}' for name, kind in table.columns.items())
            return f'CREATE TABLE unfiltered."{table.name}" ({columns})'
        return f'CREATE VIEW unfiltered."{table.name}" AS {self._select(table.name)}'

    def _lacking(self, table: RawTable) -> frozenset[str]:
        """The columns of raw.sql that the file's table has not."""
        found = {"rowid", *(column.lower() for column in self._file.tables.get(table.name, ()))}
        return frozenset(column for column in table.columns if column.lower() not in found)

    def _select(self, name: str, where: str = "") -> str:
        """All columns of a table that the file has, as raw.sql names and types them; bytes with a condition alone.

        To read bytes SQLite has to spell them, which takes time for every row.
        """
        table = self._raw(name)
        lacking = self._lacking(table)
        left = lacking if where else lacking | {column for column, kind in table.columns.items() if kind == "BLOB"}
        has = {column: kind for column, kind in table.columns.items() if column not in left}
        hidden = _hidden if name in read_raw() else hidden_cells
        shown = {column: f'"{column}"' for column in has} | hidden(name, has)
        if name == "StringIds" and self._left_out:
            among = ", ".join(map(str, sorted(self._left_out)))
            shown["value"] = f"CASE WHEN id IN ({among}) THEN {literal(LEFT_OUT)} ELSE value END"
        columns = ", ".join(shown.get(c, "NULL::" + kind) + f' AS "{c}"' for c, kind in table.columns.items())
        asked = [table, *(read_raw()[other] for other in SOURCE.findall(where))]
        if any(re.search(rf"\b{column}\b", where) for one in asked for column in self._lacking(one)):
            where = ""  # the file's own engine would not know the column
        source = f"FROM ({self._file.select(name, has, name in self.bad_cells, where)})" if has else "WHERE false"
        return f"SELECT {columns} {source}"


def _hidden(table: str, columns: "Mapping[str, str]") -> dict[str, str]:
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
    return f"FROM ({view.sql}) WHERE {view.engine.table_if}" if view.engine.table_if else view.sql


def _stands_on(name: str) -> frozenset[str]:
    """The views and tables that a view reads, and those that these read."""
    sources = read_views()[name].sources if name in read_views() else frozenset()
    return sources.union(*map(_stands_on, sources))
