"""The names of all columns of a view: those of its header, and those of the view that it extends."""

import re

from nsysql.catalog.packs import read_views
from nsysql.catalog.query import Query
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
