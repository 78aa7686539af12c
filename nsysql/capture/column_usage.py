"""Find which of NVIDIA's columns a query reads from DuckDB's plan of it over an export without rows."""

import json
import re
from collections.abc import Iterator, Mapping
from functools import cache, cached_property
from typing import Any

import duckdb

from nsysql.capture.connection import CONNECTION_OPTIONS
from nsysql.capture.queries_in_sql import readable, with_views
from nsysql.capture.raw_tables import SCHEMAS
from nsysql.capture.sql_guard import refuse_more_than_select
from nsysql.catalog.header import own_folder
from nsysql.catalog.packs import functions, read_views
from nsysql.catalog.query import Query
from nsysql.catalog.query_file import PUSHDOWN
from nsysql.catalog.raw_schema import read_raw

Columns = dict[str, set[str]]  # raw tables with the columns read from each


class ColumnUsage:
    """An empty export in which every raw table is a real table, so that plans name the columns read from it."""

    def __init__(self) -> None:
        self._created: set[str] = set()
        self._of_packs: dict[tuple[str, str], Columns] = {}

    @cached_property
    def _con(self) -> duckdb.DuckDBPyConnection:
        con = duckdb.connect(config={**CONNECTION_OPTIONS, "threads": 1})
        con.execute("SET disabled_optimizers = 'statistics_propagation'")  # it removes empty tables from plans
        con.execute("SET enable_external_access = false; SET lock_configuration = true")
        con.execute(functions())
        for schema in SCHEMAS:
            con.execute(f"CREATE SCHEMA {schema}")
        return con

    def columns(self, query: Query, values: Mapping[str, Any]) -> Columns:
        """Return the raw tables and columns that the query reads with these parameters; flags can skip parts of it.

        Raises QueryError for a query of a pack that is more than a SELECT.
        """
        known = _known("query") if query.path.is_relative_to(own_folder()) else self._of_packs
        flags = " ".join(name for name, value in values.items() if value is True)
        if (query.sql, flags) not in known:
            known[query.sql, flags] = self._planned(query, values)
        return known[query.sql, flags]

    def _planned(self, query: Query, values: Mapping[str, Any]) -> Columns:
        tables, sql = query.sources, query.sql
        if not query.path.is_relative_to(own_folder()):
            known, where = readable(query), f"{query.path}:{query.first_line}"
            tables |= refuse_more_than_select(self._con, query.sql, where, queries=known)
            sql = with_views(query, known, self._con, self._create_all)
        self._create_all(tables)
        return self._read(sql, {name: value for name, value in values.items() if f"${name}" in sql})

    def _create_all(self, names: frozenset[str]) -> None:
        for name in names:
            self._create(name)

    def _create(self, name: str) -> None:
        if name in self._created:
            return
        self._created.add(name)
        if view := read_views().get(name):
            for source in view.sources:
                self._create(source)
            if view.engine.pushdown:
                self._con.execute(f'CREATE VIEW {PUSHDOWN}.{name} AS FROM unfiltered."{view.engine.pushdown[0]}"')
            if view.engine.computed_by or view.engine.is_table:  # a table, so that its name is in the plan
                self._con.execute(f"CREATE TABLE {name} ({', '.join(f'{c.name} {c.type}' for c in view.columns)})")
            else:
                self._con.execute(f"CREATE VIEW main.{name} AS {view.sql}")
        elif table := read_raw().get(name):
            columns = ", ".join(f'"{column}" {kind}' for column, kind in table.columns.items())
            self._con.execute(f'CREATE TABLE unfiltered."{name}" ({columns})')
            for schema in ("raw", "at_moments"):
                self._con.execute(f'CREATE VIEW {schema}."{name}" AS FROM unfiltered."{name}"')

    def _read(self, sql: str, values: Mapping[str, Any]) -> Columns:
        plan = self._con.execute(f"EXPLAIN (FORMAT json) {sql}", values or None).fetchall()[0][1]
        used: Columns = {}
        for table, columns in _scans(json.loads(plan)):
            view = read_views().get(table)
            _add(used, self._of_view(view) if view else {table: columns})
        return used

    def _of_view(self, view: Query) -> Columns:
        """Return the columns read to compute a view whose rows are stored, by its SQL or its Python function."""
        known = _known("view")
        if (view.name, "") not in known:
            columns: Columns = {}
            for sql in [f"FROM {source}" for source in view.sources] if view.engine.computed_by else [view.sql]:
                _add(columns, self._read(sql, {}))
            known[view.name, ""] = columns
        return known[view.name, ""]


@cache
def _known(kind: str) -> dict[tuple[str, str], Columns]:
    """Return the cache of columns read by nsysql's own queries or views; they are the same for every export."""
    return {}


def _add(columns: Columns, more: Columns) -> None:
    for name, read in more.items():
        columns.setdefault(name, set()).update(read)


def _scans(plan: Any) -> Iterator[tuple[str, set[str]]]:
    """Yield the tables that a plan scans, with the columns that it returns or filters by."""
    for node in plan if isinstance(plan, list) else [plan]:
        about = node.get("extra_info", {})
        if "Table" in about:
            text = json.dumps([about.get("Projections"), about.get("Filters")])
            table = about["Table"].rpartition(".")[2]
            columns = read_raw()[table].columns if table in read_raw() else ()
            yield table, set(re.findall(r"\w+", text)).intersection(columns)
        yield from _scans(node.get("children", []))
