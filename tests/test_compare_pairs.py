"""Comparisons of real captures against what is known of them, and what must hold of every capture."""

import json
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from captures import steps, write
from command_line import Ran, process
from drawn import read_story
from exports import alter, corpus_folder

import nsysql
from nsysql.analysis.digest import Finding
from nsysql.analysis.digest_file import read
from nsysql.digest.gather import comparable

pytestmark = pytest.mark.usefixtures("kept_open", "without_findings")

MORE = corpus_folder() / "more"
PAIRS = MORE / "pairs"
Document = dict[str, Any]


@pytest.fixture
def more(corpus: Path) -> Path:
    if not MORE.is_dir():
        pytest.skip(f"no captures for comparing at {MORE}")
    return MORE


DIGESTS = tempfile.TemporaryDirectory()


@cache
def digest_of(export: Path) -> Path:
    """The digest of a capture, made once, whose file holds all of it: comparing digests is comparing exports."""
    with nsysql.open(export) as run:
        made = comparable(run)
    path = write(made, Path(DIGESTS.name) / f"{digest_of.cache_info().misses}.digest")
    assert read(path) == made
    return path


def compare(a: Path, b: Path, **options: Any) -> Document:
    found = nsysql.compare(digest_of(a), digest_of(b), **options).document()
    check_sums(found)
    return found


def check_sums(found: Document) -> None:
    assert sum(row["delta_ns"] for row in found["accounts"]) == pytest.approx(found["delta_ns"], abs=1e-3)
    for side in ("a_ns", "b_ns"):
        assert sum(row[side] for row in found["accounts"]) == pytest.approx(found[side], abs=1e-3)
    for row in found["accounts"]:
        assert row["count_effect_ns"] + row["per_call_effect_ns"] == pytest.approx(row["delta_ns"], abs=1e-3)


def account(found: Document, kind: str, name: str) -> Document:
    (row,) = (row for row in found["accounts"] if row["kind"] == kind and row["name"].startswith(name))
    return dict(row)


# Known pairs --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("a", "b", "before_ms", "after_ms"),
    [("16", "128", 1314.9, 238.3), ("128", "512-a", 238.3, 122.51), ("512-a", "512-b", 122.51, 120.34)],
)
def test_threads_of_a_block(more: Path, a: str, b: str, before_ms: float, after_ms: float) -> None:
    found = compare(PAIRS / f"nuss-block{a}.sqlite", PAIRS / f"nuss-block{b}.sqlite")
    kernel = account(found, "computing", "nussinov_gpu")
    assert kernel["a_ns"] / 1e6 == pytest.approx(before_ms, abs=0.06)
    assert kernel["b_ns"] / 1e6 == pytest.approx(after_ms, abs=0.06)
    assert kernel["matched_by"] == "name"
    if a != "512-a":
        assert found["accounts"][0] == kernel
        assert found["change_pct"] < 0


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("um-repeat-06", "um-repeat-07"),
        ("um-repeat-07", "um-repeat-08"),
        ("um-repeat-06", "um-repeat-08"),
        ("heat1024-nocublas-a", "heat1024-nocublas-b"),
        ("nuss-block512-a", "nuss-block512-b"),
    ],
)
@pytest.mark.parametrize("per", [None, "window"])
def test_repeats_get_no_verdict(more: Path, a: str, b: str, per: str | None) -> None:
    for pair in ((a, b), (b, a)):
        found = compare(*(PAIRS / f"{name}.sqlite" for name in pair), per=per)
        assert found["verdict"] not in ("faster", "slower")


def test_renamed_kernels_and_the_cost_of_a_context(more: Path) -> None:
    pair = PAIRS / "heat1024-nocublas-a.sqlite", PAIRS / "heat1024-cublas.sqlite"
    found = compare(*pair, per="window")
    (kernel,) = (row for row in found["accounts"] if row["name"] == "main_58_gpu")
    assert (kernel["b_name"], kernel["matched_by"]) == ("main_61_gpu", "name without numbers")
    context = account(found, "lead_in", "cudaFree")
    assert context["delta_ns"] / 1e6 == pytest.approx(677.2, abs=0.1)
    assert any("cudaFree" in text for text in found["notes"])
    assert any("Launches per window differ: A 411, B 216" in text for text in found["comparability"])


