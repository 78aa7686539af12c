"""Let SQL read queries: `FROM idle_gaps(min_gap_ns := 1000)` reads a view that has the query's SQL with these values.

DuckDB's table macros are unsuitable: a macro's parameter silently shadows columns of the same name.
"""

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nsysql.capture.sql_guard import nodes, parse_select
from nsysql.catalog.packs import find_packs, find_query, query_paths, read_views
from nsysql.catalog.parameters import bind
from nsysql.catalog.query import Query
from nsysql.words.sql_text import literal

if TYPE_CHECKING:
    import duckdb

VALUE = re.compile(r"\$(\w+)")
TOKEN = re.compile(r"--[^\n]*|/\*.*?\*/|'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"|\w+|:=|=>|\s+|.", re.DOTALL)
ARGUMENT = re.compile(r"\s*(\w+)\s*(?::=|=>)(.*)", re.DOTALL)
OPEN, CLOSED = "([{", ")]}"


@dataclass(frozen=True)
class Call:
    """A call of a query at tokens `first` to before `end`; its arguments are texts with a name, or None without one."""

    query: str
    arguments: tuple[tuple[str | None, str], ...]
    first: int
    end: int


def queries_in(tree: Mapping[str, Any], known: Collection[str]) -> Iterator[str]:
    """Yield the queries that the syntax tree of a SELECT reads, by name or as a function."""
    of_its_own = {one["key"].lower() for node in nodes(tree) for one in node.get("cte_map", {}).get("map", ())}
    for node in nodes(tree):
        name = node["function"].get("function_name") if node.get("type") == "TABLE_FUNCTION" else None
        if node.get("type") == "BASE_TABLE" and not node["schema_name"]:
            name = None if node["table_name"].lower() in of_its_own else node["table_name"]
        if name and name.lower() in known:
            yield name.lower()


def calls(sql: str, names: Collection[str]) -> list[Call]:
    """Return the calls of these queries, in order.

    >>> [call.arguments for call in calls("FROM gaps(top := 5, by := f(1, 2)) -- gaps(top := 6)", ["gaps"])]
    [(('top', ' 5'), ('by', ' f(1, 2)'))]
    """
    tokens, found_calls = TOKEN.findall(sql), []
    for place, token in enumerate(tokens):
        begin = next((at for at in range(place + 1, len(tokens)) if not tokens[at].isspace()), len(tokens))
        if token.lower() in names and tokens[begin : begin + 1] == ["("]:
            texts, end = _arguments(tokens, begin + 1)
            named = tuple((m[1], m[2]) if (m := ARGUMENT.fullmatch(text)) else (None, text) for text in texts)
            found_calls.append(Call(token.lower(), named, place, end))
    return found_calls


def _arguments(tokens: list[str], at: int) -> tuple[list[str], int]:
    """Return the texts between commas up to the closing bracket, and the position after it."""
    depth, texts = 1, [""]
    while at < len(tokens) and depth:
        token = tokens[at]
        depth += (token in OPEN) - (token in CLOSED)
        if token == "," and depth == 1:
            texts.append("")
        elif depth:
            texts[-1] += token
        at += 1
    return [text for text in texts if text.strip()], at


def replaced(sql: str, views: Mapping[Call, str]) -> str:
    tokens = TOKEN.findall(sql)
    for call, view in sorted(views.items(), key=lambda pair: -pair[0].first):
        tokens[call.first : call.end] = [view]
    return "".join(tokens)


def with_values(query: Query, values: Mapping[str, Any]) -> str:
    """Return the query's SQL with the values of its parameters inserted."""
    types = {p.name: "VARCHAR" if p.choices else p.type for p in query.parameters}

    def value(name: str) -> str:
        bound = values[name]
        text = "NULL" if bound is None else literal(bound) if isinstance(bound, str) else str(bound)
        return f"CAST({text} AS {types[name]})"

    return VALUE.sub(lambda match: value(match[1]), query.sql)


def view_names(sql: str, names: Collection[str], bare: Callable[[str], bool]) -> dict[Call, str]:
    """Name the view that each call reads by its query, so that SQL can qualify columns; repeats get a number."""
    name_of, taken = dict[Call, str](), {name for name in names if bare(name)}
    for call in calls(sql, names):
        number = 1
        while (view := call.query if number == 1 else f"{call.query}_{number}") in taken:
            number += 1
        taken.add(view)
        name_of[call] = view
    return name_of


def readable(query: Query) -> dict[str, Path]:
    """Return the files of the queries that a pack's query can read: nsysql's own and those in the same folder."""
    beside = {path.stem: path for path in query.path.parent.glob("*.sql")}
    every = query_paths(find_packs()) | beside
    return {name: path for name, path in every.items() if name != query.name and name not in read_views()}


def with_views(
    query: Query, known: Mapping[str, Path], con: "duckdb.DuckDBPyConnection", create: Callable[[frozenset[str]], None]
) -> str:
    """Replace the queries that a query reads by views with default parameters, and return its SQL.

    It is for planning, not for running. `create` creates tables and views by name.
    """
    names = set(queries_in(parse_select(con, query.sql, query.name), known))
    for name in sorted(names):
        other = find_query(name, known)
        create(other.sources)
        con.execute(f"CREATE OR REPLACE TEMP VIEW {name} AS {with_values(other, bind(other, {}))}")
    return replaced(query.sql, {call: call.query for call in calls(query.sql, names)})
