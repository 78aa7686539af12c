"""NVTX: what lies in what, on drawn timelines and on invented ones, against plain Python that compares all with all."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path
from typing import Any

import polars as pl
import polars.testing as polars_testing
import pytest
from exports import corpus_names, create_export, each_opened, one_in
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

import nsysql
from nsysql.analysis.nvtx import blocks, launch_spans
from nsysql.analysis.nvtx import launches as held_ranges
from nsysql.analysis.nvtx.launches import launching as calls_of
from nsysql.analysis.nvtx.nesting import nest
from nsysql.capture import frame_views
from nsysql.catalog.header import own_folder
from nsysql.catalog.parameters import bind
from nsysql.catalog.query import Query
from nsysql.catalog.query_file import read_query
from nsysql.errors import MissingData, UsageError

PROCESS = 500 << 24
FILES = count()
Story = Callable[[str], Path]


# On drawn timelines (their plain answers are goldens of fixtures/nvtx_*) ---------------------------


def ask(path: Path, query: str, **parameters: Any) -> list[dict[str, Any]]:
    with nsysql.open(path) as run:
        return run.query(query, **parameters).to_dicts()


def column(found: list[dict[str, Any]], *names: str) -> list[Any]:
    """The values of a column, or tuples of several."""
    return [row[names[0]] if len(names) == 1 else tuple(row[name] for name in names) for row in found]


def test_nvidia_loses_ranges_of_equal_start_and_end_with_all_in_them(story: Story) -> None:
    found = ask(story("nvtx_equal"), "nvtx_pushpop_trace", as_nsys=True)
    assert column(found, "name", "num_child", "dur_child_ns") == [("outer", 0, 0)]


def test_nvidia_has_no_place_for_ranges_of_equal_start_and_end(story: Story) -> None:
    found = ask(story("nvtx_equal"), "nvtx_gpu_proj_trace", as_nsys=True)
    assert column(found, "name", "level", "parent_id", "range_stack", "num_child") == [
        ("outer", 0, None, ":1", 0),
        ("one", None, None, None, 2),  # it counts two and in as its children, two counts one
        ("two", None, None, None, 1),
        ("in", None, None, None, 0),
    ]
    (outer, *lost) = ask(story("nvtx_equal"), "nvtx_gpu_proj_sum", as_nsys=True)
    assert (outer["range"], outer["avg_range_level"]) == ("in", None)  # all of 10 ns: by name
    assert {row["range"]: row["avg_range_level"] for row in lost} == {"one": None, "outer": 0.0, "two": None}


def test_nvidia_counts_a_range_for_every_thread_that_registered_its_domain(story: Story) -> None:
    found = ask(story("nvtx_domains"), "nvtx_sum", as_nsys=True)
    assert column(found, "range", "style", "instances", "total_time_ns") == [
        ("io:read", "StartEnd", 2, 1400),  # and an open one ends with the naming of a thread
        ("io:read", "PushPop", 4, 400),
        ("math:read", "PushPop", 1, 50),
        ("read", "PushPop", 1, 30),
        (None, "PushPop", 1, 5),
    ]
    found = ask(story("nvtx_domains"), "nvtx_startend_sum", as_nsys=True)
    assert column(found, "instances", "total_time_ns") == [(2, 1400)]
    found = ask(story("nvtx_domains"), "nvtx_pushpop_sum", as_nsys=True)
    assert column(found, "instances", "total_time_ns") == [(4, 400), (1, 50), (1, 30), (1, 5)]


def test_nvidia_drops_projections_of_ranges_without_a_text(build: Callable[[str], Path]) -> None:
    path = build(
        f"""INSERT INTO NVTX_EVENTS (start, "end", eventType, globalTid) VALUES (0, 9, 59, {PROCESS | 1});
        INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME (start, "end", globalTid, correlationId)
            VALUES (1, 2, {PROCESS | 1}, 1);
        INSERT INTO CUPTI_ACTIVITY_KIND_MEMSET (start, "end", deviceId, correlationId, globalPid)
            VALUES (20, 30, 0, 1, {PROCESS});"""
    )
    assert ask(path, "nvtx_gpu_proj_sum", as_nsys=True) == []
    assert column(ask(path, "nvtx_gpu_proj_sum"), "range", "total_proj_time_ns") == [(None, 10)]
    assert column(ask(path, "nvtx_gpu_proj_trace", as_nsys=True), "range_id", "projected_duration_ns") == [(1, 10)]


def test_a_range_that_ends_before_it_starts_keeps_its_duration(build: Callable[[str], Path]) -> None:
    export = build(f"""
        INSERT INTO NVTX_EVENTS (start, "end", eventType, globalTid, text) VALUES (100, 40, 59, {PROCESS | 1}, 'odd');
        INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME (start, "end", globalTid, correlationId)
            VALUES (100, 100, {PROCESS | 1}, 1);
        INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL (start, "end", deviceId, correlationId, globalPid)
            VALUES (200, 210, 0, 1, {PROCESS});""")
    (row,) = ask(export, "nvtx_gpu_proj_trace")
    assert (row["name"], row["orig_start_ns"], row["orig_duration_ns"]) == ("odd", 100, -60)
    assert (row["projected_start_ns"], row["projected_duration_ns"], row["range_stack"]) == (200, 10, ":1")


def test_whole_graph_runs_are_projected_though_not_by_nvidia(build: Callable[[str], Path]) -> None:
    path = build(
        f"""INSERT INTO NVTX_EVENTS (start, "end", eventType, globalTid, text)
            VALUES (0, 90, 59, {PROCESS | 1}, 'step'), (10, 20, 59, {PROCESS | 1}, 'replay');
        INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME (start, "end", globalTid, correlationId)
            VALUES (11, 12, {PROCESS | 1}, 1), (30, 31, {PROCESS | 1}, 2);
        INSERT INTO CUPTI_ACTIVITY_KIND_GRAPH_TRACE (start, "end", deviceId, correlationId, globalPid)
            VALUES (100, 200, 0, 1, {PROCESS});
        INSERT INTO CUPTI_ACTIVITY_KIND_MEMSET (start, "end", deviceId, correlationId, globalPid)
            VALUES (150, 160, 0, 2, {PROCESS});"""
    )
    whole = ask(path, "nvtx_gpu_proj_trace")
    assert column(whole, "name", "projected_start_ns", "projected_duration_ns", "num_gpu_ops", "num_child") == [
        ("step", 100, 100, 2, 1),
        ("replay", 100, 100, 1, 0),
    ]
    nvidias = ask(path, "nvtx_gpu_proj_trace", as_nsys=True)
    assert column(nvidias, "name", "projected_start_ns", "projected_duration_ns", "num_gpu_ops", "num_child") == [
        ("step", 150, 10, 1, 0)
    ]


# The kernels of nvtx_nested by the innermost range around their call, k or l; 5 is in outer alone, 7 and 9 in none.
NAMES = ["a/k", "a/k", "a/l", "point/k", "inner/l", "outer/k", "open/k", "k", "k", "l"]


def test_kernels_are_named_by_the_innermost_range(story: Story) -> None:
    path = story("nvtx_nested")
    traced = ask(path, "cuda_gpu_trace", nvtx_name=True)
    assert column(traced, "name") == ["[CUDA memcpy Host-to-Device]", *NAMES]
    assert column(ask(path, "cuda_kern_exec_trace", nvtx_name=True), "kernel_name") == [
        "a/k", "k", "a/k", "a/l", "point/k", "inner/l", "outer/k", "open/k", "k"
    ]  # fmt: skip
    for query in ("cuda_gpu_kern_sum", "cuda_gpu_kern_gb_sum"):
        found = ask(path, query, nvtx_name=True)
        assert {row["name"]: row["instances"] for row in found} == {n: NAMES.count(n) for n in NAMES}, query
    for query in ("cuda_gpu_sum", "cuda_api_gpu_sum"):
        found = [row for row in ask(path, query, nvtx_name=True) if row["category"] == "CUDA_KERNEL"]
        assert {row["operation"]: row["instances"] for row in found} == {n: NAMES.count(n) for n in NAMES}, query
    found = ask(path, "cuda_kern_exec_sum", nvtx_name=True)
    assert {(row["tid"], row["kernel_name"]): row["count"] for row in found} == {
        (500, "a/k"): 2, (500, "a/l"): 1, (500, "point/k"): 1, (500, "inner/l"): 1, (500, "outer/k"): 1,
        (500, "open/k"): 1, (500, "k"): 1, (501, "k"): 1,
    }  # fmt: skip


def test_kernels_keep_their_range_when_their_call_lies_outside_the_time_asked_for(story: Story) -> None:
    found = ask(story("nvtx_nested"), "cuda_gpu_kern_sum", nvtx_name=True, start_ns=2200, end_ns=2300)
    assert column(found, "name") == ["point/k"]


def test_a_range_without_a_text_hides_those_around_it(build: Callable[[str], Path]) -> None:
    path = build(
        f"""INSERT INTO StringIds (id, value) VALUES (1, 'k');
        INSERT INTO NVTX_EVENTS (start, "end", eventType, globalTid, text) VALUES
            (0, 9, 59, {PROCESS | 1}, 'step'), (1, 8, 59, {PROCESS | 1}, NULL);
        INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME (start, "end", globalTid, correlationId)
            VALUES (1, 2, {PROCESS | 1}, 1);
        INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL (start, "end", deviceId, correlationId, globalPid, demangledName)
            VALUES (20, 30, 0, 1, {PROCESS}, 1);"""
    )
    assert column(ask(path, "cuda_gpu_kern_sum", nvtx_name=True), "name") == ["k"]


def test_the_stack_at_a_moment_is_what_the_drawing_shows(story: Story) -> None:
    found = ask(story("nvtx_nested"), "nvtx_stack", moments="-5, 399ns, 400, 0.00065ms, 5us")
    names = [(row["moment_ns"], row["thread_id"] & 0xFFFFFF, row["depth"], row["name"]) for row in found]
    assert names == [
        *((399, 500, 1, "outer"), (399, 500, 2, "a")),
        (400, 500, 1, "outer"),  # a ends there, and point has no length
        *((650, 500, 1, "outer"), (650, 500, 2, "b"), (650, 500, 3, "inner")),
        (5000, 500, 1, "open"),
    ]
    assert found[-1]["end_ns"] is None


@pytest.mark.parametrize("moments", ["", "soon", "1,,2", "99999999999h"])
def test_a_stack_at_no_moment_is_refused(story: Story, moments: str) -> None:
    with pytest.raises(UsageError, match="is not a time"):
        ask(story("nvtx_nested"), "nvtx_stack", moments=moments)


def test_the_stacks_of_many_moments_are_those_of_each_alone(story: Story) -> None:
    moments = range(-10, 1020, 14)
    with nsysql.open(story("nvtx_nested")) as run:
        together = run.query("nvtx_stack", moments=",".join(map(str, moments)))
        alone = [run.query("nvtx_stack", moments=str(moment)) for moment in moments]
    polars_testing.assert_frame_equal(together, pl.concat(alone))


def test_naming_kernels_by_ranges_needs_ranges_and_calls(story: Story) -> None:
    with pytest.raises(MissingData, match="no NVTX_EVENTS; capture with --trace=nvtx"):
        ask(story("two_streams"), "cuda_gpu_kern_sum", nvtx_name=True)
    assert len(ask(story("two_streams"), "cuda_gpu_kern_sum")) == 3


NVTX = [path for path in sorted((own_folder() / "nvtx").glob("*.sql")) if path.stem != "nvtx_stack"]  # few moments


@pytest.mark.parametrize("path", NVTX, ids=lambda path: path.stem)
def test_no_report_compares_all_ranges_with_all(path: Path, story: Story, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(frame_views, "FEW_ROWS_COPIED", 0)  # laid as a large export's
    query = read_query(path)
    with nsysql.open(story("nvtx_crossing")) as run:
        con, layout = run._engine.kept()
        layout.create(query.sources)
        plan = str(con.execute(f"EXPLAIN {query.sql}", bind(query, {})).fetchall()).upper().replace(" ", "_")
    assert "SCAN" in plan
    for quadratic in ("NL_JOIN", "NESTED_LOOP", "IE_JOIN", "PIECEWISE"):
        assert quadratic not in plan, quadratic


# On invented timelines ----------------------------------------------------------------------------


@dataclass(frozen=True)
class Range:
    """A range: push/pop or start/end, on one of two threads; with no length it is open."""

    push_pop: bool
    thread: int
    start: int
    length: int | None
    ended_elsewhere: bool


@dataclass(frozen=True)
class Call:
    """An API call and the GPU work that it launched, as (kind, start, length)."""

    thread: int
    start: int
    length: int
    correlation: int
    work: tuple[tuple[str, int, int], ...]


SHORT = st.integers(0, 3) | st.integers(0, 12)
RANGE = st.builds(
    Range,
    push_pop=st.booleans(),
    thread=st.integers(1, 2),
    start=st.integers(-2, 12),
    length=st.sampled_from([None]) | SHORT | SHORT | SHORT,
    ended_elsewhere=st.sampled_from([False] * 5 + [True]),
)


@st.composite
def nested(draw: st.DrawFn, size: int) -> list[Range]:
    """Ranges of two threads that are popped in reverse order, in any order of rows; at least one."""
    found = [Range(True, 1, -5, 1, False)]
    for thread in (1, 2):
        now, opened = -2, []
        for is_push, pause in draw(st.lists(st.tuples(st.booleans(), st.sampled_from([0, 1, 1, 2])), max_size=size)):
            now += pause
            if is_push or not opened:
                opened.append(now)
            else:
                start = opened.pop()
                found.append(Range(draw(st.booleans()), thread, start, now - start, False))
    return draw(st.permutations(found))


@st.composite
def following(draw: st.DrawFn, size: int) -> list[Call]:
    """Calls of two threads that follow each other, in any order of rows; at least one."""
    found, correlations = [draw(CALL)], st.integers(1, 40) if draw(st.booleans()) else st.integers(1, 4)
    for thread in (1, 2):
        now = -2 if found[0].thread != thread else found[0].start + found[0].length
        for pause, length, call in draw(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2), CALL), max_size=size)):
            found.append(Call(thread, now + pause, length, draw(correlations), call.work))
            now += pause + length
    return draw(st.permutations(found))


CALL = st.builds(
    Call,
    thread=st.integers(1, 2),
    start=st.integers(-2, 14),
    length=SHORT,
    correlation=st.integers(1, 6),
    work=st.lists(
        st.tuples(st.sampled_from(["KERNEL", "MEMSET"]), st.integers(20, 60), SHORT), max_size=2
    ).map(tuple),
)  # fmt: skip
IN_MEMORY, ON_DISK = blocks.BYTES_PER_RANGE, float("inf")  # bytes that a range is taken for
SIZES = st.sampled_from(
    [(1, IN_MEMORY), (2, IN_MEMORY), (2**17, IN_MEMORY), (1, ON_DISK), (2, ON_DISK), (2**17, ON_DISK)]
)
Size = tuple[int, float]  # of blocks, and of a range
some = settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


def invented(folder: Path, ranges: list[Range], calls: list[Call], names: int | None = None) -> Path:
    """The export of a timeline; a range's name is its row, and k every kernel's, or there are so many names of each."""
    sql = ["INSERT INTO StringIds (id, value) VALUES (1, 'k'), (2, 'k1'), (3, 'k2');"]
    for row, r in enumerate(ranges, start=1):
        end = "NULL" if r.length is None else r.start + r.length
        kind = 59 if r.push_pop else 60
        elsewhere = PROCESS | 3 if r.ended_elsewhere else "NULL"
        sql.append(
            'INSERT INTO NVTX_EVENTS (start, "end", eventType, globalTid, endGlobalTid, text) '
            f"VALUES ({r.start}, {end}, {kind}, {PROCESS | r.thread}, {elsewhere}, 'r{row % names if names else row}');"
        )
    for call in calls:
        sql.append(
            'INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME (start, "end", globalTid, correlationId) '
            f"VALUES ({call.start}, {call.start + call.length}, {PROCESS | call.thread}, {call.correlation});"
        )
        for kind, start, length in call.work:
            name = ("", "") if kind == "MEMSET" else (", demangledName", f", {2 + start % names if names else 1}")
            sql.append(
                f"INSERT INTO CUPTI_ACTIVITY_KIND_{kind} "
                f'(start, "end", deviceId, correlationId, globalPid{name[0]}) '
                f"VALUES ({start}, {start + length}, 0, {call.correlation}, {PROCESS}{name[1]});"
            )
    return create_export("\n".join(sql), folder / f"{next(FILES)}.sqlite")


@dataclass(frozen=True)
class Placed:
    """A range with its row and its end."""

    row: int
    thread: int
    start: int
    end: int

    def holds(self, thread: int, start: int, end: int) -> bool:
        return self.thread == thread and self.start <= start and self.end >= end


def placed(ranges: list[Range], wanted: Callable[[Range], bool], closing: Callable[[Range], bool]) -> list[Placed]:
    """The wanted ranges, open ones ended with the last timestamp of those that `closing` picks."""
    last = max((r.start + (r.length or 0) for r in ranges if closing(r)), default=0)
    return [
        Placed(row, r.thread, r.start, last if r.length is None else r.start + r.length)
        for row, r in enumerate(ranges, start=1)
        if wanted(r)
    ]


def parents(found: list[Placed]) -> dict[int, int | None]:
    """The parent of each range: the shortest around it, of equal ones the first row, in its last twin."""
    result: dict[int, int | None] = {}
    for c in found:
        around = [
            p
            for p in found
            if p.holds(c.thread, c.start, c.end) and ((p.start, p.end) != (c.start, c.end) or p.row < c.row)
        ]
        best: dict[tuple[int, int], list[Placed]] = {}
        for p in around:
            best.setdefault((p.start, p.end), []).append(p)
        order = sorted(best.values(), key=lambda twins: (twins[0].end - twins[0].start, twins[0].row))
        result[c.row] = order[0][-1].row if order else None
    return result


def paths(up: dict[int, int | None]) -> dict[int, list[int]]:
    """The rows from the outermost range to each range."""

    def path(row: int) -> list[int]:
        parent = up[row]
        return [*(path(parent) if parent is not None else []), row]

    return {row: path(row) for row in up}


def launching(start: int, length: int, number: int) -> Call:
    return Call(1, start, length, number, (("KERNEL", 20 + 2 * number, 5),))


@contextmanager
def in_blocks(size: int, held: float = IN_MEMORY) -> Iterator[None]:
    """Ranges are nested so many at a time, as far as they lie apart; frames of so many rows are large."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(blocks, "BYTES_PER_RANGE", held)
        patch.setattr(blocks, "BLOCK", size)
        patch.setattr(blocks, "CHUNK", size + 1)
        patch.setattr(frame_views, "FEW_ROWS_COPIED", size)
        yield


