"""The idle page: what it says of drawn exports, its forms and options, and the parts of busy time."""

import json
import re
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest
from command_line import Ran, process
from drawn import drawn as drawn_story
from exports import alter, each_opened, story_names, story_sql
from hypothesis import given
from hypothesis import strategies as st

import nsysql
from nsysql.analysis.intervals import alone, union
from nsysql.errors import MissingData
from nsysql.pages.idle import explain
from nsysql.pages.idle.explain import segments
from nsysql.pages.idle.page import longest_gaps
from nsysql.pages.phrases import activity
from nsysql.pages.scope import PageScope, ScopedRun

pytestmark = pytest.mark.usefixtures("kept_open")

DOCS = Path(__file__).parent.parent / "docs" / "reading.md"
NO_ACTIVITY = (
    "nsysql: no GPU activity was recorded (the export has no kernel, copy or memset table;"
    " was the run captured with --trace=cuda?).\n"
)
CALLS_ALONE = (
    "nsysql: no GPU activity was recorded: the export has CUDA calls, but no kernel, copy, memset or graph run;"
    " did the program launch any while it was captured?\n"
)
GPU = 4711 << 24  # a process (globalPid); its thread 1 is GPU + 1

# GPU:     [100 k 200)              [1000 k 1100)   [1200 k 1300)
# thread:      outer [150 ------------------ 1250)
#              inner [180 - 400)  next [500 - 1150)
#              [210 cudaMalloc 800)  [900 launch 950) [1110 launch 1120)
DRAWN = f"""
INSERT INTO StringIds (id, value) VALUES (1, 'k'), (2, 'cudaLaunchKernel_v7000'), (3, 'cudaMalloc_v3020'),
    (4, 'outer'), (5, 'next [bold]');
INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL (start, "end", deviceId, streamId, correlationId, globalPid, demangledName,
    shortName, gridX, gridY, gridZ) VALUES
    (100, 200, 0, 7, 1, {GPU}, 1, 1, 1, 1, 1), (1000, 1100, 0, 7, 2, {GPU}, 1, 1, 1, 1, 1),
    (1200, 1300, 0, 7, 3, {GPU}, 1, 1, 1, 1, 1);
INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME (start, "end", globalTid, correlationId, nameId) VALUES
    (50, 60, {GPU + 1}, 1, 2), (210, 800, {GPU + 1}, 9, 3), (900, 950, {GPU + 1}, 2, 2), (1110, 1120, {GPU + 1}, 3, 2);
INSERT INTO NVTX_EVENTS (start, "end", eventType, globalTid, textId, text) VALUES
    (150, 1250, 59, {GPU + 1}, 4, NULL), (180, 400, 59, {GPU + 1}, NULL, 'inner'), (500, 1150, 59, {GPU + 1}, 5, NULL);
"""


@pytest.fixture(scope="module")
def drawn(build: Callable[[str], Path]) -> Path:
    return build(DRAWN)


def test_a_stretch_of_no_length_is_refused(run: Callable[..., Ran], drawn: Path) -> None:
    assert "is not before" in run("idle-gaps", drawn, "--start", "300ns", "--end", "300ns").err
    refused = run("idle-ledger", drawn, "--start", "300ns", "--end", "300ns")
    assert (refused.code, refused.out) == (2, b"")
    assert "no time between them" in refused.err
    assert run("launches", drawn, "--start", "150ns", "--end", "150ns").code == 0  # what is under way at that moment


# The page -----------------------------------------------------------------------------------------


def test_the_page_of_a_drawn_run(run: Callable[..., Ran], drawn: Path) -> None:
    found = run("idle-gaps", drawn)
    assert (found.code, found.err) == (0, "")
    assert "Idle for 75% of the time from first to last GPU work." in found.text
    assert re.search(r"Memory management +66% +\S+ +590 ns", found.text)
    assert re.search(r"1 +0\.\d{9} s +800 ns +memory management 74% +k +outer > next \[bold\]", found.text)
    words = " ".join(run("idle-gaps", drawn, "--all").text.split())
    assert re.search(r"0 +Memory management +65\.6% \S+ 590 ns +49\.2 +1 +590 ns", words)
    assert "no OS runtime calls recorded (--trace=osrt): Host code includes waits for locks" in words


