"""The raw tables that a query or view depends on."""

from functools import cache

from nsysql.catalog.packs import read_views
from nsysql.catalog.query import Query
from nsysql.catalog.raw_schema import read_raw


def raw_tables(query: Query, ignoring: frozenset[str] = frozenset()) -> frozenset[str]:
    """The raw tables that a query or view depends on through its views, except through those in `ignoring`."""
    return frozenset[str]().union(*(_of(name, ignoring) for name in query.sources - ignoring))


@cache
def _of(name: str, ignoring: frozenset[str]) -> frozenset[str]:
    """The raw tables of one source, cached since views share sources."""
    if name in read_views():
        return raw_tables(read_views()[name], ignoring)
    return frozenset({name} & read_raw().keys())
