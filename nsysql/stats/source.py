"""The SQLite export that a call of `nsysql stats` reads: the file itself, or the one made of a report."""

import shutil
import subprocess
from pathlib import Path

from nsysql.errors import NotAnExport, NsysqlError, UsageError

REPORTS = (".nsys-rep", ".qdrep")


def find_export(given: Path, sqlite: Path | None, force: bool) -> Path:
    """The export of `given`: of a report, the .sqlite beside it or `sqlite`, made by nsys where it is missing.

    Raises UsageError where `sqlite` comes with an export, NsysqlError where nsys is missing or fails.
    """
    if given.suffix not in REPORTS:
        if sqlite is not None:
            raise UsageError(f"--sqlite names the export of a report, and {given} is an export already.")
        return given
    if not given.exists():
        raise NotAnExport(f"{given} does not exist; give the path of a report or of a .sqlite export.")
    export = sqlite or given.with_suffix(".sqlite")
    if force or not export.exists():
        _make(given, export)
    return export


def _make(report: Path, export: Path) -> None:
    nsys = shutil.which("nsys")
    if nsys is None:
        raise NsysqlError(
            f"{report} has no export, and nsys, which makes one, is not on the PATH; where it is, run: "
            f"nsys export --type sqlite --output {export} {report}"
        )
    made = subprocess.run(
        [nsys, "export", "--type=sqlite", "--force-overwrite=true", f"--output={export}", str(report)],
        capture_output=True, text=True, errors="replace", check=False,
    )  # fmt: skip
    if made.returncode or not export.exists():
        told = (made.stderr or made.stdout).strip().splitlines()
        raise NsysqlError(f"nsys could not export {report}: {told[0] if told else f'status {made.returncode}'}.")
