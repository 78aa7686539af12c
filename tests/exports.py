"""Exports for the tests, built from text; and where the public exports lie, if they do.

A story is a folder of fixtures/ with an export.sql: SQLite inserts under a drawn timeline. The tables it
inserts into are made here in the shape of queries/raw.sql, as lazily as nsys makes them, unless the story
brings its own CREATE TABLE (an old schema, a missing column).
"""

import os
import re
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import TypeVar

import pytest

from nsysql.catalog.raw_schema import read_raw

HERE = Path(__file__).parent
T = TypeVar("T")
FIXTURES = HERE / "fixtures"
DEEP = bool(os.environ.get("NSYSQL_DEEP"))  # whether all that the usual run takes a part of is asked
RICHEST = "training"  # the story with most kinds of rows
SQLITE_TYPES = {"BIGINT": "INTEGER", "VARCHAR": "TEXT", "DOUBLE": "REAL", "BLOB": "TEXT"}  # as nsys declares them
INSERTED = re.compile(r"^\s*INSERT INTO (\w+)", re.MULTILINE)
CREATED = re.compile(r"^\s*CREATE (?:TEMP )?(?:TABLE|VIEW) (\w+)", re.MULTILINE)


def story_names() -> list[str]:
    """The stories of fixtures/, in alphabetical order."""
    return sorted(path.parent.name for path in FIXTURES.glob("*/export.sql"))


def story_sql(name: str) -> str:
    """The text of a story."""
    return (FIXTURES / name / "export.sql").read_text(encoding="utf-8")


def create_export(sql: str, path: Path) -> Path:
    """Write the export that `sql` describes to `path`: tables as in raw.sql where it creates none itself."""
    missing = dict.fromkeys(name for name in INSERTED.findall(sql) if name not in CREATED.findall(sql))
    db = sqlite3.connect(path)
    db.executescript("PRAGMA synchronous = OFF; BEGIN;\n" + "".join(map(table_ddl, missing)) + sql)
    db.commit()
    db.close()
    return path


def alter(export: Path, *statements: str) -> None:
    """Change an export by these statements or scripts, leaving nothing open."""
    with closing(sqlite3.connect(export)) as db:
        for statement in statements:
            db.executescript(statement)


def table_ddl(name: str) -> str:
    """The CREATE TABLE of an NVIDIA table with all columns that nsysql reads."""
    columns = (f'"{n}" {SQLITE_TYPES[kind]}' for n, kind in read_raw()[name].columns.items() if n != "rowid")
    return f"CREATE TABLE {name} ({', '.join(columns)});\n"


def corpus_folder() -> Path:
    """Where the public exports with NVIDIA's answers lie: NSYSQL_CORPUS, else beside the checkout."""
    return Path(os.environ.get("NSYSQL_CORPUS", HERE.parent.parent / "shared" / "corpus"))


def corpus_names() -> list[str]:
    """The public exports by name; none where the folder is absent."""
    return sorted(path.stem for path in corpus_folder().glob("*.sqlite"))


def capture_names(*patterns: str) -> list[str]:
    """Public exports by their paths without the ending: those that match, or all, with the ones under more/."""
    folder, every = corpus_folder(), patterns or ("*.sqlite", "more/**/*.sqlite")
    found = {path for pattern in every for path in folder.glob(pattern)}
    return sorted(path.relative_to(folder).with_suffix("").as_posix() for path in found)


def unlike_names() -> list[str]:
    """All public exports but those whose names differ in a number or letter at the end: of runs alike the first."""
    return list({re.sub(r"[\d-]+(-[ab])?$", "", name): name for name in reversed(capture_names())}.values())[::-1]


def capture_path(name: str) -> Path:
    """The file of a public export."""
    return corpus_folder() / f"{name}.sqlite"


def one_in(count: int, names: Sequence[T], first: int = 0) -> list[T]:
    """One of so many names, from the one at `first` on: tests that would find the same take turns. All if DEEP."""
    return [*names] if DEEP else [*names[first::count]]


def each_opened(names: Sequence[str]) -> pytest.MarkDecorator:
    """Run a test on each of these stories or public exports, which it gets as the fixture `opened`."""
    return pytest.mark.parametrize("opened", names or ["(none)"], indirect=True)


def each_story(count: int = 1, first: int = 0) -> pytest.MarkDecorator:
    """Run a test on every story, or on one in so many, which it gets as the fixture `opened`."""
    return each_opened(one_in(count, story_names(), first))
