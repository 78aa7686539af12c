"""Comparisons: units that are the same, sums that are exact, and verdicts only if the evidence allows them."""

import gzip
import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from captures import FACTS, made, on_cpu, steps

from nsysql.analysis.compare import main_change, sentences
from nsysql.analysis.compare.compare import (
    CANNOT_JUDGE,
    FASTER,
    NO_DIFFERENCE,
    SLOWER,
    UNCLEAR,
    Comparison,
    Options,
    compared,
)
from nsysql.analysis.compare.conditions import judged, read_condition
from nsysql.analysis.compare.job import together
from nsysql.analysis.compare.matching import Names, matched, replaced
from nsysql.analysis.compare.noise import standard_error, t_quantile
from nsysql.analysis.compare.unit import rank_correlation
from nsysql.analysis.digest import STEP, WORK, Account, Device, Digest, Finding, GpuTime, Shape, Total, Unit
from nsysql.analysis.digest_file import KIND, _text, read, text_of
from nsysql.errors import MissingData, NotAnExport, UsageError
from nsysql.pages.compare import document, page

OTHER_GPU = replace(FACTS, devices=(Device(0, "A100", 108, 1_410_000_000),))
TRACED = replace(FACTS, traces=("CPU samples",))
COMPUTING = ("computing", "gemm")
HOST = ("idle", "host_code")


def compare(a: Digest | list[Digest], b: Digest | list[Digest], **options: object) -> Comparison:
    sides = [side if isinstance(side, list) else [side] for side in (a, b)]
    return compared(*sides, Options(**options))  # type: ignore[arg-type]


def noisy(mean: float, count: int, seed: int, spread: float = 0.01) -> list[int]:
    return [round(n) for n in np.random.default_rng(seed).normal(mean, spread * mean, count)]


def resized(capture: Digest, factor: float) -> Digest:
    """All kernels of all units by a factor."""

    def longer(account: Any) -> Any:
        times = tuple(round(ns * factor) for ns in account.ns)
        return replace(account, ns=times) if account.kind == "computing" else account

    units = []
    for unit in capture.units:
        gpus = tuple(replace(gpu, accounts=tuple(map(longer, gpu.accounts))) for gpu in unit.gpus)
        units.append(replace(unit, gpus=gpus))
    return replace(capture, units=tuple(units))


# Verdicts -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("a", "b", "word"),
    [
        (steps(1_000), steps(1_300), SLOWER),
        (steps(1_300), steps(1_000), FASTER),
        (steps(1_000), steps(1_020), NO_DIFFERENCE),  # certain in these captures; runs differ by as much
        (steps(1_000), steps(1_002, spread=400), NO_DIFFERENCE),
        (steps(1_000), steps(1_000), NO_DIFFERENCE),
        (made({COMPUTING: [1_000]}), made({COMPUTING: [1_100]}), NO_DIFFERENCE),  # one launch: 5 % between runs
        (made({COMPUTING: [1_000]}), made({COMPUTING: [2_000]}), SLOWER),
        (made({COMPUTING: [9]}), made({COMPUTING: [90]}), CANNOT_JUDGE),  # under 1 ms of GPU work
        (steps(1_000, count=4), steps(2_000, count=4), CANNOT_JUDGE),  # too few steps
        (steps(1_000), replace(steps(1_300), facts=OTHER_GPU), CANNOT_JUDGE),
        (steps(1_000), replace(steps(1_300), facts=TRACED), SLOWER),  # the GPU is always busy: tracing costs nothing
        (
            steps(1_000, kind="idle", name="host_code"),
            replace(steps(1_900, kind="idle", name="host_code"), facts=TRACED),
            CANNOT_JUDGE,
        ),
    ],
)
def test_a_verdict_needs_evidence(a: Digest, b: Digest, word: str) -> None:
    assert compare(a, b).verdict == word


def test_captures_are_the_samples_from_three_a_side_on() -> None:
    a = [steps(mean) for mean in (1_000, 1_003, 1_001)]
    b = [steps(mean) for mean in (1_020, 1_022, 1_021)]
    found = compare(a, b)
    assert (found.samples, found.are_captures, found.verdict) == ((3, 3), True, SLOWER)
    assert compare(a[:2], b[:2]).verdict == NO_DIFFERENCE
    scattered = [steps(mean) for mean in (1_000, 1_060, 960)]
    assert compare(scattered, b).verdict == NO_DIFFERENCE


def test_the_user_sets_the_noise_and_the_threshold() -> None:
    pair = steps(1_000), steps(1_020)
    assert compare(*pair, run_noise=0.002).verdict == SLOWER
    assert compare(*pair, run_noise=0.002, threshold=0.06).verdict == NO_DIFFERENCE
    assert compare(steps(1_000), steps(1_100), run_noise=0.1).verdict == NO_DIFFERENCE


def test_an_account_can_be_certain_where_the_unit_is_not() -> None:
    noise = [4_000 + (i * 7919 % 4001) for i in range(40)]
    a = made({("cpu", "forward"): [1_000 + i % 5 for i in range(40)], ("cpu", "exchange"): noise})
    b = made({("cpu", "forward"): [500 + i % 5 for i in range(40)], ("cpu", "exchange"): noise[::-1]})
    found = compare(a, b)
    assert found.verdict == NO_DIFFERENCE
    assert [account.name for account in found.accounts if account.is_certain] == ["forward"]
    assert "Beyond noise by itself: CPU time: forward -2.000 s." in [*sentences.notes(found)]


def test_the_interval_holds_the_difference_that_was_drawn() -> None:
    low, high = compare(steps(1_000), steps(1_300)).interval_pct or (0.0, 0.0)
    assert low < 30 < high
    assert high - low < 8


def test_one_kernel_a_tenth_longer_is_named_alone() -> None:
    kernels = {("computing", f"k{i}"): noisy(200, 60, i) for i in range(5)}
    slow = {**kernels, ("computing", "k3"): [round(1.1 * n) for n in kernels["computing", "k3"]]}
    found = compare(made(kernels), made(slow))
    assert [(a.name, a.is_certain) for a in found.accounts if a.delta_ns] == [("k3", True)]
    assert found.delta_ns == found.accounts[0].delta_ns


def test_one_step_in_ten_longer_is_seen_in_the_slow_steps() -> None:
    times = noisy(1_000, 200, 1, 0.002)
    slow = [round(1.05 * n) if i % 10 == 3 else n for i, n in enumerate(times)]
    found = compare(made({COMPUTING: times}), made({COMPUTING: slow}))
    assert 100 * (found.change or 0) == pytest.approx(0.5, abs=0.01)
    assert found.verdict == NO_DIFFERENCE
    assert "95th percentile" in (main_change.spread(found) or "")


def test_a_constant_factor_comes_back() -> None:
    a = made({COMPUTING: noisy(1_000, 80, 2), ("idle", "host_code"): [50] * 80})
    found = compare(a, resized(a, 1.07))
    assert [a.name for a in found.accounts if a.delta_ns] == ["gemm"]
    assert float(found.b_ns - 5_000_000) / float(found.a_ns - 5_000_000) == pytest.approx(1.07, abs=1e-6)
    assert found.verdict == SLOWER


def test_halves_of_one_series_get_no_word() -> None:
    words = []
    for seed in range(200):
        times = noisy(1_000, 120, seed, 0.05)
        words.append(compare(made({COMPUTING: times[:60]}), made({COMPUTING: times[60:]})).verdict)
    assert words.count(FASTER) + words.count(SLOWER) <= 2


