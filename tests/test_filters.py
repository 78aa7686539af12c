"""Filters: what a window of time or an NVTX range keeps, for every query and report."""

import sqlite3
from collections.abc import Callable
from inspect import signature
from pathlib import Path

import pytest
from command_line import Ran
from exports import RICHEST, corpus_names

import nsysql
from nsysql.capture.export import Export
from nsysql.capture.nvtx_range_filter import split_range
from nsysql.capture.time_window import condition
from nsysql.catalog.packs import find_packs, query_paths
from nsysql.catalog.parameters import with_filters
from nsysql.catalog.query_file import read_query
from nsysql.catalog.raw_schema import read_raw
from nsysql.errors import MissingData, UsageError

Run = Callable[..., Ran]
P1, P2 = 1 << 24, 2 << 24  # processes; their threads are P1 + 1 (the first of process 1), P1 + 7, P2 + 2

# time       0    100   200   300   400   500
# kernels         |-a---|     |-c---|              a ends where the window [200, 300) begins, c starts at its end
#                       |-b---|
#                 50-199: d    |----e----| 150-350     f: 250, no length
# calls      b: 10-20 (outside), e: 210-220
TIMELINE = f"""
INSERT INTO StringIds (id, value) VALUES
    (1, 'a'), (2, 'b'), (3, 'c'), (4, 'd'), (5, 'e'), (6, 'f'), (9, 'cudaLaunchKernel_v7000'), (20, 'step');
INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL
    (start, end, deviceId, streamId, correlationId, globalPid, demangledName, shortName) VALUES
    (100, 200, 0, 7, 1, {P1}, 1, 1), (200, 300, 0, 7, 2, {P1}, 2, 2), (300, 400, 0, 7, 3, {P1}, 3, 3),
    (50, 199, 0, 7, 4, {P1}, 4, 4), (150, 350, 0, 7, 5, {P1}, 5, 5), (250, 250, 0, 7, 6, {P2}, 6, 6);
INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME (start, end, globalTid, correlationId, nameId) VALUES
    (10, 20, {P1 + 1}, 2, 9), (210, 220, {P1 + 7}, 5, 9), (230, 240, {P2 + 2}, 6, 9);
INSERT INTO NVTX_EVENTS (start, end, eventType, text, textId, globalTid, domainId) VALUES
    (1, NULL, 75, 'train', NULL, {P1 + 1}, 1),
    (2, NULL, 39, 'worker', NULL, {P1 + 7}, 0),
    (200, 300, 59, 'main', NULL, {P1 + 1}, 0),
    (200, 300, 59, 'side', NULL, {P1 + 7}, 0),
    (20, 30, 59, NULL, 20, {P1 + 7}, 1),
    (310, 320, 59, 'step', NULL, {P1 + 7}, 1),
    (205, 260, 60, 'step', NULL, {P2 + 2}, 0),
    (240, NULL, 59, 'open', NULL, {P1 + 1}, 0),
    (260, 270, 59, 'a/b', NULL, {P1 + 1}, 0),
    (255, NULL, 34, 'mark', NULL, {P1 + 1}, 0);
"""


@pytest.fixture(scope="module")
def path(build: Callable[[str], Path]) -> Path:
    return build(TIMELINE)


@pytest.fixture
def opened(path: Path) -> Export:
    return nsysql.open(path)


def kernels(opened: Export, **window: object) -> str:
    """The names of the kernels kept, in order of start."""
    return "".join(opened.cuda_gpu_trace(**window)["name"])


@pytest.mark.parametrize(
    ("start", "end", "kept"),
    [
        (200, 300, "aebf"),
        (None, 200, "dae"),
        (300, None, "ebc"),
        (201, 299, "ebf"),
        (201, 350, "ebfc"),  # e ends with the window
        (250, 250, "eb"),
        (250, 251, "ebf"),
        (None, None, "daebfc"),
        ("0.2us", "300ns", "aebf"),
        (401, None, ""),
        (400, None, "c"),
        (-(2**63), 2**63 - 1, "daebfc"),
    ],
)
def test_rows_that_overlap_a_window_are_kept(opened: Export, start: object, end: object, kept: str) -> None:
    assert kernels(opened, start_ns=start, end_ns=end) == kept


