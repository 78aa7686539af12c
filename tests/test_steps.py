"""Steps: what is found on every capture, identities to the nanosecond, and the same without NVTX."""

import shutil
import sqlite3
from collections.abc import Callable
from itertools import accumulate
from pathlib import Path

import polars as pl
import pytest
from command_line import Ran
from drawn import drawn
from exports import alter, capture_names, corpus_folder, each_opened, each_story

import nsysql
from nsysql import Export, Run
from nsysql.analysis.steps.launch_sequence import by_launches
from nsysql.analysis.steps.launches import MEMORY
from nsysql.analysis.steps.mark_ranges import MarkRanges
from nsysql.analysis.steps.series import blocks_of_step, is_trend, slow_count, together
from nsysql.errors import MissingData, NsysqlError

pytestmark = pytest.mark.usefixtures("kept_open")

Series = tuple[str, str, int, int | None, int]
FOUND: dict[str, list[Series]] = {  # found_by, name, steps, equal ones, warm-up; nothing on any other capture
    "gol-osrt-2022.1": [("launches", "1 launches", 100, 100, 1)],
    "gtls-sssp-2023.1": [("launches", "1109 launches", 25, 25, 0)],
    "h100-2gpu-nccl-2026.2": [("launches", "78 launches", 13, 9, 0), ("launches", "78 launches", 13, 9, 0)],
    "llm27b-cudagraph-2024.6": [("launches", "4 launches", 10, 10, 0)],
    "mfu-before-2gpu-2026.2": [("launches", "157 launches", 17, 16, 0), ("launches", "157 launches", 17, 16, 0)],
    "mordred-nometa": [("launches", "24 launches", 3, 3, 0)],
    "more/cases/abacus-libtorch-b1-2023.4": [("launches", "392 launches", 60, 59, 0)],
    "more/cases/cs336-27B-clean": [("launches", "1832 launches", 10, 10, 0)],
    "more/cases/gemm-wddm-2025.5": [
        ("launches", "1 launches", 1050, 1050, 1),
        ("launches", "1 launches", 1050, 1050, 0),
    ],
    "more/cases/gol-r1": [("launches", "3 launches", 5000, 5000, 0)],
    "more/cases/gol-r2": [("launches", "3 launches", 5000, 5000, 0)],
    "more/cases/gol-r4": [("launches", "3 launches", 5000, 5000, 0)],
    "more/cases/gol-r5": [("launches", "3 launches", 5000, 5000, 0)],
    "more/cases/knn-alloc-2024.5": [
        ("launches", "7 launches", 100, 100, 0),
        ("launches", "7 launches", 100, 99, 0),
        ("launches", "10 launches", 100, 100, 1),
    ],
    "more/cases/omp-3": [("launches", "5 launches", 50, 50, 0)],
    "more/cases/omp-4": [("launches", "1 launches", 50, 50, 0)],
    "more/cases/orin-camera-2024.5": [("launches", "7 launches", 651, 650, 5)],
    "more/cases/va-7498-2": [("launches", "4 launches", 200, 200, 1)],
    "more/cpu/matvec-multiwarp-short": [("launches", "3 launches", 53, 34, 0)],
    "more/cpu/matvec-streams-b": [("launches", "3 launches", 151, 136, 0)],
    "more/gpumetrics/vecadd-v2-nometrics": [("launches", "1 launches", 1010, 1010, 5)],
    "more/gpumetrics/vecadd-v4": [("launches", "1 launches", 1010, 1010, 2)],
    "more/pairs/async-wsl-2": [("launches", "4 launches", 4, 4, 0)],
    "more/pairs/heat1024-cublas": [("launches", "1 launches", 200, 199, 0)],
    "more/pairs/heat1024-nocublas-a": [("launches", "2 launches", 201, 197, 1)],
    "more/pairs/heat1024-nocublas-b": [("launches", "2 launches", 201, 197, 1)],
    "more/steps/center-baseline": [("phases", "reader", 304, None, 0)],
    "more/steps/center-poolformer": [("phases", "reader", 96, None, 0)],
    "mpi-openacc-4gpu-2023.4": [
        ("launches", "1 launches", 10, 10, 1),
        ("launches", "2 launches", 10, 9, 0),
        ("launches", "2 launches", 10, 9, 0),
        ("launches", "2 launches", 10, 9, 0),
    ],
    "synth-idle-a": [("launches", "2 launches", 8, 4, 0)],
    "synth-nvtxodd-a": [("launches", "1 launches", 5, 4, 0)],
    "trisolve-nvtx-2023.3": [("nvtx", "Coarse Level #", 18, None, 1)],
    "v100-nometa": [("launches", "6 launches", 22, 22, 0)],
    "wsl2-vecadd-2026.1": [("launches", "4 launches", 4, 4, 1)],
    **{f"more/ranks/gem8/gem-before-0{n}": [("launches", "411 launches", 10, 9, 0)] for n in range(1, 9)},
    **{
        f"more/ranks/mpi3-{kind}/rank_{n}": [("nvtx", "step", 12, None, 0)]
        for kind in ("slow", "even")
        for n in range(3)
    },
}
INNER = ("trisolve-nvtx-2023.3", "more/cpu/matvec-multiwarp-short", "more/cpu/matvec-streams-b")


