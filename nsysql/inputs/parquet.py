"""A folder of Parquet files, one a table: of `nsys export --type parquetdir`, or of `nsysql convert`."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nsysql.errors import NotAnExport
from nsysql.inputs import columns as typed
from nsysql.inputs.words import HOW_TO_EXPORT, NOTHING_FETCHED, first_line, literal, of_nsys

if TYPE_CHECKING:
    import duckdb


@dataclass
class ParquetFolder:
    """The files of a folder that are tables; other files in it are never opened."""

    path: Path
    tables: dict[str, dict[str, str]]
    counts: dict[str, int]

    @property
    def size_bytes(self) -> int:
        """The bytes of all tables."""
        return sum(self._file(table).stat().st_size for table in self.tables)

    def attach(self, con: "duckdb.DuckDBPyConnection") -> None:
        """Allow these files, and no other, once files are forbidden."""
        files = ", ".join(literal(str(self._file(table))) for table in self.tables)
        con.execute(f"SET allowed_paths = [{files}]")

    def select(self, table: str, columns: dict[str, str], mended: bool = False, where: str = "") -> str:
        """The SELECT of these columns as these types."""
        relation = f"read_parquet({literal(str(self._file(table)))})"
        return typed.select(self.path, table, self.tables[table], columns, relation, "file_row_number + 1")

    def values(self, table: str, *columns: str) -> list[tuple[Any, ...]]:
        """The rows of a small table, some columns. Raises NotAnExport where the file is damaged."""
        import duckdb

        relation = f"read_parquet({literal(str(self._file(table)))})"
        try:
            with duckdb.connect(config=NOTHING_FETCHED) as con:
                return con.execute(f"SELECT {', '.join(columns)} FROM {relation}").fetchall()
        except duckdb.Error as error:
            raise _damaged(self._file(table), error) from None

    def has_rows(self, table: str) -> bool:
        """Whether there is that table with at least one row."""
        return self.count(table) > 0

    def count(self, table: str) -> int:
        """How many rows a table has."""
        return self.counts.get(table, 0)

    def wrong_cells(self, table: str, columns: dict[str, str]) -> int:
        """None: a column of Parquet has one type."""
        return 0

    def stored(self) -> dict[str, str]:
        """None: a folder has tables alone."""
        return {}

    def close(self) -> None:
        """Nothing is held open."""

    def _file(self, table: str) -> Path:
        return self.path.resolve() / f"{table}.parquet"


def look(path: Path) -> ParquetFolder:
    """The export in a folder of Parquet files. Raises NotAnExport with the reason and the mend."""
    import duckdb

    files = sorted(path.resolve().glob("*.parquet"))
    names = [file.stem for file in files]
    if not of_nsys(names):
        raise NotAnExport(f"{path} has Parquet files, but none that nsys writes; {HOW_TO_EXPORT}.")
    with duckdb.connect(config=NOTHING_FETCHED) as con:
        listed = f"[{', '.join(literal(str(file)) for file in files)}]"
        try:
            counts = con.execute(f"SELECT file_name, num_rows FROM parquet_file_metadata({listed})").fetchall()
            columns = con.execute(
                f"SELECT file_name, name, duckdb_type FROM parquet_schema({listed}) WHERE duckdb_type IS NOT NULL"
            ).fetchall()
        except duckdb.Error as error:
            raise _damaged(path, error) from None
    tables: dict[str, dict[str, str]] = {name: {} for name in names}
    for file, name, kind in columns:
        tables[Path(file).stem][name] = kind
    return ParquetFolder(path, tables, {Path(file).stem: rows for file, rows in counts})


def _damaged(path: Path, error: Exception) -> NotAnExport:
    return NotAnExport(f"{path} has a damaged file: {first_line(error)}; copy it again, or export the report again.")
