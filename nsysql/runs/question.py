"""What each export is asked: a query with its parameters, or what a page is made of."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from nsysql.catalog.filters import split_filters, with_filters
from nsysql.catalog.lookup import find_query
from nsysql.catalog.packs import find_packs, query_paths, sql_folder
from nsysql.catalog.parameters import FILTERS, bind
from nsysql.catalog.query_file import Parameter, Query
from nsysql.engine.fingerprint import digest_of, fingerprint
from nsysql.errors import UsageError, suggestion

RUN = "run"  # the column that is added


@dataclass(frozen=True)
class Question:
    """One question: the name of a query or of what `task` computes, its parameters, and the mark of its answer.

    Answers with the same `key` to the same file are the same.
    """

    name: str
    parameters: tuple[tuple[str, Any], ...]
    key: str
    is_query: bool = True


def of_query(name: str, parameters: Mapping[str, Any], packs: tuple[Path, ...] = ()) -> Question:
    """The question of a query or view. Raises UsageError where there is none, or its parameters are wrong."""
    query = find(name, packs)
    if any(column.name == RUN for column in query.columns):
        raise UsageError(f"{query.name} has a column {RUN!r}, which many exports add; give it another name.")
    own, _ = split_filters(query, parameters)
    bind(query, own)
    given = tuple(sorted((name, value) for name, value in parameters.items() if value is not None))
    mark = json.dumps([fingerprint(), query.name, query.sql, query.doc, repr(query.engine), given], default=str)
    return Question(query.name, given, hashlib.sha256(mark.encode()).hexdigest())


def of_page(name: str) -> Question:
    """The question of what a page is made of, by the name that `task` knows it by."""
    return Question(name, (), hashlib.sha256(f"{code()} {name}".encode()).hexdigest(), is_query=False)


@cache
def code() -> str:
    """A digest of all that pages come from: the SQL of views and queries, and the modules that ask them."""
    house = Path(__file__).parent.parent
    digest = hashlib.sha256(fingerprint().encode())
    for folder in ("comparison", "pages", "runs"):
        digest.update(digest_of(sql_folder(), house / folder).encode())
    for path in sorted(sql_folder().rglob("*.sql")):
        digest.update(path.read_bytes())
    return digest.hexdigest()


def find(name: str, packs: tuple[Path, ...] = ()) -> Query:
    """The query or public view of that name. Raises UsageError with near matches."""
    return find_query(name, query_paths(find_packs(packs)))


def read_parameters(queries: Sequence[Query], texts: Sequence[str]) -> list[dict[str, Any]]:
    """The parameters of each query of those that NAME=VALUE give, as texts of a command line.

    A parameter goes to all queries that have it; min-gap and min_gap_ns are both that. Raises UsageError where none
    has it, or the value is none.
    """
    found: list[dict[str, Any]] = [{} for _ in queries]
    for text in texts:
        name, sign, value = text.partition("=")
        if not sign:
            raise UsageError(f"--param {text} has no value; write it as --param NAME=VALUE.")
        spelled = name.strip().replace("-", "_")
        had = False
        for query, given in zip(queries, found, strict=True):
            for parameter in with_filters(query):
                if spelled in (parameter.name, parameter.name.removesuffix("_ns")):
                    given[parameter.name] = _value(query, parameter, value)
                    had = True
        if not had:
            known = dict.fromkeys(p.name for query in queries for p in (*query.parameters, *FILTERS))
            whose = " and ".join(query.name for query in queries)
            raise UsageError(
                f"{whose} {'has' if len(queries) == 1 else 'have'} no parameter {name!r}; there is {', '.join(known)}."
                f"{suggestion(spelled, known)}"
            )
    return found


def _value(query: Query, parameter: Parameter, text: str) -> Any:
    """The value that a text of the command line means."""
    wrong = UsageError(f"{query.name}: {parameter.name} cannot be {text!r}; it is {parameter.doc}")
    if parameter.name == "top" and parameter.default is None and text == "0":
        return None
    if parameter.type == "BOOLEAN":
        if text.lower() not in ("true", "false", "yes", "no", "1", "0"):
            raise wrong
        return text.lower() in ("true", "yes", "1")
    if parameter.type in ("BIGINT", "INTEGER", "DOUBLE") and not parameter.name.endswith("_ns"):
        try:
            return float(text) if parameter.type == "DOUBLE" else int(text)
        except ValueError:
            raise wrong from None
    return text