def test_a_cost_that_moved_is_no_gain(more: Path) -> None:
    folder = MORE / "gpumetrics"
    pair = folder / "vecadd-v2-nometrics.sqlite", folder / "vecadd-v4.sqlite"
    assert compare(*pair)["verdict"] in ("cannot_judge", "no_difference_shown")
    found = compare(*pair, per="window")
    assert found["verdict"] == "cannot_judge"
    assert not found["is_fair"]
    assert found["comparability"][0].startswith("Other trace options: only B recorded")
    assert account(found, "lead_in", "cudaMalloc")["delta_ns"] / 1e6 == pytest.approx(-105.6, abs=0.1)
    assert account(found, "lead_in", "cudaFree")["delta_ns"] / 1e6 == pytest.approx(109.7, abs=0.1)
    assert any("Cost moved" in text for text in found["notes"])


def test_a_slow_kernel_that_copies_hide(more: Path) -> None:
    pair = corpus_folder() / "wsl2-vecadd-2026.1.sqlite", PAIRS / "async-wsl-2.sqlite"
    found = compare(*pair, per="window")
    kernel = account(found, "computing", "add_parallel")
    assert kernel["b_ns"] / kernel["a_ns"] == pytest.approx(9.02, abs=0.01)


def test_a_rank_that_lost_its_slow_phase(more: Path) -> None:
    """Certain of `forward`, which is 6 ms shorter by construction, and of nothing else."""
    found = compare(*(MORE / "ranks" / job / "rank_1.sqlite" for job in ("mpi3-slow", "mpi3-even")))
    assert (found["unit"], found["samples"]) == ("step", {"a": 12, "b": 12})
    forward = account(found, "cpu", "step > forward")
    assert (forward["a_ns"] / 1e6, forward["b_ns"] / 1e6) == pytest.approx((11.11, 5.10), abs=0.02)
    assert [row["name"] for row in found["accounts"] if row["is_certain"]] == ["step > forward"]
    assert found["verdict"] == "no_difference_shown"


def test_ranks_that_were_not_changed(more: Path) -> None:
    for rank in (0, 2):
        found = compare(*(MORE / "ranks" / job / f"rank_{rank}.sqlite" for job in ("mpi3-slow", "mpi3-even")))
        assert {row["name"] for row in found["accounts"] if row["is_certain"]} <= {"step > exchange"}


def test_means_of_frames_not_totals(more: Path) -> None:
    """304 frames against 96: a transformer replaced by pooling."""
    found = compare(*(MORE / "steps" / f"center-{name}.sqlite" for name in ("baseline", "poolformer")))
    assert (found["unit"], found["samples"], found["verdict"]) == ("step", {"a": 303, "b": 95}, "faster")
    model = account(found, "cpu", "transformer_forward")
    assert (model["b_name"], model["matched_by"]) == ("poolformer_forward", "place in the sequence")
    expected = {"transformer_forward": (20.2, 0.46), "find_centers": (67.7, 53.9), "post_processing": (16.2, 6.3)}
    for name, (a_ms, b_ms) in expected.items():
        row = account(found, "cpu", name)
        assert (row["a_ns"] / 1e6, row["b_ns"] / 1e6) == pytest.approx((a_ms, b_ms), abs=0.06)


SWAPPED = [
    ("more/pairs/heat1024-nocublas-a", "more/pairs/heat1024-cublas", "window"),
    ("wsl2-vecadd-2026.1", "more/pairs/async-wsl-2", "window"),
    ("more/pairs/nuss-block16", "more/pairs/um-repeat-06", "window"),
    ("mfu-before-2gpu-2026.2", "h100-2gpu-nccl-2026.2", "step"),
    ("trisolve-nvtx-2023.3", "gtls-sssp-2023.1", "window"),
    ("more/pairs/heat1024-nocublas-a", "more/pairs/heat1024-nocublas-b", "step"),
    ("more/steps/center-baseline", "more/steps/center-poolformer", "step"),
]
OPPOSITE = {"faster": "slower", "slower": "faster"}


