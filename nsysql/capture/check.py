"""Check that query files satisfy the rules for queries.

Used by `nsysql check PACK` and by nsysql's own tests, so users' packs are held to the same rules as ours.
"""

import re
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from nsysql.capture import arrow_stream
from nsysql.capture.connection import VARIABLES, empty_export
from nsysql.capture.export import Export
from nsysql.capture.layout import Layout
from nsysql.capture.queries_in_sql import readable, with_views
from nsysql.capture.sql_guard import nodes, parse_select, refuse_more_than_select
from nsysql.catalog.packs import find_packs, query_paths, read_views
from nsysql.catalog.parameters import bind
from nsysql.catalog.query import Column, Query
from nsysql.catalog.query_file import read_query
from nsysql.errors import NsysqlError, PackError, query_failed
from nsysql.words.sql_text import strip_comments

if TYPE_CHECKING:
    import duckdb

TYPES = ("BIGINT", "DOUBLE", "VARCHAR", "BOOLEAN")
# Units in NVIDIA's column labels, and the suffix they require.
UNITS = {"(ns)": "_ns", "(%)": "_pct", "(MB)": "_bytes", "(MB/s)": "_bytes_per_s"}
SCALED = re.compile(r"(?<!_per)_(us|ms|s|sec|kb|mb|gb|kib|mib|gib|percent)$")  # values are ns, bytes and 0-100
UNITLESS = re.compile(r"(^|_)(time|dur|duration|start|end|gap|latency|size|memory)$")


def check_pack(
    folder: Path, other_packs: Sequence[str | Path] = (), commands: Collection[str] = frozenset()
) -> list[str]:
    """Return the problems in a folder of queries, one line each with file and line; empty if there are none.

    Names must differ from those in `other_packs` and from `commands`. Raises PackError if there is no such folder.
    """
    if not folder.is_dir():
        raise PackError(f"{folder} is not a folder of queries; a pack is a folder of .sql files.")
    files = sorted(folder.glob("*.sql"))
    if not files:
        return [f"{folder} holds no .sql file."]
    others = query_paths(tuple(p for p in find_packs(tuple(other_packs)) if p.resolve() != folder.resolve()))
    con, layout = empty_export()
    return [problem for path in files for problem in _of_query(path, others, commands, con, layout)]


def _of_query(
    path: Path, others: dict[str, Path], commands: Collection[str], con: "duckdb.DuckDBPyConnection", layout: Layout
) -> Iterator[str]:
    try:
        query = read_query(path)
    except NsysqlError as error:
        yield str(error)
        return
    yield from _name(query, others, commands)
    yield from _prose(query)
    yield from _parameters(query)
    yield from _columns(query)
    yield from _finding(query)
    if query.sql:
        try:
            yield from _sql(query, con, layout)
        except NsysqlError as error:
            yield " ".join(str(error).partition("\nLINE ")[0].split())  # the file's line is told already


# The header ---------------------------------------------------------------------------------------


def _name(query: Query, others: dict[str, Path], commands: Collection[str]) -> Iterator[str]:
    if not re.fullmatch(r"[a-z][a-z0-9_]*", query.name):
        yield f"{query.path}:1 is named {query.name!r}; use lower case, digits and underscores."
    if query.name in others:
        yield f"{query.path}:1 shares its name with {others[query.name]}; rename one."
    if query.name in read_views():
        yield f"{query.path}:1 shares its name with a view; rename it."
    if query.name in {*dir(Export), *commands}:
        yield f"{query.path}:1 could not be called: {query.name} is already a command or a method; rename it."


def _prose(query: Query) -> Iterator[str]:
    if not re.match(r"[A-Z].*\.$", query.summary):
        yield f"{query.path}:1 does not begin with a sentence; say what a row is, and end it with a full stop."
    elif re.match(r"(This|The) (query|view)\b|Returns?\b", query.summary):
        yield f"{query.path}:1 talks about the query; say what a row is."


def _parameters(query: Query) -> Iterator[str]:
    used = _used(query)
    for p in query.parameters:
        if p.type not in TYPES:
            known = ", ".join(TYPES)
            yield f"{_at(query, p.name)} parameter {p.name} is {p.type}; it can be {known} or ENUM(...)."
        if p.name not in {*used, *VARIABLES} and query.sql:
            yield f"{_at(query, p.name)} parameter {p.name} is declared but not used."
    for name in sorted(used - {p.name for p in query.parameters}):
        yield f"{_at(query, f'${name}')} parameter {name} is used but not declared."


