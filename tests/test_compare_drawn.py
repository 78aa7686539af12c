"""Pairs of drawn captures of which the truth is known: compare never says faster or slower without a reason."""

import random
import re
from pathlib import Path
from typing import Any

import pytest
from captures import capture, write
from drawn import drawn
from exports import alter

import nsysql
from nsysql.analysis.compare.compare import Comparison, Options, compared
from nsysql.analysis.compare.conditions import judged, read_condition
from nsysql.analysis.compare.sentences import notes, sentence
from nsysql.digest import gather
from nsysql.findings.engine import find
from nsysql.pages.compare import page

pytestmark = pytest.mark.usefixtures("without_findings")


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


def both(a: str, b: str) -> Comparison:
    return compared([capture(a)], [capture(b)], Options())


@pytest.mark.parametrize(
    ("b", "verdicts"),
    [
        (loop(2), {"no_difference_shown"}),
        (loop(2, steps=12), {"no_difference_shown", "unclear"}),
        (loop(2, steps=26), {"no_difference_shown", "unclear"}),
        (loop(2, late=500_000), {"no_difference_shown"}),
        (loop(2, kernels=(150, 200, 150)), {"slower"}),
        (loop(2, host=150), {"slower"}),
        (loop(2, kernels=(100, 200)), {"faster"}),
        (loop(2, kernels=(100, 200), steps=60), {"cannot_judge"}),  # longer in all, as there are more steps
        (loop(2, steps=26).replace("k0(", "other("), {"cannot_judge"}),  # a kernel was renamed: so by no step
        (loop(2).replace("k0(", "other("), {"no_difference_shown"}),
    ],
    ids=[
        "repeat",
        "half the steps",
        "two steps more",
        "late",
        "kernel",
        "host",
        "a kernel fewer",
        "a kernel fewer, more steps",
        "a kernel renamed, two steps more",
        "a kernel renamed",
    ],
)
def test_the_verdict_is_the_truth(b: str, verdicts: set[str]) -> None:
    assert both(loop(1), b).verdict in verdicts


def test_a_pause_in_one_step_is_told_from_slower_steps() -> None:
    """400 ms in the middle of B: the mean step is many times as long, the median as long as before."""
    lines = loop(1).splitlines()
    moved = [f"at {float(line[3:]) + 400_000 * (i > len(lines) / 2):.3f}" if line[:3] == "at " else line
             for i, line in enumerate(lines)]  # fmt: skip
    found = both(loop(1), "\n".join(moved))
    assert found.verdict == "no_difference_shown"
    said = sentence(found)
    assert said.startswith("NO DIFFERENCE SHOWN in most steps: the median takes") and "times as long" in said


def each_step(lines: str) -> str:
    return "\n".join(f"at {800 * step}\n{lines}\n  call cudaStreamSynchronize 430-728" for step in range(24))


def test_waits_that_only_one_side_records_are_no_change() -> None:
    """Both read 400 us before each launch, which is host code where OS calls are not traced."""
    kernel = "  kernel k0 410-414 420-520"
    found = both(each_step(f"  os read 0-400\n{kernel}"), each_step(kernel.replace("520", "522")))
    waits = {account.name: account.delta_ns for account in found.accounts if account.kind == "idle"}
    assert abs(waits["host_code"]) < 3_000 and "os_wait_io" not in waits
    assert "only A recorded OS runtime calls" in sentence(found)
    condition = read_condition("idle:os_wait_io < -1ms")
    assert [judged(found, condition, force).outcome for force in (False, True)] == ["cannot", "passes"]


def test_causes_that_only_one_side_can_know_are_no_change(tmp_path: Path) -> None:
    """B is the same without CUDA calls: its idle time has no causes."""
    a, b = (drawn(name, loop(1)).write(tmp_path / f"{name}.sqlite") for name in ("calls", "none"))
    alter(b, "DROP TABLE CUPTI_ACTIVITY_KIND_RUNTIME")
    document = nsysql.compare(a, b).document()
    assert [one["title"] for one in document["accounts"] if one["kind"] == "idle"] == ["Any cause"]
    assert not any("Cost moved" in note or "CUDA call" in note for note in document["notes"])
    assert "only A recorded CUDA calls" in document["comparability"][0]


def test_graphs_whose_nodes_only_one_side_traces_are_not_compared() -> None:
    kernel = "  kernel k{0} 410-414 {1}-{2} as=cudaGraphLaunch node={3}"
    nodes = "\n".join(kernel.format(n, 420 + 60 * n, 475 + 60 * n, n + 1) for n in range(5))
    found = both(each_step("  graph 410-414 420-640"), each_step(nodes))
    assert found.verdict == "cannot_judge"
    assert "CUDA graphs are traced whole in A, node by node in B" in sentence(found)


