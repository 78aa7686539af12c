"""Turn a query and its parameters into SQL that can run: check it, bind values, create all views that it reads."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from nsysql.analysis.window import BOUNDS, Window
from nsysql.capture import sql_guard
from nsysql.capture.connection import FAILURES, STEP_RANGE, VARIABLES, Engine
from nsysql.capture.layout import LEDGER, Layout, stands_on
from nsysql.capture.nvtx_range_filter import Ask, NvtxRanges, StepInterval, find_ranges, find_steps
from nsysql.capture.queries_in_sql import Call, calls, queries_in, replaced, view_names, with_values
from nsysql.capture.raw_tables import AT_MOMENTS
from nsysql.capture.time_window import MEASURE, keep_ranges, measure, set_window
from nsysql.catalog import requirements
from nsysql.catalog.header import is_own
from nsysql.catalog.packs import find_query, read_views
from nsysql.catalog.parameters import FILTERS, MOMENTS, TimeFilter, bind, read_moments, split_filters
from nsysql.catalog.query import Query
from nsysql.catalog.requirements import raw_tables
from nsysql.errors import MissingData, UsageError

if TYPE_CHECKING:
    import duckdb

    from nsysql.capture.forms.source import Source

NO_VALUES: Mapping[str, Any] = MappingProxyType({})


@dataclass(frozen=True)
class PlannedQuery:
    """A prepared question: a connection that sees the export through the requested window, the SQL and its values.

    `skipped` are the views that the question does not need with these values.
    """

    con: "duckdb.DuckDBPyConnection"
    sql: str
    values: dict[str, Any]
    skipped: frozenset[str]


class QueryPlanner:
    """Prepares questions to one open export; the only data it reads is where NVTX ranges and steps are."""

    def __init__(
        self, path: Path, file: "Source", engine: Engine, allow_files: bool, queries: Mapping[str, Path]
    ) -> None:
        self._path = path
        self._queries = {name: path for name, path in queries.items() if name not in read_views()}
        self._file = file
        self._engine = engine
        self._allow_files = allow_files
        self._checked: dict[str, frozenset[str]] = {}
        self._ranges: dict[tuple[str, bool], NvtxRanges] = {}  # NVTX ranges that were filters, by name
        self._measured: set[duckdb.DuckDBPyConnection] = set()  # kept ones, on which several spans are measured
        self._steps: dict[tuple[str, str | None], StepInterval] = {}  # steps that were filters, by what was asked

    def has(self, name: str) -> bool:
        """Tell whether the export has rows in that NVIDIA table, or in what that view needs."""
        return requirements.is_available(name, self._file.has_rows)

    def require(self, query: Query, values: Mapping[str, Any] = NO_VALUES, as_nsys: bool = False) -> None:
        """Raise MissingData, naming table and capture option, if the export lacks what the query needs.

        `values` are the query's parameters: some needs apply only with an option. With `as_nsys` a table without rows
        is enough, as for NVIDIA.
        """
        has = self._file.tables.__contains__ if as_nsys else self._file.has_rows
        reason = requirements.missing_reason(query, has, values)
        if reason:
            raise MissingData(f"{query.said} cannot be computed from {self._path}: {reason}.")

    def prepare(
        self, query: Query, parameters: Mapping[str, Any], as_nsys: bool, later: bool = False
    ) -> "PlannedQuery":
        """Prepare a question; if its rows are read `later`, it gets its own connection."""
        own, window = split_filters(query, parameters)
        values = bind(query, own)
        self.require(query, values, as_nsys)
        tables = query.sources if _is_ours(query) else self._guarded(query)
        spans = None
        if window is not None and "start_ns" in values:  # it clips, and does not filter
            spans = self._spans(query, window, as_nsys)
            values["start_ns"], values["end_ns"], window = spans.start, spans.end, None
        variables = {name: value for name in VARIABLES if (value := values.pop(name, None))}
        if later and window is None:
            con, layout = self._engine.own(variables)
        else:
            con, layout = self.connection(window, as_nsys, variables, tables)
        self._measure(con, spans, is_kept=not later)
        if not _is_ours(query) or query.name in read_views():  # the user reads its texts
            layout.leave_environment_out(tables)
        skipped = create_for(query, tables, values, con, layout)
        sql = query.sql
        if not _is_ours(query):
            sql, values = self.with_queries(sql, con, layout, values, (query.name,))
        return PlannedQuery(con, sql, values, skipped)

    def connection(
        self,
        window: TimeFilter | None,
        as_nsys: bool,
        variables: Mapping[str, Any] = NO_VALUES,
        tables: frozenset[str] = frozenset(),
    ) -> "tuple[duckdb.DuckDBPyConnection, Layout]":
        """Return a connection with these variables that sees the raw tables through the window, if any, and its layout.

        The window of an NVTX range is narrowed to its thread and process, except for idle time, which is that of GPUs.
        """
        if window is None:
            return self._engine.kept(**variables)
        is_scoped = not any(LEDGER in stands_on(name) for name in tables)
        spans = self._window(window, as_nsys)
        con, layout = self._engine.own(variables, spans)
        measure(con, None if spans.is_one else spans)
        if window.nvtx is not None:
            keep_ranges(con, self.find_ranges(window.nvtx, as_nsys), is_scoped)
        set_window(con, spans.start, spans.end, as_nsys)
        return con, layout

    def _window(self, filters: TimeFilter, as_nsys: bool = False) -> Window:
        """Return the time that a filter names."""
        if filters.nvtx is not None:
            return self.find_ranges(filters.nvtx, as_nsys).window
        if filters.steps is not None:
            interval = self.find_steps(filters.steps, filters.step_range)
            return Window(((interval.start_ns, interval.end_ns),))
        start, end = (
            at if bound is None else bound for at, bound in zip(BOUNDS, (filters.start_ns, filters.end_ns), strict=True)
        )
        return Window(((start, end),))

    def _spans(self, query: Query, filters: TimeFilter, as_nsys: bool) -> Window:
        """Return the time that a filter names, for a query that clips. Raises UsageError if that needs one span."""
        spans = self._window(filters, as_nsys)
        if not spans.is_one and not any(name in query.sql for name in MEASURE):
            raise UsageError(
                f"{query.name} takes one NVTX range, and {len(spans.spans):,} are named {filters.nvtx!r};"
                f" write {filters.nvtx}/0 for the first."
            )
        return spans

    def _measure(self, con: "duckdb.DuckDBPyConnection", spans: Window | None, is_kept: bool) -> None:
        """Let the connection measure time within these spans until its next question."""
        if con in self._measured:
            measure(con, None)
            self._measured.discard(con)
        if spans is not None and not spans.is_one:
            measure(con, spans)
            if is_kept:
                self._measured.add(con)

    def tables(self, sql: str, where: str) -> frozenset[str]:
        """Return the tables that a text reads, if it is one safe SELECT. Raises QueryError, led by `where`."""
        return sql_guard.refuse_more_than_select(
            self._engine.con, sql, where, allow_files=self._allow_files, queries=self._queries
        )

    def with_queries(
        self,
        sql: str,
        con: "duckdb.DuckDBPyConnection",
        layout: Layout,
        bound: Mapping[str, Any] = NO_VALUES,
        around: tuple[str, ...] = (),
    ) -> tuple[str, dict[str, Any]]:
        """Create the queries that the SQL reads as views; return the SQL and its values as the connection runs them.

        `bound` has the values of $NAME in it; those that the SQL still uses are returned. `around` are the queries that
        contain this SQL. Raises MissingData, and UsageError if a query cannot be read within SQL.
        """
        names = list(queries_in(sql_guard.parse_select(self._engine.con, sql, "sql"), self._queries))
        called = [call.query for call in calls(sql, names)]
        views = view_names(sql, set(names), lambda name: names.count(name) > called.count(name))
        for name in sorted(set(names)):
            if names.count(name) > called.count(name):
                self._create_query(name, name, {}, con, layout, around)
        for call, view in views.items():
            values = dict(self._constant(call, name, text, bound) for name, text in call.arguments)
            self._create_query(call.query, view, values, con, layout, around)
        inlined = replaced(sql, views)
        consumed = {name for name in bound if f"${name}" in sql and f"${name}" not in inlined}
        return inlined, {name: value for name, value in bound.items() if name not in consumed}

    def _create_query(
        self,
        name: str,
        view: str,
        bound: Mapping[str, Any],
        con: "duckdb.DuckDBPyConnection",
        layout: Layout,
        around: tuple[str, ...],
    ) -> None:
        """Create a view with a query's rows. Raises UsageError if it reads itself, or a filter that SQL cannot set."""
        query = find_query(name, self._queries)
        elsewhere = {*(p.name for p in (*FILTERS, *query.parameters))}
        unread = [name for name in bound if name in elsewhere and f"${name}" not in query.sql]
        if name in around or MOMENTS in {p.name for p in query.parameters} or unread:
            what = f"with {unread[0]}" if unread else "here"
            raise UsageError(f"{name} cannot be read {what} in SQL; ask for it by itself.")
        values = bind(query, bound)
        self.require(query, values)
        if _is_ours(query):
            tables = query.sources
        else:
            tables = self._guarded(query)
            layout.leave_environment_out(tables)
            query = replace(query, sql=self.with_queries(query.sql, con, layout, values, (*around, name))[0])
        layout.create(tables)
        con.execute(f"CREATE OR REPLACE TEMP VIEW {view} AS {with_values(query, values)}")

    def _constant(self, call: Call, name: str | None, text: str, values: Mapping[str, Any]) -> tuple[str, Any]:
        """Return the name and value of a call's argument. Raises UsageError if it has no name or is not constant."""
        if name is None:
            raise UsageError(f"{call.query}: write parameters as NAME := VALUE, such as top := 5.")
        used = {key: value for key, value in values.items() if re.search(rf"\${key}\b", text)}
        try:
            return name, self._engine.con.execute(f"SELECT {text}", used or None).fetchall()[0][0]
        except FAILURES:
            raise UsageError(f"{call.query}: {name} is{text}; in SQL it must be a constant.") from None

    def find_ranges(self, nvtx: str, as_nsys: bool = False) -> NvtxRanges:
        """Find the NVTX ranges that a filter names, once for each. Raises MissingData with near matches."""
        if (nvtx, as_nsys) not in self._ranges:
            self.require(read_views()["_nvtx_range_label"])
            self._engine.layout.create(frozenset({"_nvtx_range_label"}))
            ask: Ask = lambda sql, values: self._engine.con.execute(sql, values).fetchall()  # noqa: E731
            self._ranges[nvtx, as_nsys] = find_ranges(nvtx, ask, as_nsys)
        return self._ranges[nvtx, as_nsys]

    def find_steps(self, steps: str, step_range: str | None) -> StepInterval:
        """Find the steps that a filter names, once for each. Raises MissingData or UsageError if there are none."""
        if (steps, step_range) not in self._steps:
            self.require(read_views()["_step_span"])
            con, layout = self._engine.kept(**({STEP_RANGE: step_range} if step_range else {}))
            layout.create(frozenset({"_step_span"}))
            spans = con.execute(
                "SELECT step, start_ns, end_ns, is_steady, name FROM _step_span ORDER BY step"
            ).fetchall()
            self._steps[steps, step_range] = find_steps(steps, spans)
        return self._steps[steps, step_range]

    def _guarded(self, query: Query) -> frozenset[str]:
        """Return the tables that a query of a user's pack reads, after checking that its text is safe."""
        if query.name not in self._checked:
            where = f"{query.path}:{query.first_line}"
            self._checked[query.name] = self.tables(query.sql, where) | query.sources
        return self._checked[query.name]


