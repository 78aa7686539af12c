"""What the sentences of a verdict say: of which time, which GPUs, which total."""

import re
import shutil
import sqlite3
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest
from command_line import Ran

import nsysql
from nsysql.pages.idle import explain
from nsysql.pages.idle.gather import Idle, collect
from nsysql.pages.idle.page import page
from nsysql.pages.scope import PageScope
from nsysql.pages.verdict import busy, causes, cold, drained, totals
from nsysql.pages.verdict.document import of_verdict
from nsysql.pages.verdict.facts import Verdict
from nsysql.pages.verdict.idle import drains, without
from nsysql.pages.verdict.migrations import under_kernels
from nsysql.pages.verdict.names import function
from nsysql.pages.verdict.totals import at_most

BUSY = ", for the GPU is busy for the other 400 ns, with GPU work and its overlap as they are."


@pytest.fixture
def found(story: Callable[[str], Path]) -> Callable[..., Idle]:
    """The idle page of a story."""

    def idle(name: str, **asked: int) -> Idle:
        with nsysql.open(story(name)) as run:
            return collect(run, PageScope(**asked))

    return idle


def said(verdict: Verdict, begins: str) -> str:
    """The one sentence in which this stands."""
    texts = [one.text for one in verdict.sentences if re.search(begins, one.text)]
    assert len(texts) == 1, (begins, [one.text for one in verdict.sentences])
    return texts[0]


# Before and after the steps -----------------------------------------------------------------------


def test_idle_time_after_the_last_step_is_said_apart(found: Callable[..., Idle]) -> None:
    verdict = found("verdict_ends").verdict
    last = said(verdict, "^After the last")
    assert "which ends at 0.001961 s, 2.078 ms (34.5% of the window, all GPUs together) are idle" in last
    assert "cudaHostAlloc before copy Device-to-Host (930.0 µs in gap 11)" in last
    assert of_verdict(verdict)["ending"] == {"start_ns": 1_961_000, "idle_ns": 2 * 1_039_000}
    assert of_verdict(verdict)["start_up"] == {"end_ns": 1_000_000, "idle_ns": 2 * 990_000}


def test_before_between_and_after_add_up(found: Callable[..., Idle]) -> None:
    facts = found("verdict_ends").facts
    assert (facts.start_up_ns, facts.judged.idle_ns, facts.ending_ns) == (1_980_000, 682_000, 2_078_000)
    assert facts.whole.idle_ns == 1_980_000 + 682_000 + 2_078_000


def test_advice_on_steps_does_not_count_what_follows_them(found: Callable[..., Idle]) -> None:
    text = said(found("verdict_ends").verdict, "calls of cudaStreamSynchronize")
    assert "682.0 µs of the 682.0 µs idle in the steady part (100.0%, all GPUs together)" in text
    assert "18 calls" in text  # the last call of each process is followed by the end


def test_what_is_not_long_has_no_sentence(found: Callable[..., Idle]) -> None:
    verdict = found("training").verdict
    assert not [one.text for one in verdict.sentences if one.text.startswith("After the last")]


def test_of_several_gpus_one_can_be_asked_for(found: Callable[..., Idle]) -> None:
    verdict = found("verdict_ends", gpu=0).verdict
    assert "all GPUs together" not in " ".join(one.text for one in verdict.sentences)
    assert "1.039 ms (34.5% of the window) are idle: cudaHostAlloc" in said(verdict, "^After the last")


def test_idle_time_after_the_only_kernel_is_no_start_up(found: Callable[..., Idle]) -> None:
    verdict = found("verdict_one_kernel").verdict
    texts = " ".join(one.text for one in verdict.sentences)
    assert verdict.sentences[0].text.startswith("Idle after the only kernel: GPU 0 is idle for 94% of the window")
    assert "4.790 ms of the 4.800 ms idle (99.8%) follow the only kernel, at 0.000210 s" in texts
    assert not re.search("(?i)cold start|start-up|warm-up", texts)


