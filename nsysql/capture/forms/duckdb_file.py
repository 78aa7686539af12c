"""Read a DuckDB file made by `nsysql convert`: NVIDIA's tables in schema `nsys`, views for use with DuckDB alone."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from nsysql.capture.forms.source import DuckdbSource
from nsysql.capture.forms.unchanged import Unchanged
from nsysql.errors import NotAnExport
from nsysql.words.sql_text import first_line, literal, of_nsys, quoted

if TYPE_CHECKING:
    import duckdb

MAGIC = slice(8, 12), b"DUCK"  # of the file's first bytes
SCHEMA = "nsys"


@dataclass
class DuckdbFile(DuckdbSource):
    """An open DuckDB file. `fingerprints` has for each stored view the fingerprint of the nsysql that computed it."""

    path: Path
    tables: dict[str, dict[str, str]]
    counts: dict[str, int]
    fingerprints: dict[str, str] = field(default_factory=dict)
    prefix: str = f"file.{SCHEMA}."
    numbered: str = "rowid + 1"
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
            raise self.unreadable(error) from None

    def damage(self, error: Exception) -> NotAnExport | None:
        if "Corrupt database file" not in str(error):
            return None
        return NotAnExport(f"{self.path} is a damaged DuckDB file; copy it again, or convert the export again.")

    def stored(self) -> dict[str, str]:
        return self.fingerprints

    def relation(self, table: str) -> str:
        return f"{self.prefix}{quoted(table)}"

    def unreadable(self, error: Exception) -> NotAnExport:
        if damage := self.damage(error):
            return damage
        return NotAnExport(f"{self.path} cannot be read by DuckDB: {first_line(error)}.")


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
    counts, columns, fingerprints = file.ask(
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
