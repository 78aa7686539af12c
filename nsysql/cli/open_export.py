"""Before a command opens an export: export a report, warn about a stale export."""

from pathlib import Path

from nsysql.cli.output import note
from nsysql.cli.progress import bar
from nsysql.words.sql_text import REPORTS


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