def test_most_is_said_where_it_is_most(found: Callable[..., Idle]) -> None:
    facts = found("idle_two_threads").facts
    idle = facts.judged.idle_ns
    row = {**facts.longest.to_dicts()[0], "cause": "host_code", "function": None, "gpu_id": 0}
    schema = facts.longest.schema
    names = ["a", "b", "c", "d"]
    for part, words in ((0.25, "most of it once: "), (0.1, "the longest: ")):
        pieces = [{**row, "dur_ns": int(part * idle), "next_name": name} for name in names]
        drawn = replace(facts, longest=pl.DataFrame(pieces, schema=schema), repetition=None)
        assert f"idle, {words}time outside of" in cold.cold_start(drawn)[-1].text


def test_alike_pieces_of_a_gpu_are_each_named_and_those_of_other_gpus_are_not(found: Callable[..., Idle]) -> None:
    row = found("idle_two_threads").facts.longest.to_dicts()[0]
    pieces = [{**row, "gpu_id": gpu, "dur_ns": ns} for gpu, ns in ((0, 9), (1, 8), (0, 7), (1, 6))]
    assert [(one["gpu_id"], one["dur_ns"]) for one in cold._merged(pieces)] == [(0, 9), (0, 7)]
    assert cold._of_shown(pieces) == 30


def test_what_is_named_as_once_does_not_recur(found: Callable[..., Idle]) -> None:
    facts = found("idle_two_threads").facts
    idle = facts.judged.idle_ns
    gap = {
        **facts.gaps.row(0, named=True),
        "gap_id": 5,
        "gap_ns": int(0.6 * idle),
        "previous_name": "a",
        "next_name": "b",
    }
    gaps = pl.DataFrame([gap], schema=facts.gaps.schema)
    piece = {**facts.longest.row(0, named=True), "cause": "host_code", "function": None, "gpu_id": gap["gpu_id"]}
    piece |= {"gap_id": 5, "previous_name": "a", "next_name": "b"}
    pattern = {**facts.patterns.row(0, named=True), "previous_name": "a", "next_name": "b", "main_cause": "host_code"}
    for dur, count, rest, told in (
        (0.6, 5, 0.2, "20.0% of it recurs: .* in 4 gaps between a and b"),
        (
            0.3,
            5,
            0.2,
            "the longest: .*80.0% of it recurs: .* in 5 gaps between a and b",
        ),  # it is one of those that recur
        (0.6, 2, 0.2, "^(?!.*recurs)"),  # without it there is one: that is no recurring gap
    ):
        of = {"gap_count": count, "idle_ns": gap["gap_ns"] + int(rest * idle)}
        longest = pl.DataFrame([piece | {"dur_ns": int(dur * idle)}], schema=facts.longest.schema)
        patterns = pl.DataFrame([pattern | of], schema=facts.patterns.schema)
        drawn = replace(facts, longest=longest, gaps=gaps, patterns=patterns, repetition=None)
        assert re.search(told, cold.cold_start(drawn)[-1].text), (told, cold.cold_start(drawn)[-1].text)


def test_pieces_of_one_gap_that_have_one_name_are_one(found: Callable[..., Idle]) -> None:
    facts = found("idle_two_threads").facts
    row = facts.longest.row(0, named=True) | {"gpu_id": 0, "next_name": "k", "function": None, "cause": "host_code"}
    code = [row | {"gap_id": gap, "dur_ns": 1000 * us, "evidence_name": None} for gap, us in ((1, 9), (1, 8), (2, 7))]
    assert cold._named(facts, code) == (
        "time outside of traced calls before k (17.00 µs in 2 pieces of gap 1) and"
        " time outside of traced calls before k (7.000 µs in gap 2)"
    )
    by_name = [row | {"gap_id": 1, "dur_ns": 1000, "function": "f", "module": "m", "cause": c} for c in ("a", "b")]
    assert (
        cold._named(facts, by_name) == "f (m) before k (2.000 µs in 2 pieces of gap 1)"
    )  # whatever each is counted as
    assert cold._of_shown(code) == 24_000


# Which GPUs, which total ---------------------------------------------------------------------------


def test_sums_over_several_gpus_say_so(found: Callable[..., Idle]) -> None:
    for one in found("verdict_ends").verdict.sentences:
        assert "all GPUs together" in one.text, one.text
    for one in found("verdict_one_kernel").verdict.sentences:
        assert "all GPUs" not in one.text, one.text


