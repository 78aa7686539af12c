"""The files of an open export: regular ones, and still those that were opened.

DuckDB opens a file anew for each question. Where another capture has taken its place, or is written into it, an
answer would have the names of one capture and the times of the other.
"""

import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from nsysql.errors import ExportChanged, NotAnExport

State = tuple[int, int, int]  # inode, bytes, time of the last change in ns
KINDS = (
    (stat.S_ISFIFO, "a pipe"), (stat.S_ISSOCK, "a socket"), (stat.S_ISCHR, "a device"), (stat.S_ISBLK, "a device"),
    (stat.S_ISDIR, "a folder"),
)  # fmt: skip


class Unchanged:
    """What files were when an export was opened; a file that was missing has to stay so."""

    def __init__(self, files: Iterable[Path] = ()) -> None:
        """Raises NotAnExport for a file that is not a regular one: to read a pipe can take for ever."""
        self._opened = {file.absolute(): _state(refuse_special(file)) for file in files}

    def refuse_changes(self) -> None:
        """Raise ExportChanged where a file is no longer what was opened."""
        for file, opened in self._opened.items():
            if _state(file) != opened:
                raise ExportChanged(
                    f"{file} was replaced, rewritten or removed after the export was opened, and an answer would mix "
                    "two captures; run the command again, or open the export again."
                )

    @contextmanager
    def during(self) -> Iterator[None]:
        """Raise ExportChanged where a file is another before or after what is done, whether or not that fails."""
        self.refuse_changes()
        try:
            yield
        except Exception:
            self.refuse_changes()  # which says more than what came of it
            raise
        self.refuse_changes()


def refuse_special(file: Path) -> Path:
    """The same file. Raises NotAnExport where it is there and not a regular file."""
    try:
        mode = file.stat().st_mode
    except (OSError, ValueError):  # who opens it will say why that is not possible
        return file
    if stat.S_ISREG(mode):
        return file
    kind = next((words for is_one, words in KINDS if is_one(mode)), "no file")
    raise NotAnExport(f"{file} is {kind}; an export is read from regular files, so copy it into one.")


def _state(file: Path) -> State | None:
    try:
        found = file.stat()
    except (OSError, ValueError):
        return None
    return found.st_ino, found.st_size, found.st_mtime_ns
