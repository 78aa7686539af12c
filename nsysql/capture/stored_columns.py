"""Which of NVIDIA's columns nsysql's own queries read, as stored with the package: DuckDB takes seconds to find out.

`python -m nsysql.api.column_usage` writes the file. It counts only for the SQL that it was written for.
"""

import json
from collections.abc import Iterator, Mapping
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from nsysql.catalog.packs import functions, own_queries, read_views
from nsysql.catalog.query import Query
from nsysql.catalog.raw_schema import read_raw

PATH = Path(__file__).with_suffix(".json")
Columns = dict[str, set[str]]


def key(query: Query, values: Mapping[str, Any]) -> str:
    """A query with its flags, which choose parts of it."""
    return " ".join([query.name, *(f"{name}={value}" for name, value in values.items() if isinstance(value, bool))])


@cache
def stored() -> Mapping[str, Columns]:
    """Raw tables with the columns read of them, by key; none if the file is of other SQL, or not there."""
    try:
        found = json.loads(PATH.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    if found["digest"] != digest():
        return {}
    return {name: {table: set(columns) for table, columns in read.items()} for name, read in found["columns"].items()}


def as_text(columns: Mapping[str, Columns]) -> str:
    """The text of the file for these columns, by key."""
    lines = (
        f"  {json.dumps(name)}: {json.dumps({table: sorted(read[table]) for table in sorted(read)})}"
        for name, read in sorted(columns.items())
    )
    return f'{{"digest": "{digest()}", "columns": {{\n' + ",\n".join(lines) + "\n}}\n"


def digest() -> str:
    """A digest of nsysql's own SQL, and of what the views read that Python computes."""
    found = sha256()
    for text in _texts():
        found.update(text.encode() + b"\0")
    return found.hexdigest()


def _texts() -> Iterator[str]:
    yield functions()
    yield from (f"{table.name} {sorted(table.columns.items())}" for _, table in sorted(read_raw().items()))
    for query in sorted([*read_views().values(), *own_queries()], key=lambda one: one.name):
        yield f"{query.name} {query.engine} {sorted(query.sources)} {query.columns} {query.sql}"
