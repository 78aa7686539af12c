"""Connect DuckDB to one export, create its views, and run questions.

A question is retried if DuckDB failed for a reason that can be fixed: cells of a wrong type, an internal error, or too
little memory.
"""

import os
import shutil
import tempfile
import uuid
import weakref
from collections.abc import Callable, Generator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import duckdb

from nsysql.analysis.window import Window
from nsysql.capture.forms.sqlite_rows import WRONG_CELL
from nsysql.capture.layout import Layout
from nsysql.capture.turns import MemoryBound, Turns
from nsysql.errors import TooLarge, UsageError
from nsysql.words.sql_text import NOTHING_FETCHED, OPTIONS, first_line, literal

if TYPE_CHECKING:
    from nsysql.capture.forms.source import Source

T = TypeVar("T")
PER_PROCESS = "per_process"  # parameters that no query's SQL names: views read them as variables of the connection,
STEP_RANGE = "step_range"  # _gpu_work_ids the first, _step_range the second
VARIABLES = (PER_PROCESS, STEP_RANGE)
DEFAULT_MEMORY = 800_000_000  # bytes; DuckDB's default memory limit here: what needs more is sorted on disk
SPILLED = (4 * 2**30, 20)  # least bytes of disk that a question may use, and how many times the export's size
SMALL_EXPORT = 32 * 2**20  # bytes of an export below which one thread is as fast as several
FAILURES = (duckdb.Error, UnicodeDecodeError, TooLarge)  # these end a question; DuckDB quotes cells that are not UTF-8
FAULTS = (duckdb.InternalException, duckdb.FatalException)  # after these a database answers no more questions
IN_PLACE = duckdb.__version__ >= "2"  # whether a locked database's memory limit can be changed
CONNECTION_OPTIONS: OPTIONS = {
    **NOTHING_FETCHED,
    "python_enable_replacements": False,  # SQL names views, never Python variables
    "preserve_insertion_order": False,  # queries that need an order state it, and that order is kept
    "asof_loop_join_threshold": 0,  # rows, by estimates that are too low, for which all pairs are compared
    "allocator_background_threads": True,  # return freed memory
    "allocator_flush_threshold": "16MB",  # after a task that used more; DuckDB's defaults depend on the machine
    "allocator_bulk_deallocation_flush_threshold": "64MB",
    **({"error_on_division_by_zero": False} if IN_PLACE else {}),  # NULL, as before
}


