"""Collect what the file of an open export states about itself: the capture, the tables, and their defects."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nsysql.capture.capture_info import Info, Session, read_info, read_session
from nsysql.capture.connection import FAILURES, Engine
from nsysql.capture.forms.source import Source
from nsysql.capture.forms.sqlite_rows import WRONG_CELL
from nsysql.catalog import requirements
from nsysql.catalog.raw_schema import read_raw
from nsysql.errors import NsysqlError, QueryError, explain_failure
from nsysql.privacy.rules import launcher_rank
from nsysql.words.sql_text import first_line

if TYPE_CHECKING:
    import duckdb

    from nsysql.capture.layout import Layout


FIRST = 2048  # rows
NEVER_ZERO = frozenset({"end", "globalTid", "globalPid", "eventType", "correlationId"})
EMPTY_AT_TIMES = {("NVTX_EVENTS", "end"), ("CUPTI_ACTIVITY_KIND_MEMCPY", "correlationId")}  # marks; migrations
NAMES = ("nameId", "textId", "demangledName", "shortName")  # columns that refer to texts
SAMPLES = "GPU_METRICS"
MANY = 200_000  # rows of a table above which only samples of it are checked
STRETCHES, STRETCH = 16, 2000  # number of samples, and rows of each
KNOWN = "SELECT DISTINCT id AS known FROM string WHERE text IS NOT NULL"


EVENTS, SCHEMAS = "NVTX_EVENTS", "NVTX_PAYLOAD_SCHEMA_ENTRIES"
NEEDED = {EVENTS: {"globalTid", "binaryData"}, SCHEMAS: {"schemaId", "name", "type", "offset", "idx"}}


@dataclass(frozen=True)
class Payloads:
    """Bytes that NCCL, or another library, attached to NVTX ranges, and the schemas that explain them.

    Only SQLite exports of `nsys export --include-blobs=true` have them. Their column is declared as text, so SQLite
    itself converts the bytes to hexadecimal. `rows`: row of the range, pid, bytes as a hexadecimal number. `fields`:
    schema, name, NVIDIA's type, offset.
    """

    rows: list[tuple[int, int, str]]
    fields: list[tuple[int, str, int, int]]


def read_payloads(file: "Source") -> Payloads:
    """Read the payloads of an open export; empty if it has none."""
    from nsysql.capture.forms.sqlite import SqliteFile

    has_all = all(columns <= file.tables.get(table, {}).keys() for table, columns in NEEDED.items())
    if not has_all or not isinstance(file, SqliteFile):
        return Payloads([], [])
    fields = file.rows(
        f"SELECT DISTINCT schemaId, name, type, coalesce(offset, 0) FROM {SCHEMAS} "
        "WHERE name IS NOT NULL AND (offset IS NOT NULL OR idx = 0) AND typeof(type) = 'integer'"
    )
    if not fields:
        return Payloads([], [])
    rows = file.rows(
        f"SELECT rowid, (globalTid >> 24) & 16777215, hex(binaryData) FROM {EVENTS} "
        "WHERE typeof(binaryData) = 'blob' AND globalTid IS NOT NULL"
    )
    return Payloads(rows, fields)


def read_all(
    con: "duckdb.DuckDBPyConnection", layout: "Layout", file: "Source"
) -> tuple[dict[str, int], dict[str, str]]:
    """Read all cells: return tables with their row counts, and those that cannot be read with the reason."""
    import duckdb

    rows: dict[str, int] = {}
    damaged: dict[str, str] = {}
    for name in (name for name in read_raw() if name in file.tables):
        try:
            layout.create(frozenset({name}))
            cells = ", ".join(f'count("{column}")' for column in read_raw()[name].columns)
            rows[name] = con.execute(f'SELECT count(*), {cells} FROM unfiltered."{name}"').fetchall()[0][0]
        except duckdb.Error as error:
            if WRONG_CELL in str(error) and name not in layout.raw.bad_cells:
                raise  # cells of a wrong type can be read as NULL: the engine does that, and retries
            damaged[name] = str(file.damage(error) or first_line(error))
    return rows, damaged


class ExportFacts:
    """The facts of one open export, each read once, when first used; defects are looked for once in each table."""

    def __init__(self, path: Path, file: Source, engine: Engine) -> None:
        self._path, self._file, self._engine = path, file, engine
        self._empty: dict[str, frozenset[str]] = {}
        self._is_nameless: dict[str, bool] = {}
        self._lost: dict[frozenset[str], tuple[int, int]] = {}

    @cached_property
    def info(self) -> Info:
        """The capture's file, versions, length and tables with rows."""
        with self._file.unchanged.during():
            return read_info(self._file)

    @cached_property
    def session(self) -> Session:
        """The time and host of the capture."""
        with self._file.unchanged.during():
            return read_session(self._file)

    @cached_property
    def payloads(self) -> Payloads:
        """The payloads of NVTX ranges: NVIDIA's bytes and the schemas that explain them."""
        with self._file.unchanged.during():
            return read_payloads(self._file)

    @cached_property
    def launcher_rank(self) -> tuple[int, str] | None:
        """The rank that the launcher gave the program, and its variable; the rest of the environment is not read."""
        try:
            return self._engine.run(lambda: launcher_rank(self._engine.kept()[0], self._file))
        except FAILURES as error:
            raise QueryError(f"{self._path} cannot be read: {explain_failure(error) or error}.") from None

    @property
    def tables(self) -> Mapping[str, Mapping[str, str]]:
        """NVIDIA's tables, each with its columns and their types in the file."""
        return {name: columns for name, columns in self._file.tables.items() if not name.startswith("sqlite_")}

    @property
    def wrong_cells(self) -> Mapping[str, int]:
        """Tables in which cells of a wrong type were met so far, with the number of such cells."""
        return {table: cells for table, cells in self._engine.layout.raw.bad_cells.items() if cells}

    def problems(self, tables: frozenset[str]) -> list[str]:
        """Return sentences about defects in these tables.

        Defects are missing columns that every nsys writes, missing names, and cells of a wrong type met so far.
        """
        wrong = {table: count for table, count in self.wrong_cells.items() if table in tables}
        cells = [f"{n:,} of the cells of {t} are not of their column's type; read as NULL" for t, n in wrong.items()]
        return [*self._defects(tables), *cells]

    def read_all(self) -> tuple[dict[str, int], dict[str, str]]:
        """Read every cell that nsysql can use: tables with row counts, and the unreadable ones with the reason."""
        try:
            return self._engine.run(lambda: read_all(*self._engine.kept(), self._file))
        except FAILURES as error:
            raise QueryError(f"{self._path} cannot be read: {explain_failure(error) or error}.") from None

    def _defects(self, tables: frozenset[str]) -> Iterator[str]:
        for look in (self._lost_columns, self._lost_names, self._wrapped_samples):
            try:
                yield from self._engine.run(lambda look=look: look(tables))  # type: ignore[misc]
            except (*FAILURES, NsysqlError) as error:
                why = explain_failure(error) or str(error).strip().partition("\n")[0]
                yield f"what else the export lacks cannot be found out: {why}"

    def filled(self, tables: Collection[str]) -> dict[str, list[str]]:
        """Return the columns of these tables, except those that every nsys fills but that have no value in any row."""
        return self._engine.run(lambda: self._filled(tables))

    # Columns -------------------------------------------------------------------------------------

    def _lost_columns(self, tables: Collection[str]) -> list[str]:
        return requirements.absent_column_notes(self._filled(tables))

    def _filled(self, tables: Collection[str]) -> dict[str, list[str]]:
        present = sorted(self._file.tables.keys() & tables & read_raw().keys())
        empty = {table: self._empty_columns(table) for table in present if self._file.has_rows(table)}
        return {t: [c for c in self._file.tables[t] if c.lower() not in empty.get(t, ())] for t in present}

    def _empty_columns(self, table: str) -> frozenset[str]:
        """Return the columns, in lower case, that every nsys fills but that have no value in any row."""
        if table not in self._empty:
            has = {column.lower() for column in self._file.tables[table]}
            columns = [
                column
                for column in read_raw()[table].columns
                if column in requirements.ALWAYS and column.lower() in has and (table, column) not in EMPTY_AT_TIMES
            ]
            few = self._without_value(columns, f'(FROM unfiltered."{table}" LIMIT {FIRST})', table)
            self._empty[table] = frozenset(map(str.lower, self._without_value(few, f'unfiltered."{table}"', table)))
        return self._empty[table]

    def _without_value(self, columns: list[str], rows: str, table: str) -> list[str]:
        """Return those of the columns that have no value in all these rows: NULL, or 0 if the column is never 0."""
        if not columns:
            return []
        has_value = [f'"{c}" <> 0' if c in NEVER_ZERO else f'"{c}" IS NOT NULL' for c in columns]
        cells = ", ".join(f"coalesce(bool_or({condition}), false)" for condition in has_value)
        (counts,) = self._ask(f"SELECT {cells} FROM {rows}", table)
        return [column for column, has in zip(columns, counts, strict=True) if not has]

    # Names ---------------------------------------------------------------------------------------

    def _lost_names(self, tables: Collection[str]) -> list[str]:
        if "StringIds" not in tables:
            return []
        named = frozenset(table for table in tables if self._names(table) and self._file.has_rows(table))
        if not any(self._lacks_names(table) for table in sorted(named)):
            return []
        lost, used = self._count(named)
        names = f"{lost:,} of {used:,} names {'is' if lost == 1 else 'are'}"
        return [
            f"{names} missing from StringIds: causes, and rows chosen by name, may be wrong"
        ] if lost else []  # fmt: skip

    def _names(self, table: str) -> list[str]:
        """Return the columns of an event table that refer to StringIds."""
        columns = read_raw()[table].columns if table in read_raw() else {}
        return [column for column in NAMES if column in columns and "start" in columns]

    def _lacks_names(self, table: str) -> bool:
        """Tell whether some of the sampled rows have a name that StringIds lacks."""
        if table not in self._is_nameless:
            sql = f"SELECT 1 FROM ({self._used(table, self._some(table))}) ANTI JOIN ({KNOWN}) ON id = known"
            self._is_nameless[table] = bool(self._ask(f"{sql} WHERE id IS NOT NULL LIMIT 1", table, "string"))
        return self._is_nameless[table]

    def _count(self, tables: frozenset[str]) -> tuple[int, int]:
        """Count the names that these tables use: how many are missing, and how many there are."""
        if tables not in self._lost:
            used = " UNION ".join(self._used(table, [f'unfiltered."{table}"']) for table in sorted(tables))
            counts = f"SELECT count(*) - count(known), count(*) FROM ({used}) LEFT JOIN ({KNOWN}) ON id = known"
            (self._lost[tables],) = self._ask(f"{counts} WHERE id IS NOT NULL", *tables, "string")
        return self._lost[tables]

    def _used(self, table: str, rows: list[str]) -> str:
        """Return a SELECT of `id`, the numbers of the names in rows of a table."""
        names = ", ".join(f'"{column}"' for column in self._names(table))
        return " UNION ".join(f"SELECT DISTINCT unnest([{names}]) AS id FROM {some}" for some in rows)

    def _some(self, table: str) -> list[str]:
        """Return relations with rows of a table: all rows, or samples spread over it."""
        count = self._file.count(table)
        if count <= MANY:
            return [f'unfiltered."{table}"']
        columns = {"rowid": "BIGINT"} | dict.fromkeys(self._names(table), "BIGINT")
        has = {"rowid", *(column.lower() for column in self._file.tables[table])}
        columns = {column: kind for column, kind in columns.items() if column.lower() in has}
        begins = (1 + (count - STRETCH) * i // (STRETCHES - 1) for i in range(STRETCHES))
        wheres = [f"rowid BETWEEN {begin} AND {begin + STRETCH - 1}" for begin in begins]
        return [f"(FROM ({self._file.select(table, columns, True, where)}) WHERE {where})" for where in wheres]

    # Samples -------------------------------------------------------------------------------------

    def _wrapped_samples(self, tables: Collection[str]) -> list[str]:
        """Count samples of GPU metrics that view gpu_metric leaves out."""
        if SAMPLES not in tables or not self._file.has_rows(SAMPLES):
            return []
        sql = f"SELECT count(*) FILTER (WHERE value < 0), count(*) FROM unfiltered.{SAMPLES}"
        [(wrapped, taken)] = self._ask(sql, SAMPLES)
        what = f"{wrapped:,} of {taken:,} samples of GPU metrics are below 0, as counters that wrapped around are"
        return [f"{what}: they are left out"] if wrapped else []

    def _ask(self, sql: str, *names: str) -> list[tuple[Any, ...]]:
        con, layout = self._engine.kept()
        layout.create(frozenset(names))
        return con.execute(sql).fetchall()
