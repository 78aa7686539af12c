"""The raw tables that a query or view depends on, and the columns that a view has of the view that it extends."""

import re
from functools import cache

from nsysql.catalog.packs import read_views
from nsysql.catalog.query import Query
from nsysql.catalog.raw_schema import read_raw
from nsysql.catalog.sql_names import strip_comments

EXTENDS = re.compile(r"^SELECT\s+(?:(?P<base>\w+)\.)?\*(?:\s+EXCLUDE\s*\((?P<left_out>[^)]*)\))?", re.MULTILINE)


def column_names(view: Query) -> tuple[str, ...]:
    """The columns of a view, those of the view that it extends first."""
    declared = tuple(column.name for column in view.columns)
    sql = strip_comments(view.sql)
    found = EXTENDS.search(sql)
    base = _base(sql[found.end() :], found["base"]) if found else ""
    if found is None or base not in read_views():
        return declared
    left_out = set(re.findall(r"\w+", found["left_out"] or ""))
    inherited = (name for name in column_names(read_views()[base]) if name not in left_out)
    return tuple(dict.fromkeys((*inherited, *declared)))


def _base(after: str, alias: str | None) -> str:
    """The view whose columns a SELECT takes all, by its alias; without alias the first in FROM."""
    read = re.findall(r"\b(?:FROM|JOIN)\s+(\w+)(?:\s+AS\s+(\w+))?", after, re.IGNORECASE)
    return next((name for name, called in read if alias in (None, called or name)), "")


def raw_tables(query: Query, ignoring: frozenset[str] = frozenset()) -> frozenset[str]:
    """The raw tables that a query or view depends on through its views, except through those in `ignoring`."""
    return frozenset[str]().union(*(_of(name, ignoring) for name in query.sources - ignoring))


@cache
def _of(name: str, ignoring: frozenset[str]) -> frozenset[str]:
    """The raw tables of one source, cached since views share sources."""
    if name in read_views():
        return raw_tables(read_views()[name], ignoring)
    return frozenset({name} & read_raw().keys())
