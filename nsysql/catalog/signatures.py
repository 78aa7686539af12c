"""Return queries as Python functions and methods, with their headers as signatures and docstrings."""

import inspect
from collections.abc import Callable
from typing import Any

from nsysql.catalog.parameters import Steps, Time, with_filters
from nsysql.catalog.query import Parameter, Query
from nsysql.errors import UsageError

TYPES = {"BIGINT": int, "INTEGER": int, "DOUBLE": float, "BOOLEAN": bool, "VARCHAR": str}


def as_function(query: Query) -> Callable[..., Any]:
    """Return the query as a function of an export, with its header as signature and docstring."""

    def ask(run: Any, /, **parameters: Any) -> Any:
        if not hasattr(run, "query"):  # a path
            raise UsageError(f"{query.name} takes an open export: {query.name}(nsysql.open({str(run)!r})).")
        return run.query(query.name, **parameters)

    run = inspect.Parameter("run", inspect.Parameter.POSITIONAL_ONLY, annotation="Export")
    return _with_signature(ask, query, [run])


def as_method(run: Any, query: Query) -> Callable[..., Any]:
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
    kind = Steps if p.name == "steps" else Time if is_time(p) else kind
    kind = kind if p.default is not None else kind | None
    return inspect.Parameter(p.name, inspect.Parameter.KEYWORD_ONLY, default=p.default, annotation=kind)


def is_time(p: Parameter) -> bool:
    return p.name.endswith("_ns") and TYPES.get(p.type) is int
