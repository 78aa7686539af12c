"""Who may read what is made of an export: nobody who may not read the export itself."""

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

GROUP, OTHERS = 0o070, 0o007
READ, WRITE = 0o044, 0o022


def closed(*sources: Path) -> int:
    """The permissions that files made of these must not give to the group and to others, as a umask.

    A folder is as open as the least open file in it. What another group may read is closed to ours.
    """
    found = 0
    for source in sources:
        for path in (source, *(source.iterdir() if source.is_dir() else ())):
            state = path.stat()
            for group in (GROUP, OTHERS):
                needed = READ | 0o011 if path.is_dir() else READ
                found |= group if needed & group & ~state.st_mode else WRITE & group & ~state.st_mode
            if hasattr(os, "getegid") and state.st_gid != os.getegid() and not state.st_mode & stat.S_IROTH:
                found |= GROUP
    return found


def restrict(path: Path, *sources: Path) -> None:
    """Take from the group and from others what `sources` do not give them; the owner may read and write."""
    allowed = stat.S_IMODE(path.stat().st_mode) & ~closed(*sources)
    path.chmod(allowed | stat.S_IRUSR | stat.S_IWUSR)


@contextmanager
def as_closed_as(*sources: Path) -> Iterator[None]:
    """Files and folders that this process makes meanwhile are no more open than `sources`."""
    before = os.umask(0o077)
    try:
        os.umask(before | closed(*sources))
        yield
    finally:
        os.umask(before)
