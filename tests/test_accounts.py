"""Accounts: every nanosecond of a GPU's window in exactly one, as other queries and a plain reference count it."""

import time
from collections.abc import Callable
from itertools import count
from pathlib import Path

import polars as pl
import pytest
from exports import corpus_names, create_export, each_opened, each_story, one_in
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

import nsysql
from nsysql import Export
from nsysql.errors import MissingData

quick = settings(
    max_examples=3,
    deadline=None,
    derandomize=True,
    suppress_health_check=list(HealthCheck),
    phases=[Phase.generate],  # many timelines at once: to make them smaller takes longer than to read them
)
KINDS = ("computing", "graph", "communication", "copy", "memset", "idle")
FILES = count()
DEVICES = 12  # each is a timeline of its own
TEXTS = {
    "computing": {1: "gemm", 2: "relu"},
    "communication": {1: "ncclKernel_a", 2: "ncclKernel_b"},
    "graph": {1: "[CUDA graph 1]", 2: "[CUDA graph 2]"},
    "copy": {1: "Host-to-Device (Pinned to Device)", 2: "Device-to-Host (Pinned to Device)"},
    "memset": {1: "Device", 2: "Array"},
}
NAMES = "INSERT INTO StringIds (id, value) VALUES (1, 'gemm'), (2, 'relu'), (3, 'ncclKernel_a'), (4, 'ncclKernel_b');"


def assert_identities(run: Export, **narrowed: object) -> None:
    """The accounts sum to the window, and agree with gpu_time, exposed_time and idle_ledger."""
    try:
        accounts = run.gpu_accounts(**narrowed)
    except MissingData:
        return
    time = {row["gpu_id"]: row for row in run.gpu_time(**narrowed).to_dicts()}
    exposed = {row["gpu_id"]: row for row in run.exposed_time(**narrowed).to_dicts()}
    idle = run.idle_ledger(**narrowed).select("gpu_id", "cause", "idle_ns", "gap_count").sort(pl.all()).rows()
    pieces = run.idle_pieces(**narrowed).group_by("gpu_id", "cause").agg(pl.sum("dur_ns"), pl.n_unique("gap_id"))
    assert pieces.sort(pl.all()).rows() == idle
    rows = accounts.filter(kind="idle").select("gpu_id", "name", "total_ns", "count").sort(pl.all()).rows()
    assert rows == idle
    assert set(accounts["gpu_id"]) == set(time)
    for gpu_id, row in time.items():
        own = accounts.filter(pl.col("gpu_id").eq_missing(gpu_id))
        sums = {kind: int(own.filter(kind=kind)["total_ns"].sum()) for kind in KINDS}
        assert sum(sums.values()) == row["window_ns"]
        assert row["window_ns"] - sums["idle"] == row["busy_ns"]
        parts = exposed.get(gpu_id, {})
        assert sums["copy"] + sums["memset"] == parts.get("only_copies_ns", 0)
        assert sums["communication"] == parts.get("only_communication_ns", 0)
        assert own["window_pct"].sum() == pytest.approx(100)
    assert (accounts["total_ns"] > 0).all()
    assert (accounts["count"] > 0).all()


@each_story(2)
def test_the_accounts_of_a_story_sum_to_its_windows(opened: Export) -> None:
    assert_identities(opened)
    if opened.has("_gpu_work_ids") and opened.gpu_time(per_process=True).height > opened.gpu_time().height:
        assert_identities(opened, per_process=True)


@each_opened(one_in(3, corpus_names()))
def test_the_accounts_of_a_real_export_sum_to_its_windows(opened: Export) -> None:
    assert_identities(opened)
    if opened.has("_gpu_work_ids"):
        first = opened.gpu_time()
        third = (first["window_end_ns"][0] - first["window_start_ns"][0]) // 3
        start = first["window_start_ns"][0] + third
        assert_identities(opened, start_ns=start, end_ns=start + third)


WORK = st.fixed_dictionaries(
    {
        "kind": st.sampled_from(["computing", "computing", "graph", "communication", "copy", "memset"]),
        "device": st.integers(0, DEVICES - 1),
        "pid": st.sampled_from([500, 600]),
        "stream": st.integers(7, 8),
        "start": st.integers(-4, 12),
        "dur": st.integers(0, 9),
        "what": st.integers(1, 2),
    }
)


