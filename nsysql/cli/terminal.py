"""The standard streams where they are terminals: what exports and packs hold is shown there, never acted on.

Everything that is printed passes one filter; only what we colour or move ourselves, with its texts escaped
before, goes past it.
"""

import codecs
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import IO, Any

from nsysql.errors import escaped


class Filter:
    """A stream to a terminal that shows control and invisible characters as escapes; of bytes too, which are UTF-8."""

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
    """What takes a filter's bytes."""

    def __init__(self, text: Filter) -> None:
        self._text = text
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")

    def write(self, data: bytes) -> int:
        """Write the bytes as text; a character that they end within comes with the next ones."""
        self._text.write(self._decoder.decode(data))
        return len(data)

    def flush(self) -> None:
        """Hand on what was buffered."""
        self._text.stream.flush()


@contextmanager
def filtered() -> Iterator[None]:
    """Let the standard streams that are terminals be filtered."""
    before = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = (Filter(s) if s.isatty() else s for s in before)
    try:
        yield
    finally:
        sys.stdout, sys.stderr = before


def unfiltered(stream: IO[str]) -> IO[str]:
    """The terminal itself, for texts that are escaped already and have our own colours."""
    return stream.stream if isinstance(stream, Filter) else stream
