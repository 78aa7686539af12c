"""Read rows of DuckDB through Arrow: as a stream of batches, a table, a frame, or one concatenated text column."""

import re
import sys
from collections.abc import Generator, Iterator
from typing import TYPE_CHECKING, Any

from nsysql.errors import QueryError

if TYPE_CHECKING:
    import duckdb
    import polars
    import pyarrow

CHUNK = 20_000  # rows
ROWS = 122_880  # of a batch: DuckDB reserves memory for one per column even for a small answer, 8 MB by default


def ask(con: "duckdb.DuckDBPyConnection", sql: str, values: Any = None) -> Any:
    """Run a SELECT whose rows are read as a frame, table or stream; from DuckDB 2.0 on only relations give these."""
    return con.execute(sql, values) if hasattr(con, "pl") else relation(con, sql, values)


def relation(con: "duckdb.DuckDBPyConnection", sql: str, values: Any = None) -> "duckdb.DuckDBPyRelation":
    """Return a SELECT as a relation. Raises duckdb.Error with the wrong line, which DuckDB 2.0 leaves out."""
    try:
        return con.sql(sql, params=values or None)
    except Exception as error:
        if "LINE " not in str(error):
            con.execute(sql, values)
        raise


def text_chunks(rows: "duckdb.DuckDBPyConnection") -> Generator[tuple[int, str]]:
    """Yield the number of rows of each chunk and their texts as one; no text may be NULL.

    Arrow takes half the time, but is used only if pyarrow is already imported: the import takes longer than it saves.
    """
    return _by_arrow(rows) if "pyarrow" in sys.modules and hasattr(rows, "pl") else _by_rows(rows)


def _by_rows(rows: "duckdb.DuckDBPyConnection") -> Generator[tuple[int, str]]:
    while chunk := rows.fetchmany(CHUNK):
        yield len(chunk), "".join([text for (text,) in chunk])


def _by_arrow(rows: "duckdb.DuckDBPyConnection") -> Generator[tuple[int, str]]:
    for batch in batches(reader(rows, CHUNK)):
        texts = batch.column(0)
        _, ends, data = texts.buffers()  # the texts are already concatenated
        first, last = (memoryview(ends).cast("i")[texts.offset + at] for at in (0, len(texts)))
        yield len(texts), str(memoryview(data)[first:last], "utf-8")


def reader(rows: Any, count: int) -> "pyarrow.RecordBatchReader":
    """Return the rows as a stream of batches of `count` rows; DuckDB before 1.5 names the method differently."""
    return (getattr(rows, "to_arrow_reader", None) or rows.fetch_record_batch)(count)


def table(rows: Any) -> "pyarrow.Table":
    """Return the rows as an Arrow table; DuckDB before 1.5 names the method differently."""
    return (getattr(rows, "to_arrow_table", None) or rows.fetch_arrow_table)()


class _Stream:
    """A relation as nothing but a stream: polars then reads it without pyarrow."""

    def __init__(self, rows: "duckdb.DuckDBPyRelation") -> None:
        self.__arrow_c_stream__ = rows.__arrow_c_stream__


INTERVAL = re.compile(r'\bINTERVAL\b(?!")')  # the type, also of a list or a field, but not the name of a field


def frame(rows: Any) -> "polars.DataFrame":
    """Return the rows as a frame, without an import of pyarrow, which takes a sixth of a small report's time.

    Raises QueryError for a column of the type INTERVAL: polars has none, and ends the process.
    """
    import polars

    if of_interval := [name for name, kind, *_ in rows.description if INTERVAL.search(str(kind))]:
        column = of_interval[0]
        raise QueryError(
            f"{column} is an INTERVAL, a type that frames do not have; write it as text: {column}::VARCHAR."
        )
    if "pyarrow" not in sys.modules and hasattr(rows, "__arrow_c_stream__"):
        try:
            return polars.DataFrame(_Stream(rows))
        except polars.exceptions.DuplicateError:  # DuckDB gives columns of one name a number, below
            pass
        except polars.exceptions.PolarsError as error:
            raise _failure(error) from None
    rows_read: polars.DataFrame = rows.pl(ROWS)
    return rows_read


def batches(rows: "pyarrow.RecordBatchReader") -> "Iterator[pyarrow.RecordBatch]":
    """Yield the batches of a stream. Raises duckdb.Error for DuckDB's errors, which Arrow passes on as another kind."""
    import pyarrow

    try:
        yield from rows
    except (pyarrow.ArrowException, OSError) as error:
        raise _failure(error) from None


def _failure(error: Exception) -> "duckdb.Error":
    """Return DuckDB's error that ended a stream, which its reader raised as one of its own."""
    import duckdb

    kinds = {
        "INTERNAL Error": duckdb.InternalException,
        "FATAL Error": duckdb.FatalException,
        "Out of Memory Error": duckdb.OutOfMemoryException,
    }
    text = str(error).removeprefix("got external error: ")
    return next((kind for words, kind in kinds.items() if words in text), duckdb.Error)(text)