def test_each_table_is_filtered_by_itself(opened: Export) -> None:
    """Kernel b is in the window and its call is not: the pair is gone."""
    pairs = opened.cuda_kern_exec_trace(start_ns=200, end_ns=300)
    assert pairs["kernel_name"].to_list() == ["e", "f"]
    assert opened.cuda_api_sum(start_ns=200, end_ns=300)["num_calls"].to_list() == [2]


def test_what_was_never_closed_is_under_way_to_the_end(opened: Export) -> None:
    """The range open begins at 240; the last timestamp of any range of the whole is 320."""
    for window in ({}, {"start_ns": 200, "end_ns": 300}, {"start_ns": 300}, {"start_ns": 900}):
        found = opened.nvtx_sum(**window).filter(range="open")
        assert found["total_time_ns"].to_list() == [80]
    assert opened.nvtx_sum(end_ns=240).filter(range="open").is_empty()


def test_what_lies_outside_of_a_window_is_not_taken_for_lost(opened: Export) -> None:
    """Kernel b ran in the window and was launched before it; e began before it and was launched in it."""
    found = opened.suspect_rows(start_ns=200, end_ns=300).filter(check_id="work_without_launch")
    assert sorted(found["start_ns"]) == [100]  # kernel a ends there, and no call launched it
    assert opened.suspect_rows(start_ns=5, end_ns=25).filter(check_id="launch_without_work").is_empty()


def test_copies_of_no_kind_have_calls_as_others(build: Callable[[str], Path]) -> None:
    export = build(f"""
INSERT INTO StringIds (id, value) VALUES (1, 'cudaMemcpyAsync_v3020');
INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY (start, end, deviceId, streamId, correlationId, globalPid, bytes) VALUES
    (10, 20, 0, 7, 1, {P1}, 8), (30, 40, 0, 7, 9, {P1}, 8);
INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME (start, end, globalTid, correlationId, nameId) VALUES
    (1, 2, {P1 + 1}, 1, 1), (3, 4, {P1 + 1}, 2, 1);
""")
    with nsysql.open(export) as run:
        rows = run.suspect_rows()
    assert rows.filter(check_id="launch_without_work")["start_ns"].to_list() == [3]
    assert rows.filter(check_id="work_without_launch")["start_ns"].to_list() == [30]


def test_page_faults_of_a_window(build: Callable[[str], Path]) -> None:
    rows = ", ".join(f"({start}, {P1}, {start})" for start in (100, 200, 300))
    faults = f"INSERT INTO CUDA_UM_CPU_PAGE_FAULT_EVENTS (start, globalPid, address) VALUES {rows};"
    with nsysql.open(build(f"INSERT INTO StringIds (id, value) VALUES (1, 'a');\n{faults}")) as run:
        assert run.um_cpu_page_faults_sum()["cpu_page_faults"].sum() == 3
        assert run.um_cpu_page_faults_sum(start_ns=200, end_ns=300)["cpu_page_faults"].sum() == 1


def test_launches_of_a_window_have_their_calls_wherever_these_are(opened: Export) -> None:
    """Kernel b was launched before the window; of a, c and d no call is recorded."""
    rows = opened.launches(start_ns=200, end_ns=300)["name", "api_start_ns", "queue_dur_ns"].rows()
    assert rows == [("a", None, None), ("e", 210, None), ("b", 10, 180), ("f", 230, 10)]
    assert opened.launches(nvtx="step@train/1")["name", "api_start_ns"].rows() == [("e", 210), ("c", None)]


def test_a_filtered_question_leaves_others_alone(opened: Export) -> None:
    lazy = opened.relation("cuda_gpu_trace", start_ns=200, end_ns=300)
    assert kernels(opened) == "daebfc"
    assert kernels(opened, start_ns=400) == "c"
    assert "".join(row[-1] for row in lazy.fetchall()) == "aebf"
    assert opened.arrow("cuda_gpu_trace", start_ns=400).num_rows == 1
    assert opened.sql("SELECT count(*) AS n FROM kernel")["n"].to_list() == [6]


