"""The tree that `operators` draws on a terminal."""

import io
import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest
from command_line import PROGRAM, Ran

import nsysql
from nsysql.render.operator_tree import write
from nsysql.words.quantities import columns_of

pytestmark = pytest.mark.usefixtures("kept_open")


def drawn(frame: pl.DataFrame, width: int = 80, sort: str = "gpu_total", top: int | None = None) -> list[str]:
    file = io.StringIO()
    write(frame, file, width, sort, top)
    return file.getvalue().splitlines()


def test_paths_stand_in_those_around_them(story: Callable[[str], Path]) -> None:
    with nsysql.open(story("operators_torch")) as run:
        found = drawn(run.operators())
    assert found == [
        "path              count  gpu total  gpu self",
        "step #                1     290 ns     40 ns   96.7% █░░░░░░░░░",
        "  aten::linear        1     250 ns    100 ns   83.3% ███░░░░░",
        "    aten::linear      1     150 ns    150 ns   50.0% █████",
        "(no range)            0      10 ns     10 ns    3.3%",
    ]


def test_a_path_that_is_chosen_brings_those_around_it(story: Callable[[str], Path]) -> None:
    with nsysql.open(story("operators_torch")) as run:
        frame = run.operators(sort="gpu_self")
    names = [line.partition("  1 ")[0].strip() for line in drawn(frame, sort="gpu_self", top=1)[1:]]
    assert names == ["step #", "aten::linear", "aten::linear"]
    by_idle = drawn(frame, sort="idle_self")
    assert by_idle[0].split() == ["path", "count", "idle", "idle", "self"]


def test_without_gpu_work_it_is_about_cpu_time(story: Callable[[str], Path]) -> None:
    with nsysql.open(story("nvtx_equal")) as run:
        frame = run.operators().with_columns(pl.lit(None, pl.Int64).alias("gpu_total_ns"))
    assert "cpu total" in drawn(frame)[0]


def test_a_narrow_terminal_gets_no_bars_then_no_own_part(story: Callable[[str], Path]) -> None:
    with nsysql.open(story("operators_torch")) as run:
        frame = run.operators()
    assert drawn(frame, 52) == [
        "path              gpu total  gpu self",
        "step #               290 ns     40 ns   96.7%",
        "  aten::linear       250 ns    100 ns   83.3%",
        "    aten::linear     150 ns    150 ns   50.0%",
        "(no range)            10 ns     10 ns    3.3%",
    ]
    assert drawn(frame, 32) == [
        "path          gpu total",
        "step #           290 ns   96.7%",
        "aten::linear     250 ns   83.3%",
        "aten::linear     150 ns   50.0%",
        "(no range)        10 ns    3.3%",
    ]


@pytest.mark.parametrize("width", [30, 37, 48, 59, 60, 70, 80, 132])
def test_long_names_fit_and_stay_apart_and_steer_no_terminal(width: int) -> None:
    names = ["a" * 70, f"{'a' * 70} > {'b' * 90}1", f"{'a' * 70} > {'b' * 90}2", "\x1b[2Jx", "it > is", None]
    rows = [
        {"name": name, "count": 1, "cpu_total_ns": 5, "idle_ns": 0, "gpu_total_ns": 9, "gpu_self_ns": 9}
        for name in names
    ]
    lines = drawn(pl.DataFrame(rows), width)
    assert max(map(columns_of, lines)) <= width
    assert "\x1b" not in "".join(lines)
    assert len(set(lines)) == len(lines) == 7
    assert lines[5].startswith("it > is")  # no row is called it


@pytest.mark.skipif(os.name != "posix", reason="needs a pseudo terminal")
def test_a_terminal_gets_a_tree_and_a_pipe_the_table(story: Callable[[str], Path]) -> None:
    import pty

    export = str(story("operators_torch"))
    ours, theirs = pty.openpty()
    command = [*PROGRAM, "operators", export, "-q"]
    subprocess.run(command, stdout=theirs, check=True, timeout=60, env={**os.environ, "COLUMNS": "80"})
    os.close(theirs)
    shown = os.read(ours, 10_000).decode()
    os.close(ours)
    piped = subprocess.run(command, stdout=subprocess.PIPE, check=True, timeout=60, text=True).stdout
    assert "\r\n    aten::linear " in shown
    assert "░" in shown
    assert piped.startswith("name ")
    assert "░" not in piped


@pytest.mark.parametrize(("by", "told"), [("path", "(no range)"), ("name", "(no range)"), ("module", "(no module)")])
def test_what_lies_in_none_says_so_in_tables(
    run: Callable[..., Ran], story: Callable[[str], Path], by: str, told: str
) -> None:
    export = story("operators_modules")
    assert any(line.startswith(f"{told}  ") for line in run("operators", export, "--by", by).text.splitlines())
    assert f"| {told} |" in run("operators", export, "--by", by, "-f", "markdown").text
    assert told not in run("operators", export, "--by", by, "-f", "csv").text
    with nsysql.open(export) as opened:
        assert opened.operators(by=by)["name"].null_count() == 1
