"""`nsysql analyze`: the rules on small exports, what `nsys analyze` says of them by hand, and what is right.

Thread 1 of process 1 is globalTid 16777217 (1 << 24 | 1), its process globalPid 16777216; process 2 is 33554432.
"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from command_line import Ran

import nsysql
from nsysql.catalog.packs import find_packs, query_paths
from nsysql.errors import UsageError
from nsysql.nsys.analyze import ADVICE, ALIASES, read_rule

Build = Callable[[str], Path]
Run = Callable[..., Ran]
PATHS = query_paths(find_packs())
COPY = (
    "Duration (ns),Start (ns),Src Kind,Dst Kind,Bytes (MB),PID,Device ID,Context ID,Green Context ID,Stream ID,API Name"
)
SET = "Duration (ns),Start (ns),Memory Kind,Bytes (MB),PID,Device ID,Context ID,Green Context ID,Stream ID,API Name"
GAP = "Row#,Duration (ns),Start (ns),PID,Device ID,Context ID"
USE = "Row#,In-Use (%),Duration (ns),Start (ns),PID,Device ID,Context ID"

# Both processes have correlation ids 1 and 4: an asynchronous copy, and a set.
CALLS = """
INSERT INTO StringIds (id, value) VALUES (1, 'cudaMemcpyAsync_v3020'), (2, 'cudaMemcpy_v3020'), (3, 'cudaMemset_v3020'),
    (4, 'cudaStreamSynchronize_v3020'), (5, 'cudaDeviceSynchronize_v3020'), (6, 'cuCtxSynchronize');
INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME (start, end, globalTid, correlationId, nameId) VALUES
    (0, 10, 16777217, 1, 1), (0, 10, 33554434, 1, 1), (20, 30, 16777217, 2, 2), (40, 50, 16777217, 3, 2),
    (60, 70, 16777217, 4, 3), (80, 90, 33554434, 4, 3), (100, 400, 16777217, 5, 4), (100, 600, 33554434, 5, 5),
    (0, 999, 16777217, 6, 6);
INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY (start, end, deviceId, contextId, greenContextId, streamId, correlationId,
    globalPid, bytes, copyKind, srcKind, dstKind) VALUES
    (100, 300, 0, 1, 0, 7, 1, 16777216, 40000, 1, 0, 2), -- asynchronous, from pageable memory
    (400, 500, 0, 1, 0, 7, 2, 16777216, 64001, 1, 1, 2), -- synchronous, just above 64000 bytes
    (600, 650, 0, 1, 3, 7, 3, 16777216, 8, 2, 2, 0),     -- synchronous, back to the host
    (660, 670, 0, 1, 0, 7, 3, 16777216, 64000, 1, 1, 2); -- synchronous, but small enough not to wait
INSERT INTO CUPTI_ACTIVITY_KIND_MEMSET (start, end, deviceId, contextId, streamId, correlationId, globalPid, bytes,
    memKind) VALUES (700, 720, 0, 1, 7, 4, 16777216, 100, 4), (730, 790, 0, 1, 7, 4, 16777216, 100, 2);
"""
# context 1:  [100 - 200)      [1300 - 1400)           [2001400 - 2001500)
# context 2:     [150 --- 300)              exactly 2 ms
# profiler:              [500 - 600)
GAPS = """
INSERT INTO StringIds (id, value) VALUES (1, 'CUPTI Buffer flush');
INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL (start, end, deviceId, contextId, globalPid) VALUES
    (100, 200, 0, 1, 16777216), (150, 300, 0, 2, 16777216), (1300, 1400, 0, 1, 16777216),
    (2001400, 2001500, 0, 1, 16777216), (0, 0, 0, 1, 16777216);
INSERT INTO PROFILER_OVERHEAD (start, end, globalTid, nameId) VALUES (500, 600, 16777217, 1);
"""
# ten chunks of 100:  1000 [full] 1100 ........ 1500 [half] 1600 ...... 1900 [half] 2000
USES = """
INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL (start, end, deviceId, contextId, globalPid) VALUES
    (1000, 1100, 0, 1, 16777216), (1500, 1550, 0, 1, 16777216), (1950, 2000, 0, 3, 16777216);
