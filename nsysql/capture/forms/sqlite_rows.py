"""Read rows of a SQLite file as Arrow, through ADBC.

SQLite types cells, not columns, and ADBC gives a column the type of its cells in the first batch. So a SELECT begins
with a row of cells of the expected types, which readers leave out. Cells of other types are an error.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from nsysql.words.sql_text import decoded, quoted

if TYPE_CHECKING:
    import pyarrow

    from nsysql.capture.forms.attached import Attached

BATCH_ROWS = str(2**16)
FIRST = {"BIGINT": "0", "DOUBLE": "0.0", "VARCHAR": "''", "BLOB": "X''"}  # a cell of the type
# The results of typeof() for cells that can be read as a type of raw.sql.
TYPES_READ = {
    "BIGINT": "('integer')",
    "DOUBLE": "('integer', 'real')",
    "VARCHAR": "('integer', 'real', 'text')",
    "BLOB": "('blob')",
}
WRONG_CELL = "Type mismatch"  # part of the error message, ADBC's included


def uri(file: Path) -> str:
    """Return the URI by which SQLite opens the file without locking it or writing next to it."""
    return f"file:{quote(str(file.resolve()))}?mode=ro&immutable=1"


def select_cells(table: str, columns: Mapping[str, str], wrong_as_null: bool, where: str = "") -> str:
    """Return a SELECT of these columns, with NULL for cells that are not of their column's type if `wrong_as_null`."""
    cells = (
        f"CASE WHEN typeof({quoted(name)}) IN {TYPES_READ[kind]} THEN {quoted(name)} END"
        if wrong_as_null
        else quoted(name)
        for name, kind in columns.items()
    )
    return f"SELECT {', '.join(cells)} FROM {quoted(table)}{where and f' WHERE {where}'}"


def copy(attached: "Attached", name: str, file: Path, columns: Mapping[str, str], select: str) -> None:
    """Add the rows of a SELECT to the database as a table. Raises duckdb.Error for damage and cells of other types."""
    marked = {"is first": "BIGINT", **columns}  # no table of nsys has a column of that name
    cells = ", ".join(readable(column, kind) for column, kind in columns.items())
    made = f'SELECT {cells} FROM stream WHERE "is first" IS NULL'
    with opened(file, marked, select.replace("SELECT ", "SELECT NULL, ", 1)) as rows:
        attached.copy(name, rows.__arrow_c_stream__(), made, lambda types: _refuse_others(marked, types))


def batches(file: Path, columns: Mapping[str, str], select: str) -> "Iterator[pyarrow.RecordBatch]":
    """Yield the batches of a SELECT of these columns. Raises duckdb.Error for damage and cells of other types."""
    import pyarrow

    names = {"int64": "BIGINT", "double": "DOUBLE", "string": "VARCHAR", "binary": "BLOB"}
    with opened(file, columns, select) as stream:
        rows = pyarrow.RecordBatchReader.from_stream(stream)
        _refuse_others(columns, [names[str(kind)] for kind in rows.schema.types])
        for number, batch in enumerate(rows):
            yield batch if number else batch.slice(1)


def readable(column: str, kind: str) -> str:
    r"""Return SQL for a cell; bytes of a text that are not UTF-8, which DuckDB would refuse, are shown as \\xFF."""
    return f"{decoded(f'encode({quoted(column)})')} AS {quoted(column)}" if kind == "VARCHAR" else quoted(column)


def schema(columns: Mapping[str, str]) -> "pyarrow.Schema":
    import pyarrow as pa

    types = {"BIGINT": pa.int64(), "DOUBLE": pa.float64(), "VARCHAR": pa.string(), "BLOB": pa.binary()}
    return pa.schema([(name, types[kind]) for name, kind in columns.items()])


@contextmanager
def opened(file: Path, columns: Mapping[str, str], select: str) -> Iterator[Any]:
    """Open a SELECT, preceded by the first row, as an Arrow stream; ADBC only closes the file on request."""
    import adbc_driver_manager as adbc
    import adbc_driver_sqlite as driver
    import duckdb

    first = ", ".join(f"{FIRST[kind]} AS {quoted(name)}" for name, kind in columns.items())
    try:
        with (
            driver.connect(uri(file)) as database,
            adbc.AdbcConnection(database) as connection,
            adbc.AdbcStatement(connection) as statement,
        ):
            statement.set_options(**{driver.StatementOptions.BATCH_ROWS.value: BATCH_ROWS})
            statement.set_sql_query(f"SELECT {first} UNION ALL {select}")
            yield statement.execute_query()[0]
    except adbc.Error as error:
        raise duckdb.Error(str(error)) from None


def _refuse_others(columns: Mapping[str, str], types: list[str]) -> None:
    import duckdb

    for (name, kind), found_types in zip(columns.items(), types, strict=True):
        if kind != found_types:
            raise duckdb.Error(f"{WRONG_CELL}: a cell of {name} is {found_types}, not {kind}")