@quick
@given(work=st.lists(WORK, min_size=60, max_size=90))
def test_each_nanosecond_counts_as_the_reference_has_it(folder: Path, work: list[dict]) -> None:
    path = create_export("".join(insert(row) for row in work) + NAMES, folder / f"{next(FILES)}.sqlite")
    with nsysql.open(path) as run:
        assert_identities(run)
        found = run.gpu_accounts().filter(pl.col("kind") != "idle")
    assert sorted(found.select("gpu_id", "kind", "name", "total_ns", "count").rows()) == sorted(reference(work))


def insert(row: dict) -> str:
    """The row of an export that tells of this work."""
    table, more = {
        "computing": ("KERNEL", {"demangledName": row["what"]}),
        "communication": ("KERNEL", {"demangledName": row["what"] + 2}),
        "graph": ("GRAPH_TRACE", {"graphId": row["what"]}),
        "copy": ("MEMCPY", {"copyKind": row["what"], "srcKind": 1, "dstKind": 2}),
        "memset": ("MEMSET", {"memKind": row["what"] + 1}),
    }[row["kind"]]
    columns = {"deviceId": row["device"], "streamId": row["stream"], "globalPid": row["pid"] << 24, "contextId": 1}
    values = {"start": row["start"], '"end"': row["start"] + row["dur"], **columns, **more}
    cells = ", ".join(map(str, values.values()))
    return f"INSERT INTO CUPTI_ACTIVITY_KIND_{table} ({', '.join(values)}) VALUES ({cells});\n"


def reference(work: list[dict]) -> list[tuple]:
    """The busy accounts, nanosecond by nanosecond: of those under way the first in the order of the rules."""
    known = [row for row in work if row["dur"] and (row["start"], row["dur"]) != (0, 0)]
    counted: dict[tuple, list[int]] = {}
    for device in range(DEVICES):
        own = [(number, row) for number, row in enumerate(known) if row["device"] == device]
        for at in range(-4, 21):
            running = [one for one in own if one[1]["start"] <= at < one[1]["start"] + one[1]["dur"]]
            if running:
                number, row = min(running, key=order)
                counted.setdefault((device, row["kind"], TEXTS[row["kind"]][row["what"]]), []).append(number)
    return [(*account, len(numbers), len(set(numbers))) for account, numbers in counted.items()]


def order(one: tuple[int, dict]) -> tuple:
    number, row = one
    end = row["start"] + row["dur"]
    return KINDS.index(row["kind"]), row["start"], -end, row["pid"], row["stream"], number


def test_accounts_of_steps_take_linear_time(build: Callable[[str], Path]) -> None:
    """40,000 kernels in 2,500 steps: a loop over their pairs took 8 s."""
    process, starts = 500 << 24, range(1000, 40_001_000, 1000)
    kernels = ", ".join(f"({at + 100}, {at + 800}, 0, 1, 7, {at}, {process}, {at // 1000 % 16 + 1})" for at in starts)
    calls = ", ".join(f"({at + 1}, {at + 9}, {process | 500}, {at}, 99)" for at in starts)
    steps = ", ".join(f"({at}, {at + 15_990}, 59, 'step', {process | 500})" for at in starts[::16])
    names = ", ".join(f"({number}, 'k{number}')" for number in range(1, 17))
    export = build(
        f"INSERT INTO StringIds (id, value) VALUES {names}, (99, 'cudaLaunchKernel');\n"
        f"INSERT INTO NVTX_EVENTS (start, end, eventType, text, globalTid) VALUES {steps};\n"
        f"INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME (start, end, globalTid, correlationId, nameId) VALUES {calls};\n"
        "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL (start, end, deviceId, contextId, streamId, correlationId, globalPid,"
        f" demangledName) VALUES {kernels};"
    )
    with nsysql.open(export) as run:
        run.gpu_accounts()
        assert run.step_series()["step_count"][0] == 2500
        before = time.process_time()
        accounts = run.step_accounts()
        assert time.process_time() - before < 3
        assert accounts["total_ns"].sum() == run.gpu_time()["window_ns"][0]
