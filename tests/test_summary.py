"""The summary page: what it says of drawn exports, that it says nothing false, and that it fits."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from command_line import Ran

import nsysql
from nsysql.pages.phrases import ahead, orphans, pace, percent, short_name, without_signature

DOCS = Path(__file__).parent.parent / "docs" / "summary.md"
NARROWED = {  # the keys of the page's JSON that are the rows of a query
    "processes": "processes",
    "gpu_time": "gpu_time",
    "idle_ledger": "idle_ledger",
    "kernels": "cuda_gpu_kern_sum",
    "api_calls": "cuda_api_sum",
    "memory_by_time": "cuda_gpu_mem_time_sum",
    "memory_by_size": "cuda_gpu_mem_size_sum",
    "nvtx": "nvtx_names",
    "os_calls": "osrt_sum",
}


def section(text: str, title: str) -> list[str]:
    """The lines of a section of the page, its title line first."""
    found = re.search(rf"^{title}\b.*?(?=^\S|\Z)", text, re.MULTILINE | re.DOTALL)
    assert found, f"{title} is not on the page"
    return found[0].rstrip().splitlines()


def titles(text: str) -> list[str]:
    return [line.partition("  ")[0] for line in text.splitlines()[1:] if line and not line.startswith(" ")]


# What it says -------------------------------------------------------------------------------------


def test_the_page_of_a_training_run(run: Callable[..., Ran], story: Callable[[str], Path]) -> None:
    found = run("summary", story("training"))
    assert (found.code, found.err) == (0, "")
    assert found.text.startswith("training.sqlite\n\nVerdict\n")
    told = titles(found.text)
    assert told[:7] == ["Verdict", "Steps", "Captured", "GPU time", "Idle", "Why idle", "Longest gaps"]
    assert [t for t in told if t in ("Kernels", "CUDA API", "Memory operations", "NVTX ranges", "OS runtime")] == [
        "Kernels", "CUDA API", "Memory operations", "NVTX ranges", "OS runtime",
    ]  # fmt: skip
    with nsysql.open(story("training")) as opened:
        kernels, gpu = opened.cuda_gpu_kern_sum(), opened.gpu_time().row(0, named=True)
    first = section(found.text, "Kernels")[2]
    assert first.split()[0] == f"{kernels['time_pct'][0]:.1f}%"
    assert first.endswith(without_signature(kernels["name"][0])[-8:])
    assert f"{kernels.height - 5} more names" in found.text
    assert percent(gpu["busy_ns"], gpu["window_ns"]) in section(found.text, "GPU time")[-1]
    assert f"{gpu['gap_count']:,}" in section(found.text, "Idle")[2]


def test_processes_are_counted_with_their_nvtx_ranges_after_without(story: Callable[[str], Path]) -> None:
    with nsysql.open(story("training")) as run:
        without = run.processes(count_nvtx=False)
        counted = run.processes()
        assert set(without["nvtx_ranges"]) == {0}
        assert counted["nvtx_ranges"].sum() == run.nvtx_names()["instances"].sum() > 0
        assert run.processes(count_nvtx=False).equals(without)


def test_top_is_the_rows_of_a_section(run: Callable[..., Ran], story: Callable[[str], Path]) -> None:
    text = run("summary", story("training"), "--top", "2").text
    assert len(section(text, "Kernels")) == 2 + 2 + 1


@pytest.mark.parametrize(
    ("options", "filters", "told"),
    [
        (["--nvtx", "step/2"], {"nvtx": "step/2"}, "the NVTX range step/2, one of 6 of that name (/0 is the first)"),
        (
            ["--start", "60ms", "--end", "80ms"],
            {"start_ns": 60_000_000, "end_ns": 80_000_000},
            "the time from 0.060000 s to 0.080000 s",
        ),
        (["--end", "80ms"], {"end_ns": 80_000_000}, "the time to 0.080000 s"),
    ],
)
def test_the_page_is_narrowed(
    run: Callable[..., Ran], story: Callable[[str], Path], options: list[str], filters: dict[str, Any], told: str
) -> None:
    found = json.loads(run("summary", story("training"), *options, "-f", "json").out)
    with nsysql.open(story("training")) as opened:
        for key, query in NARROWED.items():
            assert found[key] == opened.query(query, **filters).to_dicts(), key
        assert found["launch_pace"][0]["launches"] == opened.launch_pace(**filters)["launches"][0]
        assert found["kernels"] != opened.cuda_gpu_kern_sum().to_dicts()
        steps = opened.nvtx_pushpop_trace().filter(pl.col("name") == "step").select("start_ns", "end_ns")
    times = steps.row(2, named=True) if "nvtx" in filters else {"start_ns": None, "end_ns": None, **filters}
    assert found["narrowed_to"] == {"words": told, **times}
    text = run("summary", story("training"), *options).text
    assert f"narrowed to {told}" in re.sub(r"\s+", " ", "\n".join(section(text, "Captured")))
    assert "cut to the stretch" in " ".join(section(text, "GPU time")[:2])


def test_a_stretch_without_gpu_work_is_told(run: Callable[..., Ran], story: Callable[[str], Path]) -> None:
    found = run("summary", story("training"), "--end", "1ms")
    assert found.code == 0
    assert "No GPU was at work in the time to 0.001000 s; the export has GPU work" in found.text
    assert "no process with CUDA, NVTX, MPI or OS runtime data in the stretch" in found.text
    assert "no kernel ran in the time to" in run("summary", story("training"), "--end", "1ms", "-f", "csv").err
    for name, told in (("no_cuda", "no CUDA call was recorded"), ("api_only", "and no CUDA call in the stretch")):
        assert told in run("summary", story(name), "--end", "-1s").text
        assert "this export has no kernels" in run("summary", story(name), "--end", "-1s", "-f", "csv").err


def test_a_stretch_that_is_none_is_an_error(run: Callable[..., Ran], story: Callable[[str], Path]) -> None:
    for options, told in (
        (["--nvtx", "stepp"], "Did you mean step"),
        (["--nvtx", "step", "--end", "1ms"], "give either --nvtx, or --start and --end"),
        (["--start", "2ms", "--end", "1ms"], "--start 2000000 ns (0.002000 s) is not before --end 1000000 ns"),
    ):
        found = run("summary", story("training"), *options)
        assert (found.code, found.out, len(found.err.splitlines())) == (1 if "stepp" in options else 2, b"", 1), (
            found.err
        )
        assert told in found.err


def test_an_export_without_cuda_says_so(run: Callable[..., Ran], story: Callable[[str], Path]) -> None:
    found = run("summary", story("no_cuda"))
    assert found.code == 0
    assert "No GPU work and no CUDA call was recorded" in found.text
    assert "--trace=cuda" in found.text
    assert "Kernels" not in titles(found.text)
    assert not re.search(r"\bbusy\b|utili[sz]ed", found.text)


def test_calls_without_gpu_work_are_told(run: Callable[..., Ran], story: Callable[[str], Path]) -> None:
    text = run("summary", story("api_only")).text
    assert re.search(r"No GPU work was recorded: \d+ CUDA calls?, but no kernel, memcpy, memset or\s+graph", text)
    assert "CUDA API" in titles(text)


def test_a_graph_traced_whole_is_work(run: Callable[..., Ran], story: Callable[[str], Path]) -> None:
    lines = section(run("summary", story("graph_whole")).text, "GPU time")
    assert any("graphs" in line for line in lines)


def test_unrecorded_launches_are_not_called_late_or_soon(run: Callable[..., Ran], build: Callable[[str], Path]) -> None:
    export = build(
        "\nINSERT INTO StringIds (id, value) VALUES (1, 'k');"
        "\nINSERT INTO CUPTI_ACTIVITY_KIND_KERNEL"
        ' (start, "end", deviceId, streamId, correlationId, globalPid, demangledName, shortName)'
        f" VALUES (100, 200, 0, 7, 1, {7 << 24}, 1, 1);"
    )
    found = json.loads(run("summary", export, "-f", "json").out)["launch_pace"]
    assert [(row["launches"], row["orphan_runs"], row["soon_launches"], row["ahead"]) for row in found] == [
        (0, 1, 0, None)
    ]
    assert "the calls that launched the kernels are not in this export" in run("summary", export).text.replace(
        "\n    ", " "
    )


def test_texts_of_an_export_do_not_rule_the_page(run: Callable[..., Ran], build: Callable[[str], Path]) -> None:
    name = "'[bold]' || char(27) || '[31m' || char(10) || 'x|y' || char(8238)"
    export = build(
        f"\nINSERT INTO StringIds (id, value) VALUES (1, {name});"
        f"\nINSERT INTO PROCESSES (globalPid, pid, name) VALUES ({7 << 24}, 7, {name});"
        "\nINSERT INTO CUPTI_ACTIVITY_KIND_KERNEL"
        ' (start, "end", deviceId, streamId, correlationId, globalPid, demangledName, shortName)'
        f" VALUES (100, 200, 0, 7, 1, {7 << 24}, 1, 1);"
    )
    for form in ("table", "markdown"):
        text = run("summary", export, "-f", form).text
        assert not set("\x1b\u202e").intersection(text)
        assert "bold" in text
    assert "[bold]\\x1b[31m\\nx|y\\u202e" in run("summary", export).text


def test_what_nsys_said_is_told(run: Callable[..., Ran], build: Callable[[str], Path]) -> None:
    export = build(
        "\nINSERT INTO StringIds (id, value) VALUES (1, 'x');"
        "\nINSERT INTO DIAGNOSTIC_EVENT (timestamp, severity, text) VALUES"
        " (1, 1, 'Started.'), (2, 2, 'No symbols of pid 12.'), (3, 2, 'No symbols of pid 13.'), (4, 3, 'Lost events.');"
    )
    lines = section(run("summary", export).text, "nsys diagnostics")[1:]
    assert [line.split(maxsplit=1)[0] for line in lines] == ["error", "warning"]
    assert "Lost events." in lines[0]


def test_messages_name_their_process_and_are_left_out_where_it_refutes_them(
    run: Callable[..., Ran], build: Callable[[str], Path]
) -> None:
    text = "No NVTX events collected. Does the process use NVTX?"
    export = build(f"""
        INSERT INTO PROCESSES (globalPid, pid, name) VALUES ({7 << 24}, 7, '/bin/a'), ({8 << 24}, 8, '/bin/b');
        INSERT INTO NVTX_EVENTS (start, "end", eventType, globalTid, text) VALUES (0, 9, 59, {(7 << 24) + 1}, 'step');
        INSERT INTO DIAGNOSTIC_EVENT (timestamp, severity, text, globalPid) VALUES
            (1, 2, '{text}', {7 << 24}), (2, 2, '{text}', {8 << 24}),
            (3, 2, 'CUDA profiling might have not been started correctly.', {7 << 24});
    """)
    found = " ".join(" ".join(section(run("summary", export).text, "nsys diagnostics")).split())
    assert f"{text} (process 8 b)" in found
    assert "7 a)" in found  # it has no CUDA calls, so that message stays
    assert "process 7 a, 8 b" not in found
    with nsysql.open(export) as opened:
        assert opened.capture_messages().select("pid", "is_refuted").rows() == [(7, True), (8, False), (7, False)]


def test_ranks_without_a_gpu_have_a_verdict(run: Callable[..., Ran], build: Callable[[str], Path]) -> None:
    # rank 3: MPI_Init [0, 100), MPI_Allreduce [200, 260) and [270, 300)
    thread = (7 << 24) + 1
    export = build(f"""
        INSERT INTO StringIds (id, value) VALUES (1, 'MPI_Init'), (2, 'MPI_Allreduce');
        INSERT INTO MPI_RANKS (globalTid, rank) VALUES ({thread}, 3);
        INSERT INTO MPI_OTHER_EVENTS (start, "end", globalTid, textId) VALUES (0, 100, {thread}, 1);
        INSERT INTO MPI_COLLECTIVES_EVENTS (start, "end", globalTid, textId) VALUES
            (200, 260, {thread}, 2), (270, 300, {thread}, 2);
    """)
    page = " ".join(run("summary", export).text.split())
    assert "Communication-bound, no GPU work: in MPI calls are rank 3 for 90% of the time" in page
    assert "process rank 3, 7 of unknown name: 3 MPI calls" in page
    assert "It has MPI calls of rank 3" in run("idle-gaps", export).err


def test_the_longest_gaps_have_their_numbers(run: Callable[..., Ran], story: Callable[[str], Path]) -> None:
    with nsysql.open(story("training")) as opened:
        gaps = opened.idle_gaps().sort("gap_ns", descending=True, maintain_order=True).head(3)
    lines = section(run("summary", story("training")).text, "Longest gaps")
    assert lines[1].split()[:4] == ["GPU", "gap", "length", "at"]
    assert [line.split()[1] for line in lines[2:5]] == [str(number) for number in gaps["gap_id"]]
    found = json.loads(run("summary", story("training"), "-f", "json").out)["longest_gaps"]
    assert [row["gap_id"] for row in found] == gaps["gap_id"].to_list()


def test_when_the_gpus_worked_is_told_of_a_long_capture(run: Callable[..., Ran], corpus: Path) -> None:
    text = run("summary", corpus / "mfu-before-2gpu-2026.2.sqlite").text
    with nsysql.open(corpus / "mfu-before-2gpu-2026.2.sqlite") as opened:
        work = opened.gpu_work()
        start, end = int(work["start_ns"].min()), int(work["end_ns"].max())  # type: ignore[arg-type]
    assert f"119.4 s captured, GPU work from {start / 1e9:.6f} s to {end / 1e9:.6f} s (299.9 ms)" in " ".join(
        " ".join(section(text, "Captured")).split()
    )


# Who is ahead -------------------------------------------------------------------------------------


def row(launches: int, soon: int, gpu_id: int = 0) -> dict[str, Any]:
    return {"gpu_id": gpu_id, "launches": launches, "soon_launches": soon, "soon_ns": 20_000}


def test_who_is_ahead() -> None:
    assert [ahead(row(100, soon), 0.02) for soon in (0, 25, 26, 74, 75, 100)] == ["CPU", "CPU", *["neither"] * 4]
    assert ahead(row(100, 0), 0.5) == ahead(row(100, 100), 0.5) == "GPU"  # the idle time counts, not the launches
    assert ahead(row(0, 0), 0.5) is ahead(row(19, 0), 0.5) is None
    assert ahead(row(20, 0), 0.0) == "CPU"


def test_who_is_ahead_in_words() -> None:
    assert pace([row(100, 10)], [0.02]) == ("GPU 0: the CPU runs ahead (90% of launches waited > 20 µs in the queue).")
    assert pace([row(100, 90), row(100, 95, 1), row(100, 80, 2)], [0.5, 0.6, 0.7]) == (
        "GPUs 0 to 2 wait for the CPU in 50% to 70% of the window: no work was launched."
        " 80% to 95% of launches started within 20 µs."
    )
    assert pace([row(100, 10)], [0.5]).startswith("GPU 0 waits for the CPU in 50% of the window")
    assert pace([row(100, 50)], [0.03]).startswith("GPU 0 hardly waits for the CPU (3% of the window)")
    few = [row(19, 19), row(2, 2, 1)]
    assert (
        pace(few, [0.3, 0.3])
        == "GPUs 0 and 1: at most 19 launches on each are too few to say whether CPU or GPU is ahead."
    )
    assert pace(few[1:], [0.3]).startswith("GPU 1: 2 launches are") and "1 launch is" in pace([row(1, 1)], [0.3])


def test_cells_that_were_read_as_null_are_told(run: Callable[..., Ran], build: Callable[[str], Path]) -> None:
    export = build(
        "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL (start, end, deviceId, streamId, correlationId, globalPid)"
        f" VALUES (100, 200, 0, 7, 1, {7 << 24}), ('soon', 300, 0, 7, 2, {7 << 24});"
    )
    told = "1 of the cells of CUPTI_ACTIVITY_KIND_KERNEL are not of their column's type; read as NULL"
    assert told in " ".join(run("summary", export).text.split())
    assert told in run("summary", export, "-f", "csv").err
    assert told in " ".join(run("idle-gaps", export).text.split())
    assert told not in run("summary", export, "-f", "csv", "-q").err


def test_runs_whose_launch_is_not_recorded_are_told() -> None:
    assert orphans([row(100, 10) | {"runs": 100, "orphan_runs": 0}]) is None
    assert orphans([row(0, 0) | {"runs": 7, "orphan_runs": 7}]) is None  # of which pace() tells
    assert orphans([row(8, 0, gpu) | {"runs": 1000, "orphan_runs": 900} for gpu in (0, 1)]) == (
        "GPUs 0 and 1: 1,800 of 2,000 kernels have no recorded launch; they only count towards GPU time."
    )


def test_a_launch_waits_until_its_first_kernel(story: Callable[[str], Path]) -> None:
    with nsysql.open(story("two_streams")) as opened:
        pace_row, launched = opened.launch_pace().row(0, named=True), opened.launches()
    kernels = launched.filter(kind="kernel", gpu_id=pace_row["gpu_id"])
    waits = (kernels["start_ns"] - kernels["api_start_ns"] - kernels["api_dur_ns"]).clip(lower_bound=0)
    assert (pace_row["runs"], pace_row["launches"]) == (kernels.height, kernels["api_name"].count())
    assert pace_row["wait_ns"] == waits.sum()
    assert pace_row["wait_med_ns"] == waits.median()
    assert pace_row["running_ns"] == kernels["dur_ns"].sum()


def test_of_a_stretch_the_launches_count_whose_kernels_run_in_it(story: Callable[[str], Path]) -> None:
    """Their calls can lie before it: without them a CPU that is far ahead would seem to be late."""
    with nsysql.open(story("training")) as opened:
        kernels = opened.launches().filter(kind="kernel").filter(pl.col("dur_ns") > 0)
        last = kernels.sort(pl.col("start_ns") - pl.col("api_start_ns") - pl.col("api_dur_ns")).row(-1, named=True)
        start, end = last["start_ns"], last["start_ns"] + last["dur_ns"]
        found = opened.launch_pace(start_ns=start, end_ns=end).row(0, named=True)
    alike = kernels.filter((pl.col("start_ns") < end) & (pl.col("start_ns") + pl.col("dur_ns") > start))
    assert last["api_start_ns"] + last["api_dur_ns"] < start
    assert (found["runs"], found["launches"], found["orphan_runs"]) == (alike.height, alike.height, 0)
    assert found["wait_max_ns"] == start - last["api_start_ns"] - last["api_dur_ns"]


# Names --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "short"),
    [
        ("void f<int>(int *)", "f<int>"),
        ("f", "f"),
        ("(lambda)", "(lambda)"),
        ("a::b<c (*)(d)>(e, f (*)(g))", "b<c>"),
        ("operator()", "operator()"),
        (None, "(no name)"),
        ("", "(no name)"),
        ("))((", "))(("),
    ],
)
def test_a_kernels_name_is_shown_without_its_arguments(name: str | None, short: str) -> None:
    assert without_signature(name) == short


def test_copies_are_named_by_their_direction() -> None:
    assert short_name("[CUDA memcpy Unified Host-to-Device]") == "copy UM Host-to-Device"


# Forms --------------------------------------------------------------------------------------------


def test_json_is_as_documented(run: Callable[..., Ran], story: Callable[[str], Path]) -> None:
    documented = re.findall(r"^\| `(\w+)` \|", DOCS.read_text(encoding="utf-8"), re.MULTILINE)
    for name in ("training", "no_cuda"):
        found = json.loads(run("summary", story(name), "-f", "json").out, parse_constant=pytest.fail)
        assert list(found) == documented
        assert found["schema"] == "nsysql.summary/1"
    assert found["gpu_time"] == found["kernels"] == []


def test_json_has_exact_values(run: Callable[..., Ran], story: Callable[[str], Path]) -> None:
    found = json.loads(run("summary", story("training"), "-f", "json").out)
    with nsysql.open(story("training")) as opened:
        assert found["kernels"] == opened.cuda_gpu_kern_sum().to_dicts()
        assert found["gpu_time"] == opened.gpu_time().to_dicts()
        assert found["processes"] == opened.processes().to_dicts()


def test_the_main_table_is_the_kernels(run: Callable[..., Ran], story: Callable[[str], Path]) -> None:
    with nsysql.open(story("training")) as opened:
        kernels = opened.cuda_gpu_kern_sum()
    assert pl.read_csv(run("summary", story("training"), "-f", "csv").out).rows() == kernels.rows()
    assert pl.read_parquet(run("summary", story("training"), "-f", "parquet").out).equals(kernels)
    empty = run("summary", story("no_cuda"), "-f", "csv")
    assert empty.text == ",".join(kernels.columns) + "\n"
    assert empty.err == "note: no rows: this export has no kernels.\n"


def test_markdown_has_the_same_sections(run: Callable[..., Ran], story: Callable[[str], Path], tmp_path: Path) -> None:
    run("summary", story("training"), "-o", tmp_path / "page.md")
    text = (tmp_path / "page.md").read_text(encoding="utf-8")
    assert re.findall(r"^## (.*)$", text, re.MULTILINE) == titles(run("summary", story("training")).text)


def test_a_memset_faster_than_memory_has_no_rate(run: Callable[..., Ran], build: Callable[[str], Path]) -> None:
    def memset(bandwidth: str, ns: int) -> str:
        path = build(
            f"INSERT INTO TARGET_INFO_GPU (id, name, memoryBandwidth) VALUES (0, 'G', {bandwidth});\n"
            "INSERT INTO CUPTI_ACTIVITY_KIND_MEMSET"
            ' (start, "end", deviceId, contextId, streamId, correlationId, globalPid, bytes, memKind)'
            f" VALUES (0, {ns}, 0, 1, 7, 1, 500 << 24, 8000000, 2);"
        )
        return next(line for line in run("summary", path).text.splitlines() if line.endswith(" memset"))

    assert "400 GB/s" in memset("500000000000", 20_000)
    assert "/s" not in memset("500000000000", 500)  # 16 TB/s
    assert "/s" not in memset("NULL", 20_000)