def series(run: Export) -> list[Series]:
    """The series of an export, in order."""
    try:
        return run.step_series().select("found_by", "name", "step_count", "equal_count", "warm_up_count").rows()
    except MissingData:
        return []


def assert_identities(run: Export) -> None:
    """The periods of a GPU follow each other; each is busy and idle time, and the sum of its accounts."""
    try:
        known = run.step_series()
    except MissingData:
        return
    assert known["is_chosen"].sum() == bool(known.height)
    for series_id in known["series_id"]:
        times = run.step_times(series=series_id)
        assert times["step"].unique().sort().to_list() == list(
            range(known.filter(series_id=series_id)["step_count"][0])
        )
        spans = times.unique("step").sort("step").select("step", "cpu_dur_ns").filter(pl.col("cpu_dur_ns") > 0)
        on_cpu = run.cpu_accounts(series=series_id).group_by("step").agg(pl.col("total_ns").sum()).sort("step")
        assert on_cpu.rows() == spans.rows()
        on_gpu = times.drop_nulls("gpu_start_ns")
        for _, own in on_gpu.group_by("gpu_id", maintain_order=True):
            assert own["gpu_end_ns"].to_list()[:-1] == own["gpu_start_ns"].to_list()[1:]
            assert own["period_ns"].sum() == own["gpu_end_ns"][-1] - own["gpu_start_ns"][0]
        if on_gpu.is_empty():
            continue
        assert_accounts(run, series_id, on_gpu)


def assert_accounts(run: Export, series_id: int, times: pl.DataFrame) -> None:
    accounts = run.step_accounts(series=series_id)
    idle = pl.col("total_ns").filter(pl.col("kind") == "idle").sum()
    sums = accounts.group_by("step", "gpu_id").agg(pl.col("total_ns").sum(), idle=idle)
    some = times.filter(pl.col("period_ns") > 0)
    joined = some.join(sums, on=["step", "gpu_id"], how="left", nulls_equal=True)
    assert sums.height == some.height
    assert joined["total_ns"].to_list() == joined["period_ns"].to_list()
    assert joined["idle"].to_list() == joined["idle_ns"].to_list()
    assert (joined["busy_ns"] + joined["idle_ns"] == joined["period_ns"]).all()


@each_opened(capture_names())
def test_what_is_found_on_every_capture(opened: Run) -> None:
    name = opened.path.relative_to(corpus_folder()).with_suffix("").as_posix()
    assert series(opened) == FOUND.get(name, [])
    if "/" not in name:
        assert_identities(opened)


@each_story()
def test_the_steps_of_a_story_add_up(opened: Run) -> None:
    assert_identities(opened)


def test_the_training_story_has_six_marked_steps(story: Callable[[str], Path]) -> None:
    with nsysql.open(story("training")) as run:
        assert series(run) == [("nvtx", "step", 6, None, 0)]
        assert run.step_times()["is_complete"].all()


