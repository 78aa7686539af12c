"""The steps page: its forms, what it says, and that its numbers add up."""

import json
import sqlite3
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import polars as pl
import pytest
from command_line import Ran
from drawn import drawn
from exports import FIXTURES, alter

import nsysql
from nsysql.pages import step_accounts
from nsysql.pages.steps import mark

pytestmark = pytest.mark.usefixtures("kept_open")

DOCS = FIXTURES.parent.parent / "docs" / "steps.md"


def test_the_document_adds_up(story: Callable[[str], Path]) -> None:
    with nsysql.open(story("steps_nvtx")) as run:
        found = run.pages.steps().document()
        times = run.step_times()
    assert found["series"]["found_by"] == "nvtx"
    assert found["gpu_id"] == 0
    assert found["period"]["median_ns"] == found["period"]["mean_ns"] == 100
    assert sum(row["mean_ns"] for row in found["mean_step"]) == pytest.approx(100)
    assert [step["step"] for step in found["steps"]] == [0, 1, 2, 3]
    assert sum(len(step["gpus"]) for step in found["steps"]) == times.height
    assert found["slow_steps"] == []


def test_a_slow_step_says_what_it_has_more_of(corpus: Path) -> None:
    with nsysql.open(corpus / "trisolve-nvtx-2023.3.sqlite") as run:
        found = run.pages.steps().document()
    steps = {step["step"]: step["gpus"][0]["period_ns"] for step in found["steps"]}
    assert len(found["slow_steps"]) == 3
    for slow in found["slow_steps"]:
        difference = slow["period_ns"] - steps[found["median_step"]]
        assert sum(row["delta_ns"] for row in slow["more"]) == difference > 0
        assert "dag_lts_kernel" in slow["more"][0]["name"]


def test_every_key_of_the_json_is_documented(run: Callable[..., Ran], story: Callable[[str], Path]) -> None:
    page = json.loads(run("steps", story("training"), "-f", "json").out)
    text = DOCS.read_text(encoding="utf-8")
    for key in (*page, *page["period"], *page["steps"][0], *page["steps"][0]["gpus"][0], *page["slow_steps"][0]):
        assert f"`{key}`" in text, key


def test_the_page_says_how_steps_were_found(run: Callable[..., Ran], story: Callable[[str], Path]) -> None:
    found = run("steps", story("training"))
    assert found.code == 0
    text = found.out.decode()
    assert "6 steps (step), marked by NVTX ranges on thread 4242" in " ".join(text.split())
    assert "Slowest steps" in text
    rows = run("steps", story("training"), "-f", "csv").out.decode().splitlines()
    assert len(rows) == 7


def test_no_steps_are_said_plainly(run: Callable[..., Ran], story: Callable[[str], Path]) -> None:
    found = run("steps", story("two_streams"))
    assert found.code == 0
    assert "No step was found" in found.out.decode()
    assert json.loads(run("steps", story("two_streams"), "-f", "json").out)["series"] is None
    assert json.loads(run("steps", story("api_only"), "-f", "json").out)["series"] is None
    refused = run("steps", story("two_streams"), "--step-range", "x")
    assert refused.code == 2
    assert refused.err.count("\n") == 1


def test_another_gpu_is_refused_with_those_there_are(run: Callable[..., Ran], story: Callable[[str], Path]) -> None:
    refused = run("steps", story("steps_nvtx"), "--gpu", "7")
    assert (refused.code, refused.err) == (2, "nsysql: no step has work on GPU 7; there is 0, 1.\n")
    assert json.loads(run("steps", story("steps_nvtx"), "--gpu", "1", "-f", "json").out)["period"]["max_ns"] == 200


