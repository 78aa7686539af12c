"""Files that appear only when they are whole."""

import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from shutil import copymode


@contextmanager
def atomic_replace(target: Path) -> Iterator[Path]:
    """An empty file next to the target that takes its place at the end, or goes where there was a failure."""
    path = hidden(target, "part")
    try:
        path.open("xb").close()
        yield path
        if target.exists():
            copymode(target, path)
        path.replace(target)
    finally:
        with suppress(OSError):
            path.unlink(missing_ok=True)


def hidden(target: Path, ending: str) -> Path:
    """A name next to the target that nothing else has."""
    return target.with_name(f".{target.name}.{uuid.uuid4().hex[:8]}.{ending}")