STEP = 'range {name} 1-97\n kernel "a(float *)" 2-4 5-40 blocks=200\n kernel "b(float *)" 50-54 55-90 blocks=200\n'


@pytest.mark.parametrize("copy", ["", "copy up 1-2 3-4 bytes=1000 thread=5 stream=9"])
@pytest.mark.parametrize("name", ["load", "step"])
@pytest.mark.parametrize("asked", [{}, {"step_range": "step"}])
def test_long_ranges_of_a_thread_that_loads_data_are_no_steps(
    name: str, copy: str, asked: dict[str, str], tmp_path: Path
) -> None:
    text = f"every 100 x 40\n {STEP.format(name='step')}every 400 x 10\n range {name} 0-399 thread=5\n {copy}\n"
    with nsysql.open(drawn("loader", text).write(tmp_path / "loader.sqlite")) as run:
        assert run.step_series(**asked).filter("is_chosen")["step_count"].to_list() == [40]


@pytest.mark.parametrize("count", [40, 20])
def test_another_loop_in_ranges_of_the_same_name_is_noted(count: int, tmp_path: Path) -> None:
    other = STEP.format(name="step").replace("200\n", "200 thread=3 gpu=1\n").replace("1-97", "1-97 thread=3")
    text = f"every 100 x 40\n {STEP.format(name='step')}every {4000 // count} x {count}\n {other}"
    with nsysql.open(drawn("two", text).write(tmp_path / "two.sqlite")) as run:
        note = run.step_series()["note"].to_list()
    own = "thread 703 has 20 such ranges, a loop of its own: what it launches counts in these steps too"
    assert note == ([None] if count == 40 else [own])


@pytest.mark.parametrize(
    ("marked", "found"),
    [
        ("every 100 x 40\n range 'step #' 1-97\n", ("nvtx", "step #", 40, None, 0)),
        ("", ("launches", "2 launches", 40, 40, 0)),
    ],
)
def test_epochs_are_not_steps(marked: str, found: Series, tmp_path: Path) -> None:
    work = STEP.partition("\n")[2]
    text = f"{marked}every 100 x 40\n{work}every 1000 x 4\n range 'Epoch #' 0-999\n"
    with nsysql.open(drawn("epochs", text).write(tmp_path / "epochs.sqlite")) as run:
        assert series(run) == [found]
        assert run.step_series(step_range="Epoch 1")["step_count"].to_list() == [4]


@pytest.mark.parametrize(
    ("inner", "found"), [("'step #'", ("nvtx", "step #", 40, None, 0)), ("part", ("nvtx", "train", 4, None, 0))]
)
def test_phases_contain_the_steps_whose_numbers_never_repeat(inner: str, found: Series, tmp_path: Path) -> None:
    text = f"every 100 x 40\n {STEP.format(name=inner)}every 1000 x 4\n range train 0-999\n"
    with nsysql.open(drawn("phases", text).write(tmp_path / "phases.sqlite")) as run:
        assert series(run) == [found]


def test_epochs_are_the_steps_if_nothing_else_repeats(tmp_path: Path) -> None:
    text = "".join(f"at {1000 * i}\n range 'Epoch #' 0-999\n kernel k{i} 2-3 4-500\n" for i in range(4))
    with nsysql.open(drawn("epochs", text).write(tmp_path / "epochs.sqlite")) as run:
        assert series(run) == [("nvtx", "Epoch #", 4, None, 0)]


def test_ranges_of_a_thread_that_launches_nothing_are_steps_if_there_are_no_others(tmp_path: Path) -> None:
    text = f"every 100 x 40\n {STEP.replace('1-97', '1-97 thread=5').format(name='step')}"
    with nsysql.open(drawn("other", text).write(tmp_path / "other.sqlite")) as run:
        assert series(run) == [("nvtx", "step", 40, None, 0)]


