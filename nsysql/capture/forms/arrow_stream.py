"""Present an Arrow stream as an Arrow file, so that single columns of single batches can be read.

A file is a stream between magic bytes, with a footer that lists where the batches begin. The footer is made here from
the lengths at the beginning of every message of the stream. Messages and the footer are flatbuffers: the first number
of one points to its table, whose first number points to its vtable, which has the position of each field.
"""

import io
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

MAGIC = b"ARROW1"  # at the beginning and end of a file
CONTINUATION = b"\xff\xff\xff\xff"  # at the beginning of a message since Arrow 0.15
SCHEMA, RECORD_BATCH = 1, 3  # the kinds of message that nsys writes
VERSION, KIND, HEADER, BODY_LENGTH = range(4)  # the fields of a message
ROWS = 0  # a field of a record batch, which is the header of such a message
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
            rows = [_field(message, ROWS, "q", _header(message)) for message in batches]
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
