"""Read a report of nsys (.nsys-rep, .qdrep): the installed nsys exports it once, into the cache."""

import os
import re
import shlex
import shutil
import tempfile
from pathlib import Path

from nsysql.capture import python_payloads
from nsysql.capture.forms import nsys, report_cache, sqlite
from nsysql.capture.forms.nsys import OnProgress
from nsysql.capture.forms.sqlite import SqliteFile
from nsysql.errors import NotAnExport, NsysqlError
from nsysql.words.atomic_file import restrict
from nsysql.words.sql_text import REPORTS


def open_source(path: Path) -> SqliteFile:
    """Open the export of the report at `path`. Raises NotAnExport or NsysqlError with the reason and a remedy."""
    file = sqlite.open_source(exported(path))
    file.path = path
    return file


def exported(report: Path, on_progress: OnProgress | None = None) -> Path:
    """Return the .sqlite of a report: the one next to it, unless older; else the cached one, exported if missing."""
    sibling = report.with_suffix(".sqlite")
    if sibling.exists() and not _older(sibling, report):
        return sibling
    return report_cache.cached_export(
        report, lambda export: make(report, export, on_progress), lambda export: _fault(export) is None
    )


def stale(path: Path) -> str | None:
    """Return a warning if an export is older than the report next to it; None if it is not."""
    if not path.is_file():
        return None
    if path.suffix in REPORTS:
        sibling = path.with_suffix(".sqlite")
        is_stale = sibling.exists() and _older(sibling, path)
        return f"{sibling} is older than {path} and was not read." if is_stale else None
    for report in (path.with_suffix(ending) for ending in REPORTS):
        if report.exists() and _older(path, report):
            return f"{path} is older than {report}: if that was captured again, export it again."
    return None


def make_at(report: Path, export: Path, on_progress: OnProgress | None = None) -> None:
    """Export a report to a file; the complete export replaces the target atomically."""
    folder = Path(tempfile.mkdtemp(prefix=f".{export.name}.", dir=export.resolve().parent))
    try:
        make(report, folder / export.name, on_progress)
        (folder / export.name).replace(export)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def make(report: Path, export: Path, on_progress: OnProgress | None = None) -> None:
    """Export a report with nsys to `export`, which is alone in its folder; readable by those who may read the report.

    If it has Python samples, their stacks are included (see python_payloads).

    Raises NotAnExport if nsys is missing, NsysqlError if it fails or leaves no complete export.
    """
    tool = os.environ.get("NSYSQL_NSYS") or shutil.which("nsys")
    if tool is None:
        raise NotAnExport(
            f"{report} is a report, and nsys, which exports it, is neither on the PATH nor named by NSYSQL_NSYS; "
            f"where it is, run: nsys export --type sqlite {shlex.quote(str(report))}"
        )
    words = [tool, "export", "--type=sqlite", "--force-overwrite=true", f"--output={export}", str(report)]
    try:
        status, output = nsys.run(words, export.parent, on_progress)
        if not status and export.exists() and not _fault(export) and python_payloads.are_missing(export):
            python_payloads.add(tool, report, export, on_progress)
    except nsys.NoProgress as error:
        raise NsysqlError(f"{report} was not exported: {error}") from None
    lines = [line.strip() for line in re.split(r"[\r\n]+", output) if line.strip() and "%" not in line]
    if status or not export.exists():
        reason = lines[-1] if lines else f"status {status}" if status else "it wrote nothing"
        raise NsysqlError(f"nsys could not export {report}: {reason.rstrip('.')}.")
    fault = _fault(export)
    if fault:
        by_hand = f"nsys export --type sqlite {shlex.quote(str(report))}"
        raise NsysqlError(f"nsys exported {report}, but what it wrote {fault}; see what it says to: {by_hand}")
    restrict(export, report)


def _fault(export: Path) -> str | None:
    """Say what is wrong with an export that nsys reports as done; None if it is complete."""
    if any(export.with_name(export.name + ending).exists() for ending in sqlite.SIDE_FILES):
        return "is half done"
    try:
        sqlite.open_source(export).close()
    except NotAnExport as error:
        return str(error).removeprefix(f"{export} ").partition(";")[0].rstrip(".")
    return None


def _older(export: Path, report: Path) -> bool:
    return export.stat().st_mtime_ns < report.stat().st_mtime_ns
