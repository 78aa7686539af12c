"""Workers that answer tasks: processes of this machine, or those of a Dask scheduler; only this module uses Dask.

Tasks and outcomes of processes use pipes, so no other user can reach a worker.
"""

import logging
import os
import pickle
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import warnings
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any
from urllib.parse import urlparse

from nsysql.errors import NsysqlError, UsageError
from nsysql.fleet.question import code
from nsysql.fleet.task import Outcome, Task, answer, died, failed

DEATHS = 4  # of workers on one task, after which it counts as failed
PROGRAM = "import sys; sys.path[:] = {path!r}; from nsysql.fleet.workers import main; main()"


class LocalWorkers:
    """`count` processes, each started when it gets its first task."""

    def __init__(self, count: int | None, files: int) -> None:
        self.count = self.per_host = max(1, min(count or cpus(), files))
        self.threads = max(1, cpus() // self.count)  # per worker
        self._pool = ThreadPoolExecutor(self.count)
        self._of_thread = threading.local()
        self._lock = threading.Lock()  # a process is started before `close`, or not at all
        self._started: list[_Process] = []
        self._scratch: str | None = None
        self._is_closed = False

    def outcomes(self, tasks: Sequence[Task]) -> Iterator[Outcome]:
        """Run the tasks, in order, and yield the outcome of each as it ends; a task's failure never raises."""
        for future in as_completed([self._pool.submit(self._answer, task) for task in tasks]):
            yield future.result()

    def close(self) -> None:
        """End the processes, even in the middle of a file, and remove their temporary files."""
        with self._lock:
            self._is_closed = True
            for process in self._started:
                process.end()
        self._pool.shutdown(cancel_futures=True)
        if self._scratch is not None:
            shutil.rmtree(self._scratch, ignore_errors=True)

    def _answer(self, task: Task) -> Outcome:
        for _ in range(DEATHS):
            process: _Process | None = getattr(self._of_thread, "process", None) or self._start()
            if process is None:
                break
            self._of_thread.process = process
            with suppress(EOFError, OSError, pickle.UnpicklingError):
                return process.answer(task)
            process.end()
            self._of_thread.process = None
        return failed(task, died(DEATHS))

    def _start(self) -> "_Process | None":
        with self._lock:
            if self._is_closed:
                return None
            if self._scratch is None:
                self._scratch = tempfile.mkdtemp(prefix="nsysql-workers-")
            process = _Process(self._scratch, self.threads)
            self._started.append(process)
            return process


class _Process:
    """A process that answers one task at a time."""

    def __init__(self, scratch: str, threads: int) -> None:
        """Start it, with the import path of this process; it spills to `scratch`, which outlives a kill."""
        self._process = subprocess.Popen(
            [sys.executable, "-c", PROGRAM.format(path=[path for path in sys.path if path])],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, start_new_session=True,
            env={**os.environ, "TMPDIR": scratch, "POLARS_MAX_THREADS": str(threads)},
        )  # fmt: skip

    def answer(self, task: Task) -> Outcome:
        assert self._process.stdin is not None and self._process.stdout is not None
        pickle.dump(task, self._process.stdin)
        self._process.stdin.flush()
        outcome: Outcome = pickle.load(self._process.stdout)
        return outcome

    def end(self) -> None:
        """Kill it: it has nothing to lose, as results appear only when they are complete."""
        self._process.kill()
        self._process.wait()


def cpus() -> int:
    """Count the CPUs available to this process, within its container's limits."""
    count = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    with suppress(OSError, ValueError):  # "max 100000", or the microseconds of each 100,000 that it may run
        most, period = Path("/sys/fs/cgroup/cpu.max").read_text().split()
        count = min(count, -(-int(most) // int(period)))
    return max(1, count)


def main() -> None:
    """Answer tasks until the input ends, which it also does when the main process is gone.

    Ctrl-C reaches all processes of a terminal; the main process handles it.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with os.fdopen(os.dup(0), "rb") as tasks, os.fdopen(os.dup(1), "wb") as outcomes:
        with Path(os.devnull).open("r+b") as nothing:  # output of libraries must not get between the outcomes
            os.dup2(nothing.fileno(), 0)
            os.dup2(nothing.fileno(), 1)
        while True:
            try:
                task = pickle.load(tasks)
            except EOFError:
                return
            pickle.dump(answer(task), outcomes)
            outcomes.flush()


LOGS = ("distributed", "tornado", "asyncio", "bokeh")
PATIENCE = 15  # seconds for a scheduler to answer
COMING = 30  # seconds for a scheduler to have a worker: an adaptive one starts workers when there is work
AHEAD = 4  # tasks submitted per worker
LEAST = 64  # least number of tasks submitted, as workers can be added
INSTALL = "install it with: pip install 'nsysql[runs]'"


class ClusterWorkers:
    """The workers of a scheduler: their number, and the most on one machine."""

    threads = 1  # per worker

    def __init__(self, client: Any) -> None:
        counts = Counter[str]()
        for worker, count in client.nthreads().items():
            counts[urlparse(worker).hostname or worker] += count
        self.count, self.per_host = sum(counts.values()), max(counts.values(), default=1)
        self._client = client

    def outcomes(self, tasks: Sequence[Task]) -> Iterator[Outcome]:
        """Run the tasks, in order, and yield the outcome of each as it ends; a task's failure never raises.

        A task whose worker dies is run by another; after several deaths it counts as failed.
        """
        from distributed import as_completed

        left = iter(tasks)
        by_key: dict[Any, Task] = {}

        def submit_next() -> Any:
            task = next(left, None)
            if task is None:
                return None
            future = self._client.submit(answer, task, pure=False)
            by_key[future.key] = task
            return future

        first = [future for _ in range(max(LEAST, self.count * AHEAD)) if (future := submit_next()) is not None]
        running: Any = as_completed(first)  # type: ignore[no-untyped-call]
        for future in running:
            task = by_key.pop(future.key)
            if future.status == "finished":
                outcome: Outcome = future.result()
            else:
                outcome = failed(task, _why(future.exception() if future.status == "error" else None, future.status))
            future.release()
            following = submit_next()
            if following is not None:
                running.add(following)
            yield outcome

    def close(self) -> None:
        """Disconnect from the scheduler; its workers keep running."""
        with _silence(), suppress(Exception):
            self._client.close(timeout=2)


def connect(address: str) -> ClusterWorkers:
    """Connect to the workers of a scheduler, given by its address or its scheduler file.

    Raises NsysqlError if it does not answer, or has no workers.
    """
    try:
        import distributed
    except ImportError:
        raise NsysqlError(f"a scheduler needs Dask, which is not installed; {INSTALL}") from None
    by_file = address.endswith(".json")
    if by_file and not Path(address).is_file():
        raise UsageError(f"there is no file {address}; `dask scheduler --scheduler-file {address}` writes it.")
    where: dict[str, str] = {"scheduler_file": address} if by_file else {"address": address}
    try:
        with _silence():
            client: Any = distributed.Client(**where, timeout=PATIENCE)  # type: ignore[no-untyped-call]
    except (OSError, TimeoutError, ValueError) as error:
        raise NsysqlError(f"no Dask scheduler answers at {address} ({_first(error)}).") from None
    try:
        client.submit(code, pure=False).result(timeout=COMING)
    except Exception as error:
        with suppress(Exception), _silence():
            client.close(timeout=2)
        if isinstance(error, ModuleNotFoundError):
            why = f"the workers of {address} have no module {error.name}; install this version of nsysql there."
        elif isinstance(error, TimeoutError):
            why = f"the scheduler at {address} has no workers after {COMING} s; start some: dask worker {address}"
        else:
            why = f"the workers of {address} cannot begin: {_first(error)}."
        raise NsysqlError(why) from None
    return ClusterWorkers(client)


def _why(error: BaseException | None, status: str) -> str:
    """Write a sentence on why a task has no outcome."""
    if type(error).__name__ == "KilledWorker":
        return died(getattr(error, "allowed_failures", 3) + 1)
    if isinstance(error, ModuleNotFoundError):
        return f"the workers have no module {error.name}; install this version of nsysql there."
    if error is not None:
        return f"{type(error).__name__}: {' '.join(str(error).split())[:300]}"
    return f"the scheduler gave it up ({status})."


@contextmanager
def _silence() -> Iterator[None]:
    """Silence Dask's logging: nsysql reports failures itself."""
    for name in [*logging.root.manager.loggerDict]:
        if name.partition(".")[0] in LOGS:
            logging.getLogger(name).setLevel(logging.CRITICAL)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def _first(error: BaseException) -> str:
    return (str(error).strip() or type(error).__name__).splitlines()[0].rstrip(".")
