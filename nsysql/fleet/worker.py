"""The program of a local worker process: it reads tasks from its standard input and writes outcomes to its output."""

import os
import pickle
import signal
from pathlib import Path

from nsysql.fleet.task import answer


def main() -> None:
    """Answer tasks until the input ends, which it also does when the main process is gone.

    Ctrl-C reaches all processes of a terminal; the main process handles it.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with os.fdopen(os.dup(0), "rb") as tasks, os.fdopen(os.dup(1), "wb") as outcomes:
        with Path(os.devnull).open("r+b") as nothing:  # what a library prints must not come between the outcomes
            os.dup2(nothing.fileno(), 0)
            os.dup2(nothing.fileno(), 1)
        while True:
            try:
                task = pickle.load(tasks)
            except EOFError:
                return
            pickle.dump(answer(task), outcomes)
            outcomes.flush()
