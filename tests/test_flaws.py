"""What no export should have is told on every page and of every query that it touches, and nothing else is."""

import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from command_line import Ran
from drawn import read_story
from exports import alter, story_names

import nsysql
from nsysql.capture import export_facts

pytestmark = pytest.mark.usefixtures("kept_open")

Run = Callable[..., Ran]
NAMES = "19 of 35 names are missing from StringIds: causes, and rows chosen by name, may be wrong"


@pytest.fixture
def copy(story: Callable[[str], Path], tmp_path: Path) -> Path:
    """A copy of the richest story that may be changed."""
    return Path(shutil.copy(story("training"), tmp_path / "export.sqlite"))


def page(ran: Ran) -> str:
    """A page without its line ends."""
    assert (ran.code, ran.err) == (0, "")
    return " ".join(ran.text.split())


def test_stories_have_none_but_for_what_they_leave_out(story: Callable[[str], Path]) -> None:
    found = {}
    for name in story_names():
        with nsysql.open(story(name)) as run:
            if told := run.data_problems(*run.paths):
                found[name] = told
    said = {name: re.findall(r"[A-Z_]{9,}.*?\)", "".join(told)) for name, told in found.items()}
    classless = ["CUPTI_ACTIVITY_KIND_RUNTIME (eventClass)"]  # as many a story leaves it
    assert {name: columns for name, columns in said.items() if columns != classless} == {
        "idle_host": ["CUPTI_ACTIVITY_KIND_MEMCPY (end)"],  # one copy, from 0 to 0: it carries no time
        "old_version": ["CUPTI_ACTIVITY_KIND_MEMSET (correlationId)"],
    }


@pytest.mark.parametrize(
    ("change", "table"),
    [
        ('UPDATE {} SET "end" = NULL', "CUPTI_ACTIVITY_KIND_MEMSET"),
        ("ALTER TABLE {} DROP COLUMN start", "CUPTI_ACTIVITY_KIND_MEMCPY"),
    ],
)
def test_copies_and_sets_without_times_have_a_place_on_the_summary(
    change: str, table: str, copy: Path, run: Run
) -> None:
    alter(copy, change.format(table))
    text = page(run("summary", copy, "--all"))
    column = "end" if "NULL" in change else "start"
    assert f"computed without {table} ({column}): the export lacks what every nsys writes" in text
    row = r"126\.6 MB 7 .*\[CUDA memset" if "MEMSET" in table else r"177\.7 MB 7 .*\[CUDA memcpy"
    assert re.search(row, text), text


def test_missing_names_are_told_on_every_page(copy: Path, run: Run) -> None:
    alter(copy, "DELETE FROM StringIds WHERE id % 2 = 0")
    for command in (["summary"], ["idle-gaps"], ["idle-gaps", "--explain", "1"]):
        assert NAMES in page(run(command[0], copy, *command[1:]))
    assert NAMES in run("summary", copy, "-f", "json").text
    assert NAMES in run("idle-gaps", copy, "-f", "csv").err
    assert "names without text" in run("doctor", copy).text


def test_missing_names_are_told_of_queries_reports_and_rules_that_read_names(copy: Path, run: Run) -> None:
    alter(copy, "DELETE FROM StringIds WHERE value LIKE 'cuda%Synchronize%'")
    told = "names are missing from StringIds"
    found = run("cuda-api-sync", copy)
    assert "no rows" in found.err and f"2 of 9 {told}" in found.err
    assert told not in run("cuda-api-sync", copy, "-q").err
    assert told not in run("gpus", copy).err
    assert f"NOTE: cuda_api_sum: 2 of 9 {told}" in run("stats", copy, "-r", "cuda_api_sum").err
    assert f"NOTE: cuda_api_sync: 2 of 9 {told}" in run("analyze", copy, "-r", "cuda_api_sync").err


def test_names_without_a_text_are_missing_too(copy: Path) -> None:
    alter(copy, "UPDATE StringIds SET value = NULL")
    with nsysql.open(copy) as run:
        assert any(text.startswith("9 of 9 names are missing") for text in run.notes("cuda_api_sum"))


