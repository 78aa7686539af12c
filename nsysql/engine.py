"""DuckDB on one export: the connection, what is laid on it, and how a question is run.

A question runs in a worker thread, so that Ctrl-C reaches us and DuckDB through us. It is run again where
DuckDB failed for a reason that can be mended: cells of a wrong type, a fault of its own, or too little memory.
"""

import os
import shutil
import tempfile
import threading
import uuid
import weakref
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext, suppress
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import duckdb

from nsysql.errors import UsageError
from nsysql.inputs.words import NOTHING_FETCHED, OPTIONS, UNSIGNED, first_line, literal
from nsysql.lay import Layout

if TYPE_CHECKING:
    from nsysql.inputs.source import Source

T = TypeVar("T")
APART = "per_process"  # a parameter that no SQL names: the view gpu_work_record reads it as a variable
PATIENCE = 3  # tenths of a second that Ctrl-C waits for the question to end
FRUGAL = 800_000_000  # bytes that DuckDB computes in, unless it is told otherwise: what is more it sorts on disk
LARGE = 2 * 2**30  # bytes of an export above which DuckDB gets less, and what Python computes meanwhile has the rest
SMALL = 32 * 2**20  # bytes of an export below which one thread is as fast as several
FAILURES = (duckdb.Error, UnicodeDecodeError)  # what a question ends in; DuckDB quotes cells that are no UTF-8
FAULTS = (duckdb.InternalException, duckdb.FatalException)  # after these a database answers nothing any more
OPEN: OPTIONS = {
    **NOTHING_FETCHED,
    "python_enable_replacements": False,  # SQL names views, never Python variables
    "preserve_insertion_order": False,  # where order matters a query says so, and it is kept
    "allocator_background_threads": True,  # which give freed memory back
    "allocator_flush_threshold": "16MB",  # after a task that had more; DuckDB's own bounds are a machine's
    "allocator_bulk_deallocation_flush_threshold": "64MB",
}


