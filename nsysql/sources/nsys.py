"""Running nsys: followed while it makes progress, and stopped with all that it started."""

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

PATIENCE = 300.0  # seconds without progress after which nsys is taken to hang
LIMIT = "NSYSQL_NSYS_TIMEOUT"  # names others
PAUSE = 0.1  # seconds between two looks
GRACE = 1.0  # seconds that a process has to end by itself
LAST = 65536  # bytes that are kept of what nsys writes
PERCENT = re.compile(rb"(\d{1,3})\s*%")

Tell = Callable[[float], None]


def run(words: Sequence[str], folder: Path, tell: Tell | None) -> tuple[int, str]:
    """Run nsys, which writes into `folder`: its status and its last words.

    Raises NsysqlError where it cannot be run, NoProgress where neither its percents nor its files change any more.
    """
    limit = _limit()
    try:
        process = subprocess.Popen(
            words,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,  # its children can be stopped with it
        )
    except OSError as error:
        raise NsysqlError(f"{words[0]} cannot be run: {error.strerror or error}; NSYSQL_NSYS names another.") from None
    try:
        output = _Output(process)
        _follow(process, output, folder, limit, tell)
    finally:
        _stop(process)
    output.thread.join(GRACE)
    return process.returncode, output.text.decode("utf-8", "replace")


class NoProgress(Exception):
    """nsys was stopped, since it made no progress."""


class _Output:
    """What a process writes, read in a thread: a child can hold the pipe open when the process has ended."""

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

    def part(self) -> float:
        """The part that is done, by the last percents."""
        percents = PERCENT.findall(self.text[-200:])
        return min(1.0, int(percents[-1]) / 100) if percents else 0.0


def _limit() -> float:
    given = os.environ.get(LIMIT) or str(PATIENCE)
    with suppress(ValueError):
        if float(given) > 0:
            return float(given)
    raise UsageError(f"{LIMIT} is {given!r}; give the seconds without progress after which nsys is stopped.")


def _follow(process: "subprocess.Popen[bytes]", output: _Output, folder: Path, limit: float, tell: Tell | None) -> None:
    """Wait until a process has ended, as long as it makes progress."""
    seen, since = (0.0, 0), time.monotonic()
    while True:
        with suppress(subprocess.TimeoutExpired):
            process.wait(PAUSE)
            return
        now = (output.part(), _size(folder))
        if now != seen:
            seen, since = now, time.monotonic()
        elif time.monotonic() - since > limit:
            raise NoProgress(f"nsys made no progress for {limit:g} s; {LIMIT}=SECONDS gives it more time.")
        if tell:
            tell(now[0])


def _size(folder: Path) -> int:
    total = 0
    for path in folder.iterdir():
        with suppress(OSError):  # nsys removes files too
            total += path.stat().st_size
    return total


def _stop(process: "subprocess.Popen[bytes]") -> None:
    """Stop what is left of a process and of its children: asked to end first, then made to."""
    if sys.platform == "win32":
        if process.poll() is None:
            subprocess.run(["taskkill", "/T", "/F", "/PID", str(process.pid)], capture_output=True, check=False)
        process.wait()
        return
    try:
        end = time.monotonic() + GRACE
        is_there = _signalled(process, signal.SIGTERM)
        while is_there and time.monotonic() < end:
            time.sleep(0.02)
            is_there = _signalled(process, 0)
    finally:
        _signalled(process, signal.SIGKILL)
        process.wait()


def _signalled(process: "subprocess.Popen[bytes]", number: int) -> bool:
    """Whether there is still somebody in the group of a process who was sent the signal."""
    process.poll()
    try:
        os.killpg(process.pid, number)
    except (ProcessLookupError, PermissionError):  # macOS refuses where all are zombies
        return False
    return True