def test_the_tables_of_the_page_are_the_queries(run: Callable[..., Ran], drawn: Path) -> None:
    found = json.loads(run("idle-gaps", drawn, "--all", "-f", "json").out)
    with nsysql.open(drawn) as opened:
        gpu_time, gaps = opened.gpu_time().to_dicts(), opened.idle_gaps().to_dicts()
        ledger = opened.idle_ledger().sort("gpu_id", "idle_ns", descending=[False, True])
    assert found["tables"]["gpu_time"] == gpu_time
    assert found["gaps"] == gaps
    assert [row["idle_ns"] for row in found["tables"]["ledger"]] == ledger["idle_ns"].to_list()
    assert sum(row["idle_ns"] for row in found["tables"]["ledger"]) == gpu_time[0]["idle_ns"]
    assert sum(row["idle_ns"] for row in found["parts"]) == gpu_time[0]["idle_ns"]
    assert found["schema"] == "nsysql.idle_gaps/2"


def test_gaps_are_named_alike_be_ranges_few_or_many(drawn: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = []
    for few in (1000, 0):
        monkeypatch.setattr("nsysql.pages.idle.gather.SMALL", few)
        with nsysql.open(drawn) as opened:
            found.append(longest_gaps(ScopedRun(opened, PageScope(top=None))))
    assert found[0]["nvtx_path"].drop_nulls().len()
    assert found[0].equals(found[1])


def test_neighboring_pieces_of_a_cause_are_one_segment() -> None:
    rows = [(0, 10, "a", "x"), (10, 40, "a", "y"), (40, 50, "b", None), (50, 55, "a", "z"), (60, 70, "a", "w")]
    pieces = pl.DataFrame(rows, schema=["start_ns", "end_ns", "cause", "name"], orient="row")
    found = segments(pieces.with_columns(dur_ns=pl.col("end_ns") - pl.col("start_ns")))
    kept = found.select("start_ns", "end_ns", "dur_ns", "cause", "name", "pieces").rows()
    assert kept == [
        (0, 40, 40, "a", "y", 2),
        (40, 50, 10, "b", None, 1),
        (50, 55, 5, "a", "z", 1),
        (60, 70, 10, "a", "w", 1),
    ]


def test_every_key_of_the_json_is_documented(run: Callable[..., Ran], drawn: Path) -> None:
    page, gap = (
        json.loads(run("idle-gaps", drawn, "-f", "json", *more).out)
        for more in (["--all", "--by", "api"], ["--explain", "1"])
    )
    text = DOCS.read_text(encoding="utf-8").partition("## The JSON of `idle-gaps`")[2]
    for key in (*page, *page["asked"], *gap):
        assert f"`{key}`" in text, key


def test_hidden_gaps_are_counted(run: Callable[..., Ran], drawn: Path) -> None:
    found = run("idle-gaps", drawn, "--min-gap", "200ns", "--all").text
    assert "1 gap shorter than 200 ns: 100 ns." in found
    assert re.search(r"Memory management +65\.6%", found)


@pytest.mark.parametrize(("options", "count"), [((), 3), (("--top", "7"), 7), (("--top", "0"), 86), (("--all",), 5)])
def test_as_many_gaps_as_asked_are_listed_once(
    options: tuple[str, ...], count: int, run: Callable[..., Ran], story: Callable[[str], Path]
) -> None:
    text = run("idle-gaps", story("training"), *options).text
    assert text.count("Longest gaps") == 1
    listed = text.split("Longest gaps")[1].split("\n\n")[0].splitlines()[2:]
    assert len(listed) == count, listed


def test_gaps_longer_than_asked_are_all_listed(run: Callable[..., Ran], story: Callable[[str], Path]) -> None:
    text = run("idle-gaps", story("training"), "--min-gap", "1ms", "--top", "0").text
    with nsysql.open(story("training")) as opened:
        for gap in opened.idle_gaps(min_gap_ns="1ms")["gap_id"]:
            assert re.search(rf"^ +{gap} +0\.", text, re.MULTILINE), gap


def test_a_gap_is_explained_by_its_rows(run: Callable[..., Ran], drawn: Path) -> None:
    found = run("idle-gaps", drawn, "--explain", "1").text
    for line in (r"\+0 ns +10 ns +1\.3%  Host code", r"\+10 ns +590 ns +73\.8%  Memory management +cudaMalloc,"):
        assert re.search(line, found), found
    assert found.index("GPU 0 was idle for 800 ns: Memory management 73.8%") < found.index("By cause")
    assert found.index("By cause") < found.index("By call") < found.index("By NVTX range") < found.index("Segments")
    one = run("idle-gaps", drawn, "--explain", "1", "--top", "1").text
    assert "Memory management" in one and "+0 ns" not in one and "shorter segments left out" in one
    assert "CUPTI_ACTIVITY_KIND_RUNTIME row 2" in " ".join(found.split())
    pieces = json.loads(run("idle-gaps", drawn, "--explain", "1", "-f", "json").out)["pieces"]
    assert sum(piece["dur_ns"] for piece in pieces) == 800
    assert run("idle-gaps", drawn, "--explain", "7").code == 2


def test_idle_time_is_grouped(run: Callable[..., Ran], drawn: Path) -> None:
    for by, name in (("api", "cudaMalloc"), ("thread", "1 of process"), ("nvtx", r"outer > next \[bold\]")):
        found = run("idle-gaps", drawn, "--by", by)
        assert re.search(rf"Idle by .*\n.*\n.* {name}", found.text), found.text
        rows = run("idle-gaps", drawn, "--by", by, "-f", "csv").text
        assert name.replace("\\", "") in rows
        assert sum(pl.read_csv(rows.encode())["idle_ns"]) == 900
    lacking = run("idle-gaps", drawn, "--by", "function")
    assert (lacking.code, lacking.text) == (1, "")
    assert "--cudabacktrace=all" in lacking.err


def test_main_tables(run: Callable[..., Ran], drawn: Path) -> None:
    with nsysql.open(drawn) as opened:
        gaps, patterns = opened.idle_gaps(), opened.idle_patterns()
    assert pl.read_ipc(run("idle-gaps", drawn, "-f", "arrow").out).rows() == gaps.rows()
    assert pl.read_parquet(run("idle-gaps", drawn, "-f", "parquet").out).rows() == gaps.rows()
    assert pl.read_csv(run("idle-gaps", drawn, "-f", "csv", "--top", "1").out).height == 1
    assert pl.read_csv(run("idle-gaps", drawn, "-f", "csv", "--by", "pattern").out).rows() == patterns.rows()
    assert run("idle-gaps", drawn, "-f", "markdown").text.startswith("# ")


def test_the_window_is_narrowed(run: Callable[..., Ran], drawn: Path) -> None:
    by_time = json.loads(run("idle-gaps", drawn, "--start", "180ns", "--end", "400ns", "-f", "json").out)
    by_range = json.loads(run("idle-gaps", drawn, "--nvtx", "inner", "-f", "json").out)
    assert by_time["causes"] == by_range["causes"]
    assert (by_time["parts"][0]["length_ns"], by_time["parts"][0]["idle_ns"]) == (220, 200)
    assert run("idle-gaps", drawn, "--gpu", "3").err == "nsysql: no GPU work was recorded on GPU 3; there is 0.\n"
    assert "spans 100 to 1300 ns" in run("idle-gaps", drawn, "--start", "2us").err


@pytest.mark.parametrize(("name", "why"), [("no_cuda", NO_ACTIVITY), ("api_only", CALLS_ALONE)])
def test_no_gpu_activity_is_told(run: Callable[..., Ran], story: Callable[[str], Path], name: str, why: str) -> None:
    for form in ("table", "json", "csv"):
        found = run("idle-gaps", story(name), "-f", form)
        assert (found.code, found.text, found.err) == (1, "", why)


def test_the_page_says_what_it_is_narrowed_to(run: Callable[..., Ran], story: Callable[[str], Path]) -> None:
    page = run("idle-gaps", story("training"), "--nvtx", "step", "--all").text
    assert "narrowed to the 6 NVTX ranges step (step/0 is the first)" in page
    page = run("idle-gaps", story("training"), "--start", "62ms", "--all").text
    assert "narrowed to the time from 0.062000 s." in page
    assert "narrowed" not in run("idle-gaps", story("training"), "--all").text
    assert "narrowed to the NVTX range step/2" in run("cuda-gpu-kern-sum", story("training"), "--nvtx", "step/2").err
    for asked in (["idle-gaps"], ["launches"], ["summary"]):
        for bare in ("60.3", "3"):
            refused = run(*asked, story("training"), "--start", bare)
            assert (refused.code, f"{bare} has no unit; write {bare}s or {bare}ns;" in refused.err) == (2, True)
    assert run("launches", story("training"), "--start", "0").code == 0


def test_host_code_of_a_gpu_whose_threads_called_no_mpi(story: Callable[[str], Path], tmp_path: Path) -> None:
    export = Path(shutil.copy(story("idle_mpi"), tmp_path / "run.sqlite"))
    again = """
        INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL
            (start, "end", deviceId, contextId, streamId, correlationId, globalPid, demangledName, shortName)
        SELECT start, "end", 1, 1, 7, correlationId, 600 << 24, 1, 1
        FROM CUPTI_ACTIVITY_KIND_KERNEL WHERE correlationId < 3;
        INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME (start, "end", globalTid, correlationId, nameId)
        SELECT start, "end", 600 << 24 | 601, correlationId, nameId
        FROM CUPTI_ACTIVITY_KIND_RUNTIME WHERE correlationId < 3;
    """
    alter(export, again)  # the first gap again, on another GPU and by another process
    with nsysql.open(export) as opened:
        assert opened.idle_in_mpi().rows() == [(0, 13000, 6000, 600_000 / 13_000), (1, 9000, 0, 0.0)]


def test_the_page_as_a_process(drawn: Path) -> None:
    found = process("idle-gaps", drawn)
    assert (found.returncode, found.stderr) == (0, "")
    assert "\x1b" not in found.stdout


# NVTX paths ---------------------------------------------------------------------------------------


@each_opened([name for name in story_names() if "INTO NVTX_EVENTS" in story_sql(name)])
def test_paths_of_few_gaps_are_those_of_all(opened: nsysql.Run) -> None:
    try:
        few = opened.idle_gaps(top=100)
    except MissingData:
        return
    every = opened.idle_gaps().filter(pl.col("gap_id").is_in(few["gap_id"].implode()))
    assert every["nvtx_path"].to_list() == few["nvtx_path"].to_list()
    assert opened.idle_gaps(paths=False)["nvtx_path"].is_null().all()
    pieces = opened.idle_pieces()
    for gap in few["gap_id"].gather_every(max(few.height // 4, 1)):
        assert opened.idle_pieces(gap=gap).equals(pieces.filter(gap_id=gap))
    assert opened.idle_pieces(paths=False)["nvtx_path"].is_null().all()


# Busy time ----------------------------------------------------------------------------------------

ROWS = st.lists(st.tuples(st.integers(0, 20), st.integers(1, 12), st.booleans()), max_size=8)


@given(ROWS)
def test_alone_and_union_against_a_clock(drawn_rows: list[tuple[int, int, bool]]) -> None:
    rows = sorted((start, start + length, small) for start, length, small in drawn_rows)
    schema = {"start_ns": pl.Int64, "end_ns": pl.Int64, "is_small": pl.Boolean}
    frame = pl.DataFrame(rows, schema=schema, orient="row")
    running = [[row[2] for row in rows if row[0] <= t < row[1]] for t in range(40)]
    found = alone(frame, "is_small").filter("is_small")
    assert (found["end_ns"] - found["start_ns"]).sum() == sum(now == [True] for now in running)
    stretches = union(frame)
    assert (stretches["end_ns"] - stretches["start_ns"]).sum() == sum(bool(now) for now in running)


def test_busy_time_has_parts(build: Callable[[str], Path]) -> None:
    # copy [0 -- 100)  nccl [50 -- 200)  small kernel [150 -- 300)  large [250 -- 400)
    export = build(f"""
        INSERT INTO StringIds (id, value) VALUES (1, 'k'), (2, 'ncclDevKernel_AllReduce_Sum_f32(int)');
        INSERT INTO TARGET_INFO_GPU (id, smCount) VALUES (0, 4);
        INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY (start, "end", deviceId, globalPid, copyKind)
        VALUES (0, 100, 0, {GPU}, 1);
        INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL (start, "end", deviceId, globalPid, demangledName,
            gridX, gridY, gridZ)
        VALUES (50, 200, 0, {GPU}, 2, 9, 1, 1), (150, 300, 0, {GPU}, 1, 3, 1, 1), (250, 400, 0, {GPU}, 1, 2, 2, 1);
    """)
    with nsysql.open(export) as opened:
        row = opened.exposed_time().row(0, named=True)
        assert row["busy_ns"] == opened.gpu_time()["busy_ns"][0] == 400
    assert (row["only_copies_ns"], row["only_communication_ns"]) == (50, 100)
    assert (row["one_small_kernel_ns"], row["computing_ns"]) == (100, 150)


def test_activities_are_named_in_few_columns() -> None:
    assert activity("[CUDA memcpy Peer-to-Peer]") == "copy PtoP"
    assert activity("x-to-y") == "x-to-y"


def test_work_whose_gpu_is_not_recorded_is_a_gpu_of_its_own(
    run: Callable[..., Ran], story: Callable[[str], Path], tmp_path: Path
) -> None:
    export = Path(shutil.copy(story("two_streams"), tmp_path / "run.sqlite"))
    alter(export, "UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET deviceId = NULL")
    with nsysql.open(export) as opened:
        unknown = opened.gpu_time().filter(pl.col("gpu_id").is_null()).row(0, named=True)
        booked = opened.idle_ledger().filter(pl.col("gpu_id").is_null())["idle_ns"].sum()
        parts = opened.exposed_time().filter(pl.col("gpu_id").is_null())["busy_ns"].sum()
    assert (unknown["idle_ns"], unknown["busy_ns"]) == (booked, parts)
    assert unknown["busy_ns"] > 0
    for page in ("idle-gaps", "summary"):
        assert re.search(r"^ +\? ", run(page, export, "--all").text, re.MULTILINE), page


def test_advice_under_a_gap_fits_its_largest_cause(corpus: Path) -> None:
    """A gap that is 83 % the profiler's, after a call that waits, is not the program's to mend."""
    with nsysql.open(corpus / "synth-idle-a.sqlite") as run:
        (row,) = run.query("idle_gaps", gap=10).to_dicts()
        found = explain.sentences(explain.collect(run, PageScope(), 10))
        advice = dict(run.query("idle_causes").select("cause", "advice").rows())
    assert row["main_cause"] == "profiler" and row["drained_by"] == "cudaStreamSynchronize"
    assert advice["profiler"] in found[1] and len(found) == 2
    assert "Wait" not in found[1] and "item()" not in found[1]


def test_a_gap_is_in_the_range_with_most_of_it_and_a_wait_keeps_its_advice(drawn: Path) -> None:
    with nsysql.open(drawn) as opened:
        detail = explain.collect(opened, PageScope(), 1)
    gap = {**detail.gap, "main_cause": "blocked", "drained_by": "cudaStreamSynchronize", "nvtx_path": "first"}
    pieces = detail.pieces.with_columns(nvtx_path=pl.when(cause="memory_management").then(pl.lit("a")))
    found = explain.sentences(replace(detail, gap=gap, pieces=pieces, call_ns=gap["dur_ns"]))
    assert found[0].endswith(" in a.") and found[-1] == detail.causes["blocked"]["advice"]
    unnamed = pieces.with_columns(nvtx_path=pl.lit(None, pl.String))
    assert explain.sentences(replace(detail, gap=gap, pieces=unnamed))[0].endswith(" in first.")


def test_findings_about_any_gpu_of_the_part_come_first(tmp_path: Path) -> None:
    """Two GPUs take turns; the steps of the one with the finding are uneven, so its part has another title."""
    gpu = 'gpu "NVIDIA A100-SXM4-40GB" 8.0 108\n'
    steps = ""
    for i in range(40):
        start, more = 200 + i % 3 * 4, 900 * (i == 39)
        steps += f"""at {400 * i}
  kernel "first(float *)" 0-3 10-190 gpu=1
  kernel "second(float *)" 12-15 {start}-{start + 178 + more}
  call cudaStreamSynchronize 19-{388 + more}
"""
    with nsysql.open(drawn_story("turns", gpu * 2 + steps).write(tmp_path / "run.sqlite")) as run:
        text = str(run.pages.idle_gaps())
    assert "[gpus-take-turns]" in text and "[sync-per-step]" not in text
