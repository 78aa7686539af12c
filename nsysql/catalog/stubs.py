"""Types for editors and type checkers, written from the headers: `python -m nsysql.catalog.stubs`.

`queries.pyi` has each query as a function; `capture/methods.pyi` has each query and view as a method of an export.
"""

import json
import textwrap
from collections.abc import Iterator
from pathlib import Path

from nsysql.catalog.filters import with_filters
from nsysql.catalog.packs import own_queries, public_views, view_as_query
from nsysql.catalog.query import Parameter, Query

HOUSE = Path(__file__).parent.parent
HEAD = """# Written by `python -m nsysql.catalog.stubs` from the headers of the queries; edit those.

from typing import Literal

import polars

"""
TIMES = "from nsysql.catalog.parameters import Steps, Time\n"
FUNCTIONS = HEAD + "from nsysql.capture.export import Export\n" + TIMES
METHODS = (
    HEAD
    + TIMES
    + "\n"
    + '''class Methods:
    """The queries and views as methods of an export: each gives a frame with the columns that it documents."""
'''
)
TYPES = {"BIGINT": "int", "INTEGER": "int", "DOUBLE": "float", "BOOLEAN": "bool", "VARCHAR": "str"}


def stubs() -> dict[Path, str]:
    """The text of each file: a typed function per query of nsysql's own packs, and a method per query and view."""
    functions = ["\n".join(_function(query)) + "\n" for query in own_queries()]
    methods = [*own_queries(), *map(view_as_query, public_views())]
    return {
        HOUSE / "queries.pyi": FUNCTIONS + "\n" + "\n".join(functions),
        HOUSE / "capture" / "methods.pyi": METHODS + "\n" + "\n".join(map(_method, methods)),
    }


def _function(query: Query) -> Iterator[str]:
    yield f"def {query.name}("
    yield "    run: Export,"
    yield "    /,"
    yield "    *,"
    yield from (f"    {p.name}: {_type(p)} = {_literal(p.default)}," for p in with_filters(query))
    yield ") -> polars.DataFrame:"
    yield textwrap.indent(textwrap.fill(f'"""{query.summary}"""', 100), "    ")


def _method(query: Query) -> str:
    lines = [f"def {query.name}(", "    self,", "    *,"]
    lines += [f"    {p.name}: {_type(p)} = {_literal(p.default)}," for p in with_filters(query)]
    lines += [") -> polars.DataFrame:", textwrap.indent(f'r"""{query.doc}\n"""', "    ")]
    return textwrap.indent("\n".join(lines), "    ") + "\n"


def _type(p: Parameter) -> str:
    if p.name == "steps":
        return "Steps | None"
    kind = f"Literal[{', '.join(map(_literal, p.choices))}]" if p.choices else TYPES[p.type]
    if p.name.endswith("_ns") and kind == "int":
        kind = "Time"
    return f"{kind} | None" if p.default is None else kind


def _literal(value: object) -> str:
    return json.dumps(value) if isinstance(value, str) else repr(value)


if __name__ == "__main__":
    for path, text in stubs().items():
        path.write_text(text, encoding="utf-8")