def test_folders_of_digests_are_jobs(tmp_path: Path) -> None:
    """Two ranks a side, as digests: a difference is shown without a replay."""
    for name, text in (("a", loop(1)), ("b", loop(2, kernels=(150, 200, 150)))):
        (tmp_path / name).mkdir()
        for rank in (0, 1):
            write(capture(text), tmp_path / name / f"{rank}.digest")
    assert nsysql.compare(tmp_path / "a", tmp_path / "b").document()["verdict"] == "slower"


@pytest.mark.parametrize(
    ("fewer", "kernels", "verdicts"),
    [(1, (150, 200, 150), {"slower"}), (4, (102, 204, 153), {"no_difference_shown", "unclear"})],
)
def test_a_rank_with_fewer_steps_is_no_gain(
    fewer: int, kernels: tuple[int, ...], verdicts: set[str], tmp_path: Path
) -> None:
    sides = []
    for side, of, last in (("a", (100, 200, 150), 24), ("b", kernels, 24 - fewer)):
        (tmp_path / side).mkdir()
        for rank, steps in enumerate((24, last)):
            write(capture(loop(rank, steps, of)), tmp_path / side / f"{rank}.digest")
        sides.append(tmp_path / side)
    document = nsysql.compare(*sides).document()
    assert (document["unit"], document["verdict"] in verdicts) == ("step", True), document["sentence"]


def marked(seed: int, steps: int = 40, kernels: tuple[int, ...] = (100, 200, 150), **kinds: Any) -> str:
    """Steps that a range marks; `longer` is the factor of step i, and `evaluates` how many more kernels it launches."""
    longer, evaluates = kinds.get("longer", lambda step: 1), kinds.get("evaluates", lambda step: 0)
    chance = random.Random(seed)
    lines, time = ["at 0", "  memset 0-5 10-20 bytes=4000"], 100.0
    for step in range(steps):
        lines.append(f"at {time:.3f}")
        every = [*((f"k{n}", ns) for n, ns in enumerate(kernels)), *((f"e{n % 3}", 100) for n in range(30))]
        end, some = 10.0, every[: len(kernels) + evaluates(step)]
        for number, (name, usual) in enumerate(some):
            start, end = end, end + usual * longer(step) * (1 + chance.gauss(0, 0.01))
            lines.append(f'  kernel "{name}(float *)" {5 * number}-{5 * number + 4} {start:.3f}-{end:.3f}')
        lines += [f"  call cudaStreamSynchronize 180-{end + 8:.3f}", f"  range train_step 0-{end + 9:.3f}"]
        time += end + 30
    return "\n".join(lines)


@pytest.mark.parametrize(("kernels", "verdict"), [((100, 200, 150), "no_difference_shown"), ((70, 200, 150), "faster")])
def test_evaluations_of_one_side_are_left_out(kernels: tuple[int, ...], verdict: str) -> None:
    """Every tenth step of B evaluates as well: its usual steps are compared with those of A."""
    evaluating = marked(2, kernels=kernels, evaluates=lambda step: 30 * (step % 10 == 9))
    found = both(marked(1), evaluating)
    assert (found.per, found.samples, found.verdict) == ("step", (40, 36), verdict)
    left_out = "Left out: 4 of 40 steps of B, such as evaluations: 33 GPU operations"
    assert any(note.startswith(left_out) for note in notes(found))
    back = both(evaluating, marked(1))
    assert back.delta_ns == -found.delta_ns


def test_steps_of_which_half_evaluate_are_not_usual() -> None:
    found = both(marked(1), marked(2, evaluates=lambda step: 30 * (step % 2)))
    assert found.per != "step" and not any(note.startswith("Left out") for note in notes(found))


def test_of_three_kinds_of_steps_none_is_usual() -> None:
    found = both(marked(1, evaluates=lambda step: 5), marked(2, evaluates=lambda step: (5, 30, 0)[step % 3]))
    assert found.per != "step" and not any(note.startswith("Left out") for note in notes(found))


def test_a_slow_phase_is_not_the_whole() -> None:
    found = both(marked(1, 50), marked(2, 50, longer=lambda step: 5 if step < 15 else 1))
    assert sentence(found).startswith("SLOWER in the first 15 of 50 steps: the median takes")
    assert sentence(both(marked(1, 50), marked(2, 50, longer=lambda step: 2))).startswith("SLOWER: a step")


@pytest.mark.parametrize("steps", [40, 25])
def test_fewer_steps_hide_no_change_of_a_few_percent(steps: int) -> None:
    assert both(marked(1), marked(2, steps, kernels=(100, 240, 150))).verdict == "slower"
    assert both(marked(1), marked(2, steps)).verdict == "no_difference_shown"


def test_idle_time_before_marked_steps_hides_none() -> None:
    """Steps are all work but for 20 ms of start-up, as usual in short captures; one side has one more."""
    marked = (
        re.sub(r"(?m)^at (?!0$)(.*)$", r'at \1\n  range "step #" 0-460', loop(1, steps, late=20_000))
        for steps in (12, 11)
    )
    assert both(*marked).per == "step"


