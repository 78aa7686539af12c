"""Narrowed to a window, every command counts the idle time that the whole capture has there; windows add up to it."""

import random
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import polars as pl
import pytest
from command_line import Ran
from hypothesis import given, settings
from hypothesis import strategies as st

import nsysql
from nsysql import Run
from nsysql.analysis.window import Window, joined
from nsysql.errors import MissingData, UsageError

pytestmark = pytest.mark.usefixtures("kept_open")

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
        gap = run.idle_gaps(min_gap_ns=0).sort("dur_ns").row(-1, named=True)
        inside = (gap["start_ns"] + 1, gap["start_ns"] + gap["dur_ns"] - 1)
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
    parts = [Window((window,)).clipped(frame) for window in pairwise(borders)]
    assert sum((part["end_ns"] - part["start_ns"]).sum() for part in parts) == sum(length for _, length in rows)


SUMS: dict[str, Callable[..., pl.DataFrame]] = {
    "gpu_time": lambda run, **window: run.gpu_time(**window).select("window_ns", "busy_ns", "idle_ns", "kernel_ns"),
    "idle_ledger": lambda run, **window: run.idle_ledger(**window).select("idle_ns"),
    "idle_gaps": lambda run, **window: run.idle_gaps(**window).select("dur_ns", "host_code_ns", "launch_latency_ns"),
    "idle_pieces": lambda run, **window: run.idle_pieces(**window).select("dur_ns"),
    "idle_groups": lambda run, **window: run.idle_groups(by="nvtx", **window).select("idle_ns"),
    "idle_lengths": lambda run, **window: run.idle_lengths(**window).select("idle_ns"),
    "gpu_accounts": lambda run, **window: run.gpu_accounts(**window).select("total_ns"),
    "operators": lambda run, **window: run.operators(**window).select("cpu_self_ns", "gpu_self_ns", "idle_self_ns"),
    "lines": lambda run, **window: run.lines(**window).select("gpu_ns", "wait_ns", "idle_ns"),
}


@pytest.mark.parametrize(("name", "label"), [("training", "step"), ("steps_nvtx", "aten::add")])
def test_ranges_of_one_name_are_the_sum_of_them(story: Callable[[str], Path], name: str, label: str) -> None:
    with nsysql.open(story(name)) as run:
        count = run.nvtx_range().filter(text=label).height
        for query, ask in SUMS.items():
            try:
                parts = [ask(run, nvtx=f"{label}/{index}").sum().row(0) for index in range(count)]
            except MissingData:
                continue
            assert ask(run, nvtx=label).sum().row(0) == tuple(map(sum, zip(*parts, strict=True))), query
        whole = run.gpu_time(nvtx=label)
        assert whole["idle_ns"].sum() == run.idle_ledger(nvtx=label)["idle_ns"].sum() and whole["window_ns"].sum() > 0
        assert run.gpu_time()["window_ns"].sum() > whole["window_ns"].sum()  # the same connection measures all again


def test_rows_of_ranges_of_one_name_are_those_of_any_of_them(build: Callable[[str], Path]) -> None:
    drawn = random.Random(7)
    ranges = [(start, start + drawn.randint(0, 9), drawn.choice((1, 2, 3))) for start in range(0, 300, 17)]
    work = [(start, start + drawn.choice((0, 3, 40)), drawn.choice((1, 2, 3))) for start in range(0, 320, 5)]
    thread = {1: 1 << 24 | 1, 2: 1 << 24 | 7, 3: 2 << 24 | 5}  # the first is its process's main thread
    rows = {
        "NVTX_EVENTS (eventType, text, start, end, globalTid)": [
            f"(59, 'step', {start}, {end}, {thread[which]})" for start, end, which in ranges
        ],
        "CUPTI_ACTIVITY_KIND_KERNEL (deviceId, streamId, demangledName, shortName, start, end, globalPid)": [
            f"(0, 7, 1, 1, {start}, {end}, {thread[which] & ~0xFFFFFF})" for start, end, which in work
        ],
        "CUPTI_ACTIVITY_KIND_RUNTIME (nameId, correlationId, start, end, globalTid)": [
            f"(2, {start}, {start}, {end}, {thread[which]})" for start, end, which in work
        ],
    }
    texts = "INSERT INTO StringIds (id, value) VALUES (1, 'k'), (2, 'cudaLaunchKernel_v7000');"
    export = build(texts + "".join(f"\nINSERT INTO {table} VALUES {', '.join(some)};" for table, some in rows.items()))
    with nsysql.open(export) as run:
        for query in ("cuda_gpu_trace", "cuda_api_trace"):
            parts = [set(run.query(query, nvtx=f"step/{index}").rows()) for index in range(len(ranges))]
            assert set(run.query(query, nvtx="step").rows()) == set().union(*parts)
            assert any(parts) and set(run.query(query).rows()) > set().union(*parts)


