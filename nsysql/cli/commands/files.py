"""`nsysql convert`, `redact` and `cache`: an export in a faster format, one that is safe to share, those of reports."""

import shutil
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import typer

from nsysql.cli.open_export import bar, ensure_exported
from nsysql.cli.options import EXPORT, OF_FILES, QUIET, argument, choice, formats, option
from nsysql.cli.output import FORMATS, form_of, opened, place
from nsysql.cli.rows import Call, command, write_rows
from nsysql.errors import NsysqlError, UsageError
from nsysql.render.page_views import Rows
from nsysql.words.atomic_file import as_closed_as, atomic_replace, hidden

ENDINGS = {  # of names; _pqtdir and _arwdir as nsys calls its folders
    ".parquet": "parquet", "_pqtdir": "parquet", ".arrow": "arrow", "_arwdir": "arrow", ".duckdb": "duckdb",
    ".ddb": "duckdb",
}  # fmt: skip
TO = "What to write; by default by the name of PATH."
WORKING_MEMORY = 400_000_000  # bytes for DuckDB, so that writing the tables stays below 1 GB
SPARED = {"environment": "with_environment", "command line": "with_command_lines"}


@command(OF_FILES[1:])
def convert(
    call: Call,
    export: Path = EXPORT,
    output: str = option(..., "--output", "-o", metavar="PATH", help="The folder or file to write."),
    to: Any = choice(("parquet", "arrow", "duckdb"), None, "--to", help=TO, show_default=False),
    force: bool = option(False, "--force", help="Replace PATH if it exists."),
    with_environment: bool = option(False, "--with-environment", help="Copy the environment variables too."),
    with_command_lines: bool = option(False, "--with-command-lines", help="Copy the command lines too."),
) -> None:
    """Convert an export to Parquet, Arrow or DuckDB.

    nsysql reads the result like the export, several times faster if the export is large. A folder
    of Parquet or Arrow files has one file for each table of the export; a DuckDB file has them in the schema nsys,
    and nsysql's views as well: for DuckDB's own shell, and so that idle time and the nesting of NVTX ranges need not be
    computed by each query. The environment of the profiled program and its command line are left out by default.
    Whoever may not read the export may not read the result.
    """
    from nsysql.capture.connection import Engine
    from nsysql.capture.conversion import write
    from nsysql.capture.forms import open_source

    target = Path(output).absolute()
    form = to or _form(output)
    _refuse(export, target, force)
    if form == "duckdb" and "?" in str(target):
        raise UsageError(f"{output} has a question mark, with which DuckDB cannot write; give another name.")
    private = {"environment": with_environment, "command line": with_command_lines}
    kept = [kind for kind, is_kept in private.items() if is_kept]
    with (
        closing(open_source(ensure_exported(export))) as file,
        closing(
            Engine(file, call.threads, call.memory_limit, allow_files=True, working_memory=WORKING_MEMORY)
        ) as engine,
        as_closed_as(export, getattr(file, "readable", export)),
        _atomic_target(target, force) as temporary,
        bar(f"Converting {export.name}", call.quiet) as on_progress,
    ):
        result = write(file, engine, temporary, form, kept, on_progress)
    for kind, count in result.left_out.items():
        if count:
            what = f"{count:,} {'entry' if count == 1 else 'entries'} of the {kind} of the profiled program"
            call.note(f"left out: {what}; --{SPARED[kind].replace('_', '-')} copies them.")
    call.note(*result.notes)


def _form(output: str) -> str:
    """The format by the name of the output. Raises UsageError if the name has none."""
    form = next((form for end, form in ENDINGS.items() if Path(output).name.lower().endswith(end)), None)
    if form is None and Path(output).suffix:
        raise UsageError(f"{output} does not say what to convert to; add --to parquet, --to arrow or --to duckdb.")
    return form or "parquet"