def test_idle_times_leave_out_the_profiler_and_say_so(found: Callable[..., Idle]) -> None:
    idle = found("verdict_ends")
    assert (
        "Idle times here leave out 20.00 µs of the profiler's own, all GPUs together." in idle.verdict.sentences[0].text
    )
    time = next(section for section in page(idle).sections if section.title == "GPU time")
    assert (
        "idle here includes 20.00 µs of the profiler's own, all GPUs together; the verdict leaves it out." in time.after
    )
    assert "profiler" not in found("verdict_one_kernel").verdict.sentences[0].text


def test_the_summary_says_so_too(story: Callable[[str], Path]) -> None:
    with nsysql.open(story("verdict_ends")) as run:
        text = " ".join(str(run.summary()).split())
    assert "idle here includes 20.00 µs of the profiler's own, all GPUs together; the verdict leaves it out." in text


def test_each_of_two_kinds_says_what_of_the_time_it_is_about(found: Callable[..., Idle]) -> None:
    text = found("verdict_ends").verdict.sentences[0].text
    assert text.startswith("Synchronization-bound (the 36% idle) and GPU-bound (62% while kernels run): ")
    assert "GPUs 0 and 1 are idle for 36% of the time" in text


def test_gpus_that_differ_are_named(found: Callable[..., Idle]) -> None:
    text = found("idle_two_gpus").verdict.sentences[0].text
    assert "idle are GPU 0 for >99% and GPU 1 for 3% of the window" in text


def test_no_share_is_more_than_all(found: Callable[..., Idle]) -> None:
    for one in found("verdict_ends").verdict.sentences:
        assert all(float(number) <= 100 for number in re.findall(r"([0-9.]+)%", one.text)), one.text


def test_drained_time_leaves_out_the_profiler(found: Callable[..., Idle], story: Callable[[str], Path]) -> None:
    with nsysql.open(story("verdict_ends")) as run:
        by_call, by_path = run.idle_drain_calls(), run.idle_drains()
    for column in ("idle_ns", "profiler_ns", "gap_count"):
        assert by_call.group_by("gpu_id").agg(pl.col(column).sum()).sort("gpu_id")[column].to_list() == (
            by_path[column].to_list()
        )


# Whose kernels, which copies, how much it saves ----------------------------------------------------


def test_a_librarys_kernel_is_not_the_users_to_optimize(found: Callable[..., Idle]) -> None:
    text = said(found("verdict_ends").verdict, "has the most time")
    assert text.startswith(
        "ampere_sgemm_128x64_tn (cuBLAS) has the most time: 62% of the steady part of all GPUs together"
    )
    assert "It is a library's: change how it is called" in text
    assert "begin with" not in text


def test_the_programs_own_kernel_is(found: Callable[..., Idle]) -> None:
    text = said(found("accounts_overlap").verdict, "has the most time")
    assert "library" not in text


def test_a_synchronisation_names_the_copy_that_it_waits_for(found: Callable[..., Idle]) -> None:
    text = said(found("verdict_ends").verdict, "calls of cudaStreamSynchronize")
    assert "18 calls of cudaStreamSynchronize, each after a copy of 8 B Host-to-Device from pageable memory: " in text


def test_a_value_is_made_on_the_gpu_or_kept_there_as_its_copy_goes() -> None:
    inside = "aten::to > aten::_to_copy > aten::copy_"
    assert "Make that value on the GPU" in without("cudaStreamSynchronize", inside, "Host-to-Device")
    assert ".item()" not in without("cudaStreamSynchronize", inside, "Host-to-Device")
    assert "Keep that value on the GPU: no .item() or .cpu()" in without(
        "cudaStreamSynchronize", inside, "Device-to-Host"
    )


def test_advice_on_synchronisations_has_a_true_bound(found: Callable[..., Idle]) -> None:
    # 961 us elapsed, each GPU busy for 610 of them: 351 idle with the profiler's 10; the calls block for 18 * 63.
    text = said(found("verdict_ends").verdict, "calls of cudaStreamSynchronize")
    assert (
        "is shorter by at most 351.0 µs of 961.0 µs (36.5%, until the last GPU is done), for the busiest GPU is" in text
    )