def test_steps_before_the_first_gpu_work_do_not_hide_the_slow_one_after_them(tmp_path: Path) -> None:
    slow = STEP.format(name="step").replace("1-97", "1-997").replace("5-40", "5-840")
    slow = slow.replace("50-54 55-90", "850-854 855-990")
    text = f"every 100 x 3\n range step 1-97\nat 300\n {slow}every 100 x 20 from 1300\n {STEP.format(name='step')}"
    with nsysql.open(drawn("late", text).write(tmp_path / "late.sqlite")) as run:
        assert series(run) == [("nvtx", "step", 24, None, 4)]
        assert run.step_times().filter("is_steady")["step"].min() == 4


def without_nvtx(path: Path, folder: Path) -> Path:
    """A copy of an export without its NVTX ranges."""
    copy = folder / path.name
    shutil.copy(path, copy)
    alter(copy, "DELETE FROM NVTX_EVENTS")
    return copy


def test_without_nvtx_the_launches_tell_the_same_steps(story: Callable[[str], Path], tmp_path: Path) -> None:
    with nsysql.open(without_nvtx(story("training"), tmp_path)) as run:
        assert series(run) == [("launches", "14 launches", 6, 6, 0)]
        by_sequence = run.step_times()
    with nsysql.open(story("training")) as run:
        assert by_sequence["gpu_start_ns"].to_list() == run.step_times()["gpu_start_ns"].to_list()


@pytest.mark.parametrize("name", INNER)
def test_an_inner_loop_is_called_so(name: str, corpus: Path, tmp_path: Path) -> None:
    path = corpus / f"{name}.sqlite"
    with sqlite3.connect(path) as db:
        has_nvtx = db.execute("SELECT 1 FROM sqlite_master WHERE name = 'NVTX_EVENTS'").fetchall()
    with nsysql.open(without_nvtx(path, tmp_path) if has_nvtx else path) as run:
        found = run.step_series()
    assert found["found_by"].to_list() == ["launches"]
    assert found["note"][0].startswith("inner repetition")


@pytest.mark.parametrize(("warm", "note"), [(range(4), None), (range(0, 40, 8), "inner repetition")])
def test_pauses_at_the_beginning_show_no_larger_loop(warm: range, note: str | None) -> None:
    launches = sequence(40 * "abcdef").with_row_index("at")
    late = pl.col("at").is_in([6 * step for step in warm]).cum_sum() * 100_000
    (found,) = by_launches(launches.with_columns(pl.col("api_start_ns", "api_end_ns") + late), 1)
    assert (found.note or "").startswith(note or "") and (found.note is None) == (note is None)


def test_a_named_range_marks_the_steps(story: Callable[[str], Path]) -> None:
    with nsysql.open(story("steps_nvtx")) as run:
        named = run.step_series(step_range="step 7")
        assert named.select("found_by", "name", "step_count").rows() == [("named", "step #", 4)]
        assert run.step_times(step_range="set up")["step"].to_list() == [0]
        with pytest.raises(MissingData, match=r"'stop 1', so it marks no steps\. Did you mean step #"):
            run.step_series(step_range="stop 1")
        assert run.step_series()["found_by"].to_list() == ["nvtx"]


@pytest.mark.parametrize(("rank", "mean_ms"), [(0, 5.33), (1, 11.11), (2, 5.09)])
def test_the_slow_rank_is_slow_in_forward(rank: int, mean_ms: float, corpus: Path) -> None:
    with nsysql.open(corpus / f"more/ranks/mpi3-slow/rank_{rank}.sqlite") as run:
        accounts = run.cpu_accounts()
    assert accounts.filter(name="step > forward")["total_ns"].mean() / 1e6 == pytest.approx(mean_ms, abs=0.01)


