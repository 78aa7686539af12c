"""Create an export's tables and views in DuckDB: NVIDIA's tables in one schema, then each view when first needed.

The raw tables are in the schemas of `raw_tables`, views in `main`; Python-computed views belong to one connection.
"""

import shutil
import uuid
from collections import Counter
from copy import copy
from functools import cache, cached_property
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from nsysql.analysis.window import ALWAYS, Window
from nsysql.capture import arrow_stream
from nsysql.capture.forms.source import STORED
from nsysql.capture.frame_views import (
    ROWS_PER_BATCH,
    RowsOfThreads,
    append,
    collect_batches,
    fingerprint,
    merge_parts,
    register,
    unregister,
)
from nsysql.capture.raw_tables import SCHEMAS, RawTables
from nsysql.catalog.packs import functions, read_views
from nsysql.catalog.query import Query
from nsysql.catalog.raw_schema import read_raw
from nsysql.catalog.requirements import raw_tables
from nsysql.privacy.rules import environment_texts
from nsysql.words.sql_text import literal

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import duckdb
    import polars

    from nsysql.capture.forms.source import Source

LEDGER = "_idle_piece"  # idle time of GPUs: NVTX filters do not narrow it to a thread
DIAGNOSIS = frozenset({"part", "_part_span"})  # views that all questions of findings read
FEW = 2**23  # bytes of an export whose rows are read whole: batches need pyarrow
MUCH = 2**26  # bytes of frames from which freeing those that are not needed again pays off


