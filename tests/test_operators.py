"""operators: what paths and names have of their own adds up to the whole, to the nanosecond."""

from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import polars as pl
import pytest
from exports import capture_names, corpus_folder, each_opened, one_in, story_names

import nsysql
from nsysql.analysis.nvtx import paths
from nsysql.analysis.operators.ranges import Names, module_name, operator_name, without_counters
from nsysql.analysis.operators.tree import running, under
from nsysql.capture import frame_views, layout
from nsysql.errors import MissingData, QueryError

pytestmark = pytest.mark.usefixtures("kept_open")

CORPUS = corpus_folder()
EXPORTS = capture_names("*.sqlite", "more/ranks/mpi3-slow/*.sqlite", "more/gpumetrics/*.sqlite")
SELF = ["cpu_self_ns", "gpu_self_ns", "idle_self_ns"]
TOTAL = ["cpu_total_ns", "gpu_total_ns", "idle_ns"]
THREAD = "500 << 24 | 500"


def sums_up(run: nsysql.Run) -> None:
    """By path and by name, own times are the whole; GPU and idle time are those that other queries give."""
    by_path, by_name = run.operators(), run.operators(by="name")
    whole = by_path.select(pl.col(SELF).sum()).row(0)
    assert by_name.select(pl.col(SELF).sum()).row(0) == whole
    outermost = by_path.filter(pl.col("name").is_null() | ~pl.col("name").str.contains(" > "))
    assert outermost.select(pl.col(TOTAL).sum()).row(0) == whole
    assert (whole[1] or 0) == run.sql("SELECT coalesce(sum(dur_ns), 0)::BIGINT AS ns FROM gpu_work").item()
    if whole[1]:
        assert whole[2] == run.idle_groups()["idle_ns"].sum()
    for frame in (by_path, by_name):
        parts = frame.filter(pl.col("gpu_busy_ns") > pl.col("gpu_total_ns"))
        assert parts.is_empty()


@each_opened([*one_in(3, story_names()), *one_in(2, EXPORTS)])
def test_own_times_are_the_whole(opened: nsysql.Run) -> None:
    if not opened.has("NVTX_EVENTS"):
        with pytest.raises(MissingData, match="capture with --trace=nvtx"):
            opened.operators()
        return
    sums_up(opened)


def test_a_name_in_itself_counts_once(story: Callable[[str], Path]) -> None:
    with nsysql.open(story("operators_torch")) as run:
        found = run.operators(by="name", sort="cpu_self").rows()
    assert found == [
        ("step #", 1, 1000, 600, 290, 40, 285, 3, 3, 585, 460, None, None),
        ("aten::linear", 2, 400, 400, 250, 250, 245, 2, 2, 125, 125, None, None),
        (None, 0, 110, 110, 10, 10, 10, 1, 1, 120, 120, None, None),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "aten::mm, op_id = 12",
        "aten::mm, seq = 7, op_id = 8",
        "aten::mm, op_id = 8, seq = 7",
        "layer 12",
        "layer 1, op_id = ",
        "a, sizes = [[1]], op_id = 3",
        "a, sizes = [[1]]\n, op_id = 3",
        "12",
        "",
        ", seq = 4",
        "a, op_id = 1, op_id = 2",
        "a, op_id = 1x2",
    ],
)
def test_a_counter_cut_off_changes_no_name(text: str) -> None:
    rows = pl.DataFrame({"text": text, "cut": without_counters(pl.Series([text]))["text"]})
    whole, cut = rows.select(operator_name(pl.col(name)).alias(name) for name in rows.columns).row(0)
    assert whole == cut


