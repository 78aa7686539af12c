"""`nsysql convert`: an export written anew in a form that is faster to ask."""

import errno
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from enum import StrEnum
from pathlib import Path
from typing import Any

from nsysql.atomic_file import hidden
from nsysql.cli.open_export import ensure_exported
from nsysql.cli.options import EXPORT, MEMORY, QUIET, THREADS, option, with_options
from nsysql.cli.output import note
from nsysql.cli.progress import bar
from nsysql.errors import NsysqlError, UsageError

FORMS = StrEnum("Form", [(form, form) for form in ("parquet", "arrow", "duckdb")])  # type: ignore[misc]
ENDINGS = {"": "parquet", ".parquet": "parquet", ".arrow": "arrow", ".duckdb": "duckdb", ".ddb": "duckdb"}
NAMES = {"_pqtdir": "parquet", "_arwdir": "arrow"}  # as nsys calls its folders
WORKING_MEMORY = 400_000_000  # bytes for DuckDB, with which writing the tables stays below 1 GB
SPARED = {"environment": "with_environment", "command line": "with_command_lines"}


def _convert(
    export: Path, output: str, to: Any, force: bool, with_environment: bool, with_command_lines: bool, quiet: bool,
    threads: int | None, memory_limit: str | None,
) -> None:  # fmt: skip
    """Write an export anew as Parquet, Arrow or DuckDB.

    nsysql answers from the result as from the export, several times faster where the export is large. A folder
    of Parquet or Arrow files has one file for each table of the export; a DuckDB file has them in the schema nsys,
    and nsysql's views as well: for DuckDB's own shell, and so that idle time and the nesting of NVTX ranges need
    not be computed for each question. The environment of the profiled program and its command line are left out
    unless they are asked for. Whoever may not read the export may not read the result.
    """
    from nsysql.convert.conversion import write
    from nsysql.engine.connection import Engine
    from nsysql.sources.modes import as_closed_as
    from nsysql.sources.source import open_source

    target = Path(output).absolute()
    form = str(to) if to else _form(output)
    _refuse(export, target, force)
    if form == "duckdb" and "?" in str(target):
        raise UsageError(
            f"{output} has a question mark in its path, with which DuckDB cannot write; give another name."
        )
    asked = {"environment": with_environment, "command line": with_command_lines}
    file = open_source(ensure_exported(export))
    try:
        engine = Engine(file, threads, memory_limit, allow_files=True, working_memory=WORKING_MEMORY)
        try:
            sources = (export, getattr(file, "readable", export))
            progress = bar(f"Converting {export.name}", quiet)
            with as_closed_as(*sources), _aside(target, force) as aside, progress as on_progress:
                result = write(file, engine, aside, form, [kind for kind, kept in asked.items() if kept], on_progress)
        finally:
            engine.close()
    finally:
        file.close()
    if quiet:
        return
    for kind, count in result.left_out.items():
        if count:
            what = f"{count:,} {'entry' if count == 1 else 'entries'} of the {kind} of the profiled program"
            note(f"left out: {what}; --{SPARED[kind].replace('_', '-')} copies them.")
    for text in result.notes:
        note(text)


def _form(output: str) -> str:
    """The form that the name of the output asks for. Raises UsageError where it asks for none."""
    name = Path(output).name
    for end, form in NAMES.items():
        if name.endswith(end):
            return form
    form = ENDINGS.get(Path(output).suffix.lower(), "")
    if not form:
        raise UsageError(f"{output} does not say what to convert to; add --to parquet, --to arrow or --to duckdb.")
    return form


def _refuse(export: Path, target: Path, force: bool) -> None:
    """Raise UsageError where the output would take the place of something that is still needed."""
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
def _aside(target: Path, force: bool) -> Iterator[Path]:
    """A name next to the target; what is there at the end takes its place, or goes where there was a failure.

    It is in a folder of its own: what an interrupted thread still wants to write there when it is gone is not written.
    """
    folder = hidden(target, "part")
    aside = folder / "result"
    try:
        folder.mkdir()
        yield aside
        if not force:
            _take(target, aside)
        elif target.is_dir():
            _exchange(aside, target)
        else:
            aside.replace(target)
    except OSError as error:
        raise NsysqlError(f"{target} cannot be written: {error.strerror or error}.") from None
    finally:
        for _ in range(3):  # a thread may write between the removal of the last file and that of the folder
            _remove(folder)


def _take(target: Path, aside: Path) -> None:
    """Give what was written the target's name. Raises UsageError where something has that name by now."""
    try:
        if aside.is_dir():
            aside.rename(target)  # which takes the place of no file, and of no folder that holds something
        else:
            target.open("xb").close()
            aside.replace(target)
    except OSError as error:
        if error.errno not in (errno.EEXIST, errno.ENOTEMPTY, errno.ENOTDIR):
            raise
        raise UsageError(f"{target} exists; replace it with --force.") from None


def _exchange(aside: Path, target: Path) -> None:
    """Put one folder in the place of another, which is back where it was if that fails."""
    old = hidden(target, "old")
    target.rename(old)
    try:
        aside.rename(target)
    except BaseException:
        old.rename(target)
        raise
    _remove(old)


def _remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path, ignore_errors=True)
    else:
        with suppress(OSError):
            path.unlink(missing_ok=True)


convert = with_options(
    _convert,
    [
        EXPORT,
        option("output", str, ..., "--output", "-o", metavar="PATH", help="The folder or file to write."),
        option("to", FORMS, None, "--to", help="What to write; without it by the name of PATH.", show_default=False),
        option("force", bool, False, "--force", help="Replace PATH if it exists."),
        option("with_environment", bool, False, "--with-environment", help="Copy the environment variables too."),
        option("with_command_lines", bool, False, "--with-command-lines", help="Copy the command lines too."),
        QUIET,
        THREADS,
        MEMORY,
    ],
)
