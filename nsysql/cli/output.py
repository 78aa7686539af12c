"""Where answers go: the standard output, or a file that appears only when it is whole."""

import errno
import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from shutil import get_terminal_size
from typing import IO

from nsysql.atomic_file import atomic_replace
from nsysql.errors import UsageError

FORMATS = {
    "table": (), "csv": (".csv",), "json": (".json",), "ndjson": (".ndjson", ".jsonl"),
    "markdown": (".md", ".markdown"), "parquet": (".parquet",), "arrow": (".arrow", ".feather"),
}  # fmt: skip
TEXT = ("", ".txt", ".log", ".out")  # endings of files that people read
TERMINAL = "table"  # of a page: for people, as the table of a query
HTML = "html"  # of a page
FOR_PEOPLE = (TERMINAL, "markdown", HTML)  # forms of a page that people read
PAGES = (*FOR_PEOPLE, "json")  # forms of a page; the others are of its main table
PAGE_ENDINGS = {**FORMATS, HTML: (".html", ".htm")}
SVG = "svg"  # of a page that is a single picture, too
DRAWN_ENDINGS = {**PAGE_ENDINGS, SVG: (".svg",)}
PAGE_FORMS = (*PAGES, "csv", "ndjson", "parquet", "arrow")  # of what is more than one table
DRAWN_FORMS = (*PAGES, SVG, "csv", "ndjson", "parquet", "arrow")
BINARY = ("parquet", "arrow")


def form_of(format: str | None, output: str, endings: Mapping[str, tuple[str, ...]] = FORMATS) -> str:
    """The form to write: as asked, else by the ending of the file's name.

    Raises UsageError for an ending that is none of ours, and where bytes would go to a terminal.
    """
    ending = Path(output).suffix.lower()
    form = str(format) if format else TERMINAL if ending in TEXT else _by_ending(output, ending, endings)
    if form in BINARY and output == "-" and sys.stdout.isatty():
        raise UsageError(f"{form} is not for a terminal; write it with --output FILE, or into a pipe.")
    return form


def page_form(format: str | None, output: str) -> str:
    """The same for a page."""
    return form_of(format, output, PAGE_ENDINGS)


def drawn_form(format: str | None, output: str) -> str:
    """The same for a page that is a single picture, too."""
    return form_of(format, output, DRAWN_ENDINGS)


def _by_ending(output: str, ending: str, endings: Mapping[str, tuple[str, ...]]) -> str:
    for form, own in endings.items():
        if ending in own:
            return form
    known = ", ".join(end for own in endings.values() for end in own)
    raise UsageError(f"{output} ends in none of {known}, .txt; choose what to write with --format.")


@contextmanager
def opened(output: str, *inputs: Path) -> Iterator[IO[bytes]]:
    """The place named by `output`, open for bytes; `-` is the standard output.

    A file is written under another name and renamed at the end, so that a failure leaves what was there before. Raises
    UsageError for a folder, and for a file that is one of `inputs`.
    """
    if output == "-":
        yield sys.stdout.buffer
        return
    target = place(output, *inputs)
    if target.exists() and not target.is_file():  # a device or a pipe
        with _open_special(target, output) as file:
            yield file
        return
    with atomic_replace(target) as path, path.open("r+b") as file:
        yield file


def _open_special(target: Path, output: str) -> IO[bytes]:
    """A device or a pipe, open for bytes. Raises UsageError where nobody reads it, which would be waited for."""
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
    """Where that output goes. Raises UsageError where it cannot, or would replace one of `inputs`."""
    target = Path(output).resolve()
    if target.is_dir():
        raise UsageError(f"{output} is a folder; --output takes the name of a file.")
    if not target.parent.is_dir():
        raise UsageError(f"{output} would lie in {target.parent}, which is no folder.")
    if target.exists() and any(path.exists() and target.samefile(path) for path in inputs):
        raise UsageError(f"{output} is being read; give --output another name.")
    return target


def text_width(output: str) -> int | None:
    """The columns of the terminal that shows the output, or of $COLUMNS; None where nothing bounds it."""
    if output != "-":
        return None
    if os.environ.get("COLUMNS", "").isdigit() or sys.stdout.isatty():
        return max(20, get_terminal_size().columns)
    return None


def note(text: str) -> None:
    """One line on stderr, besides the answer."""
    sys.stdout.flush()
    with suppress(OSError):  # that nobody hears it is no failure
        print(f"note: {text}", file=sys.stderr)
