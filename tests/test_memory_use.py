"""Bytes in use: the events of random allocations against a loop over them."""

import random
from collections.abc import Callable
from pathlib import Path

import pytest

import nsysql
from nsysql.errors import MissingData


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