# Units --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "words", "verdict"),
    [
        ({"launches": {"gemm": 5}}, "launches 1 pieces of GPU work, of B 5", SLOWER),  # as many launches in all
        ({"launches": {"other": 1}}, "launch different kernels", CANNOT_JUDGE),
        ({"found_by": "nvtx", "name": "layer #", "launches": {"other": 1}}, "of B layer #", CANNOT_JUDGE),
    ],
)
def test_other_steps_are_not_compared(change: dict[str, Any], words: str, verdict: str) -> None:
    a = made({COMPUTING: noisy(1_000, 100, 1)})
    found = compare(a, made({COMPUTING: noisy(7_000, 20, 2)}, **change))
    assert (found.per, found.verdict) == ("work", verdict)
    assert ("nothing shows that both do the same" in sentences.sentence(found)) == (verdict == CANNOT_JUDGE)
    assert found.change == pytest.approx(0.4, abs=0.01)  # 100 x 1,000 against 20 x 7,000
    assert found.reasons[0].startswith("Not per step: ") and words in found.reasons[0]
    assert compare(a, made({COMPUTING: [7_000] * 20}, **change), per=STEP).verdict == CANNOT_JUDGE


def test_marked_steps_of_other_launches_are_told_without_a_verdict() -> None:
    """As after fusing kernels: a step takes less time, and the whole work more as it has more steps."""
    marked: Any = {"found_by": "nvtx", "name": "step #"}
    a = made({COMPUTING: noisy(1_000, 24, 1)}, **marked, launches={"a": 3, "b": 3})
    found = compare(a, made({COMPUTING: noisy(800, 40, 2)}, **marked, launches={"fused": 2}))
    assert (found.per, found.verdict) == (STEP, CANNOT_JUDGE)
    assert "% less time" in (told := sentences.sentence(found)) and "launches 6 pieces of GPU work, of B 2" in told
    assert (found.work and found.work.verdict) == CANNOT_JUDGE
    assert not [note for note in sentences.notes(found) if note.startswith(("Mostly", "Cost moved"))]
    unfair = compare(replace(a, facts=OTHER_GPU), made({COMPUTING: noisy(800, 40, 2)}, **marked, launches={"fused": 2}))
    assert "A step of A launches 6 pieces of GPU work, of B 2." in [*sentences.notes(unfair)]


def test_steps_of_one_nvtx_name_are_one_unit_and_their_number_may_differ() -> None:
    a = made({COMPUTING: noisy(1_000, 100, 1)}, found_by="nvtx", name="step #")
    b = made({COMPUTING: noisy(900, 150, 2)}, found_by="nvtx", name="step #", launches={"fused": 1})
    assert (compare(a, b).per, compare(a, b).verdict) == ("step", FASTER)


def test_warm_up_is_short_and_a_trend_is_paired() -> None:
    warm = made({COMPUTING: [5_000, *noisy(1_000, 99, 1)]}, warm_up=1)
    assert compare(warm, steps(1_000)).a.steps == 99
    falling = [2_000 - 10 * i for i in range(100)]
    a, b = made({COMPUTING: falling}), made({COMPUTING: [round(0.95 * n) for n in falling]})
    found = compare(a, b)
    assert (found.is_paired, found.a.steps, found.verdict) == (True, 100, FASTER)
    low, high = found.interval_pct or (0.0, 0.0)
    assert low < -5 < high and high - low < 8  # a bootstrap of steps would have the trend in it
    shorter = made({COMPUTING: falling[:80]})
    assert compare(a, shorter).per == "work"


def test_two_measures_that_disagree_are_unclear() -> None:
    a, b = made({COMPUTING: noisy(1_000, 100, 1)}), made({COMPUTING: noisy(900, 120, 2)})
    found = compare(a, b)
    assert found.verdict == UNCLEAR
    words = "the whole work changed with the number of steps, 100 in A and 120 in B"
    assert words in sentences.sentence(found)
    assert "the whole work changed otherwise" in sentences.sentence(compare(a, with_idle_beside(b)))


