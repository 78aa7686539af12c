"""The doctor is honest: what it says of a question is what happens when it is asked, and a finding is in the file."""

import json
import re
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path

import polars as pl
import pytest
from command_line import Ran
from exports import RICHEST, alter, each_story, story_names

import nsysql
from nsysql.capture.export import Export
from nsysql.catalog.packs import read_views
from nsysql.catalog.raw_schema import read_raw
from nsysql.errors import MissingData
from nsysql.nsys.reports import read_report
from nsysql.pages.examination import ANSWERED, CANNOT, PARTLY, Examination, Examiner, Verdict, collect

Run = Callable[..., Ran]
Build = Callable[[str], Path]
Story = Callable[[str], Path]
CHECKS = (
    "end_before_start", "outside_capture", "name_without_text", "work_without_launch", "work_before_call",
    "launch_without_work", "overlap_on_stream", "repeated_correlation_id", "range_never_popped",
)  # fmt: skip

TURNS, OF_CANNOT = 24, 4

# Two kernels on one stream, each with its call; thread 1 of process 1. 500 ns were captured.
SOUND = """
INSERT INTO ANALYSIS_DETAILS (duration) VALUES (500);
INSERT INTO StringIds (id, value) VALUES (1, 'cudaLaunchKernel_v7000'), (2, 'k'), (3, 'cudaMemcpy_v3020'),
    (4, 'cudaStreamBeginCapture_v10000'), (5, 'cudaStreamEndCapture_v10000'), (6, 'cudaStreamSynchronize');
INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME (start, end, globalTid, correlationId, nameId, returnValue) VALUES
    (0, 10, 16777217, 1, 1, 0), (20, 30, 16777217, 2, 1, 0);
INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL
    (start, end, globalPid, deviceId, contextId, streamId, correlationId, demangledName, shortName) VALUES
    (50, 100, 16777216, 0, 1, 7, 1, 2, 2), (100, 200, 16777216, 0, 1, 7, 2, 2, 2);
"""
CALL = "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME (start, end, globalTid, correlationId, nameId, returnValue) VALUES "
KERNEL = (
    "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL (start, end, globalPid, deviceId, contextId, streamId, correlationId,"
    " demangledName, shortName, graphNodeId) VALUES "
)
FAULTS = [  # what is added or changed, and the check, table and number of what is found then
    ("", None, "", 0),
    ("UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET end = 40 WHERE start = 50", "end_before_start", "KERNEL", 1),
    ("UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET start = start + 500, end = end + 500", "outside_capture", "KERNEL", 2),
    ("UPDATE CUPTI_ACTIVITY_KIND_RUNTIME SET start = -1 WHERE start = 0", "outside_capture", "RUNTIME", 1),
    ("UPDATE CUPTI_ACTIVITY_KIND_RUNTIME SET nameId = 99 WHERE start = 20", "name_without_text", "RUNTIME", 1),
    ("UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET shortName = 99", "name_without_text", "KERNEL", 2),
    (KERNEL + "(210, 220, 16777216, 0, 1, 7, 9, 2, 2, NULL)", "work_without_launch", "KERNEL", 1),
    (KERNEL + "(210, 220, 33554432, 0, 1, 7, 1, 2, 2, NULL)", "work_without_launch", "KERNEL", 1),  # a stranger's id
    (CALL + "(40, 45, 16777217, 9, 1, 0)", "launch_without_work", "RUNTIME", 1),
    (CALL + "(40, 45, 16777217, 9, 1, 700)", None, "", 0),  # a call that failed
    (CALL + "(40, 45, 16777217, 9, 6, 0)", None, "", 0),  # a call that asks for no work
    (CALL + "(31, 32, 16777217, 7, 4, 0), (40, 45, 16777218, 8, 1, 0), (50, 51, 16777217, 9, 5, 0)", None, "", 0),
    (
        CALL + "(31, 32, 16777217, 7, 4, 0), (40, 45, 16777217, 8, 5, 0), (50, 51, 16777217, 9, 1, 0)",
        "launch_without_work", "RUNTIME", 1,
    ),  # after the capture of a graph, not within
    ("UPDATE CUPTI_ACTIVITY_KIND_RUNTIME SET start = 101, end = 110 WHERE start = 20", "work_before_call", "KERNEL", 1),
    ("UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET end = 101 WHERE start = 50", "overlap_on_stream", "KERNEL", 1),
    ("UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET end = 101, streamId = 8 WHERE start = 50", None, "", 0),
    (KERNEL + "(50, 200, 16777216, 0, 1, 7, 1, 2, 2, 5)", None, "", 0),  # a node of a graph
    (CALL + "(40, 45, 16777217, 2, 6, 0)", "repeated_correlation_id", "RUNTIME", 2),
    (CALL + "(40, 45, 33554433, 2, 6, 0)", None, "", 0),  # another process
    ("UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET streamId = 'x', contextId = 0.5", "wrong_type", "KERNEL", 4),
]  # fmt: skip