def as_nsys(run: nsysql.Export, query: Query, select: str, parameters: dict[str, Any]) -> list[tuple[Any, ...]]:
    return run.ask(
        query,
        parameters,
        lambda con, sql, values: con.execute(f"{select} FROM ({sql})", values).fetchall(),
        as_nsys=True,
    )


def same_as_text(run: nsysql.Export, name: str, **parameters: Any) -> bool:
    """Whether the report is the same as a stream of texts and all at once."""
    query = run.find(name)
    select = "SELECT " + " || ',' || ".join(f"coalesce({c.name}::VARCHAR, '')" for c in query.columns) + " || '\n'"
    streamed = "".join(text for _, text in run.texts(query, select, parameters))
    return streamed == "".join(text for (text,) in as_nsys(run, query, select, parameters))


class Rows:
    """A reader of views that are all these rows."""

    def __init__(self, frame: pl.DataFrame) -> None:
        self.frame = frame

    def rows(self, view: str) -> int:
        return self.frame.height

    def __call__(
        self, view: str, *, narrow: Callable[[pl.DataFrame], pl.DataFrame], stream: bool = False, which: str = ""
    ) -> pl.DataFrame:
        return narrow(self.frame)


def test_work_of_one_call_is_summed_where_read() -> None:
    work = {"row_id": [1, 1, 2], "thread_id": PROCESS | 1, "call_ns": [0, 0, 5], "return_ns": [1, 1, 6]}
    times = {"correlation_id": [7, 7, 8], "start_ns": [10, 30, 50], "end_ns": [20, 40, 60]}
    frame = pl.DataFrame(work | times | {"is_graph": [False, True, True]})
    calls, may_share = calls_of(Rows(frame))
    assert not may_share  # else they are joined, which takes longer
    names = ("start_ns", "end_ns", "nsys_start_ns", "nsys_end_ns")
    assert calls.sort("row_id").select(names).rows() == [(10, 40, 10, 20), (50, 60, None, None)]
    assert calls_of(Rows(frame.with_columns(correlation_id=7, launch=0)))[1]


