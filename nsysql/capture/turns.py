"""Serialize questions to one export across threads.

A connection of DuckDB has one result, which the next question replaces. A question runs in a worker thread, so that
Ctrl-C reaches us, and through us DuckDB. A forked process lacks the threads of DuckDB and polars, and a question would
wait for them forever; so it is refused.
"""

import atexit
import os
import threading
from collections.abc import Callable, Generator, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from nsysql.errors import NsysqlError, UsageError, engine_of

if TYPE_CHECKING:
    import duckdb

    from nsysql.capture.forms.source import Source

LOOK_SECONDS = 0.02  # between two checks: the memory allocated meanwhile can exceed the limit
LIBRARIES = 150_000_000  # bytes that Python and the libraries need without any rows


class MemoryBound:
    """A limit on the memory of the process, in bytes, with the text by which the user set it.

    DuckDB gets a part of it and writes the rest to disk. Polars has no memory limit, so the process is checked while a
    question runs, and the question ends if it needs more.
    """

    def __init__(self, limit: float, spelled: str) -> None:
        import psutil  # imported only if there is a limit

        self._process = psutil.Process()
        self._spelled = spelled
        self._most = max(limit, self._process.memory_info().rss + max(limit / 2, LIBRARIES))

    def is_exceeded(self) -> bool:
        """Tell whether the process uses more memory now, by the operating system's count of resident memory."""
        return bool(self._process.memory_info().rss > self._most)

    def error(self, path: Path) -> NsysqlError:
        """Return the error for a question to the export at `path` that needs more."""
        return NsysqlError(
            f"{path}: the answer needs more memory than the limit of {self._spelled}; give more with --memory-limit "
            f"or NSYSQL_MEMORY_LIMIT, or narrow the question to an interval."
        )


T = TypeVar("T")
END = object()
WAIT = 0.1  # seconds; with polars loaded, Ctrl-C does not end a wait of any length
PATIENCE = 3  # such waits after Ctrl-C for the question to end
MEND = "Start the processes with multiprocessing.get_context('spawn'), and open the export in each of them."
AT_EXIT = 60  # seconds that Python waits at exit for an abandoned question
_abandoned: list[threading.Thread] = []  # threads that still compute, or wait to close what they read
_asking_processes: set[int] = set()  # this process, once it has asked a question; after a fork also its parent


class Turns:
    """The lock of one open export, with the question that runs."""

    asked: "duckdb.DuckDBPyConnection"  # the connection or cursor that the question runs on

    def __init__(self, file: "Source") -> None:
        self._file, self._path, self._process = file, file.path, os.getpid()
        self.memory: MemoryBound | None = None  # of the process, if the user set one
        self.waiting: Callable[[], AbstractContextManager[object]] = nullcontext  # active while a question runs
        self.watch: Callable[[], None] | None = None  # called while a question runs; an NsysqlError ends the question
        if _asking_processes - {self._process}:
            raise UsageError(f"{self._path} cannot be asked in a process forked from one that asked an export. {MEND}")
        self._lock = threading.Lock()
        self._is_over = False
        self._free = threading.Event()  # set while no question runs
        self._free.set()
        self._unread: Generator[Any] | None = None  # an answer of which parts are still unread
        self._reader: int | None = None  # the thread that reads it

    @property
    def is_forked(self) -> bool:
        """Whether this process was forked from the one that opened the export; nothing works in it."""
        return os.getpid() != self._process

    @contextmanager
    def turn(self) -> Iterator[None]:
        """Wait until no other question runs, and hold the lock.

        Raises UsageError in a forked process, and if it would wait for its own thread.
        """
        if self.is_forked:
            raise UsageError(f"{self._path} was opened by another process, of which this one is a fork. {MEND}")
        while not self._lock.acquire(timeout=WAIT):
            if self._reader == threading.get_ident():
                raise UsageError(f"{self._path} is still giving the rows of another answer; read them all first.")
        try:
            if self._is_over:
                raise closed(self._path)
            self._settle()
            _asking_processes.add(self._process)
            yield
        finally:
            self._reader = None
            self._lock.release()

    def run_interruptibly(self, ask: Callable[[], T]) -> T:
        """Return the result of `ask`, called while the lock is held, in a thread that Ctrl-C can interrupt."""
        box: list[T | BaseException] = []
        done = self._free = threading.Event()  # an interrupted Thread.join() would treat the thread as ended

        def work() -> None:
            try:
                with self._file.unchanged.during():
                    answer = ask()
                box.append(answer)
            except BaseException as error:
                box.append(error)
            finally:
                done.set()

        worker = threading.Thread(target=work, daemon=True)
        worker.start()
        try:
            with self.waiting():
                while not done.wait(LOOK_SECONDS if self.memory else WAIT):
                    if self.memory and self.memory.is_exceeded():
                        raise self.memory.error(self._path)
                    if self.watch:
                        self.watch()
        except (KeyboardInterrupt, NsysqlError):
            tries = 0
            while not done.is_set() and tries < PATIENCE:  # DuckDB reacts; polars runs to its end
                self.asked.interrupt()
                done.wait(WAIT)
                tries += 1
            if not done.is_set():
                _abandoned.append(worker)
            raise
        if isinstance(box[0], BaseException):
            error = box[0]  # or the damage in a file of the export, if that made DuckDB fail
            damage = self._file.damage(error) if isinstance(error, Exception) and engine_of(error) == "duckdb" else None
            raise damage or error
        return box[0]

    def parts(self, begin: Callable[[], Generator[T]]) -> Generator[T]:
        """Yield the parts of the answer that `begin` returns; the lock is held until all are read, or it is closed."""
        with self.turn():
            self._unread = batches = begin()
            try:
                while (part := self.run_interruptibly(lambda: next(batches, END))) is not END:
                    self._reader = threading.get_ident()
                    yield part  # type: ignore[misc]
            finally:
                if self._free.is_set():
                    self._settle()

    def _settle(self) -> None:
        """Stop what an interrupted question still does, and close an answer that nobody reads any more."""
        while not self._free.wait(WAIT):
            self.asked.interrupt()
        if self._unread is not None:
            self.asked.interrupt()
            self._unread.close()
            self._unread = None

    def end(self, close: Callable[[], None]) -> None:
        """Refuse new questions, and `close` after the last one; later if that was interrupted or is still read."""
        self._is_over = True
        while self._reader is None and not self._lock.acquire(timeout=WAIT):
            pass
        if self._reader is None:
            self._lock.release()
        if self._free.is_set() and self._unread is None:
            close()
        else:

            def close_later() -> None:
                self._settle()
                close()

            closing = threading.Thread(target=close_later, daemon=True)
            _abandoned.append(closing)
            closing.start()


@atexit.register
def _join_abandoned() -> None:
    """Join abandoned threads at exit: one that is still inside polars or DuckDB would abort the process by SIGABRT."""
    for thread in _abandoned:
        thread.join(AT_EXIT)


def closed(path: Path) -> UsageError:
    """Return the error for questions to a closed export."""
    return UsageError(f"{path} was closed; open it again with nsysql.open.")
