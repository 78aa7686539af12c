"""Running the command line from its arguments to an exit code; every way to fail is one line on stderr."""

import errno
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

from nsysql.cli.allocators import thrifty
from nsysql.cli.app import app
from nsysql.errors import NsysqlError, escaped, near
from nsysql.faults import engine_of

WRONG_USAGE: Any = typer.BadParameter.__mro__[1]  # click's UsageError, wherever this typer has click
INTERRUPTED, TERMINATED = 130, 143
COMPLETE = "_NSYSQL_COMPLETE"


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and leave with its exit code."""
    thrifty()
    if sys.stderr is None:  # closed by who called us: nobody wants to know
        sys.stderr = io.StringIO()
    if sys.stdout is None:
        sys.exit(_say("the standard output is closed; open it, or write with --output FILE.", 1))
    command = typer.main.get_command(app)
    if COMPLETE in os.environ:
        command.main(prog_name="nsysql", complete_var=COMPLETE)
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")  # a terminal that knows no µ gets a question mark
    if hasattr(sys.stdout, "reconfigure") and not sys.stdout.isatty() and "PYTHONIOENCODING" not in os.environ:
        sys.stdout.reconfigure(encoding="utf-8")  # and a pipe or a file all of it
    with suppress(ValueError):  # where another thread than the first one calls us
        signal.signal(signal.SIGTERM, _terminate)
    code = _run(command, list(sys.argv[1:] if arguments is None else arguments))
    code = _flushed(code)
    if code in (INTERRUPTED, TERMINATED) and threading.active_count() > 1:
        os._exit(code)  # what still computes would make us wait for it, or fall over as Python takes leave
    sys.exit(code)


def _terminate(number: int, _frame: object) -> None:
    """End as Ctrl-C does, so that nothing half done is left."""
    raise KeyboardInterrupt(number)


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
        return TERMINATED if end.args == (signal.SIGTERM,) else INTERRUPTED
    except BrokenPipeError:
        return 141
    except MemoryError:
        return _say("out of memory; free some, or give less to DuckDB with --memory-limit.", 1)
    except sqlite3.DatabaseError as error:
        return _say(f"the export cannot be read: {error}; copy it again, or export the report again.", 1)
    except OSError as error:
        return _not_written(error)
    except Exception as error:
        if isinstance(error, RuntimeError) and "interrupt" in str(error).lower():  # DuckDB heard Ctrl-C first
            return INTERRUPTED
        engine = engine_of(error)
        if engine is None:
            raise
        return _say(f"{engine} says: {str(error).strip().splitlines()[0]}", 1)
    return 0


def _not_written(error: OSError) -> int:
    """One line about a file; a reader of our output who left early is nothing to talk about."""
    reason, _, number = str(error.strerror or error).partition(" (os error ")  # as polars says it
    if number.rstrip(")") == str(errno.EPIPE):
        return 141
    return _say(f"{error.filename or 'the output'}: {reason}.", 1)


def _usage(error: Any) -> str:
    """One line about wrong options, and where help is."""
    context = getattr(error, "ctx", None)
    text = " ".join(error.format_message().split()).replace("Value error, ", "").rstrip(".")
    unknown = getattr(error, "option_name", None)
    if unknown and context and text.startswith("No such option"):
        known = [o for p in context.command.get_params(context) for o in p.opts if o.startswith("--")]
        return f"There is no option {unknown}; see `{context.command_path} --help`.{near(unknown, known)}"
    return f"{text}; see `{context.command_path if context else 'nsysql'} --help`."


def _say(text: str, code: int) -> int:
    with suppress(OSError):
        print(f"nsysql: {' '.join(escaped(text).split())}", file=sys.stderr)
    return code


def _flushed(code: int) -> int:
    """Write what stdout still holds; a reader who left early (`| head`) is no failure to talk about."""
    try:
        sys.stdout.flush()
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # nothing is left to fail at exit
        return code or _not_written(error)
    return code
