"""The idle ledger of what is too large for memory: in blocks, from tables on disk, with the same answers."""

import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import polars as pl
import polars.testing as polars_testing
import pytest
from exports import RICHEST, corpus_names, each_opened, one_in, story_names
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from idle_timelines import Timeline, export, timelines

import nsysql
from nsysql import Export
from nsysql.analysis.idle import blocks
from nsysql.analysis.nvtx import blocks as ranges
from nsysql.analysis.parts import placed
from nsysql.errors import MissingData

Asked = tuple[str, dict[str, object]]
QUERIES: list[Asked] = [
    ("idle_gaps", {}),
    ("idle_pieces", {}),
    ("idle_groups", {"by": "nvtx"}),
    ("idle_ledger", {}),
    ("gpu_time", {}),
    ("launch_pace", {}),
]
MORE: list[Asked] = [
    ("exposed_time", {}),
    ("cuda_api_sum", {}),
    ("idle_ledger", {"per_process": True}),
    ("exposed_time", {"start_ns": 100}),
    ("gpu_time", {"end_ns": 5000}),
]
REAL: list[Asked] = [("idle_pieces", {}), ("idle_groups", {"by": "nvtx"}), ("gpu_time", {})]
few = settings(max_examples=3, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))


@pytest.fixture(scope="module")
def on_disk() -> Iterator[Callable[[int], pytest.MonkeyPatch]]:
    """Let nothing be held in memory while a block has so many activities or ranges; to be undone."""
    with pytest.MonkeyPatch.context() as patch:

        def begin(size: int) -> pytest.MonkeyPatch:
            patch.setattr(blocks, "BYTES_PER_EVENT", float("inf"))
            patch.setattr(blocks, "BLOCK", size)
            patch.setattr(ranges, "BYTES_PER_RANGE", float("inf"))
            patch.setattr(ranges, "CHUNK", size)
            return patch

        yield begin


def answers(path: Path, asked: list[Asked] = QUERIES) -> list[pl.DataFrame | None]:
    """All that hangs on the ledger, each query asked of one open export."""
    with nsysql.open(path) as run:
        return [answer(run, name, values) for name, values in asked]


def answer(run: Export, name: str, asked: dict[str, object]) -> pl.DataFrame | None:
    try:
        return run.query(name, **asked)
    except MissingData:
        return None


def same(one: list[pl.DataFrame | None], other: list[pl.DataFrame | None]) -> None:
    for alone, again in zip(one, other, strict=True):
        assert (alone is None) == (again is None)
        if alone is not None and again is not None:
            polars_testing.assert_frame_equal(alone, again, check_exact=False, rel_tol=1e-12)


# Those with gaps, but for stories of pages, steps and operators: their gaps are as in these.
OF_PAGES = (
    "api_",
    "duplicated",
    "equal_",
    "lines_",
    "memory",
    "no_cuda",
    "occupancy",
    "operators_",
    "ranks_",
    "verdict_",
)
WITH_GAPS = [name for name in story_names() if not name.startswith((*OF_PAGES, "nvtx_domains", "nvtx_equal", "steps_"))]
SOME = sorted({*one_in(4, WITH_GAPS), RICHEST})  # timelines and public exports are asked below, too


