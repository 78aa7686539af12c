"""Read a folder of Arrow files, one per table, from `nsys export --type arrowdir` or `nsysql convert`.

NVIDIA writes Arrow's stream format, nsysql its file format; of both only the columns that a query needs are read.

A file is a stream between magic bytes, with a footer that lists where the batches begin: a stream is read as a file,
whose footer is made from the lengths at the beginning of every message. Messages and the footer are flatbuffers: the
first number of one points to its table, whose first number points to its vtable, which has the position of each field.
"""

import io
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import duckdb
import pyarrow as pa
from pyarrow import ipc

from nsysql.capture.forms.attached import FEW_ROWS_COPIED, Attached, relation
from nsysql.capture.forms.batch_table import ROWS, BatchTable
from nsysql.capture.forms.source import Source, select_typed
from nsysql.capture.forms.unchanged import Unchanged
from nsysql.errors import NotAnExport
from nsysql.words.sql_text import HOW_TO_EXPORT, NOTHING_FETCHED, decoded, of_nsys

MAGIC = b"ARROW1"  # at the beginning and end of a file
CONTINUATION = b"\xff\xff\xff\xff"  # at the beginning of a message since Arrow 0.15
SCHEMA, RECORD_BATCH = 1, 3  # the kinds of message that nsys writes
VERSION, KIND, HEADER, BODY_LENGTH = range(4)  # the fields of a message
ROW_COUNT = 0  # a field of a record batch, which is the header of such a message
BEFORE_BLOCKS = 40  # bytes of the footer; then come the blocks, one per batch, and the schema
OVERRUN = "its messages do not end within its {:,} bytes"
BLOCK = struct.Struct("<qi4xq")


class ArrowStream(io.RawIOBase):
    """The bytes of a stream followed by a footer. Raises ValueError if the stream is damaged."""

    def __init__(self, path: Path) -> None:
        self._at = 0
        self._file: BinaryIO = path.open("rb")
        try:
            self._size = self._file.seek(0, io.SEEK_END)
            self._footer = _footer(self._file, self._size)
        except BaseException:
            self._file.close()
            raise

    def read(self, count: int = -1) -> bytes:
        """Return the next bytes."""
        whole = self._size + len(self._footer)
        end = whole if count < 0 else min(whole, self._at + count)
        data = b""
        if self._at < self._size:
            self._file.seek(self._at)
            data = self._file.read(min(end, self._size) - self._at)
        if end > self._size:
            data += self._footer[max(0, self._at - self._size) : end - self._size]
        self._at += len(data)
        return data

    def seek(self, place: int, whence: int = io.SEEK_SET) -> int:
        """Set the position."""
        self._at = place + (0, self._at, self._size + len(self._footer))[whence]
        return self._at

    def readable(self) -> bool:
        """Return True: the bytes can be read."""
        return True

    def seekable(self) -> bool:
        """Return True: the position can be set."""
        return True

    def close(self) -> None:
        """Close the file."""
        self._file.close()
        super().close()


def count_rows(path: Path) -> int:
    """Count the rows of an Arrow file or stream from its messages. Raises ValueError if it is damaged."""
    with path.open("rb") as file:
        size = file.seek(0, io.SEEK_END)
        file.seek(0)
        begin = 8 if file.read(len(MAGIC)) == MAGIC else 0
        try:
            batches = [m for _, _, _, m in _messages(file, size, begin) if _field(m, KIND, "B") == RECORD_BATCH]
            rows = [_field(message, ROW_COUNT, "q", _header(message)) for message in batches]
        except struct.error:
            raise ValueError(OVERRUN.format(size)) from None
    if min(rows, default=0) < 0:
        raise ValueError("one of its batches has a negative number of rows")
    return sum(rows)


def _footer(file: BinaryIO, size: int) -> bytes:
    """Build the end of an Arrow file for the batches of a stream: a footer, its length and the magic bytes."""
    try:
        (_, _, _, schema), *batches = _messages(file, size)
        kinds = [_field(message, KIND, "B") for _, _, _, message in batches]
        if _field(schema, KIND, "B") != SCHEMA or set(kinds) - {RECORD_BATCH}:
            raise ValueError("it has a message that nsys does not write")
        blocks = b"".join(BLOCK.pack(at, head, body) for at, head, body, _ in batches)
        place = BEFORE_BLOCKS + len(blocks) + _header(schema)
        version = _field(schema, VERSION, "h")
        vtable = (12, 16, 4, 8, 0, 12)  # its size, the table's, then the positions of version, schema and blocks
        start = struct.pack("<I6Hih2xII4xI", 16, *vtable, 12, version, place - 24, 8, len(batches))
    except struct.error:
        raise ValueError(OVERRUN.format(size)) from None
    footer = start + blocks + schema
    return footer + struct.pack("<i", len(footer)) + MAGIC


