"""Files that appear only when they are whole."""

import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from shutil import copymode

from nsysql.words import modes


@contextmanager
def atomic_replace(target: Path, *sources: Path) -> Iterator[Path]:
    """An empty file next to the target that replaces it at the end, or is removed on failure.

    Nobody can read it who cannot read its `sources`; otherwise it has the permissions of the file that it replaces.
    """
    path = hidden(target, "part")
    try:
        modes.create(path, *sources)
        yield path
        if target.exists():
            copymode(target, path)
            modes.restrict(path, *(source for source in sources if source.exists()))
        path.replace(target)
    finally:
        with suppress(OSError):
            path.unlink(missing_ok=True)


def hidden(target: Path, ending: str) -> Path:
    """A name next to the target that nothing else has."""
    return target.with_name(f".{target.name}.{uuid.uuid4().hex[:8]}.{ending}")
