"""Which raw tables a query or view reads, through its views."""

from functools import cache

from nsysql.catalog.packs import read_views
from nsysql.catalog.query_file import Query
from nsysql.catalog.raw_schema import read_raw


def raw_tables(query: Query, besides: frozenset[str] = frozenset()) -> frozenset[str]:
    """The raw tables that a query or view stands on, through its views except `besides`."""
    return frozenset[str]().union(*(_of(name, besides) for name in query.sources - besides))


@cache
def _of(name: str, besides: frozenset[str]) -> frozenset[str]:
    """The same of one source: many views stand on the same ones."""
    if name in read_views():
        return raw_tables(read_views()[name], besides)
    return frozenset({name} & read_raw().keys())
