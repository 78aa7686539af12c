"""Small exports whose answers, or ways to them, would be huge: answered in little memory, or refused in a line."""

import random
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

import nsysql
from nsysql.analysis.nvtx.projection import distinct
from nsysql.errors import BEYOND, QueryError, explain_failure

Build = Callable[[str], Path]
PROCESS = 4242 << 24
THREAD = PROCESS | 4242
MEGABYTES = 600  # that a small export may take; Python, DuckDB and polars are a quarter of it
TEXTS = "INSERT INTO StringIds (id, value) VALUES (1, 'cudaLaunchKernel_v7000'), (2, 'k'), (3, 'r');\n"
HERE = Path(__file__).parent  # where peak_memory is
ASK = """
import sys
import nsysql
from peak_memory import peak_mb

with nsysql.open(sys.argv[1]) as run:
    for name in sys.argv[2:]:
        try:
            print(name, run.query(name).height)
        except nsysql.NsysqlError as error:
            print(name, error)
print(peak_mb())
"""


def rows(count: int, table: str, columns: str, values: str) -> str:
    """An INSERT of so many rows, whose values are SQL over their number n."""
    numbers = f"WITH RECURSIVE c(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM c WHERE n < {count} - 1)"
    return f"INSERT INTO {table} ({columns}) {numbers} SELECT {values} FROM c;\n"


def launches(count: int, correlation: str, first: int = 0) -> str:
    """So many calls, each with a kernel after it."""
    start = f"{first} + n * 100"
    return rows(
        count,
        "CUPTI_ACTIVITY_KIND_RUNTIME",
        'start, "end", globalTid, correlationId, nameId, returnValue',
        f"{start}, {start} + 50, {THREAD}, {correlation}, 1, 0",
    ) + rows(
        count,
        "CUPTI_ACTIVITY_KIND_KERNEL",
        'start, "end", deviceId, streamId, globalPid, correlationId, demangledName, shortName',
        f"{start} + 60, {start} + 90, 0, 7, {PROCESS}, {correlation}, 2, 2",
    )


def ranges(count: int, start: str, end: str) -> str:
    """So many push/pop ranges."""
    columns = 'start, "end", eventType, textId, globalTid, domainId'
    return rows(count, "NVTX_EVENTS", columns, f"{start}, {end}, 59, 3, {THREAD}, 0")


def asked(path: Path, *names: str, seconds: int = 120) -> list[str]:
    """What a process of its own answers, which took no more than these seconds and MEGABYTES."""
    command = [sys.executable, "-c", ASK, str(path), *names]
    done = subprocess.run(command, capture_output=True, text=True, timeout=seconds, check=True, cwd=HERE)
    *said, peak = done.stdout.splitlines()
    assert int(peak) < MEGABYTES
    return said


def test_many_calls_with_one_correlation_id(build: Build) -> None:
    path = build(TEXTS + launches(10_000, "7") + ranges(2, "n * 500000", "n * 500000 + 400000"))
    names = ("launches", "nvtx_gpu_proj_trace", "nvtx_gpu_proj_sum", "operators")
    assert asked(path, *names) == ["launches 10000", "nvtx_gpu_proj_trace 3", "nvtx_gpu_proj_sum 1", "operators 2"]
    with nsysql.open(path) as run:
        found = run.query("nvtx_gpu_proj_trace")["range_id", "num_gpu_ops", "projected_start_ns"].rows()
        assert found == [(None, 1, 60), (1, 1, 60), (2, 1, 60)]  # all have one correlation id
        assert run.sql("SELECT count(*) AS n FROM launch").item() == 10_000


def test_many_cuda_events_with_one_correlation_id(build: Build) -> None:
    count = 20_000
    ids = f"0, 1, 7, {PROCESS}, 3"
    records = rows(
        count,
        "CUPTI_ACTIVITY_KIND_CUDA_EVENT",
        "correlationId, deviceId, contextId, streamId, globalPid, eventId",
        f"7, {ids}",
    )
    waits = rows(
        count,
        "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION",
        'start, "end", deviceId, contextId, streamId, globalPid, eventId, syncType',
        f"n * 100 + 60, n * 100 + 70, {ids}, 2",
    )
    assert asked(build(TEXTS + launches(count, "7") + records + waits), "stream_wait") == [f"stream_wait {count}"]