@pytest.mark.parametrize(
    ("periods", "slow", "warm"),
    [
        ([90, 20, 10, 10, 11, 30, 10, 10], 2, 0),  # more than a tenth: a trend
        ([90, *[10] * 9, 10], 1, 1),
        ([10, 10, 10, 10], 0, 0),
        ([10, 20, 10, 20, 10, 20], 0, 0),
        ([90, 10, 10], 1, 1),
        ([90, 80, 70, 60, 10, 10, 10], 3, 0),
        ([*range(400, 200, -1), *[100] * 200], 200, 0),
        ([90] * 20 + [10] * 300, 20, 20),
        ([90] * 21 + [10] * 300, 21, 0),
        ([20, 10, 20, 10, 10, 10, 20, 10, 20, 10, 20], 0, 0),  # they vary all the time
        ([5], 0, 0),
        ([], 0, 0),
    ],
)
def test_warm_up_is_short_and_ends_with_three_usual_steps(periods: list[int], slow: int, warm: int) -> None:
    found = slow_count(pl.Series(periods, dtype=pl.Int64))
    assert (found, 0 if is_trend(found, len(periods)) else found) == (slow, warm)


def sequence(symbols: str) -> pl.DataFrame:
    """Launches of these symbols: capital letters are copies from the host, others kernels."""
    start = [10 * at for at in range(len(symbols))]
    return pl.DataFrame(
        {
            "thread_id": [1] * len(symbols),
            "api_start_ns": start,
            "api_end_ns": [at + 5 for at in start],
            "start_ns": list(accumulate(10 if letter.islower() else 1 for letter in symbols)),
            "symbol": [ord(letter) * 4 if letter.islower() else 4 * (ord(letter) + MEMORY) + 1 for letter in symbols],
            "is_run": [letter.islower() for letter in symbols],
        }
    )


LAYER = "nqkvsounpd"  # of a model: n twice a layer, and once more at the end of a pass


@pytest.mark.parametrize(
    ("symbols", "found"),
    [
        ("xabcabcabcabc", [(4, 4, 3, True)]),  # set-up first
        ("abcabcabcabcz", [(4, 4, 3, True)]),  # what follows the last step is none of it
        ("abcabcabcab", [(4, 3, 3, False)]),  # cut off
        ("abcabcdabcabcabc", [(5, 4, 3, True)]),  # one that differs
        ("abcdefgh", []),
        ("abab", []),  # too few to be a loop
        (3 * "abcdefghijklmnop", [(3, 3, 16, True)]),
        (3 * "abcdefghijklmno", []),  # too short for so few
        (3 * ("e" + 64 * LAYER + "nh"), [(3, 3, 643, True)]),
        ("wxyz" + 3 * "aab" + "uvtsrqponml", []),  # not half of the launches
        (10 * ("a" + 41 * "b" + "ac"), [(10, 10, 44, True)]),  # the symbol that cuts occurs twice in the loop
        (10 * "abcabd", [(10, 10, 6, True)]),
        (4 * ("e" + 64 * LAYER + "nh"), [(4, 4, 643, True)]),  # passes, and not layers
        ("ex" + (64 * LAYER)[1:] + "nh" + 4 * ("e" + 64 * LAYER + "nh"), [(5, 4, 643, True)]),  # the first differs
        (6 * "axyz" + 12 * "bx", [(6, 6, 4, True), (12, 12, 2, True)]),  # one loop after the other
        ("".join(letter + 100 * letter for letter in "abcde"), 5 * [(101, 101, 1, True)]),
        (5 * ("C" + 100 * "k"), [(500, 496, 1, True)]),
        (10 * (9 * "abcd" + "abcdC"), [(100, 91, 4, True)]),  # a copy at every tenth step makes no step of ten
        (20 * (4 * "Cffgbbbw" + "ooo"), [(20, 20, 35, True)]),  # gradients of four batches: all begin with the first
        (25 * "CabcdeCabcderr", [(25, 25, 14, True)]),
        (
            "".join(f"C{n * 'ra'}lbo" for n in map(int, "7557364343564673743465464347764433444455")),
            [],
        ),  # a part comes again, more or less often
    ],
)
def test_a_loop_is_a_sequence_that_comes_again(symbols: str, found: list[tuple[int, int, int, bool]]) -> None:
    series = by_launches(sequence(symbols), 1)
    known = [(one.marks.height, one.marks["is_equal"].sum(), int(one.name.split()[0])) for one in series]
    assert [(*one, whole.marks["is_complete"][-1]) for one, whole in zip(known, series, strict=True)] == found
    assert sum(one.covered for one in series) <= 1
    for one in series:  # steps are in order and share no launch
        assert (one.marks["first_launch"][1:] == one.marks["end_launch"][:-1]).all()