@pytest.mark.parametrize(
    ("size", "threads", "times", "found"),
    [
        (1, [1, 1, 1], [(0, 4), (1, 3), (4, 5)], [[0, 1, 2]]),  # one starts where another ends
        (1, [1, 1, 1], [(0, 3), (1, 3), (4, 5)], [[0, 1], [2]]),
        (1, [1, 1, 1], [(10, 12), (20, 21), (9, 13)], [[2, 0], [1]]),  # rows in another order
        (1, [1, 1, 1], [(5, 3), (5, 9), (10, 11)], [[0, 1], [2]]),  # an end before its start
        (2, [2, 1, 2, 1], [(0, 1), (0, 1), (2, 3), (2, 3)], [[0, 2], [1, 3]]),
        (3, [2, 1, 2, 1], [(0, 1), (0, 1), (2, 3), (2, 3)], [[0, 2, 1], [3]]),
        (3, [], [], []),
    ],
)
def test_ranges_are_cut_where_none_is_open(
    size: int, threads: list[int], times: list[tuple[int, int]], found: list[list[int]]
) -> None:
    starts, ends = [start for start, _ in times], [end for _, end in times]
    whole = {"thread_id": pl.Int64, "start_ns": pl.Int64, "end_ns": pl.Int64}
    with in_blocks(size):
        made = list(blocks.blocks(pl.DataFrame([threads, starts, ends], schema=whole).with_row_index("row_id")))
    assert len(made) >= 1
    assert [block["row_id"].to_list() for block in made if len(block)] == found


