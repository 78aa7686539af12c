"""What a command does with an export: run in this process, and judged."""

import io
import re
import sqlite3
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from random import Random

from nsysql.catalog.packs import find_packs, query_paths, read_views
from nsysql.catalog.raw_schema import read_raw
from nsysql.cli import main

SPOKEN = re.compile(r"(nsysql|note|NOTE|SKIPPED|ERROR): \S")  # how a line on stderr begins, if it is ours
INTERNAL = re.compile(  # what engines and Python say of themselves
    r"\b[A-Z][\w-]* (?:Type )?Error: |Traceback|\b\w+(?:Error|Exception)\b|says: |std::|0x[0-9a-f]{8,}|stack trace"
)
UNSAFE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]")
ODDER = ("--start=-5", "--end=9223372036854775807", "--start=9223372036854775807", "--nvtx=a", "--start=1ms")


@cache
def queries() -> dict[str, Path]:
    """The files of all queries by name."""
    return query_paths(find_packs())


@cache
def reports() -> list[str]:
    """The queries that are reports of nsys stats."""
    told = {name for name, path in queries().items() if "-- Same as" in path.read_text("utf-8")}
    return sorted(name for name in told if queries()[name].parent.name != "rules")


@dataclass(frozen=True)
class Outcome:
    """What a command left."""

    code: int
    out: str
    err: str


def command(rng: Random) -> list[str]:
    """A command line, its export to be put where {e} stands."""
    kind = rng.random()
    if kind < 0.66:
        form = rng.choice(["table", "table", "csv", "json", "ndjson", "markdown"])
        more = [rng.choice(ODDER)] if rng.random() < 0.1 else []
        return [rng.choice(sorted(queries())).replace("_", "-"), "{e}", "--format", form, *more]
    if kind < 0.84:
        form = rng.choice(["column", "csv", "json", "table", "hdoc"])
        return ["stats", "{e}", "-r", rng.choice(reports()), "-f", form]
    if kind < 0.89:
        return ["sql", "{e}", f"SELECT * FROM {rng.choice([*read_views(), *(f'raw.{t}' for t in read_raw())])}"]
    if kind < 0.92:
        return ["redact", "{e}", "-o", "{o}"]
    if kind < 0.94:
        return ["doctor", "{e}", "--format", rng.choice(["json", "terminal"])]
    return rng.choice([["summary", "{e}"], ["idle-gaps", "{e}"], ["stats", "{e}", "-q"], ["analyze", "{e}"],
                       ["idle-gaps", "{e}", "--explain", "1"], ["idle-gaps", "{e}", "--by", "nvtx"],
                       ["summary", "{e}", "--format", "json"], ["idle-gaps", "{e}", "--format", "json"]])  # fmt: skip


def run(arguments: list[str]) -> Outcome:
    """Run a command line here. Whatever it raises is not caught: that is a fault."""
    out, err = io.TextIOWrapper(io.BytesIO(), "utf-8"), io.StringIO()
    kept = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = out, err
    try:
        main(arguments)
        code = 0
    except SystemExit as left:
        code = left.code if isinstance(left.code, int) else -1
    finally:
        sys.stdout, sys.stderr = kept
    out.flush()
    return Outcome(code, out.buffer.getvalue().decode("utf-8", "replace"), err.getvalue())  # type: ignore[attr-defined]


def fault(arguments: list[str], outcome: Outcome) -> str | None:
    """What is wrong with an outcome, if anything is."""
    lines = outcome.err.splitlines()
    if outcome.code not in (0, 1, 2):
        return f"exit code {outcome.code}"
    if (
        outcome.code
        and arguments[0] != "doctor"
        and sum(line.startswith(("nsysql: ", "ERROR: ")) for line in lines) != 1
    ):
        return f"exit code {outcome.code} without its one line: {outcome.err!r:.300}"
    if arguments[0] != "stats" and (strange := [line for line in lines if not SPOKEN.match(line)]):
        return f"a line that is not ours: {strange[0]!r:.300}"
    if found := INTERNAL.search(outcome.err):
        return f"internal talk {found[0]!r} in {outcome.err!r:.400}"
    if len(outcome.err) > 4000:
        return f"{len(outcome.err)} letters on stderr"
    raw = arguments[0] in ("stats", "analyze") or {"csv", "json", "ndjson"}.intersection(arguments)
    shown = outcome.err if raw else outcome.out + outcome.err
    if found := UNSAFE.search(shown):
        return f"a control character {found[0]!r} reaches the terminal"
    return None


def readable(path: Path) -> bool:
    """Whether SQLite itself finds the file whole."""
    db = sqlite3.connect(f"file:{path}?mode=ro&immutable=1", uri=True)
    try:
        return bool(db.execute("PRAGMA quick_check").fetchone() == ("ok",))
    except sqlite3.Error:
        return False
    finally:
        db.close()
