"""Setup of a local worker process, imported by Dask."""

import signal
import tempfile
from typing import Any


def dask_setup(worker: Any) -> None:
    """Ignore Ctrl-C, which a terminal sends to all processes; the main process handles it.

    Workers spill to their own folder, which is removed even if the worker was killed.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    tempfile.tempdir = worker.local_directory