@pytest.mark.parametrize(
    ("busy", "blocked", "told"),
    [
        (400, None, f" All save at most 600 ns of 1.000 µs (60.0%){BUSY}"),
        (400, 800, f" All save at most 600 ns of 1.000 µs (60.0%){BUSY}"),
        (
            400,
            500,
            " All save at most 500 ns of 1.000 µs (50.0%), for the CPU spends the other 500 ns outside of these calls.",
        ),
        (50, None, ""),  # nearly all tells nothing
    ],
)
def test_the_most_that_advice_saves(found: Callable[..., Idle], busy: int, blocked: int | None, told: str) -> None:
    facts = found("verdict_ends", gpu=0).facts
    gpu_time = facts.judged.gpu_time.with_columns(pl.lit(busy, pl.Int64).alias("busy_ns"))
    facts = replace(facts, judged=replace(facts.judged, gpu_time=gpu_time, start_ns=0, end_ns=1000))
    assert at_most(facts, "All save", blocked) == told


# What the CPU does after a synchronization ----------------------------------------------------------


def test_code_after_a_copy_that_the_host_reads_is_no_fault_of_the_synchronisation(found: Callable[..., Idle]) -> None:
    verdict = found("verdict_reads").verdict
    texts = " ".join(one.text for one in verdict.sentences)
    text = said(verdict, "is in no traced call")
    assert verdict.kind == "cpu_bound"
    assert verdict.sentences[1].text == text
    assert (
        "1.179 ms of the 1.260 ms idle (93.6%), 1.179 ms of it after a Device-to-Host copy that the host waits" in text
    )
    assert "(cuStreamSynchronize), in 9 gaps" in text
    assert "while the next kernels run (two buffers), or move it to the GPU" in text
    assert "--sample=process-tree names the functions; --trace=osrt (of an MPI program mpi,osrt)" in text
    assert "Remove it" not in texts


def test_calls_that_could_hide_the_code_are_what_limits(found: Callable[..., Idle]) -> None:
    facts = found("verdict_reads").facts
    assert drained.is_code(facts)
    half = replace(facts, drains=facts.drains.with_columns(blocked_ns=pl.lit(630_000, pl.Int64)))  # of the 1.26 ms
    assert drained.is_code(half)  # a wait for a copy that the host reads cannot go
    assert not drained.is_code(replace(half, drain_causes=facts.drain_causes.with_columns(is_after_copy=pl.lit(False))))
    assert not drained.is_code(replace(facts, drains=facts.drains.with_columns(blocked_ns=pl.lit(1_260_000, pl.Int64))))
    assert not drained.is_code(replace(facts, drain_causes=facts.drain_causes.filter(cause="sync_return")))


def test_a_wait_for_a_copy_that_the_host_reads_is_never_to_be_removed(found: Callable[..., Idle]) -> None:
    facts = found("verdict_reads").facts
    (text,) = [one.text for one in drains(facts)]
    assert "calls of cuStreamSynchronize, most of it after Device-to-Host copies: each waits" in text
    assert "The host reads that copy, so it has to wait: launch the next work before the wait" in text
    for direction, mixed in (("Device-to-Host", True), ("Device-to-Host", False), (None, True)):
        assert "Remove it between" not in without("cuStreamSynchronize", None, direction, mixed)
    assert "Remove it where no Device-to-Host copy" in without("cuStreamSynchronize", None, None, True)
    assert "Remove it between" in without("cuStreamSynchronize", None)


def test_code_after_other_work_is_not_said_to_read_a_copy(found: Callable[..., Idle]) -> None:
    facts = found("verdict_reads").facts
    other = replace(facts, drain_causes=facts.drain_causes.with_columns(is_after_copy=pl.lit(False)))
    text = causes.sentence(other, "host_code").text
    assert "Device-to-Host copy that" not in text
    assert "Prepare the next data" in text