@each_opened(SOME)
def test_a_story_is_the_same_in_blocks(opened: nsysql.Run, on_disk: Callable[[int], pytest.MonkeyPatch]) -> None:
    """Gap by gap and piece by piece; what is summed up of these, one after the other, and all of the richest story."""
    name = opened.path.stem
    asked = QUERIES if name == RICHEST else [*QUERIES[:2], QUERIES[2 + SOME.index(name) % 4]]
    whole = [answer(opened, query, values) for query, values in asked]
    patch = on_disk(1 + (whole[0].height // 6 if whole[0] is not None else 0))
    same(whole, answers(opened.path, asked))
    patch.undo()


@few
@given(timeline=timelines(groups=14), size=st.integers(1, 7))
def test_a_timeline_is_the_same_in_blocks(
    timeline: Timeline, size: int, folder: Path, on_disk: Callable[[int], pytest.MonkeyPatch]
) -> None:
    path, asked = export(timeline, folder), [*QUERIES, MORE[size % len(MORE)]]
    whole = answers(path, asked)
    patch = on_disk(size)
    found = answers(path, asked)
    patch.undo()
    same(whole, found)
    path.unlink()


# Exports of a few rows are one block, as the stories are above.
@each_opened([name for name in corpus_names() if not name.startswith("synth-")][::6])
def test_a_real_export_is_the_same_in_blocks(opened: nsysql.Run, on_disk: Callable[[int], pytest.MonkeyPatch]) -> None:
    whole = [answer(opened, query, values) for query, values in REAL]
    patch = on_disk(1000)
    same(whole, answers(opened.path, REAL))
    patch.undo()


# --- what is made in memory is what the SQL of its view says


@few
@given(timeline=timelines(groups=14))
def test_the_launches_that_the_ledger_gives_along_are_those_of_the_view(timeline: Timeline, folder: Path) -> None:
    path = export(timeline, folder)
    asked = "FROM _activity_launch"
    with nsysql.open(path) as run:
        by_sql = run.sql(asked)
        run.idle_ledger()
        polars_testing.assert_frame_equal(by_sql, run.sql(asked))
    path.unlink()


REPEATED = """
INSERT INTO StringIds (id, value) VALUES (1, 'cudaLaunchKernel_v7000'), (2, 'k');
INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME (start, "end", globalTid, correlationId, nameId) VALUES
    (100, 200, 16777217, 7, 1),
    (10, 20, 16777218, 7, 1);
INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL
    (start, "end", deviceId, streamId, correlationId, globalPid, demangledName, shortName) VALUES
    (5, 6, 0, 7, 1, 16777216, 2, 2),
    (300, 400, 0, 7, 7, 16777216, 2, 2);
"""


@pytest.mark.parametrize("size", [None, 1])
def test_of_calls_that_share_an_id_the_first_in_the_table_launched(
    size: int | None, build: Callable[[str], Path], on_disk: Callable[[int], pytest.MonkeyPatch]
) -> None:
    path = build(REPEATED)
    patch = on_disk(size) if size else None
    with nsysql.open(path) as run:
        booked = run.idle_pieces().select("cause", "start_ns", "end_ns", "thread_id").rows()
    if patch:
        patch.undo()
    assert booked[0] == ("host_code", 6, 100, 16777217)
    assert booked[1] == ("launch_call", 100, 200, 16777217)


def test_gaps_and_calls_of_parts_are_the_same_in_blocks(
    story: Callable[[str], Path], on_disk: Callable[[int], pytest.MonkeyPatch]
) -> None:
    asked = ("_part_gap", "_part_call", "part_idle")
    with nsysql.open(story("training")) as run:
        whole = [run.select(name, "*", "ORDER BY ALL") for name in asked]
    patch = on_disk(20)
    patch.setattr(placed, "GAPS", 3)
    with nsysql.open(story("training")) as run:
        same(whole, [run.select(name, "*", "ORDER BY ALL") for name in asked])
    patch.undo()
    assert whole[0].height > 10


@pytest.mark.parametrize("fails", ["rows", "activities"])
def test_a_ledger_that_was_broken_off_is_booked_anew(
    fails: str,
    story: Callable[[str], Path],
    on_disk: Callable[[int], pytest.MonkeyPatch],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked = QUERIES[:2]
    whole = answers(story("training"), asked)
    patch = on_disk(20)
    found, calls = getattr(blocks.OnDisk, fails), iter([False, True] if fails == "rows" else [True])

    def breaks(*asked: object) -> object:
        if next(calls, False):
            raise KeyboardInterrupt
        return found(*asked)

    monkeypatch.setattr(blocks.OnDisk, fails, breaks)
    with nsysql.open(story("training")) as run:
        with pytest.raises(KeyboardInterrupt):
            run.idle_ledger()
        same(whole, [answer(run, name, values) for name, values in asked])
    patch.undo()


def test_nothing_is_left_of_what_was_spilled(
    story: Callable[[str], Path],
    tmp_path: Path,
    on_disk: Callable[[int], pytest.MonkeyPatch],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    patch = on_disk(20)
    with nsysql.open(story("training")) as run:
        run.idle_ledger()
        assert list(tmp_path.glob("nsysql-*/spilled.duckdb"))
    patch.undo()
    assert not list(tmp_path.iterdir())


def test_what_was_spilled_is_not_written_anew_when_it_is_thrown_away(
    story: Callable[[str], Path],
    tmp_path: Path,
    on_disk: Callable[[int], pytest.MonkeyPatch],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr("nsysql.capture.connection.shutil.rmtree", lambda *_, **__: None)
    patch = on_disk(2)
    with nsysql.open(story("training")) as run:
        run.idle_ledger()
        (spilled,) = tmp_path.glob("nsysql-*/spilled.duckdb")
        before = spilled.read_bytes()
    patch.undo()
    assert spilled.read_bytes() == before
