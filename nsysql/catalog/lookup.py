"""A query or public view by the name that a user gives."""

from collections.abc import Collection, Mapping
from pathlib import Path

from nsysql.catalog.packs import public_views, view_as_query
from nsysql.catalog.query import Query
from nsysql.catalog.query_file import read_query
from nsysql.errors import UsageError, suggestion


def find_query(name: str, queries: Mapping[str, Path]) -> Query:
    """The query or public view of this name. Raises UsageError, suggesting similar names."""
    spelled = name.replace("-", "_")
    if spelled in queries:
        return read_query(queries[spelled])
    if spelled in public_views():
        return view_as_query(spelled)
    raise UsageError(unknown_query(name, queries))


def unknown_query(name: str, queries: Collection[str]) -> str:
    """A message that there is no query of this name, suggesting similar ones."""
    offer = suggestion(name.replace("-", "_"), [*queries, *public_views()])
    return f"There is no query or view {name!r}; see `nsysql list`.{offer}"
