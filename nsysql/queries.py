"""Every query as a function: `from nsysql.queries import idle_gaps; idle_gaps(run, min_gap_ns=10_000)`.

The functions are made from the queries' headers; queries.pyi lists them for editors and mypy.
"""

from collections.abc import Callable
from typing import Any

from nsysql.catalog.packs import find_packs, query_paths
from nsysql.catalog.query_file import read_query
from nsysql.catalog.signatures import as_function
from nsysql.errors import suggestion


def __getattr__(name: str) -> Callable[..., Any]:
    if name.startswith("__"):
        raise AttributeError(name)
    paths = query_paths(find_packs())
    if name not in paths:
        raise AttributeError(f"There is no query {name!r}; see `nsysql list`.{suggestion(name, paths)}")
    return as_function(read_query(paths[name]))


def __dir__() -> list[str]:
    return sorted(query_paths(find_packs()))
