"""Run nsys; stop it and its child processes when it makes no more progress."""

import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

from nsysql.errors import NsysqlError, UsageError

PATIENCE = 300.0  # seconds without progress after which nsys counts as hung
LIMIT = "NSYSQL_NSYS_TIMEOUT"  # environment variable that overrides PATIENCE
PAUSE = 0.1  # seconds between two checks
GRACE = 1.0  # seconds for a process to end after SIGTERM
LAST = 65536  # bytes of nsys's output that are kept
PERCENT = re.compile(rb"(\d{1,3})\s*%")

OnProgress = Callable[[float], None]


def run(words: Sequence[str], folder: Path, on_progress: OnProgress | None) -> tuple[int, str]:
    """Run nsys, which writes into `folder`; returns its exit status and the end of its output.

    Raises NsysqlError if it cannot be run, NoProgress if neither its percentage nor the size of its files changes.
    """
    limit = _limit()
    try:
        process = subprocess.Popen(
            words,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,  # so that its children can be stopped with it
        )
    except OSError as error:
        raise NsysqlError(f"{words[0]} cannot be run: {error.strerror or error}; NSYSQL_NSYS names another.") from None
    try:
        output = _Output(process)
        _follow(process, output, folder, limit, on_progress)
    finally:
        _stop(process)
    output.thread.join(GRACE)
    return process.returncode, output.text.decode("utf-8", "replace")


class NoProgress(Exception):
    """nsys was stopped because it made no progress."""


class _Output:
    """The output of a process, read in a thread: a child can keep the pipe open after the process has ended."""

    def __init__(self, process: "subprocess.Popen[bytes]") -> None:
        assert process.stdout is not None
        self.text = b""
        self._pipe = process.stdout
        self.thread = threading.Thread(target=self._read, daemon=True)
        self.thread.start()

    def _read(self) -> None:
        with self._pipe:
            while piece := os.read(self._pipe.fileno(), 4096):
                self.text = self.text[-LAST:] + piece

    def fraction_done(self) -> float:
        """Return the fraction that is done, by the last percentage in the output."""
        percents = PERCENT.findall(self.text[-200:])
        return min(1.0, int(percents[-1]) / 100) if percents else 0.0


def _limit() -> float:
    text = os.environ.get(LIMIT) or str(PATIENCE)
    with suppress(ValueError):
        if float(text) > 0:
            return float(text)
    raise UsageError(f"{LIMIT} is {text!r}; give the seconds without progress after which nsys is stopped.")


def _follow(
    process: "subprocess.Popen[bytes]", output: _Output, folder: Path, limit: float, on_progress: OnProgress | None
) -> None:
    """Wait for a process to end; raises NoProgress when it stops making progress."""
    seen, since = (0.0, 0), time.monotonic()
    while True:
        with suppress(subprocess.TimeoutExpired):
            process.wait(PAUSE)
            return
        now = (output.fraction_done(), _size(folder))
        if now != seen:
            seen, since = now, time.monotonic()
        elif time.monotonic() - since > limit:
            raise NoProgress(f"nsys made no progress for {limit:g} s; {LIMIT}=SECONDS gives it more time.")
        if on_progress:
            on_progress(now[0])


def _size(folder: Path) -> int:
    total = 0
    for path in folder.iterdir():
        with suppress(OSError):  # nsys removes files meanwhile
            total += path.stat().st_size
    return total


def _stop(process: "subprocess.Popen[bytes]") -> None:
    """Stop what is left of a process and its children: SIGTERM first, then SIGKILL."""
    if sys.platform == "win32":
        if process.poll() is None:
            subprocess.run(["taskkill", "/T", "/F", "/PID", str(process.pid)], capture_output=True, check=False)
        process.wait()
        return
    try:
        end = time.monotonic() + GRACE
        is_alive = _signalled(process, signal.SIGTERM)
        while is_alive and time.monotonic() < end:
            time.sleep(0.02)
            is_alive = _signalled(process, 0)
    finally:
        _signalled(process, signal.SIGKILL)
        process.wait()


def _signalled(process: "subprocess.Popen[bytes]", number: int) -> bool:
    """Send a signal to the process group; False if no process is left in it."""
    process.poll()
    try:
        os.killpg(process.pid, number)
    except (ProcessLookupError, PermissionError):  # macOS refuses if all are zombies
        return False
    return True
