"""Define an open export, which answers queries with frames."""

import re
from collections.abc import Callable, Generator, Hashable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import cached_property, partial
from itertools import chain
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, TypeVar

import duckdb

from nsysql.capture import arrow_stream
from nsysql.capture.answer import Answer
from nsysql.capture.capture_info import Info
from nsysql.capture.connection import FAILURES, Engine
from nsysql.capture.export_facts import ExportFacts
from nsysql.capture.forms import open_source
from nsysql.capture.forms.unchanged import Unchanged
from nsysql.capture.frame_views import ROWS_PER_BATCH, collect_batches, whole_sums
from nsysql.capture.nvtx_range_filter import NO_STEP, NvtxRanges, StepInterval
from nsysql.capture.preparation import NO_VALUES, QueryPlanner
from nsysql.capture.turns import closed
from nsysql.catalog import requirements
from nsysql.catalog.packs import (
    find_packs,
    find_query,
    public_views,
    query_paths,
    read_views,
    unknown_query,
    view_as_query,
)
from nsysql.catalog.parameters import FILTERS, MOMENTS, read_steps, with_filters
from nsysql.catalog.query import Query
from nsysql.catalog.requirements import raw_tables
from nsysql.errors import NsysqlError, QueryError, UsageError, WrongSql, explain_failure, query_failed, suggestion
from nsysql.words.sql_text import without_order

if TYPE_CHECKING:
    import polars
    import pyarrow

    from nsysql.capture.methods import Methods
else:
    Methods = object  # the queries and views: type checkers see them, `__getattr__` finds them

T = TypeVar("T")
WRONG_SQL = (duckdb.CatalogException, duckdb.BinderException, duckdb.ParserException)
REMEMBERED = 100_000  # most rows of an answer that is cached
Values = dict[str, Any]


def _frame(con: "duckdb.DuckDBPyConnection", sql: str, values: Values) -> "polars.DataFrame":
    return whole_sums(arrow_stream.frame(arrow_stream.ask(con, sql, values)))


def _few(query: Query, con: "duckdb.DuckDBPyConnection", sql: str, values: Values) -> "polars.DataFrame":
    """Fetch the rows of a rule, mostly none: DuckDB plans what it returns as a frame twice."""
    import polars

    from nsysql.analysis.view_reader import TYPES

    rows = con.execute(sql, values).fetchall()
    names = [name for name, *_ in con.description or ()]
    types = {column.name: TYPES[column.type] for column in query.columns if column.type in TYPES}
    return polars.DataFrame(rows, names, schema_overrides=types, orient="row", infer_schema_length=None, strict=False)


# What users call, and see in completion, besides the queries and views.
MEMBERS = (
    "answer", "arrow", "close", "info", "notes", "path", "query", "relation", "select", "sql", "stream", "tables",
    "views",
)  # fmt: skip