@pytest.mark.parametrize(("a", "b", "per"), SWAPPED)
def test_swapped_sides_negate_every_difference(more: Path, a: str, b: str, per: str) -> None:
    paths = [corpus_folder() / f"{name}.sqlite" for name in (a, b)]
    there, back = (compare(*pair, per=per) for pair in (paths, paths[::-1]))
    assert back["verdict"] == OPPOSITE.get(there["verdict"], there["verdict"])

    def deltas(found: Document, name: str, other: str) -> set[tuple[Any, ...]]:
        rows = found["accounts"]
        named = ((row, row["b_name"] or row["name"]) for row in rows)
        return {(row["kind"], *sorted((row["name"], called)), row[name], row[other]) for row, called in named}

    assert deltas(there, "a_ns", "b_ns") == deltas(back, "b_ns", "a_ns")
    assert there["delta_ns"] == -back["delta_ns"]
    assert [-row["delta_ns"] for row in sorted(there["accounts"], key=_place)] == pytest.approx(
        [row["delta_ns"] for row in sorted(back["accounts"], key=_place)]
    )


def _place(row: Document) -> tuple[Any, ...]:
    return row["kind"], min(row["name"], row["b_name"] or row["name"])


def test_kernels_explain_a_change_of_two_exports(more: Path) -> None:
    """B's durations in A's graph: all of the change of nussinov, and nothing is said where a digest is a side."""
    a, b = (PAIRS / f"nuss-block{size}.sqlite" for size in ("16", "128"))
    said = [note for note in nsysql.compare(a, b).document()["notes"] if "explain" in note]
    assert said == [
        "Kernels and copies explain 100% of it: first to last GPU work takes 1.318 s -> 241.7 ms; A with the kernel "
        "and copy times of B would take 241.8 ms."
    ]
    assert not [note for note in nsysql.compare(digest_of(a), b).document()["notes"] if "explain" in note]


def test_host_code_is_not_explained_by_kernels(tmp_path: Path) -> None:
    """Launches twice as far apart with kernels as long as before: their times explain nothing of the difference."""
    export, apart = (read_story("few_blocks").write(tmp_path / f"{name}.sqlite") for name in ("a", "b"))
    for table in ("KERNEL", "RUNTIME"):
        alter(apart, f'UPDATE CUPTI_ACTIVITY_KIND_{table} SET "end" = "end" + start, start = 2 * start')
    notes = nsysql.compare(export, apart, run_noise_pct=1).document()["notes"]
    assert any(note.startswith("Kernels and copies explain 0% of it") for note in notes)


def test_a_kernel_made_a_tenth_longer(corpus: Path, tmp_path: Path) -> None:
    """All times after it are shifted: its own account has the difference, and no other one."""
    export, copy = corpus / "keras-cudnn-2023.4.sqlite", tmp_path / "slow.sqlite"
    shutil.copy(export, copy)
    copy.chmod(0o644)
    more_ns, name = lengthened(copy)
    found = compare(export, copy)
    changed = [(row["name"], row["delta_ns"]) for row in found["accounts"] if row["delta_ns"]]
    assert changed == [(name, more_ns)]


