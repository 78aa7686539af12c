"""Filter output to terminals: control characters from exports and packs are shown, never acted on.

All output passes one filter, except nsysql's own colors and cursor moves, whose texts are escaped before.
"""

import codecs
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import IO, Any

from nsysql.errors import escaped


class Filter:
    """A stream to a terminal that shows control and invisible characters as escapes; bytes are taken as UTF-8."""

    def __init__(self, stream: IO[str]) -> None:
        self.stream = stream
        self.buffer = _Bytes(self)

    def write(self, text: str) -> int:
        """Write the text, escaped."""
        return self.stream.write(escaped(text))

    def writelines(self, lines: Iterable[str]) -> None:
        """Write the texts, escaped."""
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.stream, name)


class _Bytes:
    """The filter's stream for bytes."""

    def __init__(self, text: Filter) -> None:
        self._text = text
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")

    def write(self, data: bytes) -> int:
        """Write the bytes as text; an incomplete character waits for the next bytes."""
        self._text.write(self._decoder.decode(data))
        return len(data)

    def flush(self) -> None:
        """Flush the underlying stream."""
        self._text.stream.flush()


@contextmanager
def filtered() -> Iterator[None]:
    """Filter those of the standard streams that are terminals."""
    before = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = (Filter(s) if s.isatty() else s for s in before)
    try:
        yield
    finally:
        sys.stdout, sys.stderr = before


def unfiltered(stream: IO[str]) -> IO[str]:
    """The terminal itself, for texts that are already escaped and have nsysql's own colors."""
    return stream.stream if isinstance(stream, Filter) else stream
