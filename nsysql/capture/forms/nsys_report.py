"""Read a report of nsys (.nsys-rep, .qdrep): the installed nsys exports it once, into the cache.

The stacks of Python samples are added to the export: nsys exports them only with --include-blobs; an old nsys has no
such option, and writes them to its JSON export only.
"""

import base64
import json
import os
import re
import shlex
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from nsysql.capture.forms import nsys, report_cache, sqlite
from nsysql.capture.forms.nsys import OnProgress
from nsysql.capture.forms.sqlite import SqliteFile
from nsysql.errors import NotAnExport, NsysqlError
from nsysql.words.atomic_file import restrict
from nsysql.words.sql_text import REPORTS

EVENTS = "NVTX_EVENTS"
DOMAIN = "Python Backtrace"
BLOBS = "--include-blobs"
MARK = 34
MENTIONED = '"BinaryData"'  # in the line of an NVTX mark that has a payload


def payloads_are_missing(export: Path) -> bool:
    """Tell whether the export has Python samples without their stacks."""
    with closing(sqlite3.connect(f"{export.resolve().as_uri()}?mode=ro", uri=True)) as db:
        columns = {row[1] for row in db.execute(f"PRAGMA table_info({EVENTS})")}
        if not {"eventType", "text"} <= columns:
            return False
        sampled = f"SELECT 1 FROM {EVENTS} WHERE eventType = 75 AND text = ? LIMIT 1"
        if db.execute(sampled, (DOMAIN,)).fetchone() is None:
            return False
        any_payload = f"SELECT 1 FROM {EVENTS} WHERE eventType = 34 AND binaryData IS NOT NULL LIMIT 1"
        return "binaryData" not in columns or db.execute(any_payload).fetchone() is None


def add_payloads(tool: str, report: Path, export: Path, on_progress: OnProgress | None) -> None:
    """Add the stacks to an export of that report, if nsys can export them. Raises NoProgress if nsys hangs."""
    status, output = nsys.run([tool, "export", "--help"], export.parent, None)
    if not status and BLOBS in output:
        with_blobs = ["--type=sqlite", f"{BLOBS}=true", "--force-overwrite=true", f"--output={export}"]
        nsys.run([tool, "export", *with_blobs, str(report)], export.parent, on_progress)
        return
    with TemporaryDirectory(prefix=f".{export.name}.", dir=export.resolve().parent) as folder:
        as_json_file = Path(folder, "report.json")
        as_json = ["--type=json", "--force-overwrite=true", f"--output={as_json_file}"]
        status, _ = nsys.run([tool, "export", *as_json, str(report)], as_json_file.parent, on_progress)
        if not status and as_json_file.exists():
            _write(export, as_json_file)


def _write(export: Path, text: Path) -> None:
    """Write the payloads from nsys's JSON to the NVTX marks of the same time, thread and category."""
    with closing(sqlite3.connect(export)) as db:
        db.execute("PRAGMA journal_mode = DELETE").fetchone()
        key = "start INTEGER, thread INTEGER, category INTEGER"
        db.execute(f"CREATE TEMP TABLE payload ({key}, data BLOB, PRIMARY KEY (start, thread, category))")
        db.executemany("INSERT OR REPLACE INTO payload VALUES (?, ?, ?, ?)", _payloads(text))
        if not any(row[1] == "binaryData" for row in db.execute(f"PRAGMA table_info({EVENTS})")):
            db.execute(f"ALTER TABLE {EVENTS} ADD COLUMN binaryData TEXT")
        db.execute(
            f"UPDATE {EVENTS} SET binaryData = (SELECT data FROM payload WHERE payload.start = {EVENTS}.start"
            f" AND thread = globalTid AND payload.category = coalesce({EVENTS}.category, 0)) WHERE eventType = ?",
            (MARK,),
        )
        db.commit()


def _payloads(text: Path) -> Iterator[tuple[int, int, int, bytes]]:
    """Yield time, thread, category and payload of each NVTX mark in the JSON that has one; each line is an event."""
    with text.open(encoding="utf-8", errors="replace") as lines:
        for line in lines:
            if MENTIONED in line and (mark := _mark(line)):
                yield mark


def _mark(line: str) -> tuple[int, int, int, bytes] | None:
    try:
        event: Any = json.loads(line)["NvtxEvent"]
        if int(event["Type"]) != MARK:
            return None
        data = base64.b64decode(event["Payload"]["BinaryData"][0]["Data"], validate=True)
        return int(event["Timestamp"]), int(event["GlobalTid"]), int(event.get("Category", 0)), data
    except (ValueError, KeyError, TypeError, IndexError):  # another kind of event, or an unknown layout
        return None


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
    beside = export.resolve().parent
    with TemporaryDirectory(prefix=f".{export.name}.", dir=beside, ignore_cleanup_errors=True) as folder:
        made = Path(folder, export.name)
        make(report, made, on_progress)
        made.replace(export)


def make(report: Path, export: Path, on_progress: OnProgress | None = None) -> None:
    """Export a report with nsys to `export`, which is alone in its folder; readable by those who may read the report.

    If it has Python samples, their stacks are included.

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
        if not status and export.exists() and not _fault(export) and payloads_are_missing(export):
            add_payloads(tool, report, export, on_progress)
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
