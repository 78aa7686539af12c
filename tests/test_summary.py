"""The summary: its first screen fits and is true to the export, its tables are the queries' rows, its JSON is exact."""

import json
import re
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from io import StringIO
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import polars as pl
import pytest
from command_line import Ran
from drawn import drawn, read_story
from exports import alter, each_opened, one_in, unlike_names

import nsysql
from nsysql.findings.finding import Finding
from nsysql.findings.sentences import _fill, headline, numbered, part_title
from nsysql.pages import first_screen
from nsysql.pages.elements import Column, Page, Section
from nsysql.pages.phrases import short_name, without_signature
from nsysql.pages.scope import PageScope, ScopedRun
from nsysql.pages.sections import drawn as drawn_sections
from nsysql.pages.summary.page import heading
from nsysql.pages.summary.tables import SECTIONS
from nsysql.render.page import write_terminal

pytestmark = pytest.mark.usefixtures("kept_open")
DOCS = Path(__file__).parent.parent / "docs" / "reading.md"


def section(text: str, title: str) -> list[str]:
    """The lines of a section of the page, its title line first."""
    found = re.search(rf"^{title}\b.*?(?=^\S|\Z)", text, re.MULTILINE | re.DOTALL)
    assert found, f"{title} is not on the page"
    return found[0].rstrip().splitlines()


def titles(text: str) -> list[str]:
    return [line.partition("  ")[0] for line in text.splitlines()[1:] if line and not line.startswith(" ")]


# The first screen ---------------------------------------------------------------------------------


def fits(text: str) -> list[str]:
    """What of a first screen is too much."""
    lines = text.rstrip("\n").split("\n")
    words = [word for word in text.split() if not set(word) <= set("█▏▎▍▌▋▊▉")]
    size = {"lines": (len(lines), 25), "columns": (max(map(len, lines)), 100), "words": (len(words), 220)}
    return [f"{count} {what}" for what, (count, most) in size.items() if count > most]


def title_of(export: Path) -> str:
    with nsysql.open(export) as opened:
        return heading(ScopedRun(opened, PageScope()))


def test_a_launcher_or_shell_is_named_by_its_threads(story: Callable[[str], Path], tmp_path: Path) -> None:
    export = Path(shutil.copy(story("training"), tmp_path / "run.sqlite"))
    alter(
        export,
        "UPDATE PROCESSES SET name = 'nsys-launcher' WHERE name = 'python'",
        "INSERT INTO PROCESSES (globalPid, pid, name) SELECT globalPid, pid, '/bin/bash' FROM PROCESSES",
    )
    assert title_of(export) == "run     A100-SXM4-40GB · 67 kernels · pt_autograd_0 4242 · 140 ms captured"
    alter(export, "UPDATE ThreadNames SET nameId = (SELECT id FROM StringIds WHERE value = 'python') WHERE rowid < 3")
    assert "python 4242" in title_of(export)
    alter(export, "INSERT INTO PROCESSES (globalPid, pid, name) SELECT globalPid, pid, 'train' FROM PROCESSES")
    assert "train 4242" in title_of(export)


def test_a_kernel_that_never_ends_keeps_the_gpu_busy_for_no_longer_than_the_capture(
    story: Callable[[str], Path], tmp_path: Path, run: Callable[..., Ran]
) -> None:
    export = Path(shutil.copy(story("training"), tmp_path / "run.sqlite"))
    with closing(sqlite3.connect(export)) as db:
        last = "rowid = (SELECT rowid FROM CUPTI_ACTIVITY_KIND_KERNEL ORDER BY start DESC LIMIT 1)"
        before = db.execute(f"SELECT start FROM CUPTI_ACTIVITY_KIND_KERNEL WHERE {last}").fetchone()[0]
        db.execute(f'UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET "end" = start + 10000000000000 WHERE {last}')
        db.commit()
    with nsysql.open(export) as capture:
        parts = capture.sql("SELECT sum(length_ns), max(end_ns) FROM part").row(0)
        busy_until = capture.query("gpu_time")["window_ns"][0] + capture.query("gpu_time")["window_start_ns"][0]
    assert parts == (140_000_000, 140_000_000)
    assert busy_until == 140_000_000 > before
    text = " ".join(run("summary", export).text.split())
    assert "1 kernel (" in text and "ended after the capture: counted up to its end" in text
    assert "ended after the capture" not in run("summary", story("training")).text


