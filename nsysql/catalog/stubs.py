"""Return queries as Python functions and methods, and write their types for editors: `python -m nsysql.catalog.stubs`.

`queries.pyi` has each query as a function; `capture/methods.pyi` has each query and view as a method of an export.
"""

import inspect
import json
import textwrap
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from nsysql.catalog.packs import own_queries, public_views, view_as_query
from nsysql.catalog.parameters import Steps, Time, with_filters
from nsysql.catalog.query import Parameter, Query

TYPES = {"BIGINT": int, "INTEGER": int, "DOUBLE": float, "BOOLEAN": bool, "VARCHAR": str}


def as_function(query: Query) -> Callable[..., Any]:
    """Return the query as a function of an export, with its header as signature and docstring."""

    def ask(run: Any, /, **parameters: Any) -> Any:
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
    kind = Steps if p.name == "steps" else Time if _is_time(p) else kind
    kind = kind if p.default is not None else kind | None
    return inspect.Parameter(p.name, inspect.Parameter.KEYWORD_ONLY, default=p.default, annotation=kind)


HOUSE = Path(__file__).parent.parent
HEAD = """# Written by `python -m nsysql.catalog.stubs` from the headers of the queries; edit those.

from typing import Literal

import polars

"""
TIMES = "from nsysql.catalog.parameters import Steps, Time\n"
FUNCTIONS = HEAD + "from nsysql.capture.export import Export\n" + TIMES
METHODS = f'''{HEAD}{TIMES}
class Methods:
    """The queries and views as methods of an export: each gives a frame with the columns that it documents."""
'''


def stubs() -> dict[Path, str]:
    """Return the text of each file: a typed function per query of nsysql's own, and a method per query and view."""
    of_run, of_self = ("run: Export,", "/,", "*,"), ("self,", "*,")
    functions = [_stub(one, of_run, textwrap.fill(f'"""{one.summary}"""', 100)) for one in own_queries()]
    every = [*own_queries(), *map(view_as_query, public_views())]
    methods = [textwrap.indent(_stub(one, of_self, f'r"""{one.doc}\n"""'), "    ") for one in every]
    return {
        HOUSE / "queries.pyi": FUNCTIONS + "\n" + "\n".join(functions),
        HOUSE / "capture" / "methods.pyi": METHODS + "\n" + "\n".join(methods),
    }


def _stub(query: Query, first: Iterable[str], doc: str) -> str:
    parameters = [*first, *(f"{p.name}: {_type(p)} = {_literal(p.default)}," for p in with_filters(query))]
    lines = [f"def {query.name}(", *(f"    {one}" for one in parameters), ") -> polars.DataFrame:"]
    return "\n".join([*lines, textwrap.indent(doc, "    ")]) + "\n"


def _type(p: Parameter) -> str:
    if p.name == "steps":
        return "Steps | None"
    kind = f"Literal[{', '.join(map(_literal, p.choices))}]" if p.choices else TYPES[p.type].__name__
    kind = "Time" if _is_time(p) else kind
    return f"{kind} | None" if p.default is None else kind


def _is_time(p: Parameter) -> bool:
    return p.name.endswith("_ns") and TYPES.get(p.type) is int


def _literal(value: object) -> str:
    return json.dumps(value) if isinstance(value, str) else repr(value)


if __name__ == "__main__":
    for path, text in stubs().items():
        path.write_text(text, encoding="utf-8")
