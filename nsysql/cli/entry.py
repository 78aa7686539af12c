"""Run the command line from arguments to exit code; every failure is one line on stderr."""

import _thread
import errno
import gc
import io
import os
import signal
import sqlite3
import sys
import threading
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import typer

from nsysql.cli.app import app
from nsysql.cli.output import filtered
from nsysql.errors import NsysqlError, engine_of, escaped, suggestion

TUNED = {
    "_RJEM_MALLOC_CONF": "narenas:2,dirty_decay_ms:1000,muzzy_decay_ms:0",  # polars; at 100 ms more faults
    "OPENBLAS_NUM_THREADS": "1",  # numpy, whose products are small here; its threads take 70 ms to start on two cores
}
M_TRIM_THRESHOLD, M_MMAP_THRESHOLD = -1, -3  # of glibc's malloc.h
RETURNED_BLOCK = 2**22  # bytes from which a freed block is returned at once; glibc raises that with each such block


def tune_libraries() -> None:
    """Make the allocators of polars and of glibc return freed memory, and numpy start no threads, before they load.

    By default allocators keep up to a third of the peak; macOS and musl return it by themselves. findings of an export
    of 1.2 GB needs 1.5 GB with this, 1.9 GB without; at 120 MB it is 4% less.
    """
    for name, value in TUNED.items():
        if name not in os.environ:
            os.putenv(name, value)  # os.environ stays as it is for what `record` runs
    if not sys.platform.startswith("linux"):
        return
    import ctypes

    with suppress(OSError, AttributeError):  # a C library without mallopt()
        mallopt = ctypes.CDLL(None).mallopt
        mallopt(M_MMAP_THRESHOLD, RETURNED_BLOCK)
        mallopt(M_TRIM_THRESHOLD, RETURNED_BLOCK)


NEW_OBJECTS = 200_000  # until cycles are looked for: a summary of 4 MB makes 115,000, of which few are garbage
ADDRESSES = 3 * 2**30  # bytes of address space that every command has enough of; little of it is memory


def _note_little_space() -> None:
    """Say that the limit of address space is low: where there is no more, polars ends the process."""
    with suppress(ImportError):  # not on Windows
        import resource

        soft, _ = resource.getrlimit(resource.RLIMIT_AS)
        if 0 < soft < ADDRESSES:
            text = f"this process may have {soft / 1e9:.1f} GB of address space (ulimit -v)"
            _say(f"{text}; with less than {ADDRESSES / 1e9:.1f} GB commands can fail.", 0)


WRONG_USAGE: Any = typer.BadParameter.__mro__[1]  # click's UsageError, wherever this typer imports click from
INTERRUPTED = 130
ENDS = [number for name in ("SIGTERM", "SIGHUP") if (number := getattr(signal, name, None))]  # SIGHUP: not on Windows
COMPLETE = "_NSYSQL_COMPLETE"


def main(arguments: Sequence[str] | None = None) -> None:
    tune_libraries()
    gc.set_threshold(NEW_OBJECTS)
    before = set(threading.enumerate())  # the caller may have threads
    if sys.stderr is None:  # closed by the caller
        sys.stderr = io.StringIO()
    if sys.stdout is None:
        sys.exit(_say("the standard output is closed; open it, or write with --output FILE.", 1))
    command = typer.main.get_command(app)
    if COMPLETE in os.environ:
        command.main(prog_name="nsysql", complete_var=COMPLETE)
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")  # a terminal without µ gets a question mark
    if hasattr(sys.stdout, "reconfigure") and not sys.stdout.isatty() and "PYTHONIOENCODING" not in os.environ:
        sys.stdout.reconfigure(encoding="utf-8")  # pipes and files get UTF-8
    with suppress(ValueError):  # not in the main thread
        for number in ENDS:
            if signal.getsignal(number) != signal.SIG_IGN:  # ignored, as under nohup
                signal.signal(number, _terminate)
    sys.unraisablehook = _raise_again
    _note_little_space()
    with filtered():
        code = _run(command, list(sys.argv[1:] if arguments is None else arguments))
    code = _flushed(code)
    if code and not before.issuperset(threading.enumerate()):
        os._exit(code)  # running threads would delay the exit, or crash during Python's shutdown
    sys.exit(code)


