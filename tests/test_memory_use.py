"""Bytes in use: the events of random allocations against a loop over them."""

import random
from collections.abc import Callable
from pathlib import Path

import pytest

import nsysql
from nsysql.errors import MissingData

pytestmark = pytest.mark.usefixtures("kept_open")


def test_the_peak_is_that_of_a_walk_over_the_events(build: Callable[[str], Path]) -> None:
    drawn = random.Random(3)
    live: dict[int, int] = {}
    events, uses = [], []
    for time in range(1000, 1400):
        address = drawn.randint(1, 30)
        if address in live:
            events.append((time, address, live.pop(address), 1))
        else:
            live[address] = drawn.randint(1, 10**12)
            events.append((time, address, live[address], 0))
        uses.append(sum(live.values()))
    rows = ", ".join(f"({t}, 500 << 24, 0, {address}, {size}, 2, {op})" for t, address, size, op in events)
    export = build(
        "INSERT INTO StringIds (id, value) VALUES (1, 'a');\nINSERT INTO CUDA_GPU_MEMORY_USAGE_EVENTS "
        f"(start, globalPid, deviceId, address, bytes, memKind, memoryOperationType) VALUES {rows};"
    )
    with nsysql.open(export) as run:
        assert run.memory_use()["use_bytes"].to_list() == uses
        (row,) = run.memory().rows(named=True)
        assert (row["peak_bytes"], row["peak_ns"]) == (max(uses), 1000 + uses.index(max(uses)))
        assert (row["end_bytes"], row["never_freed_count"]) == (uses[-1], len(live))
        assert row["churn_bytes"] == sum(size for *_, size, op in events if op == 1)
        assert run.memory_at_peak()["bytes"].to_list() == [max(uses)]


def test_without_its_table_the_option_is_named(story: Callable[[str], Path]) -> None:
    with nsysql.open(story("two_streams")) as run, pytest.raises(MissingData, match="--cuda-memory-usage=true"):
        run.memory()


def test_what_lives_at_the_peak_of_a_pool(story: Callable[[str], Path]) -> None:
    columns = [
        "pool",
        "peak_ns",
        "api_name",
        "nvtx_range",
        "bytes",
        "peak_pct",
        "allocation_count",
        "never_freed_count",
    ]
    with nsysql.open(story("memory_pools")) as run:
        found = run.memory_at_peak(by="pool").select(columns).rows()
        by_kind = run.memory_at_peak()
    assert found == [
        ("0x100", 1100, "cudaMallocAsync_v11020", "load", 400, 100.0, 2, 1),
        ("0x100", 2200, "cudaMallocAsync_v11020", "step", 40, 100.0, 1, 0),
    ]
    assert by_kind["pool"].null_count() == by_kind.height
    assert by_kind["peak_ns"].unique().to_list() == [2200]


def test_a_free_belongs_to_the_pool_of_its_allocation(build: Callable[[str], Path]) -> None:
    export = build(
        """
        INSERT INTO StringIds (id, value) VALUES (1, 'x');
        INSERT INTO CUDA_GPU_MEMORY_USAGE_EVENTS (start, globalPid, deviceId, contextId, address, bytes, memKind,
            memoryOperationType, localMemoryPoolAddress) VALUES
            (10, 500 << 24, 0, 1, 1, 100, 2, 0, 7), (30, 500 << 24, 0, 1, 1, 100, 2, 1, 7),
            (25, 500 << 24, 0, 1, 2, 5, 2, 0, 7), (5, 600 << 24, 0, 1, 1, 9, 2, 0, 7);
        INSERT INTO CUDA_GPU_MEMORY_POOL_EVENTS (start, globalPid, deviceId, address, operationType, poolType) VALUES
            (20, 500 << 24, 0, 7, 1, 1);
        """
    )
    with nsysql.open(export) as run:
        found = run.memory_pools().select("pid", "created_ns", "peak_bytes", "end_bytes", "allocation_count").rows()
    assert found == [(500, None, 100, 0, 1), (600, None, 9, 9, 1), (500, 20, 5, 5, 1)]


def test_steps_of_a_range_are_chosen_and_one_gpu(story: Callable[[str], Path]) -> None:
    with nsysql.open(story("memory_steps")) as run:
        every = run.memory_by_step()
        assert every.equals(run.memory_by_step(step_range="step", gpu=0))
        assert run.memory_by_step(gpu=1).is_empty()
        with pytest.raises(MissingData):
            run.memory_by_step(step_range="nothing")
    with nsysql.open(story("memory")) as run:
        assert run.answer("memory_by_step").why_none().startswith("no rows: no step was found")
        named = run.answer("memory_by_step", step_range="load", gpu=7)  # the range marks steps, and GPU 7 has none
        assert named.why_none() == "no rows: nothing in this export passes gpu=7 step_range='load'."