def lengthened(path: Path) -> tuple[int, str]:
    """Make the longest kernel that nothing else overlaps a tenth longer: how much that is, and its name."""
    db = sqlite3.connect(path)
    tables = ("CUPTI_ACTIVITY_KIND_KERNEL", "CUPTI_ACTIVITY_KIND_MEMCPY", "CUPTI_ACTIVITY_KIND_MEMSET")
    rows = sorted(row for table in tables for row in db.execute(f'SELECT start, "end" FROM {table}'))
    ends = [row[1] for row in rows]
    alone = {rows[i] for i in range(1, len(rows) - 1) if max(ends[:i]) <= rows[i][0] and rows[i + 1][0] >= rows[i][1]}
    kernels = db.execute('SELECT start, "end", demangledName FROM CUPTI_ACTIVITY_KIND_KERNEL').fetchall()
    start, end, name_id = max((k for k in kernels if k[:2] in alone), key=lambda k: (k[1] - k[0], k))
    longer = (end - start) // 10
    for (table,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
        columns = {row[1] for row in db.execute(f"PRAGMA table_info({table})")}
        for column in ({"start", "end", "timestamp"} & columns) if table != "ANALYSIS_DETAILS" else ():
            db.execute(f'UPDATE {table} SET "{column}" = "{column}" + {longer} WHERE "{column}" >= {end}')
    (name,) = db.execute("SELECT value FROM StringIds WHERE id = ?", [name_id]).fetchone()
    db.commit()
    db.close()
    return longer, name


# The gate -----------------------------------------------------------------------------------------


@pytest.fixture
def digests(tmp_path: Path) -> tuple[Path, Path]:
    return write(steps(1_000), tmp_path / "main.digest"), write(steps(1_300), tmp_path / "new.digest")


@pytest.mark.parametrize(
    ("conditions", "code", "words"),
    [
        (["period > 3%"], 3, "failed: period > 3%: "),
        (["period > 40%"], 0, ""),
        (["period > 200ns"], 3, "99.94 ms became 129.9 ms (+30.0%)"),
        (["period < -3%"], 0, ""),
        (["idle > 1ms", "idle:os_wait_io > 2ms"], 0, ""),
        (["idle:os_wait_iox > 2ms"], 2, "Did you mean os_wait_io"),
        (["perod > 3%"], 2, "Did you mean period"),
        (["computing:gemm > 3%", "period > 40%"], 3, "failed: computing:gemm > 3%"),
        (["kernel:gemm > 0.1us"], 3, "kernel:gemm"),
        (["computing:gem > 3%"], 2, "Did you mean computing:gemm"),
        (["launches > 0"], 0, ""),
        (["period"], 2, "is not a condition"),
        (["period > 3"], 2, "needs a unit"),
        (["launches > 3ms"], 2, "a number"),
    ],
)
def test_the_gate(
    digests: tuple[Path, Path], run: Callable[..., Ran], conditions: list[str], code: int, words: str
) -> None:
    asked = [part for condition in conditions for part in ("--fail-if", condition)]
    found = run("compare", digests[0], "--with", digests[1], *asked)
    assert found.code == code, found.err
    assert words in (found.err.strip().splitlines() or [""])[-1]


def test_a_difference_within_noise_does_not_fail_and_is_said(tmp_path: Path, run: Callable[..., Ran]) -> None:
    pair = write(steps(1_000), tmp_path / "a"), write(steps(1_020), tmp_path / "b")
    found = run("compare", *pair, "--fail-if", "period > 1%")
    assert found.code == 0
    assert "within noise: period > 1%" in found.err and "cannot fire below 2.8%: give 3 captures" in found.err
    assert run("compare", *pair, "--fail-if", "period > 1%", "--strict").code == 1
    assert run("compare", *pair, "--fail-if", "period > 1%", "--run-noise", "0.1").code == 3
    failed = run("compare", pair[0], write(steps(1_500), tmp_path / "c"), "--fail-if", "period > 1%")
    assert failed.code == 3 and "failed: period > 1%" in failed.err and "cannot fire" not in failed.err
    gates = json.loads(run("compare", *pair, "--fail-if", "period > 1%", "--fail-if", "idle > 9%", "-f", "json").out)
    assert [(one["condition"], one["outcome"]) for one in gates["gates"]] == [
        ("period > 1%", "holds"), ("idle > 9%", "passes"),
    ]  # fmt: skip


def test_an_unfair_comparison_needs_force(more: Path, run: Callable[..., Ran]) -> None:
    pair = [digest_of(PAIRS / f"{name}.sqlite") for name in ("nuss-block16", "um-repeat-06")]
    unfair = run("compare", *pair, "--fail-if", "period > 3%")
    assert (unfair.code, unfair.err.count("\n")) == (1, 1)
    assert "cannot be judged" in unfair.err
    assert run("compare", *pair, "--fail-if", "period > 3%", "--force").code == 0


def test_annotations_for_github(digests: tuple[Path, Path], run: Callable[..., Ran]) -> None:
    found = run("compare", *digests, "--fail-if", "period > 3%", "-f", "github")
    assert found.code == 3
    notice, error = found.text.splitlines()
    assert notice.startswith("::notice title=nsysql compare::SLOWER: ")
    assert error.startswith("::error title=nsysql compare::failed: period > 3%25: ")


def test_several_captures_after_one_option(tmp_path: Path, run: Callable[..., Ran]) -> None:
    a = [write(steps(1_000 + i), tmp_path / f"a{i}") for i in range(4)]
    b = [write(steps(1_060 + i), tmp_path / f"b{i}") for i in range(4)]
    found = run("compare", *a, "--with", *b, "--fail-if", "period > 3%", "-f", "json")
    assert found.code == 3
    assert json.loads(found.text)["samples"] == {"a": 4, "b": 4}


# Units --------------------------------------------------------------------------------------------


def test_an_nvtx_range_can_be_the_unit(story: Callable[[str], Path], tmp_path: Path, run: Callable[..., Ran]) -> None:
    export, digest = story("training"), tmp_path / "run.digest"
    assert nsysql.compare(export, export, per="data").document()["unit"] == "data"
    assert run("digest", export, "--per", "data", "-o", digest).code == 0
    found = run("compare", digest, "--with", digest, "--per", "data")
    assert (found.code, found.text.splitlines()[0]) == (0, "Compared: A (data), B (data)")
    other = run("compare", digest, "--with", digest, "--per", "forward")
    assert (other.code, other.err.count("\n")) == (1, 1)
    assert "step, data" in other.err
    unknown = run("compare", export, "--with", export, "--per", "dat")
    assert (unknown.code, unknown.err.count("\n")) == (2, 1)
    assert "no NVTX range 'dat'" in unknown.err


def test_gpu_work_and_steps_on_the_cpu_have_nothing_in_common(more: Path, run: Callable[..., Ran]) -> None:
    exports = PAIRS / "um-repeat-06.sqlite", MORE / "ranks" / "mpi3-slow" / "rank_1.sqlite"
    found = run("compare", *map(digest_of, exports))
    assert (found.code, found.err.count("\n"), found.out) == (1, 1, b"")
    assert "no unit of time in common" in found.err


# Bad input ----------------------------------------------------------------------------------------


def test_bad_input_is_one_line(story: Callable[[str], Path], tmp_path: Path, run: Callable[..., Ran]) -> None:
    good = write(steps(1_000), tmp_path / "good")
    empty, cut = tmp_path / "empty.sqlite", tmp_path / "cut"
    empty.touch()
    cut.write_bytes(good.read_bytes()[:100])
    bad = {empty: 1, cut: 1, tmp_path / "absent": 1, story("no_cuda"): 1, tmp_path: 1}
    for path, code in bad.items():
        for pair in ((good, "--with", path), (path, "--with", good)):
            found = run("compare", *pair)
            assert (found.code, found.err.count("\n"), found.out) == (code, 1, b""), found.err


def test_the_same_file_twice_shows_no_difference(story: Callable[[str], Path], run: Callable[..., Ran]) -> None:
    path = story("two_streams")
    found = run("compare", path, "--with", path)
    assert found.code == 0
    assert "NO DIFFERENCE SHOWN" in found.text


def test_compare_does_not_load_what_it_does_not_need(digests: tuple[Path, Path]) -> None:
    text = "import sys, nsysql; nsysql.open; import nsysql.cli.app; print('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", text], capture_output=True, text=True).stdout == "False\n"
    assert process("compare", digests[0], "--with", digests[1]).returncode == 0


