"""cpu_accounts: the innermost range of the marking thread has each nanosecond, and the accounts sum to the step."""

from collections.abc import Callable
from pathlib import Path
from random import Random

import polars as pl
import pytest
from exports import capture_names, each_opened

import nsysql
from nsysql.analysis.nvtx import paths

pytestmark = pytest.mark.usefixtures("kept_open")

EXPORTS = capture_names("*.sqlite", "more/ranks/mpi3-slow/*.sqlite", "more/steps/*.sqlite")
THREAD = "500 << 24 | 500"


@each_opened(EXPORTS)
def test_the_accounts_of_a_step_sum_to_its_cpu_time(opened: nsysql.Run) -> None:
    if not opened.has("NVTX_EVENTS"):
        pytest.skip("no NVTX ranges")
    accounts = opened.cpu_accounts().group_by("step").agg(pl.col("total_ns").sum()).sort("step")
    steps = opened.step_times().select("step", "cpu_dur_ns").unique().sort("step")
    assert accounts.rows() == steps.rows()


def ranges(random: Random, start: int, end: int, depth: int = 0) -> list[tuple[int, int, str]]:
    """Ranges in one another, some of equal start or end."""
    found, at = [], start
    while depth < 4 and at < end - 1 and len(found) < 5:
        first = random.randint(at, end - 1)
        last = random.randint(first + 1, end)
        found += [(first, last, f"r{random.randint(0, 2)}"), *ranges(random, first, last, depth + 1)]
        at = last
    return found


@pytest.mark.parametrize("seed", range(8))
def test_the_innermost_range_has_each_nanosecond(
    build: Callable[[str], Path], seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(paths, "BLOCK", 1 + seed)  # ranges that are looked at together
    random = Random(seed)
    steps = [(100 * i, 100 * i + 95, f"step {i}") for i in range(4)]
    inner = [(first, last, name) for begin, end, _ in steps for first, last, name in ranges(random, begin, end)]
    rows = [row for row in [*steps, *inner] if row[:2] not in {step[:2] for step in steps} or row in steps]
    values = ", ".join(f"({first}, {last}, 59, {THREAD}, '{name}', 0)" for first, last, name in rows)
    with nsysql.open(
        build(f'INSERT INTO NVTX_EVENTS (start, "end", eventType, globalTid, text, domainId) VALUES {values};')
    ) as run:
        found = run.cpu_accounts(step_range="step #")
    expected: dict[tuple[int, str], int] = {}
    for at in range(395):
        around = [row for row in rows if row[0] <= at < row[1]]
        around.sort(key=lambda row: (row[0], -row[1], rows.index(row)))
        path = " > ".join("r#" if name.startswith("r") else "step #" for _, _, name in around) or "outside"
        expected[at // 100, path] = expected.get((at // 100, path), 0) + 1
    assert {(step, name): ns for step, name, ns in found.select("step", "name", "total_ns").rows()} == expected


def test_an_account_of_one_series_leaves_the_others_as_they_are(story: Callable[[str], Path]) -> None:
    with nsysql.open(story("training")) as run:
        before = run.cpu_accounts()
        assert run.cpu_accounts(series=0).height
        assert run.cpu_accounts().equals(before)
