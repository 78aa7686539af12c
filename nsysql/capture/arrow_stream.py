"""One column of text, its rows end to end, thousands at a time."""

from collections.abc import Generator, Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pyarrow


import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import duckdb

CHUNK = 20_000  # rows


def text_chunks(rows: "duckdb.DuckDBPyConnection") -> Generator[tuple[int, str]]:
    """How many rows, and their texts as one; none is NULL.

    Arrow hands them over in half the time; where nothing has loaded it yet, that would take longer.
    """
    return _by_arrow(rows) if "pyarrow" in sys.modules else _by_rows(rows)


def _by_rows(rows: "duckdb.DuckDBPyConnection") -> Generator[tuple[int, str]]:
    while found := rows.fetchmany(CHUNK):
        yield len(found), "".join([text for (text,) in found])


def _by_arrow(rows: "duckdb.DuckDBPyConnection") -> Generator[tuple[int, str]]:
    for found in batches(rows.to_arrow_reader(CHUNK)):
        texts = found.column(0)
        _, ends, data = texts.buffers()  # the texts lie end to end as it is
        first, last = (memoryview(ends).cast("i")[texts.offset + at] for at in (0, len(texts)))
        yield len(texts), str(memoryview(data)[first:last], "utf-8")


def batches(rows: "pyarrow.RecordBatchReader") -> "Iterator[pyarrow.RecordBatch]":
    """What DuckDB gives as a stream. Raises duckdb.Error, which comes through Arrow as an error of another kind."""
    import duckdb
    import pyarrow

    kinds = {
        "INTERNAL Error": duckdb.InternalException,
        "FATAL Error": duckdb.FatalException,
        "Out of Memory Error": duckdb.OutOfMemoryException,
    }
    try:
        yield from rows
    except (pyarrow.ArrowException, OSError) as error:
        kind = next((kind for words, kind in kinds.items() if words in str(error)), duckdb.Error)
        raise kind(str(error)) from None
