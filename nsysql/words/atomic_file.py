"""Write files atomically, readable only by those who can read the files they are made from."""

import os
import stat
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from shutil import copymode

GROUP, OTHERS = 0o070, 0o007
READ, WRITE = 0o044, 0o022


def closed(*sources: Path) -> int:
    """Return a umask: the permissions that files made from these must not give to the group and to others.

    A folder counts with the strictest permissions of the files in it. Group permissions for another group than this
    process's are denied.
    """
    bits = 0
    for source in sources:
        for path in (source, *(source.iterdir() if source.is_dir() else ())):
            state = path.stat()
            for group in (GROUP, OTHERS):
                needed = READ | 0o011 if path.is_dir() else READ
                bits |= group if needed & group & ~state.st_mode else WRITE & group & ~state.st_mode
            if hasattr(os, "getegid") and state.st_gid != os.getegid() and not state.st_mode & stat.S_IROTH:
                bits |= GROUP
    return bits


def restrict(path: Path, *sources: Path) -> None:
    """Remove group and other permissions that `sources` do not have; the owner may read and write."""
    allowed = stat.S_IMODE(path.stat().st_mode) & ~closed(*sources)
    path.chmod(allowed | stat.S_IRUSR | stat.S_IWUSR)


def create_closed(path: Path, *sources: Path) -> None:
    """Make an empty file without permissions beyond those of `sources`; sources that do not exist are ignored."""
    with as_closed_as(*(source for source in sources if source.exists())):
        path.open("xb").close()


@contextmanager
def as_closed_as(*sources: Path) -> Iterator[None]:
    """Give new files and folders no permissions beyond those of `sources` while this context is active."""
    before = os.umask(0o077)
    try:
        os.umask(before | closed(*sources))
        yield
    finally:
        os.umask(before)


@contextmanager
def atomic_replace(target: Path, *sources: Path) -> Iterator[Path]:
    """Create an empty file next to the target that replaces it at the end, or is removed on failure.

    Only those who can read its `sources` can read it; otherwise it has the permissions of the file that it replaces.
    """
    path = hidden(target, "part")
    try:
        create_closed(path, *sources)
        yield path
        if target.exists():
            copymode(target, path)
            restrict(path, *(source for source in sources if source.exists()))
        path.replace(target)
    except OSError as error:
        if error.filename == str(path):  # a name that nobody chose
            error.filename = str(target)
        raise
    finally:
        with suppress(OSError):
            path.unlink(missing_ok=True)


def hidden(target: Path, ending: str) -> Path:
    """Return an unused hidden name next to the target."""
    return target.with_name(f".{target.name}.{uuid.uuid4().hex[:8]}.{ending}")