"""
DX12 = """
INSERT INTO StringIds (id, value) VALUES (1, 'ID3D12Device::CreateHeap'), (2, 'ID3D12Resource::ReadFromSubresource');
INSERT INTO DX12_API (id, start, end, globalTid, nameId) VALUES
    (1, 0, 10, 16777217, 1), (2, 20, 90, 16777217, 1), (3, 30, 60, 33554434, 2), (4, 70, 75, 33554434, 2);
INSERT INTO DX12_MEMORY_OPERATION (gpu, heapType, heapFlags, cpuPageProperty, traceEventId) VALUES
    (0, 0, 1, 0, 1), (0, 0, 4096, 0, 2), (1, 1, 0, 0, 3), (1, 0, 0, 2, 4);
"""
GRAPH = """
INSERT INTO CUPTI_ACTIVITY_KIND_GRAPH_TRACE (start, end, deviceId, contextId, globalPid, graphId) VALUES
    (350, 1250, 0, 1, 16777216, 1);
"""
VULKAN = """
INSERT INTO VULKAN_WORKLOAD (start, end, gpu, contextId, globalTid) VALUES
    (100, 200, 0, 5, 16777217), (250, 260, 0, 5, 16777217), (400, 500, 0, 5, 16777217);
"""

ANSWERS = [  # an export, a rule, its titles and rows
    (CALLS, "cuda_memcpy_async", COPY, "200,100,Pageable,Device,0.040,1,0,1,,7,cudaMemcpyAsync_v3020\n" * 2),
    (
        CALLS, "cuda_memcpy_sync", COPY,
        "100,400,Pinned,Device,0.064,1,0,1,,7,cudaMemcpy_v3020\n50,600,Device,Pageable,0.000,1,0,1,3,7,cudaMemcpy_v3020\n",
    ),
    (CALLS, "cuda_memset_sync", SET, "20,700,Managed,0.000,1,0,1,,7,cudaMemset_v3020\n" * 2),
    (
        CALLS, "cuda_api_sync", "Duration (ns),Start (ns),PID,TID,API Name",
        "500,100,2,2,cudaDeviceSynchronize_v3020\n300,100,1,1,cudaStreamSynchronize_v3020\n",
    ),
    (
        CALLS, "cuda_api_sync:process=1:thread=1", "Duration (ns),Start (ns),PID,TID,API Name",
        "300,100,1,1,cudaStreamSynchronize_v3020\n",
    ),
    (CALLS, "cuda_api_sync:end=50", "", ""),
    # The calls lie outside the time, the copy does not: it keeps its call.
    (CALLS, "cuda_memcpy_sync:start=550:end=700", COPY, "50,600,Device,Pageable,0.000,1,0,1,3,7,cudaMemcpy_v3020\n"),
    (GAPS, "gpu_gaps:gap=0", GAP, "1,2000000,1400,1,0,1\n2,1000,300,1,0,2\n"),
    (GAPS, "gpu_gaps:gap=0:rows=1", GAP, "1,2000000,1400,1,0,1\n"),
    (GAPS, "gpu_gaps:gap=2", "", ""),
    # The first of each API, where there are two: not the longest one.
    (GAPS + VULKAN, "gpu_gaps:gap=0:rows=1", GAP, "1,1000,300,1,0,2\n"),
    (GAPS + VULKAN, "gpu_gaps:gap=0:rows=2", GAP, "1,2000000,1400,1,0,1\n2,1000,300,1,0,2\n"),
    (GAPS + GRAPH, "gpu_gaps:gap=0", GAP, "1,2000000,1400,1,0,1\n2,1000,300,1,0,2\n"),
    (USES, "gpu_time_util:chunks=10:threshold=50", USE, "1,0.0,300,1600,1,0,3\n2,0.0,400,1100,1,0,3\n"),
    (USES, "gpu_time_util:chunks=10:threshold=51", USE, "1,11.1,900,1100,1,0,3\n"),
    (USES, "gpu_time_util:chunks=10:threshold=50:rows=1", USE, "1,0.0,400,1100,1,0,3\n"),
    (
        DX12, "dx12_mem_ops", "Duration (ns),Start (ns),TID,Device ID,Warning Type",
        "30,30,2,1,D3D12_READ_FROM_UPLOAD_HEAP_SUBRESOURCE\n10,0,1,0,D3D12_HEAP_CREATED_WITH_ZEROING\n"
        "5,70,2,1,D3D12_READ_FROM_SUBRESOURCE_TO_WRITE_COMBINE_PAGE\n",
    ),
]  # fmt: skip

OWN: list[tuple[str, str, dict[str, Any], list[str], list[tuple[Any, ...]]]] = [  # what is right where NVIDIA is not
    (CALLS, "cuda_memcpy_async", {}, ["start_ns", "pid"], [(100, 1)]),
    (CALLS, "cuda_memcpy_sync", {}, ["start_ns", "bytes"], [(600, 8)]),  # up to 64 KiB does not wait
    (CALLS, "cuda_memset_sync", {}, ["start_ns", "pid"], [(700, 1)]),
    (GAPS, "gpu_gaps", {"min_gap_ns": 0}, ["start_ns", "duration_ns"], [(1400, 2000000), (600, 700), (300, 200)]),
    (GAPS, "gpu_gaps", {"min_gap_ns": 2000000}, ["start_ns", "duration_ns"], [(1400, 2000000)]),
    (GAPS + VULKAN, "gpu_gaps", {"min_gap_ns": 0, "top": 1}, ["start_ns", "duration_ns"], [(1400, 2000000)]),
    (GAPS + GRAPH, "gpu_gaps", {"min_gap_ns": 0}, ["start_ns", "duration_ns"],
     [(1400, 2000000), (300, 50), (1250, 50)]),
    (USES, "gpu_time_util", {"chunks": 10, "top": 1}, ["start_ns", "duration_ns", "in_use_pct"], [(1600, 300, 0.0)]),
    (USES, "gpu_time_util", {"chunks": 0}, ["start_ns"], []),
]  # fmt: skip


@pytest.mark.parametrize(("sql", "rule", "titles", "rows"), ANSWERS, ids=[case[1] for case in ANSWERS])
def test_a_rule_is_nvidias(run: Run, build: Build, sql: str, rule: str, titles: str, rows: str) -> None:
    ran = run("analyze", "-q", "-f", "csv", "-r", rule, "-o", "-", build(sql))
    assert ran.text == (f"{titles}\n{rows}\n" if rows else "")
    assert (ran.code, ran.err) == (0, "")


@pytest.mark.parametrize(("sql", "query", "parameters", "columns", "rows"), OWN)
def test_a_rule_as_a_query_is_right(
    build: Build, sql: str, query: str, parameters: dict[str, Any], columns: list[str], rows: list[tuple[Any, ...]]
) -> None:
    with nsysql.open(build(sql)) as export:
        assert export.query(query, **parameters).select(columns).rows() == rows


def test_each_graphics_api_is_a_time_line_of_its_own(build: Build) -> None:
    sql = "INSERT INTO StringIds VALUES (1, 'x');\n" + "\n".join(
        f"INSERT INTO {table} (start, end, globalTid, gpu, {context}) VALUES "
        f"({10 + i}, {20 + i}, 16777217, 0, {i}), ({30 + i}, {40 + i}, 16777217, 0, {i});"
        for i, (table, context) in enumerate(
            [("VULKAN_WORKLOAD", "contextId"), ("OPENGL_WORKLOAD", "contextId"), ("DX12_WORKLOAD", "shortContextId")]
        )
    )
    with nsysql.open(build(sql)) as export:
        assert export.gpu_gaps(min_gap_ns=0).select("start_ns", "duration_ns", "context_id").rows() == [
            (20, 10, 0),
            (21, 10, 1),
            (22, 10, 2),
        ]


# What is said --------------------------------------------------------------------------------------------------------


def test_a_rule_comes_with_advice(run: Run, build: Build) -> None:
    ran = run("analyze", "-r", "gpu_gaps:gap=0:rows=1", build(GAPS))
    lines = ran.text.splitlines()
    assert lines[2] == f" ** {ADVICE['gpu_gaps'].title} (gpu_gaps):"
    assert "longer than 0 ms" in ran.text
    row = "    1        2000000        1400    1          0           1"
    assert lines[-4:] == [row, "", "These are the first 1, and there may be more: rows=-1 shows all.", ""]
    assert max(map(len, lines)) < 80


def test_a_rule_that_finds_nothing_says_so(run: Run, build: Build) -> None:
    ran = run("analyze", "-q", "-r", "gpu_gaps:gap=2.5,gpu_time_util:threshold=0", build(GAPS))
    assert "No GPU was without work of a process for more than 2.5 ms." in ran.text
    assert "No stretch of a GPU's time was used less than 0 %." in ran.text
    assert (ran.code, ran.err) == (0, "")


def test_advice_stands_where_people_read_alone(run: Run, build: Build, tmp_path: Path) -> None:
    export = build(GAPS)
    found = json.loads(run("analyze", "-q", "-f", "json", "-r", "gpu_gaps:gap=0:rows=1", export).text)
    assert found == [
        {"Row#": 1, "Duration (ns)": 2000000, "Start (ns)": 1400, "PID": 1, "Device ID": 0, "Context ID": 1}
    ]
    ran = run("analyze", "-r", "gpu_gaps:gap=0", "-o", tmp_path / "x", export)
    assert f"to [{tmp_path / 'x'}_gpu_gaps_gap=0.csv]... PROCESSED" in ran.text
    assert (tmp_path / "x_gpu_gaps_gap=0.csv").read_text() == f"{GAP}\n1,2000000,1400,1,0,1\n2,1000,300,1,0,2\n"


def test_all_rules_are_run_in_nvidias_order(run: Run, build: Build) -> None:
    ran = run("analyze", "-f", "csv", build(CALLS))
    asked = [line.split("[")[2].split("]")[0] for line in ran.text.splitlines() if line.startswith("Processing")]
    assert asked == [
        "cuda_memcpy_async", "cuda_memcpy_sync", "cuda_memset_sync", "cuda_api_sync", "gpu_gaps", "gpu_time_util",
        "dx12_mem_ops",
    ]  # fmt: skip
    assert ran.code == 0
    assert "SKIPPED: dx12_mem_ops" in ran.err
    assert "capture with --trace=dx12" in ran.err


def test_copies_listed_more_than_once_are_told(run: Run, build: Build) -> None:
    export = build(CALLS)
    told = run("analyze", "-f", "csv", "-r", "cuda_memcpy_async,cuda_memset_sync,cuda_api_sync", export).err
    assert sum(line.startswith("NOTE: ") and "computed without" not in line for line in told.splitlines()) == 2
    assert "NOTE: cuda_memcpy_async: copies" in told
    assert "NOTE: cuda_memset_sync: sets" in told
    assert run("analyze", "-q", "-f", "csv", "-r", "cuda_memcpy_async", export).err == ""


def test_graphs_that_a_rule_does_not_see_are_told(run: Run, build: Build) -> None:
    assert "NOTE: gpu_gaps: runs of whole CUDA graphs (1)" in run("analyze", "-r", "gpu_gaps", build(GAPS + GRAPH)).err


def test_old_names_still_answer(run: Run, build: Build) -> None:
    assert sorted(ALIASES.values()) == sorted(ADVICE)
    ran = run("analyze", "-q", "-r", "gpu-starv:gap=0", build(GAPS))
    assert "DEPRECATED - Use gpu_gaps instead (gpu-starv)" in ran.text
    assert "2000000" in ran.text


# Mistakes ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rule", "said"),
    [
        ("gpu_gapz", "Rule 'gpu_gapz' could not be found. Did you mean gpu_gaps?"),
        ("cuda_api_sum", "Rule 'cuda_api_sum' could not be found."),
        ("gpu_gaps:threshold=5", "Invalid argument passed to rule 'gpu_gaps': threshold=5."),
        ("gpu_gaps:as_nsys=false", "Invalid argument passed to rule 'gpu_gaps': as_nsys=false."),
        ("gpu_gaps:rows=x", "Invalid argument passed to rule 'gpu_gaps': rows=x is no number."),
        ("gpu_gaps:rows", "Invalid argument passed to rule 'gpu_gaps': rows= is no number."),
        ("gpu_time_util:chunks=0", "chunks can be 1 to 1000."),
        ("gpu_time_util:chunks=1001", "chunks can be 1 to 1000."),
    ],
)
def test_a_rule_that_is_none_is_refused(rule: str, said: str) -> None:
    with pytest.raises(UsageError) as told:
        read_rule(rule, {}, PATHS)
    assert said in str(told.value)


@pytest.mark.parametrize(
    ("rule", "parameter", "value"),
    [
        ("gpu_gaps", "top", 50),
        ("gpu_gaps:rows=-1", "top", None),
        ("gpu_gaps:rows=0", "top", 0),
        ("gpu_gaps", "min_gap_ns", 500_000_000),
        ("gpu_gaps:gap=0.5", "min_gap_ns", 500_000),
        ("gpu_time_util", "threshold_pct", 50.0),
        ("gpu_time_util:threshold=7", "threshold_pct", 7.0),
        ("cuda_api_sync:process=5", "pid", 5),
        ("gpu_gaps:start=1:end=2:nvtx=a", "nvtx", None),
        ("gpu_gaps:nvtx=a@b/1", "nvtx", "a@b/1"),
    ],
)
def test_options_become_parameters(rule: str, parameter: str, value: object) -> None:
    assert read_rule(rule, {}, PATHS).parameters.get(parameter) == value


def test_a_wrong_rule_costs_a_line_and_the_others_go_on(run: Run, build: Build) -> None:
    ran = run("analyze", "-q", "-f", "csv", "-r", "nosuch,gpu_gaps:gap=0:rows=1", build(GAPS))
    assert ran.err == "ERROR: Rule 'nosuch' could not be found.\n"
    assert ran.text == f"{GAP}\n1,2000000,1400,1,0,1\n\n"
    assert ran.code == 1


def test_wrong_usage_ends_with_2(run: Run, build: Build, tmp_path: Path) -> None:
    assert run("analyze").code == 2
    assert run("analyze", "-f", "nosuch", build(GAPS)).code == 2
    assert run("analyze", tmp_path / "none.sqlite").code == 1


def test_filters_of_the_call_are_those_of_the_rules(run: Run, build: Build) -> None:
    ran = run("analyze", "-q", "-f", "csv", "--filter-time", "1us/2us", "-r", "gpu_gaps:gap=0", build(GAPS))
    assert ran.text == ""  # one kernel alone


def test_help_tells_rules_and_options(run: Run) -> None:
    listed = run("analyze", "--help-rules").text
    assert all(f"  {rule} " in listed for rule in ADVICE)
    page = run("analyze", "--help-rules", "gpu_gaps").text
    assert "\n    gap=MS        Shortest gap to show, in ms; 500 without it.\n" in page
    assert "\ngpu_gaps[:gap=MS][:rows=N][:start=TIME][:end=TIME][:nvtx=NAME]\n" in page
    assert "Rows to show, 50 without it; -1 shows all." in page and "min_gap_ns" not in page
    assert "(formerly gpu-starv)" in page
    assert "as_nsys" not in page
    assert run("analyze", "--help-rules", "ALL").text.count("(formerly ") == len(ADVICE)
    assert run("analyze", "--help-rules", "nosuch").code == 2
    assert "csv" in run("analyze", "--help-formats").text
