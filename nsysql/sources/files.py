"""Which exports a folder, a pattern or a list of paths means, and what each is called."""

import glob
import hashlib
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from nsysql.errors import UsageError
from nsysql.sources.sql_text import REPORTS

ENDINGS = (".sqlite", ".duckdb", *REPORTS)  # of files that are taken for exports in a folder
TABLES = (".parquet", ".arrow")  # of files in a folder that is an export itself
OWN = ".nsysql-runs"  # marks a folder of answers, in which no exports are looked for


@dataclass(frozen=True)
class RunFile:
    """An export by its path, under a name that no other one has; `identity` is None where there is no such file."""

    name: str
    path: Path
    identity: str | None
    size_bytes: int = 0


def find_files(paths: Iterable[str | Path]) -> list[RunFile]:
    """The exports that these paths mean, each once: folders are searched, patterns filled in, in natural order.

    A file that is named and not there is among them. Raises UsageError where a folder or a pattern has no export.
    """
    found = dict.fromkeys(path for given in paths for path in _meant(Path(given)))
    if not found:
        raise UsageError("no exports are named; give a folder, a pattern such as 'job/*.sqlite', or files.")
    places = list(found)
    return [RunFile(name, path, identity(path), _size(path)) for name, path in zip(_names(places), places, strict=True)]


def identity(path: Path) -> str | None:
    """A digest of where the export lies, its bytes and its last change, all files of it; None where it is missing."""
    try:
        states = [(str(file), (state := file.stat()).st_size, state.st_mtime_ns) for file in _parts(path)]
    except OSError:
        return None
    return hashlib.sha256(ascii((str(_absolute(path)), states)).encode()).hexdigest()


def _parts(path: Path) -> list[Path]:
    """The files that an answer comes from."""
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
    return Path(os.path.normpath(path.absolute()))  # a link stays the name that it was called by


def _meant(path: Path) -> Sequence[Path]:
    """The exports that one argument means."""
    if path.is_dir():
        if _is_export(path):
            return [_absolute(path)]
        found = sorted(_below(path), key=_natural)
        if not found:
            endings = ", ".join(f"*{ending}" for ending in ENDINGS)
            raise UsageError(f"{path} is a folder without exports ({endings}, or folders of Parquet or Arrow files).")
        return found
    if path.exists() or not glob.has_magic(str(path)):
        return [_absolute(path)]
    matches = sorted((Path(match) for match in _matches(str(path))), key=_natural)
    if not matches:
        raise UsageError(f"nothing is called {path}.")
    return [export for match in matches for export in ([*_meant(match)] if match.is_dir() else [_absolute(match)])]


def _matches(pattern: str) -> list[str]:
    return glob.glob(pattern, recursive=True)  # noqa: PTH207 -- Path.glob takes no absolute pattern


def _below(folder: Path) -> Iterator[Path]:
    """The exports below a folder: not in hidden ones, nor among answers; of a report and its export the export."""
    for place, folders, names in os.walk(_absolute(folder)):
        here = Path(place)
        exports = [name for name in folders if _is_export(here / name)]
        folders[:] = [
            name
            for name in folders
            if not name.startswith(".") and name not in exports and not (here / name / OWN).exists()
        ]
        yield from (here / name for name in exports)
        for name in names:
            file = here / name
            is_told_twice = file.suffix in REPORTS and file.with_suffix(".sqlite").name in names
            if file.suffix in ENDINGS and not name.startswith(".") and not is_told_twice:
                yield file


def _is_export(folder: Path) -> bool:
    """Whether a folder is an export itself: its files are named as NVIDIA's tables."""
    try:
        names = {file.stem for file in folder.iterdir() if file.suffix in TABLES}
    except OSError:
        return False
    return bool(names & {"StringIds", "META_DATA_EXPORT", "EXPORT_META_DATA", "TARGET_INFO_SYSTEM_ENV"})


def _natural(path: Path) -> tuple[tuple[int, str], ...]:
    """An order in which rank_2 comes before rank_10."""
    return tuple((int(part), "") if part.isdecimal() else (-1, part) for part in re.split(r"(\d+)", str(path)))


def _names(paths: Sequence[Path]) -> list[str]:
    """What each export is called: the end of its path, as much of it as all need to be told apart.

    The ending is left out where nothing else has the name.
    """
    whole = [path.parts[1:] for path in paths]
    most = max(map(len, whole))
    ends = next(
        ends
        for count in range(1, most + 1)
        if len(set(ends := [p[-count:] for p in whole])) == len(ends) or count == most
    )
    places = [Path(*parts) for parts in ends]
    stems = [place.with_suffix("").as_posix() for place in places]
    told_apart = [
        place.as_posix() if stems.count(stem) > 1 else stem for place, stem in zip(places, stems, strict=True)
    ]
    return [_utf8(name) for name in told_apart]


def _utf8(name: str) -> str:
    return name.encode("utf-8", "backslashreplace").decode()