@pytest.mark.parametrize(
    ("odd", "is_alike"),
    [
        ("abcdefL", True),  # reads a value at its end,
        ("abLxcdef", True),  # or within
        ("abcdefghijkl", False),  # as many launches again: something else
        ("aLbcdxef", False),  # at two places
        ("abcxyzL", False),
    ],
)
def test_a_step_with_further_launches_is_a_step(odd: str, is_alike: bool) -> None:
    (found,) = by_launches(sequence(10 * "abcdef" + odd + 10 * "abcdef"), 1)
    assert found.marks["is_alike"].to_list() == [True] * 10 + [is_alike] + [True] * 10
    often = "".join(count * "abcdef" + odd for count in (3, 2, 5)) + 3 * "abcdef"  # more than a tenth
    (found,) = by_launches(sequence(often), 1)
    assert found.marks["is_alike"].sum() == 13


PASSES = "Cabcdefghijklmnopqrst"  # whose forward pass is abcdefghij
BATCH = "CabcdefghijR"  # of an evaluation


@pytest.mark.parametrize(
    ("symbols", "name", "steps", "note"),
    [
        (6 * (5 * PASSES + 5 * BATCH), 21, 30, "after every 5 of them come 60 more launches"),
        (6 * (10 * PASSES + 3 * BATCH[1:-1]), 21, 60, "after every 10 of them come 30 more launches"),
        (15 * (2 * PASSES + 4 * BATCH), 90, 15, "each has 4 equal parts of 12 launches"),  # mostly evaluation
        (20 * (4 * PASSES + "uvw"), 87, 20, "each has 4 equal parts of 21 launches"),  # an optimizer
        (20 * (4 * PASSES + 8 * "adgjmc"), 132, 20, "each has 4 equal parts of 21 launches"),  # of kernels of the step
        (10 * (5 * "a" + "R"), 1, 50, None),  # one copy is no evaluation
        (20 * ("C" + 32 * PASSES[1:] + "abxyz"), 646, 20, None),  # layers, and some kernels of them
    ],
)
def test_an_evaluation_after_some_steps_is_no_part_of_a_step(
    symbols: str, name: int, steps: int, note: str | None
) -> None:
    (found,) = by_launches(sequence(symbols), 1)
    assert (found.name, found.marks.height) == (f"{name} launches", steps)
    assert (found.note or "").startswith(note or "") and (found.note is None) == (note is None)


def test_equal_layers_end_in_a_pause() -> None:
    """The copy of a result ends ten layers of four kernels; without a pause after it, it is one of a layer."""
    rows = sequence(10 * (9 * "abcd" + "abcdC"))
    paused = rows.with_columns(pl.col("start_ns") + 30 * (~pl.col("is_run")).cum_sum().shift(fill_value=0))
    assert [one.name for one in by_launches(rows, 1)] == ["4 launches"]
    assert [(one.name, one.marks.height) for one in by_launches(paused, 1)] == [("41 launches", 10)]


@pytest.mark.parametrize(
    ("periods", "blocks"),
    [
        ([75, 1] * 4, 2),
        ([75, 1] * 3, 1),  # too few to tell
        ([10, 12, 11, 40] * 5, 4),
        ([10, 11, 10, 10, 30] * 9, 1),  # slow steps, and no turns
        (list(range(100, 10, -1)), 1),
        ([10] * 20, 1),
        ([], 1),
    ],
)
def test_blocks_whose_periods_differ_in_turn_are_one_step(periods: list[int], blocks: int) -> None:
    assert blocks_of_step(pl.Series(periods, dtype=pl.Int64)) == blocks
    marks = by_launches(sequence("ab" * 9), 1)[0].marks
    steps = together(marks, 4)
    assert steps["first_launch"].to_list() == [0, 8, 16] and steps["end_launch"].to_list() == [8, 16, 18]
    assert steps["is_complete"].to_list() == [True, True, False]


