"""Use the workers of a running Dask scheduler. The only module that uses Dask."""

import logging
import warnings
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any
from urllib.parse import urlparse

from nsysql.errors import NsysqlError, UsageError
from nsysql.fleet.question import code
from nsysql.fleet.task import Outcome, Task, answer, died, failed

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
