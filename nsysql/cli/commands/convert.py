"""`nsysql convert`: an export converted to a format that is faster to query."""

import errno
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from enum import StrEnum
from pathlib import Path
from typing import Any

from nsysql.cli.open_export import ensure_exported
from nsysql.cli.options import EXPORT, MEMORY, QUIET, THREADS, option, with_options
from nsysql.cli.output import note
from nsysql.cli.progress import bar
from nsysql.errors import NsysqlError, UsageError
from nsysql.words.atomic_file import hidden

FORMS = StrEnum("Form", [(form, form) for form in ("parquet", "arrow", "duckdb")])  # type: ignore[misc]
ENDINGS = {"": "parquet", ".parquet": "parquet", ".arrow": "arrow", ".duckdb": "duckdb", ".ddb": "duckdb"}
NAMES = {"_pqtdir": "parquet", "_arwdir": "arrow"}  # as nsys calls its folders
WORKING_MEMORY = 400_000_000  # bytes for DuckDB, so that writing the tables stays below 1 GB
SPARED = {"environment": "with_environment", "command line": "with_command_lines"}


def _convert(
    export: Path, output: str, to: Any, force: bool, with_environment: bool, with_command_lines: bool, quiet: bool,
    threads: int | None, memory_limit: str | None,
) -> None:  # fmt: skip
    """Convert an export to Parquet, Arrow or DuckDB.

    nsysql reads the result like the export, several times faster if the export is large. A folder
    of Parquet or Arrow files has one file for each table of the export; a DuckDB file has them in the schema nsys,
    and nsysql's views as well: for DuckDB's own shell, and so that idle time and the nesting of NVTX ranges need not be
    computed by each query. The environment of the profiled program and its command line are left out by default.
    Whoever may not read the export may not read the result.
    """
    from nsysql.capture.connection import Engine
    from nsysql.capture.conversion import write
    from nsysql.capture.forms.source import open_source
    from nsysql.words.atomic_file import as_closed_as

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
            with as_closed_as(*sources), _atomic_target(target, force) as temporary, progress as on_progress:
                result = write(
                    file, engine, temporary, form, [kind for kind, kept in asked.items() if kept], on_progress
                )
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
    """The format by the name of the output. Raises UsageError if the name has none."""
    name = Path(output).name
    for end, form in NAMES.items():
        if name.endswith(end):
            return form
    form = ENDINGS.get(Path(output).suffix.lower(), "")
    if not form:
        raise UsageError(f"{output} does not say what to convert to; add --to parquet, --to arrow or --to duckdb.")
    return form


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
    temporary = folder / "result"
    try:
        folder.mkdir()
        yield temporary
        if not force:
            _move_to_target(target, temporary)
        elif target.is_dir():
            _exchange(temporary, target)
        else:
            temporary.replace(target)
    except OSError as error:
        raise NsysqlError(f"{target} cannot be written: {error.strerror or error}.") from None
    finally:
        for _ in range(3):  # a thread may write between the removal of the last file and that of the folder
            _remove(folder)


def _move_to_target(target: Path, temporary: Path) -> None:
    """Rename what was written to the target. Raises UsageError if the target exists by now."""
    try:
        if temporary.is_dir():
            temporary.rename(target)  # this replaces no file, and no folder that is not empty
        else:
            target.open("xb").close()
            temporary.replace(target)
    except OSError as error:
        if error.errno not in (errno.EEXIST, errno.ENOTEMPTY, errno.ENOTDIR):
            raise
        raise UsageError(f"{target} exists; replace it with --force.") from None


def _exchange(temporary: Path, target: Path) -> None:
    """Replace a folder by another; the old one is restored if that fails."""
    old = hidden(target, "old")
    target.rename(old)
    try:
        temporary.rename(target)
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
        option("to", FORMS, None, "--to", help="What to write; by default by the name of PATH.", show_default=False),
        option("force", bool, False, "--force", help="Replace PATH if it exists."),
        option("with_environment", bool, False, "--with-environment", help="Copy the environment variables too."),
        option("with_command_lines", bool, False, "--with-command-lines", help="Copy the command lines too."),
        QUIET,
        THREADS,
        MEMORY,
    ],
)