def test_threads_that_take_no_turns_have_a_series_each(tmp_path: Path) -> None:
    """Two workers: one launches every 100 us, the other every 71 us, on another stream."""
    lines = []
    for period, count, names, number in ((100, 70, "abcd", 1), (71, 100, "wxyz", 2)):
        of_worker = f"thread={number} stream={number}"
        kernels = [f" kernel {name} {9 * n}-{9 * n + 3} {9 * n + 5}-{9 * n + 9}" for n, name in enumerate(names)]
        lines += [f"every {period} x {count}", *(f"{kernel} {of_worker}" for kernel in kernels)]
    with nsysql.open(drawn("workers", "\n".join(lines)).write(tmp_path / "workers.sqlite")) as run:
        found = run.step_series()
        assert found.select("name", "step_count", "equal_count", "step_range").rows() == [
            ("4 launches", 70, 70, "4 launches"),
            ("4 launches", 100, 100, "4 launches/1"),
        ]
        assert found["work_ns"].to_list() == [70 * 16_000, 100 * 16_000]  # of its own thread
        assert found["tid"].n_unique() == 2 and found["covered_pct"].sum() == pytest.approx(100)
        for number, period in enumerate((100_000, 71_000)):
            assert run.step_times(series=number)["period_ns"].head(-1).unique().to_list() == [period]
        assert_identities(run)


def test_launches_at_one_time_are_in_order_of_their_correlation_ids(story: Callable[[str], Path]) -> None:
    with nsysql.open(story("steps_coarse")) as run:
        assert series(run) == [("launches", "2 launches", 4, 4, 0)]
        times = run.step_times()
        assert times["cpu_dur_ns"].to_list() == [0, 0, 100, 20]  # the clock of the calls is coarse
        assert times["period_ns"].to_list() == [100, 100, 100, 90]
        assert times["busy_ns"].to_list() == [60, 60, 60, 60]


def test_every_loop_is_a_series_and_warm_up_is_not_the_program(story: Callable[[str], Path]) -> None:
    with nsysql.open(story("steps_several")) as run:
        found = run.step_series()
        known = ["found_by", "name", "step_count", "covered_pct", "is_chosen", "step_range"]
        assert found.select(known).rows() == [
            ("nvtx", "warm-up #", 4, 40.0, False, "warm-up #@loop"),
            ("nvtx", "step #", 3, 30.0, True, "step #@loop"),
            ("launches", "1 launches", 6, 30.0, False, "1 launches"),
        ]
        for row in found.iter_rows(named=True):
            chosen = run.step_series(step_range=row["step_range"]).filter("is_chosen")
            assert chosen["name"].to_list() == [row["name"]]
            assert run.step_times(step_range=row["step_range"])["step"].n_unique() == row["step_count"]
        with pytest.raises(MissingData, match="'9 launches'"):
            run.step_series(step_range="9 launches")
        page = " ".join(str(run.pages.steps()).split())
    assert "Also repeated: 4 steps (warm-up #)" in page and "--step-range 'warm-up #@loop'" in page
    assert "--step-range '1 launches'" in page


def test_steps_narrow_every_query_and_page(corpus: Path) -> None:
    with nsysql.open(corpus / "trisolve-nvtx-2023.3.sqlite") as run:
        times = run.step_times().filter("is_steady")
        start, end = times["gpu_start_ns"].min(), times["gpu_end_ns"].max()
        for query in ("gpu_accounts", "idle_ledger", "cuda_gpu_kern_sum", "cuda_api_sum"):
            narrowed = run.query(query, steps="steady")
            assert narrowed.equals(run.query(query, start_ns=start, end_ns=end))
        assert run.step_times(steps="3:5")["step"].to_list() == [3, 4, 5]
        assert run.step_times(steps="3", step_range="Inner Level 0")["series_id"].to_list() == [0]
        document = run.pages.idle_gaps(steps=7).document()
        assert document["parts"][0]["length_ns"] == run.step_times(steps="7")["period_ns"][0]
        assert document["asked"]["steps"] == "7"
        assert "steady" in run.pages.summary(steps="steady").document()["narrowed_to"]


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"steps": "18"}, "There is no step 18; there are steps 0 to 17"),
        ({"steps": "5:3"}, "5 is after 3"),
        ({"steps": "last"}, "'last' names no steps; write steady, a number such as 5, or 5:10"),
        ({"steps": "5", "nvtx": "x"}, "give either steps, or nvtx, or start_ns and end_ns"),
        ({"step_range": "x"}, "say with steps which ones"),
        ({"steps": "5", "step_range": "nope"}, "No closed NVTX range is named 'nope'"),
    ],
)
def test_steps_that_are_none_are_refused(given: dict[str, str], told: str, corpus: Path) -> None:
    with nsysql.open(corpus / "trisolve-nvtx-2023.3.sqlite") as run, pytest.raises(NsysqlError, match=told):
        run.gpu_accounts(**given)


