"""The replay: drawn timelines with the answer computed by hand, real pairs, and properties."""

import json
import re
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy
import polars
import pytest
from drawn import drawn, read_story
from exports import alter, one_in, table_ddl
from hypothesis import given, settings
from hypothesis import strategies as st

import nsysql
from nsysql.analysis.replay import beside, changes, copies, thread_edges
from nsysql.analysis.replay import build as building
from nsysql.analysis.replay.build import in_order
from nsysql.analysis.replay.calls import outer_calls, threads
from nsysql.analysis.replay.changes import Waits, scale, select
from nsysql.analysis.replay.graph import NEVER, Edge, Graph, critical_path, replay, windows
from nsysql.capture.replay_graph import MESSAGES, WAITS, read_graph
from nsysql.errors import MissingData, UsageError
from nsysql.findings import savings
from nsysql.findings.engine import find
from nsysql.findings.what_if import Change, collect
from nsysql.pages.what_if import document, page
from nsysql.words.quantities import counted, time

pytestmark = pytest.mark.usefixtures("kept_open")

Call = tuple[str, int, int]  # name, start, end; its number is its correlation id
Work = tuple[int, str, int, int, int]  # call (-1: none), name, stream, start, end
US = 1_000


def draw(
    calls: list[Call],
    works: list[Work],
    streams: dict[int, int] | None = None,
    events: Any = (),
    gpus: Any = (),
    others: Any = (),
    shares: dict[str, float] | None = None,
) -> Graph:
    """A graph of a drawn timeline in microseconds; `streams`: what a call waits for; `events`: waits of streams.

    Queries answer "not ready" up to the last in a row. `others`: start and end of waits, and what for: lock, sleep, or
    message.
    """
    names = [name for name, _, _ in calls]
    status = [600 * (name == after and "Query" in name) for name, after in zip(names, [*names[1:], ""], strict=True)]
    frame = polars.DataFrame(
        [(s * US, e * US, 1, 1, n, status[n], name) for n, (name, s, e) in enumerate(calls)],
        schema=dict.fromkeys(
            ("start_ns", "end_ns", "process_id", "thread_id", "correlation_id", "return_value"), polars.Int64
        )
        | {"name": polars.String},
        orient="row",
    )
    rows = []
    shares = shares or {}
    for i, (call, name, stream, start, end) in enumerate(works):
        kind = "memcpy" if "memcpy" in name else "kernel"
        gpu = gpus[i] if gpus else 0
        rows.append(
            (
                start * US,
                end * US,
                1,
                gpu,
                1,
                stream,
                call,
                kind,
                name,
                10**6,
                name if kind == "memcpy" else None,
                "Pageable" in name,
                stream == 7,
                0,
                shares.get(name),
            )
        )
    whole = ("start_ns", "end_ns", "process_id", "gpu_id", "context_id", "stream_id", "correlation_id")
    schema: dict[str, Any] = dict.fromkeys(whole, polars.Int64) | {"kind": polars.String, "name": polars.String}
    schema |= {
        "bytes": polars.Int64,
        "direction": polars.String,
        "is_pageable": polars.Boolean,
        "is_null": polars.Boolean,
        "priority": polars.Int64,
        "gpu_share": polars.Float64,
    }
    waits = {
        "process_id": [1] * len(streams or {}),
        "correlation_id": list(streams or {}),
        "waits_on": list((streams or {}).values()),
    }
    waiting = [(1, a * US, b, c, d and d * US) for a, b, c, d in events]
    columns = ("process_id", "start_ns", "stream_id", "recorded_stream_id", "recorded_ns")
    return building.build(
        frame,
        polars.DataFrame(rows, schema=schema, orient="row"),
        polars.DataFrame(waits, schema=dict.fromkeys(waits, polars.Int64)),
        polars.DataFrame(waiting, schema=dict.fromkeys(columns, polars.Int64), orient="row"),
        polars.DataFrame(
            [(1, a * US, b * US, c == "lock", c == "sleep") for a, b, c in others], schema=WAITS, orient="row"
        ),
        polars.DataFrame(schema=MESSAGES),
    )


def changed(graph: Graph, what: str, factor: float) -> numpy.ndarray[Any, Any]:
    """The waits once `what` takes `factor` times as long."""
    waits = Waits.all(graph.wait)
    return scale(graph, waits, *select(graph, what), factor).likely if what else graph.wait


def after(graph: Graph, what: str = "", factor: float = 1.0) -> int:
    """Microseconds from first to last GPU work with that change."""
    times = replay(graph.with_waits(changed(graph, what, factor))).times
    works = graph.works
    return round((times[works["last"].to_numpy()].max() - times[works["first"].to_numpy()].min()) / US)


# A synchronization per step: call 0-5, kernel 10-110, the wait returns at 115; host code until 135.
PER_STEP = draw(
    [
        (n, s + 135 * i, e + 135 * i)
        for i in range(3)
        for n, s, e in (("cudaLaunchKernel", 0, 5), ("cudaDeviceSynchronize", 6, 115))
    ],
    [(2 * i, "k", 7, 10 + 135 * i, 110 + 135 * i) for i in range(3)],
)
# The GPU is the limit: launches every 10, kernels of 100 back to back.
GPU_BOUND = draw(
    [("cudaLaunchKernel", 10 * i, 10 * i + 5) for i in range(4)],
    [(i, "k", 7, 8 + 100 * i, 108 + 100 * i) for i in range(4)],
)
# The CPU is the limit: launches every 100, kernels of 10.
CPU_BOUND = draw(
    [("cudaLaunchKernel", 100 * i, 100 * i + 5) for i in range(4)],
    [(i, "k", 7, 8 + 100 * i, 18 + 100 * i) for i in range(4)],
)
# Two steps ahead: the host waits for the event of each step when the next is queued.
AHEAD = draw(
    [
        (n, s, e)
        for i in range(4)
        for n, s, e in (
            ("cudaLaunchKernel", max(0, 100 * i - 90), max(0, 100 * i - 90) + 5),
            ("cudaEventSynchronize", max(6, 100 * i - 84), max(7, 100 * i + 9)),
        )
    ],
    [(2 * i, "k", 7, 8 + 100 * i, 107 + 100 * i) for i in range(4)],
)
# Stream 14 waits for an event after "a" on stream 13.
EVENT = draw(
    [("cudaLaunchKernel", 0, 5), ("cudaEventRecord", 6, 7), ("cudaStreamWaitEvent", 8, 9),
     ("cudaLaunchKernel", 10, 15)],
    [(0, "a", 13, 10, 110), (3, "b", 14, 111, 161)], events=[(8, 14, 13, 6)],
)  # fmt: skip
# "c" on stream 7 waits for events that the export does not name: "a" of 100 us and "b" of 60, side by side.
UNNAMED = draw(
    [("cudaLaunchKernel", 0, 5), ("cudaLaunchKernel", 6, 10), ("cudaStreamWaitEvent", 11, 12),
     ("cudaStreamWaitEvent", 13, 14), ("cudaLaunchKernel", 15, 20)],
    [(0, "a", 13, 10, 110), (1, "b", 14, 10, 70), (4, "c", 7, 111, 131)],
    events=[(11, 7, None, None), (13, 7, None, None)],
)  # fmt: skip
# A copy to the GPU for the next kernel; the second copy waits for the engine.
COPIES = draw(
    [("cudaMemcpyAsync", 0, 5), ("cudaMemcpyAsync", 6, 10), ("cudaLaunchKernel", 11, 15)],
    [
        (0, "[CUDA memcpy Host-to-Device]", 13, 10, 110),
        (1, "[CUDA memcpy Host-to-Device]", 14, 110, 210),
        (2, "k", 14, 212, 222),
    ],
)
# The call of a copy from pageable memory takes as long as the copy: a kernel before it, one after it.
PAGEABLE = draw(
    [("cudaLaunchKernel", 0, 5), ("cudaMemcpyAsync", 10, 510), ("cudaLaunchKernel", 520, 525)],
    [(0, "k", 7, 8, 18), (1, "[CUDA memcpy Host-to-Device]", 13, 20, 515), (2, "k", 7, 530, 540)],
)
PAGEABLE = replace(PAGEABLE, works=PAGEABLE.works.with_columns(is_pageable=polars.col("kind") == "memcpy"))
# The legacy default stream waits for stream 13.
JOIN = draw(
    [("cudaLaunchKernel", 0, 5), ("cudaLaunchKernel", 10, 15)], [(0, "a", 13, 8, 108), (1, "b", 7, 110, 130)]
)  # fmt: skip
# "b" began as "a" ended; the export does not show why.
LATE = draw(
    [("cudaLaunchKernel", 0, 5), ("cudaLaunchKernel", 10, 15)], [(0, "a", 13, 8, 108), (1, "b", 14, 110, 130)]
)  # fmt: skip
# Two GPUs: the kernels of a collective end together, after the later has begun.
COLLECTIVE = draw(
    [("cudaLaunchKernel", 0, 2), ("cudaLaunchKernel", 3, 5), ("cudaLaunchKernel", 6, 8), ("cudaLaunchKernel", 9, 11)],
    [(0, "slow", 7, 5, 105), (1, "ncclKernel_A", 7, 105, 125), (2, "fast", 8, 10, 20), (3, "ncclKernel_A", 8, 20, 125)],
    gpus=[0, 0, 1, 1],
)  # fmt: skip
# The host asks whether the kernel has ended, twice a step of 130.
POLLED = draw(
    [
        (n, s + 130 * i, e + 130 * i)
        for i in range(3)
        for n, s, e in (("cudaLaunchKernel", 0, 5), ("cudaEventQuery", 6, 8), ("cudaEventQuery", 112, 114))
    ],
    [(3 * i, "k", 7, 10 + 130 * i, 110 + 130 * i) for i in range(3)],
)  # fmt: skip


