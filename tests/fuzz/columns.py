"""Every column of raw.sql dropped, NULL or 0 in all rows, and what the pages make of it: an answer, and a word of it.

`python -m tests.fuzz --columns` takes each column alone, which takes an hour; `--columns MEMSET` those of some tables.
"""

import re
import sqlite3
import traceback
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from pathlib import Path

from exports import create_export, story_sql

from fuzz import outcomes
from nsysql.capture.export_facts import EMPTY_AT_TIMES, NEVER_ZERO
from nsysql.catalog.packs import read_views
from nsysql.catalog.raw_schema import read_raw
from nsysql.catalog.requirements import ALWAYS, raw_tables

CHANGES = {
    "gone": 'ALTER TABLE "{table}" RENAME COLUMN "{column}" TO "gone {column}"',
    "null": 'UPDATE "{table}" SET "{column}" = NULL',
    "zero": 'UPDATE "{table}" SET "{column}" = 0',
}
PAGES = ("summary --all", "idle-gaps --all", "idle-gaps --explain 1", "doctor")
THREAD = 4242 << 24 | 4242  # of the story
EVENT = {"start": 60_000_000, "end": 60_001_000, "globalTid": THREAD, "globalPid": 4242 << 24}
Column = tuple[str, str]


@dataclass(frozen=True)
class Case:
    """Some columns, what is done to them, and the page that is asked for."""

    change: str
    columns: tuple[Column, ...]
    page: str

    def __str__(self) -> str:
        some = ", ".join(".".join(column) for column in self.columns[:3])
        return f"{self.change} in {some}{' ...' if len(self.columns) > 3 else ''}: nsysql {self.page}"


def base(path: Path) -> Path:
    """The richest story, with a row in every other table."""
    story = story_sql("training")
    others = (name for name in read_raw() if not re.search(rf"INSERT INTO {name}\b", story))
    return create_export(story + "".join(map(_row, others)), path)


def _row(table: str) -> str:
    columns = {name: kind for name, kind in read_raw()[table].columns.items() if name != "rowid"}
    values = (str(EVENT.get(name, 1)) if kind != "VARCHAR" else "'1'" for name, kind in columns.items())
    names = ", ".join(f'"{name}"' for name in columns)
    return f"\nINSERT INTO {table} ({names}) VALUES ({', '.join(values)});"


def columns(like: str = "") -> list[Column]:
    """The columns of tables with such a name, in the order of raw.sql."""
    found = read_raw().items()
    return [(name, column) for name, table in found if like in name for column in table.columns if column != "rowid"]


def every(like: str) -> Iterator[Case]:
    """Each column alone, on every page."""
    for column in columns(like):
        yield from (Case(change, (column,), page) for change in CHANGES for page in PAGES)


def wrong(case: Case, whole: bytes, folder: Path, told: Callable[[str], None] = lambda _: None) -> str | None:
    """What is wrong with the page of a changed export, if anything is; `whole` is the export as it was."""
    path = folder / "export.sqlite"
    path.write_bytes(whole)
    db = sqlite3.connect(path)
    for table, column in case.columns:
        db.execute(CHANGES[case.change].format(table=table, column=column))
    db.commit()
    db.close()
    name, *options = case.page.split()
    try:
        outcome = outcomes.run([name, str(path), *options])
    except BaseException:
        return f"{case}\n{traceback.format_exc()}"
    told(f"{case}\n{outcome.out}{outcome.err}")
    fault = outcomes.fault([name, str(path), *options], outcome)
    return f"{case}\n{fault}" if fault else _silent(case, outcome)


def _silent(case: Case, outcome: outcomes.Outcome) -> str | None:
    """The columns that the page was computed without, and does not tell."""
    if outcome.code or case.page == "doctor":
        return None
    text, read = " ".join((outcome.out + outcome.err).split()), raw_tables(read_views()["_idle_piece"])
    silent = [
        column
        for column in case.columns
        if column[0] in read and _is_flaw(case.change, column) and not _in(text, column)
    ]
    return f"{case}\nthe page does not tell of {silent}" if silent else None


def _is_flaw(change: str, column: Column) -> bool:
    """Whether no export should have the column so."""
    table, name = column
    is_lost = name in ALWAYS and "start" in read_raw()[table].columns
    return is_lost and (change == "gone" or (column not in EMPTY_AT_TIMES and (change == "null" or name in NEVER_ZERO)))


def _in(text: str, column: Column) -> bool:
    return re.search(rf"\b{column[0]} \([^)]*\b{column[1]}\b", text) is not None


def batches(kept: Collection[str]) -> Iterator[tuple[Column, ...]]:
    """Every second column of all tables but those kept, then the others; then the same of those kept."""
    for are_kept in False, True:
        some = [column for column in columns() if (column[0] in kept) == are_kept]
        yield from (tuple(some[turn::2]) for turn in range(2))
