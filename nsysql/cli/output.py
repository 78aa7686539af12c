"""Where results go: the standard output, or a file that appears only when it is complete.

On a terminal control characters from exports and packs are shown, never acted on: all output passes one filter, except
nsysql's own colors and cursor moves, whose texts are escaped before.
"""

import codecs
import errno
import io
import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from shutil import get_terminal_size
from typing import IO, Any

from nsysql.errors import UsageError, escaped
from nsysql.words.atomic_file import atomic_replace


class Filter:
    """A stream to a terminal that shows control and invisible characters as escapes; bytes are taken as UTF-8."""

    def __init__(self, stream: IO[str]) -> None:
        self.stream = stream
        self.buffer = _Bytes(self)

    def write(self, text: str) -> int:
        return self.stream.write(escaped(text))

    def writelines(self, lines: Iterable[str]) -> None:
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.stream, name)


class _Bytes:
    def __init__(self, text: Filter) -> None:
        self._text = text
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")

    def write(self, data: bytes) -> int:
        self._text.write(self._decoder.decode(data))
        return len(data)

    def flush(self) -> None:
        self._text.stream.flush()


@contextmanager
def filtered() -> Iterator[None]:
    before = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = (Filter(s) if s.isatty() else s for s in before)
    try:
        yield
    finally:
        sys.stdout, sys.stderr = before


def unfiltered(stream: IO[str]) -> IO[str]:
    """The terminal itself, for texts that are already escaped and have nsysql's own colors."""
    return stream.stream if isinstance(stream, Filter) else stream


ENDINGS = {
    "table": (), "csv": (".csv",), "json": (".json",), "ndjson": (".ndjson", ".jsonl"),
    "markdown": (".md", ".markdown"), "parquet": (".parquet",), "arrow": (".arrow", ".feather"),
    "html": (".html", ".htm"), "svg": (".svg",),
}  # fmt: skip
TEXT = ("", ".txt", ".log", ".out")  # extensions of text files
FOR_PEOPLE = ("table", "markdown", "html")  # formats of pages for reading
PAGES = (*FOR_PEOPLE, "json")  # formats of a page; other formats output its main table
FORMATS = tuple(form for form in ENDINGS if form not in ("html", "svg"))  # of rows
PAGE_FORMS = (*PAGES, "csv", "ndjson", "parquet", "arrow")
DRAWN_FORMS = (*PAGES, "svg", "csv", "ndjson", "parquet", "arrow")
BINARY = ("parquet", "arrow")


def form_of(format: str | None, output: str, forms: Iterable[str] = FORMATS) -> str:
    """The output format, one of `forms`: as requested, else by the extension of the file's name.

    Raises UsageError for an unknown extension, and for binary output to a terminal.
    """
    endings = {end: form for form, own in ENDINGS.items() if form in forms for end in own}
    form = format or (endings | dict.fromkeys(TEXT, "table")).get(Path(output).suffix.lower())
    if form is None:
        raise UsageError(f"{output} ends in none of {', '.join(endings)}, .txt; choose what to write with --format.")
    if form in BINARY and output == "-" and sys.stdout.isatty():
        raise UsageError(f"{form} is not for a terminal; write it with --output FILE, or into a pipe.")
    return form


@contextmanager
def opened(output: str, *inputs: Path) -> Iterator[IO[bytes]]:
    """Open `output` for bytes; `-` is the standard output.

    A file is written under another name and renamed at the end, so that a failure keeps an existing file. Raises
    UsageError for a folder, and for a file that is one of `inputs`. Nobody can read it who cannot read the inputs.
    """
    if output == "-":
        yield sys.stdout.buffer
        return
    if (special := Path(output)).exists() and not special.is_file() and not special.is_dir():  # a device or a pipe
        with _open_special(special, output) as file:
            yield file
        return
    target = place(output, *inputs)
    with atomic_replace(target, *inputs) as path, path.open("r+b") as file:
        yield file


def _open_special(target: Path, output: str) -> IO[bytes]:
    """Open a device or a pipe for bytes. Raises UsageError if a pipe has no reader, as opening would block."""
    try:
        number = os.open(target, os.O_WRONLY | getattr(os, "O_NONBLOCK", 0))
    except OSError as error:
        if error.errno != errno.ENXIO:
            raise
        raise UsageError(f"{output} is a pipe or a socket that nobody reads; give --output another name.") from None
    if hasattr(os, "O_NONBLOCK"):
        os.set_blocking(number, True)
    return os.fdopen(number, "wb")


def place(output: str, *inputs: Path) -> Path:
    """The path to write to. Raises UsageError if it is a folder, or is one of `inputs`."""
    target = Path(output).resolve()
    if target.is_dir():
        raise UsageError(f"{output} is a folder; --output takes the name of a file.")
    if not target.parent.is_dir():
        raise UsageError(f"{output} would lie in {target.parent}, which is no folder.")
    if target.exists() and any(path.exists() and target.samefile(path) for path in inputs):
        raise UsageError(f"{output} is being read; give --output another name.")
    return target


@contextmanager
def text_file(output: str, file: IO[bytes]) -> Iterator[IO[str]]:
    """The opened output for texts that are already escaped: the terminal, or the file."""
    if output == "-":
        yield unfiltered(sys.stdout)
        return
    text = io.TextIOWrapper(file, "utf-8", newline="\n")
    yield text
    text.flush()
    text.detach()


def text_width(output: str) -> int | None:
    """The width of the terminal that shows the output, or $COLUMNS; None if unlimited."""
    if output != "-":
        return None
    if os.environ.get("COLUMNS", "").isdigit() or sys.stdout.isatty():
        return max(20, get_terminal_size().columns)
    return None


def note(text: str) -> None:
    sys.stdout.flush()
    with suppress(OSError):  # a closed stderr is not an error
        print(f"note: {text}", file=sys.stderr)