def test_small_changes_are_named_if_there_are_no_others() -> None:
    (_, changed, *_), rest = page(both(marked(1), marked(2)), None).sections, "other"
    assert len([row for row in changed.rows if rest not in str(row[0])]) > 1


def of_two(first: str, second: str) -> str:
    """Both programs, the second as another process on GPU 1."""
    line = re.compile(r"^(  (?:kernel|call|memset) .*)$", re.MULTILINE)
    return "\n".join((first, line.sub(r"\1 process=701 thread=701 gpu=1", second)))


def test_steps_of_ranks_that_differ_by_a_launch_are_one_unit() -> None:
    """Rank 1 launches one kernel more in each step, and takes longer in B."""
    usual = tuple(range(60, 180, 10))
    a, b = (of_two(loop(1, kernels=usual), loop(2, kernels=(*(time * longer // 10 for time in usual), 5)))
            for longer in (10, 13))  # fmt: skip
    compared = both(a, b)
    assert compared.per == "step" and len(compared.a.units[0].gpus) == 2
    assert any(note.startswith("GPU 1 alone") for note in notes(compared))


def test_two_programs_on_two_gpus_do_not_wait_for_each_other() -> None:
    def of_both(factor: int) -> str:
        return of_two(loop(1), loop(2, kernels=(100, 200 * factor, 150)))

    (said,) = [note for note in notes(both(of_both(1), of_both(2))) if note.startswith("GPU 1 alone")]
    assert "they wait for it" not in said


@pytest.mark.parametrize(("late", "is_said"), [(0, True), (500_000, False)])
def test_kernels_explain_no_change_that_the_steps_lack(late: int, is_said: bool, tmp_path: Path) -> None:
    """The kernels of B are shorter, but its whole run gets longer by a pause before the steps."""
    paths = [drawn("run", text).write(tmp_path / f"{name}.sqlite")
             for name, text in (("a", loop(1)), ("b", loop(2, kernels=(70, 140, 105), late=late)))]  # fmt: skip
    document = nsysql.compare(*paths).document()
    assert document["verdict"] == "faster"
    assert any(note.startswith("Kernels and copies explain") for note in document["notes"]) == is_said


def test_a_range_within_another_one_is_on_both_sides() -> None:
    kernel = "  range train_step 0-600\n  range forward 2-300\n  kernel k0 310-314 320-420"
    found = both(each_step(kernel), each_step(f"{kernel}\n  range autocast 1-400"))
    assert not any("NVTX range forward" in note for note in notes(found))


def test_findings_are_not_gone_if_they_were_not_recorded(monkeypatch: pytest.MonkeyPatch) -> None:
    """The clock falls in both, but only A has GPU metrics that show it."""
    monkeypatch.setattr(gather, "find", find)
    metric = '\n  metric "GPC Clock Frequency [MHz]"={}000000 "SMs Active [Throughput %]"=90 550'
    lines = ['gpu "NVIDIA A100-SXM4-40GB" 8.0 108']
    time = 0
    for step in range(60):
        dur, clock = (95, 1410) if step < 30 else (123, 1095)
        lines.append(f"at {time}\n  kernel a 0-3 500-{500 + dur}{metric.format(clock)}")
        time += dur + 5
    a = "\n".join(lines)
    b = "\n".join(line for line in a.splitlines() if "metric" not in line)
    shown = str(page(both(a, b), None))
    assert "only A recorded GPU metrics" in shown and "Findings gone" not in shown


@pytest.mark.parametrize(("kernels", "verdicts"), [((100, 200, 150), ("no_difference_shown",) * 2),
                                                   ((150, 260, 195), ("slower", "faster"))])  # fmt: skip
def test_swapped_sides_swap_the_verdict_if_one_marks_its_steps(
    kernels: tuple[int, ...], verdicts: tuple[str, str]
) -> None:
    """B has fewer steps, which nothing marks."""
    a, b = marked(1), loop(2, 25, kernels, host=22)
    assert (both(a, b).verdict, both(b, a).verdict) == verdicts


def test_one_capture_that_differs_is_an_outlier(tmp_path: Path) -> None:
    captures = []
    for seed in range(6):
        kernels = (300, 600, 450) if seed == 4 else (100, 200, 150)
        captures.append(write(capture(loop(seed, kernels=kernels)), tmp_path / f"{seed}.digest"))
    document = nsysql.compare(captures[:3], captures[3:]).document()
    assert document["verdict"] == "no_difference_shown" and "steps make the mean" not in document["sentence"]
    assert any(note.startswith("Capture 2 of B is an outlier: 1.4") for note in document["notes"])


def test_times_of_different_units_have_no_ratio() -> None:
    """Steps get longer over the run, and B has half as many: the whole work is another amount."""
    said = sentence(both(marked(1, longer=lambda i: 1 + i / 40), marked(2, 20, longer=lambda i: 1 + i / 40)))
    assert said.startswith("CANNOT JUDGE: the whole work takes") and "less time" not in said