def waits_for_batches(kind: str) -> Graph:
    """A step of 400 with a kernel of 100, then a wait of 270 for the next batch."""
    return draw(
        [
            (n, s + 400 * i, e + 400 * i)
            for i in range(4)
            for n, s, e in (("cudaLaunchKernel", 0, 5), ("cudaDeviceSynchronize", 6, 115))
        ],
        [(2 * i, "k", 7, 10 + 400 * i, 110 + 400 * i) for i in range(4)],
        others=[(120 + 400 * i, 390 + 400 * i, kind) for i in range(3)],
    )


# A timer of 400; kernels of 100, 60, 140 and 100.
TIMER = draw(
    [
        (n, s + 400 * i, e + 400 * i)
        for i, k in enumerate((100, 60, 140, 100))
        for n, s, e in (("cudaLaunchKernel", 0, 5), ("cudaDeviceSynchronize", 6, 15 + k))
    ],
    [(2 * i, "k", 7, 10 + 400 * i, 10 + k + 400 * i) for i, k in enumerate((100, 60, 140, 100))],
    others=[(20 + k + 400 * i, 390 + 400 * i, "sleep") for i, k in enumerate((100, 60, 140))],
)
# The call of a copy from pageable memory waits for "k", fills a buffer for 22, and returns 50 before the copy ends.
STAGED = draw(
    [("cudaLaunchKernel", 0, 5), ("cudaMemcpyAsync", 10, 600), ("cudaLaunchKernel", 610, 615)],
    [(0, "k", 7, 8, 508), (1, "[CUDA memcpy Host-to-Device] Pageable", 7, 530, 650), (2, "j", 7, 655, 665)],
)
# A host function between "k" and "j" takes 99.
HOST_FUNCTION = draw(
    [("cudaLaunchKernel", 0, 5), ("cudaLaunchHostFunc", 6, 8), ("cudaLaunchKernel", 9, 14)],
    [(0, "k", 7, 10, 110), (2, "j", 7, 210, 220)],
)
# Two kernels are queued when the capture begins.
BACKLOG = draw([("cudaLaunchKernel", 120, 125)], [(-1, "k", 7, 0, 100), (-1, "k", 7, 101, 201), (0, "k", 7, 202, 302)])
# A graph: two branches after "start", of 240 and 160, and "join" after both.
BRANCHES = draw(
    [("cudaGraphLaunch", 0, 5)],
    [(0, "start", 7, 10, 50), (0, "left", 7, 51, 291), (0, "right", 21, 51, 211), (0, "join", 7, 292, 332)],
)
# "next" on stream 13 follows a graph with branches of 100 and 80; with a synchronization of stream 13 between.
AFTER_GRAPH = draw(
    [("cudaGraphLaunch", 0, 5), ("cudaLaunchKernel", 6, 10)],
    [(0, "left", 13, 10, 110), (0, "right", 21, 10, 90), (1, "next", 13, 111, 131)],
)
GRAPH_AND_WAIT = draw(
    [("cudaGraphLaunch", 0, 5), ("cudaStreamSynchronize", 6, 115), ("cudaLaunchKernel", 120, 125)],
    [(0, "left", 13, 10, 110), (0, "right", 21, 10, 90), (2, "next", 13, 128, 138)], streams={1: 13},
)  # fmt: skip
# "c" on stream 7 waits for "a" and "b", in an export without the table of such waits.
NO_EVENTS = draw(
    [("cudaLaunchKernel", 0, 5), ("cudaLaunchKernel", 6, 10), ("cudaStreamWaitEvent", 11, 12),
     ("cudaStreamWaitEvent", 13, 14), ("cudaLaunchKernel", 15, 20)],
    [(0, "a", 13, 10, 110), (1, "b", 14, 10, 70), (4, "c", 15, 111, 131)],
)  # fmt: skip
# A kernel whose launch was not recorded keeps its place after the second call.
PLACED = draw([("cudaLaunchKernel", 0, 5), ("cudaLaunchKernel", 50, 55)], [(0, "k", 7, 8, 18), (-1, "j", 8, 60, 70)])