def _used(query: Query) -> set[str]:
    return set(re.findall(r"\$(\w+)", strip_comments(query.sql)))


def _finding(query: Query) -> Iterator[str]:
    names, kinds = {column.name for column in query.columns}, {key for key, _ in query.finding}
    for kind in ("says", "do") if query.finding else ():
        if kind not in kinds:
            yield f"{query.path}:1 has no line {kind!r} under 'Finding' that holds for every row."
    for key, text in query.finding:
        _, _, condition = key.partition(" if ")
        used = [f"{{{name}}}" for name in re.findall(r"{(\w+)}", text) if name not in names]
        for name in [*used, *([condition] if condition and condition not in names else [])]:
            yield f"{_at(query, key)} the line {key!r} names {name}, which is no column of the rule."


def _columns(query: Query) -> Iterator[str]:
    for c in query.columns:
        if problem := _column(c):
            yield f"{_at(query, c.name)} column {c.name} {problem}"


def _column(c: Column) -> str | None:
    ending = next((e for unit, e in UNITS.items() if c.label and c.label.endswith(unit)), "")
    if not re.fullmatch(r"[a-z][a-z0-9_]*", c.name):
        return "is not in lower snake case."
    if not f"_{c.name}".endswith(ending):
        return f"has the label {c.label!r}; let its name end in {ending}."
    if c.type in ("BIGINT", "DOUBLE") and SCALED.search(c.name):
        return "is scaled; give nanoseconds (_ns), bytes (_bytes) or per cent (_pct)."
    if c.type in ("BIGINT", "DOUBLE") and UNITLESS.search(c.name):
        return "does not say its unit; let its name end in _ns, _bytes or _pct."
    return None


# The SQL ------------------------------------------------------------------------------------------


def _sql(query: Query, con: "duckdb.DuckDBPyConnection", layout: Layout) -> Iterator[str]:
    where = f"{query.path}:{query.first_line}"
    known = readable(query)
    tables = refuse_more_than_select(con, query.sql, where, queries=known)
    tree = parse_select(con, query.sql, where)
    for node in nodes(tree):
        if node.get("type") == "BASE_TABLE" and node["schema_name"]:
            name = f"{node['schema_name']}.{node['table_name']}"
            yield f"{_at(query, name)} reads {name}; a query reads views, which hide the versions of nsys."
    modifiers = {m["type"]: m for m in tree["modifiers"]}
    if "ORDER_MODIFIER" not in modifiers:
        yield f"{where} does not end in an ORDER BY; the order of its rows would be undefined."
    limit = modifiers.get("LIMIT_MODIFIER", {}).get("limit")
    if limit and limit["class"] != "PARAMETER":
        yield f"{_at(query, 'LIMIT')} has a LIMIT that is not a parameter, such as `top BIGINT = NULL`."
    layout.create(tables | query.sources)
    sql = with_views(query, known, con, layout.create)
    types = _described(sql, {**dict.fromkeys(_used(query)), **bind(query, {})}, query, con)
    declared = {c.name: c.type for c in query.columns}
    for name, kind in declared.items():
        if name not in types:
            yield f"{_at(query, name)} column {name} is declared but not returned."
        elif types[name] != kind:
            yield f"{_at(query, name)} column {name} is declared {kind} but is {types[name]}; write ::{kind}."
    for name in types:
        if name not in declared:
            yield f"{where} returns the column {name}, which is not declared."
    if types.keys() == declared.keys() and list(types) != list(declared):
        yield f"{where} returns its columns in another order than declared: {', '.join(types)}."


def _described(sql: str, values: dict[str, object], query: Query, con: "duckdb.DuckDBPyConnection") -> dict[str, str]:
    import duckdb

    try:
        description = arrow_stream.relation(con, sql, {name: values[name] for name in values if f"${name}" in sql})
        return dict(zip(description.columns, map(str, description.types), strict=True))
    except duckdb.Error as error:
        raise query_failed(query.path, query.first_line, error) from None


def _at(query: Query, what: str) -> str:
    """Return the file and the line where `what` occurs first (as a name in the header, else in the SQL)."""
    lines = query.path.read_text(encoding="utf-8").splitlines()
    head = [n for n, line in enumerate(lines, 1) if re.match(rf"--\s+{re.escape(what)}\s", line)]
    body = [n for n, line in enumerate(lines, 1) if what in line and not line.startswith("--")]
    return f"{query.path}:{(head or body or [1])[0]}"
