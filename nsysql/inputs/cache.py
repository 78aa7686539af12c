"""The user's cache folder, which has the exports that were made of reports.

An export is kept under its report's path, size and time of change, so that a changed report is exported again.
"""

import hashlib
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

MOST = 20 * 10**9  # bytes; what was used longest ago goes when there are more
PART = ".part-"  # begins the name of a folder in which an export is being made
ABANDONED = 24 * 3600  # seconds after which such a folder is left over from a process that was killed


def folder() -> Path:
    """Where the exports lie: NSYSQL_CACHE, else nsysql's folder among the caches of this user."""
    if given := os.environ.get("NSYSQL_CACHE"):
        return Path(given)
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local") / "nsysql" / "Cache"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "nsysql"
    given = os.environ.get("XDG_CACHE_HOME", "")
    return (Path(given) if Path(given).is_absolute() else Path.home() / ".cache") / "nsysql"


def kept(report: Path, make: Callable[[Path], None]) -> Path:
    """The export of a report: the one in the cache, else what `make` writes to the path it is given.

    It is made aside and renamed, so that two processes or an interruption leave no half of a file.
    """
    state = report.stat()
    place = folder()
    prefix = _hash(str(report.resolve()))
    export = place / f"{prefix}-{_hash(f'{state.st_size} {state.st_mtime_ns}')}.sqlite"
    if export.exists():
        os.utime(export)  # it was used now
        return export
    place.mkdir(parents=True, exist_ok=True)
    aside = Path(tempfile.mkdtemp(prefix=PART, dir=place))
    try:
        make(aside / export.name)
        (aside / export.name).replace(export)
    finally:
        shutil.rmtree(aside, ignore_errors=True)
    for older in place.glob(f"{prefix}-*.sqlite"):
        if older != export:
            older.unlink(missing_ok=True)
    _trim(export)
    return export


def entries() -> dict[Path, int]:
    """The exports in the cache with their sizes, the one used longest ago first."""
    found = []
    for path in folder().glob("*-*.sqlite"):
        with suppress(FileNotFoundError):  # another process may clear the cache
            found.append((path.stat().st_mtime, path, path.stat().st_size))
    return {path: size for _, path, size in sorted(found)}


def clear() -> None:
    """Remove all exports from the cache, and what an interrupted one left."""
    for path in entries():
        path.unlink(missing_ok=True)
    for path in folder().glob(f"{PART}*"):
        shutil.rmtree(path, ignore_errors=True)


def _trim(newest: Path) -> None:
    """Keep the cache below its size; what was just made stays."""
    for path in folder().glob(f"{PART}*"):
        if time.time() - path.stat().st_mtime > ABANDONED:
            shutil.rmtree(path, ignore_errors=True)
    found = entries()
    total = sum(found.values())
    for path, size in found.items():
        if total > MOST and path != newest:
            total -= size
            path.unlink(missing_ok=True)


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()[:16]
