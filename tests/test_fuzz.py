"""Damaged and hostile exports: an answer or one clear line for each, and the file left as it was.

`python -m tests.fuzz --count 100000 --seed 7` hunts for longer; `--only NUMBER` shows one again.
"""

import itertools
import os
import re
import shutil
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from random import Random

import pytest
from command_line import Ran
from exports import DEEP, alter
from fuzz import faults, flips
from fuzz.damage import DAMAGES
from fuzz.hunt import hunt, judged, mutant
from fuzz.mutations import CHANGES, HARMLESS
from fuzz.outcomes import Outcome, fault

import nsysql
from nsysql.errors import NotAnExport

COUNT, SEED = (30 if DEEP else 0), 20240
FLIPS = 15 if DEEP else 5  # exports of each form with one byte changed


def numbers(folder: Path) -> Iterator[int]:
    """The first mutants, and of the next ones those with a change that none before has, until each was made."""
    left = {change.__name__ for change in (*DAMAGES, *CHANGES, *HARMLESS)}
    for number in itertools.count():
        made = set(mutant(folder, Random(f"{SEED}:{number}")).changes)
        if number < COUNT or made & left:
            yield number
        left -= made
        if number >= COUNT and not left:
            return


def test_many_mutants(tmp_path: Path) -> None:
    chosen = [*numbers(tmp_path)]
    found = dict(hunt(iter(chosen), SEED, workers=1))
    assert [f"{number}: {wrong}" for number, wrong in found.items() if wrong] == []
    assert sorted(found) == chosen


@pytest.mark.parametrize("form", flips.FORMS)
def test_one_changed_byte(form: str) -> None:
    found = dict(hunt(iter(range(FLIPS)), SEED, workers=1, judge=partial(flips.judged, form)))
    assert [f"{number}: {wrong}" for number, wrong in found.items() if wrong] == []
    assert sorted(found) == list(range(FLIPS))


def test_a_mutant_is_the_same_each_time(tmp_path: Path) -> None:
    told: list[list[str]] = [[], []]
    for lines in told:
        judged(tmp_path, SEED, 7, lines.append)
    assert told[0] == told[1]


# The hunt itself ------------------------------------------------------------------------------------


def dies_at_three(folder: Path, seed: int, number: int) -> str | None:
    """A judge whose process ends at mutant 3, hangs at 5 and finds a fault in 7."""
    if number == 3:
        os._exit(11)
    if number == 5:
        time.sleep(60)
    return "found" if number == 7 else None


def test_a_crash_a_hang_and_a_fault_are_blamed_on_their_mutants() -> None:
    found = dict(hunt(iter(range(12)), SEED, workers=2, limit=1.5, judge=dies_at_three))
    assert found.keys() == set(range(12))
    assert {number: wrong for number, wrong in found.items() if wrong} == {
        3: "the process died with exit code 11",
        5: "hangs for over 1.5 s",
        7: "found",
    }


def test_the_hunt_ends_after_so_many_faults() -> None:
    found = list(hunt(itertools.count(7), SEED, workers=1, faults=1, judge=dies_at_three))
    assert found == [(7, "found")]


@pytest.mark.parametrize(
    ("arguments", "outcome", "wrong"),
    [
        (["launches"], Outcome(0, "a\n", "note: b\n"), None),
        (["launches"], Outcome(1, "", "nsysql: no kernels.\n"), None),
        (["stats"], Outcome(1, "Processing\n", "ERROR: no kernels.\n"), None),
        (["launches"], Outcome(1, "", ""), "without its one line"),
        (["launches"], Outcome(1, "", "nsysql: a\nnsysql: b\n"), "without its one line"),
        (["launches"], Outcome(-11, "", "nsysql: a\n"), "exit code"),
        (["launches"], Outcome(1, "", "nsysql: Binder Error: x\n"), "internal talk"),
        (["launches"], Outcome(0, "", "x.py:3: UserWarning: y\n"), "not ours"),
        (["launches"], Outcome(0, "a\x1b[31m", ""), "control character"),
        (["launches", "--format", "csv"], Outcome(0, "a\x1b[31m", ""), None),
    ],
)
def test_what_a_fault_is(arguments: list[str], outcome: Outcome, wrong: str | None) -> None:
    told = fault(arguments, outcome)
    assert told is None if wrong is None else wrong in (told or "")


# What it found --------------------------------------------------------------------------------------


@pytest.fixture
def export(story: Callable[[str], Path], tmp_path: Path) -> Path:
    """A small export that may be changed."""
    return Path(shutil.copy(story("two_streams"), tmp_path / "run.sqlite"))