def with_idle_beside(capture: Digest) -> Digest:
    """The whole work takes half as long again, in no step."""
    work = next(unit for unit in capture.units if unit.kind == WORK)
    return with_kernel_beside(capture, sum(sum(a.ns) for a in work.gpus[0].accounts) // 2)


def with_kernel_beside(capture: Digest, ns: int) -> Digest:
    """The whole work takes this much longer, in no step."""
    work = next(unit for unit in capture.units if unit.kind == WORK)
    beside = Account("computing", "beside", (ns,), (1,))
    other = replace(work, gpus=(GpuTime(0, (*work.gpus[0].accounts, beside)),))
    return replace(capture, units=tuple(other if unit is work else unit for unit in capture.units))


@pytest.mark.parametrize(("threads", "verdict"), [(512, FASTER), (1_024, UNCLEAR)])
def test_what_is_between_equal_steps_counts(threads: int, verdict: str) -> None:
    """A checkpoint in every tenth step of A: those steps are none of the series, whose steps take as long."""

    def drawn(seed: int, of: int) -> Digest:
        one = made({COMPUTING: noisy(1_000, 100, seed)})
        return replace(one, shapes=(Shape("gemm", "1", "1", None, 100, of * 100),))

    found = compare(with_idle_beside(drawn(1, 512)), drawn(2, threads))
    assert found.verdict == verdict
    assert ("not what is between steps" in " ".join(found.reasons)) == (verdict == FASTER)


def test_steps_that_end_elsewhere_are_compared_from_first_to_last_work() -> None:
    """Marked steps in A, found by launches in B, which contain the idle time that is outside of A's."""
    b = made({COMPUTING: [100] * 400, HOST: [10] * 400}, launches={"k": 1}, name="1 launches")
    marked = made({COMPUTING: [1_000] * 40}, found_by="nvtx", name="level", launches={"k": 10})
    work, *rest = with_outside(marked, 400_000_000).units
    a = replace(marked, units=(work, b.units[0], *rest[1:]))
    for found in (compare(a, b), compare(b, a)):
        assert (found.per, found.verdict, found.outside_ns) == ("work", NO_DIFFERENCE, None)
        assert found.a_ns == found.b_ns == 44 * 10**8


def test_two_measures_of_one_sign_have_a_direction() -> None:
    """As many steps take 15 % less time, and the whole work, half of which is in no step, 10 % less."""
    a, b = (made({COMPUTING: noisy(mean, 100, mean)}) for mean in (1_000, 850))
    found = compare(with_idle_beside(a), with_kernel_beside(b, 500 * 100 * 100_000))
    assert (found.per, found.verdict) == ("work", FASTER)
    low, high = found.interval_pct or (0, 0)
    assert low < -15 and -10 < high < 0
    slight = compare(
        made({COMPUTING: noisy(1_000, 100, 1)}), with_kernel_beside(made({COMPUTING: noisy(1_000, 100, 2)}), 10**7)
    )
    assert slight.verdict == NO_DIFFERENCE


def test_noise_has_no_main_part() -> None:
    found = compare(steps(1_000), steps(1_002, spread=400))
    assert found.verdict == NO_DIFFERENCE and found.delta_ns
    assert not any(note.startswith("Mostly") for note in sentences.notes(found))


def test_loops_of_other_names_are_not_compared_without_gpu_work() -> None:
    found = compare(on_cpu({"step": noisy(1_000, 50, 1)}), on_cpu({"load": noisy(500, 50, 2)}, "load"))
    assert (found.verdict, found.per) == (CANNOT_JUDGE, "work")
    assert "steps of A are step, of B load" in sentences.sentence(found)


def test_phases_tell_that_steps_are_the_same() -> None:
    """Three times the frames in A: each has one of the same phases, so the whole work says nothing."""

    def drawn(mean: int, count: int) -> Digest:
        one = on_cpu({"load": noisy(mean, count, 1), "find": noisy(mean, count, 2)}, "load")
        return replace(one, units=tuple(replace(unit, found_by="phases") for unit in one.units))

    found = compare(drawn(1_000, 150), drawn(600, 50))
    assert (found.per, found.verdict) == (STEP, FASTER)
    assert (found.interval_pct or (0, 0))[0] > -50


def test_a_marked_step_of_several_batches_is_no_step_of_one() -> None:
    """The names are equal; ranges within, or else the whole work, tell that B's step is eight of A's."""
    a, b = ({"step": noisy(1_000, 800, 1)}, {"step": noisy(8_000, 100, 2)})
    assert compare(on_cpu(a), on_cpu(b)).verdict == UNCLEAR
    ours = on_cpu({**a, "step > batch": [1] * 800})
    theirs = on_cpu({**b, "step > batch": [1] * 100})
    step = theirs.units[-1]
    accounts = tuple(replace(one, counts=(8,) * 100) if "batch" in one.name else one for one in step.gpus[0].accounts)
    eight = replace(step, gpus=(replace(step.gpus[0], accounts=accounts),))
    found = compare(ours, replace(theirs, units=(*theirs.units[:-1], eight)))
    assert (found.per, found.verdict) == ("work", NO_DIFFERENCE)
    assert found.reasons == ("Not per step: a step of A has 1 ranges of names that both have, of B 8.",)
    fewer = compare(on_cpu({**a, "step > batch": [1] * 800}), on_cpu({"step": [500] * 100, "step > batch": [1] * 100}))
    assert (fewer.per, fewer.verdict) == ("step", FASTER)


def test_a_marked_step_with_half_the_threads_is_no_gain() -> None:
    def drawn(ns: int, count: int, threads: int) -> Digest:
        one = made({COMPUTING: noisy(ns, count, count)}, found_by="nvtx", name="step")
        return replace(one, shapes=(Shape("gemm", "1", "1", None, count, threads * count),))

    assert compare(drawn(1_000, 100, 512), drawn(500, 200, 512)).verdict == FASTER
    assert compare(drawn(1_000, 100, 512), drawn(500, 200, 256)).verdict == UNCLEAR


def test_ranges_of_a_name_are_a_unit_if_they_are_for_the_same_work() -> None:
    def drawn(ns: int, count: int, launches: int) -> Digest:
        one = made({COMPUTING: [1] * 10}, launches={"gemm": launches})
        accounts = (Account("cpu", "forward", (100_000 * ns,) * count, (1,) * count),)
        unit = Unit("forward", (1,) * count, (GpuTime(None, accounts),), found_by="named", name="forward")
        return replace(one, units=(*one.units, unit))

    cut = compare(drawn(1_000, 10, 80), drawn(125, 80, 80), per="forward")
    assert (cut.verdict, cut.is_same) == (CANNOT_JUDGE, False)
    assert "A has 10 ranges forward, B 80" in sentences.sentence(cut)
    assert compare(drawn(1_000, 10, 80), drawn(500, 20, 160), per="forward").verdict == FASTER
    assert compare(drawn(1_000, 100, 80), drawn(500, 100, 40), per="forward").verdict == FASTER


def test_a_capture_that_was_cut_is_no_gain() -> None:
    """Steps with a trend of which one side has half; other whole works are told by threads."""
    falling = [2_000 - 10 * i for i in range(100)]
    for found_by in ("nvtx", "launches"):
        found = compare(*(made({COMPUTING: falling[:count]}, found_by=found_by, name="level") for count in (100, 50)))
        assert (found.per, found.verdict) == ("work", CANNOT_JUDGE)
        assert "steps change over the run, and A and B have different numbers" in sentences.sentence(found)
    few = compare(*(made({COMPUTING: [ns * of // 10 for ns in falling[:n]]}) for n, of in ((100, 10), (95, 7))))
    assert (few.per, few.verdict) == ("work", FASTER)
    whole, cut = made({COMPUTING: [100_000]}), made({COMPUTING: [4_000]})
    for threads, verdict in ((1_000, FASTER), (90, CANNOT_JUDGE)):
        ours, theirs = ((Shape("gemm", "1", "1", None, 1, of),) for of in (1_000, threads))
        assert compare(replace(whole, shapes=ours), replace(cut, shapes=theirs)).verdict == verdict
    copies = replace(made({("copy", "Host-to-Device"): [4_000]}), shapes=())
    none = compare(replace(whole, shapes=ours), copies)
    assert none.verdict == CANNOT_JUDGE and "only one side has kernels" in sentences.sentence(none)


def test_a_copy_that_few_steps_have_is_not_the_steps() -> None:
    def drawn(count: int) -> Digest:
        one = made({COMPUTING: [100] * count})
        step = one.units[-1]
        copies = (*step.launches, Total("memcpy", "Host-to-Device", 32, 8))
        return replace(one, units=(*one.units[:-1], replace(step, launches=copies)))

    assert compare(drawn(200), drawn(250)).per == "step"


def test_one_capture_given_three_times_is_one() -> None:
    found = compare([steps(1_000)] * 3, [steps(1_020)] * 3)
    assert (found.verdict, found.are_captures) == (NO_DIFFERENCE, False)


def test_where_step_and_whole_work_differ_the_interval_holds_both() -> None:
    found = compare(made({COMPUTING: noisy(1_000, 200, 1)}), made({COMPUTING: noisy(750, 100, 2)}))
    assert (found.per, found.verdict) == ("work", FASTER)
    low, high = found.interval_pct or (0, 0)
    assert low < -62.5 and high > -25
    assert any(note.startswith("A step: ") and "25." in note for note in sentences.notes(found))


def test_a_gpu_that_one_side_does_not_name_is_not_fair() -> None:
    unnamed = replace(FACTS, devices=(Device(0, None, None, None),))
    a, b = steps(1_000), replace(steps(700), facts=unnamed)
    assert compare(a, b).verdict == compare(b, a).verdict == CANNOT_JUDGE
    assert compare(replace(a, facts=unnamed), b).verdict == FASTER


def test_families_of_host_code_are_told_by_samples() -> None:
    def drawn(mean: int, mpi: int, own: int) -> Digest:
        one = made({COMPUTING: noisy(mean, 50, mean), HOST: [20] * 50})
        sampled = (
            Total("MPI and UCX", "ucp_progress", 1_000_000 * mpi, mpi),
            Total("program", "f", 1_000_000 * own, own),
        )
        return replace(one, units=tuple(replace(unit, samples=sampled) for unit in one.units))

    said = "Host code by CPU samples: MPI and UCX 4.400 ms -> 22.80 ms."
    found = compare(drawn(50, 220, 900), drawn(51, 1_140, 910))
    assert [note for note in sentences.notes(found) if "CPU samples" in note] == [said]
    assert document(found)["functions"][0] == {
        "kind": "MPI and UCX", "name": "ucp_progress", "a_ns": 4_400_000, "b_ns": 22_800_000, "a_count": 4.4,
        "b_count": 22.8,
    }  # fmt: skip
    by_chance = compare(drawn(50, 2, 900), drawn(51, 9, 900))
    assert not any("CPU samples" in note for note in sentences.notes(by_chance))


def test_ranges_that_only_one_side_divides_are_inclusive() -> None:
    a = on_cpu({"step": [100] * 50, "step > forward": [300] * 50, "step > data": [50] * 50})
    b = on_cpu({
        "step": [100] * 50, "step > forward": [10] * 50, "step > forward > attention": [90] * 50,
        "step > forward > mlp > gemm": [100] * 50, "step > data": [20] * 50, "step > data > read": [10] * 50,
    })  # fmt: skip
    found, back = compare(a, b), compare(b, a)
    accounts = {account.name: (account.a_ns, account.b_ns, account.title) for account in found.accounts}
    assert accounts == {
        "step": (10_000_000, 10_000_000, "step"), "step > forward": (30_000_000, 20_000_000, "forward"),
        "step > data": (5_000_000, 3_000_000, "data"),
    }  # fmt: skip
    assert found.delta_ns == -back.delta_ns == -12_000_000
    assert {account.matched_by for account in found.accounts} == {"name"}
    assert [remark.text for remark in found.remarks] == ["With the ranges within, which only B has: data, forward."]


def test_slices_of_running_programs_have_rates_only() -> None:
    slices = [
        replace(steps(n, count), facts=replace(FACTS, duration_ns=10_050_000_000))
        for n, count in ((1_000, 100), (800, 125))
    ]
    assert compare(*slices).verdict == FASTER
    other = replace(slices[1], units=slices[1].units[:2])
    assert compare(slices[0], other).verdict == CANNOT_JUDGE


def test_a_mean_of_one_sign_in_both_measures_is_told_with_an_interval_around_both() -> None:
    found = compare(made({COMPUTING: noisy(1_000, 100, 1)}), made({COMPUTING: noisy(200, 300, 2)}))
    assert (found.per, found.verdict) == ("work", FASTER)


# Sentences ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("b", "words"),
    [
        (1_300, "30.0% more time, 1.30x"),
        (800, "20.0% less time, 1.25x"),
        (3_600, "3.6 times as long"),
        (250, "less time, 4x"),
    ],
)
def test_the_sentence_has_both_times_and_the_ratio(b: int, words: str) -> None:
    text = sentences.sentence(compare(steps(1_000, spread=0), steps(b, spread=0)))
    assert words in text and "100.0 ms" in text


def test_the_notes_name_the_main_change_and_the_largest_opposite_one() -> None:
    a = made({COMPUTING: [700] * 20, ("idle", "os_wait_io"): [300 + i % 3 for i in range(20)]})
    b = made({COMPUTING: [750] * 20, ("idle", "os_wait_io"): [100 + i % 3 for i in range(20)]})
    text = " ".join(sentences.notes(compare(a, b)))
    assert "Mostly idle time: os_wait_io -20.00 ms of -15.00 ms, against kernels: gemm +5.000 ms." in text
    assert "One capture a side shows nothing below" in text
    late = made({COMPUTING: [700] * 20, ("idle", "os_wait_io"): [400 + i % 3 for i in range(20)], HOST: [90] * 20})
    assert "Mostly idle time: os_wait_io +10.00 ms and idle time: host_code +9.000 ms of +19.00 ms." in " ".join(
        sentences.notes(compare(a, late))
    )
    assert [sentences.two_digits(share) for share in (0.0512, 3.14, 18.4, 102.4)] == ["0.051", "3.1", "18", "102"]


@pytest.mark.parametrize(("counts", "words"), [(2, ": more calls, not longer ones."), (1, ".")])
def test_more_calls_are_told_from_longer_ones(counts: int, words: str) -> None:
    a, b = (
        made({("computing", name): [100 * times] * 20 for name in "abc"}, counts=times if counts > 1 else 1)
        for times in (1, 2)
    )
    (text,) = [note for note in sentences.notes(compare(a, b)) if note.startswith("Mostly")]
    assert text == f"Mostly kernels: a +10.00 ms and 2 others by about as much, of +30.00 ms{words}"


def test_an_interval_without_zero_is_not_called_noise() -> None:
    a, b = (made({COMPUTING: noisy(mean, 30, mean, 0.1)}) for mean in (1_000, 1_068))
    found = compare(a, b, run_noise=0.0)
    assert found.verdict == NO_DIFFERENCE and (found.interval_pct or (0, 0))[0] > 0
    assert sentences.sentence(found).endswith("less sure than a verdict needs: 99%, and a change beyond the threshold.")


def test_two_kernels_of_a_sentence_have_two_names() -> None:
    a, b = (
        made({("computing", "void f<float, 4>(int)"): [first], ("computing", "void f<float, 2>(int)"): [second]})
        for first, second in ((700, 100), (100, 700))
    )
    (text,) = [note for note in sentences.notes(compare(a, b)) if note.startswith("Cost moved")]
    assert "f<float, 4>" in text and "f<float, 2>" in text
    assert text.endswith("where they overlap, time counts for the first.")


def test_kernels_in_the_place_of_others_are_one_change() -> None:
    """As after a compiler: five kernels become three that take as long; what got less is the idle time."""
    before = {("computing", name * 3): [400] * 30 for name in "abcde"} | {HOST: [900] * 30}
    after = {("computing", name * 3): [660] * 30 for name in "xyz"} | {HOST: [200] * 30}
    (mostly,) = [note for note in sentences.notes(compare(made(before), made(after))) if note.startswith("Mostly")]
    assert mostly.startswith("Mostly idle time: ") and "against" not in mostly
    faster = after | {key: [200] * 30 for key in after if key != HOST}
    found = compare(made(before), made(faster | {HOST: [900] * 30}))
    (mostly,) = [note for note in sentences.notes(found) if note.startswith("Mostly")]
    assert mostly.startswith("Mostly kernels that one side alone launches: aaa and 4 more in A, xxx and 2 more in B, -")


def test_a_large_change_that_several_undo_is_a_cost_that_moved() -> None:
    """Requests set the pace: three kernels get shorter, and the wait for the next request longer."""
    kernels = [("computing", name * 3) for name in "abc"]
    a, b = (made({**{key: [ns] * 30 for key in kernels}, HOST: [2_100 - 3 * ns] * 30}) for ns in (500, 300))
    assert (
        "Cost moved: idle time: host_code +60.00 ms against kernels: aaa -20.00 ms and 2 others, -60.00 ms in all."
        in [*sentences.notes(compare(a, b))]
    )


def test_another_number_of_steps_is_no_change_of_the_run() -> None:
    """Of marked steps: the header has their numbers."""
    a, b = (made({COMPUTING: noisy(1_000, n, n)}, found_by="nvtx", name="step #") for n in (40, 15))
    found = compare(a, b)
    assert (found.per, found.verdict) == (STEP, NO_DIFFERENCE)
    assert not [note for note in sentences.notes(found) if note.startswith("First to last CUDA call")]


def test_a_range_that_one_side_alone_has_is_named() -> None:
    def with_ranges(capture: Digest, **ns: int) -> Digest:
        ranges = tuple(Total("range", name, amount * 1_000_000, 4) for name, amount in ns.items())
        units = (replace(unit, ranges=ranges) if unit.kind == STEP else unit for unit in capture.units)
        return replace(capture, units=tuple(units))

    a, b = made({COMPUTING: noisy(1_000, 40, 1)}), made({COMPUTING: noisy(1_200, 40, 2)})
    plain, evaluates = with_ranges(a, step=4_000), with_ranges(b, step=4_000, evaluate=800, log=10)
    named = "NVTX range evaluate in B alone: 800.0 ms, 4 times in 40 steps."
    assert [note for note in sentences.notes(compare(plain, evaluates)) if note.startswith("NVTX")] == [named]
    assert named.replace("B alone", "A alone") in [*sentences.notes(compare(evaluates, plain))]
    assert not [note for note in sentences.notes(compare(a, evaluates)) if note.startswith("NVTX")]  # not recorded in A


@pytest.mark.parametrize(("top", "rows"), [(3, 3), (12, 7), (None, 9)])
def test_the_first_screen_has_no_more_accounts_than_asked_for(top: int | None, rows: int) -> None:
    kernels = [("computing", name * 3) for name in "abcdefghi"]
    a, b = (made({kernel: [times * 1_000] * 20 for kernel in kernels}) for times in (1, 2))
    (section,) = (s for s in page(compare(a, b), top).sections if s.title == "What changed")
    assert [row[0] for row in section.rows[rows:]] == [*([f"{9 - rows} others"] if rows < 9 else []), "total"]


def test_a_cost_that_moved_is_named_as_such() -> None:
    a = made({("lead_in", "cudaMalloc"): [107_000], ("computing", "k"): [5_000]})
    b = made({("lead_in", "cudaFree"): [109_800], ("computing", "k"): [4_000]})
    text = " ".join(sentences.notes(compare(a, b, per="window")))
    assert "Cost moved" in text and "cudaMalloc" in text and "cudaFree" in text


def test_a_run_that_got_longer_is_said_beside_faster_work() -> None:
    a = made({COMPUTING: [72_00]})
    b = made({COMPUTING: [19_00], ("lead_in", "cudaHostAlloc"): [14_000]})
    found = compare(a, b)
    assert found.verdict == FASTER
    assert "First to last CUDA call, which went the other way: 720.0 ms -> 1.590 s; cudaHostAlloc +1.400 s." in [
        *sentences.notes(found)
    ]


def with_outside(capture: Digest, outside_ns: int) -> Digest:
    """The capture with a whole work that is its window, and idle time outside of the steps."""
    work = replace(capture.units[0], kind="work", outside_ns=outside_ns)
    return replace(capture, units=(work, *capture.units))


@pytest.mark.parametrize(("outside_ns", "verdict"), [(2_000_000, FASTER), (1_200_000_000, UNCLEAR)])
def test_idle_time_that_moved_out_of_the_steps_is_no_gain(outside_ns: int, verdict: str) -> None:
    a = with_outside(made({COMPUTING: [72_00], HOST: [10_000]}), 2_000_000)
    b = with_outside(made({COMPUTING: [72_00]}), outside_ns)
    for found, word in ((compare(a, b), verdict), (compare(b, a), SLOWER if verdict == FASTER else UNCLEAR)):
        assert found.verdict == word
        assert ("but idle time outside of the steps changed" in sentences.sentence(found)) == (word == UNCLEAR)


@pytest.mark.parametrize(("grid", "verdict"), [("1", FASTER), ("256", CANNOT_JUDGE)])
def test_a_kernel_in_blocks_of_another_size_is_the_same_work(grid: str, verdict: str) -> None:
    """As in a loop over the data with one thread, then with 256; with another grid the data can be others."""
    sides = (("1", "1", 1, 100_000), (grid, "256", 256, 4_000))
    ours, theirs = (
        replace(made({COMPUTING: [ns]}), shapes=(Shape("add", of, block, None, 1, threads),))
        for of, block, threads, ns in sides
    )
    assert compare(ours, theirs).verdict == verdict


def test_threads_tell_another_amount_of_work() -> None:
    shape = Shape("gemm", "1 x 1 x 1", "64 x 1 x 1", 50.0, 1, 640_000)
    a, b = (
        replace(steps(n), shapes=(replace(shape, threads=threads),))
        for n, threads in ((1_000, 64_000), (1_300, 6_400_000))
    )
    found = compare(a, b)
    assert any("B launches 100 times as many threads as A" in remark.text for remark in found.remarks)
    assert judged(found, read_condition("period > 3%"), force=False).outcome == "cannot"
    assert judged(found, read_condition("period > 3%"), force=True).outcome == "fails"


def test_as_many_times_the_threads_and_the_bytes_are_as_many_times_the_work() -> None:
    """A batch twice as large, in steps that copy twice as much."""

    def drawn(times: int) -> Digest:
        one = made({COMPUTING: noisy(1_000 * times, 40, times), ("copy", "up"): [10 * times] * 40})
        copied = Total("memcpy", "up", 40 * 4_000_000 * times, 40)
        units = tuple(replace(unit, launches=(*unit.launches, copied)) for unit in one.units)
        return replace(one, units=units, shapes=(Shape("gemm", "1", "1", None, 40, 40 * 512 * times),))

    found = compare(drawn(1), drawn(2))
    assert (found.per, found.verdict) == (WORK, CANNOT_JUDGE)
    assert "B launches 2 times as many threads as A: another amount of work" in sentences.sentence(found)
    assert len([note for note in sentences.notes(found) if "copies" in note]) == 1


@pytest.mark.parametrize(("halved", "verdict"), [("abcd", CANNOT_JUDGE), ("a", FASTER)])
def test_half_the_threads_in_nearly_all_kernels_are_half_the_work(halved: str, verdict: str) -> None:
    """Twice as many steps with half the batch in a capture that is as long; one kernel alone has another mapping."""

    def drawn(count: int, half: str) -> Digest:
        names = [("computing", name) for name in "abcd"]
        one = made({key: noisy(250 // (1 + (key[1] in half)), count, count) for key in names})
        shapes = (Shape(name, "1", "1", None, count, 512 * count // (1 + (name in half))) for name in "abcd")
        return replace(one, shapes=tuple(shapes), facts=replace(FACTS, duration_ns=count * 10**8 // (1 + (count > 40))))

    found = compare(drawn(40, ""), drawn(80, halved))
    assert (found.per, found.verdict) == (STEP, verdict)
    assert ("B launches 0.5 times as many threads as A: another amount" in sentences.sentence(found)) == (
        verdict == CANNOT_JUDGE
    )


def test_steps_that_fill_one_side_only_are_compared_all_the_same() -> None:
    """B tunes for longer than its steps take: the steps are as long as before, and the whole work says nothing."""
    a, b = (
        made({COMPUTING: noisy(1_000, 40, 1)}, found_by="nvtx", name="step"),
        with_idle_beside(made({COMPUTING: noisy(1_000, 40, 2)}, found_by="nvtx", name="step")),
    )
    few = tuple(replace(unit, work_share=0.2) if unit.kind == STEP else unit for unit in b.units)
    found = compare(a, replace(b, units=few))
    assert (found.per, found.verdict) == (STEP, UNCLEAR)
    assert "a step takes 100" in sentences.sentence(found) and "the whole work changed" in sentences.sentence(found)
    less = tuple(replace(unit, work_share=0.2) if unit.kind == STEP else unit for unit in a.units)
    assert compare(replace(a, units=less), replace(b, units=few)).per == WORK


@pytest.mark.parametrize("count", [40, 43])
def test_a_warm_up_that_one_side_lacks_is_not_in_the_steps(count: int) -> None:
    """Three long first steps in B only: in addition to A's steps, or among as many."""
    a = made({COMPUTING: noisy(1_000, count, 1)})
    b = made({COMPUTING: [30_000, 6_000, 3_000, *noisy(1_000, 40, 2)]}, warm_up=3)
    assert compare(a, b).verdict == compare(b, a).verdict == NO_DIFFERENCE
    assert any("of it warm-up, which is in no step, 0 ns -> 3.6" in note or "0 ns -> 3.9" in note
               for note in sentences.notes(compare(a, b)))  # fmt: skip
    assert not any(
        note.startswith("First to last CUDA call") for note in sentences.notes(compare(a, b))
    )  # it says no more


def kernels(factors: Sequence[float], threads: int = 512, of: str = "float") -> Digest:
    """Steps of kernels that take so many times as long as usual."""
    usual = {("computing", f"k{i}({of}*)"): [round(400 * f) + n % 3 for n in range(60)] for i, f in enumerate(factors)}
    one = made(usual)
    return replace(one, shapes=(Shape("k0", "1", "1", None, 60, 60 * threads),))


@pytest.mark.parametrize(
    ("b", "is_said"),
    [
        (kernels([1.1, 1.1, 1.12, 1.08]), True),
        (kernels([1.1, 1.1, 1.12, 1.0]), False),
        (kernels([1.9, 1.9, 1.9, 1.9], threads=1_024), False),
        (kernels([1.1, 1.1, 1.1]), False),
        (replace(kernels([1.1, 1.1, 1.12, 1.08]), facts=OTHER_GPU), False),
        (kernels([1.1, 1.1, 1.12, 1.08], of="half"), False),
    ],
    ids=["alike", "one as before", "twice the threads", "a kernel fewer", "another GPU", "other kernels"],
)
def test_kernels_that_change_alike_are_told_from_a_change_of_one(b: Digest, is_said: bool) -> None:
    found = compare(kernels([1, 1, 1, 1]), b)
    said = "Kernels take 1.10 times as long, nearly all alike: look at clocks" in " ".join(sentences.notes(found))
    assert said == is_said


@pytest.mark.parametrize(("host", "verdict"), [(100, UNCLEAR), (600, SLOWER)])
def test_the_overhead_of_the_profiler_is_no_change_of_the_program(host: int, verdict: str) -> None:
    usual = {COMPUTING: noisy(1_000, 40, 1)}
    a = made({**usual, HOST: [100 + n % 3 for n in range(40)]})
    b = made({**usual, HOST: [host + n % 3 for n in range(40)], ("idle", "profiler"): [700 + n % 5 for n in range(40)]})
    assert compare(a, b).verdict == verdict
    assert compare(b, a).verdict == (FASTER if verdict == SLOWER else UNCLEAR)
    assert ("most of the difference is the profiler's" in sentences.sentence(compare(a, b))) == (verdict == UNCLEAR)


def test_a_trifle_of_profiler_overhead_is_not_the_reason() -> None:
    """Half as many steps, and no step longer: the number of steps is the reason, not 1 % of overhead in A alone."""
    usual = {COMPUTING: noisy(1_000, 40, 1), HOST: [100] * 40}
    a = made({**usual, ("idle", "profiler"): [1] * 40})
    said = sentences.sentence(compare(a, made({key: ns[:20] for key, ns in usual.items()})))
    assert said.startswith("UNCLEAR") and "changed with the number of steps, 40 in A and 20 in B" in said


def test_kernels_that_all_get_slower_are_not_one_kernel_even_if_the_unit_is_within_noise() -> None:
    """A GPU that is mostly idle: the whole hides 15 % of each kernel, and no kernel is the reason."""
    a, b = (made({("computing", f"k{i}"): [round(f * ns)] for i, ns in enumerate((400, 300, 200, 100))}
                 | {HOST: [9_000]}, counts=50) for f in (1, 1.15))  # fmt: skip
    a, b = (replace(one, shapes=(Shape("k0", "1", "1", None, 60, 60_000),)) for one in (a, b))
    found = compare(a, b)
    told = [*sentences.notes(found)]
    assert found.verdict == NO_DIFFERENCE and told[0].startswith("Kernels take 1.15 times as long, nearly all alike")


def test_other_kernels_that_take_as_long_are_no_cost_that_moved() -> None:
    """Two of three kernels are fused, and some calls of the third too: the time of all is what it was."""
    a = made({("computing", name): [400] * 30 for name in ("aaa", "bbb", "ccc")})
    b = made({("computing", "aaa"): [100] * 30, ("computing", "fused"): [1_100] * 30})
    (told, *_) = (note for note in sentences.notes(compare(a, b, per=WORK)) if not note.startswith("Not per step"))
    assert told == "Other kernels take about as long in all: 3.600 s -> 3.600 s."


def test_the_gpu_that_others_wait_for_is_named() -> None:
    def job(late: int) -> Digest:
        nccl, own = ("communication", "nccl"), [(0, 100 + late), (late, 100)]
        return together([made({COMPUTING: noisy(900 + more, 50, 3), nccl: noisy(ns, 50, 4)}) for more, ns in own])

    notes = [*sentences.notes(compare(job(0), job(300)))]
    assert any(
        note.startswith("GPU 1 alone: +30") and note.endswith("the others by at most 0 ns: they wait for it.")
        for note in notes
    )
    both_slower = [together([made({COMPUTING: noisy(mean, 50, 3)})] * 2) for mean in (900, 1_200)]
    assert not [note for note in sentences.notes(compare(*both_slower)) if "they wait" in note]


def test_a_kernel_that_as_many_steps_of_both_sides_have_is_no_noise() -> None:
    def drawn(rare: int, of: int = 10) -> Digest:
        evaluated = [rare * (i % of == of - 1) for i in range(50)]
        one = made({COMPUTING: noisy(1_000, 50, rare), ("computing", "eval"): evaluated})
        gpu = one.series[0].gpus[0]
        counted = tuple(replace(account, counts=tuple(int(ns > 0) for ns in account.ns)) for account in gpu.accounts)
        step = replace(one.series[0], gpus=(replace(gpu, accounts=counted),))
        return replace(one, units=(*one.units[:2], step))

    found = compare(drawn(1_000), drawn(2_000))
    assert (found.per, found.verdict) == ("step", SLOWER)
    assert [account.name for account in found.accounts if account.is_certain] == ["eval"]
    assert compare(drawn(1_000), drawn(1_000, 5)).verdict == NO_DIFFERENCE  # how many steps evaluate is noise


def test_steps_without_length_are_no_warning(recwarn: pytest.WarningsRecorder) -> None:
    a, b = (made({COMPUTING: [0] * 15 + noisy(1_000, 25, seed)}) for seed in (1, 2))
    assert main_change.spread(compare(a, b)) is None and not recwarn.list


def test_a_replaced_kernel_has_both_names() -> None:
    names = [f"void ns::ampere_sgemm_{size}_of_a_long_name_tn<float>(float *)" for size in ("128x64", "256x32")]
    found = compare(
        *(made({("computing", name): noisy(mean, 50, 1)}) for name, mean in zip(names, (900, 600), strict=True))
    )
    (section,) = (s for s in page(found, 12).sections if s.title == "What changed")
    ours, _, theirs = str(section.rows[0][0]).partition(" -> ")
    assert ours.startswith("ampere_") and theirs.startswith("ampere_") and len(ours) == len(theirs) == 16
    assert any("ampere_sgemm_128x64" in note and "(in B ampere_sgemm_256x32" in note for note in sentences.notes(found))


def test_a_page_without_a_change_says_so_and_little_else() -> None:
    """Neither the whole work, which changed as the step did, nor slow steps and findings, which are as before."""
    finding = Finding("largest-kernel", "gemm", "", None)
    a, b = (replace(made({COMPUTING: noisy(1_000, 24, seed, 0.02)}), findings=(finding,)) for seed in (1, 5))
    verdict, *_ = page(compare(a, replace(b, findings=(replace(finding, subject="other"),))), 12).sections
    assert len(verdict.before) == 2 and verdict.before[0].startswith("NO DIFFERENCE SHOWN")
    verdict, *_ = page(compare(a, replace(b, findings=())), 12).sections
    assert verdict.before[-1] == "Findings gone: largest-kernel; new: none; left: none."
    graph = replace(finding, code="graph-traced-whole")
    verdict, *_ = page(compare(a, replace(b, findings=(graph,))), 12).sections
    assert verdict.before[-1].startswith("Findings cannot be compared: the kernels in the CUDA graphs of B are not")


def test_what_few_long_steps_do_is_named() -> None:
    """Three pauses in 40 steps of B: the mean is 60 % longer, the median as before."""
    kernel = {COMPUTING: noisy(1_000, 40, 1)}
    a, b = made(kernel), made({**kernel, ("idle", "os_wait_io"): [8_000 if n in (5, 11, 38) else 0 for n in range(40)]})
    found = compare(a, b)
    assert found.verdict == NO_DIFFERENCE
    assert "in most steps: the median takes" in sentences.sentence(found)
    assert any("Mostly idle time: os_wait_io +60" in note for note in sentences.notes(found))


# Sums ---------------------------------------------------------------------------------------------


def test_the_accounts_sum_to_the_difference_exactly() -> None:
    a = made({("computing", "x"): [1, 2, 4], ("idle", "host_code"): [5, 5, 6]}, scale=1, launches={"x": 1})
    b = made(
        {("computing", "x"): [2, 2, 3], ("computing", "y"): [1, 1, 1], ("idle", "host_code"): [7, 7, 7]},
        scale=1, launches={"x": 1},
    )  # fmt: skip
    found = compare(a, b, per=STEP)
    assert (found.a_ns, found.b_ns) == (Fraction(23, 3), Fraction(31, 3))
    assert sum(account.delta_ns for account in found.accounts) == found.delta_ns == Fraction(8, 3)


def test_count_and_length_split_a_difference_exactly() -> None:
    a = made({("computing", "k"): [600]}, counts=3, scale=1)
    b = made({("computing", "k"): [1_000]}, counts=4, scale=1)
    (account,) = compare(a, b).accounts
    assert (account.count_effect_ns, account.per_call_effect_ns) == (225, 175)  # 1 * (200 + 250) / 2, 50 * (3 + 4) / 2


def test_several_gpus_are_their_mean_and_one_can_be_chosen() -> None:
    one = made({("computing", "k"): [100]}, gpu_ids=(0, 1), scale=1)
    two = replace(one, units=(replace(one.units[0], gpus=(one.units[0].gpus[0], _doubled(one))),))
    assert compare(one, two).delta_ns == 50
    assert compare(one, two, gpu=1).delta_ns == 100
    assert document(compare(one, two, gpu=1))["accounts"][0]["gpu_id"] == 1
    with pytest.raises(UsageError, match="--gpu 7"):
        compare(one, two, gpu=7)


def _doubled(capture: Digest):  # type: ignore[no-untyped-def]
    gpu = capture.units[0].gpus[1]
    return replace(gpu, accounts=tuple(replace(a, ns=tuple(2 * ns for ns in a.ns)) for a in gpu.accounts))


@pytest.mark.parametrize(
    "other", [steps(1_300), steps(1_020), made({COMPUTING: [9_000]}), made({COMPUTING: noisy(900, 120, 2)})]
)
def test_swapped_sides_have_the_opposite_word_and_the_same_certainty(other: Digest) -> None:
    there, back = compare(steps(1_000), other), compare(other, steps(1_000))
    assert there.delta_ns == -back.delta_ns
    assert {FASTER: SLOWER, SLOWER: FASTER}.get(there.verdict, there.verdict) == back.verdict
    certain = [{(a.kind, a.name) for a in found.accounts if a.is_certain} for found in (there, back)]
    assert certain[0] == certain[1]


# Statistics ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("freedom", [1, 2, 3, 4, 7, 10, 31, 200])
@pytest.mark.parametrize("level", [0.95, 0.99, 0.9999])
def test_quantiles_are_those_of_scipy(level: float, freedom: int) -> None:
    stats = pytest.importorskip("scipy.stats")
    assert t_quantile(level, freedom) == pytest.approx(stats.t.ppf((1 + level) / 2, freedom), rel=1e-8)


def test_rank_correlation_is_that_of_scipy() -> None:
    stats = pytest.importorskip("scipy.stats")
    for seed in range(20):
        values = np.random.default_rng(seed).integers(0, 30, 50).astype(float)
        assert rank_correlation(values) == pytest.approx(stats.spearmanr(values, range(50)).statistic, abs=1e-12)
    assert rank_correlation(np.ones(5)) == 0


def test_the_standard_error_holds_for_independent_and_for_dependent_samples() -> None:
    random = np.random.default_rng(4)
    draws = random.normal(size=(400, 2_500))
    dependent = np.cumsum(draws, axis=0)  # far from independent: blocks see it
    rows = np.column_stack([draws[:, 0], dependent[:, 0]])
    own = standard_error(rows, np.ones(400))
    assert own[0] == pytest.approx(1 / 20, rel=0.4)
    assert own[1] > 3 * dependent[:, 0].std() / 20
    assert standard_error(rows[:4], np.ones(4))[0] == pytest.approx(rows[:4, 0].std(ddof=1) / 2)


# Matching -----------------------------------------------------------------------------------------


def keys(*names: str) -> tuple[tuple[str, str], ...]:
    return tuple(("computing", name) for name in names)


@pytest.mark.parametrize(
    ("a", "b", "by"),
    [
        ("gemm<float>(int)", "gemm<float>(int)", "name"),
        ("void f<(int)64, (bool)1>(float *)", "void f<64, true>(float*)", "name in other notation"),
        ("void each<add<float>, 4>(float *)", "void each<add<float>, 2>(float *)", "short name"),
        ("void ns::gemm<float, 4>(float *)", "void ns::gemm<__half, 8>(__half *)", "name without arguments"),
        ("main_58_gpu", "main_61_gpu", "name without numbers"),
        ("softmax", "fused_attention", "place in the sequence"),
    ],
)
def test_the_ladder_of_matches(a: str, b: str, by: str) -> None:
    ours = Names(keys("load", a, "store"), ("load", a, "store") * 3)
    theirs = Names(keys("load", b, "store"), ("load", b, "store") * 3)
    assert [(m.a[1], m.b[1], m.by) for m in matched(ours, theirs) if m.a and m.b and m.a[1] == a] == [(a, b, by)]


def test_what_stands_nowhere_in_the_same_place_is_unmatched() -> None:
    ours, theirs = Names(keys("load", "relu"), ("relu", "load")), Names(keys("load", "sort"), ("load", "sort"))
    assert {(m.a, m.b, m.by) for m in matched(ours, theirs)} == {
        (*keys("load"), *keys("load"), "name"),
        (*keys("relu"), None, "only in A"),
        (None, *keys("sort"), "only in B"),
    }


def test_matches_of_swapped_sides_are_swapped() -> None:
    ours = Names(keys("a_1", "a_2", "b", "x"), ("a_1", "b", "x", "a_2", "b"))
    theirs = Names(keys("a_3", "a_4", "b", "y", "z"), ("a_3", "b", "y", "a_4", "b", "z"))
    there, back = matched(ours, theirs), matched(theirs, ours)
    assert {(m.a, m.b) for m in there} == {(m.b, m.a) for m in back}


def test_the_alignment_is_a_longest_common_subsequence() -> None:
    assert replaced(["f", "a", "g", "b"], ["a", "h", "b"], {"f", "g"}, {"h"}) == {("g", "h"): 1}
    assert replaced(list("abcbdab"), list("bdcaba"), set(), set()) == {}
    long = ["k", "x"] * 5_000
    assert replaced(long, ["k", "y"] * 5_000, {"x"}, {"y"}) == {("x", "y"): 1_000}


# Digests ------------------------------------------------------------------------------------------


def test_a_digest_is_the_capture(tmp_path: Path) -> None:
    drawn = made({COMPUTING: [1, 2, 3], HOST: [4, 4, 4]}, sequence=["k", "k"])
    path = tmp_path / "run.digest"
    path.write_bytes(text_of(drawn))
    assert read(path) == drawn
    assert text_of(read(path)) == path.read_bytes()


def changed(**fields: Any) -> Callable[[dict[str, Any]], Any]:
    """The document with other fields of its last unit."""

    def change(data: dict[str, Any]) -> Any:
        data["digest"]["units"][-1].update(fields)
        return data

    return change


def account(**fields: Any) -> Callable[[dict[str, Any]], Any]:
    def change(data: dict[str, Any]) -> Any:
        data["digest"]["units"][-1]["gpus"][0]["accounts"][0].update(fields)
        return data

    return change


def twice_a_gpu(data: dict[str, Any]) -> Any:
    data["digest"]["units"][-1]["gpus"] *= 2
    return data


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda data: {**data, "schema": f"{KIND}/9"}, "version 9.*update nsysql"),
        (lambda data: {**data, "schema": f"{KIND}/1"}, "version 1"),
        (lambda data: {**data, "schema": f"{KIND}/²"}, "not a digest"),
        (lambda data: {**data, "schema": "other/1"}, "not a digest"),
        (lambda data: {**data, "schema": None}, "not a digest"),
        (lambda data: [], "not a digest"),
        (lambda data: {**data, "digest": None}, "invalid digest"),
        (lambda data: {**data, "digest": {**data["digest"], "facts": None}}, "invalid digest"),
        (changed(steps=[0] * 100), "without steps"),
        (changed(gpus=[]), "no GPU"),
        (changed(gpus=None), "not a list"),
        (changed(work_share="1"), "not of type float"),
        (changed(warm_up=True), "not of type int"),
        (changed(surplus=1), "fields of Unit"),
        (account(ns=[2**70] * 100), "64 bits"),
        (account(ns=[-1] * 100), "negative"),
        (account(ns=[1]), "100 samples"),
        (account(ns=[1.5] * 100), "not of type int"),
        (account(name=None), "not of type str"),
        (twice_a_gpu, "one twice"),
    ],
)
def test_a_damaged_digest_is_refused_in_one_line(tmp_path: Path, change: Callable[..., Any], words: str) -> None:
    data = change(json.loads(gzip.decompress(text_of(steps(10)))))
    if isinstance(data, dict):
        data["sha256"] = hashlib.sha256(_text(data["digest"])).hexdigest()
    path = tmp_path / "run.digest"
    path.write_text(json.dumps(data))
    with pytest.raises(NotAnExport, match=words) as error:
        read(path)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("text", ['{"schema": ' + "[" * 100_000, '{"schema": "nsysql.digest/5", "digest": NaN}', "{}"])
def test_no_text_ends_in_a_traceback(tmp_path: Path, text: str) -> None:
    (tmp_path / "x").write_text(text)
    with pytest.raises(NotAnExport):
        read(tmp_path / "x")


def test_a_changed_digit_is_seen(tmp_path: Path) -> None:
    text = gzip.decompress(text_of(steps(10))).replace(b"1000000", b"1000001", 1)
    (tmp_path / "x").write_bytes(text)
    with pytest.raises(NotAnExport, match="checksum"):
        read(tmp_path / "x")


@pytest.mark.parametrize("length", [2, 10, 200, -2])
def test_a_digest_that_is_cut_off_is_refused(tmp_path: Path, length: int) -> None:
    path = tmp_path / "run.digest"
    path.write_bytes(text_of(steps(10))[:length])
    with pytest.raises(NotAnExport, match="cut off"):
        read(path)


def test_a_side_without_a_unit_says_why() -> None:
    none = Digest(FACTS, (), "the export has no GPU work; capture with --trace=cuda.")
    with pytest.raises(MissingData, match="B cannot be compared per window: the export has no GPU work"):
        compare(steps(10), none)
    with pytest.raises(MissingData, match="per epoch"):
        compare(steps(10), steps(10), per="epoch")


def test_launches_that_scatter_between_captures_do_not_fail_the_gate() -> None:
    def drawn(*counts: int) -> list[Digest]:
        return [made({COMPUTING: noisy(1e6, 40, n)}, launches={"gemm": n}) for n in counts]

    more = read_condition("launches > 0")
    assert judged(compare(drawn(1000, 1040, 980), drawn(1000, 1060, 1000)), more, force=False).outcome == "holds"
    assert judged(compare(drawn(1000, 1002, 1001), drawn(1060, 1061, 1059)), more, force=False).outcome == "fails"
    assert judged(compare(drawn(1000), drawn(1001)), more, force=False).outcome == "fails"


def test_other_conditions_are_said_and_the_unfair_first() -> None:
    b = replace(steps(1_000), facts=replace(OTHER_GPU, nsys_version="2023.4", traces=("GPU metrics",)))
    remarks = compare(steps(1_000), b).remarks
    assert [remark.is_unfair for remark in remarks] == [True, False, False]
    assert "A100" in remarks[0].text
    assert {remark.text for remark in remarks[1:]} == {
        "nsys differs: A 2026.1; B 2023.4.", "Other trace options: only B recorded GPU metrics, which costs CPU time.",
    }  # fmt: skip


def test_cpu_totals_stand_beside_the_gpus() -> None:
    a = steps(1_000)
    b = replace(a, units=(*a.units[:-1], replace(a.units[-1], ranges=(Total("cpu", "step > data", 7_000, 100),))))
    assert document(compare(a, b))["ranges"] == [
        {"kind": "cpu", "name": "step > data", "a_ns": 0, "b_ns": 70, "a_count": 0, "b_count": 1}
    ]