def test_many_rows_of_overhead_within_many_calls(build: Build) -> None:
    """A join of all calls of a thread with all its overhead takes minutes of CPU time."""
    count, start = 200_000, "n * 20000"
    calls = rows(
        count,
        "CUPTI_ACTIVITY_KIND_RUNTIME",
        'start, "end", globalTid, correlationId, nameId, returnValue',
        f"{start}, {start} + 19000, {THREAD}, n, 1, 0",
    )
    overhead = rows(
        count,
        "PROFILER_OVERHEAD",
        'start, "end", globalTid, nameId',
        f"{start} + 100, {start} + 10100 + n % 2 * 9000, {THREAD}, 4",  # every other one outlasts its call
    )
    path = build(TEXTS + "INSERT INTO StringIds (id, value) VALUES (4, 'Unknown');\n" + calls + overhead)
    assert asked(path, "overhead", seconds=60) == [f"overhead {count}"]
    with nsysql.open(path) as run:
        causes = run.sql("SELECT cause, count(*) AS n FROM overhead GROUP BY cause ORDER BY cause").rows()
    assert causes == [("module_load", count // 2), ("profiler", count // 2)]


def test_ranges_deep_in_one_another(build: Build) -> None:
    path = build(TEXTS + launches(100, "n + 1", 1_000_000) + ranges(50_000, "n", "9000000 - n"))
    traces = ("nvtx_pushpop_trace", "nvtx_gpu_proj_trace")
    *refused, summed = asked(path, *traces, "nvtx_gpu_proj_sum")
    assert summed == "nvtx_gpu_proj_sum 1"
    for name, line in zip(traces, refused, strict=True):
        assert line.startswith(f"{name} {name} cannot be computed from {path}: its NVTX ranges lie in one another, ")
        assert "up to 50,000 deep, and the paths from the outermost ones to 50,000 of them would be 7.00 GB" in line


def test_ranges_deep_in_one_another_of_which_two_cross(build: Build) -> None:
    crossing = ranges(2, "3000000 + n * 1000", "4000000 + n * 1000")
    path = build(TEXTS + ranges(5_000, "n", "9000000 - n") + crossing)
    assert "up to 5,001 deep" in asked(path, "nvtx_pushpop_trace")[0]


def test_ranges_that_are_deep_but_few_keep_their_paths(build: Build) -> None:
    path = build(TEXTS + ranges(2_000, "n", "9000000 - n"))
    with nsysql.open(path) as run:
        deepest = run.query("nvtx_pushpop_trace").row(-1, named=True)
    assert deepest["range_stack"] == "".join(f":{row}" for row in range(1, 2_001))


def test_a_duckdb_file_leaves_out_what_is_too_large(build: Build, tmp_path: Path) -> None:
    path = build(TEXTS + launches(100, "n + 1", 1_000_000) + ranges(5_000, "n", "9000000 - n"))
    command = [sys.executable, "-m", "nsysql", "convert", str(path), "-o", str(tmp_path / "run.duckdb")]
    subprocess.run(command, capture_output=True, check=True, timeout=120)
    with nsysql.open(tmp_path / "run.duckdb") as run:
        assert run.query("nvtx_gpu_proj_sum").height == 1
        with pytest.raises(QueryError, match="5,000 deep"):
            run.query("nvtx_gpu_proj_trace")


def test_a_thread_with_many_names(build: Build) -> None:
    names = rows(20_000, "StringIds", "id, value", "100 + n, 'thread ' || n") + rows(
        20_000, "ThreadNames", "nameId, priority, globalTid", f"100 + n, 20, {THREAD}"
    )
    path = build(TEXTS + names + launches(10_000, "n + 1"))
    line, some = asked(path, "cuda_api_trace", "launches")
    assert f"cuda_api_trace cannot be computed from {path}: its answer would have 200,000,000 rows" in line
    assert some == "launches 10000"
    with nsysql.open(path) as run:
        assert run.cuda_api_trace(end_ns=100).height == 20_000


def test_different_values_are_counted_as_one_by_one() -> None:
    drawn = random.Random(21)
    for _ in range(200):
        size = drawn.randrange(1, 40)
        values = [drawn.choice([None, *range(8)]) for _ in range(size)]
        stretches = [sorted(drawn.choices(range(size + 1), k=2)) for _ in range(20)]
        low, high = (pl.Series([stretch[i] for stretch in stretches], dtype=pl.UInt32) for i in (0, 1))
        found = distinct(pl.Series(values, dtype=pl.Int64), low.cast(pl.Int64), high).to_list()
        assert found == [len({v for v in values[a:b] if v is not None}) for a, b in stretches]


@pytest.mark.skipif(sys.platform == "win32", reason="no ulimit")
@pytest.mark.parametrize("command", [("summary",), ("report", "-o", "report.html")])
def test_pages_of_a_small_export_need_little_address_space(
    command: tuple[str, ...], story: Build, tmp_path: Path
) -> None:
    asked = f"ulimit -v 4000000; exec {sys.executable} -m nsysql {' '.join(command)} {story('training')}"
    done = subprocess.run(["sh", "-c", asked], capture_output=True, text=True, check=False, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    asked = asked.replace("4000000", "1000000")
    done = subprocess.run(["sh", "-c", asked], capture_output=True, text=True, check=False, cwd=tmp_path)
    assert "1.0 GB of address space (ulimit -v)" in done.stderr.splitlines()[0]


def test_what_an_error_quotes_is_no_reason() -> None:
    quoted = "Conversion Error: Could not convert string 'x' to INT64\n\nLINE 1: SELECT 'x'::BIGINT AS \"out of range\""
    assert explain_failure(ValueError(quoted)) is None
    assert explain_failure(ValueError(f"Out of Range Error: Overflow in addition\n\n{quoted}")) == BEYOND


def test_many_steps_that_each_wait_for_the_gpu(build: Build) -> None:
    waits = rows(
        20_000,
        "CUPTI_ACTIVITY_KIND_RUNTIME",
        'start, "end", globalTid, correlationId, nameId, returnValue',
        f"n * 100 + 55, n * 100 + 95, {THREAD}, 100000 + n, 4, 0",
    )
    sync = "INSERT INTO StringIds (id, value) VALUES (4, 'cudaStreamSynchronize_v3020');\n"
    path = build(TEXTS + sync + launches(20_000, "n + 1") + waits + ranges(20_000, "n * 100", "n * 100 + 99"))
    assert asked(path, "part", "part_call") == ["part 4", "part_call 4"]


def test_no_window_has_a_filter() -> None:
    """DuckDB takes quadratic time for FILTER with OVER: 50 s for 500,000 rows, where count_if or CASE takes 0.2."""
    filtered = re.compile(r"\bFILTER\s*\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)\s*OVER\b")
    files = sorted((HERE.parent / "queries").rglob("*.sql"))
    assert files and not [path.name for path in files if filtered.search(path.read_text())]
