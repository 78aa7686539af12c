"""What every form of export gives to the rest of the house, and which form lies at a path."""

from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from nsysql.errors import NotAnExport
from nsysql.sources.sql_text import HOW_TO_EXPORT, REPORTS
from nsysql.sources.unchanged import Unchanged, refuse_special

if TYPE_CHECKING:
    import duckdb

STORED = "file.main"  # of a file that was attached


class Source(Protocol):
    """One export on disk. `tables` has its tables, each with its columns and their types.

    What is read from it is checked to be of the files that were opened: here by `values`, `has_rows` and
    `wrong_cells`, otherwise by who asks DuckDB.
    """

    path: Path
    tables: dict[str, dict[str, str]]
    unchanged: Unchanged

    @property
    def size_bytes(self) -> int:
        """How much there is to read."""

    def attach(self, con: "duckdb.DuckDBPyConnection") -> None:
        """Let a DuckDB connection read the tables, which still may open files."""

    def select(self, table: str, columns: dict[str, str], mended: bool = False, where: str = "") -> str:
        """A SELECT, for a connection that was attached, of columns that the table has, as these DuckDB types.

        Rows that `where`, a condition that SQLite and DuckDB read alike, does not keep may be left out early.

        Every table has the column rowid: 1, 2 ... in NVIDIA's order, whatever order the rows lie in. `mended`
        where `wrong_cells` found any: they are NULL then.
        """

    def values(self, table: str, *columns: str) -> list[tuple[Any, ...]]:
        """The rows of a small table, some columns."""

    def has_rows(self, table: str) -> bool:
        """Whether the export has that table with at least one row."""

    def count(self, table: str) -> int:
        """How many rows a table of the export has, without reading them; more where some were deleted."""

    def wrong_cells(self, table: str, columns: dict[str, str]) -> int:
        """How many cells of a table cannot be read as the types that `columns` gives."""

    def damage(self, error: Exception) -> NotAnExport | None:
        """What is wrong with the files, where that is why DuckDB ended a question with this error."""

    def stored(self) -> dict[str, str]:
        """The views whose rows lie in the file too, in STORED, each with the mark of what computed it."""

    def close(self) -> None:
        """Let go of the files."""


def open_source(path: Path) -> Source:
    """The export at `path`. Raises NotAnExport with the reason and the mend."""
    try:
        str(path).encode()
    except UnicodeEncodeError:  # a surrogate is a byte that is not UTF-8, and DuckDB takes no such name
        raise NotAnExport(f"{str(path)!a} cannot be read: its name is not valid UTF-8; rename it.") from None
    if path.is_dir():
        return _folder(path)
    refuse_special(path)
    if path.suffix in REPORTS and path.exists():
        from nsysql.sources import nsys_report

        return nsys_report.open_source(path)
    from nsysql.sources import duckdb_file, sqlite

    return duckdb_file.open_source(path) if duckdb_file.is_one(path) else sqlite.open_source(path)


def _folder(path: Path) -> Source:
    """A folder with a file for each table."""
    files = [file for file in sorted(path.iterdir()) if file.suffix in (".parquet", ".arrow")]
    for file in files:
        refuse_special(file)
    kinds = {file.suffix for file in files}
    if len(kinds) > 1:
        raise NotAnExport(f"{path} has files of Parquet and of Arrow; an export is a folder of either.")
    if not kinds:
        raise NotAnExport(
            f"{path} is a folder without .parquet or .arrow files; give the path of an export, or {HOW_TO_EXPORT}."
        )
    if kinds == {".parquet"}:
        from nsysql.sources import parquet

        return parquet.open_source(path)
    from nsysql.sources import arrow

    return arrow.open_source(path)


def pairs(source: Source, table: str) -> dict[str, str]:
    """A name/value table as a dictionary; empty where the export has none."""
    if not {"name", "value"} <= source.tables.get(table, {}).keys():
        return {}
    return {str(name): str(value) for name, value in source.values(table, "name", "value")}
