"""Comparisons: sums that are exact, matches, and verdicts only where the evidence allows them."""

import json
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest
from captures import FACTS, GPU, made, steps

import nsysql
from nsysql.analysis.compare import sentences, verdict
from nsysql.analysis.compare.alignment import replaced
from nsysql.analysis.compare.capture import STEP, Capture, Device
from nsysql.analysis.compare.compare import Comparison, Options, compared
from nsysql.analysis.compare.digest import read, text_of
from nsysql.analysis.compare.matching import Names, matched
from nsysql.errors import MissingData, NotAnExport, UsageError
from nsysql.pages.compare.document import document
from nsysql.pages.compare.gather import capture
from nsysql.pages.compare.page import page
from nsysql.words.quantities import time

OTHER_GPU = replace(FACTS, devices=(Device(0, "A100", 108, 1_410_000_000),))
TRACED = replace(FACTS, traces=("CPU samples",))


def compare(a: Capture | list[Capture], b: Capture | list[Capture], **options: object) -> Comparison:
    sides = [side if isinstance(side, list) else [side] for side in (a, b)]
    return compared(*sides, Options(**options))  # type: ignore[arg-type]


# Verdicts -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("a", "b", "word"),
    [
        (steps(1_000), steps(1_300), verdict.SLOWER),
        (steps(1_300), steps(1_000), verdict.FASTER),
        (steps(1_000), steps(1_050), verdict.NO_DIFFERENCE),  # certain in these captures; runs may differ by as much
        (steps(1_000), steps(1_002, spread=400), verdict.NO_DIFFERENCE),
        (steps(1_000), steps(1_000), verdict.NO_DIFFERENCE),
        (made({("computing", "k"): [10]}), made({("computing", "k"): [90]}), verdict.CANNOT_JUDGE),
        (steps(1_000), replace(steps(1_300), facts=OTHER_GPU), verdict.CANNOT_JUDGE),
        (steps(1_000), replace(steps(1_300), facts=TRACED), verdict.CANNOT_JUDGE),
    ],
)
def test_a_verdict_needs_evidence(a: Capture, b: Capture, word: str) -> None:
    assert verdict.word(compare(a, b)) == word


def test_captures_are_the_samples_from_four_a_side_on() -> None:
    a = [steps(mean) for mean in (1_000, 1_010, 1_020, 1_015)]
    b = [steps(mean) for mean in (1_060, 1_070, 1_065, 1_075)]
    found = compare(a, b)
    assert (found.samples, found.are_captures) == ((4, 4), True)
    assert verdict.word(found) == verdict.SLOWER  # 5 %: beyond what runs of the same program differ by
    assert "between these captures" not in sentences.sentence(found)
    assert verdict.word(compare(a[:3], b[:3])) == verdict.NO_DIFFERENCE


def test_repeats_that_differ_much_raise_the_floor() -> None:
    a, b = [steps(1_000), steps(1_300)], [steps(1_400), steps(1_410)]
    found = compare(a, b)
    assert found.run_noise == pytest.approx(0.3, abs=0.001)
    assert verdict.word(found) == verdict.NO_DIFFERENCE


def test_the_user_sets_the_floors() -> None:
    pair = steps(1_000), steps(1_050)
    assert verdict.word(compare(*pair, run_noise=0.02)) == verdict.SLOWER
    assert verdict.word(compare(*pair, run_noise=0.02, threshold=0.06)) == verdict.NO_DIFFERENCE


def test_an_account_can_be_certain_where_the_unit_is_not() -> None:
    noise = [4_000 + (i * 7919 % 4001) for i in range(40)]
    a = made({("cpu", "forward"): [1_000 + i % 5 for i in range(40)], ("cpu", "exchange"): noise})
    b = made({("cpu", "forward"): [500 + i % 5 for i in range(40)], ("cpu", "exchange"): noise[::-1]})
    found = compare(a, b)
    assert verdict.word(found) == verdict.NO_DIFFERENCE
    assert [account.name for account in found.accounts if account.is_certain] == ["forward"]
    assert "forward" in (sentences.certain(found) or "")


def test_the_interval_holds_the_difference_that_was_drawn() -> None:
    low, high = verdict.interval_pct(compare(steps(1_000), steps(1_300))) or (0.0, 0.0)
    assert low < 30 < high
    assert high - low < 2


def test_the_sentence_says_what_the_difference_is_made_of() -> None:
    a = made({("computing", "gemm"): [700] * 20, ("idle", "os_wait_io"): [300 + i % 3 for i in range(20)]})
    b = made({("computing", "gemm"): [690] * 20, ("idle", "os_wait_io"): [100 + i % 3 for i in range(20)]})
    text = sentences.sentence(compare(a, b))
    assert text.startswith("B is 21.0 % faster per step (95 %: 20.9 to 21.1 %)") or "21.0 % faster per step" in text
    assert "mostly less idle time: os_wait_io -200 ns of -210 ns" in text


def test_a_cost_that_moved_is_named_as_such() -> None:
    a = made({("lead_in", "cudaMalloc"): [107_000], ("computing", "k"): [5_000]})
    b = made({("lead_in", "cudaFree"): [109_800], ("computing", "k"): [4_000]})
    text = sentences.sentence(compare(a, b))
    assert "cost moved" in text
    assert "cudaMalloc" in text
    assert "cudaFree" in text


# Sums ---------------------------------------------------------------------------------------------


