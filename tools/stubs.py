"""Write what editors and type checkers know of the queries, from their headers: `python tools/stubs.py`.

`queries.pyi` has each query as a function; `capture/methods.pyi` has each query and view as a method of an export.
"""

import json
import textwrap
from collections.abc import Iterable
from pathlib import Path

from nsysql.catalog.packs import own_queries, public_views, view_as_query
from nsysql.catalog.parameters import with_filters
from nsysql.catalog.query import Parameter, Query
from nsysql.catalog.signatures import TYPES, is_time

HOUSE = Path(__file__).parent.parent / "nsysql"
HEAD = """# Written by `python tools/stubs.py` from the headers of the queries; edit those.

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
    kind = "Time" if is_time(p) else kind
    return f"{kind} | None" if p.default is None else kind


def _literal(value: object) -> str:
    return json.dumps(value) if isinstance(value, str) else repr(value)


if __name__ == "__main__":
    for path, text in stubs().items():
        path.write_text(text, encoding="utf-8")
