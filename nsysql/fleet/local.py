"""Run worker processes on this machine. Tasks and outcomes use pipes, so no other user can reach a worker."""

import os
import pickle
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import suppress
from pathlib import Path
from queue import SimpleQueue

from nsysql.fleet.task import Outcome, Task, answer, died, failed

DEATHS = 4  # of workers on one task, after which it counts as failed
PROGRAM = "import sys; sys.path[:] = {path!r}; from nsysql.fleet.local import main; main()"


class LocalWorkers:
    """`count` processes, each started when it gets its first task."""

    def __init__(self, count: int | None, files: int) -> None:
        self.count = self.per_host = max(1, min(count or cpus(), files))
        self.threads = max(1, cpus() // self.count)  # per worker
        self._pool = ThreadPoolExecutor(self.count)
        self._idle: SimpleQueue[_Process | None] = SimpleQueue()
        for _ in range(self.count):
            self._idle.put(None)
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
        process = self._idle.get()
        try:
            for _ in range(DEATHS):
                if process is None and (process := self._start()) is None:
                    break
                with suppress(EOFError, OSError, pickle.UnpicklingError):
                    return process.answer(task)
                process.end()
                process = None
        finally:
            self._idle.put(process)
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
        """Return the outcome of a task. Raises EOFError, OSError or UnpicklingError if the process dies."""
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
