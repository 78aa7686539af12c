"""Work that comes part by part: made ahead, let go behind, and DuckDB's errors on the way."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    import pyarrow

END = object()
Part = TypeVar("Part")


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


def ahead(parts: Iterator[Part]) -> Iterator[Part]:
    """The same, each but the first made in another thread while the one before it is used."""
    with ThreadPoolExecutor(1) as pool:
        part = next(parts, END)
        while part is not END:
            following = pool.submit(next, parts, END)
            yield part  # type: ignore[misc]
            part = following.result()


def let_go(parts: list[Part]) -> Iterator[Part]:
    """The parts; none is in the list any more when it is drawn."""
    parts.reverse()
    while parts:
        yield parts.pop()
