"""What the file of an open export says of itself: the capture, the tables, and what is wrong with them."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from nsysql.capture.capture_info import Info, Session, read_info, read_session
from nsysql.capture.connection import FAILURES, Engine
from nsysql.capture.data_problems import DataProblems
from nsysql.capture.failures import explain_failure
from nsysql.capture.forms.source import Source
from nsysql.capture.forms.sqlite_rows import WRONG_CELL
from nsysql.catalog.raw_schema import read_raw
from nsysql.errors import QueryError
from nsysql.privacy.environment import launcher_rank
from nsysql.words.sql_text import first_line

if TYPE_CHECKING:
    import duckdb

    from nsysql.capture.layout import Layout

EVENTS, SCHEMAS = "NVTX_EVENTS", "NVTX_PAYLOAD_SCHEMA_ENTRIES"
NEEDED = {EVENTS: {"globalTid", "binaryData"}, SCHEMAS: {"schemaId", "name", "type", "offset", "idx"}}


@dataclass(frozen=True)
class Payloads:
    """Bytes that NCCL, or another library, left with NVTX ranges, and the schemas that explain them.

    Only SQLite exports of `nsys export --include-blobs=true` have them. A column that is declared as text holds the
    bytes, so SQLite itself spells them as hexadecimal numbers.
    `rows`: row of the range, pid, bytes as a hexadecimal number. `fields`: schema, name, NVIDIA's type, offset.
    """

    rows: list[tuple[int, int, str]]
    fields: list[tuple[int, str, int, int]]


def read_payloads(file: "Source") -> Payloads:
    """The payloads of an open export; nothing where it has none."""
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
    """Tables with their rows, and those that cannot be read with the reason."""
    import duckdb

    rows: dict[str, int] = {}
    damaged: dict[str, str] = {}
    for name in read_raw():
        if name not in file.tables:
            continue
        try:
            layout.create(frozenset({name}))
            rows[name] = _rows(con, name)
        except duckdb.Error as error:
            if WRONG_CELL in str(error) and name not in layout.raw.bad_cells:
                raise  # cells of a wrong type can be read as NULL: the engine does that, and asks again
            damaged[name] = str(file.damage(error) or first_line(error))
    return rows, damaged


def _rows(con: "duckdb.DuckDBPyConnection", name: str) -> int:
    """The rows of a raw table, all its cells read."""
    cells = ", ".join(f'count("{column}")' for column in read_raw()[name].columns)
    count: int = con.execute(f'SELECT count(*), {cells} FROM unfiltered."{name}"').fetchall()[0][0]
    return count


class ExportFacts:
    """The facts of one open export, each looked up once, when it is asked for."""

    def __init__(self, path: Path, file: Source, engine: Engine) -> None:
        self._path, self._file, self._engine = path, file, engine
        self._problems = DataProblems(file, engine)

    @cached_property
    def info(self) -> Info:
        """What was captured: file, versions, length, tables with rows."""
        with self._file.unchanged.during():
            return read_info(self._file)

    @cached_property
    def session(self) -> Session:
        """When and where the capture was taken."""
        with self._file.unchanged.during():
            return read_session(self._file)

    @cached_property
    def payloads(self) -> Payloads:
        """The payloads of NVTX ranges, as NVIDIA's bytes and the schemas that explain them."""
        with self._file.unchanged.during():
            return read_payloads(self._file)

    @cached_property
    def launcher_rank(self) -> tuple[int, str] | None:
        """The rank that the launcher gave the program, and its variable; nothing else is read of the environment."""
        try:
            return self._engine.run(lambda: launcher_rank(self._engine.plain()[0], self._file))
        except FAILURES as error:
            raise QueryError(f"{self._path} cannot be read: {explain_failure(error) or error}.") from None

    @property
    def tables(self) -> Mapping[str, Mapping[str, str]]:
        """NVIDIA's tables, each with its columns and their types in the file."""
        return {name: columns for name, columns in self._file.tables.items() if not name.startswith("sqlite_")}

    def filled(self, tables: Collection[str]) -> Mapping[str, list[str]]:
        """The columns of these tables, without those that every nsys fills and that have no value in any row."""
        return self._problems.filled(tables)

    @property
    def wrong_cells(self) -> Mapping[str, int]:
        """Tables of which cells of a wrong type were met so far, with the number of such cells."""
        return {table: cells for table, cells in self._engine.layout.raw.bad_cells.items() if cells}

    def problems(self, tables: frozenset[str]) -> list[str]:
        """Sentences on what no export should have in these tables.

        They lack columns that every nsys writes, or names, or have cells of a wrong type; those met so far are named.
        """
        wrong = {table: count for table, count in self.wrong_cells.items() if table in tables}
        cells = [f"{n:,} of the cells of {t} are not of their column's type; read as NULL" for t, n in wrong.items()]
        return [*self._problems.sentences(tables), *cells]

    def read_all(self) -> tuple[dict[str, int], dict[str, str]]:
        """Read every cell that nsysql can ask for: tables with their rows, and those that fail with the reason."""
        try:
            return self._engine.run(lambda: read_all(*self._engine.plain(), self._file))
        except FAILURES as error:
            raise QueryError(f"{self._path} cannot be read: {explain_failure(error) or error}.") from None
