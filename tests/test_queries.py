"""Every story's answers: fixtures/STORY/QUERY.csv is what QUERY says of it, QUERY.txt why it says nothing.

A new golden is an empty file, first filled by hand from the drawing in export.sql; `pytest --update-golden`
rewrites the files, and the difference is read before it is committed.
"""

import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest
from exports import FIXTURES

import nsysql
from nsysql.errors import MissingData

GOLDENS = sorted(p for p in FIXTURES.glob("*/*.*") if p.suffix in (".csv", ".txt"))


def answer(run: nsysql.Run, query: str) -> str:
    """A query's rows as CSV, or the sentence that refuses them without the export's path."""
    try:
        return run.query(query).write_csv()
    except MissingData as error:
        return str(error).replace(str(run.path), "EXPORT") + "\n"


@pytest.mark.parametrize(
    ("opened", "golden"),
    [pytest.param(path.parent.name, path, id=f"{path.parent.name}-{path.stem}") for path in GOLDENS],
    indirect=["opened"],
)
def test_a_story_gives_its_answer(opened: nsysql.Run, golden: Path, update_golden: bool) -> None:
    found = answer(opened, golden.stem)
    if update_golden:
        golden.write_text(found, encoding="utf-8")
    assert found == golden.read_text(encoding="utf-8")


def test_a_sum_of_gpu_time_has_no_note_on_graphics(story: Callable[[str], Path]) -> None:
    with nsysql.open(story("training")) as run:
        assert not [note for note in run.notes("cuda_gpu_sum") if "DX12" in note or "VULKAN" in note.upper()]


def test_every_story_has_an_answer() -> None:
    told = {path.parent.name for path in GOLDENS}
    assert told == {path.parent.name for path in FIXTURES.glob("*/export.sql")}


def test_the_sample_of_the_readme_is_the_training_story(story: Callable[[str], Path], update_golden: bool) -> None:
    sample = FIXTURES / "training.sqlite"
    if update_golden and not are_equal(sample, story("training")):  # its size is in the README
        shutil.copy(story("training"), sample)
    assert are_equal(sample, story("training"))


def are_equal(sample: Path, story: Path) -> bool:
    """Whether two exports have the same rows; a column that raw.sql got since the sample was made is not compared."""
    committed, drawn = sqlite3.connect(sample), sqlite3.connect(story)
    try:
        names = "SELECT name FROM sqlite_master ORDER BY name"
        tables = committed.execute(names).fetchall()
        if tables != drawn.execute(names).fetchall():
            return False
        for (table,) in tables:
            columns = ", ".join(f'"{row[1]}"' for row in committed.execute(f"PRAGMA table_info({table})"))
            rows = f"SELECT {columns} FROM {table}"
            if committed.execute(rows).fetchall() != drawn.execute(rows).fetchall():
                return False
        return True
    finally:
        committed.close()
        drawn.close()


def test_a_name_that_the_export_has_twice_does_not_double_its_calls(build: Callable[[str], Path]) -> None:
    export = build("""
        INSERT INTO StringIds VALUES (1, 'cudaMalloc'), (1, 'cudaFree');
        INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME (start, "end", globalTid, nameId) VALUES (0, 10, 1, 1);
        INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL (start, "end", deviceId, globalPid, demangledName, shortName)
            VALUES (0, 10, 0, 1, 1, 1);""")
    with nsysql.open(export) as run:
        for rows in (run.cuda_api_sum(), run.cuda_gpu_kern_sum(), run.cuda_gpu_sum()):
            assert rows.height == 1