def _refuse(export: Path, target: Path, force: bool) -> None:
    """Raise UsageError if the output would overwrite something that is still needed."""
    if not target.parent.is_dir():
        raise UsageError(f"{target} would lie in {target.parent}, which is no folder.")
    if not target.exists():
        return
    if export.exists() and (target.samefile(export) or target.resolve() in export.resolve().parents):
        raise UsageError(f"{target} is being read; give --output another name.")
    if not force:
        raise UsageError(f"{target} exists; replace it with --force.")
    if target.is_dir() and any(file.suffix not in (".parquet", ".arrow") for file in target.iterdir()):
        raise UsageError(f"{target} has other files than those of an export; give --output another name.")
    if not target.is_dir() and not target.is_file():
        raise UsageError(f"{target} is neither a file nor a folder.")


@contextmanager
def _atomic_target(target: Path, force: bool) -> Iterator[Path]:
    """A temporary path next to the target, which replaces it at the end, or is removed on failure.

    It is in its own folder: once that is removed, an interrupted thread can no longer write there.
    """
    folder = hidden(target, "part")
    temporary, old = folder / "result", folder / "old"
    try:
        folder.mkdir()
        yield temporary
        if force and target.is_dir():
            target.rename(old)
        try:
            if not force and temporary.is_file():
                target.touch(exist_ok=False)  # one program can; a folder replaces no other that has files
            temporary.replace(target)
        finally:
            if old.exists() and not target.exists():
                old.rename(target)
    except OSError as error:
        if not force and target.exists():
            raise UsageError(f"{target} exists; replace it with --force.") from None
        raise NsysqlError(f"{target} cannot be written: {error.strerror or error}.") from None
    finally:
        for _ in range(3):  # a thread may write between the removal of the last file and that of the folder
            shutil.rmtree(folder, ignore_errors=True)


@command([QUIET])
def redact(
    call: Call,
    export: Path = argument(metavar="EXPORT", help="An export (.sqlite), or a report of nsys."),
    output: str = option(..., "--output", "-o", metavar="NEW.sqlite", help="The copy to write."),
    force: bool = option(False, "--force", help="Replace the copy if it exists."),
    format: Any = formats(FORMATS, "table"),
) -> None:
    """A copy of an export that is safe to share.

    Environment values, command lines, the program's output, and texts that nothing refers to are removed; folders,
    users, hosts and addresses are replaced by numbered names. Events, times and function names are unchanged. The
    result is a list of what was replaced, and where, without any values.
    """
    from nsysql.capture.forms.sqlite import open_source
    from nsysql.capture.redacted_copy import write_redacted

    form = form_of(format, "-")
    target = place(output, export)
    if export.is_dir():
        raise UsageError(f"{export} is a folder; redact the .sqlite of the same report, and convert the copy.")
    if target.exists() and not force:
        raise UsageError(f"{output} exists; replace it with --force, or give --output another name.")
    with closing(open_source(export)) as file, atomic_replace(target, export) as path, file.unchanged.during():
        counts = write_redacted(file, path)
    import polars

    kinds = {"place": polars.String, "replaced": polars.String, "cells": polars.Int64}
    rows = polars.DataFrame([(*of, cells) for of, cells in sorted(counts.items())], schema=kinds, orient="row")
    with opened("-") as listed:
        write_rows(Rows(rows, none="nothing private was found."), Call(form, limit=0, quiet=call.quiet), listed)
    if counts:
        call.note(f"{sum(counts.values()):,} cells were replaced in {output}; docs/redact.md says what stays in it.")


@command()
def cache(_: Call, clear: bool = option(False, "--clear", help="Remove them.")) -> None:
    """The exports that nsysql made from reports, and where they are stored.

    A report (.nsys-rep) is exported once, by the nsys on the PATH or named by NSYSQL_NSYS. The exports are stored in
    the user's cache folder, or in NSYSQL_CACHE; above 20 GB the least recently used are removed. An nsys that makes no
    progress for 5 minutes, or for the seconds in NSYSQL_NSYS_TIMEOUT, is stopped. An export may be read by those who
    may read its report.
    """
    from nsysql.capture.forms import report_cache

    sizes = report_cache.entries()
    size = sum(sizes.values())
    if clear:
        report_cache.clear()
    size_line = f"{len(sizes):,} {'export' if len(sizes) == 1 else 'exports'}, {size:,} bytes"
    typer.echo(f"{'removed ' if clear else ''}{size_line}, in {report_cache.folder()}")
