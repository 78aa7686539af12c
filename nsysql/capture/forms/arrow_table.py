"""One Arrow file, of either format: reads some columns, batch by batch.

The file is read, not mapped into memory, as access beyond the end of a truncated file would kill the process. DuckDB
trusts its input, so every cell is validated first.
"""

from collections.abc import Iterator
from pathlib import Path

import duckdb
import pyarrow as pa
from pyarrow import ipc

from nsysql.capture.forms.arrow_stream import MAGIC, ArrowStream, count_rows
from nsysql.capture.forms.batch_table import ROWS, BatchTable
from nsysql.errors import NotAnExport
from nsysql.words.sql_text import NOTHING_FETCHED, decoded

BYTES = {pa.string(): pa.binary(), pa.large_string(): pa.large_binary()}
FAILURES = (pa.ArrowException, OSError, ValueError, MemoryError)  # the errors that reading a damaged file can raise


class ArrowTable:
    """The table in a file, for DuckDB as `table`. Raises NotAnExport where the file is damaged."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.damage: NotAnExport | None = None  # the damage found so far
        try:
            with path.open("rb") as file:
                self._is_file = file.read(len(MAGIC)) == MAGIC
            with self._opened() as file:
                schema = ipc.open_file(file).schema
            self.rows = count_rows(path)
            names = {name.lower() for name in schema.names}
            if not 0 < len(names) == len(schema) or any("\0" in name for name in names):
                raise ValueError("its column names are missing, repeated or contain NUL")
        except FAILURES as error:
            raise self._damaged(error) from None
        self.table = BatchTable(schema, self._batches)

    def _batches(self, columns: list[str]) -> Iterator[pa.RecordBatch]:
        """The batches with these columns. Raises NotAnExport if the file is damaged."""
        fields = [self.table.schema.get_field_index(name) for name in columns]
        try:
            with self._opened() as file:
                reader = ipc.open_file(file, options=ipc.IpcReadOptions(included_fields=fields))
                for number in range(reader.num_record_batches):
                    table = pa.Table.from_batches([_checked(reader.get_batch(number).select(columns))])
                    yield from table.to_batches(max_chunksize=ROWS)
        except FAILURES as error:
            raise self._damaged(error) from None

    def _opened(self) -> pa.NativeFile:
        return pa.OSFile(str(self.path)) if self._is_file else pa.PythonFile(ArrowStream(self.path), "r")

    def _damaged(self, error: Exception) -> NotAnExport:
        why = "a name is not UTF-8" if isinstance(error, UnicodeDecodeError) else " ".join(str(error).split())
        self.damage = NotAnExport(
            f"{self.path} is damaged: {why.rstrip('.')}; copy it again, or export the report again."
        )
        return self.damage


def _checked(batch: pa.RecordBatch) -> pa.RecordBatch:
    """Validate a batch; text that is not UTF-8 is escaped as for SQLite. Raises ArrowInvalid for damage."""
    batch.validate()
    for place, field in enumerate(batch.schema):
        column = batch.column(place)
        if field.type not in BYTES:
            column.validate(full=True)
            continue
        cells = column.view(BYTES[field.type])
        cells.validate(full=True)
        try:
            column.validate(full=True)
        except pa.ArrowInvalid:
            batch = batch.set_column(place, field, _decoded(cells).cast(field.type))
    return batch


def _decoded(cells: pa.Array) -> pa.Array:
    with duckdb.connect(config=NOTHING_FETCHED) as con:
        rows = con.from_arrow(pa.table({"cell": cells}))
        return rows.project(f"{decoded('cell')} AS cell").to_arrow_table()["cell"].combine_chunks()