@pytest.mark.parametrize("rows", [1, 2, 3, 9])  # in a chunk
@pytest.mark.parametrize(
    ("size", "times", "found"),
    [
        (1, [(1, 0, 4), (1, 1, 3), (1, 4, 5)], [(0, 3)]),
        (1, [(1, 0, 3), (1, 1, 3), (1, 4, 5)], [(0, 2), (2, 3)]),
        (1, [(1, 0, 9), (1, 1, 2), (1, 3, 4), (2, 5, 6), (2, 6, 7), (2, 8, 8)], [(0, 3), (3, 5), (5, 6)]),
        (2, [(1, 0, 1), (1, 2, 3), (1, 4, 5), (1, 6, 7), (1, 8, 9)], [(0, 2), (2, 4), (4, 5)]),
        (1, [(1, 5, 3), (1, 5, 9), (1, 10, 11)], [(0, 2), (2, 3)]),  # an end before its start
        (1, [], [(0, 0)]),
    ],
)
def test_ranges_on_disk_are_cut_alike(
    size: int, times: list[tuple[int, int, int]], found: list[tuple[int, int]], rows: int
) -> None:
    whole = pl.DataFrame(times, schema=dict.fromkeys(("thread_id", "start_ns", "end_ns"), pl.Int64), orient="row")
    with in_blocks(size):
        bounds = blocks.bounds(whole.slice(at, rows) for at in range(0, max(len(times), 1), rows))
    assert bounds.select("first", "end").rows() == found
    for first, _, thread, start in bounds.rows() if times else []:
        assert (thread, start) == times[first][:2]