@pytest.mark.parametrize(
    "pair",
    [
        ("more/cases/cs336-27B-clean", "llm27b-cudagraph-2024.6"),
        ("more/steps/center-baseline", "more/steps/center-poolformer"),
        ("more/pairs/heat1024-nocublas-a", "more/pairs/heat1024-cublas"),
        ("mordred-nometa", "keras-cudnn-2023.4"),  # other programs: many remarks, accounts and shapes
    ],
)
def test_the_first_screen_is_one(more: Path, tmp_path: Path, run: Callable[..., Ran], pair: tuple[str, str]) -> None:
    """With findings that are gone and new ones."""
    digests = []
    for side, name in enumerate(pair):
        codes = ("few-blocks", "host-code", "startup", "launch-bound", "largest-kernel", "tail-wave")[side::2]
        found = replace(
            read(digest_of(corpus_folder() / f"{name}.sqlite")),
            findings=tuple(Finding(code, "kernel", "It is so.", None, False) for code in codes),
        )
        digests.append(write(found, tmp_path / f"{side}.digest"))
    text = run("compare", *digests).text
    lines = text.splitlines()
    assert len(lines) <= 25 and max(map(len, lines)) <= 100 and len(text.split()) <= 220
    assert len(run("compare", *digests, "--all").text) > len(text)


def test_migrations_of_unified_memory_are_not_launched(story: Callable[[str], Path]) -> None:
    with nsysql.open(story("idle_unified")) as run:
        assert run.memcpy().height == 7
        assert "memcpy" not in run.launched_work()["kind"].to_list()
        assert run.launched_work()["count"].sum() == run.kernel().height