def test_a_number_with_two_names_doubles_no_gap_and_no_kernel(copy: Path, story: Callable[[str], Path]) -> None:
    """As in an export of another tool, without the primary key of StringIds."""
    alter(
        copy,
        """CREATE TABLE texts AS SELECT * FROM StringIds UNION ALL SELECT id, value || '~' FROM StringIds;
        DROP TABLE StringIds; ALTER TABLE texts RENAME TO StringIds;""",
    )
    with nsysql.open(copy) as doubled, nsysql.open(story("training")) as run:
        for query in ("idle_gaps", "idle_ledger", "part_kernel", "nvtx_sum"):
            assert doubled.query(query).equals(run.query(query)), query


def test_names_are_looked_up_all_over_a_large_table(copy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(export_facts, "MANY", 50)
    monkeypatch.setattr(export_facts, "STRETCHES", 4)
    monkeypatch.setattr(export_facts, "STRETCH", 10)
    with nsysql.open(copy) as run:
        assert run.data_problems("cuda_api_sum") == []
    alter(copy, "UPDATE CUPTI_ACTIVITY_KIND_RUNTIME SET nameId = 99999 WHERE rowid = "
                "(SELECT max(rowid) FROM CUPTI_ACTIVITY_KIND_RUNTIME)")  # fmt: skip
    with nsysql.open(copy) as run:
        (told,) = run.data_problems("cuda_api_sum")
        assert re.match(r"1 of \d+ names is missing", told)


def test_columns_that_may_be_empty_are_no_flaw(copy: Path) -> None:
    alter(copy, 'UPDATE NVTX_EVENTS SET "end" = NULL')
    with nsysql.open(copy) as run:
        assert run.data_problems("nvtx_sum") == []


def test_copies_have_their_names_where_labels_are_missing(copy: Path) -> None:
    with nsysql.open(copy) as run:
        whole = run.cuda_gpu_mem_time_sum()
    alter(
        copy,
        "UPDATE ENUM_CUDA_MEMCPY_OPER SET label = NULL WHERE id = 1; DELETE FROM ENUM_CUDA_MEMCPY_OPER WHERE id = 2",
    )
    with nsysql.open(copy) as run:
        assert run.cuda_gpu_mem_time_sum().equals(whole)


@pytest.mark.parametrize(
    "flaw",
    [
        "DROP TABLE CUPTI_ACTIVITY_KIND_RUNTIME",
        "DROP TABLE StringIds",
        "UPDATE CUPTI_ACTIVITY_KIND_RUNTIME SET correlationId = NULL",
        "UPDATE CUPTI_ACTIVITY_KIND_RUNTIME SET globalTid = NULL",
        "UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET deviceId = NULL, streamId = NULL",
        "UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET demangledName = NULL, shortName = NULL",
    ],
)
@pytest.mark.usefixtures("without_findings")
def test_pages_are_given_of_what_is_left(copy: Path, run: Run, flaw: str) -> None:
    alter(copy, flaw)
    digest = copy.with_suffix(".digest")
    for page in (["summary", copy], ["digest", copy, "-o", digest], ["compare", digest, digest], ["runs", digest]):
        assert run(*page).code == 0, page


@pytest.mark.parametrize("command", ["summary", "findings", "idle-gaps", "compare"])
def test_kernels_without_times_leave_the_gpus_time_unknown(command: str, run: Run, tmp_path: Path) -> None:
    export = read_story("few_blocks").write(tmp_path / "export.sqlite")
    alter(export, 'ALTER TABLE CUPTI_ACTIVITY_KIND_KERNEL DROP COLUMN "end"')
    ran = run(command, export, *[export] * (command == "compare"))
    assert "No kernel" not in ran.text and "no GPU activity" not in ran.err
    if command == "compare":
        assert (ran.code, ran.err.count("\n")) == (1, 1)
    else:
        told = " ".join((ran.err or ran.text).split())
        assert "When the GPU worked is not known: CUPTI_ACTIVITY_KIND_KERNEL lacks the column end" in told
        assert "make an export with: nsys export" in told
