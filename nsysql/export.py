"""An open export: queries in, frames out."""

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext, suppress
from functools import cached_property
from itertools import chain
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, TypeVar

import duckdb

from nsysql import missing
from nsysql.beside import Beside
from nsysql.engine import FAILURES, Engine
from nsysql.errors import QueryError, UsageError, near, query_failed
from nsysql.faults import meaning
from nsysql.info import Info, read_info
from nsysql.inputs.source import look
from nsysql.lay import raw_tables
from nsysql.pack import find_packs, query_paths, read_views
from nsysql.parameters import bind
from nsysql.prepare import NO_VALUES, Preparation, lay_out
from nsysql.sqlfile import Query, read_query
from nsysql.stream import ahead
from nsysql.texts import joined
from nsysql.window import NvtxRange, split

if TYPE_CHECKING:
    import polars
    import pyarrow

T = TypeVar("T")
Values = dict[str, Any]


def open(
    path: str | Path,
    *,
    packs: str | Path | tuple[str | Path, ...] | list[str | Path] = (),
    threads: int | None = None,
    memory_limit: str | None = None,
    allow_files: bool = False,
    waiting: "Callable[[], AbstractContextManager[object]]" = nullcontext,
) -> "Export":
    """Open an Nsight Systems export, read-only: a .sqlite, a folder of Parquet or Arrow files, a .duckdb
    of `nsysql convert`, or a report where nsys is installed. One thread at a time asks it.

    `packs` are folders of further queries. `threads` and `memory_limit` ('4GB') are DuckDB's. `allow_files`
    lets `sql()` and packs read other files (read_csv and the like), which is refused otherwise.
    `waiting` gives a context manager that is entered while a question runs, such as one that shows a spinner.
    Raises NotAnExport, with the reason and the mend, where the file is none.
    """
    folders = (packs,) if isinstance(packs, str | Path) else tuple(packs)
    export = Export(Path(path), folders, threads, memory_limit, allow_files)
    export._engine.waiting = waiting
    return export


