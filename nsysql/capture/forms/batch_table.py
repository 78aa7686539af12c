"""Let DuckDB read a table from Python in batches: the columns that a query needs, and the rows that it keeps.

Separate from `attached.py`, as small SQLite exports do not need pyarrow, which takes 75 ms to import.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pyarrow as pa
from pyarrow import dataset

ROWS = 2**17  # rows passed to DuckDB at a time


class BatchTable(dataset.Dataset):  # type: ignore[misc]
    """The table with this schema; `batches` returns its rows in order, with the given columns."""

    def __init__(self, schema: pa.Schema, batches: Callable[[list[str]], Iterator[pa.RecordBatch]]) -> None:
        self._schema, self._batches = schema, batches  # the base class cannot be constructed, but DuckDB asks us only

    @property
    def schema(self) -> pa.Schema:
        return self._schema

    def scanner(self, columns: Sequence[str] | None = None, filter: Any = None, **_: Any) -> "_Scan":
        """Return a scanner of these columns for the rows that `filter` keeps; DuckDB calls this in every query."""
        return _Scan(self.read(list(columns or self._schema.names), filter))

    def read(self, columns: Sequence[str], keep: Any = None) -> pa.RecordBatchReader:
        schema = pa.schema([self._schema.field(name) for name in columns])
        return pa.RecordBatchReader.from_batches(schema, self._kept(list(columns), keep))

    def _kept(self, columns: list[str], keep: Any) -> Iterator[pa.RecordBatch]:
        if keep is None:
            yield from self._batches(columns)
            return
        named = set(re.findall(r"\w+", str(keep)))  # DuckDB 2 does not ask for columns that only the condition reads
        for batch in self._batches([name for name in self._schema.names if name in {*columns, *named}]):
            yield from pa.Table.from_batches([batch]).filter(keep).select(columns).to_batches()


class _Scan:
    """The part of a dataset scanner that DuckDB uses."""

    def __init__(self, rows: pa.RecordBatchReader) -> None:
        self._rows = rows

    def to_reader(self) -> pa.RecordBatchReader:
        return self._rows