def test_a_pool_that_synchronisations_empty_comes_before_them(found: Callable[..., Idle]) -> None:
    verdict = found("verdict_pool").verdict
    first, then = (one.text for one in verdict.sentences[1:3])
    assert verdict.kind == "sync_bound"
    assert first.startswith("Memory management (cudaMallocAsync), thread ")
    assert "234.0 µs of the 360.0 µs idle (65.0%), in 9 gaps" in first
    assert "The synchronizations matter because they make the pool give its memory back. Raise the release" in first
    assert then.startswith("360.0 µs of the 360.0 µs idle (100.0%), in part the same time as above, follow 9 calls of")
    assert "nothing left to do, and makes the memory pool give its memory back." in then


def test_a_bound_that_is_more_than_what_follows_says_why(found: Callable[..., Idle]) -> None:
    facts = found("verdict_pool").facts  # 360 us idle
    assert "That is more than the 300.0 µs that follow them" in totals.more_than(facts, 300_000, 630_000)
    assert totals.more_than(facts, 360_000, 630_000) == ""
    assert totals.more_than(facts, 300_000, 300_000) == ""


def test_sums_over_gpus_bound_nothing(found: Callable[..., Idle], story: Callable[[str], Path]) -> None:
    assert "no more than that" not in said(found("verdict_ends").verdict, "has the most time")
    with nsysql.open(story("training")) as run:
        texts = [one.text for one in collect(run, PageScope()).verdict.sentences if "has the most time" in one.text]
    assert all("; making it faster saves no more than that." in text for text in texts)


def test_shares_that_overlap_say_so(corpus: Path) -> None:
    with nsysql.open(corpus / "trisolve-nvtx-2023.3.sqlite") as run:
        verdict = collect(run, PageScope()).verdict
    assert "(82.4%), in part the same time as above, follow 17 calls" in said(verdict, "calls of cudaStreamSync")
    assert [one.text[:6] for one in verdict.sentences if "same time" in one.text or one.text[:6] == "Memory"] == [
        "Memory", "20.23 ",
    ]  # fmt: skip
    text = said(verdict, "17 calls of")
    assert text.endswith(
        "26.2%), for the GPU is busy for the other 69.05 ms, with GPU work and its overlap as they are. That is more"
        " than the 20.23 ms that follow them, for a CPU that is further ahead can close other gaps, too."
    )


def test_an_idle_gpu_whose_work_was_queued_is_not_called_gpu_bound_without_a_word(found: Callable[..., Idle]) -> None:
    text = found("idle_queue").verdict.sentences[0].text
    assert ("GPU-bound: " in text) == ("of the idle time lies between pieces of work that were already queued" in text)


def test_a_narrowed_page_has_no_lead_in(run: Callable[..., Ran], story: Callable[[str], Path]) -> None:
    whole, part = (run("idle-gaps", story("verdict_ends"), *more).text for more in ([], ["--end", "2ms"]))
    assert "lead-in" in whole
    assert "lead-in" not in part and "tail" not in part


# Before the window ---------------------------------------------------------------------------------


@pytest.fixture
def led_in(story: Callable[[str], Path], tmp_path: Path) -> Callable[[int], Path]:
    """verdict_one_kernel, idle for 4.8 ms of 5.1, with a cudaMalloc that ends 20 us before its first work."""

    def make(length: int) -> Path:
        made = Path(shutil.copy(story("verdict_one_kernel"), tmp_path / f"{length}.sqlite"))
        with sqlite3.connect(made) as db:
            db.execute("INSERT INTO StringIds (id, value) VALUES (9, 'cudaMalloc_v3020')")
            db.execute(
                'INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME (start, "end", globalTid, correlationId, nameId)'
                " VALUES (?, -20000, 500 << 24 | 500, 9, 9)",
                (-20_000 - length,),
            )
        db.close()
        return made

    return make


def test_work_that_runs_at_once_is_said(found: Callable[..., Idle]) -> None:
    text = found("accounts_overlap").verdict.sentences[0].text
    assert "kernels run for 50%, CUDA graphs run for 15% and copies run for 30%, partly at the same time." in text
    assert "same time" not in found("verdict_ends").verdict.sentences[0].text


