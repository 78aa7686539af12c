"""Restrict SQL from users: one SELECT over the views, with table functions from an allow-list only.

A pack is a program of somebody else. Locking the connection stops COPY TO, read_csv, INSTALL and LOAD, but not all
access to data about the machine; so DuckDB's own parser checks the text before it runs.
"""

import json
import re
from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING, Any

from nsysql.errors import WrongSql

if TYPE_CHECKING:
    import duckdb

TABLE_FUNCTIONS = frozenset({"generate_series", "range", "repeat", "unnest"})
REFUSED = frozenset({"json_serialize_plan", "json_execute_serialized_sql", "write_log"})  # they bind, run or write
SETTINGS = frozenset({"enable_progress_bar", "memory_limit", "threads"})  # not paths
SELECTS = frozenset({"SELECT_NODE", "SET_OPERATION_NODE", "RECURSIVE_CTE_NODE", "CTE_NODE"})
SCHEMAS = frozenset({"", "main", "raw", "unfiltered"})
_OF_DUCKDB: set[str] = set()


def refuse_more_than_select(
    con: "duckdb.DuckDBPyConnection", sql: str, where: str, *, allow_files: bool = False, queries: Collection[str] = ()
) -> frozenset[str]:
    """Return the names of the tables that a SELECT reads; it can call `queries`. Raises WrongSql, led by `where`.

    Refused are other statements, several statements, table functions outside the allow-list (they read files),
    functions that take SQL as text, other databases, DuckDB's own tables and settings, which contain paths, and tables
    that are files by name; `allow_files` refuses only the first two.
    """
    tables = set()
    of_duckdb = set() if allow_files else _tables_of_duckdb(con)
    for node in nodes(parse_select(con, sql, where)):
        if str(node.get("type")).endswith("_NODE") and node["type"] not in SELECTS:
            raise WrongSql(f"{where}: this is no SELECT, and only a single SELECT can be run.")
        if node.get("type") == "TABLE_FUNCTION" and not allow_files:
            name = node["function"].get("function_name", "")
            if name.lower() not in TABLE_FUNCTIONS and name.lower() not in queries:
                raise WrongSql(
                    f"{where}: the table function {name} is not allowed, since a query reads nothing but the "
                    "export; read the views and queries of `nsysql list`."
                )
        elif node.get("class") == "FUNCTION" and not allow_files and node["function_name"].lower() in REFUSED:
            raise WrongSql(f"{where}: the function {node['function_name']} is not allowed in a query.")
        elif node.get("function_name") == "current_setting" and not allow_files and not _is_harmless(node):
            raise WrongSql(f"{where}: a query can read the settings {', '.join(sorted(SETTINGS))} only.")
        elif node.get("type") == "SHOW_REF" and node.get("query") is None and not allow_files:
            raise WrongSql(f"{where}: SHOW tells of the database, not of the export; read the views of `nsysql list`.")
        elif node.get("type") == "BASE_TABLE":
            table = node["table_name"]
            is_of_export = not node["catalog_name"] and node["schema_name"].lower() in SCHEMAS
            is_ours = is_of_export and re.fullmatch(r"\w+", table) and table.lower() not in of_duckdb
            if not allow_files and not is_ours:
                name = ".".join(n for n in (node["catalog_name"], node["schema_name"], table) if n)
                raise WrongSql(f"{where}: {name!r} is not among the views of `nsysql list`, nor raw.TABLE.")
            tables.add(table)
    return frozenset(tables)


def parse_select(con: "duckdb.DuckDBPyConnection", sql: str, where: str) -> dict[str, Any]:
    """Return DuckDB's syntax tree of a single SELECT. Raises WrongSql for anything else."""
    tree = json.loads(con.execute("SELECT json_serialize_sql(?::VARCHAR)", [sql]).fetchall()[0][0])
    if tree["error"] and tree["error_type"] == "parser":
        raise WrongSql(f"{where}: {tree['error_message']}.")
    if tree["error"]:
        raise WrongSql(f"{where}: this is no SELECT, and only a single SELECT can be run.")
    if len(tree["statements"]) != 1:
        count = len(tree["statements"])
        raise WrongSql(f"{where}: there are {count} statements, and only a single SELECT can be run.")
    node: dict[str, Any] = tree["statements"][0]["node"]
    return node


def nodes(tree: Any) -> Iterator[dict[str, Any]]:
    if isinstance(tree, dict):
        yield tree
        tree = list(tree.values())
    if isinstance(tree, list):
        for value in tree:
            yield from nodes(value)


def _tables_of_duckdb(con: "duckdb.DuckDBPyConnection") -> set[str]:
    """Return DuckDB's own tables, which contain paths and the user's name: duckdb_databases, sqlite_master etc."""
    if not _OF_DUCKDB:  # the same for all connections
        rows = con.execute("SELECT DISTINCT lower(view_name) FROM duckdb_views() WHERE internal").fetchall()
        _OF_DUCKDB.update(name for (name,) in rows)
    return _OF_DUCKDB


def _is_harmless(setting: dict[str, Any]) -> bool:
    """Tell whether a call of current_setting names a setting that may be read."""
    if "children" in setting:  # before DuckDB 2.0
        named = [child.get("value", {}).get("value") for child in setting["children"]]
    else:
        named = [argument["expression"].get("literal", {}).get("text") for argument in setting["arguments"]]
    return len(named) == 1 and named[0] in SETTINGS
