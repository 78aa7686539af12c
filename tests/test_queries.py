"""Every story's answers: fixtures/STORY/QUERY.csv is what QUERY says of it, QUERY.txt why it says nothing.

A new golden is an empty file, first filled by hand from the drawing in export.sql; `pytest --update-golden`
rewrites the files, and the difference is read before it is committed.
"""

from collections.abc import Callable
from pathlib import Path

import pytest
from exports import FIXTURES

import nsysql
from nsysql.errors import MissingData

GOLDENS = sorted(p for p in FIXTURES.glob("*/*.*") if p.suffix in (".csv", ".txt"))


def answer(export: Path, query: str) -> str:
    """A query's rows as CSV, or the sentence that refuses them without the export's path."""
    with nsysql.open(export) as run:
        try:
            return run.query(query).write_csv()
        except MissingData as error:
            return str(error).replace(str(export), "EXPORT") + "\n"


@pytest.mark.parametrize("golden", GOLDENS, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_a_story_gives_its_answer(golden: Path, story: Callable[[str], Path], update_golden: bool) -> None:
    found = answer(story(golden.parent.name), golden.stem)
    if update_golden:
        golden.write_text(found, encoding="utf-8")
    assert found == golden.read_text(encoding="utf-8")


def test_every_story_has_an_answer() -> None:
    told = {path.parent.name for path in GOLDENS}
    assert told == {path.parent.name for path in FIXTURES.glob("*/export.sql")}