@pytest.mark.parametrize(("branches", "pairs"), [(8, True), (9, False)])
def test_a_graph_of_many_branches_has_no_pairs_of_them(branches: int, pairs: bool) -> None:
    """Each piece of work with each other branch: 400 branches of 250 kernels took 11 GB."""
    works = [
        (0, "k", 7 + i % branches, 10 + 10 * (i // branches), 18 + 10 * (i // branches)) for i in range(10 * branches)
    ]
    graph = draw([("cudaGraphLaunch", 0, 5)], works)
    assert (graph.kind == Edge.MAYBE).any() == pairs


@pytest.mark.parametrize(
    ("graph", "what", "factor", "expected"),
    [
        (PER_STEP, "", 1, 370),
        (PER_STEP, "kernel:k", 0.5, 220),  # each step 50 shorter
        (PER_STEP, "synchronization", 0, 302),  # kernels back to back, 1 from one to the next
        (PER_STEP, "host_code", 0, 330),  # 20 between two steps; what the CPU does beside a kernel saves nothing
        (GPU_BOUND, "kernel:k", 0.5, 200),
        (GPU_BOUND, "host_code", 0, 400),
        (AHEAD, "kernel:k", 0.5, 201),
        (CPU_BOUND, "kernel:k", 0.5, 305),
        (CPU_BOUND, "host_code", 0, 43),  # launches of 5, kernels of 10 and 1 between: the GPU is the limit
        (EVENT, "kernel:a", 0.5, 101),
        (EVENT, "kernel:b", 0.5, 126),
        (UNNAMED, "kernel:a", 0.8, 101),
        (UNNAMED, "kernel:a", 0.1, 80),  # then it waits for "b", to 70
        (COPIES, "copy:Host", 0.5, 112),
        (COPIES, "kernel:k", 0, 200),
        (JOIN, "kernel:a", 0.5, 72),
        (LATE, "kernel:a", 0.5, 72),
        (COLLECTIVE, "kernel:slow", 0.1, 35),  # from 5; the other GPU begins the collective at 20, and it takes 20
        (COLLECTIVE, "kernel:nccl", 0.5, 110),  # 10 instead of 20 once both have begun
        (AFTER_GRAPH, "kernel:left", 0.1, 101),  # "right" still ends at 90
        (GRAPH_AND_WAIT, "kernel:left", 0.1, 108),
        (POLLED, "kernel:k", 0.5, 210),
        (POLLED, "host_code", 0, 328),  # 16 between two steps; what the CPU does beside a kernel saves nothing
        (CPU_BOUND, "kernel:k", 0, 285),  # no launch calls of 5 either; the host code stays
        (STAGED, "kernel:k", 0.5, 407),  # all of 250; j waits for the copy
        (HOST_FUNCTION, "kernel:k", 0.5, 160),
        (HOST_FUNCTION, "call:cudaLaunchHostFunc", 0.5, 160),
        (HOST_FUNCTION, "call:cudaLaunchHostFunc", 0, 111),
        (BACKLOG, "kernel:k", 0.5, 170),  # the third is launched at 120
        (PAGEABLE, "copy:Host", 0.5, 282),  # the call takes 250 less, too
    ],
)  # fmt: skip
def test_changes_of_drawn_timelines(graph: Graph, what: str, factor: float, expected: int) -> None:
    """By hand; the time from first to last GPU work."""
    assert after(graph, what, factor) == expected


@pytest.mark.parametrize(
    ("graph", "what", "factor", "expected"),
    [
        (waits_for_batches("lock"), "kernel:k", 0.5, (1100, 1250, 1250)),  # batches come every 400
        (waits_for_batches("message"), "kernel:k", 0.5, (1100, 1100, 1250)),  # or one after each answer
        (waits_for_batches("lock"), "host_code", 0, (445, 445, 445)),  # the wait, too
        (waits_for_batches("lock"), "host_code", 0.6, (958, 958, 958)),
        (waits_for_batches("sleep"), "kernel:k", 0.5, (1100, 1100, 1100)),  # each as long as the others
        (TIMER, "kernel:k", 0.5, (1100, 1250, 1250)),
        (BRANCHES, "kernel:left", 0.4, (201, 201, 242)),  # "right" still ends at 211; or "join" waits for it
        (NO_EVENTS, "kernel:a", 0.1, (60, 60, 80)),  # "c" waits for "a" alone; or as UNNAMED
    ],
)  # fmt: skip
def test_what_is_not_known_is_a_range(graph: Graph, what: str, factor: float, expected: tuple[int, int, int]) -> None:
    """By hand: the time from first to last GPU work, shortest, likely and longest."""
    assert after(graph) == round((graph.measured.max() - 10 * US) / US) - 5 * graph.calls["waits"][-1]
    waits = changes.paced(graph, scale(graph, Waits.all(graph.wait), *select(graph, what), factor))
    assert tuple(after(graph.with_waits(wait)) for wait in (waits.low, waits.likely, waits.high)) == expected


@pytest.mark.parametrize(
    ("kind", "graph", "what"),
    [
        (Edge.WAIT, PER_STEP, "kernel:k"), (Edge.HOST, CPU_BOUND, "kernel:k"), (Edge.STREAM, GPU_BOUND, "kernel:k"),
        (Edge.EVENT, EVENT, "kernel:a"), (Edge.ENGINE, COPIES, "copy:Host"), (Edge.JOIN, JOIN, "kernel:a"),
        (Edge.SUBMIT, CPU_BOUND, "kernel:k"), (Edge.RUN, GPU_BOUND, "kernel:k"),
        (Edge.TOGETHER, COLLECTIVE, "kernel:fast"), (Edge.CALLBACK, HOST_FUNCTION, "kernel:k"),
        (Edge.PACE, waits_for_batches("lock"), "kernel:k"), (Edge.MAYBE, BRANCHES, "kernel:left"),
        (Edge.OWN, CPU_BOUND, "host_code"), (Edge.BEGIN, CPU_BOUND, "kernel:k"), (Edge.PLACE, PLACED, "host_code"),
    ],
)  # fmt: skip
def test_every_kind_of_edge_is_needed(kind: Edge, graph: Graph, what: str) -> None:
    """Without it a drawn timeline has another answer."""
    wait = changed(graph, what, 0.5)
    without = numpy.where(graph.kind == kind, NEVER, wait)
    assert not numpy.array_equal(replay(graph.with_waits(wait)).times, replay(graph.with_waits(without)).times)


@pytest.mark.parametrize(
    ("shares", "expected"),
    [
        ({"a": 0.6, "b": 0.8}, (151, 151, 200)),  # "b" had half of what it needs while "a" ran
        ({"a": 0.2, "b": 0.25}, (200, 200, 200)),
        ({"a": 0.4, "b": 0.4}, (163, 200, 200)),  # perhaps memory was the limit
        ({}, (151, 200, 200)),  # how much "a" left is not known: perhaps half
    ],
)
def test_a_kernel_gets_shorter_without_the_one_beside_it(
    shares: dict[str, float], expected: tuple[int, int, int]
) -> None:
    graph = draw(
        [("cudaLaunchKernel", 0, 2), ("cudaLaunchKernel", 3, 5)], [(0, "a", 13, 8, 108), (1, "b", 14, 10, 210)],
        shares=shares,
    )  # fmt: skip
    waits = beside.settled(graph, scale(graph, Waits.all(graph.wait), *select(graph, "kernel:a"), 0.0))
    ends = [replay(graph.with_waits(w)).times[graph.works["last"].to_numpy()].max() for w in (waits.low, waits.likely)]
    high = replay(graph.with_waits(waits.high)).times[graph.works["last"].to_numpy()].max()
    assert tuple(round((end - 8 * US) / US) for end in (*ends, high)) == expected


def test_full_launch_queue(monkeypatch: pytest.MonkeyPatch) -> None:
    """A launch returns when there is room: its time is not host work, and faster kernels shorten it.

    Kernels of 100 from 10 on; the fifth launch returns as the third begins, and 300 of host code follow it.
    """
    monkeypatch.setattr(thread_edges, "QUEUE", 2)
    spans = [(0, 5), (6, 11), (12, 17), (18, 110), (111, 210), (510, 515)]
    works = [(i, "k", 7, 10 + 100 * i, 110 + 100 * i) for i in range(5)]
    graph = draw([("cudaLaunchKernel", *span) for span in spans], [*works, (5, "j", 13, 513, 523)])
    assert after(graph, "kernel:k", 0.5) == 413  # it returns at 110: the last launch is at 410, 3 later its work of 10
    without = numpy.where(graph.kind == Edge.QUEUE, NEVER, changed(graph, "kernel:k", 0.5))
    assert windows(graph, replay(graph.with_waits(without)).times)[0] < 400 * US


def test_most_launches_wait_in_a_full_queue(monkeypatch: pytest.MonkeyPatch) -> None:
    """What such launches take is not what a launch takes: with kernels of a tenth the launches take 5 each."""
    monkeypatch.setattr(thread_edges, "QUEUE", 2)
    spans = [(0, 5), (6, 11), (12, 17), (18, 110)] + [(100 * i - 289, 100 * i - 190) for i in range(4, 9)]
    works = [(i, "k", 7, 10 + 100 * i, 110 + 100 * i) for i in range(9)]
    graph = draw([("cudaLaunchKernel", *span) for span in spans], works)
    assert after(graph, "kernel:k", 0.1) < 150


def test_a_queue_holds_as_many_launches_as_the_capture_shows(monkeypatch: pytest.MonkeyPatch) -> None:
    """Four wait for their start where two were expected: launches that wait take no longer than the first ones."""
    monkeypatch.setattr(thread_edges, "QUEUE", 2)
    spans = [(6 * i, 6 * i + 5) for i in range(5)]
    spans += [(spans[-1][1] + 1 if i == 5 else 100 * i - 489, 100 * i - 390) for i in range(5, 12)]
    graph = draw(
        [("cudaLaunchKernel", *span) for span in spans], [(i, "k", 7, 10 + 100 * i, 110 + 100 * i) for i in range(12)]
    )
    assert after(graph, "kernel:k", 0.5) == 600


def test_large_copies_that_come_back_after_a_kernel_happen_once() -> None:
    """Two equal copies, a kernel, and both again: the first two stay."""
    calls = [("cudaMemcpyAsync", "cudaLaunchKernel")[i % 3 == 2] for i in range(6)]
    copy = "[CUDA memcpy Host-to-Device]"
    spans = [(copy, 10, 110), (copy, 110, 210), ("k", 211, 221), (copy, 222, 322), (copy, 322, 422), ("k", 423, 433)]
    graph = draw(
        [(name, 2 * i, 2 * i + 1) for i, name in enumerate(calls)],
        [(i, name, 13, begin, end) for i, (name, begin, end) in enumerate(spans)],
    )
    assert after(graph.with_waits(copies.once(graph, Waits.all(graph.wait)).likely)) in range(221, 227)
    alone = draw(
        [("cudaMemcpyAsync", 0, 5), ("cudaMemcpyAsync", 6, 9)], [(0, copy, 13, 10, 110), (1, copy, 13, 110, 210)]
    )
    with pytest.raises(UsageError, match="no repeated copy"):
        copies.once(alone, Waits.all(alone.wait))


def test_copies_beside_kernels_wait_for_their_engine_only() -> None:
    """Steps of two copies of 100 and a kernel of 150, all launched at once: the engine is the limit, 200 a step.

    Nothing runs beside the first two copies: the kernels begin at 210, 410 and 610 at the earliest.
    """
    copy, works = "[CUDA memcpy Host-to-Device]", []
    for step in range(3):
        for name, begin, length in ((copy, 10, 100), (copy, 110, 100), ("k", 210, 150)):
            works.append((len(works), name, 13, begin + 350 * step, begin + length + 350 * step))
    graph = draw([(("cudaMemcpyAsync", "cudaLaunchKernel")[i % 3 == 2], i, i + 1) for i in range(9)], works)
    waits = copies.overlapped(graph, Waits.all(graph.wait))
    assert after(graph.with_waits(waits.likely)) == 200 + 150 + 200 + 150
    assert after(graph.with_waits(waits.high)) == 3 * 350


def test_launches_as_one_graph() -> None:
    """Launches follow each other at once; the first call stays. What polls between them goes, too."""
    for graph, expected in ((CPU_BOUND, 43), (POLLED, 302)):
        assert after(graph.with_waits(changes.graphed(graph, Waits.all(graph.wait)).likely)) == expected


def test_calls_between_launches_are_in_the_graph_and_long_host_code_is_not() -> None:
    calls = [("cudaLaunchKernel", 0, 5), ("cudaFuncSetAttribute", 20, 30), ("cudaLaunchKernel", 50, 55)]
    calls += [("cudaLaunchKernel", 355, 360), ("cudaGetLastError", 370, 371)]
    graph = draw(calls, [(0, "k", 7, 10, 20), (2, "k", 7, 60, 70), (3, "k", 7, 365, 375)])
    waits = changes.graphed(graph, Waits.all(graph.wait))
    times = replay(graph.with_waits(waits.likely)).times
    ends = times[graph.works["last"].to_numpy()] / US
    assert ends[1] <= 35, "the attribute is set once, before"
    assert ends[2] - ends[1] > 290, "300 us of host code are no launch"


def test_elementwise_kernels_are_fused_by_eight_at_most() -> None:
    """Sixteen queued kernels, of 12 us the first of eight, of 10 us the others; 250 us of host code before the last."""
    launched = [2 * i if i < 15 else 300 for i in range(16)]
    works = [(i, "elementwise_kernel", 7, 12 * i + 10, 12 * i + (20 if i % 8 else 22)) for i in range(15)]
    graph = draw(
        [("cudaLaunchKernel", begin, begin + 1) for begin in launched],
        [*works, (15, "elementwise_kernel", 7, 310, 320)],
    )
    times = replay(graph.with_waits(changes.fused(graph, Waits.all(graph.wait)).likely)).times
    ends = times[graph.works["last"].to_numpy()]
    assert (ends[14] - 10 * US) / US == 26, "two kernels of 12 us, 2 us apart"
    assert ends[15] - ends[14] > 200 * US, "host code that takes longer than a launch stays"


def test_pinned_copies_take_the_rate_of_the_link() -> None:
    graph = draw([("cudaMemcpy", 0, 520)], [(0, "[CUDA memcpy Host-to-Device]", 7, 10, 510)])  # 1 MB at 2 GB/s
    graph = replace(graph, works=graph.works.with_columns(is_pageable=True))
    for link, low, likely, high in ((None, 38, 80, 125), (50e9, 19, 20, 30)):
        waits = copies.rate(replace(graph, link_bytes_per_s=link), Waits.all(graph.wait))
        times = [after(graph.with_waits(wait)) for wait in (waits.low, waits.likely, waits.high)]
        assert times == [low, likely, high]


def test_critical_path_sums_to_the_time() -> None:
    """From the first call to the last work, without a hole."""
    path = critical_path(PER_STEP, replay(PER_STEP))
    assert path["dur_ns"].sum() == PER_STEP.measured.max() - 5 * US  # the last wait returns 5 after the work
    assert (path["end_ns"][:-1] == path["start_ns"][1:]).all()


def test_threads_at_the_same_time_are_not_answered() -> None:
    """Two threads that launch at once."""
    graph = draw(
        [("cudaLaunchKernel", 0, 50), ("cudaLaunchKernel", 60, 90)], [(0, "k", 7, 60, 70), (1, "k", 7, 90, 95)]
    )
    assert graph.concurrent is None
    calls = polars.DataFrame({
        "start_ns": [0, 10], "end_ns": [50, 60], "process_id": [1, 1], "thread_id": [1, 2], "correlation_id": [0, 1],
        "name": ["cudaLaunchKernel"] * 2, "polls": [False] * 2,
    })  # fmt: skip
    marked = outer_calls(calls).with_columns(launches=polars.lit(True), gpu_id=polars.lit(0))
    assert "2 threads" in (threads(marked)[1] or "")
    chains, why = threads(marked.with_columns(gpu_id="thread_id"))  # each on a GPU of its own
    assert why is None
    assert chains["chain"].n_unique() == 2


@st.composite
def timelines(draws: Any) -> Graph:
    """One thread, one stream: launches and synchronizations with random lengths, as the model would have run them."""
    now, free, calls, works = 0, 0, [], []
    for _ in range(draws(st.integers(2, 8))):
        now += draws(st.integers(1, 30))
        calls.append(("cudaLaunchKernel", now, now + 3))
        begin = max(now + 5, free + 1)
        free = begin + draws(st.integers(1, 60))
        works.append((len(calls) - 1, "k", 13, begin, free))
        now += 3
        if draws(st.booleans()):
            calls.append(("cudaDeviceSynchronize", now + 1, max(now + 2, free + 3)))
            now = calls[-1][2]
    return draw(calls, works)


@settings(max_examples=60, deadline=None)
@given(timelines())
def test_properties_of_drawn_timelines(graph: Graph) -> None:
    """Unchanged: as measured. Removing never takes longer; all host time saves at most the idle time."""
    assert (replay(graph).times == graph.measured).all()
    whole = after(graph)
    assert after(graph, "kernel:k", 1.0) == whole
    for what in ("host_code", "kernel:k", "launch_calls"):
        assert after(graph, what, 0) <= whole
    busy = int((graph.works["end_ns"] - graph.works["start_ns"]).sum()) // US
    assert whole - after(graph, "host_code", 0) <= whole - busy


PAIRS = [
    *permutations((f"more/pairs/nuss-block{size}" for size in ("16", "128", "512-a")), 2),
    ("more/cases/gol-r4", "more/cases/gol-r1"), ("more/cases/gol-r1", "more/cases/gol-r4"),
]  # fmt: skip


@cache
def graph_of(export: Path) -> Graph:
    with nsysql.open(export) as run:
        return read_graph(run)


@pytest.mark.parametrize(("a", "b"), PAIRS)
def test_durations_of_one_capture_in_the_graph_of_another(corpus: Path, a: str, b: str) -> None:
    """B's kernels in A's graph predict B's time within 3 %."""
    graphs = [graph_of(corpus / f"{name}.sqlite") for name in (a, b)]
    waits = changes.durations_from(graphs[0], Waits.all(graphs[0].wait), graphs[1])
    predicted = windows(graphs[0], replay(graphs[0].with_waits(waits.likely)).times)
    measured = windows(graphs[1], graphs[1].measured)
    assert predicted[0] == pytest.approx(measured[0], rel=0.03)


def test_durations_of_collectives_are_without_the_wait_for_others() -> None:
    """The collective takes 10 instead of 20 once both GPUs have begun it, 95 on the GPU that waits."""
    launches = [("cudaLaunchKernel", 3 * i, 3 * i + 2) for i in range(4)]
    works = [
        (0, "slow", 7, 5, 105),
        (1, "ncclKernel_A", 7, 105, 115),
        (2, "fast", 8, 10, 20),
        (3, "ncclKernel_A", 8, 20, 115),
    ]
    faster = draw(launches, works, gpus=[0, 0, 1, 1])
    waits = changes.durations_from(COLLECTIVE, Waits.all(COLLECTIVE.wait), faster)
    assert after(COLLECTIVE.with_waits(waits.likely)) == 110


def test_streams_are_numbered_gpu_by_gpu_for_durations() -> None:
    """Each GPU has two streams; in the other capture the second of GPU 1 is used before the second of GPU 0."""
    calls = [("cudaLaunchKernel", 3 * i, 3 * i + 2) for i in range(4)]
    one, other = ((0, 1, 0, 1), (7, 8, 9, 10)), ((0, 1, 1, 0), (7, 8, 10, 9))
    graphs = [
        draw(calls, [(i, "k", streams[i], 10 * i + 10, 10 * i + 20 + n) for i in range(4)], gpus=gpus)
        for n, (gpus, streams) in enumerate((one, other))
    ]
    waits = changes.durations_from(graphs[0], Waits.all(graphs[0].wait), graphs[1])
    assert after(graphs[0].with_waits(waits.likely)) == 41


TWO_THREADS = """
every 510 x 5
  kernel "forward(float*)" 0-4 10-100
  os pthread_cond_wait 10-500
  kernel "backward(float*)" 20-24 102-480 thread=1
  call cudaStreamSynchronize 30-490 thread=1
"""


def test_a_wait_for_a_thread_that_launches_depends_on_it(tmp_path: Path) -> None:
    """It has no pace of its own: `backward` takes 189 less a step."""
    with nsysql.open(drawn("threads", TWO_THREADS).write(tmp_path / "run.sqlite")) as run:
        (faster,) = collect(run, [Change("scale", "kernel:backward*=0.5")]).predictions
    assert faster.before_ns - faster.high_ns == faster.saves_ns == 5 * 189 * US


LOADER = """
every 1000 x 6
  kernel "infer(float *)" 0-4 10-905 thread=1
  call cudaStreamSynchronize 5-910 thread=1
  copy up 300-304 310-330 bytes=8000000 stream=8
  os sem_wait 600-700
"""


def test_a_thread_that_did_not_wait_keeps_its_pace(tmp_path: Path) -> None:
    """A thread copies every 900 at least, of which 896 are its host code; the kernels of another take a fifth."""
    with nsysql.open(drawn("loader", LOADER).write(tmp_path / "run.sqlite")) as run:
        (faster,) = collect(run, [Change("scale", "kernel:infer*=0.2")]).predictions
    assert faster.before_ns == 5895 * US and faster.after_ns == (4800 + 30 - 10) * US


FEEDS = """
every 1000 x 12
  kernel "train(float *)" 0-4 10-900
  call cudaStreamSynchronize 5-910
  os sem_wait 600-1000 thread=1
"""


def test_a_thread_that_may_load_data_gets_no_faster(tmp_path: Path) -> None:
    """A thread without CUDA calls waits 400 of 1000: the range allows for it, and the page says so."""
    with nsysql.open(drawn("feeds", FEEDS).write(tmp_path / "run.sqlite")) as run:
        found = collect(run, [Change("scale", "kernel:train*=0.1")])
        less = collect(run, [Change("scale", "kernel:train*=0.9")])
    (faster,) = found.predictions
    assert faster.high_ns == (590 + 11 * 600) * US > faster.after_ns == faster.low_ns
    assert "active 60.5% of the time" in " ".join(page(found).sections[0].after)
    assert less.predictions[0].high_ns == less.predictions[0].after_ns
    assert "active" not in " ".join(page(less).sections[0].after)


@pytest.mark.parametrize(("train", "more"), [(300, 290), (5_000, 600)])
def test_a_thread_that_loads_works_on_after_its_last_wait(train: int, more: int, tmp_path: Path) -> None:
    """Up to the last GPU work, but not longer than before its other waits."""
    text = f'{FEEDS}at 12000\n  kernel "train(float *)" 0-4 10-{train - 10}\n'
    with nsysql.open(drawn("feeds", text).write(tmp_path / "run.sqlite")) as run:
        (faster,) = collect(run, [Change("scale", "kernel:train*=0.1")]).predictions
    assert faster.high_ns == pytest.approx((590 + 11 * 600 + more) * US, abs=2 * US)


RANKS = """
every 1000 x 6
  kernel "train(float *)" 0-4 10-600
  kernel "ncclDevKernel_AllReduce_Sum_f32" 5-9 600-900
  call cudaStreamSynchronize 10-910
"""
OTHER_RANK = """
every 1000 x 6
  kernel "train(float *)" 0-4 10-800 gpu=1 process=701 thread=701
  kernel "ncclDevKernel_AllReduce_Sum_f32" 5-9 800-900 gpu=1 process=701 thread=701
  call cudaStreamSynchronize 10-910 process=701 thread=701
"""


@pytest.mark.parametrize(("text", "after"), [(RANKS, 5890), (RANKS + OTHER_RANK, 5890 - 6 * 395)])
def test_ranks_outside_the_capture_may_get_no_faster(text: str, after: int, tmp_path: Path) -> None:
    with nsysql.open(drawn("ranks", text).write(tmp_path / "run.sqlite")) as run:
        found, table = collect(run, [Change("scale", "kernel:train*=0.5")]), collect(run)
    assert found.predictions[0].high_ns == pytest.approx(after * US, rel=0.01)
    is_outside = text == RANKS
    assert ("Ranks outside the capture" in " ".join(page(found).sections[0].after)) == is_outside
    assert any("nccl" in str(one.kernel) for one in table.predictions) != is_outside


@pytest.mark.parametrize(("size", "is_outside"), [(1, False), (2, True)])
def test_mpi_ranks_outside_the_capture_may_get_no_faster(size: int, is_outside: bool, tmp_path: Path) -> None:
    text = f"{FEEDS}  mpi MPI_Allreduce 915-990\n"
    path = drawn("mpi", text.replace("  os sem_wait 600-1000 thread=1\n", "")).write(tmp_path / "run.sqlite")
    alter(path, table_ddl("MPI_COMMUNICATORS"), f"INSERT INTO MPI_COMMUNICATORS (commHandle, size) VALUES (9, {size})",
          "UPDATE MPI_COLLECTIVES_EVENTS SET commHandle = 9")  # fmt: skip
    with nsysql.open(path) as run:
        (faster,) = collect(run, [Change("remove", "host_code")]).predictions
    assert (faster.high_ns > faster.after_ns) == is_outside


def test_lost_launches_are_no_answer(tmp_path: Path) -> None:
    path = drawn("lost", FEEDS).write(tmp_path / "run.sqlite")
    alter(path, "DELETE FROM CUPTI_ACTIVITY_KIND_RUNTIME WHERE correlationId > 6")
    with nsysql.open(path) as run, pytest.raises(MissingData, match=r"calls that launched 50\.0% of the GPU work"):
        collect(run)


@pytest.mark.parametrize(("begin", "engines"), [(410, 4), (400, 3)])
def test_one_engine_copies_both_ways_if_copies_take_turns(begin: int, engines: int) -> None:
    """Of five copies none runs beside one the other way; or the last one does."""
    ways = ("Host-to-Device", "Device-to-Host")
    works = [(i, f"[CUDA memcpy {ways[i % 2]}]", 13 + i % 2, 10 + 100 * i, 110 + 100 * i) for i in range(4)]
    calls = [("cudaMemcpyAsync", 2 * i, 2 * i + 1) for i in range(5)]
    graph = draw(calls, [*works, (4, f"[CUDA memcpy {ways[0]}]", 13, begin, begin + 100)])
    assert (graph.kind == Edge.ENGINE).sum() == engines


def test_the_time_of_steps_is_that_of_the_work_in_them() -> None:
    """Work belongs to the step in which it starts, not to that of its call."""
    with nsysql.open(Path(__file__).parent / "fixtures" / "training.sqlite") as run:
        steps = run.find_steps("2:3")
        works = run.sql("FROM gpu_activity")
        (changed,) = collect(run, [Change("remove", "host_code")], steps="2:3").predictions
    within = works.filter(polars.col("start_ns").is_between(steps.start_ns, steps.end_ns, closed="left"))
    assert changed.before_ns == within["end_ns"].max() - within["start_ns"].min()


HOST_GONE = ("remove", "host_code")
TWO_RANKS = """
gpu "NVIDIA A100" 8.0 108
gpu "NVIDIA A100" 8.0 108
every 1000 x 5
  kernel "a(float *)" 0-4 10-310
  call cudaDeviceSynchronize 5-315
  mpi MPI_Allreduce 320-620
  kernel "b(float *)" 0-4 10-600 process=1 gpu=1
  call cudaDeviceSynchronize 5-605 process=1
  mpi MPI_Allreduce 610-620 process=1
"""


def test_ranks_wait_for_each_other_in_mpi(tmp_path: Path) -> None:
    """`b` ends 295 sooner: rank 0 then arrives last, 5 later. Host code of rank 1 is in the waits of rank 0."""
    with nsysql.open(drawn("ranks", TWO_RANKS).write(tmp_path / "run.sqlite")) as run:
        faster, no_host = (
            collect(run, [Change(*change)]).predictions[0] for change in (("scale", "kernel:b*=0.5"), HOST_GONE)
        )
    assert faster.before_ns == 4_590 * US
    assert faster.after_ns == (4 * 710 + 300) * US
    assert no_host.after_ns < (5 * 610) * US


@pytest.mark.parametrize("kind", [Edge.HOST, Edge.WAIT, Edge.SUBMIT, Edge.RUN])
def test_a_real_pair_needs_the_edges(corpus: Path, kind: Edge) -> None:
    """Without edges of a kind the time of gol-r1 in the graph of gol-r4 is more than 5 % off; with all it is 0.2 %."""
    graph, other = (graph_of(corpus / f"more/cases/gol-{name}.sqlite") for name in ("r4", "r1"))
    wait = changes.durations_from(graph, Waits.all(graph.wait), other).likely
    measured = windows(other, other.measured)[0]
    assert windows(graph, replay(graph.with_waits(wait)).times)[0] == pytest.approx(measured, rel=0.005)
    without = numpy.where(graph.kind == kind, NEVER, wait)
    assert windows(graph, replay(graph.with_waits(without)).times)[0] != pytest.approx(measured, rel=0.05)


@pytest.mark.parametrize(
    "name", ["mfu-before-2gpu-2026.2", "trisolve-nvtx-2023.3", "synth-graph-a", "more/cases/knn-alloc-2024.5"]
)
def test_unchanged_replay_is_the_capture(corpus: Path, name: str) -> None:
    """Every node at its measured time, to the nanosecond."""
    graph = graph_of(corpus / f"{name}.sqlite")
    assert (replay(graph).times == graph.measured).all()


@given(st.lists(st.tuples(st.integers(1, 30), st.integers(1, 30)).filter(lambda e: e[0] != e[1]), max_size=60))
def test_sources_come_first_in_any_graph_without_circles(pairs: list[tuple[int, int]]) -> None:
    """Whatever the numbers of nodes are; those that no edge leads back over keep theirs."""
    hidden = numpy.random.default_rng(0).permutation(31)
    edges = numpy.array([pair if hidden[pair[0]] > hidden[pair[1]] else pair[::-1] for pair in pairs]).reshape(-1, 2)
    node, source = edges.T.astype(numpy.int64)
    number = in_order(node, source, 31)
    assert sorted(number) == list(range(31)) and (number[source] < number[node]).all()
    spanned = {place for a, b in edges for place in range(a, b + 1)}
    assert all(number[place] == place for place in range(31) if place not in spanned)


def test_page_of_the_sample(run: Any) -> None:
    """A table with savings, largest first; a change by name; unknown ones are refused."""
    sample = Path(__file__).parent / "fixtures" / "training.sqlite"
    with nsysql.open(sample) as export:
        found = collect(export)
        one = document(collect(export, [Change("remove", "host_code")]))
    assert found.predictions and list(found.predictions) == sorted(found.predictions, key=lambda p: -p.saves_ns)
    assert one["after_low_ns"] <= one["after_ns"] <= one["after_high_ns"] <= one["before_ns"]
    assert run("what-if", sample, "--apply", "no-such-finding").code == 2
    assert json.loads(run("what-if", sample, "-f", "json").out)["predictions"]
    assert re.search("host code +before cuda", run("what-if", sample).text)


def test_one_kernel_is_counted_as_one(build: Callable[[str], Path]) -> None:
    sql = """
    INSERT INTO StringIds (id, value) VALUES (1, 'k'), (2, 'cudaLaunchKernel_v7000');
    INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL
        (start, "end", deviceId, contextId, streamId, correlationId, globalPid, demangledName, shortName)
        VALUES (110000, 210000, 0, 1, 7, 2, 500 << 24, 1, 1);
    INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME (start, "end", globalTid, correlationId, nameId)
        VALUES (90000, 100000, 500 << 24 | 500, 2, 2);
    """
    with nsysql.open(build(sql)) as run:
        assert collect(run).scope == "first to last of 1 kernel, copy or memset"


def test_findings_are_applied_by_code_and_by_number() -> None:
    with nsysql.open(Path(__file__).parent / "fixtures" / "training.sqlite") as run:
        with pytest.raises(UsageError, match="no finding 99"):
            collect(run, [Change("apply", "99")])
        with pytest.raises(UsageError, match="no finding that can be replayed"):
            collect(run, [Change("apply", "no-such-code")])


def test_a_kernel_rule_is_applied_by_the_share_that_it_counts_on(run: Any, tmp_path: Path) -> None:
    # thirty kernels of 100 us in a row, in 8 blocks on 108 SMs, launched every 100 us
    path = read_story("few_blocks").write(tmp_path / "few_blocks.sqlite")
    with nsysql.open(path) as export:
        by_code = collect(export, [Change("apply", "few-blocks")]).predictions[0]
        assert collect(export, [Change("apply", "1")]).predictions[0].after_ns == by_code.after_ns
        assert by_code.before_ns == 30 * 100_000
        assert by_code.after_ns == 2_727_407  # from 200 us to the last launch at 2,900 us, 20 us on, 100 us * 8 / 108
        (finding,) = (f for f in find(export).findings if f.code == "few-blocks")
    assert finding.saves_ns == by_code.saves_ns
    assert finding.says.endswith("30 times. Then the limit is host code.")
    assert "at most 273 µs  9%" in run("findings", path).text  # of 3 ms
    assert "Saves at most 272.6 µs." in run("explain", "few-blocks", path).text


def test_a_rule_is_applied_below_the_threshold_of_the_page() -> None:
    with nsysql.open(Path(__file__).parent / "fixtures" / "training.sqlite") as run:
        (finding,) = (f for f in find(run).findings if f.code == "few-blocks")
        assert not finding.shown and finding.saves_ns == 36_000  # no kernel takes less than 1.5 us
        applied = collect(run, [Change("apply", "few-blocks")]).predictions[0]
        assert applied.before_ns - applied.low_ns == pytest.approx(36_000, abs=10)
        assert applied.saves_ns == pytest.approx(6_000, abs=10)  # five of six batches do not come sooner


def test_a_rule_is_applied_below_its_own_threshold(tmp_path: Path) -> None:
    # thirty kernels of 98 us that fill the GPU, each before one of 2 us in one block: too short to be a finding
    with nsysql.open(read_story("few_blocks_not").write(tmp_path / "few_blocks_not.sqlite")) as run:
        assert run.query("few_blocks").is_empty()
        applied = collect(run, [Change("apply", "few-blocks")]).predictions[0]
    assert applied.saves_ns == 30 * (2_000 - 1_500)  # no kernel takes less


def test_layout_conversions_are_applied_whatever_their_names_are(tmp_path: Path) -> None:
    path = read_story("layout_conversion").write(tmp_path / "layout_conversion.sqlite")
    with nsysql.open(path) as run:
        (finding,) = (f for f in find(run).findings if f.code == "layout-conversion")
        assert collect(run, [Change("apply", "layout-conversion")]).predictions[0].saves_ns == finding.saves_ns > 0


def test_steps_of_which_the_graph_has_the_first_work_only_say_so(monkeypatch: pytest.MonkeyPatch) -> None:
    with nsysql.open(Path(__file__).parent / "fixtures" / "training.sqlite") as run:
        whole = collect(run).scope
        most = read_graph(run).works.height - 1
        monkeypatch.setattr("nsysql.findings.what_if.MOST_WORK", most)
        assert collect(run).scope == f"{whole} (of the first {most} kernels, copies and memsets)"


def test_the_range_is_before_or_after_the_factor() -> None:
    with nsysql.open(Path(__file__).parent / "fixtures" / "training.sqlite") as run:
        name = run.select("nvtx_range", "text").drop_nulls()["text"][0]
        one, other = (
            collect(run, [Change("scale", what)]).predictions[0].after_ns
            for what in (f"host_code@{name}=0.5", f"host_code=0.5@{name}")
        )
    assert one == other


STEPS = """
every 1000 x 5
  kernel "k(float *)" 0-4 10-50
  call cudaStreamSynchronize 5-55
  range data 100-900
  range other 100-900 thread=1
"""


def test_host_code_in_a_range_is_what_the_range_covers(tmp_path: Path) -> None:
    """No call is in the range: 4 times 800 us before the launches that follow, and none of another thread."""
    with nsysql.open(drawn("steps", STEPS).write(tmp_path / "run.sqlite")) as run:
        assert collect(run, [Change("remove", "host_code@data")]).predictions[0].saves_ns == 4 * 800_000
        assert collect(run, [Change("scale", "host_code@data=0.5")]).predictions[0].saves_ns == 4 * 400_000
        for what in ("host_code@other", "kernel:k@data"):
            with pytest.raises(UsageError, match="within the NVTX ranges"):
                collect(run, [Change("remove", what)])


UPLOADS = """
every 1000 x 5
  copy up 0-305 5-300 bytes=1000000 pageable=1
  kernel "k(float *)" 310-314 320-500
"""


def test_copies_beside_kernels_take_the_time_at_their_new_rate(tmp_path: Path) -> None:
    with nsysql.open(drawn("uploads", UPLOADS).write(tmp_path / "run.sqlite")) as run:
        pinned, overlap = Change("rate", "10GB/s"), Change("overlap")
        one, other = (collect(run, wanted).predictions[0] for wanted in ([pinned, overlap], [overlap, pinned]))
    assert one.after_ns == other.after_ns
    assert one.low_ns >= 5 * 180_000, "kernels of one stream follow each other"


TWO_LOOPS = """
every 200 x 20
  kernel "a(float *)" 0-4 10-50
  call cudaDeviceSynchronize 5-60
every 1000 x 20 from 10000
  kernel "b(float *)" 0-4 10-50
  kernel "c(float *)" 5-9 50-60
  call cudaDeviceSynchronize 10-70
"""


def test_a_finding_is_applied_in_its_part(tmp_path: Path) -> None:
    """By its number to the calls of its loop; by its code to those of both."""
    with nsysql.open(drawn("loops", TWO_LOOPS).write(tmp_path / "run.sqlite")) as run:
        codes = [f.code for f in find(run).findings if f.shown]
        number = codes.index("sync-each-launch") + 1
        own, every = (
            collect(run, [Change("apply", what)]).predictions[0] for what in (str(number), "sync-each-launch")
        )
    assert 0 < own.saves_ns < every.saves_ns


AGREEING = [
    *(f"story {name}" for name in (
        "allocation_per_step", "exposed_copies_longer", "few_blocks_cpu_bound", "host_code", "host_output",
        "input_wait_message", "launch_bound", "pageable_copies", "sync_each_launch",
        "sync_per_step", "unfused_elementwise", "waits_for_thread",
    )),
    "trisolve-nvtx-2023.3", "dlprof-nvtx-2022.1", "mordred-nometa", "more/cases/omp-3",
]  # fmt: skip


@pytest.mark.parametrize("name", one_in(3, AGREEING))
def test_a_finding_saves_no_more_than_it_says(name: str, corpus: Path, tmp_path: Path) -> None:
    """In the table and by its number. Host code is changed by no more than that, whatever follows."""
    story = name.removeprefix("story ")
    path = corpus / f"{name}.sqlite" if story == name else read_story(story).write(tmp_path / "run.sqlite")
    with nsysql.open(path) as run:
        shown = [f for f in find(run).findings if f.shown]
        rows = [p for p in collect(run).predictions if p.label.startswith("finding ")]
        said = {f.code: sum(g.saves_ns or 0 for g in shown if g.code == f.code) for f in shown if f.saves_ns}
        assert all(p.saves_ns <= said.get(p.label.removeprefix("finding "), p.saves_ns) for p in rows)
        graph, spans = read_graph(run), savings.part_spans(run)
        for number, f in enumerate(shown, 1):
            if not (savings.is_replayed(f) and f.saves_ns):
                continue
            (applied,) = collect(run, [Change("apply", str(number))]).predictions
            savings_of_gpus = [before - after for _, before, after in applied.gpus]
            assert max(applied.saves_ns, *savings_of_gpus) <= f.saves_ns
            if f.code in savings.IDLE_CAUSES:
                wait = savings.advised(graph, Waits.all(graph.wait), f, run, spans).likely
                assert int((graph.wait - wait).sum()) <= f.saves_ns * len(f.part_ids) + len(wait)


@pytest.mark.parametrize("name", ["more/cases/gol-r1", "trisolve-nvtx-2023.3"])
def test_a_saving_of_copies_and_kernels_keeps_its_bound(name: str, corpus: Path) -> None:
    """Copies save no more than the rule says of them; the shorter time of kernels is one that is assumed."""
    with nsysql.open(corpus / f"{name}.sqlite") as run:
        found = [f for f in find(run).findings if f.saves_ns is not None]
        said = run.pageable_copies()["saves_ns"].sum()
        assert sum(f.saves_ns or 0 for f in found if f.code == "pageable-copies") <= said
        assert all(f.bound == "at most" for f in found if f.code in ("few-blocks", "fp32-matmul"))


LONG_AND_SHORT = """
every 2000 x 20
  kernel "a(float *)" 0-4 10-50
  kernel "b(float *)" 100-104 110-150
  kernel "c(float *)" 900-904 910-950
"""


TWO_NAMES = """
at 0
  kernel k1 0-5 10-110
at 200
  kernel k10 0-5 10-60
at 300
  kernel K2 0-5 10-20
"""


@pytest.mark.parametrize(
    ("name", "names", "dur"),
    [("k1", ("k1",), 100), ("K1", ("k1",), 100), ("k1*", ("k1", "k10"), 150), ("k", ("K2", "k1", "k10"), 160),
     ("k?", ("K2", "k1", "k10"), 160), ("0", ("k10",), 50)],
)  # fmt: skip
def test_a_name_stands_for_what_is_said(
    name: str, names: tuple[str, ...], dur: int, tmp_path: Path, run: Callable[..., Any]
) -> None:
    path = drawn("names", TWO_NAMES).write(tmp_path / "run.sqlite")
    ran = run("what-if", path, "--scale", f"kernel:{name}=0.5")
    what = f"kernel:{name} stands for {counted(len(names), 'kernel')} of {counted(len(names), 'name')}, "
    assert f"{what}{time(dur * US)} as captured." in ran.text
    with nsysql.open(path) as export:
        (concerned,) = collect(export, [Change("scale", f"kernel:{name}=0.5")]).concerned
        assert (concerned.names, concerned.dur_ns) == (names, dur * US)
        assert not collect(export, [Change("remove", "host_code")]).concerned


def test_host_code_of_other_gaps_stays(tmp_path: Path) -> None:
    """The finding is about the gaps of 760 and 1,060 us, less the latency of 6; the one of 60 us stays."""
    with nsysql.open(drawn("gaps", LONG_AND_SHORT).write(tmp_path / "run.sqlite")) as run:
        shown = [f for f in find(run).findings if f.shown]
        (finding,) = (f for f in shown if f.code == "host-code")
        applied = collect(run, [Change("apply", str(shown.index(finding) + 1))]).predictions[0]
    assert finding.bound == "at most"
    assert finding.saves_ns == applied.saves_ns == 20 * 750 * US + 19 * 1050 * US


def spun(length: Callable[[int], int], late: int = 3, more: str = "") -> str:
    """Steps of one kernel, `length` us in step i, that host code follows which ends `late` us after it."""
    lines, time = [], 0
    for step in range(20):
        end = 10 + length(step)
        lines += [
            f"at {time}",
            f"  kernel k 0-5 10-{end}",
            more,
            f"  call cudaGetLastError {end + late}-{end + late + 1}",
        ]
        time += end + late + 20
    return "\n".join(line for line in lines if line)


QUERIES = """  call cudaEventQuery 20-21 returns=600
  call cudaGetLastError 22-23
  call cudaEventQuery 60-61 returns=600
  call cudaGetLastError 62-63
  call cudaEventQuery 211-212"""


@pytest.mark.parametrize(
    ("text", "most", "likely", "spins"),
    [
        (spun(lambda step: 100 + 37 * step % 150), True, True, 0),  # it ends as the kernel does, however long that is
        (spun(lambda step: 200), True, False, 20),  # it may also take as long by chance
        (spun(lambda step: 200, late=60), False, False, 0),
        (spun(lambda step: 200, more=QUERIES), True, True, 0),
    ],
)
def test_host_code_that_spins_until_the_gpu_is_done(
    text: str, most: bool, likely: bool, spins: int, tmp_path: Path
) -> None:
    """Kernels in half the time save half of it if the host waits for them, and none of it if that is host code."""
    with nsysql.open(drawn("spun", text).write(tmp_path / "spun.sqlite")) as run:
        found = collect(run, [Change("scale", "kernel:k=0.5")])
        half = int(run.query("cuda_gpu_kern_sum")["total_time_ns"].sum()) // 2
    (row,) = found.predictions
    saved = [row.before_ns - end >= 0.95 * half for end in (row.low_ns, row.after_ns)]
    assert (saved, found.spins) == ([most, likely], spins)
    assert ("it may be a loop that waits" in str(page(found))) == (spins > 0)
