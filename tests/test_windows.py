"""Narrowed to a window, every command counts the idle time that the whole capture has there; windows add up to it."""

import random
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import nsysql
from nsysql import Run
from nsysql.analysis.intervals import clipped
from nsysql.errors import MissingData

IDLE: dict[str, Callable[..., int]] = {
    "gpu_time": lambda run, **window: run.gpu_time(**window)["idle_ns"].sum(),
    "idle_ledger": lambda run, **window: run.idle_ledger(**window)["idle_ns"].sum(),
    "operators": lambda run, **window: run.operators(**window)["idle_self_ns"].sum(),
    "lines": lambda run, **window: run.lines(**window)["idle_ns"].sum(),
    "stacks": lambda run, **window: run.stacks(weight="idle", **window)["value"].sum(),
}
STORIES = ("idle_drained", "operators_torch", "two_processes_two_gpus")


def idle(run: Run, **window: object) -> set[int]:
    """What the commands that apply say."""
    found = set()
    for name, ask in IDLE.items():
        try:
            found.add(ask(run, **window))
        except MissingData:
            assert name in ("operators", "stacks", "lines")
    return found


@pytest.mark.parametrize("name", STORIES)
def test_every_command_has_the_same_idle_time_and_tiles_sum_to_it(story: Callable[[str], Path], name: str) -> None:
    with nsysql.open(story(name)) as run:
        whole = run.gpu_time()
        gap = run.idle_gaps(min_gap_ns=0).sort("gap_ns").row(-1, named=True)
        inside = (gap["start_ns"] + 1, gap["start_ns"] + gap["gap_ns"] - 1)
        cuts = [None, *inside, None]
        tiles = [idle(run, start_ns=start, end_ns=end) for start, end in pairwise(cuts)]
        assert [len(tile) for tile in tiles] == [1] * len(tiles)
        assert {sum(tile.pop() for tile in tiles)} == idle(run) == {whole["idle_ns"].sum()}
        assert min(idle(run, start_ns=inside[0], end_ns=inside[1])) >= inside[1] - inside[0]


def test_steps_and_ranges_have_the_idle_time_of_their_time(story: Callable[[str], Path]) -> None:
    with nsysql.open(story("training")) as run:
        for window in ({"steps": "2"}, {"nvtx": run.nvtx_sum()["range"][0]}):
            assert len(idle(run, **window)) == 1


def test_times_of_operators_and_lines_add_up_over_windows(story: Callable[[str], Path]) -> None:
    def sums(**window: object) -> tuple[int, ...]:
        operators = run.operators(**window).select("cpu_self_ns", "gpu_self_ns", "idle_self_ns").sum()
        return *operators.row(0), *run.lines(**window).select("gpu_ns", "wait_ns", "idle_ns").sum().row(0)

    with nsysql.open(story("training")) as run:
        whole = run.gpu_time()
        first, end = int(whole["window_start_ns"].min()), int(whole["window_end_ns"].max())
        cuts = [None, *(first + (end - first) * part // 4 for part in (1, 2, 3)), None]
        tiles = [sums(start_ns=start, end_ns=stop) for start, stop in pairwise(cuts)]
        assert tuple(map(sum, zip(*tiles, strict=True))) == sums()


def test_work_that_was_launched_before_the_window_keeps_its_path(story: Callable[[str], Path]) -> None:
    with nsysql.open(story("training")) as run:
        late = run.launches().filter(pl.col("queue_dur_ns") > 1000).row(0, named=True)
        window = {"start_ns": late["start_ns"], "end_ns": late["start_ns"] + 1}
        found = run.operators(**window).filter(pl.col("gpu_self_ns") > 0)
        assert found["name"].null_count() == 0 and found["gpu_self_ns"].sum() == 1


def test_memory_of_a_window_counts_what_was_allocated_before(build: Callable[[str], Path]) -> None:
    drawn, live, events, uses = random.Random(5), {}, [], []
    for time in range(1000, 1200):
        address = drawn.randint(1, 20)
        is_free = address in live
        size = live.pop(address) if is_free else live.setdefault(address, drawn.randint(1, 1000))
        events.append(f"({time}, 500 << 24, 0, {address}, {size}, 2, {int(is_free)})")
        uses.append(sum(live.values()))
    export = build(
        "INSERT INTO StringIds (id, value) VALUES (1, 'a');\nINSERT INTO CUDA_GPU_MEMORY_USAGE_EVENTS "
        f"(start, globalPid, deviceId, address, bytes, memKind, memoryOperationType) VALUES {', '.join(events)};"
    )
    with nsysql.open(export) as run:
        for start, end in ((1100, 1150), (1100, 1101), (1001, 1199), (1300, 1400)):
            seen = uses[start - 1001 : end - 1000] or uses[-1:]
            [row] = run.memory(start_ns=start, end_ns=end).rows(named=True)
            assert (row["peak_bytes"], row["end_bytes"]) == (max(seen), seen[-1])
            assert row["unmatched_free_count"] == 0
            use = run.memory_use(start_ns=start, end_ns=end)
            assert use["use_bytes"].to_list() == seen
            assert run.memory_at_peak(start_ns=start, end_ns=end)["bytes"].sum() == max(seen)


def test_memory_of_a_step_is_that_of_the_whole(story: Callable[[str], Path]) -> None:
    with nsysql.open(story("memory_steps")) as run:
        whole = run.memory_by_step()
        step = whole["step"][0]
        assert run.memory_by_step(steps=str(step)).equals(whole.filter(step=step))


def test_a_pool_in_a_window_has_what_was_in_use_before(story: Callable[[str], Path]) -> None:
    with nsysql.open(story("memory_pools")) as run:
        events = run.memory_use()
        last = int(events["start_ns"].max())
        found, whole = run.memory_pools(start_ns=last), run.memory_pools()
        both = found.join(whole, on=["gpu_id", "pid", "pool", "created_ns"], nulls_equal=True)
        assert both.height and (both["end_bytes"] == both["end_bytes_right"]).all()
        assert (found["peak_bytes"] >= found["end_bytes"]).all()


@settings(max_examples=50)
@given(st.lists(st.tuples(st.integers(0, 50), st.integers(1, 20)), max_size=12), st.sets(st.integers(-5, 80)))
def test_windows_that_tile_time_sum_to_it(rows: list[tuple[int, int]], cuts: set[int]) -> None:
    frame = pl.DataFrame(
        {"start_ns": [start for start, _ in rows], "end_ns": [start + length for start, length in rows]},
        schema={"start_ns": pl.Int32, "end_ns": pl.Int32},
    )
    borders = [-(2**63), *sorted(cuts), 2**63 - 1]
    parts = [clipped(frame, window) for window in pairwise(borders)]
    assert sum((part["end_ns"] - part["start_ns"]).sum() for part in parts) == sum(length for _, length in rows)
