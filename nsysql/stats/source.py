"""The export that a call of `nsysql stats` or `nsysql analyze` reads, by the options that nsys has for it."""

from pathlib import Path

from nsysql.cli.bar import bar
from nsysql.cli.ready import ready
from nsysql.errors import NotAnExport, UsageError
from nsysql.inputs.words import REPORTS


def find_export(given: Path, sqlite: Path | None, force: bool) -> Path:
    """What to open for `given`: of a report `sqlite`, or the .sqlite beside it, else the report itself.

    An export is made of a report where it is missing: in `sqlite`, with `force` in the file beside the report, else
    in the cache. Raises UsageError where `sqlite` comes with an export, NsysqlError where nsys is missing or fails.
    """
    from nsysql.inputs import report

    if given.suffix not in REPORTS:
        if sqlite is not None:
            raise UsageError(f"--sqlite names the export of a report, and {given} is an export already.")
        return ready(given)
    if not given.exists():
        raise NotAnExport(f"{given} does not exist; give the path of a report or of an export.")
    beside = given.with_suffix(".sqlite")
    if sqlite is None and not force:
        ready(given)
        return beside if beside.exists() and report.stale(given) is None else given
    export = sqlite or beside
    if force or not export.exists():
        with bar(f"Exporting {given.name}") as tell:
            report.make_at(given, export, tell)
    return export
