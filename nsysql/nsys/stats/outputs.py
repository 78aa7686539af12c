"""Where a report goes: the console, a file, or the input of a command."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from nsysql.errors import NsysqlError
from nsysql.words.atomic_file import atomic_replace


def to_console(chunks: Iterator[str]) -> None:
    """Write to the standard output."""
    sys.stdout.writelines(chunks)


def to_file(chunks: Iterator[str], path: Path, export: Path) -> bool:
    """Write to a file, which appears only when complete and not empty. Whether there was anything to write."""
    first = next(chunks, None)
    if first is None:
        return False
    try:
        with (
            atomic_replace(path.resolve(), export) as written,
            written.open("w", encoding="utf-8", errors="surrogateescape", newline="") as file,
        ):
            _write(first, chunks, file)
    except OSError as error:
        raise NsysqlError(f"{path} cannot be written: {error.strerror or error}.") from None
    return True


def to_command(chunks: Iterator[str], words: list[str]) -> None:
    """Write to the standard input of a command, whose own output goes to ours. Raises NsysqlError where it fails."""
    first = next(chunks, "")
    sys.stdout.flush()
    try:
        process = subprocess.Popen(words, stdin=subprocess.PIPE, text=True, encoding="utf-8", errors="surrogateescape")
    except (OSError, IndexError) as error:
        reason = getattr(error, "strerror", None) or "it is empty"
        raise NsysqlError(f"The command {' '.join(words)!r} cannot be run: {reason}.") from None
    assert process.stdin is not None
    try:
        with process.stdin:
            _write(first, chunks, process.stdin)
    except BrokenPipeError:
        pass  # the command has stopped reading
    finally:
        status = process.wait()
    if status:
        raise NsysqlError(f"The command {' '.join(words)!r} ended with status {status}.")


def _write(first: str, chunks: Iterator[str], file: IO[str]) -> None:
    file.write(first)
    for chunk in chunks:
        file.write(chunk)