class Layout:
    """The raw tables and views created so far, on one connection to one file."""

    def __init__(self, con: "duckdb.DuckDBPyConnection", file: "Source", name_letters: int | None = None) -> None:
        self._con = con
        self._name_letters = name_letters  # how many letters of a name the view string has; all if None
        self._file = file
        self._whole: Layout | None = None  # the layout of the whole export, if this one is narrowed by a window
        self._is_whole = True
        self.window = ALWAYS
        self._created: set[str] = set()
        self._seen: set[str] = set()
        self._emptied: set[str] = set()
        self._spilled: dict[str, str] = {}
        self._computed: dict[str, polars.DataFrame] = {}
        self._is_without_environment = False
        self.raw = RawTables(file)
        self.memory_budget, self.folder = float("inf"), Path()
        con.execute(functions())
        for schema in SCHEMAS:
            con.execute(f"CREATE SCHEMA {schema}")
        self._cut_names()

    def for_connection(
        self, con: "duckdb.DuckDBPyConnection", is_whole: bool, window: Window | None = None
    ) -> "Layout":
        """Return the layout of another connection to the database, which sees the whole export or a window of it.

        SQL views are shared with it, Python-computed views are not.
        """
        other = copy(self)
        if window is not None:
            other._whole, other.window = self, window
        other._con, other._is_whole, other._seen, other._spilled, other._computed = con, is_whole, set(), {}, {}
        other._emptied = set()
        other._cut_names()
        return other

    def _cut_names(self) -> None:
        """Set how many letters of long names the connection reads."""
        if self._name_letters is not None:
            self._con.execute(f"SET VARIABLE name_letters = {int(self._name_letters)}")

    def create(self, names: frozenset[str], empty: frozenset[str] = frozenset()) -> None:
        """Create the raw tables and views of those names and all that they read; views in `empty` get no rows."""
        views = read_views()
        for name in sorted(map(self._spelled, names), key=_place_in_order):
            if name in self._seen:  # including views computed together with an earlier one
                continue
            if name in empty:
                self._con.execute(_empty(views[name]))
                self._emptied.add(name)
                continue
            if name in self._emptied:  # it would hide the view
                self._con.execute(f"DROP VIEW IF EXISTS temp.{name}")
                self._emptied.discard(name)
            view = views.get(name)
            if view is not None and self._is_of_whole(name):
                self._clip(view)
            elif view is not None and self._is_stored(name):
                self._con.execute(f"CREATE OR REPLACE TEMP VIEW {name} AS FROM {STORED}.{name}")
                self._seen.add(name)
            elif view is not None and view.engine.computed_by:  # its function asks for what it needs
                self._compute(view)
            else:
                self.create(frozenset() if view is None else view.sources)
                if view is not None and view.engine.is_table:
                    self._keep(view)
                elif self._knows(name) and name not in self._created:
                    self._con.execute(self._definition(name))
                    self._created.add(name)
                self._seen.add(name)

    def copy_often_read(self, names: frozenset[str], empty: frozenset[str]) -> None:
        """Copy long event tables to disk that these views, with those that they read, ask for more than once.

        This is only done for findings, which begin with the parts of a capture and ask many questions: a copy is
        scanned a hundred times faster than the export. For 1.2 GB summary takes 40 s with copies, 50 s without, but
        operators 37 s and 31 s. Views in `empty` read nothing. Without enough disk space nothing is copied.
        """
        if not self.raw.streamed or DIAGNOSIS.isdisjoint(names.union(*map(stands_on, names))):
            return
        views = self._missing(names - empty, empty)
        often = [
            view for view in map(read_views().__getitem__, views) if not (view.engine.pushdown or view.engine.table_if)
        ]
        readers = Counter(table for view in often for table in view.sources & self.raw.streamed)
        for table in sorted(table for table, count in readers.items() if count > 1):
            if shutil.disk_usage(self.folder.parent).free > self._file.size_bytes:
                self.create(frozenset({table}))
                copied = self._spill_table(table)
                self._con.execute(f"CREATE TABLE {copied} AS {self.raw.select(table)}")
                self._con.execute(self.raw.read_from(copied, table))

    def _missing(self, names: frozenset[str], empty: frozenset[str]) -> frozenset[str]:
        """Return the views among these, and those that they read, whose rows do not exist yet."""
        missing, waiting = set[str](), {*names}
        while waiting:
            name = waiting.pop()
            if name in read_views() and (name not in self._seen or name in self._created):
                missing.add(name)
                waiting |= read_views()[name].sources - missing - empty
        return frozenset(missing)

    def _is_of_whole(self, name: str) -> bool:
        """Tell whether a view keeps the rows of the whole export although this layout is narrowed by a window."""
        engine = read_views()[name].engine
        return self._whole is not None and (engine.is_whole or engine.is_clipped)

    def _clip(self, view: Query) -> None:
        """Create a view from its rows in the whole export, cut off at the window if the view is `clipped`.

        The evidence for a gap precedes it: narrowed tables would lack it.
        """
        assert self._whole is not None
        narrow = self.window.clipped if view.engine.is_clipped else None
        self._take(view.name, self._whole(view.name, narrow=narrow), is_more=False)

    def _knows(self, name: str) -> bool:
        return name in read_views() or name in read_raw() or name in self._file.tables

    def _spelled(self, name: str) -> str:
        """Return a name as its view or table spells it: SQL may write it in another case."""
        return name if self._knows(name) else self._in_small_letters.get(name.lower(), name)

    @cached_property
    def _in_small_letters(self) -> dict[str, str]:
        return {name.lower(): name for name in (*self._file.tables, *read_views(), *read_raw())}

    def leave_environment_out(self, names: frozenset[str]) -> None:
        """Hide texts of the environment from SQL that is not ours and reads these names.

        Our own SQL only reads texts that events refer to, so it need not search for the environment.
        """
        if self._is_without_environment or not {"stringids", "string"} & {name.lower() for name in names}:
            return
        if self.raw.left_out is None:
            self.raw.left_out = environment_texts(self._con, self._file)
            if self.raw.left_out and "StringIds" in self._created:
                self._con.execute(self.raw.define_anew("StringIds"))
        self._is_without_environment = True
        if self.raw.left_out and "string" in self._seen:
            self._seen.discard("string")
            is_view = self._con.execute("FROM duckdb_views() WHERE view_name = 'string' AND temporary").fetchall()
            self._con.execute(f"DROP {'VIEW' if is_view else 'TABLE'} temp.string")

    def create_at_moments(self, tables: frozenset[str], moments: list[int]) -> None:
        """Create the rows of those raw tables that are in progress at one of the moments, in schema at_moments."""
        for name in sorted(tables & self._file.tables.keys()):
            if sql := self.raw.define_at_moments(name, moments):
                self._con.execute(sql)

    def _keep(self, view: Query) -> None:
        """Create a view as a table of this connection only: its rows can depend on the window."""
        if view.engine.table_if and not self._con.execute(f"SELECT {view.engine.table_if}").fetchall()[0][0]:
            self._con.execute(_empty(view))
        else:
            self._con.execute(f"{self.raw.define_before(view)} CREATE TEMP TABLE {view.name} AS {view.sql}")

    def _definition(self, name: str) -> str:
        if name not in read_views():
            return self.raw.define(name)
        view = read_views()[name]
        return f"{self.raw.define_before(view)} CREATE VIEW main.{name} AS {rows_of(view)}"

    def _compute(self, view: Query) -> None:
        """Create a view whose rows Python computes from other views, and those that the same function computes."""
        module, _, function = (view.engine.computed_by or "").rpartition(".")
        started: set[str] = set()
        try:
            frames = getattr(import_module(module), function)(self)
            for name, frame in merge_parts([frames] if isinstance(frames, dict) else frames):
                if self._is_of_whole(name):
                    continue
                self._take(name, frame, is_more=name in started)
                started.add(name)
                del frame
        except BaseException:  # a partly computed view does not count as created
            self._seen -= started
            for name in started:
                self._computed.pop(name, None)
                self._spilled.pop(name, None)
            raise

    def _take(self, name: str, frame: "polars.DataFrame", is_more: bool) -> None:
        """Add rows that Python computed for a view; `is_more` if it has some already."""
        self._computed.pop(name, None)
        if is_more:
            self._extend(name, frame)
            return
        is_copied = read_views()[name].engine.is_table or "String" in map(
            str, frame.dtypes
        )  # into a table, or by Arrow
        if not is_copied:  # two copies are too many
            self._computed[name] = frame
        self._place(name, frame)
        self._seen.add(name)

    def _is_stored(self, name: str) -> bool:
        """Tell whether the DuckDB file has this view as a table written by this version of nsysql."""
        if name == "string" and self.raw.left_out:
            return False
        stored = self._file.stored().get(name)
        return self._is_whole and stored is not None and stored == fingerprint()

    def _place(self, name: str, frame: "polars.DataFrame") -> None:
        register(self._con, name, frame)

    def _extend(self, name: str, frame: "polars.DataFrame") -> None:
        if name not in self._spilled:
            self._spilled[name] = self._spill_table(name)
        append(self._con, name, frame, self._spilled[name])

    def __call__(
        self,
        view: str,
        *columns: str,
        narrow: "Callable[[polars.DataFrame], polars.DataFrame] | None" = None,
        stream: bool = False,
        which: str = "",
    ) -> "polars.DataFrame":
        """Return these columns of a view as a polars frame, all if none are named.

        `narrow` reduces each batch to a copy, and the batch is freed. With `stream` batches are read one by one, so
        that their rows are never all in memory. DuckDB 1.5 does that reliably for rows of one table; for a UNION ALL
        it can deadlock, which is why execute() is not used here.
        `which` follows the view's name in SQL: a condition, an order. Without it all rows are read.
        """
        source = self._source_of(view)
        if view in self._computed and not which:
            known = self._computed[view].select(columns) if columns else self._computed[view]
            return narrow(known) if narrow else known
        rows = self._con.sql(f"SELECT {', '.join(columns) or '*'} FROM {source} {which}")
        if narrow is None:
            return arrow_stream.frame(rows)
        if not self._file.tables or self._file.size_bytes < FEW:  # a check of queries has no file
            return narrow(arrow_stream.frame(rows))
        return collect_batches(
            arrow_stream.reader(rows, ROWS_PER_BATCH) if stream else rows.to_arrow_table(arrow_stream.ROWS), narrow
        )

    def _source_of(self, name: str) -> str:
        """Return what to read a view's rows from: its SELECT if it does not exist, as creating it costs a plan more."""
        view = read_views()[name]
        engine = view.engine
        if (
            self._is_of_whole(name)
            or name in self._seen | self._created
            or engine.computed_by
            or engine.is_table
            or self._is_stored(name)
        ):
            self.create(frozenset({name}))
            return self._spilled.get(name, name)
        self.create(view.sources)
        if before := self.raw.define_before(view):
            self._con.execute(before)
        return f"({rows_of(view)})"

    def of_threads(self, view: str) -> "Mapping[object, polars.DataFrame]":
        """Return the rows of each thread of a view that Python computes, in order; those on disk are read when needed.

        Rows without a thread are left out.
        """
        from nsysql.analysis.global_ids import of_threads

        if self._whole is not None and read_views()[view].engine.is_whole:
            return self._whole.of_threads(view)
        self.create(frozenset({view}))
        if view in self._computed:
            return of_threads(self._computed[view])
        return RowsOfThreads(self._con, self._spilled.get(view, f"{STORED}.{view}"))

    def once(self, view: str, *columns: str) -> "polars.DataFrame":
        """Return these columns of a view, and free what Python computed for them if it is large.

        Rows spilled to disk stay there. A freed view is computed again when it is needed again.
        """
        known = set(self._seen)
        rows, views = self(view, *columns), read_views()
        made = {name for name in self._seen - known if name in views}
        frames = {name for name in made if views[name].engine.computed_by or name in self._computed}
        size = sum(self._computed[name].estimated_size() for name in frames & self._computed.keys())
        if size >= MUCH and not made & self._spilled.keys():
            for name in frames:
                self._computed.pop(name, None)
                unregister(self._con, name)
            self._seen -= frames | {name for name in made if not views[name].engine.is_table}
        return rows

    def rows(self, view: str, besides: frozenset[str] = frozenset()) -> int:
        """Count, from metadata, the rows of event tables that a view reads, except those read through `besides`."""
        tables = raw_tables(read_views()[view], besides) & self._file.tables.keys()
        return sum(self._file.count(name) for name in tables if "start" in read_raw()[name].columns)

    def spill(self, view: str, *order: str, most: int | None = None) -> None:
        """Store a view, or `most` rows of it, as a table on disk, in a database in the folder where DuckDB spills."""
        if view not in self._spilled:
            self.create(read_views()[view].sources)
            table = self._spill_table(view)
            ordered = f" ORDER BY {', '.join(order)}" if order else ""
            rows = read_views()[view].sql if most is None else f"FROM ({read_views()[view].sql}) LIMIT {most}"
            self._con.execute(f"CREATE TABLE {table} AS FROM ({rows}){ordered}")
            self._con.execute(f"CREATE OR REPLACE TEMP VIEW {view} AS FROM {table}")
            self._spilled[view] = table
            self._seen.add(view)

    def read_spilled(self, view: str, first: int, end: int, *columns: str) -> "polars.DataFrame":
        """Return the rows of a spilled view from position `first` to before `end`, in order; all columns if none."""
        rows = f"FROM {self._spilled[view]} WHERE rowid >= {first} AND rowid < {end} ORDER BY rowid"
        return arrow_stream.frame(self._con.sql(f"SELECT {', '.join(columns) or '*'} {rows}"))

    def _spill_table(self, view: str) -> str:
        """Return a name for a table on disk for a view's rows as this connection sees them."""
        self.folder.mkdir(exist_ok=True)
        file = literal(str(self.folder / "spilled.duckdb"))
        self._con.execute(f"ATTACH IF NOT EXISTS {file} AS spilled (RECOVERY_MODE no_wal_writes)")
        return f"spilled.main.{view}_{uuid.uuid4().hex}"

    def null_bad_cells(self) -> bool:
        """Create tables with cells of a wrong type again and count these cells; return whether any table was checked.

        If no cell is wrong, DuckDB failed on a cell of another type that can still be read: then all are created again.
        """
        bad = self.raw.bad_cells
        present = sorted(self._created.intersection(self._file.tables) - bad.keys())
        wrong = {name: self._file.wrong_cells(name, self.raw.table(name).columns) for name in present}
        for name, cells in wrong.items():
            if cells or not any(wrong.values()):
                bad[name] = cells
                self._con.execute(self.raw.define_anew(name))
        return bool(present)


def _empty(view: Query) -> str:
    columns = ", ".join(f"NULL::{c.type} AS {c.name}" for c in view.columns)
    return f"CREATE OR REPLACE TEMP VIEW {view.name} AS SELECT {columns} WHERE false"


def rows_of(view: Query) -> str:
    """Return the view's SELECT; it has no rows unless the view's condition holds."""
    return f"FROM ({view.sql}) WHERE {view.engine.table_if}" if view.engine.table_if else view.sql


def _place_in_order(name: str) -> tuple[bool, bool, str]:
    """Sort the ledger and its readers first: it needs most memory, and steps read its launches. Then computed views."""
    is_computed = name in read_views() and read_views()[name].engine.computed_by is not None
    return LEDGER not in {name} | stands_on(name), not is_computed, name


@cache
def stands_on(name: str) -> frozenset[str]:
    """Return the views and tables that a view reads, directly or through others."""
    sources = read_views()[name].sources if name in read_views() else frozenset()
    return sources.union(*map(stands_on, sources))
