"""Which raw tables a query or view reads, through its views."""

from nsysql.catalog.packs import read_views
from nsysql.catalog.query_file import Query
from nsysql.catalog.raw_schema import read_raw


def raw_tables(query: Query, besides: frozenset[str] = frozenset()) -> frozenset[str]:
    """The raw tables that a query or view stands on, through its views except `besides`."""
    views = read_views()
    found: set[str] = set()
    for name in query.sources:
        if name in besides:
            continue
        if name in views:
            found |= raw_tables(views[name], besides)
        elif name in read_raw():
            found.add(name)
    return frozenset(found)