def test_a_range_that_is_named_as_an_index_wins_but_for_nsys(
    build: Callable[[str], Path], run: Callable[..., Ran]
) -> None:
    rows = "(59, 'a', 0, 10, 16777217), (59, 'a', 20, 30, 16777217), (59, 'a/1', 40, 60, 16777217)"
    export = build(f"INSERT INTO NVTX_EVENTS (eventType, text, start, end, globalTid) VALUES {rows};")
    with nsysql.open(export) as opened:
        for nvtx, lengths in (("a", [10, 10]), ("a/0", [10]), ("a/1", [20])):
            assert opened.nvtx_pushpop_trace(nvtx=nvtx)["duration_ns"].to_list() == lengths
    for nvtx, start in (("a", "0"), ("a/1", "20")):
        text = run("stats", "-q", "-r", "nvtx_pushpop_trace", "-f", "csv:nohdr", "--filter-nvtx", nvtx, export).text
        assert [line.partition(",")[0] for line in text.split()] == [start]


# kernels |-| 0-10                         |-| 90-100
# step             |--| 20-30    |--| 40-50            the one gap is in both
TWICE = """
INSERT INTO StringIds (id, value) VALUES (1, 'k');
INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL
    (deviceId, streamId, demangledName, shortName, start, end, globalPid) VALUES
    (0, 7, 1, 1, 0, 10, 16777216), (0, 7, 1, 1, 90, 100, 16777216);
INSERT INTO NVTX_EVENTS (eventType, text, start, end, globalTid) VALUES
    (59, 'step', 20, 30, 16777217), (59, 'step', 40, 50, 16777217);
INSERT INTO CUDA_GPU_MEMORY_USAGE_EVENTS (start, globalPid, deviceId, address, bytes, memKind, memoryOperationType)
    VALUES (25, 16777216, 0, 1, 8, 2, 0);
"""


def test_a_gap_in_several_ranges_is_one(build: Callable[[str], Path]) -> None:
    with nsysql.open(build(TWICE)) as run:
        assert run.idle_gaps(nvtx="step")["dur_ns"].to_list() == [20]
        assert run.idle_ledger(nvtx="step").select("idle_ns", "gap_count").rows() == [(20, 1)]
        assert run.gpu_time(nvtx="step").select("window_ns", "idle_ns", "gap_count").rows() == [(20, 20, 1)]
        assert run.gpu_time(nvtx="step/1").select("window_ns", "idle_ns", "gap_count").rows() == [(10, 10, 1)]


def test_a_query_that_takes_one_range_says_so(build: Callable[[str], Path]) -> None:
    with nsysql.open(build(TWICE)) as run, pytest.raises(UsageError, match="write step/0 for the first"):
        run.memory(nvtx="step")


@settings(max_examples=100)
@given(
    st.lists(st.tuples(st.integers(0, 80), st.integers(0, 20)), max_size=12),
    st.lists(st.tuples(st.integers(-5, 90), st.integers(1, 9)), min_size=1, max_size=6),
)
def test_windows_of_several_spans(rows: list[tuple[int, int]], spans: list[tuple[int, int]]) -> None:
    window = joined((start, start + length) for start, length in spans)
    times = {"start_ns": [start for start, _ in rows], "end_ns": [start + length for start, length in rows]}
    frame = pl.DataFrame(times, schema={"start_ns": pl.Int64, "end_ns": pl.Int64})
    inside = {moment for start, end in window.spans for moment in range(start, end)}
    held = [sum(moment in inside for moment in range(start, start + length)) for start, length in rows]
    squeezed = [window.squeezed(frame[name]) for name in ("end_ns", "start_ns")]
    assert (squeezed[0] - squeezed[1]).to_list() == held
    cut = window.clipped(frame)
    assert (cut["end_ns"] - cut["start_ns"]).sum() == sum(held)
    is_in = [bool(ns) or start in inside for ns, (start, _) in zip(held, rows, strict=True)]
    assert window.has(frame).to_list() == is_in and window.shortened(frame).height == sum(is_in)
