"""Open an export of the command line, which is made from a report first if there is none."""

import threading
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nsysql.cli.output import note
from nsysql.cli.progress import bar, waiting
from nsysql.errors import NotAnExport, UsageError
from nsysql.words.sql_text import REPORTS

if TYPE_CHECKING:
    from nsysql.api.facade import Run


def open_export(export: Path, quiet: bool = False, **options: Any) -> "Run":
    """The open export, with these options of nsysql.open, once it can be opened without waiting."""
    from nsysql.api.facade import open

    shown, exported = waiting(f"Reading {export.name}", quiet), ensure_exported(export)
    frames = threading.Thread(target=import_module, args=["polars"])  # while DuckDB loads its extension
    frames.start()
    try:
        return open(exported, waiting=shown, **options)
    finally:
        frames.join()


def ensure_exported(export: Path) -> Path:
    """Return the path once it can be opened without waiting; warnings are shown even with --quiet."""
    from nsysql.capture.forms.nsys_report import exported, stale

    text = stale(export)
    if text:
        note(text)
    if export.suffix in REPORTS and export.is_file():
        with bar(f"Exporting {export.name}") as on_progress:
            exported(export, on_progress)
    return export


def find_export(path: Path, sqlite: Path | None, force: bool) -> Path:
    """The path to open for `path`: for a report `sqlite`, or the .sqlite next to it, else the report itself.

    A missing export is made from the report: in `sqlite`, with `force` next to the report, else in the cache. Raises
    UsageError if `sqlite` is given with an export, NsysqlError if nsys is missing or fails.
    """
    from nsysql.capture.forms import nsys_report

    if path.suffix not in REPORTS:
        if sqlite is not None:
            raise UsageError(f"--sqlite names the export of a report, and {path} is an export already.")
        return ensure_exported(path)
    if not path.exists():
        raise NotAnExport(f"{path} does not exist; give the path of a report or of an export.")
    sibling = path.with_suffix(".sqlite")
    if sqlite is None and not force:
        ensure_exported(path)
        return sibling if sibling.exists() and nsys_report.stale(path) is None else path
    export = sqlite or sibling
    if force or not export.exists():
        with bar(f"Exporting {path.name}") as on_progress:
            nsys_report.make_at(path, export, on_progress)
    return export