@pytest.mark.parametrize("name", ["launch", "cuda_api_sync"])  # SQLite itself picks the rows of the second
def test_a_window_narrows_what_was_read_without_one(story: Callable[[str], Path], name: str) -> None:
    path = story(RICHEST)
    with nsysql.open(path) as first, nsysql.open(path) as second:
        whole = first.query(name)
        window = {"end_ns": int(whole["start_ns"].max())}
        narrowed = first.query(name, **window)
        assert narrowed.equals(second.query(name, **window))
        assert narrowed.height < whole.height
        assert whole.equals(second.query(name))


@pytest.mark.parametrize(
    ("nvtx", "kept"),
    [
        ("main", "aeb"),
        ("side", "aeb"),
        ("step@train", "ec"),  # both: 20 to 30, 310 to 320
        ("step@train/0", ""),
        ("step@train/1", "ec"),
        ("step", "f"),
        ("step/0", "f"),
        ("a/b", "eb"),
        ("open", "ebc"),  # until the end of the last range
    ],
)
def test_work_of_the_process_in_an_nvtx_range_is_kept(opened: Export, nvtx: str, kept: str) -> None:
    assert kernels(opened, nvtx=nvtx) == kept


def test_the_range_of_the_first_thread_keeps_its_process(opened: Export) -> None:
    names = {name: opened.cuda_api_trace(nvtx=name).select("tid", "start_ns").rows() for name in ("main", "side")}
    assert names == {"main": [(7, 210)], "side": [(7, 210)]}
    ranges = {name: set(opened.nvtx_sum(nvtx=name)["range"]) for name in ("main", "side", "step")}
    assert ranges == {"main": {"main", "side", "open", "a/b"}, "side": {"side"}, "step": {"step"}}


@pytest.mark.parametrize(
    ("nvtx", "told"),
    [
        ("stap@train", "Did you mean step@train"),
        ("main@train", "No NVTX range is named 'main@train'; `nsysql nvtx-sum` lists them"),
        ("step@train/2", "'step@train' occurs 2 times; 2 is no index of it"),
        ("train", "No NVTX range"),
        ("mark", "No NVTX range"),
        ("main/-1", "No NVTX range is named 'main/-1'"),
    ],
)
def test_a_range_that_is_not_there(opened: Export, nvtx: str, told: str) -> None:
    with pytest.raises(MissingData, match=told.replace("(", r"\(")):
        opened.cuda_gpu_trace(nvtx=nvtx)


def test_a_name_without_its_domain_is_offered_with_it(build: Callable[[str], Path]) -> None:
    only = build(
        f"INSERT INTO NVTX_EVENTS (start, end, eventType, text, globalTid, domainId) VALUES"
        f" (1, NULL, 75, 'train', {P1 + 1}, 1), (3, 4, 59, 'step', {P1 + 1}, 1);"
    )
    for given in ("step", "train:step"):  # as reports show it
        with nsysql.open(only) as run, pytest.raises(MissingData, match="Did you mean step@train"):
            run.nvtx_sum(nvtx=given)


def test_without_ranges_the_capture_option_is_named(build: Callable[[str], Path]) -> None:
    with nsysql.open(build("INSERT INTO StringIds VALUES (1, 'a');")) as run, pytest.raises(MissingData):
        run.gpu_time(nvtx="step")
    kernel = "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL (start, end) VALUES (1, 2);"
    with nsysql.open(build(kernel)) as run, pytest.raises(MissingData, match="--trace=nvtx"):
        run.cuda_gpu_kern_sum(nvtx="step")


@pytest.mark.parametrize(
    ("window", "told"),
    [
        ({"start_ns": 5, "end_ns": 4}, "after"),
        ({"nvtx": "main", "start_ns": 5}, "either"),
        ({"start_ns": "soon"}, "is not a time"),
        ({"start_ns": 1.5}, "whole number"),
        ({"nvtx": 5}, "text"),
        ({"end_ns": 2**63}, "whole number"),
        ({"window": 5}, "no parameter 'window'"),
    ],
)
def test_windows_that_are_none(opened: Export, window: dict[str, object], told: str) -> None:
    for query in ("cuda_gpu_trace", "gpu_time"):  # filtered, and cut to it
        with pytest.raises(UsageError, match=told):
            opened.query(query, **window)