class Export(Methods):
    """One open export. Every query and view is a method: `run.idle_gaps(min_gap_ns=10_000)` gives a polars frame.

    Also a context manager; `close()` releases the file. Thread-safe: questions are answered one at a time. Not usable
    in a process forked after opening.
    """

    def __init__(
        self,
        path: Path,
        packs: tuple[str | Path, ...] = (),
        threads: int | None = None,
        memory_limit: str | None = None,
        allow_files: bool = False,
        name_letters: int | None = None,
    ) -> None:
        self.path = path
        self._closed = False
        self._remembered: dict[Hashable, polars.DataFrame] | None = None
        self._counts: dict[Hashable, int] = {}  # by view and filters: the export does not change
        self._queries = query_paths(find_packs(packs))
        self._file = open_source(path)
        try:
            self._engine = Engine(self._file, threads, memory_limit, allow_files, name_letters)
        except BaseException:
            self._file.close()
            raise
        self._preparation = QueryPlanner(path, self._file, self._engine, allow_files, self._queries)
        self._facts = ExportFacts(path, self._file, self._engine)

    # Asking --------------------------------------------------------------------------------------

    def query(self, name: str, /, **parameters: Any) -> "polars.DataFrame":
        """Return the answer to a query by name, or the rows of a view, as a frame with the columns that its header
        declares.

        Raises MissingData if the export lacks what the query needs, UsageError for an unknown query, parameter or
        value, QueryError if DuckDB fails, ExportChanged if a file of the export was replaced or changed after opening.
        """
        if self._remembered is None:
            return self._rows(name, parameters)
        key = self._key(name, parameters)
        rows = self._remembered.get(key)
        if rows is None:
            rows = self._rows(name, parameters)
            if rows.height <= REMEMBERED:
                self._remembered[key] = rows.clone()
        return rows.clone()

    def _rows(self, name: str, parameters: Mapping[str, Any]) -> "polars.DataFrame":
        query = self.find(name)
        return self.ask(query, parameters, partial(_few, query) if query.finding else _frame)

    def _key(self, name: str, parameters: Mapping[str, Any]) -> Hashable:
        """Return the cache key of a question; parameters with their default values are the same as none."""
        values = {p.name: p.default for p in self.find(name).parameters} | dict(parameters)
        if "steps" in values:
            values["steps"] = read_steps(values["steps"])
        return name, tuple(sorted((key, value) for key, value in values.items() if value is not None))

    @contextmanager
    def remembering(self) -> Iterator[None]:
        """Cache small answers of `query` while active; the pages of a report repeat many questions."""
        self._remembered = {}
        try:
            yield
        finally:
            self._remembered = None

    def arrow(self, name: str, /, **parameters: Any) -> "pyarrow.Table":
        """Return the answer to a query by name as an Arrow table; raises as `query` does."""
        return self.ask(name, parameters, lambda *asked: arrow_stream.table(arrow_stream.ask(*asked)))

    def relation(self, name: str, /, **parameters: Any) -> "duckdb.DuckDBPyRelation":
        """Return the answer to a query by name as a DuckDB relation, to filter, join or write; raises as `query` does.

        Replacing the export before the rows are fetched goes unnoticed.
        """
        return self.ask(name, parameters, arrow_stream.relation, later=True)

    def select(
        self,
        name: str,
        columns: str,
        which: str = "",
        narrow: "Callable[[polars.DataFrame], polars.DataFrame] | None" = None,
        rows: "Mapping[str, list[int]] | None" = None,
        /,
        **parameters: Any,
    ) -> "polars.DataFrame":
        """Return `SELECT columns FROM the query which` as a frame, also for an internal view. Raises as `query` does.

        `which` is a condition, grouping or order; without it rows are in the query's order. `narrow` reduces each batch
        of rows as it is read, so that the whole is never in memory. `rows` are the row numbers needed of tables, in
        order: a large SQLite export then reads only those, once the views that are tables exist.
        """

        def fetch(con: "duckdb.DuckDBPyConnection", sql: str, values: Values) -> "polars.DataFrame":
            with self._file.looking_up(rows or {}):
                sql = without_order(sql) if which else sql
                frame = arrow_stream.ask(con, f"SELECT {columns} FROM ({sql}\n) {which}", values)
                if narrow is None:
                    return arrow_stream.frame(frame)
                return collect_batches(arrow_stream.reader(frame, ROWS_PER_BATCH), narrow)

        return self.ask(view_as_query(name) if name in read_views() else name, parameters, fetch)

    def stream(self, name: str, columns: str, which: str = "", /, **parameters: Any) -> "Iterator[polars.DataFrame]":
        """Yield rows as `select` does, in batches, in the query's order or that of `which`; others wait meanwhile."""

        def ask() -> Generator["polars.DataFrame"]:
            import polars

            statement = self._preparation.prepare(query, parameters, as_nsys=False)
            sql = without_order(statement.sql) if which else statement.sql
            rows = arrow_stream.ask(statement.con, f"SELECT {columns} FROM ({sql}\n) {which}", statement.values)
            read = arrow_stream.batches(arrow_stream.reader(rows, ROWS_PER_BATCH))
            first = next(read, None)  # here, because a failure of the first batch is retried
            return (polars.DataFrame(batch) for batch in chain([first] if first else [], read))

        query = self.find(name)
        return self.parts(query, ask)

    def texts(self, query: Query, select: str, parameters: Mapping[str, Any]) -> Iterator[tuple[int, str]]:
        """Yield the number and the joined texts of some thousand rows; `select` makes a text of a row, as nsys."""

        def ask() -> Generator[tuple[int, str]]:
            statement = self._preparation.prepare(query, parameters, as_nsys=True)
            result = statement.con.execute(f"{select} FROM ({statement.sql}\n)", statement.values)
            return arrow_stream.text_chunks(result)

        return self.parts(query, ask)

    def answer(self, name: str, rows: int | None = None, /, **parameters: Any) -> Answer:
        """Return the answer to a query with its notes and at most `rows` rows, all if None. Raises as `query` does."""

        def ask() -> tuple["polars.DataFrame", int, frozenset[str]]:
            asked = self._preparation.prepare(query, parameters, as_nsys=False)
            sql = asked.sql if rows is None else f"FROM ({asked.sql}\n) LIMIT {int(rows) + 1}"
            frame = arrow_stream.frame(arrow_stream.ask(asked.con, sql, asked.values))
            if rows is None or frame.height <= rows:
                return frame, frame.height, asked.skipped
            count = asked.con.execute(f"SELECT count(*) FROM ({asked.sql}\n)", asked.values).fetchall()[0][0]
            return frame.head(rows), count, asked.skipped

        self._refuse_closed()
        query = self.find(name)
        frame, total, skipped = self._run(query, ask)
        accepted = [p for p in with_filters(query) if p.name != "top" and p.name in parameters]
        used = [(p, parameters[p.name]) for p in accepted]
        chosen = tuple((p, value) for p, value in used if value != p.default or p.name == MOMENTS)
        needs = requirements.needs_of(query, parameters)
        tables = dict.fromkeys(table for need in needs for table in need if self.has(table))
        notes = (*self._narrowed_to(parameters), *self.notes(name, skipped))
        looked_for = not total and "_step_series" in tables and parameters.get("step_range") is None
        lacking = NO_STEP if looked_for and not self.count("_step_span", {}, 1) else None
        return Answer(frame, total, notes, chosen, tuple(tables), lacking)

    def _narrowed_to(self, parameters: Mapping[str, Any]) -> list[str]:
        """Say which steps were selected, or which NVTX range if several have the name."""
        if parameters.get("steps") is not None:
            return [f"narrowed to {self.find_steps(read_steps(parameters['steps']), parameters.get('step_range'))}."]
        ranges = self.find_ranges(parameters["nvtx"]) if parameters.get("nvtx") is not None else None
        return [f"narrowed to {ranges}."] if ranges and ranges.count > 1 else []

    @property
    def paths(self) -> Mapping[str, Path]:
        """The files of all queries, by name."""
        return self._queries

    def ask(
        self,
        name: str | Query,
        parameters: Mapping[str, Any],
        fetch: "Callable[[duckdb.DuckDBPyConnection, str, Values], T]",
        as_nsys: bool = False,
        later: bool = False,
    ) -> T:
        """Return what `fetch` makes of a query; it is called with a connection, the SQL and its values.

        All questions but streams go through here. With `as_nsys` filters act as NVIDIA's do, on registrations too. With
        `later` the result is read later, so the connection is used for no other question.
        """
        self._refuse_closed()
        query = self.find(name) if isinstance(name, str) else name

        def ask() -> T:
            statement = self._preparation.prepare(query, parameters, as_nsys, later=later)
            return fetch(statement.con, statement.sql, statement.values)

        return self._run(query, ask)

    def sql(
        self, text: str, parameters: Mapping[str, Any] | None = None, rows: int | None = None
    ) -> "polars.DataFrame":
        """Return the answer to one SELECT of your own over views, queries (`nsysql list`) and raw.TABLE.

        A query can have parameters: `FROM idle_gaps(min_gap_ns := 1000)`. `parameters` fill `$name` in the text; `rows`
        is the number of rows to read, all if None. Raises QueryError for anything but a SELECT.
        """
        self._refuse_closed()
        if not isinstance(parameters or {}, Mapping):
            raise UsageError('sql: parameters are a dictionary: run.sql("... WHERE dur_ns > $least", {"least": 1000}).')

        def ask() -> "polars.DataFrame":
            con, layout = self._engine.kept()
            tables = self._preparation.tables(text, "sql")
            layout.leave_environment_out(tables)
            layout.create(tables)
            sql, values = self._preparation.with_queries(text, con, layout, parameters or {})
            relation = con.sql(sql, params=values or None)
            return whole_sums(arrow_stream.frame(relation if rows is None else relation.limit(rows)))

        try:
            return self._engine.run(ask)
        except FAILURES as error:
            why = explain_failure(error)
            message = f"{self.path} cannot answer: {why}." if why else _offering(error, self.info.tables)
            raise (WrongSql if isinstance(error, WRONG_SQL) else QueryError)(f"sql: {message}") from None

    @cached_property
    def kernel_names(self) -> dict[str, str]:
        """The short name of each kernel, as all tables and pages of the capture show it."""
        from nsysql.words.kernel_names import short_names

        if not self.has("_kernel_ids"):
            return {}
        return short_names(self.select("_kernel_name", "name")["name"].drop_nulls().sort())

    @cached_property
    def cause_titles(self) -> dict[str, str]:
        """The causes of idle time with their titles."""
        return dict(self.query("idle_cause").select("cause", "title").rows())

    def find(self, name: str) -> Query:
        """Return the query or public view of a name (hyphens as underscores). Raises UsageError with near matches."""
        return find_query(name, self._queries)

    def has(self, name: str) -> bool:
        """Tell whether the export has rows in that NVIDIA table, or in what that view needs."""
        return self._preparation.has(name)

    def find_ranges(self, nvtx: str) -> NvtxRanges:
        """Find the NVTX ranges that NAME[@DOMAIN][/INDEX] names, as filters do. Raises MissingData (near matches)."""
        return self._run(read_views()["_nvtx_range_label"], lambda: self._preparation.find_ranges(nvtx))

    def find_steps(self, steps: str, step_range: str | None = None) -> StepInterval:
        """Return the steps that 'steady', '5' or '5:10' names, as filters do. Raises MissingData if there are none."""
        return self._run(read_views()["_step_span"], lambda: self._preparation.find_steps(steps, step_range))

    def count(self, view: str, parameters: Mapping[str, Any], most: int, which: str = "") -> int:
        """Count a view's rows that pass the filters among `parameters`, up to `most`; 0 without its tables.

        `which` is a condition that follows the view in SQL.
        """
        if not self.has(view):
            return 0
        key = (view, which, most, *sorted(parameters.items()))
        if key not in self._counts:
            sql = f"SELECT count(*) FROM (FROM {view} {which} LIMIT {int(most)})"
            filters = {p.name: parameters[p.name] for p in FILTERS if p.name in parameters}
            rows = self.ask(view_as_query(view), filters, lambda con, *_: con.execute(sql).fetchall(), as_nsys=True)
            self._counts[key] = rows[0][0]
        return self._counts[key]

    def require(self, query: Query, values: Mapping[str, Any] = NO_VALUES, as_nsys: bool = False) -> None:
        """Raise MissingData, naming table and capture option, if the export lacks what the query needs."""
        self._preparation.require(query, values, as_nsys)

    def notes(self, name: str, skipped: frozenset[str] = frozenset()) -> list[str]:
        """Return sentences about data that was missing when a query's answer was computed without `skipped` views."""
        query = self.find(name)
        return requirements.missing_notes(query, self.has) + self.facts.problems(raw_tables(query, skipped))

    def data_problems(self, *names: str) -> list[str]:
        """Return sentences about defects of the export in what these queries read.

        Defects are missing columns that every nsys writes, missing names, and cells of a wrong type met so far.
        """
        return self.facts.problems(frozenset[str]().union(*(raw_tables(self.find(name)) for name in names)))

    @property
    def views(self) -> Mapping[str, str]:
        """The views that queries and `sql` read, each with a sentence on what a row is."""
        return {name: read_views()[name].summary for name in public_views()}

    @property
    def tables(self) -> Mapping[str, Mapping[str, str]]:
        """NVIDIA's tables in the export, raw.TABLE in `sql`: each with its columns and their types in the file."""
        return self.facts.tables

    @property
    def info(self) -> Info:
        """The capture's file, versions, length and tables with rows."""
        return self.facts.info

    @property
    def facts(self) -> ExportFacts:
        """Facts that the file states about itself. Raises UsageError if the export is closed."""
        self._refuse_closed()
        return self._facts

    # Running -------------------------------------------------------------------------------------

    def parts(self, query: Query, ask: Callable[[], Generator[T]]) -> Iterator[T]:
        """Yield the parts of an answer that `ask` begins; other questions wait until all are read, or it is closed."""
        self._refuse_closed()
        try:
            yield from self._engine.parts(ask)
        except FAILURES as error:
            raise self._failed(query, error) from None

    def _run(self, query: Query, ask: Callable[[], T]) -> T:
        try:
            return self._engine.run(ask)
        except FAILURES as error:
            raise self._failed(query, error) from None

    def _failed(self, query: Query, error: Exception) -> NsysqlError:
        """Make the error for a failed question: named defects of the export, else the query's file and line."""
        if self._closed:  # by another thread
            return closed(self.path)
        why = explain_failure(error)
        if why:
            return QueryError(f"{query.said} cannot be computed from {self.path}: {why}.")
        return query_failed(query.path, query.first_line, error)

    # Being an object -----------------------------------------------------------------------------

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            queries = self.__dict__.get("_queries", {})
            if name.startswith("_") or (name not in queries and name not in public_views()):
                raise AttributeError(unknown_query(name, queries))
            from nsysql.catalog.signatures import as_method

            return as_method(self, self.find(name))

    def __dir__(self) -> list[str]:
        return sorted({*MEMBERS, *self._queries, *public_views()})

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Release the file; in a forked process it stays open for the original one."""
        self._closed = True
        if self._engine.turns.is_forked:
            return
        self._engine.close()
        self._file.close()

    def watch(self, call: Callable[[], None]) -> None:
        """Call this several times a second while a question runs; an NsysqlError that it raises ends the question."""
        self._engine.turns.watch = call

    @property
    def unchanged(self) -> Unchanged:
        """The state of the export's files when it was opened."""
        return self._file.unchanged

    def _refuse_closed(self) -> None:
        if self._closed:
            raise closed(self.path)

    def __repr__(self) -> str:
        return f"<nsysql export {str(self.path)!r}>"

    def _repr_html_(self) -> str:
        import html

        rows = "".join(f"<tr><th>{k}</th><td>{html.escape(str(v))}</td></tr>" for k, v in self.info.facts())
        return f"<table>{rows}</table>"


def _offering(error: Exception, tables: Iterable[str]) -> str:
    """Return DuckDB's message; for an unknown table its suggestion is replaced by views and raw.TABLE."""
    text = str(error).strip()
    match = re.search(r"Table with name (\w+) does not exist", text)
    if not match:
        return text
    same = next((table for table in tables if table.lower() == match[1].lower()), None)
    known = [*public_views(), *(f"raw.{table}" for table in tables)]
    offer = f" Did you mean raw.{same}?" if same else suggestion(match[1], known)
    return re.sub(r"\nDid you mean \"[^\n]*", "", text) + offer
