"""Find packs of queries, and the views that they read.

Standard library only: reading packs needs no database, so `--help` is quick.
"""

import os
from collections import UserDict
from collections.abc import Collection, Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from nsysql.catalog.header import is_own, own_folder
from nsysql.catalog.query import EngineLine, Query
from nsysql.catalog.query_file import read_query, refuse_special
from nsysql.errors import PackError, UsageError, suggestion


def find_query(name: str, queries: Mapping[str, Path]) -> Query:
    """Return the query or public view of this name. Raises UsageError, suggesting similar names."""
    spelled = name.replace("-", "_")
    if spelled in queries:
        return read_query(queries[spelled])
    if spelled in public_views():
        return view_as_query(spelled)
    raise UsageError(unknown_query(name, queries))


def unknown_query(name: str, queries: Collection[str]) -> str:
    """Write the message that no query has this name, suggesting similar ones."""
    offer = suggestion(name.replace("-", "_"), [*queries, *public_views()])
    return f"There is no query or view {name!r}; see `nsysql list`.{offer}"


class ViewCatalog(UserDict[str, Any]):
    """nsysql's views by name; each file is read on first access."""

    def __getitem__(self, name: str) -> Query:
        return read_query(self.data[name])


@cache
def read_views() -> ViewCatalog:
    return ViewCatalog({path.stem: path for path in sorted((own_folder() / "views").rglob("*.sql"))})


@cache
def functions() -> str:
    return (own_folder() / "functions.sql").read_text()


def public_views() -> tuple[str, ...]:
    """Return the names of the views that users may read; those of the others begin with _."""
    return tuple(name for name in read_views() if not name.startswith("_"))


def view_as_query(name: str) -> Query:
    """Return a view as a query without parameters that returns all its rows."""
    reads_itself = frozenset({name})
    return replace(read_views()[name], sql=f"FROM {name}", sources=reads_itself, engine=EngineLine())


def own_packs() -> tuple[Path, ...]:
    """Return the folders of nsysql's own packs, in order."""
    return tuple(f for f in sorted(own_folder().iterdir()) if f.is_dir() and f.name != "views")


def own_queries() -> list[Query]:
    return [read_query(path) for path in query_paths(own_packs()).values()]


def find_packs(extra: tuple[str | Path, ...] = ()) -> tuple[Path, ...]:
    """Return pack folders in order: nsysql's own, those in NSYSQL_PACKS, then `extra`."""
    named = [Path(p) for p in os.environ.get("NSYSQL_PACKS", "").split(os.pathsep) if p]
    theirs = [Path(p).expanduser() for p in (*named, *extra)]
    for folder in theirs:
        if not folder.is_dir():
            raise PackError(f"{folder} is not a folder of queries; a pack is a folder of .sql files.")
    return tuple(dict.fromkeys([*own_packs(), *theirs]))


def query_paths(packs: tuple[Path, ...]) -> dict[str, Path]:
    """Return query files by name. Raises PackError if two packs have the same name, or one is not a regular file."""
    paths: dict[str, Path] = {}
    for path in (p for folder in packs for p in (_own_files(folder) if is_own(folder) else _files(folder))):
        if path.stem in paths:
            raise PackError(f"Two queries are named {path.stem}: {paths[path.stem]} and {path}. Rename one.")
        if not is_own(path):
            refuse_special(path)
        paths[path.stem] = path
    return paths


def _files(folder: Path) -> list[Path]:
    return sorted(folder.glob("*.sql"))


_own_files = cache(_files)  # nsysql's own are listed once
