"""The text of source lines, from files in a folder that the user names; no file outside of it is read."""

import re
from collections.abc import Iterable
from pathlib import Path

from nsysql.errors import UsageError

LARGEST = 4_000_000  # bytes of the largest file that is shown
AROUND = 3  # lines shown before and after one with measurements


def texts(folder: Path, files: Iterable[str]) -> dict[str, list[str]]:
    """The lines of the files found in the folder, by the file's name in the export.

    A file is searched by the end of its path, the longest first: for /home/me/app/train.py, app/train.py before
    train.py. Raises UsageError if there is no such folder.
    """
    if not folder.is_dir():
        raise UsageError(f"--source {folder} is not a folder; give the one with the program's source.")
    root = folder.resolve()
    return {name: lines for name in files if (lines := _read(root, name)) is not None}


def _read(root: Path, name: str) -> list[str] | None:
    parts = [part for part in re.split(r"[/\\]+", name) if part not in ("", ".") and not part.endswith(":")]
    if not parts or ".." in parts or "\0" in name:
        return None
    for first in range(len(parts)):
        try:
            path = root.joinpath(*parts[first:]).resolve()
            if path.is_relative_to(root) and path.is_file() and path.stat().st_size <= LARGEST:
                return path.read_text(encoding="utf-8", errors="replace").splitlines()
        except OSError:  # a name that this system cannot have, or a file that may not be read
            continue
    return None


def shown_lines(numbered: Iterable[int], count: int) -> list[int]:
    """The numbers of the lines to show of a file: those with measurements, and some around them."""
    found = {line for number in numbered for line in range(number - AROUND, number + AROUND + 1) if 1 <= line <= count}
    return sorted(found)
