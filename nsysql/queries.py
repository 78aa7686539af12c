"""Every query as a function: `from nsysql.queries import idle_gaps; idle_gaps(run, min_gap_ns=10_000)`.

The functions are made from the queries' headers; queries.pyi lists them for editors and mypy.
"""

import inspect
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from nsysql.errors import near
from nsysql.pack import find_packs, query_paths
from nsysql.sqlfile import Parameter, Query, read_query
from nsysql.window import with_filters

if TYPE_CHECKING:
    from nsysql.export import Export

TYPES = {"BIGINT": int, "INTEGER": int, "DOUBLE": float, "BOOLEAN": bool, "VARCHAR": str}


def function(query: Query) -> Callable[..., Any]:
    """The query as a function of an export, with its header as signature and docstring."""

    def ask(run: "Export", **parameters: Any) -> Any:
        return run.query(query.name, **parameters)

    return _dressed(ask, query, [inspect.Parameter("run", inspect.Parameter.POSITIONAL_ONLY, annotation="Export")])


def bound(run: "Export", query: Query) -> Callable[..., Any]:
    """The query as a method of an open export."""

    def ask(**parameters: Any) -> Any:
        return run.query(query.name, **parameters)

    return _dressed(ask, query, [])


def _dressed(ask: Callable[..., Any], query: Query, first: list[inspect.Parameter]) -> Callable[..., Any]:
    ask.__name__ = ask.__qualname__ = query.name
    ask.__doc__ = query.doc
    ask.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [*first, *map(_parameter, with_filters(query))], return_annotation="polars.DataFrame"
    )
    return ask


def _parameter(p: Parameter) -> inspect.Parameter:
    kind: Any = TYPES.get(p.type, str)  # of another type DuckDB reads a text
    kind = kind if p.default is not None else kind | None
    return inspect.Parameter(p.name, inspect.Parameter.KEYWORD_ONLY, default=p.default, annotation=kind)


def __getattr__(name: str) -> Callable[..., Any]:
    if name.startswith("__"):
        raise AttributeError(name)
    paths = query_paths(find_packs())
    if name not in paths:
        raise AttributeError(f"There is no query {name!r}; see `nsysql list`.{near(name, paths)}")
    return function(read_query(paths[name]))


def __dir__() -> list[str]:
    return sorted(query_paths(find_packs()))