class Export:
    """One open export. Every query is a method: `run.idle_gaps(min_gap_ns=10_000)` gives a polars frame.

    Also a context manager; `close()` lets go of the file. Not safe for several threads at once.
    """

    def __init__(
        self,
        path: Path,
        packs: tuple[str | Path, ...] = (),
        threads: int | None = None,
        memory_limit: str | None = None,
        allow_files: bool = False,
    ) -> None:
        self.path = path
        self._closed = False
        self._beside: list[Beside] = []
        self._queries = query_paths(find_packs(packs))
        self._file = look(path)
        try:
            self._engine = Engine(self._file, threads, memory_limit, allow_files)
        except BaseException:
            self._file.close()
            raise
        self._preparation = Preparation(path, self._file, self._engine, allow_files)

    # Asking --------------------------------------------------------------------------------------

    def query(self, name: str, /, **parameters: Any) -> "polars.DataFrame":
        """The answer to a query by name, as a frame with the columns that its header declares.

        Raises MissingData where the export lacks what the query needs, UsageError for an unknown
        query, parameter or value, QueryError where DuckDB fails.
        """
        return self._ask(name, parameters, lambda con, sql, values: con.execute(sql, values).pl())

    def arrow(self, name: str, /, **parameters: Any) -> "pyarrow.Table":
        """The answer to a query by name as an Arrow table; raises as `query` does."""
        return self._ask(name, parameters, lambda con, sql, values: con.execute(sql, values).to_arrow_table())

    def relation(self, name: str, /, **parameters: Any) -> "duckdb.DuckDBPyRelation":
        """The answer to a query by name as a DuckDB relation, to be filtered, joined or written; raises as `query`."""
        return self._ask(name, parameters, lambda con, sql, values: con.sql(sql, params=values))

    def execute_around(
        self, query: Query, select: str, parameters: Mapping[str, Any], end: str = ""
    ) -> "duckdb.DuckDBPyConnection":
        """The rows of `select` over a query's, in their order: `SELECT ... FROM (the query)`, then `end`.

        For the faces of nsys: filters act as NVIDIA's do, on registrations too.
        """
        return self._ask(
            query.name,
            parameters,
            lambda con, sql, values: con.execute(f"{select} FROM ({sql}\n) {end}", values),
            as_nsys=True,
        )

    def texts(self, query: Query, select: str, parameters: Mapping[str, Any]) -> Iterator[tuple[int, str]]:
        """As execute_around, where `select` gives one text for a row: how many rows, and their texts as one.

        In little memory where the query is sliced: it is asked for one slice after the other.
        """
        self._refuse_closed()

        def ask() -> Iterator[tuple[int, str]]:
            found = self._preparation.prepare(query, parameters, as_nsys=True, in_slices=True)
            results = (found.con.execute(f"{select} FROM ({found.sql}\n)", found.values) for _ in found.slices)
            return ahead(chain.from_iterable(map(joined, chain([next(results)], results))))

        return self._run(query, ask)

    def head(self, name: str, rows: int, /, **parameters: Any) -> tuple["polars.DataFrame", int]:
        """The first rows of a query's answer, and how many rows it has in all."""

        def fetch(con: "duckdb.DuckDBPyConnection", sql: str, values: Values) -> tuple["polars.DataFrame", int]:
            frame = con.execute(f"FROM ({sql}\n) LIMIT {int(rows) + 1}", values).pl()
            if frame.height <= rows:
                return frame, frame.height
            return frame.head(rows), con.execute(f"SELECT count(*) FROM ({sql}\n)", values).fetchall()[0][0]

        return self._ask(name, parameters, fetch)

    def beside(self, asked: Mapping[str, Mapping[str, Any]]) -> Beside:
        """Begin to ask queries by name, each with its parameters, beside what is asked otherwise.

        For pages that ask much: DuckDB reads on while Python computes. What cannot be answered raises when its
        answer is asked for; queries that are not named in `asked` are asked then.
        """
        con, layout = self._engine.beside()
        questions = []
        for name, parameters in asked.items():
            query = self.find(name)
            values = bind(query, parameters)
            if missing.why_not(query, self.has, values) is None:
                with suppress(*FAILURES):  # asked otherwise, the fault is mended or told
                    lay_out(query, query.sources, values, con, layout)
                    questions.append((name, query.sql, values))
        self._beside.append(Beside(con, questions, lambda name: self.query(name, **asked.get(name, {}))))
        return self._beside[-1]

    @property
    def paths(self) -> Mapping[str, Path]:
        """The files of all queries, by name."""
        return self._queries

    def _ask(
        self,
        name: str,
        parameters: Mapping[str, Any],
        fetch: "Callable[[duckdb.DuckDBPyConnection, str, Values], T]",
        as_nsys: bool = False,
    ) -> T:
        """What `fetch` gets from a query: it is called with a connection to ask, the SQL and its values."""
        self._refuse_closed()
        query = self.find(name)

        def ask() -> T:
            found = self._preparation.prepare(query, parameters, as_nsys)
            return fetch(found.con, found.sql, found.values)

        return self._run(query, ask)

    def sql(self, text: str, parameters: Mapping[str, Any] | None = None) -> "polars.DataFrame":
        """The answer to one SELECT of your own over the views (`nsysql list`) and raw.TABLE.

        `parameters` fill `$name` in the text. Raises QueryError for anything but a SELECT.
        """
        self._refuse_closed()

        def ask() -> "polars.DataFrame":
            con, layout = self._engine.plain()
            layout.lay(self._preparation.tables(text, "sql"))
            return con.sql(text, params=parameters or None).pl()

        try:
            return self._engine.run(ask)
        except FAILURES as error:
            why = meaning(error)
            told = f"{self.path} cannot answer: {why}." if why else _offering(error)
            raise QueryError(f"sql: {told}") from None

    def find(self, name: str) -> Query:
        """The query of that name (hyphens as underscores). Raises UsageError with near matches."""
        path = self._queries.get(name.replace("-", "_"))
        if path is None:
            offer = near(name.replace("-", "_"), self._queries)
            raise UsageError(f"There is no query {name!r}; see `nsysql list`.{offer}")
        return read_query(path)

    def has(self, name: str) -> bool:
        """Whether the export has rows in that NVIDIA table, or in what that view needs."""
        return self._preparation.has(name)

    def find_range(self, nvtx: str) -> NvtxRange:
        """The NVTX range that NAME[@DOMAIN][/INDEX] names, as filters do. Raises MissingData with near matches."""
        return self._run(read_views()["nvtx_filter"], lambda: self._preparation.find_range(nvtx))

    def count(self, view: str, parameters: Mapping[str, Any], most: int) -> int:
        """How many rows a view has through the filters among `parameters`, `most` at the most; 0 without its tables."""
        if not self.has(view):
            return 0
        query = read_views()[view]
        _, window = split(query, parameters)

        def ask() -> int:
            con, layout = self._preparation.through(window, as_nsys=True)
            layout.lay(frozenset({view}))
            found: int = con.execute(f"SELECT count(*) FROM (FROM {view} LIMIT {int(most)})").fetchall()[0][0]
            return found

        return self._run(query, ask)

    def require(self, query: Query, values: Mapping[str, Any] = NO_VALUES, as_nsys: bool = False) -> None:
        """Raise MissingData, naming table and capture option, where the export lacks what the query needs."""
        self._preparation.require(query, values, as_nsys)

    def notes(self, name: str) -> list[str]:
        """What that query's answer was computed without, as sentences."""
        return missing.without(self.find(name), self.has) + self.flaws(name)

    def flaws(self, name: str) -> list[str]:
        """Sentences on what no export should have where that query reads.

        It lacks columns that every nsys writes, or has cells of a wrong type, of which those met so far are told.
        """
        query = self.find(name)
        wrong = {t: n for t, n in self.wrong_cells.items() if t in raw_tables(query)}
        told = [f"{n:,} of the cells of {t} are not of their column's type; read as NULL" for t, n in wrong.items()]
        return missing.lost_columns(query, self.columns) + told

    @property
    def columns(self) -> Mapping[str, Mapping[str, str]]:
        """The export's tables, each with its columns and the types that it declares for them."""
        return self._file.tables

    @property
    def wrong_cells(self) -> Mapping[str, int]:
        """Tables of which cells of a wrong type were met so far, with the number of such cells."""
        return {table: cells for table, cells in self._engine.layout.mended.items() if cells}

    def read_all(self) -> tuple[dict[str, int], dict[str, str]]:
        """Read every cell that nsysql can ask for: tables with their rows, and those that fail with the reason."""
        self._refuse_closed()
        try:
            return self._engine.run(lambda: self._engine.plain()[1].read_all())
        except FAILURES as error:
            raise QueryError(f"{self.path} cannot be read: {meaning(error) or error}.") from None

    @cached_property
    def info(self) -> Info:
        """What was captured: file, versions, length, tables with rows."""
        return read_info(self._file)

    # Running -------------------------------------------------------------------------------------

    def guarded(self, query: Query, fetch: Callable[[], T]) -> T:
        """What `fetch` gets from `execute_around`: Ctrl-C reaches DuckDB, its errors are led by the file."""
        try:
            return self._engine.once(fetch)
        except FAILURES as error:
            raise self._failed(query, error) from None

    def _run(self, query: Query, ask: Callable[[], T]) -> T:
        try:
            return self._engine.run(ask)
        except FAILURES as error:
            raise self._failed(query, error) from None

    def _failed(self, query: Query, error: Exception) -> QueryError:
        """A fault of the export by its name, any other one by the query's file and line."""
        why = meaning(error)
        if why:
            return QueryError(f"{query.name} cannot be computed from {self.path}: {why}.")
        return query_failed(query.path, query.first_line, error)

    # Being an object -----------------------------------------------------------------------------

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name not in self._queries:
            offer = near(name, self.__dict__.get("_queries", ()))
            raise AttributeError(f"There is no query {name!r}; see `nsysql list`.{offer}")
        from nsysql.queries import bound

        return bound(self, self.find(name))

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *self._queries})

    def __enter__(self) -> "Export":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the file."""
        self._closed = True
        for asked in self._beside:
            asked.stop()
        self._engine.close()
        self._file.close()

    def _refuse_closed(self) -> None:
        if self._closed:
            raise UsageError(f"{self.path} was closed; open it again with nsysql.open.")

    def __repr__(self) -> str:
        return f"<nsysql export {str(self.path)!r}>"

    def _repr_html_(self) -> str:
        import html

        rows = "".join(f"<tr><th>{k}</th><td>{html.escape(str(v))}</td></tr>" for k, v in self.info.facts())
        return f"<table>{rows}</table>"


def _offering(error: Exception) -> str:
    """What DuckDB says, with views in place of its own offer where it did not find a table."""
    text = str(error).strip()
    found = re.search(r"Table with name (\w+) does not exist", text)
    offer = near(found[1], read_views()) if found else ""
    return re.sub(r"\nDid you mean \"[^\n]*", "", text) + offer if offer else text