def test_wrong_types_in_several_tables_are_examined(copy: Path) -> None:
    tables = ("KERNEL", "MEMCPY", "RUNTIME")
    for table in tables:
        alter(copy, f"UPDATE CUPTI_ACTIVITY_KIND_{table} SET correlationId = 'x'")
    found = {f["table"] for f in examined(copy).findings if f["check"] == "wrong_type"}
    assert found == {f"CUPTI_ACTIVITY_KIND_{table}" for table in tables}


@pytest.fixture
def copy(story: Story, tmp_path: Path) -> Path:
    """A copy of the richest story that may be changed."""
    return Path(shutil.copy(story("training"), tmp_path / "run.sqlite"))


def examined(export: Path) -> Examination:
    with nsysql.open(export) as run:
        return collect(run)


def answer(found: Examination, name: str, kind: str = "query") -> Verdict:
    return next(a for a in found.answers if (a.kind, a.name) == (kind, name))


# What it says of a question is what happens when it is asked -----------------------------------------------


def verdicts(run: Export) -> tuple[Verdict, ...]:
    """What the doctor says of every question, without its checks."""
    return tuple(Examiner(run, *run.facts.read_all()).answers())


def untrue(run: Export, answers: tuple[Verdict, ...], turn: int | None = None) -> Iterator[str]:
    """The questions that the export answers otherwise than the doctor says.

    With a turn it is asked a 24th of those that it answers and a quarter of those that it cannot.
    """
    causes = {a.name: a.verdict for a in answers if a.kind == "cause"}
    for at, one in enumerate(answers):
        turns = OF_CANNOT if one.verdict == CANNOT else TURNS
        if turn is not None and one.name != "idle_ledger" and at % turns != turn % turns:
            continue
        try:
            if one.kind == "query":
                frame = run.query(one.name)
                assert frame.columns == [c.name for c in run.find(one.name).columns], one.name
                if one.name == "idle_ledger":
                    yield from (c for c in frame["cause"] if causes[c] == CANNOT)
            elif one.kind == "report":
                report = read_report(one.name, {}, run.paths)
                run.ask(
                    report.query,
                    report.parameters,
                    lambda con, sql, values: con.execute(f"SELECT count(*) FROM ({sql})", values).fetchall(),
                    as_nsys=True,
                )
            else:
                continue
            asked = True
        except MissingData as error:
            assert "the export has no" in str(error)
            asked = False
        if asked == (one.verdict == CANNOT):
            yield f"{one.kind} {one.name}"


@each_story(4, 1)
def test_every_verdict_on_a_story_is_true(opened: nsysql.Run) -> None:
    turn = None if opened.path.stem == RICHEST else story_names().index(opened.path.stem)
    assert list(untrue(opened, verdicts(opened), turn)) == []


@pytest.mark.parametrize("table", ["OSRT_API", "CUPTI_ACTIVITY_KIND_RUNTIME", "CUPTI_ACTIVITY_KIND_MEMCPY"])
def test_every_verdict_without_a_table_is_true(table: str, copy: Path) -> None:
    alter(copy, f"DROP TABLE {table}")
    with nsysql.open(copy) as run:
        assert list(untrue(run, verdicts(run), len(table))) == []


def test_tables_without_rows_answer_a_report_but_no_query(build: Build) -> None:
    """As in exports made with --lazy=false."""
    found = examined(build(SOUND + "CREATE TABLE OSRT_API (start, end, eventClass, nameId);"))
    assert answer(found, "osrt_sum").verdict == CANNOT
    assert answer(found, "osrt_sum", "report").verdict == ANSWERED


def test_what_is_lacking_is_named_with_the_option_that_brings_it(build: Build) -> None:
    found = examined(build(SOUND))
    (ranges,) = answer(found, "nvtx_sum").lacks
    assert (ranges.what, ranges.option, ranges.was_on) == ("NVTX_EVENTS", "--trace=nvtx", False)
    (sets,) = answer(found, "cuda_memset_sync").lacks
    assert (sets.what, sets.option, sets.was_on) == ("CUPTI_ACTIVITY_KIND_MEMSET", "--trace=cuda", True)
    waits = answer(found, "blocked", "cause")
    assert waits.verdict == CANNOT
    assert waits.row["options"] == "--cpuctxsw=process-tree"
    host = answer(found, "host_code", "cause")
    assert (host.verdict, host.row["lacks"]) == (PARTLY, "OSRT_API; SCHED_EVENTS")


