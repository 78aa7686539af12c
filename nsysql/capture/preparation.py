"""From a query and its parameters to SQL that can be run: checked, bound, and all views that it reads created."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from nsysql.capture import sql_guard
from nsysql.capture.connection import STEP_RANGE, VARIABLES, Engine
from nsysql.capture.layout import ALWAYS, Layout, stands_on
from nsysql.capture.nvtx_range_filter import NvtxRange, find_range
from nsysql.capture.step_filter import StepStretch, find_steps
from nsysql.capture.time_window import set_window
from nsysql.catalog import requirements
from nsysql.catalog.dependencies import raw_tables
from nsysql.catalog.filters import TimeFilter, split_filters
from nsysql.catalog.packs import read_views, sql_folder
from nsysql.catalog.parameters import MOMENTS, bind, read_moments
from nsysql.catalog.query import Query
from nsysql.errors import MissingData

if TYPE_CHECKING:
    import duckdb

    from nsysql.capture.forms.source import Source

LEDGER = "_idle_piece"  # of GPUs, not of threads
NO_VALUES: Mapping[str, Any] = MappingProxyType({})


@dataclass(frozen=True)
class PlannedQuery:
    """A question: the connection to ask, which sees the export through the window asked for, the SQL and its values.

    It is run once for each slice; drawing the slice creates its views.
    """

    con: "duckdb.DuckDBPyConnection"
    sql: str
    values: dict[str, Any]
    slices: Iterator[None]


class QueryPlanner:
    """Prepares questions to one open export; asks nothing but where NVTX ranges lie."""

    def __init__(self, path: Path, file: "Source", engine: Engine, allow_files: bool) -> None:
        self._path = path
        self._file = file
        self._engine = engine
        self._allow_files = allow_files
        self._checked: dict[str, frozenset[str]] = {}
        self._ranges: dict[str, NvtxRange] = {}  # NVTX ranges that were filters, by name
        self._steps: dict[tuple[str, str | None], StepStretch] = {}  # steps that were filters, by what was asked

    def has(self, name: str) -> bool:
        """Whether the export has rows in that NVIDIA table, or in what that view needs."""
        if name in read_views():
            return all(any(self.has(n) for n in need) for need in read_views()[name].needs)
        return self._file.has_rows(name)

    def require(self, query: Query, values: Mapping[str, Any] = NO_VALUES, as_nsys: bool = False) -> None:
        """Raise MissingData, naming table and capture option, where the export lacks what the query needs.

        `values` are the query's parameters: some needs hold with an option only. With `as_nsys` a table
        without rows will do, as for NVIDIA.
        """
        has = self._file.tables.__contains__ if as_nsys else self.has
        reason = requirements.missing_reason(query, has, values)
        if reason:
            raise MissingData(f"{query.name} cannot be computed from {self._path}: {reason}.")

    def prepare(
        self, query: Query, parameters: Mapping[str, Any], as_nsys: bool, in_slices: bool = False, later: bool = False
    ) -> "PlannedQuery":
        """A question ready to be asked; with `in_slices` the views that it is sliced by are created slice by slice.

        What is asked `later` has a connection of its own.
        """
        own, window = split_filters(query, parameters)
        values = bind(query, own)
        self.require(query, values, as_nsys)
        tables = query.sources if _is_ours(query) else self._guarded(query)
        if window is not None and window.nvtx is not None and "start_ns" in values:  # it clips, and does not filter
            found = self.find_range(window.nvtx)
            values["start_ns"], values["end_ns"], window = found.start_ns, found.end_ns, None
        if window is not None and window.steps is not None and "start_ns" in values:
            stretch = self.find_steps(window.steps, window.step_range)
            values["start_ns"], values["end_ns"], window = stretch.start_ns, stretch.end_ns, None
        variables = {name: value for name in VARIABLES if (value := values.pop(name, None))}
        if later and window is None:
            con, layout = self._engine.own(variables)
        else:
            con, layout = self.connection(window, as_nsys, variables, tables)
        if not _is_ours(query) or query.name in read_views():  # what the user reads, text by text
            layout.leave_environment_out(tables)
        sliced = query.engine.slices_of if in_slices else ()
        create_for(query, tables, values, con, layout, frozenset(sliced))
        return PlannedQuery(con, query.sql, values, layout.slices(sliced) if sliced else iter([None]))

    def connection(
        self,
        window: TimeFilter | None,
        as_nsys: bool,
        variables: Mapping[str, Any] = NO_VALUES,
        tables: frozenset[str] = frozenset(),
    ) -> "tuple[duckdb.DuckDBPyConnection, Layout]":
        """A connection with these variables that sees the raw tables through a window, if there is one; its layout.

        The window of an NVTX range is its thread and process, but for what reads idle time: that is of GPUs.
        """
        if window is None:
            return self._engine.cursor_with(variables) if variables else self._engine.plain()
        is_scoped = not any(LEDGER in stands_on(name) for name in tables)
        start, end, thread, process = window.start_ns, window.end_ns, None, None
        if window.nvtx is not None:
            found = self.find_range(window.nvtx)
            start, end = found.start_ns, found.end_ns
            thread, process = (found.thread_id, found.process_id) if is_scoped else (None, None)
        if window.steps is not None:
            stretch = self.find_steps(window.steps, window.step_range)
            start, end = stretch.start_ns, stretch.end_ns
        start, end = ALWAYS[0] if start is None else start, ALWAYS[1] if end is None else end
        con, layout = self._engine.window(variables, start, end)
        set_window(con, start, end, thread, process, as_nsys)
        return con, layout

    def tables(self, sql: str, where: str) -> frozenset[str]:
        """The tables that a text reads, found to be one harmless SELECT. Raises QueryError, led by `where`."""
        return sql_guard.refuse_more_than_select(self._engine.con, sql, where, allow_files=self._allow_files)

    def find_range(self, nvtx: str) -> NvtxRange:
        """The NVTX range that a filter names, looked up once. Raises MissingData with near matches."""
        if nvtx not in self._ranges:
            self.require(read_views()["_nvtx_range_label"])
            self._engine.layout.create(frozenset({"_nvtx_range_label"}))
            self._ranges[nvtx] = find_range(nvtx, lambda sql, values: self._engine.con.execute(sql, values).fetchall())
        return self._ranges[nvtx]

    def find_steps(self, steps: str, step_range: str | None) -> StepStretch:
        """The steps that a filter names, looked up once. Raises MissingData, UsageError where there are none such."""
        if (steps, step_range) not in self._steps:
            self.require(read_views()["_step_span"])
            asked = {STEP_RANGE: step_range}
            con, layout = self._engine.cursor_with(asked) if step_range else self._engine.plain()
            layout.create(frozenset({"_step_span"}))
            spans = con.execute(
                "SELECT step, start_ns, end_ns, is_steady, name FROM _step_span ORDER BY step"
            ).fetchall()
            self._steps[steps, step_range] = find_steps(steps, spans)
        return self._steps[steps, step_range]

    def _guarded(self, query: Query) -> frozenset[str]:
        """The tables that a query of somebody's pack reads, once its text is found to be harmless."""
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
    later: frozenset[str] = frozenset(),
) -> None:
    """Create the views and tables that a query reads with these values; those that come later are empty."""
    spared = _spared(con, query, values)
    for view in query.engine.first:
        layout.create(frozenset({view}), spared, later)
    layout.create(tables, spared, later)
    if isinstance(values.get(MOMENTS), str) and (tables := read_through("at_moments", query)):
        moments = read_moments(values[MOMENTS])
        values[MOMENTS] = ",".join(map(str, moments))
        layout.create_at_moments(tables, moments)


def _spared(con: "duckdb.DuckDBPyConnection", query: Query, values: Mapping[str, Any]) -> frozenset[str]:
    """The views that Python computes and whose rows these parameters do not ask for."""
    if not _is_ours(query):
        return frozenset()
    found = []
    for view, condition in query.engine.skip:
        used = {name: value for name, value in values.items() if f"${name}" in condition}
        if not con.execute(f"SELECT coalesce({condition}, false)", used).fetchall()[0][0]:
            found.append(view)
    return frozenset(found)


def _is_ours(query: Query) -> bool:
    return query.path.is_relative_to(sql_folder())


def read_through(schema: str, query: Query) -> frozenset[str]:
    """The raw tables that a query reads through that schema, also through its views."""
    found = set(re.findall(rf"\b{schema}\.(\w+)", query.sql))
    for name in query.sources & read_views().keys():
        found |= read_through(schema, read_views()[name])
    return frozenset(found) & raw_tables(query)