def _terminate(number: int, _frame: object) -> None:
    """End as after Ctrl-C, so that no partial files remain."""
    raise KeyboardInterrupt(number)


def _raise_again(lost: Any) -> None:
    """Raise an interrupt again that arrived where Python cannot raise, such as in a callback of an import."""
    if isinstance(lost.exc_value, KeyboardInterrupt):
        _thread.interrupt_main(*lost.exc_value.args[:1])  # with the original signal
    else:
        sys.__unraisablehook__(lost)


def _run(command: Any, arguments: list[str]) -> int:
    try:
        with command.make_context("nsysql", arguments or ["--help"]) as context:
            command.invoke(context)
    except typer.Exit as left:
        return left.exit_code
    except NsysqlError as error:
        return _say(str(error), error.exit_code)
    except WRONG_USAGE as error:
        return _say(_usage(error), 2)
    except (KeyboardInterrupt, typer.Abort) as end:
        return 128 + end.args[0] if end.args and end.args[0] in ENDS else INTERRUPTED
    except BrokenPipeError:
        return 141
    except MemoryError:
        return _say("out of memory; free some, or give less with --memory-limit.", 1)
    except sqlite3.DatabaseError as error:
        return _say(f"the export cannot be read: {error}; copy it again, or export the report again.", 1)
    except OSError as error:
        return _not_written(error)
    except Exception as error:
        if _is_interrupt(error):
            return INTERRUPTED
        if "can't start new thread" in str(error):
            return _say("no more threads can be started; raise the limits of the process (ulimit -u, ulimit -v).", 1)
        engine = engine_of(error)
        if engine is None:
            raise
        return _say(f"{engine} says: {str(error).strip().splitlines()[0]}", 1)
    return 0


def _is_interrupt(error: BaseException | None) -> bool:
    """Whether an error was caused by Ctrl-C in DuckDB or in a module being imported."""
    if isinstance(error, RuntimeError) and "interrupt" in str(error).lower():
        return True
    while error and not isinstance(error, KeyboardInterrupt):
        error = error.__cause__ or error.__context__
    return error is not None


def _not_written(error: OSError) -> int:
    """One line about a file that cannot be written; silent if the reader of stdout has closed the pipe."""
    reason, _, number = str(error.strerror or error).partition(" (os error ")  # as in polars' messages
    if number.rstrip(")") == str(errno.EPIPE):
        return 141
    return _say(f"{error.filename or 'the output'} cannot be written: {reason}.", 1)


def _usage(error: Any) -> str:
    """One line about wrong options, and a pointer to --help."""
    context = getattr(error, "ctx", None)
    text = " ".join(error.format_message().split()).replace("Value error, ", "").rstrip(".")
    unknown = getattr(error, "option_name", None)
    if unknown and context and text.startswith("No such option"):
        if unknown == "--pack":
            return "--pack goes before the command: nsysql --pack FOLDER COMMAND run.sqlite."
        known = [o for p in context.command.get_params(context) for o in p.opts if o.startswith("--")]
        return f"There is no option {unknown}; see `{context.command_path} --help`.{suggestion(unknown, known)}"
    return f"{text}; see `{context.command_path if context else 'nsysql'} --help`."


def _say(text: str, code: int) -> int:
    with suppress(OSError):
        print(f"nsysql: {' '.join(escaped(text).split())}", file=sys.stderr)
    return code


def _flushed(code: int) -> int:
    """Flush stdout; a reader that closed the pipe (`| head`) is not an error."""
    try:
        sys.stdout.flush()
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # so that the flush at exit cannot fail
        return code or _not_written(error)
    return code
