"""`nsysql redact`: a copy of an export that is safe to share, and the list of what was replaced in it."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from nsysql.cli.options import QUIET, SQLITE, formats, option, with_options
from nsysql.cli.output import FORMATS, form_of, note, opened, place
from nsysql.cli.rows import OutputOptions, QueryResult, write_rows
from nsysql.errors import UsageError
from nsysql.words.atomic_file import atomic_replace

if TYPE_CHECKING:
    from nsysql.capture.redacted_copy import Counts

COLUMNS = ("place", "replaced", "cells")


def _redact(export: Path, output: str, force: bool, format: Any, quiet: bool) -> None:
    """A copy of an export that is safe to share.

    Environment values, command lines, the program's output, and texts that nothing refers to are removed; folders,
    users, hosts and addresses are replaced by numbered names. Events, times and function names are unchanged. The
    result is a list of what was replaced, and where, without any values.
    """
    form = form_of(format, "-")
    target = place(output, export)
    if target.exists() and not force:
        raise UsageError(f"{output} exists; replace it with --force, or give --output another name.")
    found = _written(export, target)
    with opened("-") as file:
        write_rows(_answer(found), OutputOptions(form, limit=0, quiet=quiet), file)
    if found and not quiet:
        note(f"{sum(found.values()):,} cells were replaced in {output}; docs/redact.md says what stays in it.")


def _written(export: Path, target: Path) -> "Counts":
    from nsysql.capture.forms.sqlite import open_source
    from nsysql.capture.redacted_copy import write_redacted

    file = open_source(export)
    try:
        with atomic_replace(target, export) as path, file.unchanged.during():
            return write_redacted(file, path)
    finally:
        file.close()


def _answer(found: "Counts") -> QueryResult:
    import polars

    rows = [(where, what, cells) for (where, what), cells in sorted(found.items())]
    kinds = dict(zip(COLUMNS, (polars.String, polars.String, polars.Int64), strict=True))
    return QueryResult(polars.DataFrame(rows, schema=kinds, orient="row"), none="nothing private was found.")


redact = with_options(
    _redact,
    [
        SQLITE,
        option("output", str, ..., "--output", "-o", metavar="NEW.sqlite", help="The copy to write."),
        option("force", bool, False, "--force", help="Replace the copy if it exists."),
        formats(FORMATS, "table"),
        QUIET,
    ],
)
