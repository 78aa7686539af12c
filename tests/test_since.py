"""`nsysql runs --since`: the first capture of a series that differs."""

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from captures import made, write
from command_line import Ran

from nsysql.analysis.compare.compare import Options
from nsysql.analysis.compare.series import FEWEST, first_change, series_of
from nsysql.pages import since


def drawn(seed: int, count: int, at: int | None, change: float, noise: float = 0.01) -> list[float]:
    """Times of captures, with a change before place `at`."""
    times = 1e8 * np.random.default_rng(seed).normal(1, noise, count)
    if at is not None:
        times[at:] *= 1 + change
    return [float(ns) for ns in times]


@pytest.mark.parametrize(("count", "at"), [(20, 9), (60, 31), (200, 150)])
def test_a_change_is_found_within_two_captures(count: int, at: int) -> None:
    found = [first_change(drawn(seed, count, at, 0.05), 0.01) for seed in range(40)]
    near = [change for change in found if change is not None and abs(change.at - at) <= 2]
    assert len(near) >= 38
    held = [change for change in near if change.low <= at <= change.high]
    assert len(held) >= 0.9 * len(near)


@pytest.mark.parametrize("count", [FEWEST, 20, 60])
def test_noise_is_no_change(count: int) -> None:
    found = [first_change(drawn(seed, count, None, 0.0, 0.03), 0.01) for seed in range(100)]
    assert sum(change is not None for change in found) < 5


def test_the_first_of_two_changes_is_told() -> None:
    times = drawn(3, 60, 20, 0.06)
    times[40:] = [1.2 * ns for ns in times[40:]]
    change = first_change(times, 0.01)
    assert change is not None and abs(change.at - 20) <= 2


def test_a_drift_is_called_one() -> None:
    change = first_change([1e8 * (1 + 0.002 * i) for i in range(60)], 0.01)
    assert change is not None
    ramp = [ns * (1 + 0.002 * i) for i, ns in enumerate(drawn(1, 60, None, 0.0, 0.002))]
    whole = first_change(ramp[:60], 0.01)
    assert whole is not None and whole.is_drift


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
    assert "SLOWER since run9" in page and "host_code" in page
    assert run("runs", "--since", tmp_path, "-o", tmp_path / "x.svg").code == 0
    assert (tmp_path / "x.svg").read_text().startswith("<svg") and "SLOWER since run9" in (
        tmp_path / "x.svg"
    ).read_text()


def test_few_captures_say_so() -> None:
    captures = [made({("computing", "gemm"): [1_000] * 10})] * (FEWEST - 1)
    found = series_of([str(i) for i in range(FEWEST - 1)], captures, Options())
    assert since.sentence(found).startswith("CANNOT JUDGE: 5 captures")
    assert since.document(found)["change"] is None


def test_captures_without_steps_are_compared_by_their_work() -> None:
    captures = [
        made({("computing", "f"): [ns + i % 2], ("idle", "host_code"): [50]}) for ns in (100, 150) for i in range(6)
    ]
    found = series_of([str(i) for i in range(12)], captures, Options())
    assert found.unit == "work" and found.change is not None and found.change.at == 6
    both = found.change.comparison
    assert both is not None and both.per == "work" and both.delta_ns == 50 * 100_000
