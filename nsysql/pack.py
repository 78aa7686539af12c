"""Where the packs of queries lie, and the views that they read.

Standard library only: reading packs needs no database, so `--help` is quick.
"""

import os
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

from nsysql.errors import PackError
from nsysql.sqlfile import Query, read_query


def sql_folder() -> Path:
    """Where nsysql's own queries lie: inside the installed package, else beside it in a checkout."""
    inside = Path(__file__).parent / "_sql"
    return inside if inside.is_dir() else Path(__file__).parent.parent / "queries"


class Views(Mapping[str, Query]):
    """nsysql's views by name; each is read when it is first asked for."""

    def __init__(self, folder: Path) -> None:
        self._paths = {path.stem: path for path in sorted(folder.glob("*.sql"))}

    def __getitem__(self, name: str) -> Query:
        return read_query(self._paths[name])

    def __contains__(self, name: object) -> bool:
        return name in self._paths

    def __iter__(self) -> Iterator[str]:
        return iter(self._paths)

    def __len__(self) -> int:
        return len(self._paths)


@cache
def read_views() -> Views:
    """The views, which lie beside the packs."""
    return Views(sql_folder() / "views")


def find_packs(extra: tuple[str | Path, ...] = ()) -> tuple[Path, ...]:
    """Pack folders in the order of their say: nsysql's own, those of NSYSQL_PACKS, then `extra`."""
    own = [f for f in sorted(sql_folder().iterdir()) if f.is_dir() and f.name != "views"]
    named = [Path(p) for p in os.environ.get("NSYSQL_PACKS", "").split(os.pathsep) if p]
    theirs = [Path(p).expanduser() for p in (*named, *extra)]
    for folder in theirs:
        if not folder.is_dir():
            raise PackError(f"{folder} is not a folder of queries; a pack is a folder of .sql files.")
    return tuple(dict.fromkeys([*own, *theirs]))


def query_paths(packs: tuple[Path, ...]) -> dict[str, Path]:
    """Query files by name. Raises PackError where two packs hold one name."""
    found: dict[str, Path] = {}
    for path in (p for folder in packs for p in sorted(folder.glob("*.sql"))):
        if path.stem in found:
            raise PackError(f"Two queries are named {path.stem}: {found[path.stem]} and {path}. Rename one.")
        found[path.stem] = path
    return found