def test_a_title_is_cut_only_in_the_name_of_the_export(story: Callable[[str], Path], tmp_path: Path) -> None:
    for name, shown in (("x" * 32, "x" * 32), ("a" * 20 + "b" * 20, "a" * 18 + "…" + "b" * 17)):
        export = Path(shutil.copy(story("training"), tmp_path / f"{name}.sqlite"))
        assert title_of(export) == f"{shown}     A100-SXM4-40GB · 67 kernels · python 4242 · 140 ms captured"


def test_one_launch_is_counted_as_one() -> None:
    assert (
        _fill("{launch_count} launches in {gap_count} gaps", {"launch_count": "1", "gap_count": "1"})
        == "1 launch in 1 gap"
    )
    assert _fill("{launch_count} launches", {"launch_count": "2"}) == "2 launches"


def test_without_gpu_work_nothing_is_advised(
    story: Callable[[str], Path], tmp_path: Path, run: Callable[..., Ran]
) -> None:
    export = Path(shutil.copy(story("training"), tmp_path / "run.sqlite"))
    with closing(sqlite3.connect(export)) as db:
        tables = [name for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        for table in tables:
            if table.startswith(("CUPTI", "NVTX", "OSRT", "SCHED", "MPI", "SAMPLING")):
                db.execute(f"DELETE FROM {table}")
        db.commit()
    text = run("summary", export).text
    assert "No GPU work" in text and "What to do" not in text


def test_parts_without_gpu_work_are_but_their_length() -> None:
    part = {"gpu_id": None, "name": None, "step_count": None, "step_ns": None, "busy_ns": None, "idle_ns": None}
    kinds = [{"part_id": i, "kind": kind, "start_ns": i, "length_ns": 10} for i, kind in enumerate(("rest", "series"))]
    causes = pl.DataFrame(schema={"part_id": pl.Int64, "gpu_id": pl.Int64, "title": pl.String, "idle_ns": pl.Int64})
    rows = first_screen.part_rows(
        pl.DataFrame(
            [{**part, **kind} for kind in kinds],
            schema_overrides=dict.fromkeys(("gpu_id", "busy_ns", "idle_ns"), pl.Int64),
        ),
        causes,
    )
    assert first_screen.parts_section(rows, "x.", 5).rows == (("outside of steps", "10 ns"), ("0 repeats", "10 ns"))


@pytest.mark.parametrize(
    ("length", "longest", "steps", "title", "told"),
    [
        (300, 12, 300, "30 repeats of 10 ns", ()),
        (420, 120, 410, "30 uneven repeats", ("The 30 uneven repeats: median 10 ns, longest 120 ns.",)),
        (310, 30, 310, "30 repeats of 10 ns", ("The 30 repeats of 10 ns: longest 30 ns.",)),  # by one of them
        (700, 12, 300, "30 repeats of 10 ns", ("The 30 repeats of 10 ns: 400 ns between them.",)),
    ],
)
def test_uneven_steps_are_not_said_to_be_as_long_as_the_median(
    length: int, longest: int, steps: int, title: str, told: tuple[str, ...]
) -> None:
    part = {"part_id": 0, "gpu_id": 0, "kind": "series", "name": None, "start_ns": 0, "step_count": 30, "step_ns": 10}
    part |= {"length_ns": length, "busy_ns": length, "idle_ns": 0, "longest_step_ns": longest, "steps_ns": steps}
    causes = pl.DataFrame(schema={"part_id": pl.Int64, "gpu_id": pl.Int64, "title": pl.String, "idle_ns": pl.Int64})
    even = part | {"part_id": 1, "gpu_id": 1, "start_ns": -1, "longest_step_ns": 9, "steps_ns": 300}  # the first row
    section = first_screen.parts_section(first_screen.part_rows(pl.DataFrame([even, part]), causes), "x.", 5)
    assert (section.rows[0][0], section.after) == (title, told)


def test_a_finding_of_another_part_names_it_unless_its_sentence_does() -> None:
    first = finding("largest-kernel", "series", part_ns=1, step_count=9)
    other = finding("largest-kernel", "series", part_name="work", part_ns=2_896_000_000, step_count=1_000)
    after = finding("gpu-idle-after-work", "after", part_ns=3_867_000_000)
    startup = [finding("startup", kind, part_ns=1) for kind in ("startup", "rest")]
    reads = finding("host-reads-managed", "after", part_ns=1)
    rows = first_screen.findings_section([first, other, after, *startup, reads], 6).rows
    assert [str(row[1]) for row in rows] == [
        "Says. Do. [largest-kernel]",
        "In work, 1,000 times: Says. Do. [largest-kernel]",
        "Says. Do. [gpu-idle-after-work]",
        "Says. Do. [startup]",
        "In other GPU work: Says. Do. [startup]",
        "After last GPU work: Says. Do. [host-reads-managed]",
    ]
    assert first_screen.findings_section([reads], 1).meaning == "after last GPU work, 1 ns"


def test_a_finding_that_names_the_limit_is_shown_if_none_saves_a_hundredth(
    run: Callable[..., Ran], tmp_path: Path
) -> None:
    path = read_story("few_blocks_launches_limit").write(tmp_path / "run.sqlite")
    assert "[few-blocks]" in run("summary", path).text


def test_a_finding_says_which_of_several_gpus_it_is_about() -> None:
    parts = pl.DataFrame({"part_id": [0, 1, 2], "gpu_id": [0, 1, 2], "length_ns": [10, 20, 15]}).with_columns(
        kind=pl.lit("work"), name=pl.lit(None, pl.String), nth=0
    )
    one = finding("largest-kernel", "work", part_ns=1)
    merged = replace(one, gpu_id=None, part_id=1, total_ns=20, totals=(17, 20, 3))
    two, both, alike = (replace(merged, totals=totals) for totals in ((19, 20, 3), (19, 20), (19, 20, 20)))
    texts = (
        "GPU 0: Says.",
        "Most on GPU 1: Says.",
        "Most on 2 of 3 GPUs: Says.",
        "2 of 3 GPUs: Says.",
        "Each GPU: Says.",
    )
    for shown, told in zip((one, merged, two, both, alike), texts, strict=True):
        (row,) = first_screen.findings_section([shown], 1, parts).rows
        assert str(row[1]).startswith(told)
    assert first_screen.gpu_of(replace(alike, subject="GPUs"), parts) == ""
    assert first_screen.findings_section([one], 1, parts).meaning == "in GPU work, 15 ns"  # the mean, as of the part
    (row,) = first_screen.findings_section([one], 1, parts.head(1)).rows
    assert str(row[1]).startswith("Says.")


def test_a_title_leaves_out_what_does_not_fit(run: Callable[..., Ran], tmp_path: Path) -> None:
    text = 'gpu "NVIDIA RTX PRO 6000 Blackwell Max-Q Workstation Edition" 12.0 188\n' * 4 + "every 1e9 x 3\n"
    text += "".join(f'  kernel "k(float *)" 0-4 10-5000 gpu={gpu}\n' for gpu in range(4))
    title = run("summary", drawn("four", text).write(tmp_path / "gemm-wddm-2025.5-b4.sqlite")).text.splitlines()[0]
    assert title == "gemm-wddm-2025.5-b4     4 x RTX PRO 6000 Blackwell Max-Q Workstation Edition · 12 kernels"


def test_causes_wrap_before_the_name_of_a_part_is_cut() -> None:
    columns = Column("part", right=False), Column("why idle", right=False, wrap=True)
    cells = "12 repeats of 2.000 ms on 3 of 4 GPUs", "longest: 30 repeats of 700.0 µs on GPU 3"
    file = StringIO()
    write_terminal(Page("title", (Section("", columns=columns, rows=(cells,)),)), file, 62)
    assert cells[0] in file.getvalue()


def finding(
    code: str, part_kind: str, part_ns: int, part_name: str | None = None, step_count: int | None = None
) -> Finding:
    """A finding of which only the part matters."""
    part = {"kind": part_kind, "name": part_name, "step_count": step_count, "step_ns": None}
    return Finding(
        code, 0, part_kind, part_name, 0, "x", ("x",), 1, None, "unknown", "likely", False, None, part_ns, step_count,
        "Says.", "Do.", "", place=part_title(part),
    )  # fmt: skip


@each_opened(one_in(6, unlike_names()))
def test_a_first_screen_fits(found_open: nsysql.Run, run: Callable[..., Ran], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    summary, idle_gaps = (run(command, found_open.path, "-q") for command in ("summary", "idle-gaps"))
    assert (summary.code, fits(summary.text)) == (0, [])
    assert idle_gaps.code == 1 or (idle_gaps.code, fits(idle_gaps.text)) == (0, [])  # 1: no GPU work


def test_the_first_screen_of_a_training_run(run: Callable[..., Ran], story: Callable[[str], Path]) -> None:
    found = run("summary", story("training"))
    assert (found.code, found.err) == (0, "")
    lines = found.text.splitlines()
    assert re.match(r"training +A100-SXM4-40GB · 67 kernels · python 4242 · 140 ms captured$", lines[0])
    assert not fits(found.text)
    with nsysql.open(story("training")) as opened:
        document = opened.pages.summary().document()
        steps = [part for part in document["parts"] if part["kind"] == "series"]
    assert steps
    for part in steps:
        assert first_screen.time_of(part["length_ns"]) in found.text
    for one in document["findings"][:1]:
        assert f"[{one['code']}]" in found.text


@pytest.mark.parametrize(("name", "told"), [("no_cuda", "no GPU work"), ("api_only", "no GPU work")])
def test_an_export_without_gpu_work_says_so(
    run: Callable[..., Ran], story: Callable[[str], Path], name: str, told: str
) -> None:
    found = run("summary", story(name))
    assert found.code == 0
    assert told in found.text.lower().replace("no gpu work", "no GPU work")
    assert "GPU-bound" not in found.text


def test_gpus_alike_are_one_row_and_others_show_their_range() -> None:
    gpu = {"part_id": 0, "kind": "work", "name": None, "start_ns": 0, "length_ns": 1000, "idle_ns": 100, "busy_ns": 900}
    rows = [{**gpu, "gpu_id": i, "step_count": None, "step_ns": None} for i in range(3)]
    causes = pl.DataFrame([{"part_id": 0, "gpu_id": i, "title": "Host code", "idle_ns": 60} for i in range(3)])
    (alike,) = first_screen.part_rows(pl.DataFrame(rows), causes)
    assert (alike.length_ns, alike.idle_ns, alike.causes) == (1000, 100, (("Host code", 60),))
    assert first_screen.parts_section([alike], "x.", 5, 3).rows[0][2] == "90%"
    rows[0] |= {"busy_ns": 200, "idle_ns": 800}
    (apart,) = first_screen.part_rows(pl.DataFrame(rows), causes)
    assert first_screen.parts_section([apart], "x.", 5, 3).rows[0][2] == "20% to 90%"


def test_two_series_of_one_name_on_a_gpu_are_two_rows() -> None:
    """A second GPU has one of them, and the headline is about all GPUs that have the part with most time."""
    series = {
        "kind": "series", "name": "7 launches", "step_count": 100, "idle_ns": 0, "longest_step_ns": 15,
        "steps_ns": 3000,
    }  # fmt: skip
    rows = [
        {**series, "part_id": 1, "gpu_id": 0, "start_ns": 0, "length_ns": 3000, "busy_ns": 2700, "step_ns": 30},
        {**series, "part_id": 2, "gpu_id": 0, "start_ns": 3000, "length_ns": 1000, "busy_ns": 1000, "step_ns": 10},
        {**series, "part_id": 3, "gpu_id": 1, "start_ns": 0, "length_ns": 1000, "busy_ns": 900, "step_ns": 30},
    ]
    causes = pl.DataFrame(schema={"part_id": pl.Int64, "gpu_id": pl.Int64, "title": pl.String, "idle_ns": pl.Int64})
    first, second = first_screen.part_rows(pl.DataFrame(rows), causes)
    assert (first.title, first.length_ns, first.busy_ns) == ("100 repeats of 30 ns", 2000, 1800)
    assert (second.title, second.length_ns) == ("100 repeats of 10 ns on GPU 0", 1000)
    rows[2] |= {"step_count": 60, "step_ns": 20, "longest_step_ns": 20}
    first, _ = first_screen.part_rows(pl.DataFrame(rows), causes)
    assert first.title == "60 to 100 repeats of 20 ns to 30 ns"
    rows[1] |= {"name": "9 launches", "step_ns": 30, "longest_step_ns": 30, "length_ns": 3000}
    rows[2] |= {"step_count": 100, "step_ns": 30, "longest_step_ns": 30}
    titles = [row.title for row in first_screen.part_rows(pl.DataFrame(rows), causes)]
    assert titles == ["100 repeats of 30 ns (7 launches)", "100 repeats of 30 ns (9 launches) on GPU 0"]
    rows[1] |= {"name": "7 launches", "step_ns": 10, "longest_step_ns": 15, "length_ns": 1000}
    rows[2] |= {"busy_ns": 700}
    without_copies: Any = SimpleNamespace(has=lambda _: False)
    assert headline(numbered(pl.DataFrame(rows)), causes, without_copies) == "GPU-bound in its longest loop (85% busy)"


@pytest.mark.parametrize(
    ("launches", "step_ns", "titles"),
    [
        ((2620, 2648), (300, 301), ["5 repeats of 301 ns"]),  # one rank logs
        ((2620, 2648), (300, 400), ["5 repeats of 300 ns on GPU 0", "5 repeats of 400 ns on GPU 1"]),
        ((2620, 3000), (300, 301), ["5 repeats of 300 ns on GPU 0", "5 repeats of 301 ns on GPU 1"]),
    ],
)
def test_gpus_whose_steps_differ_by_few_launches_are_one_row(
    launches: tuple[int, int], step_ns: tuple[int, int], titles: list[str]
) -> None:
    rows = [
        {
            "kind": "series", "name": f"{launches[i]} launches", "step_count": 5, "idle_ns": 0, "busy_ns": 0,
            "part_id": i, "gpu_id": i, "start_ns": i, "length_ns": 5 * step_ns[i], "steps_ns": 5 * step_ns[i],
            "step_ns": step_ns[i], "longest_step_ns": step_ns[i],
        }
        for i in range(2)
    ]  # fmt: skip
    causes = pl.DataFrame(schema={"part_id": pl.Int64, "gpu_id": pl.Int64, "title": pl.String, "idle_ns": pl.Int64})
    assert [row.title for row in first_screen.part_rows(numbered(pl.DataFrame(rows)), causes)] == titles


@pytest.mark.parametrize(
    ("name", "command", "said", "not_said"),
    [
        ("um-intro-2024.5", "findings", "1 The host reads managed", "gpu-idle-after-work"),
        ("um-intro-2024.5", "summary", "GPU work 1.87 ms", "Not sure"),  # of what the host does at its end
        ("um-intro-2024.5", "idle-gaps", "then for 10.9 ms while the host reads unified memory", "after: the"),
        ("llm27b-cudagraph-2024.6", "idle-gaps", "Longest gaps gap at", "Why idle"),
        ("gpumetrics-a-2023.4", "idle-gaps", "first launch of kernel 53%", "first launch…"),
        ("keras-cudnn-2023.4", "findings --all", "In GPU work (768 ms): 477 of 615 blocking calls", "all GPU work"),
        ("gol-osrt-2022.1", "findings --all", "kernel; CUDA calls before it take", "kernel, host code"),
        ("mpi-openacc-4gpu-2023.4", "summary", "The GPU worked 46.83 µs of 20.81 ms", "23.41"),  # the mean of 3 GPUs
        ("mfu-before-2gpu-2026.2", "summary", "saves in 16 repeats of 16.78 ms, 283 ms", "16.73 ms"),  # of one GPU
        ("more/cases/knn-alloc-2024.5", "steps", "The 99 hold 28.1% of the launches", "They hold"),
        ("empty-2023.4", "findings", "nsysql doctor", "What to do"),
        (
            "mpi-openacc-4gpu-2023.4",
            "summary",
            "GPU work on GPU 0 74.0 ms",
            "GPUs): median",
        ),  # of the first finding
        ("mpi-openacc-4gpu-2023.4", "what-if", "One change a row", "0.0% of the window"),
        ("more/cpu/matvec-multiwarp-short", "summary", "GPU is idle: 118.3 ms", "134.2 ms"),  # a file is opened, too
        ("spin-nocuda-2022.4", "summary", "nsysql doctor | lines | --all", "steps"),
        ("empty-2023.4", "summary", "nsysql doctor | --all", "steps"),
        ("empty-2023.4", "steps", "neither GPU work nor NVTX ranges", "CUPTI"),
    ],
)
def test_first_screens_say_nothing_that_is_not_there(
    name: str, command: str, said: str, not_said: str, run: Callable[..., Ran], corpus: Path
) -> None:
    text = " ".join(run(*command.split(), corpus / f"{name}.sqlite").text.split())
    assert said in text and not_said not in text.replace("why idle", "")


def test_a_gpu_that_hardly_worked_has_times_instead_of_shares() -> None:
    part = {"part_id": 0, "gpu_id": 0, "kind": "work", "name": None, "start_ns": 0, "step_count": None, "step_ns": None}
    rows = pl.DataFrame([{**part, "length_ns": 1_387_000_000, "busy_ns": 6_500_000, "idle_ns": 1_380_500_000}])
    causes = pl.DataFrame(schema={"part_id": pl.Int64, "gpu_id": pl.Int64, "title": pl.String, "idle_ns": pl.Int64})
    (row,) = first_screen.parts_section(first_screen.part_rows(rows, causes), "x.", 5).rows
    assert row[1:3] == ("1.39 s", "6.50 ms")


@pytest.mark.parametrize(
    ("options", "filters", "told"),
    [
        (["--nvtx", "step/2"], {"nvtx": "step/2"}, "the NVTX range step/2, one of 6 of that name (/0 is the first)"),
        (
            ["--start", "60ms", "--end", "80ms"],
            {"start_ns": 60_000_000, "end_ns": 80_000_000},
            "the time from 0.060000 s to 0.080000 s",
        ),
    ],
)
def test_the_page_is_narrowed(
    run: Callable[..., Ran], story: Callable[[str], Path], options: list[str], filters: dict[str, int | str], told: str
) -> None:
    found = json.loads(run("summary", story("training"), *options, "--all", "-f", "json").out)
    with nsysql.open(story("training")) as opened:
        for query in ("processes", "cuda_gpu_kern_sum", "cuda_api_sum", "osrt_sum", "launch_pace"):
            assert found["tables"][query] == opened.query(query, **filters).to_dicts(), query
        gpu = opened.query("gpu_time", **filters).row(0, named=True)
    assert [(part["length_ns"], part["idle_ns"]) for part in found["parts"]] == [(gpu["window_ns"], gpu["idle_ns"])]
    assert found["narrowed_to"] == told
    assert f"Limited to {told}" in " ".join(run("summary", story("training"), *options).text.split())


def test_a_stretch_without_gpu_work_is_told(run: Callable[..., Ran], story: Callable[[str], Path]) -> None:
    assert "No GPU work in the time to 0.001000 s." in run("summary", story("training"), "--end", "1ms").text
    assert "no rows: no kernel" in run("summary", story("training"), "--end", "1ms", "-f", "csv").err


# The tables ---------------------------------------------------------------------------------------


def test_all_has_the_tables(run: Callable[..., Ran], story: Callable[[str], Path]) -> None:
    text = run("summary", story("training"), "--all").text
    told = titles(text)
    every = ["Captured", "GPU time", "Why idle", "Longest gaps", "Launches", "Kernels", "CUDA API"]
    assert [title for title in told if title in every] == every
    with nsysql.open(story("training")) as opened:
        kernels = opened.cuda_gpu_kern_sum()
    first = section(text, "Kernels")[2]
    assert first.split()[0] == f"{kernels['time_pct'][0]:.1f}%"
    assert f"{kernels.height - 5} more names" in text


def test_processes_are_counted_with_their_nvtx_ranges_after_without(story: Callable[[str], Path]) -> None:
    with nsysql.open(story("training")) as run:
        without = run.processes(count_nvtx=False)
        counted = run.processes()
        assert set(without["nvtx_ranges"]) == {0}
        assert counted["nvtx_ranges"].sum() == run.nvtx_names()["instances"].sum() > 0
        assert run.processes(count_nvtx=False).equals(without)


def test_top_is_the_rows_of_a_section(run: Callable[..., Ran], story: Callable[[str], Path]) -> None:
    text = run("summary", story("training"), "--top", "2", "--all").text
    assert len(section(text, "Kernels")) == 2 + 2 + 1


def test_a_stretch_that_is_none_is_an_error(run: Callable[..., Ran], story: Callable[[str], Path]) -> None:
    for options, told in (
        (["--nvtx", "stepp"], "Did you mean step"),
        (["--nvtx", "step", "--end", "1ms"], "give either --nvtx, or --start and --end"),
        (["--start", "2ms", "--end", "1ms"], "--start 2000000 ns (0.002000 s) is not before --end 1000000 ns"),
    ):
        found = run("summary", story("training"), *options)
        assert (found.code, found.out, len(found.err.splitlines())) == (2, b"", 1), found.err
        assert told in found.err


def test_a_graph_traced_whole_is_work(run: Callable[..., Ran], story: Callable[[str], Path]) -> None:
    lines = section(run("summary", story("graph_whole"), "--all").text, "GPU time")
    assert any("graphs" in line for line in lines)


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
        text = run("summary", export, "--all", "-f", form).text
        assert not set("\x1b\u202e").intersection(text)
        assert "bold" in text
    assert "[bold]\\x1b[31m\\nx|y\\u202e" in run("summary", export, "--all").text


def test_what_nsys_said_is_told(run: Callable[..., Ran], build: Callable[[str], Path]) -> None:
    export = build(
        "\nINSERT INTO StringIds (id, value) VALUES (1, 'x');"
        "\nINSERT INTO DIAGNOSTIC_EVENT (timestamp, severity, text) VALUES"
        " (1, 1, 'Started.'), (2, 2, 'No symbols of pid 12.'), (3, 2, 'No symbols of pid 13.'), (4, 3, 'Lost events.');"
    )
    lines = section(run("summary", export, "--all").text, "nsys diagnostics")[1:]
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
    found = " ".join(" ".join(section(run("summary", export, "--all").text, "nsys diagnostics")).split())
    assert f"{text} (process 8 b)" in found
    assert "7 a)" in found  # it has no CUDA calls, so that message stays
    assert "process 7 a, 8 b" not in found
    with nsysql.open(export) as opened:
        assert opened.capture_messages().select("pid", "is_refuted").rows() == [(7, True), (8, False), (7, False)]


def test_when_the_gpus_worked_is_told_of_a_long_capture(run: Callable[..., Ran], corpus: Path) -> None:
    text = run("summary", corpus / "mfu-before-2gpu-2026.2.sqlite", "--all").text
    with nsysql.open(corpus / "mfu-before-2gpu-2026.2.sqlite") as opened:
        work = opened.gpu_work()
        start, end = int(work["start_ns"].min()), int(work["end_ns"].max())  # type: ignore[arg-type]
    assert f"119.4 s captured, GPU work from {start / 1e9:.6f} s to {end / 1e9:.6f} s (299.9 ms)" in " ".join(
        " ".join(section(text, "Captured")).split()
    )


def test_cells_that_were_read_as_null_are_told(run: Callable[..., Ran], build: Callable[[str], Path]) -> None:
    export = build(
        "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL (start, end, deviceId, streamId, correlationId, globalPid)"
        f" VALUES (100, 200, 0, 7, 1, {7 << 24}), ('soon', 300, 0, 7, 2, {7 << 24});"
    )
    told = "1 of the cells of CUPTI_ACTIVITY_KIND_KERNEL are not of their column's type; read as NULL"
    assert told in " ".join(run("summary", export, "--all").text.split())
    assert told in run("summary", export, "-f", "csv").err
    assert told in " ".join(run("idle-gaps", export, "--all").text.split())
    assert told not in run("summary", export, "-f", "csv", "-q").err


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


def test_the_main_table_is_the_kernels(run: Callable[..., Ran], story: Callable[[str], Path]) -> None:
    with nsysql.open(story("training")) as opened:
        kernels = opened.cuda_gpu_kern_sum()
    assert pl.read_csv(run("summary", story("training"), "-f", "csv").out).rows() == kernels.rows()
    assert pl.read_parquet(run("summary", story("training"), "-f", "parquet").out).equals(kernels)
    empty = run("summary", story("no_cuda"), "-f", "csv")
    assert empty.text == ",".join(kernels.columns) + "\n"
    assert empty.err == (
        "note: no rows: no kernel is in this export, or in this interval.\n"
        "note: this is the table of kernels, as of nsysql cuda-gpu-kern-sum; -f json has the whole page.\n"
    )


def test_a_memset_faster_than_memory_has_no_rate(build: Callable[[str], Path]) -> None:
    def memset(bandwidth: str, ns: int) -> str:
        path = build(
            f"INSERT INTO TARGET_INFO_GPU (id, name, memoryBandwidth) VALUES (0, 'G', {bandwidth});\n"
            "INSERT INTO CUPTI_ACTIVITY_KIND_MEMSET"
            ' (start, "end", deviceId, contextId, streamId, correlationId, globalPid, bytes, memKind)'
            f" VALUES (0, {ns}, 0, 1, 7, 1, 500 << 24, 8000000, 2);"
        )
        with nsysql.open(path) as opened:
            parts = drawn_sections([part for part in SECTIONS if part.key == "memory"], ScopedRun(opened, PageScope()))
        (row,) = (row for sections in parts.values() for section in sections for row in section.rows)
        return " ".join(map(str, row))

    assert "400.0 GB/s" in memset("500000000000", 20_000)
    assert "/s" not in memset("500000000000", 500)  # 16 TB/s
    assert "/s" not in memset("NULL", 20_000)


def test_json_is_small_documented_and_exact(run: Callable[..., Ran], story: Callable[[str], Path]) -> None:
    text = DOCS.read_text(encoding="utf-8").partition("## The JSON of `summary`")[2].partition("\n## ")[0]
    documented = re.findall(r"^\| `(\w+)` \|", text, re.MULTILINE)
    for name in ("training", "no_cuda"):
        small, whole = (run("summary", story(name), *more, "-f", "json").out for more in ([], ["--all"]))
        assert len(small) < 4096
        assert small.count(b"\n") == 1
        found = json.loads(whole, parse_constant=pytest.fail)
        assert set(found) <= set(documented)
        assert found["schema"] == "nsysql.summary/2"
    assert found["tables"]["gpu_time"] == found["tables"]["cuda_gpu_kern_sum"] == []
    found = json.loads(run("summary", story("training"), "--all", "-f", "json").out)
    with nsysql.open(story("training")) as opened:
        assert found["tables"]["cuda_gpu_kern_sum"] == opened.cuda_gpu_kern_sum().to_dicts()
        assert found["tables"]["processes"] == opened.processes().to_dicts()
        assert sum(row["idle_ns"] for row in found["tables"]["idle_ledger"]) == opened.gpu_time()["idle_ns"].sum()


def test_markdown_has_the_same_sections(run: Callable[..., Ran], story: Callable[[str], Path], tmp_path: Path) -> None:
    run("summary", story("training"), "--all", "-o", tmp_path / "page.md")
    text = (tmp_path / "page.md").read_text(encoding="utf-8")
    shown = titles(run("summary", story("training"), "--all").text)
    assert re.findall(r"^## (.*)$", text, re.MULTILINE) == shown
