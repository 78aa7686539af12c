"""Read a folder of Arrow files, one per table, from `nsys export --type arrowdir` or `nsysql convert`.

NVIDIA writes Arrow's stream format, nsysql its file format; of both only the columns that a query needs are read.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
from pyarrow import ipc

from nsysql.capture.forms.attached import FEW_ROWS_COPIED, Attached, relation
from nsysql.capture.forms.batch_table import ROWS, BatchTable
from nsysql.capture.forms.source import Source, select_typed
from nsysql.capture.forms.unchanged import Unchanged
from nsysql.errors import NotAnExport
from nsysql.words.sql_text import HOW_TO_EXPORT, NOTHING_FETCHED, decoded, of_nsys

MAGIC = b"ARROW1"  # at the beginning of the file format
BYTES = {pa.string(): pa.binary(), pa.large_string(): pa.large_binary()}
FAILURES = (pa.ArrowException, OSError, ValueError, MemoryError)  # the errors that reading a damaged file can raise


class ArrowTable:
    """The table in a file, with `table` for DuckDB. Raises NotAnExport if the file is damaged."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.damage: NotAnExport | None = None  # the damage found so far
        try:
            with path.open("rb") as begin:
                self._is_file = begin.read(len(MAGIC)) == MAGIC
            with pa.memory_map(str(path)) as file:  # of its batches only the lengths are read
                schema = (ipc.open_file if self._is_file else ipc.open_stream)(file).schema
                file.seek(0)
                rows = [batch.num_rows for batch in self._batches_in(file, [0])]
            names = {name.lower() for name in schema.names}
            if not 0 < len(names) == len(schema) or any("\0" in name for name in names):
                raise ValueError("its column names are missing, repeated or contain NUL")
            if min(rows, default=0) < 0:
                raise ValueError("one of its batches has a negative number of rows")
        except FAILURES as error:
            raise self._damaged(error) from None
        self.rows = sum(rows)
        self.table = BatchTable(schema, self._batches)

    def _batches_in(self, file: Any, fields: list[int]) -> Iterator[pa.RecordBatch]:
        options = ipc.IpcReadOptions(included_fields=fields)
        if not self._is_file:
            return iter(ipc.open_stream(file, options=options))
        reader = ipc.open_file(file, options=options)
        return map(reader.get_batch, range(reader.num_record_batches))

    def _batches(self, columns: list[str]) -> Iterator[pa.RecordBatch]:
        fields = [self.table.schema.get_field_index(name) for name in columns]
        try:
            with pa.OSFile(str(self.path)) as file:  # not mapped: cut short, it would end the process
                for batch in self._batches_in(file, fields):
                    table = pa.Table.from_batches([_checked(batch.select(columns))])
                    yield from table.to_batches(max_chunksize=ROWS)
        except FAILURES as error:
            raise self._damaged(error) from None

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


KINDS = {
    "bool": "BOOLEAN", "int8": "TINYINT", "int16": "SMALLINT", "int32": "INTEGER", "int64": "BIGINT",
    "uint8": "UTINYINT", "uint16": "USMALLINT", "uint32": "UINTEGER", "uint64": "UBIGINT",
    "float": "FLOAT", "double": "DOUBLE", "string": "VARCHAR", "large_string": "VARCHAR",
}  # fmt: skip


@dataclass
class ArrowFolder(Source):
    path: Path
    tables: dict[str, dict[str, str]]
    unchanged: Unchanged
    _files: dict[str, "ArrowTable"]
    _attached: Attached | None = None

    @property
    def size_bytes(self) -> int:
        return sum(file.path.stat().st_size for file in self._files.values())

    def attach(self, con: "duckdb.DuckDBPyConnection") -> None:
        self._attached = Attached(con, has_views=any(map(self.is_streamed, self._files)))

    def select(self, table: str, columns: dict[str, str], wrong_as_null: bool = False, where: str = "") -> str:
        assert self._attached is not None, "attach comes first"
        if table not in self._attached:
            file = self._files[table]
            self._attached.add(table, file.table, is_copied=not self.is_streamed(table))
        return select_typed(self.path, table, self.tables[table], columns, relation(table), "row_number() OVER ()")

    def values(self, table: str, *columns: str) -> list[tuple[Any, ...]]:
        with self.unchanged.during():
            cells = self._files[table].table.read(columns).read_all()
        return list(zip(*(column.to_pylist() for column in cells.columns), strict=True))

    def count(self, table: str) -> int:
        return self._files[table].rows if table in self._files else 0

    def is_streamed(self, table: str) -> bool:
        return self.count(table) >= FEW_ROWS_COPIED

    def damage(self, error: Exception) -> NotAnExport | None:
        damages = (file.damage for file in self._files.values() if file.damage)
        return next((damage for damage in damages if str(damage) in str(error)), None)


def open_source(path: Path) -> ArrowFolder:
    files = sorted(path.absolute().glob("*.arrow"))
    if not of_nsys(file.stem for file in files):
        raise NotAnExport(f"{path} has Arrow files, but none that nsys writes; {HOW_TO_EXPORT}.")
    unchanged = Unchanged(files)
    opened = {file.stem: ArrowTable(file) for file in files}
    tables = {
        name: {field.name: KINDS.get(str(field.type), str(field.type).upper()) for field in file.table.schema}
        for name, file in opened.items()
    }
    return ArrowFolder(path, tables, unchanged, opened)