def test_a_column_that_a_question_reads_and_the_export_lacks(copy: Path) -> None:
    alter(copy, "ALTER TABLE CUPTI_ACTIVITY_KIND_KERNEL DROP COLUMN registersPerThread")
    found = examined(copy)
    assert answer(found, "cuda_gpu_trace").verdict == PARTLY
    assert answer(found, "cuda_gpu_trace").row["lacks"] == "CUPTI_ACTIVITY_KIND_KERNEL (registersPerThread)"
    assert answer(found, "cuda_gpu_kern_sum").verdict == ANSWERED


def test_a_column_under_its_other_name_is_no_lack(copy: Path) -> None:
    alter(copy, "DROP TABLE TARGET_INFO_GPU; CREATE TABLE TARGET_INFO_GPU (deviceId INTEGER, name TEXT)")
    alter(copy, "INSERT INTO TARGET_INFO_GPU VALUES (0, 'A100')")
    lacks = answer(examined(copy), "gpus").row["lacks"]
    assert "smCount" in lacks
    assert "(id" not in lacks
    assert " id" not in lacks
    assert "deviceId" not in lacks


def test_what_causes_need_exists() -> None:
    known = {*read_views(), *read_raw()}
    with nsysql.open(Path(__file__).parent / "fixtures" / "training.sqlite") as run:
        for column in run.idle_causes().select("needs", "sharper"):
            for need in column.drop_nulls():
                assert {name for part in need.split(", ") for name in part.split(" or ")} <= known


# Findings -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("pushed", [64, 65])
def test_ranges_that_are_never_popped_are_found(pushed: int, build: Build) -> None:
    ranges = ", ".join(f"({i}, 59, 16777217, 0, 2)" for i in range(pushed))
    insert = "INSERT INTO NVTX_EVENTS (start, eventType, globalTid, domainId, textId) VALUES "
    with nsysql.open(build(SOUND + insert + ranges)) as run:
        found = [(f["check"], f["table"], f["found"]) for f in collect(run).findings]
        paths = run.operators(by="path")["name"] if pushed > 64 else []
    assert found == ([("range_never_popped", "NVTX_EVENTS", pushed)] if pushed > 64 else [])
    assert max((path.count(" > ") + 1 for path in paths if path), default=64) == 64  # the outermost 64


@pytest.mark.parametrize(("fault", "check", "table", "count"), FAULTS)
def test_a_fault_is_found_and_nothing_else(fault: str, check: str | None, table: str, count: int, build: Build) -> None:
    path = build(SOUND + fault)
    expected = [(check, f"CUPTI_ACTIVITY_KIND_{table}", count)] if check else []
    with nsysql.open(path) as run:
        run.facts.read_all()
        found = [("wrong_type", *of) for of in run.facts.wrong_cells.items() if of[1]]
        found += run.capture_checks().drop_nulls("source").select("check_id", "source", "rows_found").rows()
        assert found == expected
        rows = run.suspect_rows(check_id=check if check in CHECKS else None)
        assert rows.select("check_id", "source").rows() == [of[:2] for of in expected if of[0] in CHECKS] * count


def test_findings_name_the_answers_that_they_touch(build: Build) -> None:
    (found,) = examined(build(SOUND + KERNEL + "(210, 220, 16777216, 0, 1, 7, 9, 2, 2, NULL)")).findings
    assert {"launches", "cuda_kern_exec_sum"} <= set(found["touches"])
    assert not {"cuda_gpu_kern_sum", "cuda_api_sum", "osrt_sum"} & set(found["touches"])


def test_what_could_not_be_checked_is_told(build: Build, run: Run) -> None:
    export = build("INSERT INTO OSRT_API (start, end, eventClass, globalTid) VALUES (0, 10, 27, 16777217)")
    assert [c["check"] for c in examined(export).checks if not c["was_made"]] == list(CHECKS[3:])
    assert "Not checked, as there are no such rows: GPU work without its launch" in " ".join(
        run("doctor", export).text.split()
    )


# The command ------------------------------------------------------------------------------------------------


