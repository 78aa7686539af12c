"""Define the interface of every form of export, and how DuckDB's own types of columns become those of raw.sql.

NVIDIA's Parquet and Arrow store ids as unsigned integers and flags as booleans, its SQLite both as signed 64-bit
integers; here the 64 bits are reinterpreted as signed.
"""

from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from nsysql.capture.forms.unchanged import Unchanged
from nsysql.errors import NotAnExport
from nsysql.words.sql_text import NOTHING_FETCHED, quoted

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    import duckdb

WHOLE = {"BOOLEAN", "TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT"}
READABLE = {
    "BIGINT": WHOLE,
    "DOUBLE": {*WHOLE, "FLOAT", "DOUBLE"},
    "VARCHAR": {*WHOLE, "FLOAT", "DOUBLE", "VARCHAR"},
    "BLOB": {"BLOB", "BINARY", "LARGE_BINARY", "VARCHAR"},
}
DECLARED = {"BIGINT": ("INT", "BOOL"), "DOUBLE": ("REAL", "FLOA", "DOUB")}  # substrings of a declared type
SIGNED = "CASE WHEN {0} > 9223372036854775807 THEN ({0}::HUGEINT - 18446744073709551616)::BIGINT ELSE {0}::BIGINT END"


def type_of(declared: str) -> str:
    """Return the type for reading a column that raw.sql does not list, from the type that the file declares.

    >>> type_of("INT NOT NULL"), type_of("FLOAT"), type_of("TEXT")
    ('BIGINT', 'DOUBLE', 'VARCHAR')
    """
    return next(
        (kind for kind, words in DECLARED.items() if any(word in declared.upper() for word in words)), "VARCHAR"
    )


def select_typed(
    path: Path, table: str, types: "Mapping[str, str]", columns: "Mapping[str, str]", relation: str, numbered: str
) -> str:
    """Return the SELECT of these columns, cast to these types, from `relation`, whose columns have `types`.

    `numbered` is the SQL of the row number, for tables without a rowid column. Raises NotAnExport, naming the file
    `path`, for a column of a type that nsys does not write.
    """
    spelled = {name.lower(): name for name in types}
    cells = []
    for name, kind in columns.items():
        own = spelled.get(name.lower())
        if own is None:
            cells.append(f"{numbered} AS {name}")
            continue
        if types[own] not in READABLE[kind]:
            raise NotAnExport(f"{path}: the column {own} of {table} is {types[own]}, which nsys does not write.")
        cell = SIGNED.format(quoted(own)) if types[own] == "UBIGINT" and kind == "BIGINT" else f"{quoted(own)}::{kind}"
        cells.append(f"{cell} AS {quoted(name)}")
    return f"SELECT {', '.join(cells)} FROM {relation}"


STORED = "file.main"  # of an attached file


class Source(Protocol):
    """One export on disk, with defaults for what most forms share. `tables` maps its tables to their columns and types.

    Each read checks that the files are still those that were opened: `values`, `has_rows` and `wrong_cells` do so
    themselves; for queries in DuckDB the caller does.
    """

    path: Path
    tables: dict[str, dict[str, str]]
    unchanged: Unchanged

    @property
    def size_bytes(self) -> int:
        """The size of all files in bytes."""

    def attach(self, con: "duckdb.DuckDBPyConnection") -> None:
        """Make the tables readable in a DuckDB connection, which still has access to files."""

    def select(self, table: str, columns: dict[str, str], wrong_as_null: bool = False, where: str = "") -> str:
        """Return a SELECT of columns of the table, cast to these DuckDB types, for a connection passed to `attach`.

        Rows for which `where`, a condition valid in SQLite and DuckDB, is not true may already be left out. Every table
        has the column rowid: 1, 2 ... in NVIDIA's order, whatever the order in the file. `wrong_as_null` makes the
        cells that `wrong_cells` counts NULL.
        """

    def values(self, table: str, *columns: str) -> list[tuple[Any, ...]]:
        """Return some columns of the rows of a small table."""

    def has_rows(self, table: str) -> bool:
        """Tell whether the export has that table with at least one row."""
        return self.count(table) > 0

    def count(self, table: str) -> int:
        """Return the row count of a table, from metadata; an upper bound if rows were deleted."""

    def is_streamed(self, table: str) -> bool:
        """Tell whether each query reads the table anew, row by row; else DuckDB reads the columns that it needs."""
        return False

    @contextmanager
    def looking_up(self, rows: "Mapping[str, list[int]]") -> "Iterator[None]":
        """Let reads of streamed tables skip all but these rows, in order, while active."""
        yield

    def wrong_cells(self, table: str, columns: dict[str, str]) -> int:
        """Count the cells of a table that are not of their column's type in `columns`; 0 if columns are typed."""
        return 0

    def damage(self, error: Exception) -> NotAnExport | None:
        """Return the damage in the files that caused this DuckDB error, unless its own message names it."""
        return None

    def stored(self) -> dict[str, str]:
        """Return the views stored as tables in STORED, each with the fingerprint of the nsysql that computed it."""
        return {}

    def close(self) -> None:
        """Close the files that stay open longer than a query."""
        return


class DuckdbSource(Source):
    """A form that DuckDB reads itself: `counts` are the rows of its tables, `numbered` is the SQL of a row's number."""

    counts: dict[str, int]
    numbered: str

    def relation(self, table: str) -> str:
        """Return the table in SQL."""
        raise NotImplementedError

    def unreadable(self, error: Exception) -> NotAnExport:
        """Return the reason why the file cannot be read, as DuckDB's error says."""
        raise NotImplementedError

    def select(self, table: str, columns: dict[str, str], wrong_as_null: bool = False, where: str = "") -> str:
        return select_typed(self.path, table, self.tables[table], columns, self.relation(table), self.numbered)

    def values(self, table: str, *columns: str) -> list[tuple[Any, ...]]:
        return self.ask(f"SELECT {', '.join(columns)} FROM {self.relation(table)}")[0]

    def count(self, table: str) -> int:
        return self.counts.get(table, 0)

    def ask(self, *questions: str) -> list[list[tuple[Any, ...]]]:
        """Return the rows of each query, on a connection for these. Raises NotAnExport if a file is damaged."""
        import duckdb

        try:
            with self.unchanged.during(), duckdb.connect(config=NOTHING_FETCHED) as con:
                self.attach(con)
                con.execute("SET enable_external_access = false")  # a view in a DuckDB file could read any file
                return [con.execute(sql).fetchall() for sql in questions]
        except duckdb.Error as error:
            raise self.unreadable(error) from None


def pairs(source: Source, table: str) -> dict[str, str]:
    """Return a name/value table as a dictionary; empty if the export lacks it."""
    if not {"name", "value"} <= source.tables.get(table, {}).keys():
        return {}
    return {str(name): str(value) for name, value in source.values(table, "name", "value")}
