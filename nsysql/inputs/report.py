"""A report of nsys (.nsys-rep, .qdrep): exported once, by the nsys that is installed, into the cache."""

import os
import re
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path

from nsysql.errors import NotAnExport, NsysqlError
from nsysql.inputs import cache, sqlite
from nsysql.inputs.sqlite import SqliteFile
from nsysql.inputs.words import REPORTS

PERCENT = re.compile(rb"(\d{1,3})\s*%")
Tell = Callable[[float], None]


def look(path: Path) -> SqliteFile:
    """The export of the report at `path`. Raises NotAnExport or NsysqlError with the reason and the mend."""
    file = sqlite.look(exported(path))
    file.path = path
    return file


def exported(report: Path, tell: Tell | None = None) -> Path:
    """The .sqlite of a report: the one beside it, unless that is older; else the cache's, made where it is missing."""
    beside = report.with_suffix(".sqlite")
    if beside.exists() and not _older(beside, report):
        return beside
    return cache.kept(report, lambda export: make(report, export, tell))


def stale(path: Path) -> str | None:
    """What to say where an export is older than its report beside it; None where it is not."""
    if not path.is_file():
        return None
    if path.suffix in REPORTS:
        beside = path.with_suffix(".sqlite")
        return f"{beside} is older than {path} and was not read." if beside.exists() and _older(beside, path) else None
    for report in (path.with_suffix(ending) for ending in REPORTS):
        if report.exists() and _older(path, report):
            return f"{path} is older than {report}: if that was captured again, export it again."
    return None


def make_at(report: Path, export: Path, tell: Tell | None = None) -> None:
    """Export a report to a file that appears only when it is whole, and takes the place of another."""
    aside = Path(tempfile.mkdtemp(prefix=f".{export.name}.", dir=export.resolve().parent))
    try:
        make(report, aside / export.name, tell)
        (aside / export.name).replace(export)
    finally:
        shutil.rmtree(aside, ignore_errors=True)


def make(report: Path, export: Path, tell: Tell | None = None) -> None:
    """Export a report to `export` with nsys. Raises NotAnExport where nsys is missing, NsysqlError where it fails."""
    nsys = os.environ.get("NSYSQL_NSYS") or shutil.which("nsys")
    if nsys is None:
        raise NotAnExport(
            f"{report} is a report, and nsys, which exports it, is neither on the PATH nor named by NSYSQL_NSYS; "
            f"where it is, run: nsys export --type sqlite {shlex.quote(str(report))}"
        )
    words = [nsys, "export", "--type=sqlite", "--force-overwrite=true", f"--output={export}", str(report)]
    try:
        process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    except OSError as error:
        raise NsysqlError(f"{nsys} cannot be run: {error.strerror or error}; NSYSQL_NSYS names another.") from None
    try:
        told = _followed(process, tell)
    except BaseException:
        process.terminate()
        process.wait()
        raise
    if process.returncode or not export.exists():
        lines = [line.strip() for line in re.split(r"[\r\n]+", told) if line.strip() and "%" not in line]
        reason = lines[-1] if lines else f"status {process.returncode}"
        raise NsysqlError(f"nsys could not export {report}: {reason.rstrip('.')}.")


def _followed(process: "subprocess.Popen[bytes]", tell: Tell | None) -> str:
    """All that a process writes, while the percents in it are told."""
    assert process.stdout is not None
    told = b""
    with process.stdout as pipe:
        while piece := os.read(pipe.fileno(), 4096):
            told = told[-65536:] + piece
            percents = PERCENT.findall(told[-200:])
            if tell:
                tell(min(1.0, int(percents[-1]) / 100) if percents else 0.0)
    process.wait()
    return told.decode("utf-8", "replace")


def _older(export: Path, report: Path) -> bool:
    return export.stat().st_mtime_ns < report.stat().st_mtime_ns