@pytest.mark.parametrize(
    ("text", "sequence", "is_backward"),
    [
        ("aten::mm", None, False),
        ("aten::mm, op_id = 8", None, False),
        ("aten::mm, seq = 7", 7, False),
        ("aten::mm, seq = 71, op_id = 8", 71, False),
        ("aten::mm, op_id = 8, seq = 3000000000", 3000000000, False),
        ("aten::mm, seq = 71, sizes = [[3]]", 71, False),
        ("MmBackward0, seq = 71, op_id = 8", 71, True),
        ("MmBackward0, op_id = 8", None, False),
        ("autograd::engine::evaluate_function: MmBackward0, seq = 5", 5, True),
        ("a, seq = 4, seq = 56", 4, False),  # the first one
        ("a, seq = 4x, seq = 56", 56, False),
        ("a, seq = 1234567890123456789", None, False),
        ("aten::größe, seq = 71", 71, False),
        (None, None, False),
    ],
)
def test_sequence_number_of_a_text(text: str | None, sequence: int | None, is_backward: bool) -> None:
    registered = pl.DataFrame({"id": [1], "text": [text]}, schema={"id": pl.Int64, "text": pl.String})
    ranges = pl.DataFrame(
        {"plain_text": [text, None], "text_id": [None, 1]}, schema={"plain_text": pl.String, "text_id": pl.Int64}
    )
    found = Names(registered).of_ranges(ranges)
    assert found.select("sequence", "is_backward").rows() == [(sequence, is_backward)] * 2
    assert text is None or found["text_id"].n_unique() == 1


@pytest.mark.parametrize("much", [0, 2**60])
def test_what_is_let_go_is_computed_anew(
    story: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch, much: int
) -> None:
    with nsysql.open(story("operators_torch")) as run:
        gaps, drains, operators = run.idle_gaps(), run.idle_drains(), run.operators()
    monkeypatch.setattr(layout, "MUCH", much)
    with nsysql.open(story("operators_torch")) as run:
        for _ in range(2):
            assert operators.equals(run.operators())
            assert gaps.equals(run.idle_gaps())
            assert drains.equals(run.idle_drains())


