"""Convert an export to Parquet, Arrow or a DuckDB file, table by table, so that queries run faster.

Every table is written with all its columns, sorted by time, and with a column `rowid` for NVIDIA's order of rows.
DuckDB sorts, and spills to disk what does not fit in its memory limit.
"""

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from graphlib import TopologicalSorter
from pathlib import Path
from typing import TYPE_CHECKING

from nsysql.capture import arrow_stream
from nsysql.capture.connection import FAILURES, SMALL_EXPORT, Engine, hide_progress
from nsysql.capture.forms.source import type_of
from nsysql.capture.forms.sqlite_rows import WRONG_CELL
from nsysql.capture.frame_views import fingerprint, store
from nsysql.capture.layout import Layout, rows_of
from nsysql.catalog.packs import read_views
from nsysql.catalog.query import Query
from nsysql.catalog.raw_schema import read_raw
from nsysql.errors import NsysqlError, TooLarge, engine_of
from nsysql.privacy.rules import COMMAND, ENVIRONMENT, LEFT_OUT, conditions, environment_texts
from nsysql.words.sql_text import first_line, literal, quoted

if TYPE_CHECKING:
    import duckdb
    import polars
    import pyarrow as pa

    from nsysql.capture.forms.source import Source


FORMS = ("parquet", "arrow", "duckdb")
PRIVATE = (ENVIRONMENT, COMMAND)  # kinds that are left out unless requested
# A table is sorted by the first of these that it has.
TIMES = ("start", "timestamp", "rawTimestamp", "startedAt", "openedAt")
PLAIN_NAME = re.compile(r"\w[\w -]*")  # table names that can be file names
BLOCK_BYTES = {True: 2**14, False: 2**18}  # smallest size of a table in bytes; the key says whether the export is small
WITH_VIEWS = 3  # total work relative to that of the tables alone, if computed views are stored too
ROWS_PER_BATCH = 100_000  # rows in a record batch

OnProgress = Callable[[float], None]  # called with the fraction that is done, 0 to 1


@dataclass
class ConversionResult:
    """The outcome of a conversion: how many private entries were left out, by kind, and notes."""

    left_out: dict[str, int]
    notes: list[str]


def write(
    file: "Source", engine: Engine, target: Path, form: str, kept: Collection[str], on_progress: OnProgress | None
) -> ConversionResult:
    """Write all tables of an export to `target`, a new path; `kept` are the kinds in PRIVATE to include.

    Raises NsysqlError if a table cannot be read or written.
    """
    result = ConversionResult(dict.fromkeys((kind for kind in PRIVATE if kind not in kept), 0), [])
    tables = dict(_tables(file, result))
    sizes = {t: file.count(t) * len(columns) if on_progress else 0 for t, columns in tables.items()}
    done, total = 0, max(1, sum(sizes.values()) * (WITH_VIEWS if form == "duckdb" else 1))
    write_table = {"parquet": _write_parquet, "arrow": _write_arrow, "duckdb": _write_duckdb}[form]
    if form == "duckdb":
        size = BLOCK_BYTES[file.size_bytes < SMALL_EXPORT]
        engine.con.execute(f"ATTACH {literal(str(target))} AS out (BLOCK_SIZE {size}); CREATE SCHEMA out.nsys")
    else:
        target.mkdir()
    for table, columns in tables.items():

        def work(table: str = table, columns: dict[str, str] = columns) -> None:
            _convert_table(engine, file, table, columns, result, write_table, target)

        try:
            engine.run_interruptibly(work)
        except FAILURES as error:
            raise NsysqlError(f"{table} could not be converted: {first_line(error)}.") from None
        done += sizes[table]
        if on_progress:
            on_progress(done / total)
    if form == "duckdb":
        engine.run_interruptibly(lambda: engine.con.execute("DETACH out"))
        rest = on_progress and (lambda part: on_progress((done + part * (total - done)) / total))
        engine.run_interruptibly(lambda: _add_views(target, tables, engine, rest))
    return result


