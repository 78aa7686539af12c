"""Find the export for `nsysql stats` and `nsysql analyze`, by the same options as in nsys."""

from pathlib import Path

from nsysql.cli.open_export import ensure_exported
from nsysql.cli.progress import bar
from nsysql.errors import NotAnExport, UsageError
from nsysql.words.sql_text import REPORTS


def find_export(given: Path, sqlite: Path | None, force: bool) -> Path:
    """The path to open for `given`: for a report `sqlite`, or the .sqlite next to it, else the report itself.

    A missing export is made from the report: in `sqlite`, with `force` next to the report, else in the cache. Raises
    UsageError if `sqlite` is given with an export, NsysqlError if nsys is missing or fails.
    """
    from nsysql.capture.forms import nsys_report

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
