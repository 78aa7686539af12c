"""Find the exports that folders, patterns and paths stand for, and name them."""

import glob
import hashlib
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from nsysql.errors import UsageError
from nsysql.words.sql_text import REPORTS

ENDINGS = (".sqlite", ".duckdb", *REPORTS)  # of files that count as exports in a folder
DIGESTS = (".digest", ".digest.json")  # of files that `nsysql digest` makes
TABLES = (".parquet", ".arrow")  # of files in a folder that is itself an export
OWN = ".nsysql-runs"  # a file that marks a folder of results, which is not searched for exports


@dataclass(frozen=True)
class RunFile:
    """The path of an export and a unique name for it; `identity` is None if there is no such file."""

    name: str
    path: Path
    identity: str | None
    size_bytes: int = 0


def find_files(paths: Iterable[str | Path], digests: bool = False) -> list[RunFile]:
    """Return the exports that these paths stand for, each once: folders searched, patterns expanded, in natural order.

    A missing file that is named is included. With `digests` a folder's digests, if any, replace its exports. Raises
    UsageError if a folder or a pattern has no export.
    """
    parts = (kept for place in paths for kept in ((digests and _digests(Path(place))) or [Path(place)]))
    exports: dict[Path, Path] = {}
    for part in parts:
        for path in _expanded(part):
            exports.setdefault(path.resolve(), path)  # a link to an export is the same run
    if not exports:
        raise UsageError("no exports are named; give a folder, a pattern such as 'job/*.sqlite', or files.")
    places = list(exports.values())
    return [RunFile(name, path, identity(path), _size(path)) for name, path in zip(_names(places), places, strict=True)]


def identity(path: Path) -> str | None:
    """Return a digest of the path, inode, size and change times of all the export's files; None if any is missing.

    A program that rewrites a file can set its mtime back, but not its ctime.
    """
    try:
        stats = ((file, file.stat()) for file in _parts(path))
        states = [(str(file), s.st_ino, s.st_size, s.st_mtime_ns, s.st_ctime_ns) for file, s in stats]
    except OSError:
        return None
    return hashlib.sha256(ascii((str(_absolute(path)), states)).encode()).hexdigest()


def _parts(path: Path) -> list[Path]:
    """Return the files that the export consists of."""
    if path.is_dir():
        return sorted(file for file in path.iterdir() if file.suffix in TABLES)
    sibling = path.with_suffix(".sqlite") if path.suffix in REPORTS else path
    return [path, sibling] if sibling != path and sibling.exists() else [path]


def _size(path: Path) -> int:
    try:
        return sum(file.stat().st_size for file in _parts(path))
    except OSError:
        return 0


def _absolute(path: Path) -> Path:
    return Path(os.path.normpath(path.absolute()))  # without resolving links


def _expanded(path: Path) -> Sequence[Path]:
    """Return the exports that one argument stands for."""
    if path.is_dir():
        if is_export(path):
            return [_absolute(path)]
        paths = sorted(exports_below(path), key=_natural)
        if not paths:
            endings = ", ".join(f"*{ending}" for ending in ENDINGS)
            raise UsageError(f"{path} is a folder without exports ({endings}, or folders of Parquet or Arrow files).")
        return paths
    if path.exists() or not glob.has_magic(str(path)):
        return [_absolute(path)]
    names = glob.glob(str(path), recursive=True)  # noqa: PTH207 -- Path.glob takes no absolute pattern
    matches = sorted(map(Path, names), key=_natural)
    if not matches:
        raise UsageError(f"nothing matches {path}.")
    return [export for match in matches for export in ([*_expanded(match)] if match.is_dir() else [_absolute(match)])]


def _digests(folder: Path) -> list[Path]:
    """Return the digests of a folder, in natural order."""
    files = [file for file in folder.glob("*") if file.name.endswith(DIGESTS)] if folder.is_dir() else []
    return sorted(files, key=_natural)


def exports_below(folder: Path, most: int | None = None) -> Iterator[Path]:
    """Yield the exports below a folder, without hidden folders and results; of a report and its export, the export.

    With `most` the search ends after so many files, whether exports or not.
    """
    seen = 0
    for place, folders, names in os.walk(_absolute(folder)):
        here = Path(place)
        folders.sort()
        exports = [name for name in folders if is_export(here / name)]
        searched = [name for name in folders if not name.startswith(".") and name not in exports]
        folders[:] = [name for name in searched if not (here / name / OWN).exists()]
        yield from (here / name for name in exports)
        for name in sorted(names):
            seen += 1
            if most and seen > most:
                return
            file = here / name
            has_export = file.suffix in REPORTS and file.with_suffix(".sqlite").name in names
            if file.suffix in ENDINGS and not name.startswith(".") and not has_export:
                yield file


def is_export(folder: Path) -> bool:
    """Tell whether a folder is itself an export: its files are named like NVIDIA's tables."""
    try:
        names = {file.stem for file in folder.iterdir() if file.suffix in TABLES}
    except OSError:
        return False
    return bool(names & {"StringIds", "META_DATA_EXPORT", "EXPORT_META_DATA", "TARGET_INFO_SYSTEM_ENV"})


def _natural(path: Path) -> tuple[tuple[int, str], ...]:
    """Return a sort key that puts rank_2 before rank_10."""
    return tuple((int(part), "") if part.isdecimal() else (-1, part) for part in re.split(r"(\d+)", str(path)))


def _names(paths: Sequence[Path]) -> list[str]:
    """Name each export by as many last components of its path as make all names distinct.

    The file extension is dropped unless two names would be equal without it.
    """
    whole = [path.parts[1:] for path in paths]
    for count in range(1, max(map(len, whole)) + 1):
        if len(set(ends := [parts[-count:] for parts in whole])) == len(ends):
            break
    places = [Path(*parts) for parts in ends]
    stems = [place.with_suffix("").as_posix() for place in places]
    distinct = [place.as_posix() if stems.count(stem) > 1 else stem for place, stem in zip(places, stems, strict=True)]
    return [name.encode("utf-8", "backslashreplace").decode() for name in distinct]