def _tables(file: "Source", result: ConversionResult) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield the tables to write and the types of their columns, from raw.sql if it lists them."""
    for table, declared in sorted(file.tables.items()):
        if table.startswith("sqlite_"):
            continue
        if not PLAIN_NAME.fullmatch(table):
            result.notes.append("a table was left out, since its name is not one that nsys gives.")
            continue
        known = {name.lower(): kind for name, kind in read_raw()[table].columns.items()} if table in read_raw() else {}
        yield table, {**{c: known.get(c.lower(), type_of(d)) for c, d in declared.items()}, "rowid": "BIGINT"}


def _convert_table(
    engine: Engine, file: "Source", table: str, columns: dict[str, str], result: ConversionResult,
    write_table: "Callable[[duckdb.DuckDBPyConnection, str, Path, str], None]", target: Path,
) -> None:  # fmt: skip
    """Write one table; cells of a wrong type become NULL and are counted."""
    order = next((f"{time}, rowid" for time in TIMES if time in columns), "rowid")

    def write(wrong_as_null: bool) -> None:
        private = [condition for kind in result.left_out for condition in conditions(table, kind)]
        rows = f"FROM ({file.select(table, columns, wrong_as_null)})"
        if private:
            rows += f" WHERE NOT ({' OR '.join(private) if 'name' in columns else 'true'})"
        if texts:
            among = ", ".join(map(str, sorted(texts)))
            cell = f"CASE WHEN id IN ({among}) THEN {literal(LEFT_OUT)} ELSE value END"
            rows = f"SELECT * REPLACE ({cell} AS value) {rows}"
        write_table(engine.con, f"{rows} ORDER BY {order}", target, table)

    _count_private(engine, file, table, columns, result.left_out)
    texts = environment_texts(engine.con, file) if table == "StringIds" and ENVIRONMENT in result.left_out else set()
    if texts:
        result.left_out[ENVIRONMENT] += len(texts)
    try:
        write(wrong_as_null=False)
    except FAILURES as error:
        if WRONG_CELL not in str(error):
            raise
        wrong = file.wrong_cells(table, columns)
        result.notes.append(f"{wrong:,} of the cells of {table} are not of their column's type; written as NULL.")
        write(wrong_as_null=True)


# Private data --------------------------------------------------------------------------------------


def _count_private(
    engine: Engine, file: "Source", table: str, columns: Mapping[str, str], counts: dict[str, int]
) -> None:
    for kind in counts:
        named = conditions(table, kind) if "name" in columns else []
        if named:
            rows = file.select(table, {"name": "VARCHAR"})
            counted = engine.con.execute(f"SELECT count(*) FROM ({rows}) WHERE {' OR '.join(named)}").fetchall()
            counts[kind] += int(counted[0][0])


# The formats ------------------------------------------------------------------------------------------


def _write_parquet(con: "duckdb.DuckDBPyConnection", select: str, target: Path, table: str) -> None:
    con.execute(f"COPY ({select}) TO {literal(str(target / f'{table}.parquet'))} (FORMAT parquet, COMPRESSION zstd)")


def _write_arrow(con: "duckdb.DuckDBPyConnection", select: str, target: Path, table: str) -> None:
    from pyarrow import ipc

    reader = arrow_stream.reader(arrow_stream.ask(con, select), ROWS_PER_BATCH)
    with ipc.new_file(target / f"{table}.arrow", reader.schema) as out:
        for batch in reader:
            out.write_batch(_without_remains(batch))


def _without_remains(batch: "pa.RecordBatch") -> "pa.RecordBatch":
    """Copy the batch: the bytes behind NULLs in DuckDB's buffers may be remains of private values."""
    import pyarrow as pa
    import pyarrow.compute as pc

    rows = pc.indices_nonzero(pa.repeat(True, len(batch)))
    columns = [column.take(rows) if column.null_count else column for column in batch.columns]
    return pa.record_batch(columns, schema=batch.schema)


def _write_duckdb(con: "duckdb.DuckDBPyConnection", select: str, target: Path, table: str) -> None:
    con.execute(f"CREATE TABLE out.nsys.{quoted(table)} AS {select}")


def _add_views(target: Path, tables: dict[str, dict[str, str]], engine: Engine, on_progress: OnProgress | None) -> None:
    """Create the views in a DuckDB file, for use with DuckDB alone; those that Python computes become tables."""
    import duckdb

    from nsysql.capture.forms.duckdb_file import SCHEMA, DuckdbFile

    with duckdb.connect(str(target), config=engine.settings()) as con:
        hide_progress(con)
        StoredLayout(con, DuckdbFile(target, tables, {}, prefix=f"{SCHEMA}.")).create_all(on_progress)


STORED_TOO = frozenset({"_activity_launch", "_nvtx_range_sum", "_nvtx_text_sum"})  # SQL views: read all of a table
TOO_LARGE = frozenset({"nvtx_push_pop_tree"})  # as large as the export itself


class StoredLayout(Layout):
    """The layout of a database that was just created from an export's tables."""

    def create_all(self, on_progress: Callable[[float], None] | None) -> None:
        """Create views that Python computes, those with `table` in their header, and STORED_TOO as tables.

        The rest are views.

        `on_progress` is called with the fraction that is done, 0 to 1. A view whose SQL fails as a table stays a view.
        A view that Python cannot compute, or that is too large, is left out, and so are those that read it.
        """
        for name in read_raw():
            self._define(name)
        order, left_out = _in_order(), set(TOO_LARGE)
        for number, name in enumerate(order):
            view = read_views()[name]
            if view.sources & left_out:
                left_out.add(name)
            elif view.engine.computed_by is None:
                self._define(name)
            elif name not in self._seen | left_out and not self._try_to_make(view, self._compute):
                left_out.add(name)
            self._forget(order[number + 1 :])
            if on_progress:
                on_progress((number + 1) / len(order))

    def _define(self, name: str) -> None:
        view = read_views().get(name)
        is_stored = view is not None and (view.engine.is_table or name in STORED_TOO)
        if view is None or not is_stored or not self._try_to_make(view, self._make_table):
            self._con.execute(self._definition(name))
        self._created.add(name)

    def _make_table(self, view: Query) -> None:
        """Store the rows of an SQL view as a table."""
        comment = f"COMMENT ON TABLE main.{view.name} IS '{fingerprint()}'"
        self._con.execute(f"{self.raw.define_before(view)} CREATE TABLE main.{view.name} AS {rows_of(view)}; {comment}")

    def _try_to_make(self, view: Query, make: Callable[[Query], None]) -> bool:
        """Create the table of a view and of those computed with it; False if the export's data makes that fail."""
        try:
            make(view)
        except Exception as error:
            if engine_of(error) is None and not isinstance(error, TooLarge):
                raise
            return False
        return True

    def _place(self, name: str, frame: "polars.DataFrame") -> None:
        # other views computed by the same function are stored when it is their turn
        if read_views()[name].engine.computed_by:
            store(self._con, name, frame, fingerprint())

    _extend = _place

    def _forget(self, rest: list[str]) -> None:
        """Free the frames that none of the remaining views is computed from."""
        needed = frozenset[str]().union(*(read_views()[name].sources for name in rest))
        for name in self._computed.keys() - needed:
            del self._computed[name]


def _in_order() -> list[str]:
    """Return the names of all views, each after those that it depends on."""
    sources = {name: sorted(view.sources & read_views().keys()) for name, view in read_views().items()}
    return [*TopologicalSorter(sources).static_order()]
