"""Define a question to each export: a query with parameters, or the data of a page."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from nsysql.capture.frame_views import digest_of
from nsysql.catalog.header import own_folder
from nsysql.catalog.packs import find_packs, find_query, query_paths
from nsysql.catalog.parameters import bind, split_filters, with_filters
from nsysql.catalog.query import Parameter, Query
from nsysql.errors import UsageError, suggestion

RUN = "run"  # the column that is added to results
BOOLEANS = dict.fromkeys(("true", "yes", "1"), True) | dict.fromkeys(("false", "no", "0"), False)


@dataclass(frozen=True)
class Question:
    """A question: the name of a query or of page data that `task` computes, its parameters, and a key for its result.

    Results for the same file and the same `key` are the same.
    """

    name: str
    parameters: tuple[tuple[str, Any], ...]
    key: str
    is_query: bool = True


def of_query(name: str, parameters: Mapping[str, Any], packs: tuple[Path, ...] = ()) -> Question:
    """Return the question for a query or view. Raises UsageError if there is none, or its parameters are wrong."""
    query = find(name, packs)
    if any(column.name == RUN for column in query.columns):
        raise UsageError(f"{query.name} has a column {RUN!r}, which many exports add; give it another name.")
    own, _ = split_filters(query, parameters)
    bind(query, own)
    values = tuple(sorted((name, value) for name, value in parameters.items() if value is not None))
    identifying = json.dumps([code(), query.name, query.sql, query.doc, repr(query.engine), values], default=str)
    return Question(query.name, values, hashlib.sha256(identifying.encode()).hexdigest())


def of_page(name: str) -> Question:
    return Question(name, (), hashlib.sha256(f"{code()} {name}".encode()).hexdigest(), is_query=False)


@cache
def code() -> str:
    """Return a digest of all code that results depend on: the SQL of views and queries, and nsysql's modules."""
    digest = hashlib.sha256(digest_of(own_folder(), Path(__file__).parent.parent).encode())
    for path in sorted(own_folder().rglob("*.sql")):
        digest.update(path.read_bytes())
    return digest.hexdigest()


def find(name: str, packs: tuple[Path, ...] = ()) -> Query:
    return find_query(name, query_paths(find_packs(packs)))


def read_parameters(query: Query, texts: Sequence[str]) -> dict[str, Any]:
    """Parse the parameters of a query from NAME=VALUE texts of a command line; min-gap and min_gap_ns are the same.

    Raises UsageError if the query does not have it, or the value is not valid.
    """
    known = {name: p for p in with_filters(query) for name in (p.name.removesuffix("_ns"), p.name)}
    values = {}
    for text in texts:
        name, sign, value = text.partition("=")
        if not sign:
            raise UsageError(f"--param {text} has no value; write it as --param NAME=VALUE.")
        parameter = known.get(spelled := name.strip().replace("-", "_"))
        if parameter is None:
            names = [p.name for p in with_filters(query)]
            there = f"there is {', '.join(names)}.{suggestion(spelled, names)}"
            raise UsageError(f"{query.name} has no parameter {name!r}; {there}")
        values[parameter.name] = _value(query, parameter, value)
    return values


def _value(query: Query, parameter: Parameter, text: str) -> Any:
    """Parse a parameter's value from a text of the command line."""
    wrong = UsageError(f"{query.name}: {parameter.name} cannot be {text!r}; it is {parameter.doc}")
    if parameter.name == "top" and parameter.default is None and text == "0":
        return None
    try:
        if parameter.type == "BOOLEAN":
            return BOOLEANS[text.lower()]
        if parameter.type in ("BIGINT", "INTEGER", "DOUBLE") and not parameter.name.endswith("_ns"):
            return float(text) if parameter.type == "DOUBLE" else int(text)
    except (KeyError, ValueError):
        raise wrong from None
    return text