def test_the_accounts_sum_to_the_difference_exactly() -> None:
    a = made({("computing", "x"): [1, 2, 4], ("idle", "host_code"): [5, 5, 6]})
    b = made({("computing", "x"): [2, 2, 3], ("computing", "y"): [1, 1, 1], ("idle", "host_code"): [7, 7, 7]})
    found = compare(a, b)
    assert (found.a_ns, found.b_ns) == (Fraction(23, 3), Fraction(31, 3))
    assert sum(account.delta_ns for account in found.accounts) == found.delta_ns == Fraction(8, 3)


def test_count_and_length_split_a_difference_exactly() -> None:
    a, b = made({("computing", "k"): [600]}, counts=3), made({("computing", "k"): [1_000]}, counts=4)
    (account,) = compare(a, b).accounts
    assert (account.count_effect_ns, account.per_call_effect_ns) == (225, 175)  # 1 * (200 + 250) / 2, 50 * (3 + 4) / 2


def test_several_gpus_are_their_mean_and_one_can_be_chosen() -> None:
    one = made({("computing", "k"): [100]}, gpu_ids=(0, 1))
    two = replace(one, units=(replace(one.units[0], gpus=(one.units[0].gpus[0], _doubled(one))),))
    assert compare(one, two).delta_ns == 50
    assert compare(one, two, gpu=1).delta_ns == 100
    assert document(compare(one, two, gpu=1))["accounts"][0]["gpu_id"] == 1
    with pytest.raises(UsageError, match="--gpu 7"):
        compare(one, two, gpu=7)


def _doubled(capture: Capture):  # type: ignore[no-untyped-def]
    gpu = capture.units[0].gpus[1]
    return replace(gpu, accounts=tuple(replace(a, ns=tuple(2 * ns for ns in a.ns)) for a in gpu.accounts))


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
    drawn = made({("computing", "k"): [1, 2, 3], ("idle", "host_code"): [4, 4, 4]}, sequence=["k", "k"])
    path = tmp_path / "run.digest"
    path.write_bytes(text_of(drawn))
    assert read(path) == drawn


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda data: {**data, "schema": "nsysql.digest/9"}, "version 9"),
        (lambda data: {**data, "schema": "other/1"}, "not a digest"),
        (lambda data: {**data, "facts": None}, "incomplete digest"),
        (lambda data: {**data, "units": [{}]}, "incomplete digest"),
        (lambda data: {**data, "units": [{**data["units"][0], "steps": [0] * 100}]}, "incomplete digest"),
        (lambda data: {**data, "units": [{**data["units"][0], "gpus": []}]}, "incomplete digest"),
        (lambda data: [], "not a digest"),
    ],
)
def test_what_is_no_digest_is_refused(tmp_path: Path, change, words: str) -> None:  # type: ignore[no-untyped-def]
    path = tmp_path / "run.digest"
    path.write_text(json.dumps(change(json.loads(text_of(steps(10))))))
    with pytest.raises(NotAnExport, match=words):
        read(path)


def test_cpu_time_by_range_stands_beside_the_gpus(story: Callable[[str], Path], tmp_path: Path) -> None:
    with nsysql.open(story("training")) as run:
        found = capture(run)
        steady = run.step_times().filter("is_steady").select("step", "cpu_ns").unique()["cpu_ns"].sum()
    unit = found.unit(STEP)
    assert unit is not None and sum(total.amount for total in unit.ranges) == steady
    data = json.loads(text_of(found))
    for older in data["units"]:
        del older["ranges"]
    (tmp_path / "older.json").write_text(json.dumps(data))
    again = read(tmp_path / "older.json").unit(STEP)
    assert again is not None and again == replace(unit, ranges=())
    slower = replace(unit, ranges=tuple(replace(total, amount=total.amount + 7000) for total in unit.ranges))
    pages = page(compared([found], [replace(found, units=(slower,))], Options(per=STEP)), None)
    (section,) = [section for section in pages.sections if section.title == "CPU by NVTX range"]
    assert len(section.rows) == len(unit.ranges) and section.rows[0][3] == f"+{time(7000 / sum(unit.steps))}"


@pytest.mark.parametrize("length", [1, 10, 200, -2])
def test_a_digest_that_is_cut_off_is_refused(tmp_path: Path, length: int) -> None:
    path = tmp_path / "run.digest"
    path.write_bytes(text_of(steps(10))[:length])
    with pytest.raises(NotAnExport, match="cut off"):
        read(path)


def test_a_side_without_a_unit_says_why() -> None:
    none = Capture(FACTS, (), "the export has no GPU work; capture with --trace=cuda.")
    with pytest.raises(MissingData, match="B cannot be compared: the export has no GPU work"):
        compare(steps(10), none)
    with pytest.raises(MissingData, match="per epoch"):
        compare(steps(10), steps(10), per="epoch")


def test_other_conditions_are_said_and_the_unfair_first() -> None:
    b = replace(steps(1_000), facts=replace(OTHER_GPU, nsys_version="2023.4", traces=("GPU metrics",)))
    found = compare(steps(1_000), b)
    texts = [remark.text for remark in found.remarks]
    assert [remark.is_unfair for remark in found.remarks] == [True, True, False]
    assert "A100" in texts[0]
    assert "only B recorded GPU metrics" in texts[1]
    assert texts[2] == "nsys differs: A 2026.1; B 2023.4."
    assert GPU.name in texts[0]


def test_resamples_are_whole_blocks() -> None:
    import numpy as np

    from nsysql.analysis.compare.noise import RESAMPLES, _weights

    weights = _weights(10, np.random.default_rng(1))
    assert weights.shape == (RESAMPLES, 10)
    assert (weights.sum(axis=1) == 10).all()
    assert abs(weights.mean(axis=0) - 1).max() < 0.05
    assert (np.abs(weights - np.roll(weights, 1, axis=1)).sum(axis=1) <= 2 * 4).all()  # 4 blocks begin and end