def test_idle_time_is_let_go_before_the_ranges_are_read(
    story: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    held = []
    read = layout.Layout.__call__

    def noted(views: layout.Layout, view: str, *given: Any, **named: Any) -> pl.DataFrame:
        if view == "_nvtx_own_range":
            held.append(sorted(views._computed))
        return read(views, view, *given, **named)

    monkeypatch.setattr(layout, "MUCH", 0)
    monkeypatch.setattr(layout.Layout, "__call__", noted)
    with nsysql.open(story("operators_torch")) as run:
        run.operators()
    assert len(held) == 1
    assert "_idle_piece" not in held[0]
    assert "_activity_launch" not in held[0]


@pytest.mark.parametrize("name", ["nvtx_crossing", "nvtx_equal", "operators_torch", "operators_backward"])
def test_ranges_on_disk_are_those_in_memory(
    story: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    found = []
    for is_large in (False, True):
        monkeypatch.setattr(paths, "is_large", lambda *_, is_large=is_large: is_large)
        monkeypatch.setattr(frame_views, "SORTED_ROWS", 3 if is_large else 2**20)
        with nsysql.open(story(name)) as run:
            found.append([run.operators(), run.stacks(weight="idle"), run.select("_folded_range", "*")])
            assert ("_operator_range" in run._engine.layout._spilled) is is_large
    assert all(map(pl.DataFrame.equals, *found))


@pytest.mark.parametrize("block", [1, 2])
def test_ranges_in_blocks_are_those_of_all_at_once(
    story: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch, block: int
) -> None:
    for name in ("nvtx_crossing", "nvtx_equal", "operators_torch", "idle_two_threads", "zero_length"):
        found = []
        for size in (2**17, block):
            monkeypatch.setattr(paths, "BLOCK", size)
            with nsysql.open(story(name)) as run:
                if run.has("NVTX_EVENTS"):
                    found.append((run.operators(), run.stacks(weight="idle"), run.stacks(weight="cpu")))
        for whole, other in zip(*found, strict=True) if found else ():
            assert whole.equals(other)


def test_of_calls_with_one_correlation_id_the_first_counts(build: Callable[[str], Path]) -> None:
    export = build(
        f"""
        INSERT INTO StringIds (id, value) VALUES (1, 'k'), (2, 'cudaLaunchKernel');
        INSERT INTO NVTX_EVENTS (start, "end", eventType, globalTid, text) VALUES
            (0, 10, 59, {THREAD}, 'a'), (20, 30, 59, {THREAD}, 'b');
        INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME
            (start, "end", eventClass, globalTid, correlationId, nameId, returnValue) VALUES
            (22, 24, 0, {THREAD}, 1, 2, 0), (2, 4, 0, {THREAD}, 1, 2, 0), (6, 7, 0, {THREAD}, 2, 2, 0);
        INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL
            (start, "end", deviceId, contextId, streamId, correlationId, globalPid, demangledName, shortName) VALUES
            (30, 37, 0, 1, 7, 1, 500 << 24, 1, 1), (40, 45, 0, 1, 7, 2, 500 << 24, 1, 1),
            (50, 51, 0, 1, 7, 2, 500 << 24, 1, 1);
        """
    )
    with nsysql.open(export) as run:
        found = run.operators(idle=False).select("name", "gpu_self_ns", "gpu_busy_ns", "kernels", "launches")
    assert found.rows() == [("b", 7, 7, 1, 1), ("a", 6, 6, 2, 1), (None, 0, 0, 0, 0)]


def test_without_idle_time_nothing_else_changes(story: Callable[[str], Path]) -> None:
    with nsysql.open(story("operators_torch")) as run:
        with_idle, without = run.operators(), run.operators(idle=False)
    assert without["idle_ns"].null_count() == without.height
    assert with_idle.drop("idle_ns", "idle_self_ns").equals(without.drop("idle_ns", "idle_self_ns"))


def test_time_in_which_work_ran_counts_once() -> None:
    work = pl.DataFrame(
        [
            ("1", 0, 0, 100),
            ("1 > 2", 0, 10, 20),
            ("1", 0, 30, 40),
            ("1", 0, 50, 60),
            ("1", 0, 70, 120),
            ("1 > 2", 1, 15, 25),
            ("1 > 2", 0, 130, 140),
        ],
        schema=["path", "gpu_id", "start_ns", "end_ns"],
        orient="row",
    )
    names = pl.DataFrame(
        {"text_id": [1, 2], "name": ["f", "f"], "module": [None, "m"]}, schema_overrides={"module": str}
    )
    around = under(work["path"], names)
    found = {tuple(row[:2]): row[3] for row in running(work, around).rows()}
    assert found == {
        ("path", "f"): 120 + 10 + 10,
        ("path", "f > f"): 10 + 10 + 10,
        ("name", "f"): 120 + 10 + 10,
        ("module", None): 120,
        ("module", "m"): 10 + 10 + 10,
    }


def test_a_module_has_what_is_in_no_module_within(story: Callable[[str], Path]) -> None:
    with nsysql.open(story("operators_modules")) as run:
        found = run.operators(by="module", sort="cpu_total", idle=False)
        with_idle = run.operators(by="module")
        paths_idle = run.operators()["idle_self_ns"].sum()
    columns = ["name", "count", "cpu_total_ns", "cpu_self_ns", "gpu_total_ns", "gpu_self_ns", "gpu_busy_ns", "kernels"]
    assert found.select(columns).rows() == [
        ("model.layers.#", 2, 800, 500, 110, 30, 110, 3),
        ("model.layers.#.mlp", 2, 300, 300, 80, 80, 80, 2),
        (None, 0, 150, 150, 5, 5, 5, 1),
        ("lm.heads.#", 1, 50, 50, 10, 10, 10, 1),
    ]
    assert with_idle["idle_self_ns"].sum() == paths_idle > 0


def test_without_modules_it_is_said_how_to_capture_them(story: Callable[[str], Path]) -> None:
    with (
        nsysql.open(story("operators_torch")) as run,
        pytest.raises(QueryError, match=r"name no modules; capture with"),
    ):
        run.operators(by="module")


@pytest.mark.parametrize(
    ("text", "module"),
    [
        ("nn.Module: Linear_0", "Linear_#"),
        ("[pl][module]torch.nn.modules.linear.Linear: layer.0", "layer.#"),
        ("[pl][profile]run_training_batch", None),
        ("{'Module': 'model.layers.0.self_attn', 'TrainableParams': {}}", "model.layers.#.self_attn"),
        ("layer:conv1", "conv#"),
        ("XlaModule:#prefix=jit(f)/jit(g),hlo_module=jit_train.5,program_id=3#", "jit_train.#"),
        ("XlaModule:#hlo_module=jit_fn#", "jit_fn"),
        ("model.layers.12.mlp.experts.3", "model.layers.#.mlp.experts.#"),
        ("torch.nn.functional.linear", None),
        ("version 1.2", None),
        ("aten::mm, seq = 3", None),
    ],
)
def test_what_names_a_module(text: str, module: str | None) -> None:
    assert pl.select(module_name(operator_name(pl.lit(text)))).item() == module


BACKWARD = ["backward_cpu_ns", "backward_gpu_ns"]


def test_backward_work_stands_with_the_operator_that_made_it(story: Callable[[str], Path]) -> None:
    with nsysql.open(story("operators_backward")) as run:
        by_path, by_name = run.operators(idle=False), run.operators(by="name", idle=False)
    found = {name: (cpu, gpu) for name, cpu, gpu in by_path.select("name", *BACKWARD).rows() if cpu or gpu}
    assert found == {
        "aten::linear": (120, 70),
        "aten::linear > aten::t": (20, 0),
        "aten::linear > aten::addmm": (100, 70),
        "aten::mul": (50, 25),
        None: (10, 8),
    }
    outermost = by_path.filter(pl.col("name").is_null() | ~pl.col("name").str.contains(" > "))
    ranges = outermost.filter(pl.col("name").str.contains("Backward"))
    assert outermost.select(pl.col(BACKWARD).sum()).row(0) == (180, 103)
    assert ranges.select(pl.col("cpu_total_ns", "gpu_total_ns").sum()).row(0) == (180, 103)
    assert by_path["gpu_self_ns"].sum() == 40 + 10 + 25 + 70 + 8 + 2
    assert dict(by_name.select("name", "backward_gpu_ns").rows())["aten::addmm"] == 70


@pytest.mark.parametrize("block", [1, 2, 3])
def test_backward_work_of_blocks_is_that_of_all_at_once(
    story: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch, block: int
) -> None:
    with nsysql.open(story("operators_backward")) as run:
        whole = run.operators()
    monkeypatch.setattr(paths, "BLOCK", block)
    with nsysql.open(story("operators_backward")) as run:
        assert run.operators().equals(whole)


def test_backward_work_of_a_number_of_two_threads_is_no_operators(build: Callable[[str], Path]) -> None:
    export = build(
        f"""
        INSERT INTO NVTX_EVENTS (start, "end", eventType, globalTid, text) VALUES
            (0, 10, 59, {THREAD}, 'aten::mul, seq = 1'), (0, 10, 59, 500 << 24 | 502, 'aten::mul, seq = 1'),
            (0, 10, 59, 600 << 24 | 600, 'aten::mul, seq = 2'), (12, 13, 59, {THREAD}, 'aten::add, seq = 3'),
            (20, 30, 59, 500 << 24 | 501, 'MulBackward0, seq = 1'),
            (22, 23, 59, 500 << 24 | 501, 'aten::sum, seq = 2'),
            (30, 37, 59, 500 << 24 | 501, 'MulBackward0, seq = 2'),
            (37, 40, 59, 500 << 24 | 501, 'AddBackward0, seq = 3'),
            (40, 41, 59, {THREAD}, 'aten::add, seq = 3');
        """
    )
    with nsysql.open(export) as run:
        found = run.operators().select("name", "backward_cpu_ns", "backward_gpu_ns")
    assert {row[0]: row[1] for row in found.rows() if row[1]} == {None: 17, "aten::add": 3}
    assert found["backward_gpu_ns"].null_count() == found.height


def test_a_thread_without_ranges_launches_in_those_of_the_main_thread(build: Callable[[str], Path]) -> None:
    """Thread 501 launches in backward and after it; 502 has a range of its own, and no part in it."""
    export = build(
        f"""
        INSERT INTO StringIds (id, value) VALUES (1, 'k'), (2, 'cudaLaunchKernel_v7000');
        INSERT INTO NVTX_EVENTS (start, "end", eventType, globalTid, text) VALUES
            (0, 100, 59, {THREAD}, 'backward'), (0, 5, 59, 500 << 24 | 502, 'own');
        INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME (start, "end", globalTid, correlationId, nameId) VALUES
            (10, 12, 500 << 24 | 501, 1, 2), (150, 152, 500 << 24 | 501, 2, 2), (50, 52, 500 << 24 | 502, 3, 2);
        INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL (start, "end", deviceId, contextId, streamId, correlationId, globalPid,
            demangledName, shortName) VALUES (20, 30, 0, 1, 7, 1, 500 << 24, 1, 1),
            (160, 180, 0, 1, 7, 2, 500 << 24, 1, 1), (60, 100, 0, 1, 7, 3, 500 << 24, 1, 1);
        """
    )
    with nsysql.open(export) as run:
        found = dict(run.operators(idle=False).select("name", "gpu_self_ns").rows())
        stacks = dict(run.stacks().rows())
    assert found == {"backward": 10, "own": 0, None: 60}
    assert stacks == {"backward;k": 10, "(no range);k": 60}


INSIDE = """
    SELECT r.text, w.kind, w.row_id, w.dur_ns
    FROM nvtx_range AS r
    INNER JOIN launch AS w
        ON r.thread_id = w.thread_id AND r.start_ns <= w.api_start_ns AND r.end_ns >= w.api_end_ns
    WHERE r.end_thread_id IS NULL AND w.dur_ns > 0
"""


@pytest.mark.parametrize("name", ["h100-2gpu-nccl-2026.2", "mfu-before-2gpu-2026.2", "trisolve-nvtx-2023.3"])
def test_work_inside_is_that_of_a_plain_join(name: str) -> None:
    path = CORPUS / f"{name}.sqlite"
    if not path.exists():
        pytest.skip("no public exports here")
    with nsysql.open(path) as run:
        found = run.operators(by="name", idle=False).drop_nulls("name").filter(pl.col("gpu_total_ns") > 0)
        work = run.sql(INSIDE)
    joined = work.with_columns(name=operator_name(pl.col("text"))).unique(["name", "kind", "row_id"])
    expected = joined.group_by("name").agg(
        gpu_total_ns=pl.col("dur_ns").sum(), kernels=(pl.col("kind") == "kernel").sum().cast(pl.Int64)
    )
    assert found.height > 3
    assert found.select(expected.columns).sort("name").rows() == expected.sort("name").rows()


def test_launches_and_range_times_are_those_of_the_projection() -> None:
    path = CORPUS / "trisolve-nvtx-2023.3.sqlite"
    if not path.exists():
        pytest.skip("no public exports here")
    with nsysql.open(path) as run:
        found = run.operators(by="name", idle=False).drop_nulls("name").filter(pl.col("launches") > 0)
        projected = run.nvtx_gpu_proj_sum()
    expected = projected.group_by(name=operator_name(pl.col("range").str.replace("^[^:]*:", ""))).agg(
        pl.col("range_instances", "total_range_time_ns", "total_gpu_ops").sum()
    )
    columns = ["name", "count", "cpu_total_ns", "launches"]
    assert found.select(columns).sort("name").rows() == expected.sort("name").rows()


@pytest.mark.parametrize("block", [1, 4, 2**17])
@pytest.mark.parametrize("seed", range(4))
def test_each_nanosecond_has_one_path(
    build: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch, seed: int, block: int
) -> None:
    monkeypatch.setattr(paths, "BLOCK", block)
    random = Random(seed)
    rows = []
    for number in range(25):
        start = random.randint(0, 280)
        rows.append((start // 5 * 5, start // 5 * 5 + random.randint(0, 12) * 5, f"{'abcde'[number % 5]}"))
    values = ", ".join(f"({first}, {last}, 60, {THREAD}, '{name}', 0)" for first, last, name in rows)
    with nsysql.open(
        build(f'INSERT INTO NVTX_EVENTS (start, "end", eventType, globalTid, text, domainId) VALUES {values};')
    ) as run:
        by_path, by_name = run.operators(), run.operators(by="name")
    expected: dict[str | None, int] = {}
    for at in range(min(row[0] for row in rows), max(row[1] for row in rows)):
        around = sorted(
            (row for row in rows if row[0] <= at < row[1]), key=lambda row: (row[0], -row[1], rows.index(row))
        )
        path = " > ".join(name for _, _, name in around) or None
        expected[path] = expected.get(path, 0) + 1
    found = {name: ns for name, ns in by_path.select("name", "cpu_self_ns").rows() if ns}
    assert found == expected
    order = sorted(rows, key=lambda row: (row[0], -row[1], rows.index(row)))
    begun: dict[str, int] = {}
    for place, row in enumerate(order):
        around = [other for other in order if other[1] > row[0] >= other[0] and other[1] > other[0]]
        around = [other for other in around if row[0] == row[1] or order.index(other) < place]
        path = " > ".join(name for _, _, name in [*around, row])
        begun[path] = begun.get(path, 0) + 1
    assert {name: count for name, count in by_path.select("name", "count").rows() if count} == begun
    assert by_name["count"].sum() == len(rows)
    assert by_path["gpu_total_ns"].null_count() == by_path.height


@each_opened(EXPORTS)
def test_stacks_sum_to_the_whole(opened: nsysql.Run) -> None:
    if not opened.has("NVTX_EVENTS"):
        pytest.skip("no NVTX ranges")
    whole = opened.operators().select(pl.col("gpu_self_ns", "cpu_self_ns", "idle_self_ns").sum()).row(0)
    found = tuple(opened.stacks(weight=weight)["value"].sum() for weight in ("gpu", "cpu", "idle"))
    samples = opened.sql("SELECT count(*) FROM cpu_sample").item() if opened.has("COMPOSITE_EVENTS") else 0
    assert opened.stacks(weight="samples")["value"].sum() == samples
    assert found == tuple(value or 0 for value in whole)


def test_stacks_of_idle_time_end_in_the_cause(story: Callable[[str], Path]) -> None:
    with nsysql.open(story("operators_torch")) as run:
        found = run.stacks(weight="idle")
    by_range = found.group_by(pl.col("stack").str.replace(";[^;]*$", "")).agg(pl.col("value").sum())
    assert sorted(by_range.rows()) == [
        ("(no range)", 120),
        ("step #", 460),
        ("step #;aten::linear", 100),
        ("step #;aten::linear;aten::linear", 25),
    ]


def test_samples_stand_under_their_ranges(build: Callable[[str], Path]) -> None:
    export = build(
        f"""
        INSERT INTO StringIds (id, value) VALUES (1, 'main'), (2, 'work;'), (3, 'app');
        INSERT INTO NVTX_EVENTS (start, "end", eventType, globalTid, text) VALUES (0, 100, 59, {THREAD}, 'step 1');
        INSERT INTO COMPOSITE_EVENTS (id, start, globalTid) VALUES (1, 50, {THREAD}),
            (2, 100, {THREAD}), (3, 60, {THREAD});
        INSERT INTO SAMPLING_CALLCHAINS (id, stackDepth, symbol, module, unresolved) VALUES
            (1, 0, 2, 3, 0), (1, 1, 1, 3, 0), (2, 0, 1, 3, 0);
        """
    )
    with nsysql.open(export) as run:
        found = run.stacks(weight="samples")
    assert found.rows() == [("main", 1), ("step #;(no call stack)", 1), ("step #;main;work,", 1)]


def test_ranges_too_deep_are_the_outer_ones(build: Callable[[str], Path]) -> None:
    values = ", ".join(f"({n}, {9000 - n}, 59, {THREAD}, 'r')" for n in range(600))
    export = build(f'INSERT INTO NVTX_EVENTS (start, "end", eventType, globalTid, text) VALUES {values};')
    with nsysql.open(export) as run:
        found = run.operators().sort(pl.col("name").str.len_chars())
    assert found.height == 64 + 1  # and outside of all
    assert found["cpu_self_ns"].tail(1).item() == 9000 - 2 * 63
