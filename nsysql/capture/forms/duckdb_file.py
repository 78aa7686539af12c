"""Read a DuckDB file made by `nsysql convert`: NVIDIA's tables in schema `nsys`, views for use with DuckDB alone."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nsysql.capture.forms.source import Source, select_typed
from nsysql.capture.forms.unchanged import Unchanged
from nsysql.errors import NotAnExport
from nsysql.words.sql_text import NOTHING_FETCHED, first_line, literal, of_nsys, quoted

if TYPE_CHECKING:
    import duckdb

MAGIC = slice(8, 12), b"DUCK"  # of the file's first bytes
SCHEMA = "nsys"


@dataclass
class DuckdbFile(Source):
    """An open DuckDB file. `fingerprints` has for each stored view the fingerprint of the nsysql that computed it."""

    path: Path
    tables: dict[str, dict[str, str]]
    counts: dict[str, int]
    fingerprints: dict[str, str] = field(default_factory=dict)
    prefix: str = f"file.{SCHEMA}."
    unchanged: Unchanged = field(default_factory=Unchanged)

    def __post_init__(self) -> None:
        """Store the absolute path, as the working directory may change."""
        self._place = self.path.absolute()

    @property
    def size_bytes(self) -> int:
        return self._place.stat().st_size

    def attach(self, con: "duckdb.DuckDBPyConnection") -> None:
        import duckdb

        try:
            con.execute(f"ATTACH {literal(str(self._place.resolve()))} AS file (TYPE duckdb, READ_ONLY)")
        except duckdb.Error as error:
            raise _unreadable(self.path, error) from None

    def select(self, table: str, columns: dict[str, str], wrong_as_null: bool = False, where: str = "") -> str:
        return select_typed(self.path, table, self.tables[table], columns, f"{self.prefix}{quoted(table)}", "rowid + 1")

    def values(self, table: str, *columns: str) -> list[tuple[Any, ...]]:
        return self._ask(f"SELECT {', '.join(columns)} FROM {self.prefix}{quoted(table)}")[0]

    def count(self, table: str) -> int:
        return self.counts.get(table, 0)

    def damage(self, error: Exception) -> NotAnExport | None:
        return _damaged(self.path) if _is_damage(error) else None

    def stored(self) -> dict[str, str]:
        return self.fingerprints

    def _ask(self, *questions: str) -> list[list[tuple[Any, ...]]]:
        import duckdb

        try:
            with self.unchanged.during(), duckdb.connect(config=NOTHING_FETCHED) as con:
                self.attach(con)
                con.execute("SET enable_external_access = false")  # a view in it could read any file
                return [con.execute(sql).fetchall() for sql in questions]
        except duckdb.Error as error:
            raise _unreadable(self.path, error) from None


def is_one(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return file.read(16)[MAGIC[0]] == MAGIC[1]
    except OSError:
        return False


def open_source(path: Path) -> DuckdbFile:
    file = DuckdbFile(path, {}, {}, unchanged=Unchanged([path]))
    within = f"WHERE database_name = 'file' AND schema_name = '{SCHEMA}'"
    with_fingerprint = "WHERE database_name = 'file' AND schema_name = 'main' AND comment IS NOT NULL"
    counts, columns, fingerprints = file._ask(
        f"SELECT table_name, estimated_size FROM duckdb_tables() {within}",
        f"SELECT table_name, column_name, data_type FROM duckdb_columns() {within} ORDER BY table_name, column_index",
        f"SELECT table_name, comment FROM duckdb_tables() {with_fingerprint}",
    )
    file.counts.update(counts)
    file.fingerprints.update(fingerprints)
    for table, column, kind in columns:
        if table in file.counts:  # views in schema nsys are not from nsysql
            file.tables.setdefault(table, {})[column] = kind
    if not of_nsys(file.tables):
        raise NotAnExport(f"{path} is a DuckDB file, but none that nsysql convert made.")
    return file


def _is_damage(error: Exception) -> bool:
    return "Corrupt database file" in str(error)


def _damaged(path: Path) -> NotAnExport:
    return NotAnExport(f"{path} is a damaged DuckDB file; copy it again, or convert the export again.")


def _unreadable(path: Path, error: Exception) -> NotAnExport:
    if _is_damage(error):
        return _damaged(path)
    return NotAnExport(f"{path} cannot be read by DuckDB: {first_line(error)}.")
