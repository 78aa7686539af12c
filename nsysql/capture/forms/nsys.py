"""Run nsys, and stop it when it makes no more progress; build the command lines that record what a question needs."""

import os
import re
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

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
    with TemporaryDirectory(prefix="nsysql-", ignore_cleanup_errors=True) as own:
        output = Path(own, "output")  # no pipe: a child can keep that open after the process has ended
        process = _started(words, output)
        try:
            _follow(process, output, folder, limit, on_progress)
        finally:
            _stop(process)
        return process.returncode, _end_of(output, LAST).decode("utf-8", "replace")


def _started(words: Sequence[str], output: Path) -> "subprocess.Popen[bytes]":
    with output.open("wb") as file:
        try:  # in its own session, so that its children can be stopped with it
            return subprocess.Popen(
                words, stdin=subprocess.DEVNULL, stdout=file, stderr=subprocess.STDOUT, start_new_session=True
            )
        except OSError as error:
            why = error.strerror or error
            raise NsysqlError(f"{words[0]} cannot be run: {why}; NSYSQL_NSYS names another.") from None


def _end_of(path: Path, count: int) -> bytes:
    with path.open("rb") as file:
        file.seek(max(0, path.stat().st_size - count))
        return file.read()


class NoProgress(Exception):
    """nsys was stopped because it made no progress."""


def _limit() -> float:
    text = os.environ.get(LIMIT) or str(PATIENCE)
    with suppress(ValueError):
        if float(text) > 0:
            return float(text)
    raise UsageError(f"{LIMIT} is {text!r}; give the seconds without progress after which nsys is stopped.")


def _follow(
    process: "subprocess.Popen[bytes]", output: Path, folder: Path, limit: float, on_progress: OnProgress | None
) -> None:
    """Wait for a process to end; raises NoProgress when it stops making progress."""
    seen, since = (0.0, 0), time.monotonic()
    while True:
        with suppress(subprocess.TimeoutExpired):
            process.wait(PAUSE)
            return
        percents = PERCENT.findall(_end_of(output, 200))
        now = (min(1.0, int(percents[-1]) / 100) if percents else 0.0, _size(folder))
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


QUESTIONS = ("idle", "lines", "memory", "metrics", "ranks")
LAUNCHERS = {  # the environment variable with the rank
    "openmpi": "OMPI_COMM_WORLD_RANK", "mpich": "PMI_RANK", "slurm": "SLURM_PROCID", "torchrun": "RANK",
}  # fmt: skip
STARTERS = {
    "openmpi": "mpirun -n COUNT", "mpich": "mpiexec -n COUNT", "slurm": "srun -n COUNT",
    "torchrun": "torchrun --no-python --nproc-per-node COUNT",
}  # fmt: skip
TRACES = {  # what --trace lists for each question
    "idle": ("cuda", "nvtx", "osrt"),
    "lines": ("cuda", "nvtx", "osrt", "openacc"),
    "memory": ("cuda", "nvtx"),
    "metrics": ("cuda", "nvtx"),
    "ranks": ("cuda", "nvtx", "osrt", "mpi"),
}
PYTHON_TRACES = {"idle": "python-gil", "lines": "python-gil"}  # in --trace, for programs in Python
# Options with their values; an entry has alternatives, and the first that this nsys has is used.
OPTIONS: Mapping[str, Sequence[Sequence[str]]] = {
    "idle": (
        ("--cudabacktrace=all",),
        ("--sample=process-tree",),
        ("--cpuctxsw=process-tree",),
        ("--cuda-event-trace=true",),
    ),
    "lines": (("--cudabacktrace=all",), ("--sample=process-tree",)),
    "memory": (("--cuda-memory-usage=true",), ("--cudabacktrace=memory:0",), ("--sample=process-tree",)),
    "metrics": (("--gpu-metrics-devices=all", "--gpu-metrics-device=all"), ("--sample=none",)),
    "ranks": (("--sample=none",), ("--cpuctxsw=process-tree",)),
}  # fmt: skip
PYTHON_OPTIONS: Mapping[str, Sequence[Sequence[str]]] = {
    "lines": (("--python-sampling=true",), ("--python-backtrace=cuda",)),
    "memory": (("--python-backtrace=cuda",),),
}
PYTHON = re.compile(r"(python|pypy)[0-9.]*(\.exe)?|torchrun|accelerate|deepspeed|ipython|jupyter|pytest|.*\.py")
OPTION = re.compile(r"(?<![\w-])--[a-z][\w-]*")
WAIT = 60  # seconds for nsys to print a help text