def test_registrations_have_no_time(opened: Export, run: Run, path: Path) -> None:
    """The domain was registered before the window: the library knows it, nsys stats forgets it."""
    assert opened.nvtx_sum(start_ns=305, end_ns=330)["range"].to_list() == ["open", "train:step"]
    ran = run("stats", "-q", "-r", "nvtx_sum", "-f", "csv:nohdr", "--filter-time", "305/330", path)
    assert ran.text.rstrip("\n").rpartition(",")[2] == "step"


def test_filters_of_nsysql_stats(run: Run, path: Path, tmp_path: Path) -> None:
    def names(*options: object) -> str:
        text = run("stats", "-q", "-r", "cuda_gpu_trace", "-f", "csv:nohdr", *options, path).text
        return "".join(line.rpartition(",")[2] for line in text.split("\n"))

    assert names("--filter-time", "200/300") == "aebf"
    assert names("--filter-time", "/200ns") == "dae"
    assert names("--filter-nvtx", "step@train/1") == "ec"
    assert names("--filter-nvtx", "step@train/1", "--filter-time", "400/") == "ec"
    assert run("stats", "-q", "-r", "cuda_gpu_trace:start=400", "-f", "csv:nohdr", path).text.count("\n") == 2
    missing = run("stats", "-r", "cuda_gpu_trace,cuda_api_sum", "--filter-nvtx", "nosuch", "-o", tmp_path / "x", path)
    assert (missing.code, missing.err.count("SKIPPED: No NVTX range is named 'nosuch'")) == (0, 2)
    ran = run("stats", "-r", "cuda_gpu_trace:base", "--filter-time", "200/300", "-o", tmp_path / "x", path)
    assert "with [cuda_gpu_trace](start=200:end=300:base) to" in ran.text
    run("stats", "-q", "-r", "cuda_gpu_trace", "--filter-nvtx", "a/b", "-o", tmp_path / "x", path)
    assert sorted(p.name for p in tmp_path.iterdir()) == [
        "x_cuda_gpu_trace_nvtx=a_b.csv", "x_cuda_gpu_trace_start=200_end=300_base.csv",
    ]  # fmt: skip


def test_filters_of_a_query_command(run: Run, path: Path) -> None:
    ran = run("cuda-gpu-trace", path, "--start", "0.2us", "--end", "300ns", "-f", "csv")
    assert "".join(line.rpartition(",")[2] for line in ran.text.splitlines()[1:]) == "aebf"
    assert run("cuda-gpu-trace", path, "--nvtx", "nosuch").code == 2


def test_every_query_has_the_filters_or_its_own(opened: Export) -> None:
    for path in query_paths(find_packs()).values():
        names = [p.name for p in with_filters(read_query(path))]
        assert len(names) == len(set(names))
        assert {"start_ns", "end_ns", "nvtx"} <= set(names)
        assert list(signature(getattr(opened, path.stem)).parameters) == names


def test_indices_of_ranges() -> None:
    assert split_range("step@train/12") == ("step@train", 12)
    assert split_range("a/b") == ("a/b", None)
    assert split_range("a/1/0") == ("a/1", 0)
    assert split_range("a/") == ("a/", None)


def test_tables_without_times_are_not_filtered() -> None:
    tables = read_raw()
    assert condition(tables["StringIds"]) == ""
    assert condition(tables["ANALYSIS_DETAILS"]) == ""
    assert "of_thread(globalTid" in condition(tables["CUPTI_ACTIVITY_KIND_RUNTIME"])
    assert "of_process(globalPid" in condition(tables["CUPTI_ACTIVITY_KIND_KERNEL"])


@pytest.mark.parametrize("name", corpus_names())
def test_raw_sql_has_the_columns_that_filters_look_at(corpus: Path, name: str) -> None:
    db = sqlite3.connect(f"file:{corpus / name}.sqlite?mode=ro&immutable=1", uri=True)
    for table, known in read_raw().items():
        found = {row[1] for row in db.execute(f'PRAGMA table_info("{table}")')}
        if {"start", "end"} <= found:
            assert found & {"start", "end", "globalTid", "globalPid"} <= known.columns.keys(), table
    db.close()