def test_kinds_of_the_steady_part_say_so_beside_a_cold_start(found: Callable[..., Idle]) -> None:
    text = found("operators_backward").verdict.sentences[0].text
    assert text.startswith(
        "Cold start (start-up, 93.1% of the idle time), CPU-bound (the 22% idle of the steady part) and"
        " GPU-bound (78% of the steady part while kernels run): "
    )


def test_the_largest_kernel_is_said_to_be_small(found: Callable[..., Idle]) -> None:
    text = found("old_version").verdict.sentences[1].text
    assert "(30 ns in 1 kernel of 30 ns; with fewer blocks than the GPU has SMs)" in text


def test_a_long_time_before_the_window_is_said(run: Callable[..., Ran], led_in: Callable[[int], Path]) -> None:
    words = " ".join(run("idle-gaps", led_in(6_000_000)).text.split())
    assert (
        "before Before the window: 6.020 ms from the first CUDA call to the first GPU work, most of it in cudaMalloc"
        " (6.000 ms; the first call that needs a CUDA context creates it); outside of all shares here."
    ) in words


def test_a_time_before_the_window_that_is_less_than_its_idle_time_is_not(
    run: Callable[..., Ran], led_in: Callable[[int], Path]
) -> None:
    assert "Before the window" not in run("idle-gaps", led_in(4_000_000)).text  # 78% of the window, 4.8 ms idle
    assert "Before the window" not in run("idle-gaps", led_in(6_000_000), "--end", "1ms").text


def test_causes_are_named_by_their_titles(found: Callable[..., Idle]) -> None:
    facts = found("idle_two_threads").facts
    row = {**facts.longest.to_dicts()[0], "cause": "waiting_for_thread", "function": None, "evidence_name": None}
    assert cold._piece(facts, row).startswith("waiting for thread or rank before ")
    assert cold._piece(facts, {**row, "cause": "preempted"}).startswith("CPU taken by another thread before ")


def test_graphs_do_not_hide_what_lies_outside_of_them(found: Callable[..., Idle]) -> None:
    text = said(found("accounts_overlap").verdict, "^CUDA graphs")
    assert "run for 15% of the window (1 launch of graph 3, 60 ns each); 85% lies outside of them" in text


def test_faster_copies_save_no_more_than_their_time(found: Callable[..., Idle]) -> None:
    facts = found("verdict_ends", gpu=0).facts  # 961 us elapsed
    assert totals.faster(facts, "To copy, faster or while kernels run,", 96_100) == (
        " To copy, faster or while kernels run, shortens the run by at most 96.10 µs of 961.0 µs (10.0%)."
    )
    assert totals.faster(facts, "To copy", 900_000) == ""
    assert totals.faster(found("verdict_ends").facts, "To copy", 96_100) == ""  # of two GPUs the sum is no bound
    assert "faster or while" not in said(found("accounts_overlap").verdict, "from pageable")  # the CPU copies too
    assert "faster or while kernels run" in said(found("graph_by_nodes").verdict, "from pinned")


def test_copies_that_kernels_can_hardly_hide_have_no_bound_for_hiding_them(found: Callable[..., Idle]) -> None:
    facts = found("graph_by_nodes").facts
    for kernel_ns, told in (
        (0, "so to copy while they run saves no more than that.* To copy less, or faster, short"),
        (10**9, "while kernels work on this one.* To copy, faster or while kernels run, shortens"),
    ):
        gpu_time = facts.judged.gpu_time.with_columns(kernel_ns=pl.lit(kernel_ns, pl.Int64))
        drawn = replace(facts, judged=replace(facts.judged, gpu_time=gpu_time))
        assert re.search(told, busy.copy_bound(drawn)[0].text), busy.copy_bound(drawn)[0].text