def _messages(file: BinaryIO, size: int, at: int = 0) -> Iterator[tuple[int, int, int, bytes]]:
    """Yield each message: its position, the lengths of its head and body, and the flatbuffer in its head."""
    while True:
        file.seek(at)
        begin = file.read(8)
        prefix = 8 if begin.startswith(CONTINUATION) else 4
        (length,) = struct.unpack_from("<i", begin, prefix - 4)
        if length == 0:
            return
        if not 0 < length <= size - at - prefix:
            raise struct.error
        file.seek(at + prefix)
        message = file.read(length)
        body = _field(message, BODY_LENGTH, "q")
        if not 0 <= body <= size - at - prefix - length:
            raise struct.error
        yield at, prefix + length, body, message
        at += prefix + length + body


def _header(message: bytes) -> int:
    """Return the position of the table that is a message's header."""
    return _place(message, HEADER) + _field(message, HEADER, "I")


def _place(message: bytes, field: int, table: int | None = None) -> int:
    """Return the position of a field in a table, by default the message's root table; 0 if the field is absent."""
    start = int(struct.unpack_from("<I", message)[0]) if table is None else table
    vtable = start - struct.unpack_from("<i", message, start)[0]
    (size,) = struct.unpack_from("<H", message, vtable)
    slot = 4 + 2 * field
    place = int(struct.unpack_from("<H", message, vtable + slot)[0]) if slot < size else 0
    return start + place if place else 0


def _field(message: bytes, field: int, form: str, table: int | None = None) -> int:
    """Return the number in a field; 0 if the field is absent."""
    place = _place(message, field, table)
    return int(struct.unpack_from(f"<{form}", message, place)[0]) if place else 0


BYTES = {pa.string(): pa.binary(), pa.large_string(): pa.large_binary()}
FAILURES = (pa.ArrowException, OSError, ValueError, MemoryError)  # the errors that reading a damaged file can raise


class ArrowTable:
    """The table in a file, with `table` for DuckDB. Raises NotAnExport if the file is damaged."""

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
        """Yield the batches with these columns. Raises NotAnExport if the file is damaged."""
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


KINDS = {
    "bool": "BOOLEAN", "int8": "TINYINT", "int16": "SMALLINT", "int32": "INTEGER", "int64": "BIGINT",
    "uint8": "UTINYINT", "uint16": "USMALLINT", "uint32": "UINTEGER", "uint64": "UBIGINT",
    "float": "FLOAT", "double": "DOUBLE", "string": "VARCHAR", "large_string": "VARCHAR",
}  # fmt: skip


@dataclass
class ArrowFolder(Source):
    """The tables of a folder."""

    path: Path
    tables: dict[str, dict[str, str]]
    unchanged: Unchanged
    _files: dict[str, "ArrowTable"]
    _attached: Attached | None = None

    @property
    def size_bytes(self) -> int:
        """The bytes of all tables."""
        return sum(file.path.stat().st_size for file in self._files.values())

    def attach(self, con: "duckdb.DuckDBPyConnection") -> None:
        """Prepare a database for the tables that queries will select from."""
        self._attached = Attached(con, has_views=any(map(self.is_streamed, self._files)))

    def select(self, table: str, columns: dict[str, str], wrong_as_null: bool = False, where: str = "") -> str:
        """Return the SELECT of these columns, cast to these types."""
        assert self._attached is not None, "attach comes first"
        if table not in self._attached:
            file = self._files[table]
            self._attached.add(table, file.table, is_copied=not self.is_streamed(table))
        return select_typed(self.path, table, self.tables[table], columns, relation(table), "row_number() OVER ()")

    def values(self, table: str, *columns: str) -> list[tuple[Any, ...]]:
        """Return some columns of the rows of a small table."""
        with self.unchanged.during():
            cells = self._files[table].table.read(columns).read_all()
        return list(zip(*(column.to_pylist() for column in cells.columns), strict=True))

    def count(self, table: str) -> int:
        """Return the row count of a table."""
        return self._files[table].rows if table in self._files else 0

    def is_streamed(self, table: str) -> bool:
        """Tell whether each query reads the table anew, row by row."""
        return self.count(table) >= FEW_ROWS_COPIED

    def damage(self, error: Exception) -> NotAnExport | None:
        """Return the damage of the file that DuckDB's error message quotes, if any."""
        damages = (file.damage for file in self._files.values() if file.damage)
        return next((damage for damage in damages if str(damage) in str(error)), None)


def open_source(path: Path) -> ArrowFolder:
    """Open the export in a folder of Arrow files. Raises NotAnExport with the reason and a remedy."""

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
