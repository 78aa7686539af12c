"""A DuckDB file of `nsysql convert`: NVIDIA's tables in its schema `nsys`, and the views for DuckDB's own shell."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nsysql.errors import NotAnExport
from nsysql.sources import column_types as typed
from nsysql.sources.sql_text import NOTHING_FETCHED, first_line, literal, of_nsys, quoted
from nsysql.sources.unchanged import Unchanged

if TYPE_CHECKING:
    import duckdb

MAGIC = slice(8, 12), b"DUCK"  # of the file's first bytes
SCHEMA = "nsys"


@dataclass
class DuckdbFile:
    """A file that DuckDB reads as its own."""

    path: Path
    tables: dict[str, dict[str, str]]
    counts: dict[str, int]
    marks: dict[str, str] = field(default_factory=dict)
    prefix: str = f"file.{SCHEMA}."
    unchanged: Unchanged = field(default_factory=Unchanged)

    def __post_init__(self) -> None:
        """Remember where the file is, in whatever folder Python works later."""
        self._place = self.path.absolute()

    @property
    def size_bytes(self) -> int:
        """The bytes of the file."""
        return self._place.stat().st_size

    def attach(self, con: "duckdb.DuckDBPyConnection") -> None:
        """Attach the file read-only."""
        import duckdb

        try:
            con.execute(f"ATTACH {literal(str(self._place.resolve()))} AS file (TYPE duckdb, READ_ONLY)")
        except duckdb.Error as error:
            raise _unreadable(self.path, error) from None

    def select(self, table: str, columns: dict[str, str], mended: bool = False, where: str = "") -> str:
        """The SELECT of these columns as these types."""
        return typed.select(self.path, table, self.tables[table], columns, f"{self.prefix}{quoted(table)}", "rowid + 1")

    def values(self, table: str, *columns: str) -> list[tuple[Any, ...]]:
        """The rows of a small table, some columns. Raises NotAnExport where the file is damaged."""
        return self._ask(f"SELECT {', '.join(columns)} FROM {self.prefix}{quoted(table)}")[0]

    def has_rows(self, table: str) -> bool:
        """Whether there is that table with at least one row."""
        return self.count(table) > 0

    def count(self, table: str) -> int:
        """How many rows a table has."""
        return self.counts.get(table, 0)

    def wrong_cells(self, table: str, columns: dict[str, str]) -> int:
        """None: a column of DuckDB has one type."""
        return 0

    def damage(self, error: Exception) -> NotAnExport | None:
        """What the checksums of the file tell."""
        return _damaged(self.path) if _is_damage(error) else None

    def stored(self) -> dict[str, str]:
        """The views that are tables here, each with the mark of what computed it."""
        return self.marks

    def close(self) -> None:
        """Let go of the file."""

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
    """Whether a file begins as DuckDB's do."""
    try:
        with path.open("rb") as file:
            return file.read(16)[MAGIC[0]] == MAGIC[1]
    except OSError:
        return False


def open_source(path: Path) -> DuckdbFile:
    """The export in a DuckDB file. Raises NotAnExport with the reason and the mend."""
    file = DuckdbFile(path, {}, {}, unchanged=Unchanged([path]))
    within = f"WHERE database_name = 'file' AND schema_name = '{SCHEMA}'"
    marked = "WHERE database_name = 'file' AND schema_name = 'main' AND comment IS NOT NULL"
    counts, columns, marks = file._ask(
        f"SELECT table_name, estimated_size FROM duckdb_tables() {within}",
        f"SELECT table_name, column_name, data_type FROM duckdb_columns() {within} ORDER BY table_name, column_index",
        f"SELECT table_name, comment FROM duckdb_tables() {marked}",
    )
    file.counts.update(counts)
    file.marks.update(marks)
    for table, column, kind in columns:
        if table in file.counts:  # what is a view there is none of ours
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