def test_a_capture_that_repeats_nothing_has_no_steps(corpus: Path) -> None:
    with (
        nsysql.open(corpus / "keras-cudnn-2023.4.sqlite") as run,
        pytest.raises(MissingData, match="--step-range NAME"),
    ):
        run.gpu_accounts(steps="steady")


@pytest.mark.parametrize("most", [0, 3, 4])
def test_ranges_that_mark_steps_are_the_same_kept_and_read_again(most: int) -> None:
    schema = dict.fromkeys(("thread_id", "start_ns", "end_ns", "domain_id", "text_id"), pl.Int64)
    plain = [(1, 0, 9, 0, None, "step 1"), (1, 10, 19, 0, None, "step 2"), (1, 2, 3, 0, 7, None), (2, 4, 5, 0, 7, None)]
    batches = [pl.DataFrame(plain[i : i + 2], schema | {"plain_text": pl.String}, orient="row") for i in (0, 2)]
    reads: list[str] = []

    def views(view: str, narrow: Callable[[pl.DataFrame], pl.DataFrame] | None = None, **_: object) -> pl.DataFrame:
        if narrow is None:
            return pl.DataFrame({"id": [7], "text": ["load"]})
        reads.append(view)
        return pl.concat([narrow(batch) for batch in batches])

    ranges = MarkRanges(views, most)  # type: ignore[arg-type]
    found = ranges.candidates({1 & ~0xFFFFFF: pl.Series([1, 2, 11])})
    rows = [(1, "step #", 2, 3), (1, "load", 1, 1), (2, "load", 1, 0)]
    assert found.select("thread_id", "text", "ranges", "inside").rows() == rows
    assert ranges.of(found).rows() == [(0, 0, 9), (1, 2, 3), (2, 4, 5), (0, 10, 19)]
    assert len(reads) == (1 if most >= len(plain) else 2)


def test_steps_that_begin_at_one_time_are_compared(
    run: Callable[..., Ran], story: Callable[[str], Path], tmp_path: Path
) -> None:
    path, digest = story("steps_coarse"), tmp_path / "coarse.json"
    with nsysql.open(path) as opened:
        assert opened.kernel_order()["name"].to_list() == ["a", "b"] * 4
    assert run("digest", path, "-o", digest).code == 0
    for other in (path, digest):
        assert run("compare", path, "--with", other).code == 0


def test_steps_begin_with_the_first_phase_that_launches(tmp_path: Path) -> None:
    """Most launches are the optimizer's: five steps began with it, and the first `forward` was start-up."""
    text = """
gpu "NVIDIA A100-SXM4-40GB" 8.0 108
every 1000 x 5
  range forward 0-300
  kernel "layer(float *)" 10-14 20-400
  range optimizer 400-900
"""
    text += "\n".join(f'  kernel "adam(float *)" {at}-{at + 4} {at + 6}-{at + 9}' for at in range(410, 890, 10))
    with nsysql.open(drawn("phases", text).write(tmp_path / "run.sqlite")) as run:
        (series,) = run.step_series().to_dicts()
        parts = run.part().filter(kind="series")
    assert (series["name"], series["step_range"], series["covered_pct"]) == ("forward … optimizer", "forward", 100)
    assert (parts["step_count"][0], parts["start_ns"][0]) == (5, 20_000)