def test_the_only_kernel_hides_copies_in_parts_only(found: Callable[..., Idle]) -> None:
    facts = found("accounts_overlap").facts
    both = [{"direction": direction} for direction in ("Host-to-Device", "Device-to-Host")]
    judged = replace(facts.judged, gpu_time=facts.judged.gpu_time.with_columns(kernel_ns=pl.lit(10**9, pl.Int64)))
    for count, is_told in ((1, True), (2, False)):
        kernels = facts.kernels.head(1).with_columns(kernel_count=pl.lit(count, facts.kernels["kernel_count"].dtype))
        drawn = replace(facts, kernels=kernels, graphs=facts.graphs.clear(), judged=judged)
        text = busy.copy_bound(drawn)[0].text
        assert "so that kernels run meanwhile" in text
        assert ("the only kernel has to be split for that" in text) == is_told, text
        assert bool(busy._both(drawn, both)) != is_told  # its results are there when nothing is left to be copied to it


def test_a_function_of_the_runtime_without_a_name_is_the_runtimes() -> None:
    assert function("libcudart_static_8b73e19b9b6fb2b44091792b23d85fe1faddb831 (a.out)") == "CUDA runtime (a.out)"
    assert function("libcudart_static_lookup (a.out)") == "libcudart_static_lookup (a.out)"


def test_markers_of_dlprof_are_short_in_pages_and_whole_for_programs(run: Callable[..., Ran], corpus: Path) -> None:
    export = corpus / "dlprof-nvtx-2022.1.sqlite"
    text, document = run("idle-gaps", export).text, run("idle-gaps", export, "-f", "json").out.decode()
    assert "traceMarker" not in text and "in conv2d > " in " ".join(text.split())
    assert "traceMarker" in document


# Lengths, sizes and migrations --------------------------------------------------------------------


def test_pages_that_migrate_while_a_kernel_runs_are_told_by_its_time(found: Callable[..., Idle]) -> None:
    text = said(found("verdict_migrations").verdict, "migrate to the GPU")
    assert "during 40.0% of the time that kernels run (400.0 µs of 1.000 ms): 65.54 kB in 2 migrations, 1 of" in text
    assert "cudaMemPrefetchAsync to the GPU" in text


def test_pages_that_migrate_without_a_fault_are_no_wait(found: Callable[..., Idle]) -> None:
    facts = found("verdict_migrations").facts
    asked_for = replace(facts, copies=facts.copies.with_columns(fault_count=pl.lit(0)))
    assert under_kernels(facts)
    assert not under_kernels(asked_for)


def test_gaps_of_a_nanosecond_are_no_gaps_between_pages(found: Callable[..., Idle]) -> None:
    idle = found("verdict_migrations")
    assert "in 2 gaps between migrations Device-to-Host" in said(idle.verdict, "page by page")
    gaps = next(section for section in page(idle).sections if "recurring" in section.title)
    assert [[str(cell) for cell in row[1:4]] for row in gaps.rows] == [
        ["2", "1.980 ms", "1.980 ms"],
        ["1", "1.000 ms", "1.000 ms"],
    ]
    assert gaps.after == ("not counted, as shorter than 100 ns: 2 gaps.",)


def test_the_usual_length_of_a_kernel_is_that_of_all_gpus(story: Callable[[str], Path]) -> None:
    with nsysql.open(story("training")) as run:
        lengths = run.sql("SELECT name, dur_ns FROM kernel").group_by("name")
        expected = lengths.agg(median_ns=pl.median("dur_ns"), shortest_ns=pl.min("dur_ns"), longest_ns=pl.max("dur_ns"))
        columns = expected.columns
        assert run.gpu_kernels(together=True).select(columns).sort("name").equals(expected.sort("name"))


def test_tables_of_the_whole_window_say_so_where_the_verdict_is_on_the_steady_part(found: Callable[..., Idle]) -> None:
    split, alone = found("verdict_ends"), found("verdict_one_kernel")
    assert split.facts.is_split
    of = {section.title: section.meaning for section in page(split).sections}
    assert of["Gaps by length"].endswith("; whole window")
    assert "share of the steady part" in of["Largest kernels"]
    assert not any("whole window" in section.meaning for section in page(alone).sections)


def test_start_up_is_told_from_the_same_share_of_the_window_on(found: Callable[..., Idle]) -> None:
    idle = found("verdict_ends")
    window = idle.facts.whole.window_ns
    assert idle.steps is not None
    for share_before, is_told in ((0.04, False), (0.06, True)):
        told = replace(idle, idle_before_ns=int(share_before * window))
        after = next(section for section in page(told).sections if section.title == "GPU time").after
        assert any("before the first steady step" in text for text in after) == is_told


