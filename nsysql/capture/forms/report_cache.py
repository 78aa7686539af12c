"""Keep exports made from reports in the user's cache folder.

The key of an export is its report's path, size and modification time, so that a changed report is exported again.
"""

import hashlib
import os
import re
import shutil
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory

CACHE_BYTES = 20 * 10**9  # bytes; beyond that, the least recently used exports are removed
PART = ".part-"  # prefix of the name of a folder in which an export is being made
ABANDONED = 24 * 3600  # seconds after which such a folder counts as left by a killed process


def folder() -> Path:
    """Return the cache folder: NSYSQL_CACHE, else `nsysql` in the user's cache directory."""
    if place := os.environ.get("NSYSQL_CACHE"):
        return Path(place)
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local") / "nsysql" / "Cache"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "nsysql"
    place = os.environ.get("XDG_CACHE_HOME", "")
    return (Path(place) if Path(place).is_absolute() else Path.home() / ".cache") / "nsysql"


def cached_export(report: Path, make: Callable[[Path], None], is_whole: Callable[[Path], bool]) -> Path:
    """Return the export of a report: the cached one if it is complete, else what `make` writes to the path it gets.

    It is made in a temporary folder and renamed, so that concurrent processes and interruptions leave no partial file.
    """
    state = report.stat()
    place = folder()
    prefix = _hash(str(report.resolve()))
    export = place / f"{prefix}-{_hash(f'{state.st_size} {state.st_mtime_ns}')}.sqlite"
    if export.exists() and is_whole(export):
        os.utime(export, ns=(time.time_ns(), export.stat().st_mtime_ns))  # update the access time only
        return export
    place.mkdir(mode=0o700, parents=True, exist_ok=True)  # an older one is restricted if it has only cached exports
    ours = re.compile(rf"{re.escape(PART)}.*|[0-9a-f]{{16}}-[0-9a-f]{{16}}\.sqlite")
    if all(ours.fullmatch(path.name) for path in place.iterdir()):
        with suppress(PermissionError):  # it belongs to another user
            place.chmod(0o700)
    with TemporaryDirectory(prefix=PART, dir=place, ignore_cleanup_errors=True) as making:
        made = Path(making, export.name)
        make(made)
        if not (export.exists() and is_whole(export)):  # another process may have made it meanwhile, and reads it
            made.replace(export)
    for older in place.glob(f"{prefix}-*.sqlite"):
        if older != export:
            older.unlink(missing_ok=True)
    _trim(export)
    return export


def entries() -> dict[Path, int]:
    folders = []
    for path in folder().glob("*-*.sqlite"):
        with suppress(FileNotFoundError):  # another process may clear the cache
            folders.append((path.stat().st_atime, path, path.stat().st_size))
    return {path: size for _, path, size in sorted(folders)}


def clear() -> None:
    """Remove all exports from the cache, and what interrupted runs left."""
    for path in entries():
        path.unlink(missing_ok=True)
    for path in folder().glob(f"{PART}*"):
        shutil.rmtree(path, ignore_errors=True)


def _trim(newest: Path) -> None:
    """Keep the cache below its size limit; the newest export stays."""
    for path in folder().glob(f"{PART}*"):
        with suppress(FileNotFoundError):  # another process may have finished
            if time.time() - path.stat().st_mtime > ABANDONED:
                shutil.rmtree(path, ignore_errors=True)
    sizes = entries()
    total = sum(sizes.values())
    for path, size in sizes.items():
        if total > CACHE_BYTES and path != newest:
            total -= size
            path.unlink(missing_ok=True)


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()[:16]