@dataclass(frozen=True)
class Capabilities:
    """What an nsys supports: its version, the options of profile and export, the values of --trace; None if unknown."""

    version: str = ""
    profile: frozenset[str] | None = None
    export: frozenset[str] | None = None
    traces: frozenset[str] | None = None


@dataclass(frozen=True)
class Recording:
    """The arguments of both commands, the report that the first writes, and the options that this nsys lacks."""

    profile: list[str]
    export: list[str]
    report: str
    left_out: list[str] = field(default_factory=list)

    def lines(self) -> list[str]:
        return [shlex.join(self.profile), shlex.join(self.export)]


def ask(tool: str) -> Capabilities:
    """Ask the nsys at this path what it supports. Raises OSError or subprocess.SubprocessError if it cannot run."""
    version = re.search(r"\d{4}\.\d+\.\d+(\.\d+)?", _output(tool, "--version"))
    profile, export = _output(tool, "profile", "--help"), _output(tool, "export", "--help")
    return Capabilities(version[0] if version else "", _options(profile), _options(export), _traces(profile))


def recording(question: str, program: Sequence[str], name: str, launcher: str, known: Capabilities) -> Recording:
    """Build the commands that record the program and export the report; `name` is its path without extension."""
    left_out: list[str] = []
    is_python = any(PYTHON.fullmatch(word.rpartition("/")[2]) for word in program)
    traces = [*TRACES[question], *([PYTHON_TRACES[question]] if is_python and question in PYTHON_TRACES else [])]
    used = [trace for trace in traces if known.traces is None or trace in known.traces]
    left_out += [f"--trace={trace}" for trace in traces if trace not in used]
    chosen = [*OPTIONS[question], *(PYTHON_OPTIONS.get(question, ()) if is_python else ())]
    if question == "ranks" and launcher == "mpich":
        chosen.append(("--mpi-impl=mpich",))
    options = list(_supported(chosen, known.profile, left_out))
    if question == "ranks":
        name = f"{name}.%q{{{LAUNCHERS[launcher]}}}"
    profile = ["nsys", "profile", f"--trace={','.join(used)}", *options, f"--output={name}", *program]
    blobs = list(_supported([("--include-blobs=true",)], known.export, left_out if is_python else []))
    if question == "ranks":
        name = f"{name.partition('.%q{')[0]}.0"
    report = f"{name}.nsys-rep"
    export = ["nsys", "export", "--type=sqlite", *blobs, f"--output={name}.sqlite", report]
    return Recording(profile, export, report, left_out)


def _supported(entries: Iterable[Sequence[str]], options: frozenset[str] | None, left_out: list[str]) -> Iterator[str]:
    """Yield the first supported option of each entry; entries without one are added to `left_out`."""
    for entry in entries:
        fitting = [option for option in entry if options is None or option.partition("=")[0] in options]
        if fitting:
            yield fitting[0]
        else:
            left_out.append(entry[0])


def _output(tool: str, *words: str) -> str:
    ran = subprocess.run([tool, *words], stdin=subprocess.DEVNULL, capture_output=True, timeout=WAIT, check=False)
    return (ran.stdout + ran.stderr).decode("utf-8", "replace")


def _options(help_text: str) -> frozenset[str] | None:
    """Return the options that a help text names; None if it names none, so that they are unknown."""
    return frozenset(OPTION.findall(help_text)) or None


def _traces(help_text: str) -> frozenset[str] | None:
    """Return the values of --trace from its paragraph of the help; None if there is no such paragraph."""
    match = re.search(r"^\s*-t, --trace=.*?(?=^\s*-\w, --|^\s*--[a-z]|\Z)", help_text, re.MULTILINE | re.DOTALL)
    words = frozenset(re.findall(r"'([a-z][\w-]*)'", match[0])) if match else frozenset()
    return words if "cuda" in words else None