def test_what_is_read_from_disk_is_not_held(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    export = invented(folder, SIDE_BY_SIDE, EACH_AND_ONE_OUTSIDE)
    reports = ("nvtx_gpu_proj_trace", "nvtx_gpu_proj_sum", "nvtx_kern_sum", "nvtx_pushpop_trace")
    held = [ask(export, name) for name in reports]
    for module in (held_ranges, launch_spans):
        monkeypatch.setattr(module, "named_ranges", None)
    monkeypatch.setattr(blocks, "blocks", None)
    with in_blocks(1, ON_DISK):
        assert [ask(export, name) for name in reports] == held


@each_opened(one_in(6, corpus_names()))
def test_a_real_export_is_the_same_from_disk(opened: nsysql.Run) -> None:
    whole = {}
    for report in ("nvtx_gpu_proj_trace", "nvtx_kern_sum", "nvtx_pushpop_trace"):
        with suppress(MissingData):
            whole[report] = opened.query(report)
    for report, frame in whole.items():  # opened anew for each, as what one report reads another would find read
        with in_blocks(1000, ON_DISK), nsysql.open(opened.path) as run:
            polars_testing.assert_frame_equal(run.query(report), frame, rel_tol=1e-12)


@some
@given(
    ranges=st.lists(RANGE, min_size=1, max_size=12) | nested(12),
    size=st.sampled_from([1, 3, 2**17]),
    scale=st.sampled_from([1, 3 * 10**17]),  # too long for three times as many numbers of 64 bits
    thread=st.sampled_from([1, None]),
)
def test_the_tree_is_what_comparing_all_with_all_gives(
    ranges: list[Range], size: int, scale: int, thread: int | None
) -> None:
    found = placed(ranges, lambda r: not r.ended_elsewhere, lambda r: True)
    found = [replace(one, end=max(one.start, one.end)) for one in found]
    up = parents(found)
    expected = {row: (len(path) - 1, up[row]) for row, path in paths(up).items()}
    rows = [(p.row, thread if p.thread == 1 else 2, p.start * scale, p.end * scale) for p in found]
    columns = dict.fromkeys(("row_id", "thread_id", "start_ns", "end_ns"), pl.Int64)
    with in_blocks(size):
        tree = nest(pl.DataFrame(rows, schema=columns, orient="row"))
    assert {row: tuple(rest) for row, *rest in tree["row_id", "level", "parent_row_id"].rows()} == expected


SIDE_BY_SIDE = [  # on two threads, so that their blocks lie in each other's time
    Range(True, 1, 0, 10, False), Range(True, 1, 5, 2, False),
    Range(True, 2, 3, 4, False), Range(True, 2, 20, 4, False),
]  # fmt: skip
EACH_AND_ONE_OUTSIDE = [
    Call(thread, start, 1, number, (("KERNEL", 40 - number, 5),))
    for number, (thread, start) in enumerate([(1, 1), (1, 5), (2, 4), (2, 21), (1, 30)], start=1)
]


@some
@example(SIDE_BY_SIDE, (1, IN_MEMORY))
@example(SIDE_BY_SIDE, (1, ON_DISK))
@example([Range(True, *at, 1, False) for at in ((1, 20), (1, 30), (2, 3))], (1, ON_DISK))  # the second thread first
@given(ranges=st.lists(RANGE, min_size=1, max_size=12) | nested(12), size=SIZES)
def test_the_push_pop_trace_is_what_comparing_all_with_all_gives(folder: Path, ranges: list[Range], size: Size) -> None:
    found = {p.row: p for p in placed(ranges, lambda r: r.push_pop, lambda r: r.push_pop)}
    up = parents(list(found.values()))
    expected = []
    for row, path in paths(up).items():
        inside = [p.end - p.start for p in found.values() if up[p.row] == row]
        dur, name = found[row].end - found[row].start, "--" * (len(path) - 1) + f"r{row}"
        stack = "".join(f":{r}" for r in path)
        expected.append((row, up[row], dur, sum(inside), dur - sum(inside), len(inside), len(path) - 1, name, stack))
    with in_blocks(*size), nsysql.open(invented(folder, ranges, [])) as run:
        assert same_as_text(run, "nvtx_pushpop_trace", as_nsys=bool(len(ranges) % 2))
        traced = run.query("nvtx_pushpop_trace").to_dicts()
    names = (
        "range_id", "parent_id", "duration_ns", "dur_child_ns", "dur_non_child_ns", "num_child", "level", "name_tree",
        "range_stack",
    )  # fmt: skip
    assert sorted(column(traced, *names)) == sorted(expected)
    order = [(row["start_ns"], row["duration_ns"], row["level"]) for row in traced]
    assert order == sorted(order)


def instant(start: int) -> Call:
    """A call of no length that launched a kernel."""
    return Call(1, start, 0, 1, (("KERNEL", start, 1),))


@some
@example(
    [Range(True, 1, 0, 10, False)], [launching(1, 1, 1), launching(3, 1, 1)], (1, ON_DISK)
)  # two with one correlation id
@example(
    [Range(True, 1, 0, 2, False), Range(True, 1, 9, 2, False)], [instant(5)], (1, ON_DISK)
)  # before all calls, and after
@example(SIDE_BY_SIDE, EACH_AND_ONE_OUTSIDE, (1, IN_MEMORY))
@example(SIDE_BY_SIDE, EACH_AND_ONE_OUTSIDE, (1, ON_DISK))
@given(
    ranges=st.lists(RANGE, min_size=1, max_size=8) | nested(8),
    calls=st.lists(CALL, min_size=1, max_size=8) | following(4),
    size=SIZES,
)
def test_ranges_hold_the_calls_that_comparing_all_with_all_gives(
    folder: Path, ranges: list[Range], calls: list[Call], size: Size
) -> None:
    found = placed(ranges, lambda r: not r.ended_elsewhere, lambda r: True)
    work: dict[int, list[tuple[str, int, int]]] = {}
    for call in calls:
        work.setdefault(call.correlation, []).extend(call.work)
    held = {
        (p.row, row): call
        for p in found
        for row, call in enumerate(calls, start=1)
        if work[call.correlation] and p.holds(call.thread, call.start, call.start + call.length)
    }
    with in_blocks(*size), nsysql.open(invented(folder, ranges, calls)) as run:
        pairs = run.sql("SELECT range_row_id, call_row_id FROM nvtx_range_launch").rows()
        assert sorted(pairs) == sorted(held)
        if not any(work.values()):
            return
        assert same_as_text(run, "nvtx_gpu_proj_trace", as_nsys=bool(len(calls) % 2))
        projected = run.query("nvtx_gpu_proj_trace").to_dicts()
        kernels = run.query("nvtx_kern_sum").to_dicts() if run.has("CUPTI_ACTIVITY_KIND_KERNEL") else []
    expected, up, own = {}, parents(found), {p.row: p for p in found}
    above = paths(up)
    for row in (holding := {row for row, _ in held}):
        correlations = {call.correlation for (range_row, _), call in held.items() if range_row == row}
        pieces = [piece for c in correlations for piece in work[c]]
        first, last = min(start for _, start, _ in pieces), max(start + length for _, start, length in pieces)
        expected[row] = (
            first, last - first, len(correlations), f"r{row}", own[row].start, own[row].end - own[row].start,
            "PushPop" if ranges[row - 1].push_pop else "StartEnd", own[row].thread, len(above[row]) - 1, up[row],
            sum(up[other] == row for other in holding), "".join(f":{r}" for r in above[row]),
        )  # fmt: skip
    names = (
        "projected_start_ns", "projected_duration_ns", "num_gpu_ops", "name", "orig_start_ns", "orig_duration_ns",
        "style", "tid", "level", "parent_id", "num_child", "range_stack",
    )  # fmt: skip
    assert {
        row["range_id"]: tuple(row[n] for n in names) for row in projected if row["range_id"] is not None
    } == expected
    summed: dict[str, list[int]] = {}
    for (row, _), call in held.items():
        lengths = [length for kind, _, length in work[call.correlation] if kind == "KERNEL"]
        summed.setdefault(f"r{row}", []).extend(lengths)
    assert {row["nvtx_range"]: row["total_time_ns"] for row in kernels if row["nvtx_range"]} == {
        name: sum(lengths) for name, lengths in summed.items() if lengths
    }


ONE_IN_ANOTHER = [Range(True, 1, 0, 12, False), Range(True, 1, 20, 1, False), Range(True, 1, 1, 8, False)]
ENDING_IN_A_CALL = [Range(True, 1, 0, 5, False)]  # and other calls lie before that one and in it


@some
@example(ONE_IN_ANOTHER, [launching(2, 1, 1)], (1, IN_MEMORY))
@example(ENDING_IN_A_CALL, [launching(0, 1, 1), launching(1, 8, 2), launching(2, 1, 3)], (1, IN_MEMORY))
@example(SIDE_BY_SIDE, EACH_AND_ONE_OUTSIDE, (1, ON_DISK))
@given(
    ranges=st.lists(RANGE, min_size=1, max_size=8),
    calls=st.lists(CALL, min_size=1, max_size=8) | following(4),
    size=SIZES,
)
def test_kernels_count_once_in_ranges_of_one_name(
    folder: Path, ranges: list[Range], calls: list[Call], size: Size
) -> None:
    numbered = [(n, c.correlation, *piece) for n, (c, piece) in enumerate((c, p) for c in calls for p in c.work)]
    kernels = [(n, c, start, length) for n, c, kind, start, length in numbered if kind == "KERNEL"]
    if not kernels:
        return
    found = placed(ranges, lambda r: not r.ended_elsewhere, lambda r: True)
    expected: dict[Any, list[tuple[int, int, int]]] = {}
    for n, correlation, start, length in kernels:
        for call in calls:
            if call.correlation == correlation:
                around = [p for p in found if p.holds(call.thread, call.start, call.start + call.length)]
                for p in around or [None]:
                    style = p and ("PushPop" if ranges[p.row - 1].push_pop else "StartEnd")
                    key = (p and f"r{p.row % 2}", style, call.thread, f"k{1 + start % 2}")
                    expected.setdefault(key, []).append((p.row if p else 0, n, length))
    keys = ("nvtx_range", "style", "tid", "kernel_name")
    with in_blocks(*size):
        rows = ask(invented(folder, ranges, calls, names=2), "nvtx_kern_sum")
    assert {tuple(r[k] for k in keys): (r["nvtx_inst"], r["kern_inst"], r["total_time_ns"]) for r in rows} == {
        key: (len({row for row, _, _ in held} - {0}), len({n for _, n, _ in held}), sum(length for *_, length in held))
        for key, held in expected.items()
    }


@some
@given(ranges=st.lists(RANGE, min_size=1, max_size=8), calls=st.lists(CALL, min_size=1, max_size=6))
def test_kernels_are_named_by_the_range_that_started_last(folder: Path, ranges: list[Range], calls: list[Call]) -> None:
    unique = [
        Call(c.thread, c.start, c.length, number, (("KERNEL", 30 + number, 1),)) for number, c in enumerate(calls)
    ]
    found = placed(ranges, lambda r: not r.ended_elsewhere, lambda r: True)
    expected = []
    for call in unique:
        around = [p for p in found if p.holds(call.thread, call.start, call.start + call.length)]
        inner = max(around, key=lambda p: (p.start, -p.row), default=None)
        expected.append(f"r{inner.row}/k" if inner else "k")
    traced = ask(invented(folder, ranges, unique), "cuda_gpu_trace", nvtx_name=True)
    assert column(traced, "name") == expected
