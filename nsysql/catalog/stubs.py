"""queries.pyi, for editors and type checkers: `python -m nsysql.catalog.stubs` writes it from the headers."""

import json
import textwrap
from collections.abc import Iterator
from pathlib import Path

from nsysql.catalog.filters import with_filters
from nsysql.catalog.packs import own_queries
from nsysql.catalog.query import Parameter, Query

PATH = Path(__file__).parent.parent / "queries.pyi"
HEAD = """# Written by `python -m nsysql.catalog.stubs` from the headers of the queries; edit those.

from datetime import timedelta
from typing import Literal

import polars

from nsysql.capture.export import Export
"""
TYPES = {"BIGINT": "int", "INTEGER": "int", "DOUBLE": "float", "BOOLEAN": "bool", "VARCHAR": "str"}


def stubs() -> str:
    """The text of queries.pyi: a typed function per query of nsysql's own packs."""
    functions = ["\n".join(_function(query)) + "\n" for query in own_queries()]
    return HEAD + "\n" + "\n".join(functions)


def _function(query: Query) -> Iterator[str]:
    yield f"def {query.name}("
    yield "    run: Export,"
    yield "    /,"
    yield "    *,"
    yield from (f"    {p.name}: {_type(p)} = {_literal(p.default)}," for p in with_filters(query))
    yield ") -> polars.DataFrame:"
    yield textwrap.indent(textwrap.fill(f'"""{query.summary}"""', 100), "    ")


def _type(p: Parameter) -> str:
    kind = f"Literal[{', '.join(map(_literal, p.choices))}]" if p.choices else TYPES[p.type]
    if p.name.endswith("_ns") and kind == "int":
        kind = "int | str | timedelta"  # a text has a unit: '10us'
    if p.name == "steps":
        kind = "str | int | tuple[int, int] | range | slice"
    return f"{kind} | None" if p.default is None else kind


def _literal(value: object) -> str:
    return json.dumps(value) if isinstance(value, str) else repr(value)


if __name__ == "__main__":
    PATH.write_text(stubs(), encoding="utf-8")