class Engine:
    """One connection to one export; it is opened again after an internal error of DuckDB."""

    con: duckdb.DuckDBPyConnection
    layout: Layout

    def __init__(
        self,
        file: "Source",
        threads: int | None,
        memory_limit: str | None,
        allow_files: bool,
        name_letters: int | None = None,
        working_memory: int | None = None,
    ) -> None:
        self.turns = Turns(file)
        self._file = file
        self._memory_limit = memory_limit or os.environ.get("NSYSQL_MEMORY_LIMIT") or None
        self._allow_files = allow_files
        self._name_letters = name_letters
        wanted = os.environ.get("NSYSQL_THREADS") if threads is None else str(threads)
        self._threads = wanted or ("1" if file.size_bytes < SMALL_EXPORT else None)
        self._most = working_memory or DEFAULT_MEMORY
        self._is_bounded = False
        self._connect()

    def _connect(self) -> None:
        self.con = duckdb.connect(config=CONNECTION_OPTIONS)
        hide_progress(self.con)
        self.con.execute("PRAGMA disable_checkpoint_on_shutdown")  # spilled rows are discarded
        if self._threads is not None:
            _set(self.con, "threads", self._threads)
        self._file.attach(self.con)
        self._bound_memory()
        spill = Path(tempfile.gettempdir()) / f"nsysql-{uuid.uuid4().hex}"  # DuckDB's default is the working folder
        spill.mkdir(mode=0o700)  # DuckDB's own would be readable for all
        self._clean = weakref.finalize(self, _remove, spill, os.getpid())  # at exit at the latest
        _set(self.con, "temp_directory", str(spill))
        most = max(SPILLED[0], SPILLED[1] * self._file.size_bytes)
        most = min(most, shutil.disk_usage(spill.parent).free * 9 // 10)
        _set(self.con, "max_temp_directory_size", f"{most} B")
        if not self._allow_files:
            self.con.execute(f"SET allowed_directories = [{literal(str(spill))}]")  # for spilled rows
            self.con.execute("SET enable_external_access = false")
        if IN_PLACE:
            self.con.execute("SET allowed_configs = ['memory_limit']")
        self.con.execute("SET lock_configuration = true")
        self.layout = Layout(self.con, self._file, self._name_letters)
        self.layout.memory_budget, self.layout.folder = _memory_limit(self.con), spill
        self.turns.asked = self.con
        self._kept: dict[tuple[tuple[str, Any], ...], tuple[duckdb.DuckDBPyConnection, Layout]] = {
            (): (self.con, self.layout)
        }

    def _bound_memory(self) -> None:
        """Set DuckDB's memory limit: half of the user's limit for the process, else as little as is fast enough."""
        self.con.execute("RESET memory_limit")
        if self._memory_limit is not None:
            _set(self.con, "memory_limit", self._memory_limit)
            if not self._is_bounded:
                self.turns.memory = MemoryBound(_memory_limit(self.con), self._memory_limit)
                self._most, self._is_bounded = int(_memory_limit(self.con)) // 2, True
        self._is_frugal = self._most < _memory_limit(self.con)
        if self._is_frugal:
            _set(self.con, "memory_limit", f"{self._most} B")

    def _connect_again(self) -> None:
        self._disconnect()
        self._clean()
        self._connect()

    def settings(self) -> OPTIONS:
        """Return the settings that give another database the same limits."""
        names = ("threads", "memory_limit", "temp_directory")
        return CONNECTION_OPTIONS | {name: self._setting(name) for name in names}

    def _setting(self, name: str) -> str:
        return str(self.con.execute(f"SELECT current_setting('{name}')").fetchall()[0][0])

    def kept(self, **variables: Any) -> tuple[duckdb.DuckDBPyConnection, Layout]:
        """Return a connection with these variables, and its layout; both are kept with what was computed for them."""
        key = tuple(sorted(variables.items()))
        if key not in self._kept:
            con = self._cursor(variables)
            self._kept[key] = con, self.layout.for_connection(con, is_whole=False)
        self.turns.asked = self._kept[key][0]
        return self._kept[key]

    def own(
        self, variables: Mapping[str, Any], window: Window | None = None
    ) -> tuple[duckdb.DuckDBPyConnection, Layout]:
        """Return a connection that no other question uses, and its layout; with a window it will see only that."""
        around = self.kept(**variables)[1]
        con = self.turns.asked = self._cursor(variables)
        return con, around.for_connection(con, is_whole=not variables and window is None, window=window)

    def _cursor(self, variables: Mapping[str, Any]) -> duckdb.DuckDBPyConnection:
        """Return a connection to the same database with these variables."""
        con = self.con.cursor()
        for name, value in variables.items():
            con.execute(f"SET VARIABLE {name} = {literal(value) if isinstance(value, str) else value}")
        return con

    def run(self, ask: Callable[[], T]) -> T:
        """Return the result of `ask` as one question. It must get the connection from here, and may be called again."""
        with self.turns.turn():
            return self._run(ask)

    def parts(self, ask: Callable[[], Generator[T]]) -> Generator[T]:
        """Yield the parts of the answer of `ask`; other questions wait until all are read, or this is closed."""
        return self.turns.parts(lambda: self._run(ask))

    def run_interruptibly(self, ask: Callable[[], T]) -> T:
        """Return the result of `ask` as one question, called in a thread that Ctrl-C can interrupt."""
        with self.turns.turn():
            return self.turns.run_interruptibly(ask)

    def _run(self, ask: Callable[[], T]) -> T:
        """Return the result of `ask`, which may be called again.

        DuckDB's window functions have a race between threads that now and then ends a query in an internal error on
        small inputs; the retry uses one thread, which avoids it. What DuckDB cannot do on disk is retried with twice
        the memory as long as there is more; DuckDB before 2.0 needs a new connection for that.
        """
        try:
            return self.turns.run_interruptibly(ask)
        except FAULTS:
            self._threads = "1"
            self._connect_again()
        except duckdb.OutOfMemoryException as error:
            if "max_temp_directory_size" in str(error):
                raise TooLarge(
                    "it takes more memory, and more space for temporary files than "
                    f"{self._setting('max_temp_directory_size')} in {tempfile.gettempdir()}; ask for less of it "
                    "(--start and --end, --steps), or name a larger disk by the variable TMPDIR"
                ) from None
            if not self._is_frugal:
                raise
            self._most *= 2
            if IN_PLACE:
                self._bound_memory()  # computed views are kept
            else:
                self._connect_again()
            return self._run(ask)
        except FAILURES as error:
            wrong_cell = WRONG_CELL in str(error) or isinstance(error, UnicodeDecodeError)
            if not wrong_cell or not self.layout.null_bad_cells():
                raise
            return self._run(ask)
        return self.turns.run_interruptibly(ask)

    def close(self) -> None:
        """Close the connection; if an interrupted question still runs, as soon as it calls DuckDB again."""
        self.turns.end(self._disconnect)
        self._clean()

    def _disconnect(self) -> None:
        with suppress(duckdb.Error):
            self.con.close()


def empty_export(kind: type[Layout] = Layout) -> tuple[duckdb.DuckDBPyConnection, Layout]:
    """Return a connection without a file, and a layout in which every raw table and view is empty."""
    from nsysql.capture.forms.sqlite import SqliteFile

    con = duckdb.connect(config={**CONNECTION_OPTIONS, "threads": 1})
    con.execute("SET disabled_optimizers = 'statistics_propagation'")  # it removes empty tables from plans
    con.execute("SET enable_external_access = false; SET lock_configuration = true")
    return con, kind(con, SqliteFile(Path(os.devnull), Path(os.devnull), {}))


def hide_progress(con: duckdb.DuckDBPyConnection) -> None:
    """Turn off the progress bar that DuckDB draws on stdout of `python -c` and of notebooks.

    In a kernel without ipywidgets it is off, and DuckDB refuses to turn it off.
    """
    with suppress(duckdb.InvalidInputException):
        con.execute("SET enable_progress_bar = false")


def _remove(folder: Path, process: int) -> None:
    """Remove a folder in the process that made it, not in forks of it."""
    if os.getpid() == process:
        shutil.rmtree(folder, ignore_errors=True)


def memory_bytes(limit: str) -> float:
    """Return a memory limit in bytes, as DuckDB reads it. Raises UsageError if it is not valid."""
    with duckdb.connect() as con:
        _set(con, "memory_limit", limit)
        return _memory_limit(con)


def _memory_limit(con: duckdb.DuckDBPyConnection) -> float:
    """Return DuckDB's memory limit in bytes; its default is most of the machine's or the container's memory."""
    number, unit = con.execute("SELECT current_setting('memory_limit')").fetchall()[0][0].split()
    return float(number) * 1024.0 ** ("bytes", "KiB", "MiB", "GiB", "TiB", "PiB").index(unit)


def _set(con: duckdb.DuckDBPyConnection, name: str, value: str) -> None:
    try:
        con.execute(f"SET {name} = {literal(value)}")
    except duckdb.Error as error:
        raise UsageError(f"{name} is {value!r}: {first_line(error)}.") from None
