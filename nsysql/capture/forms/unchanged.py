"""Check that the files of an open export are regular files and have not changed since it was opened.

DuckDB opens a file again for each query. If another capture has replaced it meanwhile, a result would mix the names of
one capture with the times of the other.
"""

import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from nsysql.capture.forms.report_cache import folder
from nsysql.errors import ExportChanged, NotAnExport

State = tuple[int, int, int, int]  # inode, bytes, times of the last change of the contents and of anything, in ns
KINDS = (
    (stat.S_ISFIFO, "a pipe"), (stat.S_ISSOCK, "a socket"), (stat.S_ISCHR, "a device"), (stat.S_ISBLK, "a device"),
    (stat.S_ISDIR, "a folder"),
)  # fmt: skip


class Unchanged:
    """The state of the files when the export was opened; a file that was missing has to stay missing."""

    def __init__(self, files: Iterable[Path] = ()) -> None:
        """Raises NotAnExport for a file that is not regular: reading a pipe can block forever."""
        self._cache = folder().parts  # once: a page of a small export checks 350 times
        self._opened = {file.absolute(): self._state(refuse_special(file)) for file in files}

    def refuse_changes(self) -> None:
        """Raise ExportChanged if a file is no longer the one that was opened."""
        for file, opened in self._opened.items():
            if self._state(file) != opened:
                raise ExportChanged(
                    f"{file} was replaced, rewritten or removed after the export was opened, and an answer would mix "
                    "two captures; run the command again, or open the export again."
                )

    def _state(self, file: Path) -> State | None:
        try:
            status = file.stat()
        except (OSError, ValueError):
            return None
        # A program that rewrites a file can set its mtime back, but not its ctime; in the cache another process changes
        # that with the atime.
        changed = 0 if file.parts[: len(self._cache)] == self._cache else status.st_ctime_ns
        return status.st_ino, status.st_size, status.st_mtime_ns, changed

    @contextmanager
    def during(self) -> Iterator[None]:
        """Raise ExportChanged if a file has changed before the body of `with` or after it, even if the body fails."""
        self.refuse_changes()
        try:
            yield
        except Exception:
            self.refuse_changes()  # it explains more than the error that it caused
            raise
        self.refuse_changes()


def refuse_special(file: Path) -> Path:
    """Return the file. Raises NotAnExport if it exists and is not a regular file."""
    try:
        mode = file.stat().st_mode
    except (OSError, ValueError):  # opening it will raise an error with the reason
        return file
    if stat.S_ISREG(mode):
        return file
    kind = next((words for is_one, words in KINDS if is_one(mode)), "no file")
    raise NotAnExport(f"{file} is {kind}; an export is read from regular files, so copy it into one.")
