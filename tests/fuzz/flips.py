"""Exports of every form with one byte changed: an answer or one clear line, in little memory."""

import os
import resource
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from random import Random

sys.path.insert(0, str(Path(__file__).parent.parent))

from exports import create_export, story_sql
from folders import create_folder

import nsysql
from fuzz import outcomes

STORY = "two_streams"
FORMS = ("sqlite", "parquet", "arrow", "duckdb")
MOST = 1_000_000  # KiB that the process may have had; it begins with a quarter of that
COMMANDS = ("launches", "cuda-gpu-trace")
TABLES = ("StringIds", "CUPTI_ACTIVITY_KIND_KERNEL", "CUPTI_ACTIVITY_KIND_RUNTIME")


@cache
def exports(folder: Path, form: str) -> list[Path]:
    """The story in one form: as nsys writes it and as nsysql convert does, where both can."""
    place = folder / "m"
    place.mkdir()
    sqlite = create_export(story_sql(STORY), place / "run.sqlite")
    if form == "sqlite":
        return [sqlite]
    converted = place / f"converted.{form}"
    made = outcomes.run(["convert", str(sqlite), "-o", str(converted), "--to", form])
    if made.code:
        raise RuntimeError(made.err)
    return [converted] if form == "duckdb" else [converted, create_folder(sqlite, place / f"nsys.{form}", form)]


@contextmanager
def flipped(export: Path, rng: Random) -> Iterator[tuple[str, str]]:
    """One byte of the export is another one meanwhile: the name of the file that has it, and what was changed."""
    file = export if export.is_file() else rng.choice(sorted(export.iterdir()))
    raw = file.read_bytes()
    at = _where(raw, rng)
    byte = rng.choice([raw[at] ^ 1 << rng.randrange(8), 0, 0x7F, 0x80, 0xFF, rng.randrange(256)])
    with file.open("r+b", buffering=0) as opened:
        os.pwrite(opened.fileno(), bytes([byte]), at)
        try:
            yield file.stem, f"{file.name}: byte {at} of {len(raw)} is {byte}, was {raw[at]}"
        finally:
            os.pwrite(opened.fileno(), raw[at : at + 1], at)


def _where(raw: bytes, rng: Random) -> int:
    """A place in the bytes; mostly one that is not within a long stretch of zeros, which fill a DuckDB file."""
    for _ in range(50):
        at = rng.randrange(len(raw))
        if any(raw[max(0, at - 16) : at + 16]):
            break
    return at


def answered(export: Path, table: str, rng: Random) -> tuple[list[str], outcomes.Outcome]:
    """What is asked, and what comes of it: a table through the library, which is quick, now and then a command."""
    if rng.random() < 0.05:
        asked = [rng.choice(COMMANDS), str(export), "--format", "csv"]
        return asked, outcomes.run(asked)
    asked = ["sql", str(export), f"SELECT * FROM raw.{table if table in TABLES else rng.choice(TABLES)}"]
    try:
        with nsysql.open(export) as run:
            return asked, outcomes.Outcome(0, str(run.sql(asked[-1]).rows()), "")
    except nsysql.NsysqlError as error:
        return asked, outcomes.Outcome(error.exit_code, "", f"nsysql: {error}\n")


def judged(form: str, folder: Path, seed: int, number: int, say: Callable[[str], None] = lambda _: None) -> str | None:
    """What is wrong with the answer of an export of that form with one byte changed, if anything is."""
    rng = Random(f"{seed}:{form}:{number}")
    export = rng.choice(exports(folder, form))
    before = _memory()
    with flipped(export, rng) as (table, about):
        say(about)
        try:
            asked, outcome = answered(export, table, rng)
        except BaseException:
            return f"{about}\n{traceback.format_exc()}"
    say(f"{' '.join(asked)}\nexit code {outcome.code}\n{outcome.out[:2000]}{outcome.err[:2000]}")
    wrong = outcomes.fault([*asked, "csv"], outcome)
    if outcome.code == 2:
        wrong = f"exit code 2: {outcome.err}"
    if _memory() > max(before, MOST):
        wrong = f"takes {_memory():,} KiB"
    return f"{about}: {' '.join(asked)}\n{wrong}" if wrong else None


def _memory() -> int:
    """The most KiB that the process has had."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // (1024 if sys.platform == "darwin" else 1)
