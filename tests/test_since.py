"""`nsysql runs --since`: the first capture of a series that differs."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from captures import FACTS, GPU, made, on_cpu, write
from command_line import Ran

from nsysql.analysis.compare.change_points import FEWEST, change_points
from nsysql.analysis.compare.compare import Options
from nsysql.analysis.compare.series import Series, series_of
from nsysql.analysis.digest import Digest
from nsysql.errors import MissingData
from nsysql.pages import since


def drawn(seed: int, count: int, at: int | None, change: float, noise: float = 0.01) -> list[float]:
    """Times of captures, with a change before place `at`."""
    times = 1e8 * np.random.default_rng(seed).normal(1, noise, count)
    if at is not None:
        times[at:] *= 1 + change
    return [float(ns) for ns in times]


def places(times: list[float]) -> list[int]:
    return [change.at for change in change_points(times, 0.01)[0]]


@pytest.mark.parametrize(("count", "at", "change"), [(8, 4, 0.2), (20, 9, 0.05), (60, 31, 0.05), (200, 150, 0.05)])
def test_a_change_is_found_within_two_captures(count: int, at: int, change: float) -> None:
    found = [change_points(drawn(seed, count, at, change), 0.01)[0] for seed in range(40)]
    near = [one for changes in found for one in changes[:1] if abs(one.at - at) <= 2]
    assert len(near) >= 38
    held = [one for one in near if one.low <= at <= one.high]
    assert len(held) >= 0.9 * len(near)


@pytest.mark.parametrize("count", [FEWEST, 20, 60])
def test_noise_is_no_change(count: int) -> None:
    found = [places(drawn(seed, count, None, 0.0, 0.03)) for seed in range(100)]
    assert sum(map(bool, found)) < 5


def test_slow_runs_now_and_then_are_the_scatter() -> None:
    """A fifth of the runs take 10 % longer: three of them in a row are no change."""
    random = np.random.default_rng(1)
    times = [list(1e8 * random.normal(1, 0.01, 20) * np.where(random.random(20) < 0.2, 1.1, 1)) for _ in range(40)]
    assert sum(bool(places(one)) for one in times) <= 4


def test_changes_are_told_in_order() -> None:
    times = drawn(3, 60, 20, 0.06)
    times[40:] = [1.2 * ns for ns in times[40:]]
    assert places(times) == [20, 40]


def test_a_change_that_ends_is_one() -> None:
    times = drawn(3, 20, None, 0.0)
    times[10:15] = [1.1 * ns for ns in times[10:15]]
    assert places(times) == [10, 15]


@pytest.mark.parametrize("noise", [0.0, 0.002, 0.01])
def test_a_drift_is_called_one(noise: float) -> None:
    (change,), _ = change_points([ns * (1 + 0.002 * i) for i, ns in enumerate(drawn(1, 60, None, 0.0, noise))], 0.01)
    assert change.is_drift and change.after_ns / change.before_ns == pytest.approx(1.118, abs=0.01)


def test_an_outlier_hides_no_change() -> None:
    times = drawn(3, 20, 12, 0.06)
    times[4] *= 2
    (change,), outliers = change_points(times, 0.01)
    assert (change.at, outliers) == (12, (4,))


def of(times: list[float], *others: Digest) -> Series:
    """The series of captures whose steps take these times, but for the last ones."""
    taken = [run([int(ns / 1e5)] * 10, start) for start, ns in enumerate(times)]
    captures = [*taken[: len(times) - len(others)], *others]
    return series_of([f"run{i}" for i in range(len(captures))], captures, Options())


def run(ns: list[int], start: int, **facts: Any) -> Digest:
    return made({("computing", "gemm"): ns}, facts=replace(FACTS, session_utc_ns=start, **facts))


def test_the_last_capture_may_begin_a_change() -> None:
    series = of([1.3 * ns if i == 9 else ns for i, ns in enumerate(drawn(1, 10, None, 0.0))])
    assert series.verdict == "unclear" and "in run9, the last" in since.sentence(series)


def test_other_machines_are_not_judged() -> None:
    h200 = replace(GPU, name="H200")
    few, many = (of(drawn(1, 16, None, 0.0), *(run([700] * 10, 99 + i, devices=(h200,)) for i in range(count)))
                 for count in (2, 8))  # fmt: skip
    assert few.verdict == "no_difference_shown"
    assert few.left_out[0] == ("run14", "Another machine: 1 GPU, H200, 132 SMs, 1.980 GHz, the others 1 GPU, H100, "
                               "132 SMs, 1.980 GHz.")  # fmt: skip
    assert since.sentence(many).startswith("CANNOT JUDGE: the captures are not of one machine: 8 on 1 GPU, H100")


def test_other_trace_options_explain_a_change() -> None:
    idle = {("computing", "gemm"): [800] * 10, ("idle", "host_code"): [200] * 10}
    captures = [
        made({**idle, ("idle", "host_code"): [200 + i + 40 * (i > 5)] * 10},
             facts=replace(FACTS, session_utc_ns=i, traces=("OS runtime calls",) * (i > 5)))
        for i in range(12)
    ]  # fmt: skip
    series = series_of([f"run{i}" for i in range(12)], captures, Options())
    assert since.sentence(series).startswith("CANNOT JUDGE since run6")
    assert "only B recorded OS runtime calls" in since.sentence(series)


def test_a_capture_with_other_steps_is_left_out() -> None:
    other = made({("computing", "gemm"): [500] * 10, ("computing", "gelu"): [500] * 10})
    longer = [run([1000] * 30, 100 + i) for i in range(8)]  # three times as many steps are no change
    series = of(drawn(1, 17, None, 0.0), other, *longer)
    assert (series.unit, series.verdict) == ("step", "no_difference_shown")
    assert series.left_out == (("run8", "Other steps: a step of A launches 1 pieces of GPU work, of B 2."),)


def test_captures_with_and_without_gpu_work_are_no_series() -> None:
    cpu = [on_cpu({"step": [100 + i] * 10}) for i in range(6)]
    with pytest.raises(MissingData, match="one has steps on the CPU, the other GPU work"):
        of(drawn(1, 12, None, 0.0), *cpu)


def test_copies_of_captures_are_one() -> None:
    series = series_of([f"run{i}" for i in range(12)], [run([900 + 200 * (i > 5)] * 10, i > 5) for i in range(12)],
                       Options())  # fmt: skip
    assert since.sentence(series).startswith("CANNOT JUDGE: 2 captures")
    assert series.left_out[-1] == ("run11", "It is a copy of run6.")


def test_the_order_of_time_is_told() -> None:
    captures = [run([1000 + i % 3] * 10, -i) for i in range(8)]
    notes = since.document(series_of([f"run{i}" for i in range(8)], captures, Options()))["notes"]
    assert notes == ["The captures are not in the order of time: run7 was taken first, run0 last."]


def test_files_that_cannot_be_read_are_left_out(tmp_path: Path, run: Callable[..., Ran]) -> None:
    for i in range(10):
        write(made({("computing", "gemm"): [1000 + i + 200 * (i > 6)] * 10}), tmp_path / f"run{i}.digest")
    (tmp_path / "run4.digest").write_bytes((tmp_path / "run4.digest").read_bytes()[:200])
    found = run("runs", "--since", tmp_path)
    assert found.code == 0 and "SLOWER since run7" in found.text and "run4" in found.text.partition("Left out")[2]
    assert found.err.startswith("nsysql: run4: ")
    assert run("runs", "--since", tmp_path, "--strict").code == 1


def test_what_changed_is_an_account_of_the_captures_around_it(tmp_path: Path, run: Callable[..., Ran]) -> None:
    random = np.random.default_rng(7)
    names = []
    for i in range(16):
        host = 300 if i >= 9 else 200
        a, b = (random.normal(mean, 2, 40).round().astype(int).tolist() for mean in (800, host))
        names.append(f"run{i}")
        write(made({("computing", "gemm"): a, ("idle", "host_code"): b}), tmp_path / f"run{i}.digest")
    found = run("runs", "--since", tmp_path, "-f", "json")
    assert found.code == 0, found.err
    document = json.loads(found.text)
    assert [row["run"] for row in document["captures"]] == names
    assert (document["change"]["capture"], document["unit"]) == ("run9", "step")
    (largest, *_) = document["change"]["comparison"]["accounts"]
    assert (largest["name"], largest["is_certain"]) == ("host_code", True)
    page = run("runs", "--since", tmp_path).text
    assert "SLOWER since run9" in page and "host_code" in page and "7 of 16, --top 0 shows all" in page
    assert "run2 " not in page and "run2 " in run("runs", "--since", tmp_path, "--top", "0").text
    assert len(page.splitlines()) <= 25
    assert run("runs", "--since", tmp_path, "-o", tmp_path / "x.svg").code == 0
    assert (tmp_path / "x.svg").read_text().startswith("<svg") and "SLOWER since run9" in (
        tmp_path / "x.svg"
    ).read_text()


def test_few_captures_say_so() -> None:
    captures = [made({("computing", "gemm"): [1_000 + i] * 10}) for i in range(FEWEST - 1)]
    found = series_of([str(i) for i in range(FEWEST - 1)], captures, Options())
    assert since.sentence(found).startswith("CANNOT JUDGE: 5 captures")
    assert since.document(found)["change"] is None


def test_captures_without_steps_are_compared_by_their_work() -> None:
    captures = [
        made({("computing", "f"): [ns + i], ("idle", "host_code"): [50]}) for ns in (100, 150) for i in range(6)
    ]
    found = series_of([str(i) for i in range(12)], captures, Options())
    assert found.unit == "work" and found.changes[0].at == 6
    both = found.comparison
    assert both is not None and both.per == "work" and both.delta_ns == 50 * 100_000