def test_of_very_many_ranges_the_cpu_side_is_left_out_aloud(
    story: Callable[[str], Path], run: Callable[..., Ran], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "left out" not in run("steps", story("training")).text
    monkeypatch.setattr(step_accounts, "MANY", 10)
    page = run("steps", story("training"))
    assert page.code == 0 and "CPU side of slow steps is left out" in " ".join(page.text.split())
    document = json.loads(run("steps", story("training"), "-f", "json").text)
    assert document["slow_steps"] and all(not step["more_cpu"] for step in document["slow_steps"])
    assert all(step["more"] for step in document["slow_steps"])


# Repeats of launches that no range marks ----------------------------------------------------------


def unmarked(path: Path, folder: Path, rename: str) -> Path:
    """The training story without NVTX ranges but those of its steps, which get this text, with # for their number."""
    copy = folder / "unmarked.sqlite"
    copy.write_bytes(path.read_bytes())
    with sqlite3.connect(copy) as db:
        steps = "text = 'step' OR textId IN (SELECT id FROM StringIds WHERE value = 'step')"
        db.execute(f"DELETE FROM NVTX_EVENTS WHERE NOT coalesce({steps}, 0)")
        for number, (row,) in enumerate(db.execute("SELECT rowid FROM NVTX_EVENTS ORDER BY start").fetchall()):
            text = rename.replace("#", str(number))
            db.execute("UPDATE NVTX_EVENTS SET text = ?, textId = NULL WHERE rowid = ?", (text, row))
    return copy


def test_repeats_of_launches_are_not_called_training_steps(
    run: Callable[..., Ran], story: Callable[[str], Path], tmp_path: Path
) -> None:
    layers = unmarked(story("training"), tmp_path, "pre_forward (blocks.#), op_id = 9#")
    repeats = "repeats of one sequence of 14 launches"
    text = " ".join(run("steps", layers).text.split())
    assert f"{repeats} on thread" in text
    assert "Layers and not whole steps: the NVTX ranges pre_forward (blocks.#) number them." in text
    assert "a second" not in text and "(14 launches)" not in text
    alter(layers, "DELETE FROM NVTX_EVENTS")
    row = next(line for line in run("steps", layers).text.splitlines() if line.startswith("  GPU 0"))
    assert row.endswith("%")  # the variation; no rate
    assert json.loads(run("steps", layers, "-f", "json").out)["period"]["per_second"] > 0


@pytest.mark.parametrize(("text", "is_layers"), [("layer #", True), ("layer 7", False)])
def test_only_ranges_that_number_each_repeat_show_layers(
    text: str, is_layers: bool, story: Callable[[str], Path], tmp_path: Path
) -> None:
    with nsysql.open(unmarked(story("training"), tmp_path, text)) as opened:
        assert opened.step_series()["is_layers"].to_list() == [is_layers]


def test_time_in_no_range_is_named_so(run: Callable[..., Ran], corpus: Path) -> None:
    text = run("steps", corpus / "mfu-before-2gpu-2026.2.sqlite").text
    assert "in no NVTX range" in text
    assert "outside" not in text


def test_a_step_with_other_launches_is_no_warm_up(run: Callable[..., Ran], tmp_path: Path) -> None:
    steps = [(0, False, True), (1, True, True), (2, False, True), (3, False, False)]
    times = pl.DataFrame(steps, ["step", "is_steady", "is_complete"], orient="row")
    found: Any = SimpleNamespace(series={"warm_up_count": 1}, unknown=None)
    assert [mark(found, times.slice(step, 1)) for step in range(4)] == ["warm-up", "", "not counted", "cut off"]
    assert mark(found, times) == "1 warm-up, 1 not counted, 1 cut off"
    lines = [
        "every 100 x 25",
        *(f"  kernel {name} {9 * n}-{9 * n + 3} {9 * n + 4}-{9 * n + 9}" for n, name in enumerate("abcd")),
    ]
    odd = ["at 1250", *(f"  kernel {name} 0-3 4-9" for name in "vwxy"), "at 2500", *lines[1:3]]
    export = drawn("odd", "\n".join(lines + odd)).write(tmp_path / "odd.sqlite")
    text = " ".join(run("steps", export).text.split())
    assert "24 steady; the last is cut off and not counted; 1 with far more or fewer launches is not counted." in text
    assert "They may be parts of a step, or several steps." in text


@pytest.mark.parametrize(
    ("mark", "next_step", "where"),
    [
        ("range step 0-1000", 6, "in step 6 on the CPU"),  # which launches late
        ("range step 605-1000", None, None),  # which begins late: step 5 has the code
        ("", 6, "between its launches and those of step 6"),
    ],
)
def test_a_slow_step_that_waits_for_the_next_one_names_it(
    mark: str, next_step: int | None, where: str | None, run: Callable[..., Ran], tmp_path: Path
) -> None:
    """Steps of 1 ms; the first kernel of step 6 is launched 600 us late, which makes step 5 long on the GPU."""
    usual = f" {mark and 'range step 0-999'}\n kernel a 10-15 20-220\n kernel b 30-35 220-420\n"
    late = f" {mark}\n kernel a 610-615 620-720\n kernel b 630-635 720-920\n"
    text = f"every 1000 x 6\n{usual}at 6000\n{late}every 1000 x 20 from 7000\n{usual}"
    export = drawn("late", text).write(tmp_path / "late.sqlite")
    with nsysql.open(export) as opened:
        waits = opened.step_times()["wait_ns"].to_list()
        first = opened.pages.steps().document()["slow_steps"][0]
    assert waits == [600_000] * 5 + [1_200_000, 100_000] + [600_000] * 19 + [0]
    assert (first["step"], first["waits_for_step"]) == (5, next_step)
    page = " ".join(run("steps", export).text.split())
    assert f"look for the cause {where}." in page if where else "look for the cause" not in page


def test_a_last_step_that_ends_with_its_work_is_no_short_step(run: Callable[..., Ran], tmp_path: Path) -> None:
    """Four steps of 1 ms, 200 us of each busy: the last one has no next step that would end its idle time."""
    export = drawn("few", 'every 1000 x 4\n range step 0-999\n kernel "k(int)" 10-15 20-220\n').write(
        tmp_path / "few.sqlite"
    )
    found = json.loads(run("steps", "-f", "json", export).out)
    assert found["series"]["note"] is None and found["series"]["steady_count"] == 4
    known = {name: found["period"][name] for name in ("count", "mean_ns", "min_ns", "cv", "per_second")}
    assert known == {"count": 3, "mean_ns": 1_000_000, "min_ns": 1_000_000, "cv": 0, "per_second": 1_000}
    assert sum(row["mean_ns"] for row in found["mean_step"]) == pytest.approx(1_000_000)
    text = " ".join(run("steps", export).text.split())
    assert "4 steady; the period of the last is not known, as no step follows, and not counted." in text
    assert text.count("no step follows") == 2 and "too many for warm-up" not in text


def test_steps_that_ran_together_have_no_fastest_of_0_ns(run: Callable[..., Ran], tmp_path: Path) -> None:
    """Three to five streams, each with a copy and a kernel; those launched later run earlier."""
    lines = []
    for turn in range(12):
        lines.append(f"at {1000 * turn}")
        for nth in range(3 + turn * turn % 3):
            lines.append(f" copy up {10 + 8 * nth}-{12 + 8 * nth} {60 + 8 * nth}-{66 + 8 * nth} stream={nth} bytes=9")
            lines.append(f" kernel a {14 + 8 * nth}-{16 + 8 * nth} {600 - 100 * nth}-{690 - 100 * nth} stream={nth}")
    export = drawn("together", "\n".join(lines)).write(tmp_path / "together.sqlite")
    text = " ".join(run("steps", export).text.split())
    said = (
        "together with that of other steps, so these take 0 ns: the mean holds, single periods and the median do not."
    )
    assert said in text and "fastest" not in text and " 0 ns " not in text.split("Step by step")[0].replace(said, "")
    assert said in json.loads(run("steps", "-f", "json", export).out)["notes"][-1]


def test_a_gpu_without_work_in_some_steps_has_no_rate(run: Callable[..., Ran], tmp_path: Path) -> None:
    text = """every 100 x 20
 range step 1-97
 kernel "a(float *)" 2-4 5-90
every 400 x 5
 kernel "b(float *)" 5-7 8-30 gpu=1
"""
    path = drawn("rare", text).write(tmp_path / "rare.sqlite")
    rates = [json.loads(run("steps", "-f", "json", "--gpu", gpu, path).out)["period"]["per_second"] for gpu in "01"]
    assert rates == [pytest.approx(1e6 / 99.25, rel=0.01), None]
