"""Whose turn it is: an export answers one question at a time, whichever thread asks.

A connection of DuckDB has one answer, and the next question takes its place. A question runs in a worker thread, so
that Ctrl-C reaches us and DuckDB through us. After a fork neither DuckDB nor polars has its threads, and a question
would wait for them without end; so a forked process is refused.
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

LOOK_SECONDS = 0.02  # between two looks: what is got in this time can be more than the bound
LIBRARIES = 150_000_000  # bytes that Python and the libraries need without any rows


class MemoryBound:
    """A bound on the memory of the process, in bytes, as the user spelled it.

    DuckDB gets a part of it and writes the rest to disk. What polars computes has no bound of its own, so the process
    is looked at while a question runs, and the question ends if it needs more.
    """

    def __init__(self, limit: float, spelled: str) -> None:
        import psutil  # only where a bound is given

        self._process = psutil.Process()
        self._spelled = spelled
        self._most = max(limit, self._process.memory_info().rss + max(limit / 2, LIBRARIES))

    def is_exceeded(self) -> bool:
        """Whether the process has more memory now, by the operating system's count of resident memory."""
        return bool(self._process.memory_info().rss > self._most)

    def error(self, path: Path) -> NsysqlError:
        """What to say of a question to the export at `path` that needs more."""
        return NsysqlError(
            f"{path}: the answer needs more memory than the limit of {self._spelled}; give more with --memory-limit "
            f"or NSYSQL_MEMORY_LIMIT, or narrow the question to an interval."
        )


T = TypeVar("T")
END = object()
WAIT = 0.1  # seconds; with polars loaded, Ctrl-C does not end a wait of any length
PATIENCE = 3  # such waits after Ctrl-C for the question to end
MEND = "Start the processes with multiprocessing.get_context('spawn'), and open the export in each of them."
AT_EXIT = 60  # seconds that Python waits for a question that was given up, before it leaves
_given_up: list[threading.Thread] = []  # those that still compute, or wait to close what they read
_askers: set[int] = set()  # this process, once it has asked; after a fork the one that it came from


class Turns:
    """The turns of one open export."""

    asked: "duckdb.DuckDBPyConnection"  # what the question is asked of: the connection or a cursor of it

    def __init__(self, file: "Source") -> None:
        self._file, self._path, self._process = file, file.path, os.getpid()
        self.memory: MemoryBound | None = None  # of the process, where the user gives one
        self.waiting: Callable[[], AbstractContextManager[object]] = nullcontext  # entered while a question runs
        self.watch: Callable[[], None] | None = None  # called while a question runs; an NsysqlError ends the question
        if _askers - {self._process}:
            raise UsageError(f"{self._path} cannot be asked in a process forked from one that asked an export. {MEND}")
        self._lock = threading.Lock()
        self._is_over = False
        self._free = threading.Event()  # set while no question runs
        self._free.set()
        self._unread: Generator[Any] | None = None  # parts of an answer that is not read to its end
        self._reader: int | None = None  # the thread that reads it

    @property
    def is_forked(self) -> bool:
        """Whether this is another process than the one that opened the export."""
        return os.getpid() != self._process

    @contextmanager
    def turn(self) -> Iterator[None]:
        """Wait until nothing else is asked.

        Raises UsageError in a forked process, and where it would wait for its own thread.
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
            _askers.add(self._process)
            yield
        finally:
            self._reader = None
            self._lock.release()

    def run_interruptibly(self, ask: Callable[[], T]) -> T:
        """What `ask` gives, called within a turn, in a thread that Ctrl-C can interrupt."""
        box: list[T | BaseException] = []
        done = self._free = threading.Event()  # an interrupted Thread.join() would take the thread for ended

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
            while not done.is_set() and tries < PATIENCE:  # DuckDB hears it; what polars computes runs out alone
                self.asked.interrupt()
                done.wait(WAIT)
                tries += 1
            if not done.is_set():
                _given_up.append(worker)
            raise
        if isinstance(box[0], BaseException):
            error = box[0]  # or the damage in a file of the export, where that is why DuckDB failed
            damage = self._file.damage(error) if isinstance(error, Exception) and engine_of(error) == "duckdb" else None
            raise damage or error
        return box[0]

    def parts(self, begin: Callable[[], Generator[T]]) -> Generator[T]:
        """The parts of an answer that `begin` gives; its turn ends when they are all read, or closed."""
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
        """End what an interrupted question still does, and what nobody reads any more."""
        while not self._free.wait(WAIT):
            self.asked.interrupt()
        if self._unread is not None:
            self.asked.interrupt()
            self._unread.close()
            self._unread = None

    def end(self, close: Callable[[], None]) -> None:
        """Let no turn begin any more, and `close` after the last one; later where it was interrupted, or is read."""
        self._is_over = True
        while self._reader is None and not self._lock.acquire(timeout=WAIT):
            pass
        if self._reader is None:
            self._lock.release()
        if self._free.is_set() and self._unread is None:
            close()
        else:
            closing = threading.Thread(target=self._close_later, args=[close], daemon=True)
            _given_up.append(closing)
            closing.start()

    def _close_later(self, close: Callable[[], None]) -> None:
        self._settle()
        close()


@atexit.register
def _wait_for_given_up() -> None:
    """Let them end: where Python leaves threads in the code of polars or DuckDB, that ends the process by SIGABRT."""
    for thread in _given_up:
        thread.join(AT_EXIT)


def closed(path: Path) -> UsageError:
    """That an export was closed."""
    return UsageError(f"{path} was closed; open it again with nsysql.open.")