def create_for(
    query: Query,
    tables: frozenset[str],
    values: dict[str, Any],
    con: "duckdb.DuckDBPyConnection",
    layout: Layout,
) -> frozenset[str]:
    """Create the views and tables that a query reads with these values; return the views that it does not need."""
    skipped = _skipped(con, query, values)
    layout.copy_often_read(tables, skipped)
    layout.create(tables, skipped)
    if isinstance(values.get(MOMENTS), str) and (tables := _read_at_moments(query)):
        moments = read_moments(values[MOMENTS])
        values[MOMENTS] = ",".join(map(str, moments))
        layout.create_at_moments(tables, moments)
    return skipped


def _skipped(con: "duckdb.DuckDBPyConnection", query: Query, values: Mapping[str, Any]) -> frozenset[str]:
    """Return the views whose rows are not needed with these parameters."""
    if not _is_ours(query):
        return frozenset()
    skipped = []
    for view, condition in query.engine.skip:
        used = {name: value for name, value in values.items() if f"${name}" in condition}
        if not con.execute(f"SELECT coalesce({condition}, false)", used).fetchall()[0][0]:
            skipped.append(view)
    return frozenset(skipped)


def _is_ours(query: Query) -> bool:
    return is_own(query.path)


def _read_at_moments(query: Query) -> frozenset[str]:
    """Return the raw tables that a query reads at its moments, also through its views."""
    tables = set(AT_MOMENTS.findall(query.sql))
    for name in query.sources & read_views().keys():
        tables |= _read_at_moments(read_views()[name])
    return frozenset(tables) & raw_tables(query)
