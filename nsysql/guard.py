"""What SQL from outside may say: one SELECT over the views, table functions only from an allow-list."""

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from nsysql.errors import QueryError

if TYPE_CHECKING:
    import duckdb

TABLE_FUNCTIONS = frozenset({"generate_series", "range", "repeat", "unnest", "duckdb_tables", "duckdb_views", "duckdb_columns"})


def refuse_more_than_select(con: "duckdb.DuckDBPyConnection", sql: str, where: str) -> frozenset[str]:
    """The names of the tables that a single SELECT reads. Raises QueryError for anything else.

    DuckDB's own parser reads the text. Refused are: other statements, several statements, table functions
    outside the allow-list (they read files), and tables that are files by name.
    """
    tree = json.loads(con.execute("SELECT json_serialize_sql(?::VARCHAR)", [sql]).fetchall()[0][0])
    if tree.get("error"):
        reason = tree.get("error_message") or "it is no SELECT"
        raise QueryError(f"{where}: only a single SELECT can be run, and DuckDB says: {reason}.")
    if len(tree["statements"]) != 1:
        raise QueryError(f"{where}: only a single SELECT can be run; this is {len(tree['statements'])} statements.")
    tables = set()
    for node in _nodes(tree["statements"][0]):
        if node.get("type") == "TABLE_FUNCTION":
            name = node["function"].get("function_name", "")
            if name not in TABLE_FUNCTIONS:
                raise QueryError(f"{where}: the table function {name} is not allowed; read the views of `nsysql list`.")
        elif node.get("type") == "BASE_TABLE":
            if node.get("catalog_name") or node.get("schema_name") not in ("", "main", "raw", "whole"):
                raise QueryError(f"{where}: {node['schema_name']}.{node['table_name']} is not among the views.")
            tables.add(node["table_name"])
    return frozenset(tables)


def _nodes(tree: Any) -> Iterator[dict[str, Any]]:
    if isinstance(tree, dict):
        yield tree
        for value in tree.values():
            yield from _nodes(value)
    elif isinstance(tree, list):
        for value in tree:
            yield from _nodes(value)
