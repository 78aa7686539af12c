"""What a worker process of this machine does as it starts: Dask imports it."""

import signal
import tempfile
from typing import Any


def dask_setup(worker: Any) -> None:
    """Leave Ctrl-C, which a terminal sends to all processes, to the one that has the workers.

    What a worker spills lies in its folder, which is removed also where the worker was killed.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    tempfile.tempdir = worker.local_directory