class Engine:
    """One connection to one export, made anew after a fault of DuckDB's."""

    con: duckdb.DuckDBPyConnection
    layout: Layout
    asked: duckdb.DuckDBPyConnection  # what runs now: the connection or a cursor of it

    def __init__(self, file: "Source", threads: int | None, memory_limit: str | None, allow_files: bool) -> None:
        self.waiting: Callable[[], AbstractContextManager[object]] = nullcontext  # entered while a question runs
        self._file = file
        self._memory_limit = memory_limit or os.environ.get("NSYSQL_MEMORY_LIMIT") or None
        self._allow_files = allow_files
        asked = os.environ.get("NSYSQL_THREADS") if threads is None else str(threads)
        self._threads = asked or ("1" if file.size_bytes < SMALL else None)
        self._most = FRUGAL if file.size_bytes < LARGE else FRUGAL * 5 // 8
        self._free = threading.Event()  # set while no question runs
        self._free.set()
        self._connect()

    def _connect(self) -> None:
        self.con = duckdb.connect(config={**OPEN, UNSIGNED: True})
        self._set("enable_progress_bar", "false")  # which DuckDB draws on stdout of python -c and of notebooks
        self.con.execute("PRAGMA disable_checkpoint_on_shutdown")  # what was set aside is thrown away
        self._file.attach(self.con)
        self._set(UNSIGNED, "false")
        if self._threads is not None:
            self._set("threads", self._threads)
        self._is_frugal = self._memory_limit is None and self._most < self._memory()
        if self._is_frugal or self._memory_limit is not None:
            self._set("memory_limit", self._memory_limit or f"{self._most} B")
        spill = Path(tempfile.gettempdir()) / f"nsysql-{uuid.uuid4().hex}"  # DuckDB's default is the working folder
        self._clean = weakref.finalize(self, shutil.rmtree, spill, ignore_errors=True)  # at exit at the latest
        self._set("temp_directory", str(spill))
        if not self._allow_files:
            self.con.execute(f"SET allowed_directories = [{literal(str(spill))}]")  # for what is set aside
            self.con.execute("SET enable_external_access = false")
        self.con.execute("SET lock_configuration = true")
        self.layout = Layout(self.con, self._file)
        self.layout.room, self.layout.folder = self._memory(), spill
        self.asked = self.con
        self._apart: tuple[duckdb.DuckDBPyConnection, Layout] | None = None

    def _connect_again(self) -> None:
        self.close()
        self._connect()

    def _memory(self) -> float:
        """The bytes that DuckDB takes at most: by itself most of the machine's, or of the container's."""
        number, unit = self.con.execute("SELECT current_setting('memory_limit')").fetchall()[0][0].split()
        return float(number) * 1024.0 ** ("bytes", "KiB", "MiB", "GiB", "TiB", "PiB").index(unit)

    def _set(self, name: str, value: str) -> None:
        try:
            self.con.execute(f"SET {name} = {literal(value)}")
        except duckdb.Error as error:
            raise UsageError(f"{name} is {value!r}: {first_line(error)}.") from None

    def settings(self) -> OPTIONS:
        """What a database needs that is to work within the same bounds."""
        names = ("threads", "memory_limit", "temp_directory")
        return {
            **OPEN,
            **{name: self.con.execute(f"SELECT current_setting('{name}')").fetchall()[0][0] for name in names},
        }

    def plain(self) -> tuple[duckdb.DuckDBPyConnection, Layout]:
        """The connection and its layout."""
        self.asked = self.con
        return self.con, self.layout

    def cursor(self) -> tuple[duckdb.DuckDBPyConnection, Layout]:
        """A connection to the same database with variables of its own, and its layout; it is asked next."""
        self.asked = self.con.cursor()
        return self.asked, self.layout.through(self.asked, is_whole=False)

    def beside(self) -> tuple[duckdb.DuckDBPyConnection, Layout]:
        """A connection to the same database without any, and its layout, to be asked beside the other."""
        con = self.con.cursor()
        return con, self.layout.through(con, is_whole=True)

    def apart(self) -> tuple[duckdb.DuckDBPyConnection, Layout]:
        """A cursor that keeps each process's devices apart; it is kept, with what was computed for it."""
        if self._apart is None:
            self._apart = self.cursor()
            self.asked.execute(f"SET VARIABLE {APART} = true")
        self.asked = self._apart[0]
        return self._apart

    def run(self, ask: Callable[[], T]) -> T:
        """What `ask` gives, which takes the connection from here. It may be called again.

        DuckDB's windows have a race between threads that ends a query in an internal error now and then, on
        small inputs; one thread has none, so that is how a question is asked again. What DuckDB cannot do on disk
        is asked again with twice the memory, as long as there is more.
        """
        try:
            return self.once(ask)
        except FAULTS:
            self._threads = "1"
            self._connect_again()
        except duckdb.OutOfMemoryException:
            if not self._is_frugal:
                raise
            self._most *= 2
            self._connect_again()
            return self.run(ask)
        except FAILURES as error:
            wrong_cell = "Mismatch Type Error" in str(error) or isinstance(error, UnicodeDecodeError)
            if not wrong_cell or not self.layout.mend():
                raise
        return self.once(ask)

    def once(self, ask: Callable[[], T]) -> T:
        """What `ask` gives, called in a thread that Ctrl-C can interrupt."""
        box: list[T | BaseException] = []
        done = self._free = threading.Event()  # an interrupted Thread.join() would take the thread for ended

        def work() -> None:
            try:
                box.append(ask())
            except BaseException as error:
                box.append(error)
            finally:
                done.set()

        threading.Thread(target=work, daemon=True).start()
        try:
            with self.waiting():
                while not done.wait(0.1):  # with polars loaded, Ctrl-C does not end a wait of any length
                    pass
        except KeyboardInterrupt:
            tries = 0
            while not done.is_set() and tries < PATIENCE:  # DuckDB hears it; what polars computes runs out alone
                self.asked.interrupt()
                done.wait(0.1)
                tries += 1
            raise
        if isinstance(box[0], BaseException):
            raise box[0]
        return box[0]

    def close(self) -> None:
        """Let go of the connection; where an interrupted question still runs, when it asks DuckDB next."""
        if self._free.is_set():
            self._disconnect()
        else:
            threading.Thread(target=self._disconnect, daemon=True).start()
        self._clean()

    def _disconnect(self) -> None:
        with suppress(duckdb.Error):
            self.con.close()