def test_warm_up_is_of_the_steps_that_the_verdict_goes_by(found: Callable[..., Idle]) -> None:
    idle = found("verdict_ends")
    assert idle.steps is not None
    doubtful = {**idle.steps.series, "note": "inner repetition: regular pauses show a larger loop around it"}
    told = replace(idle, steps=replace(idle.steps, series=doubtful), idle_before_ns=idle.facts.whole.window_ns // 2)
    after = next(section for section in page(told).sections if section.title == "GPU time").after
    assert not any("steady step" in text for text in after)


def test_a_gap_names_the_copy_behind_the_drain_before_it(story: Callable[[str], Path]) -> None:
    with nsysql.open(story("verdict_ends")) as run:
        gap = run.idle_gaps(gpu=0).filter(drained_by="cudaStreamSynchronize").row(0, named=True)
        text = explain.sentences(explain.collect(run, PageScope(), gap["gap_id"]))[1]
    assert "after a copy of 8 B Host-to-Device from pageable memory, which waited until" in text
    assert "synchronize only before the host changes its source" in text


def test_code_around_calls_that_print_may_be_that_of_the_output(found: Callable[..., Idle]) -> None:
    facts = found("verdict_one_kernel").facts
    code = facts.longest.filter(cause="host_code").head(1)
    for names, is_told in ((("putc", "fwrite"), True), (("putc", "read"), False), ((), False)):
        calls = [
            code.with_columns(
                cause=pl.lit("os_wait_io"),
                evidence_table=pl.lit("OSRT_API"),
                evidence_name=pl.lit(name),
                dur_ns=pl.lit(1),
            ).cast(dict(code.schema))
            for name in names
        ]
        text = causes.sentence(replace(facts, longest=pl.concat([code, *calls])), "host_code").text
        assert ("If it makes the output, write that after the timed part" in text) == is_told, text
        assert re.search("(?i)prepare the next data while the GPU works", text)


def test_a_call_shortens_a_gap_by_no_more_than_it_took(story: Callable[[str], Path]) -> None:
    of = {}
    with nsysql.open(story("idle_queued")) as run:
        for gap in run.idle_gaps().to_dicts():
            of[gap["gap_ns"]] = explain.sentences(explain.collect(run, PageScope(), gap["gap_id"]))
    told = [text for text in of[200_000] if text.startswith("That call took")]
    assert [text.partition(". ")[0] for text in told] == [
        "That call took 92.00 µs: without it this gap is shorter by no more than that"
    ]
    assert len(of[200_000]) == 3  # and what to do about the main cause
    assert not [text for gap_ns in (10_000,) for text in of[gap_ns] if "That call took" in text]


def test_a_runtime_that_starts_in_another_call_is_said_so(found: Callable[..., Idle]) -> None:
    facts = found("verdict_one_kernel").facts
    piece = facts.longest.row(0, named=True) | {"cause": "context_setup", "function": None, "next_name": "k"}
    for name, told in (
        ("cudaStreamCreate_v3020", "cudaStreamCreate, in which a CUDA runtime starts, before k"),
        ("cuCtxCreate_v4", "cuCtxCreate before k"),
    ):
        assert cold._piece(facts, piece | {"evidence_name": name}).startswith(told)


def test_code_is_on_a_cpu_where_the_threads_scheduling_shows_it(found: Callable[..., Idle]) -> None:
    facts = found("verdict_one_kernel").facts
    code = facts.longest.filter(cause="host_code").head(1)
    off = code.with_columns(cause=pl.lit("blocked"), evidence_table=pl.lit("SCHED_EVENTS"), dur_ns=pl.lit(1))
    of_another = off.with_columns(thread_id=pl.col("thread_id") + 1)
    for rows, told in ((off, "runs on a CPU, in no traced call"), (of_another, "is in no traced call")):
        known = replace(facts, longest=pl.concat([code, rows.cast(dict(code.schema))]))
        assert told in causes.sentence(known, "host_code").text
