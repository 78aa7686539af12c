"""The workers, on this machine or of a running Dask scheduler. The only module that starts and stops Dask."""

import logging
import multiprocessing
import os
import shutil
import signal
import tempfile
import threading
import warnings
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlparse

from nsysql.errors import NsysqlError, UsageError
from nsysql.fleet.question import code

if TYPE_CHECKING:
    from distributed import Client, LocalCluster

LOGS = ("distributed", "tornado", "asyncio", "bokeh")
PATIENCE = 15  # seconds for a scheduler to answer
COMING = 30  # seconds for a scheduler to have a worker: an adaptive one starts workers when there is work
SLACK = 500_000_000  # bytes above a worker's memory limit at which Dask kills it; nsysql's own limit applies first
INSTALL = "install it with: pip install 'nsysql[runs]'"
GUARD = (
    "many exports are read by processes that import your script first: put what calls nsysql.open_runs under "
    "`if __name__ == '__main__':`."
)


@dataclass
class Workers:
    """Workers for tasks: their number, the most on one machine, and the address of the dashboard."""

    client: "Client"
    count: int
    per_host: int
    threads: int  # per worker
    dashboard: str | None
    cluster: "LocalCluster | None" = None
    scratch: str | None = None

    def close(self, at_once: bool = False) -> None:
        """Disconnect from the workers; those on this machine end, with `at_once` even in the middle of a file."""
        with _silence():
            if self.cluster is not None and at_once:
                _kill(self.cluster)
            with suppress(Exception):
                self.client.close(timeout=2)  # type: ignore[no-untyped-call]
            if self.cluster is not None:
                with suppress(Exception):
                    self.cluster.close(timeout=10)
            if self.scratch is not None:
                shutil.rmtree(self.scratch, ignore_errors=True)


def start(count: int | None, files: int, memory_bytes: float | None) -> Workers:
    """Start processes on this machine: one per CPU, no more than files; `memory_bytes` is for all together."""
    distributed = _dask()
    if getattr(multiprocessing.process.current_process(), "_inheriting", False):
        raise UsageError(GUARD)
    count = max(1, min(count or _cpus(), files))
    most = "auto" if memory_bytes is None else int(memory_bytes / count) + SLACK
    client, scratch = None, ""
    try:
        with _silence(), _uninterrupted():
            scratch = tempfile.mkdtemp(prefix="nsysql-workers-")
            cluster = distributed.LocalCluster(
                n_workers=count, threads_per_worker=1, processes=True, memory_limit=most, local_directory=scratch,
                dashboard_address="127.0.0.1:8787", silence_logs=logging.CRITICAL,
                preload=["nsysql.fleet.worker"], env={"POLARS_MAX_THREADS": str(max(1, _cpus() // count))},
            )  # fmt: skip
            client = distributed.Client(cluster)
    except (RuntimeError, TimeoutError) as error:
        shutil.rmtree(scratch, ignore_errors=True)
        raise NsysqlError(f"the workers did not start ({str(error).splitlines()[0]}); {GUARD}") from None
    except KeyboardInterrupt:
        if client is not None:  # else nothing was started yet
            Workers(client, count, count, 1, None, cluster, scratch).close(at_once=True)
        raise
    dashboard = cluster.dashboard_link if find_spec("bokeh") else _plain(cluster.dashboard_link)
    return Workers(client, count, count, max(1, _cpus() // count), dashboard, cluster, scratch)


@contextmanager
def _uninterrupted() -> Iterator[None]:
    """Defer Ctrl-C until the end of the `with` block; processes started in it ignore Ctrl-C."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    if hasattr(signal, "pthread_sigmask"):
        from multiprocessing import resource_tracker

        resource_tracker.ensure_running()  # else it would start inside, and unblock the signal
    received: list[int] = []
    before = signal.signal(signal.SIGINT, lambda number, _: received.append(number))
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT]) if hasattr(signal, "pthread_sigmask") else None
    try:
        yield
    finally:
        if mask is not None:
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        signal.signal(signal.SIGINT, before)
    if received:
        raise KeyboardInterrupt


def connect(address: str) -> Workers:
    """The workers of a scheduler, given by its address or its scheduler file.

    Raises NsysqlError if it does not answer, or has no workers.
    """
    distributed = _dask()
    by_file = address.endswith(".json")
    if by_file and not Path(address).is_file():
        raise UsageError(f"there is no file {address}; `dask scheduler --scheduler-file {address}` writes it.")
    where: dict[str, str] = {"scheduler_file": address} if by_file else {"address": address}
    try:
        with _silence():
            client = distributed.Client(**where, timeout=PATIENCE)
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
    threads = Counter[str]()
    for worker, count in client.nthreads().items():
        threads[urlparse(worker).hostname or worker] += count
    return Workers(client, sum(threads.values()), max(threads.values(), default=1), 1, client.dashboard_link)


def _cpus() -> int:
    """The number of CPUs available to this process, within container limits."""
    from dask.system import CPU_COUNT

    return int(CPU_COUNT)


def _dask() -> Any:
    try:
        import distributed
    except ImportError:
        raise NsysqlError(f"many exports are read on Dask, which is not installed; {INSTALL}") from None
    import dask

    dask.config.set({
        "distributed.worker.memory.target": False, "distributed.worker.memory.spill": False,
        "distributed.worker.memory.pause": False,
    })  # fmt: skip
    return distributed


@contextmanager
def _silence() -> Iterator[None]:
    """Silence Dask's logging: nsysql reports failures itself."""
    for name in [*logging.root.manager.loggerDict]:
        if name.partition(".")[0] in LOGS:
            logging.getLogger(name).setLevel(logging.CRITICAL)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def _kill(cluster: "LocalCluster") -> None:
    """Kill the processes of a cluster."""
    for nanny in list(cluster.workers.values()):
        nanny.auto_restart = False
        with suppress(Exception):
            os.kill(nanny.pid, 9)


def _plain(dashboard: str) -> str:
    """The address of the workers' page that works without bokeh."""
    return dashboard.removesuffix("/status") + "/info/main/workers.html"


def _first(error: BaseException) -> str:
    return (str(error).strip() or type(error).__name__).splitlines()[0].rstrip(".")
