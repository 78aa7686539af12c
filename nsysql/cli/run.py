"""Running the command line from its arguments to an exit code; every way to fail is one line on stderr."""

import os
import sys
from collections.abc import Sequence

import typer

from nsysql.cli.app import app
from nsysql.errors import NsysqlError

WRONG_USAGE = typer.BadParameter.__mro__[1]  # click's UsageError, which newer typers carry within
COMPLETE = "_NSYSQL_COMPLETE"


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and leave with its exit code."""
    command = typer.main.get_command(app)
    if COMPLETE in os.environ:
        command.main(prog_name="nsysql", complete_var=COMPLETE)
    code = _run(command, list(sys.argv[1:] if arguments is None else arguments))
    sys.exit(_flushed(code))


def _run(command: typer.core.TyperCommand, arguments: list[str]) -> int:
    try:
        with command.make_context("nsysql", arguments) as context:
            command.invoke(context)
    except typer.Exit as left:
        return left.exit_code
    except NsysqlError as error:
        return _say(str(error), error.exit_code)
    except WRONG_USAGE as error:
        return _say(_usage(error), 2)
    except (KeyboardInterrupt, typer.Abort):
        return 130
    except BrokenPipeError:
        return 141
    except MemoryError:
        return _say("out of memory; give DuckDB less of it with --memory-limit, and it works on disk.", 1)
    except OSError as error:
        return _say(f"{error.filename or 'the output'}: {error.strerror or error}.", 1)
    return 0


def _usage(error: Exception) -> str:
    """One line about wrong options, and where help is."""
    text = " ".join(error.format_message().split())  # type: ignore[attr-defined]
    context = getattr(error, "ctx", None)
    return f"{text} See `{context.command_path if context else 'nsysql'} --help`."


def _say(text: str, code: int) -> int:
    print(f"nsysql: {text}", file=sys.stderr)
    return code


def _flushed(code: int) -> int:
    """Write what stdout still holds; a reader who left early (`| head`) is no failure to talk about."""
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        code = code or 141
    except OSError as error:
        code = _say(f"the output: {error.strerror or error}.", 1)
    if code in (1, 141):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # nothing is left to fail at exit
    return code
