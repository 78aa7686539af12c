"""Read a folder of Parquet files, one per table, from `nsys export --type parquetdir` or `nsysql convert`."""

import re
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from nsysql.capture.forms.source import DuckdbSource
from nsysql.capture.forms.unchanged import Unchanged
from nsysql.errors import NotAnExport
from nsysql.words.sql_text import HOW_TO_EXPORT, NOTHING_FETCHED, literal, of_nsys

if TYPE_CHECKING:
    import duckdb

# The DuckDB errors that a damaged file can cause; most errors of the Parquet reader are plain `Error`.
READING = ("Error", "InvalidInputException", "IOException", "InternalException", "SerializationException")
GLOB = re.compile(r"[\[*?]")  # characters that DuckDB takes for a pattern in a path


@dataclass
class ParquetFolder(DuckdbSource):
    """The tables of a folder; its other files are never opened."""

    path: Path
    folder: Path  # the folder's path as passed to DuckDB
    tables: dict[str, dict[str, str]]
    counts: dict[str, int]
    unchanged: Unchanged
    numbered: str = "file_row_number + 1"
    _link: tempfile.TemporaryDirectory[str] | None = field(default=None, repr=False)

    @property
    def size_bytes(self) -> int:
        return sum(self._file(table).stat().st_size for table in self.tables)

    def attach(self, con: "duckdb.DuckDBPyConnection") -> None:
        """Allow access to these files only, once external access is disabled."""
        files = ", ".join(literal(str(self._file(table))) for table in self.tables)
        con.execute(f"SET allowed_paths = [{files}]")

    def damage(self, error: Exception) -> NotAnExport | None:
        """Find the first damaged file, if the error may be caused by one."""
        return self._first_damaged() if type(error).__name__ in READING else None

    def close(self) -> None:
        """Remove the temporary link to the folder, if there is one; no file is open."""
        if self._link:
            self._link.cleanup()

    def unreadable(self, error: Exception) -> NotAnExport:
        return self._first_damaged() or _damaged(self.path, error)

    def relation(self, table: str) -> str:
        """Return the table in SQL; a parent folder named `column=value` does not add a column."""
        return f"read_parquet({literal(str(self._file(table)))}, hive_partitioning = false)"

    def _file(self, table: str) -> Path:
        return self.folder / f"{table}.parquet"

    def _read_columns(self) -> None:
        listed = f"[{', '.join(literal(str(self._file(table))) for table in self.tables)}]"
        counts, columns = self.ask(
            f"SELECT file_name, num_rows FROM parquet_file_metadata({listed})",
            f"SELECT file_name, name, duckdb_type FROM parquet_schema({listed}) WHERE duckdb_type IS NOT NULL",
        )
        self.counts.update({Path(file).stem: rows for file, rows in counts})
        for file, name, kind in columns:
            self.tables[Path(file).stem][name] = kind

    def _first_damaged(self) -> NotAnExport | None:
        """Return the error for the first file that cannot be read in full."""
        import duckdb

        with duckdb.connect(config=NOTHING_FETCHED) as con:
            for table in self.tables:
                try:
                    con.execute(f"SELECT bit_xor(hash(cells)) FROM {self.relation(table)} AS cells").fetchall()
                except duckdb.Error as error:
                    return _damaged(self.path / f"{table}.parquet", error)
        return None


def open_source(path: Path) -> ParquetFolder:
    names = sorted(file.stem for file in path.glob("*.parquet") if not GLOB.search(file.name))
    if not of_nsys(names):
        raise NotAnExport(f"{path} has Parquet files, but none that nsys writes; {HOW_TO_EXPORT}.")
    unchanged = Unchanged(path / f"{name}.parquet" for name in names)
    folder, link = path.resolve(), None
    if GLOB.search(str(folder)):
        link = tempfile.TemporaryDirectory(prefix="nsysql-")
        folder = _linked(folder, Path(link.name))
    file = ParquetFolder(path, folder, {name: {} for name in names}, {}, unchanged, _link=link)
    try:
        file._read_columns()
    except BaseException:
        file.close()
        raise
    return file


def _linked(folder: Path, place: Path) -> Path:
    """Return a link to the folder whose path has no pattern characters.

    Escaping them is not enough: when DuckDB plans part of a query again, as it does for some window functions, it takes
    the file name that matched a pattern for a pattern again.
    """
    link = place / "export"
    try:
        link.symlink_to(folder, target_is_directory=True)
    except OSError:  # as on Windows, where not every user may create links
        link = folder
    if GLOB.search(str(link)):
        raise NotAnExport(f"{folder} cannot be read: DuckDB takes [ * ? in a path for a pattern; rename the folder.")
    return link


def _damaged(path: Path, error: Exception) -> NotAnExport:
    if "Invalid string encoding" in str(error) or "Invalid unicode" in str(error):
        return NotAnExport(
            f"{path} has texts that are not UTF-8; copy it again, or export the report as SQLite, which shows them."
        )
    return NotAnExport(f"{path} is damaged; copy it again, or export the report again.")
