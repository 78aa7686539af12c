"""Add the stacks of Python samples to an export.

nsys exports them only with --include-blobs; an old nsys has no such option, and writes them to its JSON export only.
They are added to an export right after it was made from a report.
"""

import base64
import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from nsysql.capture.forms import nsys
from nsysql.capture.forms.nsys import OnProgress

EVENTS = "NVTX_EVENTS"
DOMAIN = "Python Backtrace"
BLOBS = "--include-blobs"
MARK = 34
MENTIONED = '"BinaryData"'  # in the line of an NVTX mark that has a payload


def are_missing(export: Path) -> bool:
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


def add(tool: str, report: Path, export: Path, on_progress: OnProgress | None) -> None:
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