def test_the_page_fits_and_says_that_all_is_well(run: Run) -> None:
    ran = run("doctor", Path(__file__).parent / "fixtures" / "training.sqlite")
    assert (ran.code, ran.err) == (0, "")
    assert max(map(len, ran.text.splitlines())) <= 160
    assert "Yes: it has" in ran.text
    assert "--trace=mpi " in ran.text
    assert re.search(r"--cpuctxsw=process-tree +SCHED_EVENTS, when threads were off the CPU: \d+ questions", ran.text)
    assert len(ran.text.splitlines()) <= 80  # many questions that lack the same are a number


def test_an_export_without_events_cannot_be_analysed(run: Run, build: Build) -> None:
    ran = run("doctor", build("INSERT INTO StringIds (id, value) VALUES (1, 'x')"))
    assert ran.code == 1
    assert "No: nothing was recorded" in ran.text


def test_a_damaged_table_is_named(run: Run, copy: Path) -> None:
    db = sqlite3.connect(copy)
    (root,) = db.execute("SELECT rootpage FROM sqlite_master WHERE name = 'OSRT_API'").fetchone()
    (size,) = db.execute("PRAGMA page_size").fetchone()
    db.close()
    with copy.open("r+b") as file:
        file.seek((root - 1) * size)
        file.write(b"\xa5" * size)
    ran = run("doctor", copy, "--format", "json")
    assert ran.code == 1
    found = json.loads(ran.out)
    assert list(found["damaged"]) == ["OSRT_API"]
    verdicts = {a["name"]: a["verdict"] for a in found["answers"] if a["kind"] == "query"}
    assert verdicts["osrt_sum"] == verdicts["idle_ledger"] == CANNOT
    assert verdicts["cuda_gpu_kern_sum"] != CANNOT
    with nsysql.open(copy) as export, pytest.raises(nsysql.NsysqlError, match="malformed"):
        export.osrt_sum()


def test_messages_of_nsys_are_counted_and_losses_stand_out(run: Run, build: Build) -> None:
    said = """
        INSERT INTO DIAGNOSTIC_EVENT (timestamp, severity, text) VALUES
            (0, 1, 'Profiling has started.'), (0, 2, 'Careful.'),
            (0, 2, 'Not all CUDA events might have been collected.')
    """
    text = run("doctor", build(SOUND + said)).text
    assert "2 warnings; 1 remark" in text
    assert "events lost  Not all CUDA events" in text
    assert "warning      Careful." in text


def test_the_json_is_as_written_down(run: Run, build: Build) -> None:
    ran = run("doctor", build(SOUND), "-f", "json")
    found = json.loads(ran.out)
    assert found["schema"] == "nsysql.doctor/1"
    written = (Path(__file__).parent.parent / "docs" / "doctor.md").read_text(encoding="utf-8")
    assert [key for key in found if f"| `{key}` |" not in written] == []
    assert found["can_be_analysed"] is True


def test_the_main_table_has_every_question(run: Run, build: Build) -> None:
    lines = run("doctor", build(SOUND), "-f", "csv").text.splitlines()
    assert lines[0] == "kind,name,verdict,lacks,options"
    with nsysql.open(build(SOUND)) as export:
        assert sum(line.startswith("query,") for line in lines) == len(export.paths)
        assert sum(line.startswith("cause,") for line in lines) == export.idle_causes().height
    assert sum(line.startswith("rule,") for line in lines) == 7


def test_a_query_of_somebody_elses_pack_is_examined_too(run: Run, build: Build, tmp_path: Path) -> None:
    head = "-- A kernel.\n--\n-- Needs  kernel\n-- Columns\n--     row_id  BIGINT  -- Where.\n"
    (tmp_path / "good.sql").write_text(head + "SELECT row_id FROM kernel ORDER BY row_id")
    (tmp_path / "bad.sql").write_text(head + "SELECT row_id FROM read_csv('x') ORDER BY row_id")
    export = build(SOUND)
    alter(export, "ALTER TABLE CUPTI_ACTIVITY_KIND_KERNEL DROP COLUMN gridX")
    ran = run("--pack", tmp_path, "doctor", export, "-f", "csv")
    assert "query,good,answered,," in ran.text
    assert any(line.startswith("query,bad,cannot be answered,") for line in ran.text.splitlines())


def test_checks_asked_at_once_find_what_each_finds_alone(story: Callable[[str], Path]) -> None:
    with nsysql.open(story("training")) as run:
        choices = run.find("capture_checks").parameters[0].choices
        alone = [run.query("capture_checks", check_id=check) for check in choices]
        assert pl.concat(alone).equals(run.query("capture_checks"))
