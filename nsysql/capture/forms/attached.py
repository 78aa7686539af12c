"""The database `file` of a DuckDB connection, for forms that Python reads: the tables that queries have read so far."""

import re
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from pyarrow import dataset

from nsysql.words.sql_text import quoted

if TYPE_CHECKING:
    import duckdb

ROWS = 2**17  # rows passed to DuckDB at a time


class BatchTable(dataset.Dataset):  # type: ignore[misc]
    """The table with this schema; `batches` gives the rows in order, of some columns."""

    def __init__(self, schema: pa.Schema, batches: Callable[[list[str]], Iterator[pa.RecordBatch]]) -> None:
        self._schema, self._batches = schema, batches  # the base class cannot be constructed, but DuckDB asks us only

    @property
    def schema(self) -> pa.Schema:
        """The columns."""
        return self._schema

    def scanner(self, columns: Sequence[str] | None = None, filter: Any = None, **_: Any) -> "_Scan":
        """A scanner of these columns for the rows that `filter` keeps; DuckDB calls this in every query."""
        return _Scan(self.read(list(columns or self._schema.names), filter))

    def read(self, columns: Sequence[str], keep: Any = None) -> pa.RecordBatchReader:
        """Some columns of the rows that `keep` keeps."""
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
        """The rows."""
        return self._rows


FEW_ROWS_COPIED = 100_000  # tables with fewer rows are copied, so that DuckDB knows their row count when it plans


class Attached:
    """A database in memory. `has_views`: not all tables will be copied."""

    def __init__(self, con: "duckdb.DuckDBPyConnection", has_views: bool) -> None:
        con.execute("ATTACH ':memory:' AS file")
        if has_views:
            # DuckDB assumes that such a table has one row, and would build the hash table of a join from the largest.
            con.execute("SET disabled_optimizers = 'build_side_probe_side'")
        self._con = con
        self._names: set[str] = set()

    def __contains__(self, name: str) -> bool:
        return name in self._names

    def add(self, name: str, table: "BatchTable", is_copied: bool) -> None:
        """Add a table, as a copy or as a view."""
        found = self._con.from_arrow(table)
        try:
            self._con.execute("USE file")
            if is_copied:
                found.create(name)
            else:
                found.create_view(name)
        finally:
            self._con.execute("USE memory")
        self._names.add(name)

    def copy(self, name: str, stream: Any, select: str, check: Callable[[list[str]], None]) -> None:
        """Add a copy of a SELECT from `stream`, an Arrow stream whose types pass `check`; pyarrow is not imported."""
        self._con.register("stream", stream)
        try:
            check([str(kind) for kind in self._con.sql("FROM stream").types])
            self._con.execute(f"CREATE TABLE {relation(name)} AS {select}")
        finally:
            self._con.unregister("stream")
        self._names.add(name)


def relation(name: str) -> str:
    """The table as SQL names it."""
    return f"file.main.{quoted(name)}"
