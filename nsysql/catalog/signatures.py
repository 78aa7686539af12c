"""A query as a Python function: its header as signature and docstring."""

import inspect
from collections.abc import Callable
from typing import Any, Protocol

from nsysql.catalog.filters import with_filters
from nsysql.catalog.query import Parameter, Query

TYPES = {"BIGINT": int, "INTEGER": int, "DOUBLE": float, "BOOLEAN": bool, "VARCHAR": str}


class Asked(Protocol):
    """An open export, or many."""

    def query(self, query: str, /, **parameters: Any) -> Any: ...


def as_function(query: Query) -> Callable[..., Any]:
    """The query as a function of an export, with its header as signature and docstring."""

    def ask(run: Asked, /, **parameters: Any) -> Any:
        return run.query(query.name, **parameters)

    return _with_signature(
        ask, query, [inspect.Parameter("run", inspect.Parameter.POSITIONAL_ONLY, annotation="Export")]
    )


def as_method(run: Asked, query: Query) -> Callable[..., Any]:
    """The query as a method of an open export, or of many."""

    def ask(**parameters: Any) -> Any:
        return run.query(query.name, **parameters)

    return _with_signature(ask, query, [])


def _with_signature(ask: Callable[..., Any], query: Query, first: list[inspect.Parameter]) -> Callable[..., Any]:
    ask.__name__ = ask.__qualname__ = query.name
    ask.__doc__ = query.doc
    ask.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [*first, *map(_parameter, with_filters(query))], return_annotation="polars.DataFrame"
    )
    return ask


def _parameter(p: Parameter) -> inspect.Parameter:
    kind: Any = TYPES.get(p.type, str)  # DuckDB casts text to other types
    kind = kind if p.default is not None else kind | None
    return inspect.Parameter(p.name, inspect.Parameter.KEYWORD_ONLY, default=p.default, annotation=kind)