def test_a_table_without_any_known_column_is_empty(export: Path) -> None:
    alter(export, "DROP TABLE StringIds", "CREATE TABLE StringIds (x)", "INSERT INTO StringIds VALUES (1)")
    with nsysql.open(export) as run:
        assert run.launches().height == 3


def test_numbers_beyond_64_bits_are_one_line(export: Path, run: Callable[..., Ran]) -> None:
    alter(export, f'UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET start = {-(2**63)}, "end" = {2**63 - 1}')
    for command in (["cuda-gpu-kern-sum", export], ["summary", export], ["sql", export, "FROM kernel"]):
        ran = run(*command)
        assert ran.code == 1
        assert re.search("beyond (the 64 bits|36 years)", ran.err)
        assert len(ran.err.splitlines()) == 1
        assert "Error:" not in ran.err


def test_bytes_that_are_no_utf8_where_a_number_belongs(export: Path) -> None:
    alter(export, "UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET streamId = CAST(x'c3' AS TEXT) WHERE rowid = 1")
    with nsysql.open(export) as run:
        assert run.sql("SELECT count(*) FROM kernel WHERE stream_id IS NULL").item() == 1


def test_a_list_of_tables_that_is_no_utf8(export: Path) -> None:
    export.write_bytes(export.read_bytes().replace(b"CREATE TABLE StringIds", b"CREATE TABLE \xff\x1b[31mIds"))
    with pytest.raises(NotAnExport, match="damaged"):
        nsysql.open(export)


def test_control_characters_in_a_message_are_escaped(export: Path) -> None:
    export.write_bytes(export.read_bytes().replace(b"CREATE TABLE StringIds", b"CREATE TABLE \x1b[31mIdsx"))
    with pytest.raises(NotAnExport, match=r"\\x1b") as refused:
        nsysql.open(export)
    assert "\x1b" not in str(refused.value)


def test_a_table_without_row_numbers(export: Path, run: Callable[..., Ran]) -> None:
    alter(
        export,
        "CREATE TABLE made (start INTEGER PRIMARY KEY, shortName INTEGER) WITHOUT ROWID",
        "INSERT INTO made SELECT start, shortName FROM CUPTI_ACTIVITY_KIND_KERNEL",
        "DROP TABLE CUPTI_ACTIVITY_KIND_KERNEL",
        "ALTER TABLE made RENAME TO CUPTI_ACTIVITY_KIND_KERNEL",
    )
    assert "row numbers" in run("launches", export).err


def test_a_number_in_a_column_of_text_is_read(export: Path) -> None:
    alter(
        export,
        "CREATE TABLE made (id INTEGER, value)",
        "INSERT INTO made SELECT id, 500 + id FROM StringIds",
        "DROP TABLE StringIds",
        "ALTER TABLE made RENAME TO StringIds",
        "PRAGMA writable_schema = ON",
        "UPDATE sqlite_master SET sql = replace(sql, 'value)', 'value TEXT)') WHERE name = 'StringIds'",
    )
    with nsysql.open(export) as run:
        assert set(run.cuda_gpu_kern_sum()["name"]) == {"501", "502", "503"}
        assert run.notes("cuda_gpu_kern_sum") == []


@pytest.mark.filterwarnings("error")
def test_work_on_an_unknown_gpu_is_no_warning(export: Path, run: Callable[..., Ran]) -> None:
    alter(export, "UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET deviceId = NULL WHERE rowid = 1")
    ran = run("idle-gaps", export)
    assert (ran.code, ran.err) == (0, "")


def test_calls_without_an_end_have_a_place_on_the_page(export: Path, run: Callable[..., Ran]) -> None:
    alter(export, 'UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET "end" = NULL')
    alter(export, 'UPDATE CUPTI_ACTIVITY_KIND_RUNTIME SET "end" = NULL')
    assert run("summary", export).code == 0


def test_a_planted_fault_is_one_other_word_outside_of_texts_and_comments(tmp_path: Path) -> None:
    for name, text in (
        ("nsysql/a.py", 'x = "a < b" if 1 < 2 else 3  # a < b\n'),
        ("queries/a.sql", "-- a < b\nSELECT 'a < b' < 2\n"),
    ):
        (tmp_path / name).parent.mkdir()
        (tmp_path / name).write_text(text)
    assert list(faults.places(tmp_path / "nsysql/a.py")) == [(0, 17, "<", "<=")]
    assert list(faults.places(tmp_path / "queries/a.sql")) == [(1, 15, "<", "<=")]
    path, before, fault = faults.plant(tmp_path, Random(1))
    assert (path.read_text(), path.name in fault) == (re.sub(r"(?<=['1] )<", "<=", before), True)
