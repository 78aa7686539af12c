"""Pairs of drawn captures of which the truth is known: compare never says faster or slower without a reason."""

import random
from pathlib import Path

import pytest
from captures import write
from drawn import drawn

import nsysql
from nsysql.analysis.compare.compare import Comparison, Options, compared
from nsysql.analysis.compare.conditions import judged, read_condition
from nsysql.analysis.compare.sentences import sentence
from nsysql.digest.gather import comparable


def loop(seed: int, steps: int = 24, kernels: tuple[int, ...] = (100, 200, 150), host: int = 50, late: int = 0) -> str:
    """Steps of these kernels (us), varied by 1 %, a synchronization and host code; `late` idle time before them."""
    chance = random.Random(seed)
    lines, time = ["at 0", "  memset 0-5 10-20 bytes=4000"], 100.0 + late
    for _ in range(steps):
        lines.append(f"at {time:.3f}")
        end = 10.0
        for number, usual in enumerate(kernels):
            start, end = end, end + usual * (1 + chance.gauss(0, 0.01))
            call = f"{5 * number}-{5 * number + 4}"
            lines.append(f'  kernel "k{number}(float *)" {call} {start:.3f}-{end:.3f}')
        lines.append(f"  call cudaStreamSynchronize 20-{end + 8:.3f}")
        time += end + 8 + host
    return "\n".join(lines)


def digest_of(text: str, folder: Path) -> Path:
    """The digest of a drawn capture: comparing digests is comparing exports (test_compare_pairs.py)."""
    with nsysql.open(drawn("run", text).write(folder / "run.sqlite")) as run:
        return write(comparable(run), folder / "run.digest")


@pytest.fixture(scope="module")
def first(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The digest of a loop."""
    return digest_of(loop(1), tmp_path_factory.mktemp("first"))


@pytest.mark.parametrize(
    ("b", "verdicts"),
    [
        (loop(2), {"no_difference_shown"}),
        (loop(2, steps=12), {"no_difference_shown", "unclear"}),
        (loop(2, late=500_000), {"no_difference_shown"}),
        (loop(2, kernels=(150, 200, 150)), {"slower"}),
        (loop(2, host=150), {"slower"}),
        (loop(2, kernels=(100, 200)), {"faster"}),
        (loop(2, kernels=(100, 200), steps=60), {"cannot_judge"}),  # longer in all, as there are more steps
    ],
    ids=["repeat", "half the steps", "late", "kernel", "host", "a kernel fewer", "a kernel fewer, more steps"],
)
def test_the_verdict_is_the_truth(b: str, verdicts: set[str], first: Path, tmp_path: Path) -> None:
    assert nsysql.compare(first, digest_of(b, tmp_path)).document()["verdict"] in verdicts


def test_a_pause_in_one_step_is_told_from_slower_steps(first: Path, tmp_path: Path) -> None:
    """400 ms in the middle of B: the mean step is many times as long, the median as long as before."""
    lines = loop(1).splitlines()
    moved = [f"at {float(line[3:]) + 400_000 * (i > len(lines) / 2):.3f}" if line[:3] == "at " else line
             for i, line in enumerate(lines)]  # fmt: skip
    document = nsysql.compare(first, digest_of("\n".join(moved), tmp_path)).document()
    assert document["verdict"] == "no_difference_shown"
    said = document["sentence"]
    assert said.startswith("NO DIFFERENCE SHOWN in most steps: the median takes") and "times as long" in said


def both(a: str, b: str, folder: Path) -> Comparison:
    sides = []
    for name, text in (("a", a), ("b", b)):
        with nsysql.open(drawn("run", text).write(folder / f"{name}.sqlite")) as run:
            sides.append([comparable(run)])
    return compared(*sides, Options())


def each_step(lines: str) -> str:
    return "\n".join(f"at {800 * step}\n{lines}\n  call cudaStreamSynchronize 430-728" for step in range(24))


def test_waits_that_only_one_side_records_are_no_change(tmp_path: Path) -> None:
    """Both read 400 us before each launch, which is host code where OS calls are not traced."""
    kernel = "  kernel k0 410-414 420-520"
    found = both(each_step(f"  os read 0-400\n{kernel}"), each_step(kernel.replace("520", "522")), tmp_path)
    waits = {account.name: account.delta_ns for account in found.accounts if account.kind == "idle"}
    assert abs(waits["host_code"]) < 3_000 and "os_wait_io" not in waits
    assert "only A recorded OS runtime calls" in sentence(found)
    condition = read_condition("idle:os_wait_io < -1ms")
    assert [judged(found, condition, force).outcome for force in (False, True)] == ["cannot", "passes"]


def test_graphs_whose_nodes_only_one_side_traces_are_not_compared(tmp_path: Path) -> None:
    kernel = "  kernel k{0} 410-414 {1}-{2} as=cudaGraphLaunch node={3}"
    nodes = "\n".join(kernel.format(n, 420 + 60 * n, 475 + 60 * n, n + 1) for n in range(5))
    found = both(each_step("  graph 410-414 420-640"), each_step(nodes), tmp_path)
    assert found.verdict == "cannot_judge"
    assert "CUDA graphs are traced whole in A, node by node in B" in sentence(found)


def test_folders_of_digests_are_jobs(first: Path, tmp_path: Path) -> None:
    """Two ranks a side, as digests: a difference is shown without a replay."""
    slower = digest_of(loop(2, kernels=(150, 200, 150)), tmp_path)
    for name, digest in (("a", first), ("b", slower)):
        (tmp_path / name).mkdir()
        for rank in (0, 1):
            (tmp_path / name / f"{rank}.digest").write_bytes(digest.read_bytes())
    assert nsysql.compare(tmp_path / "a", tmp_path / "b").document()["verdict"] == "slower"
