"""Find which of NVIDIA's columns a query reads from DuckDB's plan of it over an export without rows."""

import json
import re
from collections.abc import Iterator, Mapping
from functools import cache, cached_property
from typing import Any

import duckdb

from nsysql.capture.connection import empty_export
from nsysql.capture.layout import Layout
from nsysql.capture.queries_in_sql import readable, with_views
from nsysql.capture.sql_guard import refuse_more_than_select
from nsysql.catalog.header import own_folder
from nsysql.catalog.packs import read_views
from nsysql.catalog.query import Query
from nsysql.catalog.raw_schema import read_raw

Columns = dict[str, set[str]]  # raw tables with the columns read from each


class _Plans(Layout):
    """An empty export in which views whose rows are stored are real tables, so that plans name them."""

    def _definition(self, name: str) -> str:
        at_moments = "" if name in read_views() else f'; CREATE VIEW at_moments."{name}" AS FROM unfiltered."{name}"'
        return super()._definition(name) + at_moments

    def _keep(self, view: Query) -> None:
        columns = ", ".join(f"{c.name} {c.type}" for c in view.columns)
        self._con.execute(f"{self.raw.define_before(view)} CREATE TABLE {view.name} ({columns})")

    def _compute(self, view: Query) -> None:
        self.create(view.sources)
        self._keep(view)
        self._seen.add(view.name)


class ColumnUsage:
    """The columns that queries read, by their plans over an empty export, in which every raw table is a real table."""

    def __init__(self) -> None:
        self._of_packs: dict[tuple[str, str], Columns] = {}

    @cached_property
    def _empty(self) -> tuple[duckdb.DuckDBPyConnection, Layout]:
        return empty_export(_Plans)

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
        (con, layout), tables, sql = self._empty, query.sources, query.sql
        if not query.path.is_relative_to(own_folder()):
            known, where = readable(query), f"{query.path}:{query.first_line}"
            tables |= refuse_more_than_select(con, query.sql, where, queries=known)
            sql = with_views(query, known, con, layout.create)
        layout.create(tables)
        return self._read(sql, {name: value for name, value in values.items() if f"${name}" in sql})

    def _read(self, sql: str, values: Mapping[str, Any]) -> Columns:
        plan = self._empty[0].execute(f"EXPLAIN (FORMAT json) {sql}", values or None).fetchall()[0][1]
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
