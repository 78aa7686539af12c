"""The export that a call of `nsysql stats` or `nsysql analyze` reads, by the options that nsys has for it."""

from pathlib import Path

from nsysql.cli.open_export import ensure_exported
from nsysql.cli.progress import bar
from nsysql.errors import NotAnExport, UsageError
from nsysql.sources.sql_text import REPORTS


def find_export(given: Path, sqlite: Path | None, force: bool) -> Path:
    """What to open for `given`: of a report `sqlite`, or the .sqlite next to it, else the report itself.

    An export is made of a report where it is missing: in `sqlite`, with `force` in the file next to the report, else
    in the cache. Raises UsageError where `sqlite` comes with an export, NsysqlError where nsys is missing or fails.
    """
    from nsysql.sources import nsys_report

    if given.suffix not in REPORTS:
        if sqlite is not None:
            raise UsageError(f"--sqlite names the export of a report, and {given} is an export already.")
        return ensure_exported(given)
    if not given.exists():
        raise NotAnExport(f"{given} does not exist; give the path of a report or of an export.")
    sibling = given.with_suffix(".sqlite")
    if sqlite is None and not force:
        ensure_exported(given)
        return sibling if sibling.exists() and nsys_report.stale(given) is None else given
    export = sqlite or sibling
    if force or not export.exists():
        with bar(f"Exporting {given.name}") as on_progress:
            nsys_report.make_at(given, export, on_progress)
    return export
