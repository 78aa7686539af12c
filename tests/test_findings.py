"""Findings: the parts of a capture sum to its time, and the rules say what drawn stories have."""

import io
import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from captures import found, one_found, story_text
from command_line import Ran
from drawn import drawn, read_story
from exports import alter

import nsysql
from nsysql.capture.check import check_pack
from nsysql.errors import UsageError
from nsysql.findings import savings
from nsysql.findings.engine import find, rules
from nsysql.findings.finding import Findings
from nsysql.findings.sentences import brief, filled
from nsysql.pages.elements import Page
from nsysql.pages.findings import FindingsPage
from nsysql.pages.first_screen import PartRow, findings_section, fits, parts_section, says
from nsysql.render.page import write_markdown

pytestmark = pytest.mark.usefixtures("kept_open")

FIXTURES = Path(__file__).parent / "fixtures"
A100 = 'gpu "NVIDIA A100" 8.0 108\n'


@pytest.fixture
def training():
    with nsysql.open(FIXTURES / "training.sqlite") as run:
        yield run


@pytest.fixture(scope="module")
def findings(kept_open: None) -> Findings:
    """What all rules find in the story training."""
    with nsysql.open(FIXTURES / "training.sqlite") as run:
        return find(run)


def test_parts_sum_to_the_captured_time(training) -> None:
    parts, captured = training.query("part"), training.sql("SELECT 1").height
    assert captured == 1
    for _, own in parts.group_by("gpu_id"):
        start, end = own["start_ns"].min(), own["end_ns"].max()
        assert own["length_ns"].sum() == end - start


def test_steps_of_the_process_with_most_work_are_the_part(tmp_path: Path) -> None:
    """A service on the same GPU repeats one short kernel, a little longer than the training runs."""
    story = """
gpu "NVIDIA A100-SXM4-40GB" 8.0 108
every 1000 x 20
  kernel "gemm(float *)" 0-3 10-500
  kernel "loss(float *)" 4-7 501-800
every 500 x 44
  kernel "serve(float *)" 0-3 810-900 process=1
"""
    with nsysql.open(drawn("shared", story).write(tmp_path / "shared.sqlite")) as run:
        parts = run.query("part").filter(kind="series")
    assert parts["name"].to_list() == ["2 launches"]


def test_every_rule_runs_and_has_its_lines(training, findings: Findings) -> None:
    for rule in rules(training.paths).values():
        keys = [key for key, _ in rule.finding]
        assert "says" in keys and "do" in keys, rule.name
        assert len(rule.path.read_text().splitlines()) <= 80, rule.name
    assert len(json.dumps(findings.document(), ensure_ascii=False, separators=(",", ":"))) <= 4000
    for f in findings.findings:
        assert "{" not in f.says + f.do
        assert f.saves_ns is None or 0 < f.saves_ns <= f.part_ns


def test_a_rule_can_be_left_out(training, findings: Findings) -> None:
    first, *others = dict.fromkeys(f.code for f in findings.findings)
    assert {f.code for f in find(training, [first]).findings} == {*others}


@pytest.mark.parametrize(("until", "certainty"), [(290, "certain"), (240, "likely")])
def test_the_largest_kernel_is_certain_to_limit_a_part_that_it_has_half_of(
    tmp_path: Path, until: int, certainty: str
) -> None:
    text = f'gpu "NVIDIA A100" 8.0 108\n\nevery 100 x 30\n  kernel "solve(double *)" 0-3 200-{until}\n'
    with nsysql.open(drawn("half", text).write(tmp_path / "half.sqlite")) as run:
        (rows,) = [run.largest_kernel().filter(subject="solve(double *)")]
        assert set(rows["certainty"]) == {certainty}


def test_two_kernels_of_a_finding_have_two_names(training) -> None:
    rule = next(rule for rule in rules(training.paths).values() if dict(rule.finding)["says"])
    rule = replace(rule, finding=(("says", "{name} after {previous_name}"), ("do", "")))
    row = {"name": "void f<float, 4>(int)", "previous_name": "void f<float, 2>(int)"}
    assert filled(rule, row, {})[0] == "f<float, 4> after f<float, 2>"


def test_a_rule_that_does_not_exist_cannot_be_left_out(training) -> None:
    with pytest.raises(UsageError, match="few-blocks"):
        training.pages.findings(ignore=["few-blocs"])


def test_the_rows_of_a_rule_are_a_table(run: Callable[..., Ran], story: Callable[[str], Path]) -> None:
    text = run("explain", "host-code", story("training")).out.decode()
    assert re.search(r"^says if place +The launching thread", text, re.MULTILINE)
    assert text.splitlines()[-2].startswith("part id  gpu id  subject") and "shape:" not in text
    assert text.splitlines()[-1].split()[:3] == ["4", "0", "host"]
    assert "BIGINT" not in text  # types of columns are in `nsysql query host-code --help`


def test_the_part_of_a_finding_stands_apart_from_what_it_says(run: Callable[..., Ran], tmp_path: Path) -> None:
    text = run("explain", "outlier-pause", read_story("outlier_pause").write(tmp_path / "pause.sqlite")).text
    assert re.search(r"^part \d+  One pause .* nsysql idle-gaps --explain", text, re.MULTILINE)


def test_a_rule_that_finds_nothing_says_what_the_export_lacks(run: Callable[..., Ran], tmp_path: Path) -> None:
    ran = run("explain", "input-wait", read_story("outlier_pause").write(tmp_path / "pause.sqlite"))
    assert ran.text.endswith("It finds nothing here.\n") and "capture with --trace=osrt" in ran.err


def test_where_a_finding_is_and_how_sure_are_one_prefix(findings: Findings) -> None:
    one = replace(findings.findings[0], certainty="possible")
    assert says(one, "in start-up", "", "GPU 1") == f"In start-up, GPU 1, perhaps: {one.says}"
    assert says(replace(one, certainty="likely"), "") == one.says


def test_a_kernel_that_another_finding_claims_is_not_named_again() -> None:
    text = story_text("few_blocks")
    assert [f.code for f in found(text, "few-blocks", "largest-kernel").findings] == ["few-blocks"]
    assert one_found("largest-kernel", text).subject == "reduce(float *)"


def test_findings_are_a_page(training) -> None:
    page = training.pages.findings()
    assert page.document()["findings"][0]["code"] in str(page)


def test_as_many_findings_are_shown_as_fit_a_screen(findings: Findings) -> None:
    long = replace(findings, findings=[replace(findings.findings[0], says="a word " * 25, shown=True)] * 5)
    page = FindingsPage("run", long, False).page()
    assert fits(page.title, page.sections) and len(page.sections[1].rows) < 5
    assert "more: --all" in str(page.sections[-1].rows[-1][1])
    assert len(FindingsPage("run", long, True).page().sections[1].rows) == 5


def test_the_rule_in_the_docs_can_be_used(tmp_path) -> None:
    text = (FIXTURES.parent.parent / "docs" / "findings.md").read_text()
    sql = re.search(r"```sql\n(-- Kernels whose.*?)```", text, re.DOTALL)
    assert sql
    (tmp_path / "debug_kernels.sql").write_text(sql[1].replace("%\\_debug(%", "%"))
    assert check_pack(tmp_path) == []
    with nsysql.open(FIXTURES / "training.sqlite", packs=tmp_path) as run:
        others = rules(run.paths).keys() - {"debug-kernels"}
        assert {f.code for f in find(run, others).findings} == {"debug-kernels"}


def test_check_finds_what_is_wrong_with_a_rule(tmp_path) -> None:
    text = (FIXTURES.parent.parent / "docs" / "findings.md").read_text()
    sql = re.search(r"```sql\n(-- Kernels whose.*?)```", text, re.DOTALL)
    assert sql
    wrong = sql[1].replace("--     do  ", "--     do if many  ").replace("{subject} takes", "{kernel} takes")
    (tmp_path / "debug_kernels.sql").write_text(wrong)
    problems = "\n".join(check_pack(tmp_path))
    assert "{kernel}" in problems and "many" in problems and "has no line 'do'" in problems


def test_names_of_dlprof_markers_are_their_function() -> None:
    text = "step > {'traceMarker': ['net.py:34'], 'funcStack': '/<module>/Net::forward/Conv2d::forward/conv2d'}"
    assert brief(text) == "step > conv2d"


ONE_PASS = """
at 0
  kernel "first(float *)" 0-10 20-30 gpu=1 process=1
  call cuModuleLoadData 20-20000 process=1
""" + "".join(
    f"""
at {20_000 + 1_000 * i}
  call cudaHostAlloc 0-600 process={gpu}
  kernel "k{i}(float *)" 610-620 630-900 gpu={gpu} process={gpu}
"""
    for gpu in range(2)
    for i in range(4)
)


def test_start_up_is_told_once(tmp_path: Path) -> None:
    """In start-up of one GPU, and in what both do after it."""
    with nsysql.open(drawn("pass", ONE_PASS).write(tmp_path / "run.sqlite")) as run:
        assert run.query("startup").height == 3 and "startup" in run.query("part")["kind"]
    assert one_found("startup", ONE_PASS)


def test_a_call_before_the_first_work_counts_up_to_it() -> None:
    """The copy of the data ends 30 ms after its GPU work began: the table had 5 ms of cudaMalloc and 5 ms of it."""
    calls = found(story_text("startup_data"), "startup").calls
    assert calls.select("title", "idle_ns").rows() == [("first long CUDA call", 5_000_000)]


def test_only_the_first_call_sets_up_the_context() -> None:
    calls = found(story_text("startup_pinned"), "startup").calls
    assert calls.select("title", "idle_ns").rows() == [
        ("first long CUDA call", 100_000_000), ("cudaHostAlloc", 500_000_000),
    ]  # fmt: skip


def test_start_up_says_what_is_elsewhere() -> None:
    """A module is loaded for 20 ms in start-up, another later for 5 ms."""
    story = """
at 0
  kernel "first(float *)" 0-10 20-30
  call cuModuleLoadData 40-20000
every 1000 x 4 from 20000
  kernel "a(float *)" 10-20 30-900
at 24000
  call cuModuleLoadData 0-5000
  kernel "b(float *)" 5010-5020 5030-9900
"""
    assert one_found("startup", story).says.endswith("Another 5.000 ms elsewhere.")


def test_start_up_counts_with_all_that_it_mentions() -> None:
    """Modules are loaded for 35 ms before the steps and for 30 ms after them: with over half of the window second."""
    story = """
gpu "NVIDIA A100-SXM4-40GB" 8.0 108
at 0
  kernel "first(float *)" 0-10 20-30
  call cuModuleLoadData 40-35000
every 200 x 100 from 35000
  kernel "a(float *)" 10-20 30-90 blocks=20
  copy down 91-93 94-130 bytes=900000
  call cudaStreamSynchronize 94-134
at 55000
  call cuModuleLoadData 0-30000
  kernel "b(float *)" 30010-30020 30030-30100
"""
    findings = [f for f in found(story).findings if f.shown]
    assert not findings[0].once and findings[1].code == "startup" and findings[2:]


def test_an_export_without_cuda_calls_says_so(tmp_path: Path) -> None:
    story = read_story("launch_bound")
    del story.rows["CUPTI_ACTIVITY_KIND_RUNTIME"]
    with nsysql.open(story.write(tmp_path / "run.sqlite")) as run:
        found = find(run)
    (text,) = found.unsure
    assert text.startswith("why the GPU is idle: the export has no CUDA calls")
    assert found.headline.endswith("why it is idle is not known: the export has no CUDA calls")


def test_the_end_is_what_its_finding_says_on_each_page(run: Callable[..., Ran], tmp_path: Path) -> None:
    """GPU-bound, then idle: no page counts the host's reading as idle time of the kernels, or says it must be."""
    text = story_text("host_reads_managed")
    assert "; then the host reads unified memory for " in found(text, "host-reads-managed").headline
    path = drawn("run", text).write(tmp_path / "run.sqlite")
    assert "from first to last kernel; then for " in run("idle-gaps", path).text
    loop = read_story("host_reads_managed_loop").write(tmp_path / "loop.sqlite")  # idle time between kernels stays so
    assert "Idle for 30% of the time from first to last GPU work." in run("idle-gaps", loop).text
    with nsysql.open(path) as export:
        gap = export.query("idle_gaps", top=1)["gap_id"][0]
    text = run("idle-gaps", path, "--explain", gap).text
    assert "cudaMemPrefetchAsync to the host" in " ".join(text.split()) and "cannot be removed" not in text


LOOP = """
gpu "NVIDIA A100" 8.0 108
every 1000 x 30
  kernel "a(float *)" 5-9 50-900 blocks=2000
"""
KERNELS = "UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET"


@pytest.mark.parametrize(
    ("sql", "said"),
    [
        (f'{KERNELS} "end" = start - 100 WHERE rowid IN (3, 4)', "2 pieces of GPU work end before it starts: left out"),
        (f"{KERNELS} blockX = 0 WHERE rowid = 3", "[largest-kernel]"),
        (f'{KERNELS} "end" = 9223372036854775000 WHERE rowid = 3', "the column end of row 3 of CUPTI_ACTIVITY_KIND_K"),
        (f'{KERNELS} start = 1 << 62, "end" = (1 << 62) + 9 WHERE rowid = 3', "the column start of row 3 of CUPTI_ACT"),
        ("DROP TABLE TARGET_INFO_GPU", "whether kernels fill the GPU (few-blocks, tail-wave, low-occupancy)"),
    ],
)  # fmt: skip
def test_bad_rows_are_named(sql: str, said: str, run: Callable[..., Ran], tmp_path: Path) -> None:
    """They are left out, or refused by table and column; the page is there for one bad row of a kernel's shape."""
    path = drawn("loop", LOOP).write(tmp_path / "run.sqlite")
    alter(path, sql)
    answer = run("summary", path)
    assert said in " ".join(f"{answer.text} {answer.err}".split())


def test_advice_is_not_given_twice_nor_for_another_language() -> None:
    advice = {f.code: f.do for f in found(story_text("graph_candidate"), "launch-bound", "graph-candidate").findings}
    assert advice["launch-bound"].startswith("A larger batch") and advice["graph-candidate"].startswith(
        "Capture a step"
    )
    assert not any("torch" in text for text in advice.values())


def test_a_pause_is_explained_by_its_gap(tmp_path: Path) -> None:
    (number,) = re.findall(r"--explain (\d+)", one_found("outlier-pause", story_text("outlier_pause")).do)
    with nsysql.open(read_story("outlier_pause").write(tmp_path / "run.sqlite")) as export:
        assert export.query("idle_gaps", top=1)["gap_id"][0] == int(number)


def test_the_end_is_idle_for_what_its_finding_says() -> None:
    text = story_text("host_reads_managed")
    one = one_found("host-reads-managed", text)
    causes = found(text, "host-reads-managed").causes.filter(part_id=one.part_id).sort("idle_ns", descending=True)
    assert causes["cause"][0] == "unified_memory" and causes["idle_ns"][0] >= 0.9 * one.total_ns


WITHOUT_KERNELS = """
every 1000 x 30
  copy up 0-4 10-50 bytes=1000
  kernel "a(float *)" 5-9 50-900
  copy down 10-910 901-905 bytes=1000
at 400000
  copy up 0-4 10-50 bytes=1000
"""


def test_nothing_is_said_of_gpu_time_without_its_kernels(run: Callable[..., Ran], tmp_path: Path) -> None:
    """Time without copies may be that of kernels: no share of idle time, no pause, no finding."""
    story = drawn("lost", WITHOUT_KERNELS)
    del story.rows["CUPTI_ACTIVITY_KIND_KERNEL"]
    path = story.write(tmp_path / "run.sqlite")
    with nsysql.open(path) as export:
        found = find(export)
    assert not found.findings and found.parts["idle_ns"].null_count() == found.parts.height
    assert found.headline == "When the GPU worked is not known: the export has 30 kernel launches and no kernel"
    for command in ("summary", "findings", "idle-gaps"):
        text = run(command, path).text
        assert "not known: the export has 30 kernel launches" in text and "%" not in text
    assert "--trace=cuda records kernels" in run("summary", path).text


@pytest.mark.parametrize(
    ("name", "loads"),
    [
        ("enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__", True),
        ("step > data", True),
        ("train > get_next_batch", True),
        ("forward > get_input_embeddings", False),
        ("prepare_inputs_for_generation", False),
        ("IteratorGetNext", True),
        ("next(data)", True),
        ("data loading", True),
        ("load_model", False),
        ("step > forward", False),
        ("update data structures", False),
        ("batch_norm", False),
        ("prepare kernels", False),
    ],
)
def test_ranges_that_load_data(training: nsysql.Run, name: str, loads: bool) -> None:
    assert training.sql("SELECT is_loading($name) AS loads", {"name": name})["loads"].item() is loads


def test_a_gap_with_two_calls_is_one_gap() -> None:
    text = 'every 1000 x 20\n  call cudaFree 0-300\n  call cudaMalloc 310-600\n  kernel "k(float *)" 610-613 620-990\n'
    assert "in 19 gaps" in one_found("allocation-per-step", text).says


def test_idle_time_that_no_rule_fits_is_named() -> None:
    """Two long launches have most of the time: too few for a habit, and no set-up."""
    calls = "\n".join(f'at {at}\n  kernel "k(float *)" 0-3000 3010-4000' for at in (0, 4000, 8000))
    long = found(f'gpu "NVIDIA A100-SXM4-40GB" 8.0 108\n{calls}')
    assert "calls-per-step" not in {one.code for one in long.findings}
    assert long.unsure == [
        "how to avoid launch call overhead (67% of the time in its work): no rule fits; nsysql idle-gaps has the gaps"
    ]


def test_calls_before_the_first_work_are_named(tmp_path: Path) -> None:
    text = (
        'gpu "NVIDIA A100-SXM4-40GB" 8.0 108\nat 0\n  call cudaMalloc 0-900\n  kernel "k(float *)" 990-1000 1010-2000'
    )
    with nsysql.open(drawn("before", text).write(tmp_path / "b.sqlite")) as run:
        page = str(run.pages.summary())
    assert re.search(r"before first GPU work +1.01 ms +first long CUDA call 900 µs\n", page)
    short = found(text.replace("0-900", "0-300"), "startup").calls
    assert short.select("title", "idle_ns").rows() == [
        ("first long CUDA call", 300_000), ("outside of CUDA calls", 710_000),
    ]  # fmt: skip
    waits = found(text.replace("cudaMalloc", "cudaDeviceSynchronize"), "startup").calls  # for work before the capture
    assert waits.select("title", "idle_ns").rows() == [("cudaDeviceSynchronize", 900_000)]


def test_what_compiles_at_run_time_is_to_be_kept() -> None:
    one = one_found("startup", text := story_text("startup_jit"))
    assert "most of it run-time compilation" in one.says and "TRITON_CACHE_DIR" in one.do
    assert not found(text, "startup").unsure


def test_streams_that_never_overlap_save_at_most_what_could_overlap() -> None:
    """Of two streams of 3 ms with 20 blocks on 108 SMs, one could run beside the other."""
    one = one_found("serial-streams", story_text("serial_streams"))
    assert (one.bound, one.saves_ns) == ("at most", 3_000_000)


def test_a_gpu_with_more_blocks_saves_what_an_even_split_does_a_slow_one_what_it_is_behind() -> None:
    slow = one_found("uneven-gpus", story_text("uneven_gpus_slow"))
    assert slow.saves_ns == 30 * 600_000 and "check its clock" in slow.do
    split = one_found("uneven-gpus", story_text("uneven_gpus_slightly"))
    assert split.saves_ns == 30 * 40_000 and "clock" not in split.do


def test_what_stays_hidden_is_not_replayed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A replay only lowers what it saves, so that it stays hidden."""
    with nsysql.open(read_story("fp32_matmul").write(tmp_path / "run.sqlite")) as run:
        every = found(story_text("fp32_matmul"), "fp32-matmul").findings
        hidden = [replace(f, shown=False) for f in every if f.claims in savings.OF_KERNELS and f.saves_ns]
        assert hidden
        monkeypatch.setattr(savings, "explained_graph", pytest.fail)
        assert savings.replayed(hidden, run) == hidden


def test_fusing_saves_about_what_it_says() -> None:
    """Fewer launches can save more than the time of the kernels."""
    assert one_found("unfused-elementwise", story_text("unfused_elementwise")).bound == "about"


def test_what_happens_once_is_told_second_if_it_has_half_of_the_window() -> None:
    """A module is loaded for 200 or 20 ms before 50 steps of 1 ms with copies that are longer than kernels."""
    for load, second in ((200_000, "startup"), (20_000, "largest-kernel")):
        text = (
            'gpu "NVIDIA A100-SXM4-40GB" 8.0 108\nat 0\n  memset 0-5 10-20 bytes=4000\n'
            f"  call cuModuleLoadData 20-{load}\n"
            f'every 1000 x 50 from {load}\n  copy up 0-5 10-600 bytes=9000000\n  kernel "work(float *)" 6-10 601-995'
        )
        codes = [f.code for f in found(text, "exposed-copies", "startup", "largest-kernel").findings]
        assert (codes[0], codes[1], "startup" in codes) == ("exposed-copies", second, True)


def test_a_saving_is_that_of_kernels_of_which_it_is_known() -> None:
    """Single precision makes a matrix product 64 times as fast; what it does for another kernel is not known."""
    text = (
        'gpu "NVIDIA GeForce RTX 3060" 8.6 28\nevery 1000 x 20\n'
        '  kernel "ampere_dgemm_64x64_nn" 0-5 10-650\n  kernel "assemble(double *)" 6-10 651-990'
    )
    one = one_found("fp64-on-geforce", text)
    assert one.saves_ns is not None and one.saves_ns <= 20 * 640_000


def test_the_saving_of_a_matrix_product_is_the_most_that_the_advice_can_reach() -> None:
    """TF32, which is advised, has half the peak of bf16."""
    one = one_found("fp32-matmul", story_text("fp32_matmul"))
    assert one.bound == "at most" and 0 < (one.saves_ns or 0) <= 30 * 90_000 * 7 // 8


def test_streams_side_by_side_save_no_more_than_their_blocks_leave_empty() -> None:
    """20 of 108 SMs are busy, so one stream's kernels fit beside the other's; of 80, only what 28 SMs can take."""
    text, busy_ns = story_text("serial_streams"), 30 * 200_000
    assert one_found("serial-streams", text).saves_ns == busy_ns // 2
    fuller = one_found("serial-streams", text.replace("blocks=20", "blocks=80"))
    assert fuller.saves_ns == pytest.approx(busy_ns * 28 / 108, rel=0.001)


def test_a_pause_of_a_gpu_that_hardly_works_does_not_lead() -> None:
    """GPU 1 runs one kernel at the beginning and one at the end, while GPU 0 works in steps with host code between."""
    gpu = 'gpu "NVIDIA A100-SXM4-40GB" 8.0 108\n'
    other = "".join(f'at {at}\n  kernel "warm(int *)" 0-3 5-50 gpu=1\n' for at in (0, 101_000))
    text = f'{gpu}{gpu}{other}every 1000 x 100 from 500\n  kernel "work(float *)" 400-405 410-990'
    codes = [f.code for f in found(text, "host-code", "outlier-pause").findings]
    assert codes[0] == "host-code" and codes[-1] == "outlier-pause"


@pytest.mark.parametrize(
    ("name", "short"),
    [
        ("cudapy::__main__::saxpy$241(Array<float>)", "saxpy"),
        ("m::saxpy[abi:v1][abi:c8](Array<float>)", "saxpy"),
        (f"_Z80{'long' * 20}7Float32", f"_Z80{'long' * 14}"),
        ("__omp_offloading_31_18a8104__Z_1...", "__omp_offloading_31_18a8104__Z"),
    ],
)
def test_kernels_are_profiled_by_their_function(name: str, short: str, tmp_path: Path) -> None:
    """Of a long name the beginning: a regular expression of ncu finds it anywhere, and a sentence would cut it."""
    with nsysql.open(drawn("numba", f'at 0\n  kernel "{name}" 0-5 10-900').write(tmp_path / "n.sqlite")) as run:
        assert run.query("largest_kernel")["short_name"].to_list() == [short]


def test_no_kernel_saves_more_than_what_exceeds_the_shortest(tmp_path: Path) -> None:
    """One block of 108 would save 99 % of 4 us: but a kernel of nothing takes 1.5 us."""
    text = 'gpu "NVIDIA A100-SXM4-40GB" 8.0 108\nevery 10 x 20\n  kernel "k(float *)" 0-3 4-8 blocks=1'
    with nsysql.open(drawn("short", text).write(tmp_path / "s.sqlite")) as run:
        assert run.query("few_blocks")["saves_ns"].to_list() == [20 * 2500]


def test_blocks_of_few_warps_leave_schedulers_of_their_sms_idle() -> None:
    """Blocks of 16 threads on 10 of 28 SMs: with 128 threads the same work took 238 of 1,315 ms, with 512 120 ms."""
    text = 'gpu "NVIDIA A30" 8.0 28\nat 0\n  kernel "k(int *)" 0-3 10-1315010 blocks=10 threads=16'
    assert one_found("few-blocks", text).saves_ns == 1_315_000_000 - round(1_315_000_000 * 10 / 28 * 16 / 128)


def test_a_kernel_of_several_grids_has_their_range() -> None:
    """In 1 and 20 blocks, and in 400 that take twice as long."""
    grids = ("0-3 300-400 blocks=1", "4-7 400-500 blocks=20", "8-11 500-700 blocks=400")
    kernels = "".join(f'\n  kernel "solve(float *)" {grid}' for grid in grids)
    one = one_found("few-blocks", f'gpu "NVIDIA A100" 8.0 108\nevery 400 x 30{kernels}')
    assert one.says.startswith("solve runs in 1 to 20 blocks on 108 SMs: 6.000 ms, 60 times.")


def test_a_finding_about_several_kernels_counts_the_others() -> None:
    kernels = ('"a(float *)" 0-3 200-300', '"b(float *)" 4-7 300-350', '"c(float *)" 8-11 350-360')
    lines = "".join(f"\n  kernel {kernel} blocks=5000 threads=1" for kernel in kernels)
    one = one_found("small-blocks", A100 + f"every 500 x 30{lines}")
    assert one.says == "a runs with 1 thread a block: 3.000 ms, 30 times. Likewise 2 others: 1.800 ms."
    assert one.total_ns == 4_800_000 and one.saves_ns is None


def test_a_kernel_of_two_loops_is_one_finding_with_both_savings(tmp_path: Path) -> None:
    text = story_text("few_blocks_two_loops")
    rows = found(text, "few-blocks")
    own = [f for f in rows.findings if f.code == "few-blocks"]
    assert [f.total_ns for f in own] == [12_000_000]
    one = own[0]
    first, other = one.each
    assert one.saves_ns == first.saves_ns + other.saves_ns and one.part_ns == first.part_ns + other.part_ns
    assert one.place == f"{first.place} and 1 more part" and one.says.endswith(f"Another 5.000 ms in {other.place}.")
    document = next(f for f in rows.document()["findings"] if f["code"] == "few-blocks")
    assert document["part"]["id"] == first.part_id and document["part"]["also"] == [other.part_id]
    with nsysql.open(drawn("two", text).write(tmp_path / "two.sqlite")) as run:
        number = [f.code for f in find(run).findings if f.shown].index("few-blocks") + 1
        applied = run.pages.what_if(f"apply {number}").document()["predictions"][0]
        assert other.saves_ns < first.saves_ns < applied["saves_ns"] <= one.saves_ns


def test_the_length_of_a_part_stands_by_a_share_of_it() -> None:
    rows = found(story_text("few_blocks_two_loops"), "few-blocks", "host-code")
    text = str(findings_section([f for f in rows.findings if f.shown], 2, rows.parts).rows[1][1])
    assert text.startswith("In other GPU work (10.0 ms), perhaps: ")


def test_the_rate_of_pageable_copies_fits_their_bytes_and_time() -> None:
    """12 MB take 3 ms; before, the driver stages them for 1 ms."""
    copy = "copy up 0-3990 1000-4000 bytes=12000000 pageable=1 as=cudaMemcpy"
    kernel = 'kernel "work(float *)" 3991-3995 4000-4995'
    one = one_found("pageable-copies", A100 + f"every 5000 x 12\n  {copy}\n  {kernel}")
    assert one.says.startswith("144.0 MB are copied from or to pageable memory at 4.000 GB/s: 36.00 ms; the GPU is")


def test_advice_on_matrix_products_fits_the_program() -> None:
    products = "every 100 x 30\n  kernel ampere_sgemm_128x64_tn 0-3 200-290"
    assert one_found("fp32-matmul", A100 + products).do.startswith("Use TF32 (cuBLAS")
    torch = f'{products}\n  kernel "void at::native::vectorized_elementwise_kernel<4, F>(int, F)" 4-7 290-300'
    assert one_found("fp32-matmul", A100 + torch).do.startswith("Use TF32: torch.")


def test_blocks_of_a_generated_reduction_are_not_the_programs() -> None:
    kernels = '"main_58_gpu" 0-3 200-280 blocks=5000', '"main_58_gpu__red" 4-7 280-300 blocks=1'
    one = one_found("few-blocks", A100 + "every 100 x 30" + "".join(f"\n  kernel {kernel}" for kernel in kernels))
    assert one.do.endswith("reduce less often.")


def test_parts_that_do_not_fit_are_named_by_the_longest() -> None:
    parts = [PartRow("series", f"{n} repeats", n * 10**9, (1.0, 1.0), 0, 0, ()) for n in (1, 2, 3)]
    assert parts_section(parts, "", 1).rows[-1][:2] == ("2 more parts", "3.00 s")
    assert parts_section(parts, "", 1).rows[-1][-1] == "longest: 2 repeats"
    assert parts_section(parts, "", 2).rows[-1][-1] == "1 repeats"
    some = replace(parts[0], title="3 repeats on GPU 1", uneven="median 1 s")
    assert parts_section([some], "", 1).after == ("The 3 repeats: median 1 s.",)
    parts[0] = replace(parts[0], length_ns=10**8)
    assert parts_section(parts, "", 2).rows[-1][-1] == ""


def test_steps_come_before_the_longer_work_of_a_gpu_without_steps() -> None:
    series = PartRow("series", "9 repeats", 10**7, (0.0, 0.0), 0, 0, ())
    work = PartRow("work", "GPU work", 10**8, (0.0, 0.0), 0, 0, ())
    assert parts_section([series, work], "", 1).rows[0][0] == "9 repeats"


def test_bars_are_columns_only_if_one_is_drawn() -> None:
    rows = [PartRow("outside", "outside", 10**9, None, 0, 0, ())]
    rows.append(PartRow("series", "9 repeats", 10**9, (0.5, 0.5), 5 * 10**8, 5 * 10**8, ()))
    section = parts_section(rows, "", 2)
    assert section.bars == {3}
    file = io.BytesIO()
    write_markdown(Page("page", (section,)), file)
    assert "| part | length | busy | idle | why idle |" in file.getvalue().decode()
    rows[1] = replace(rows[1], busy=(0.0, 0.0))
    assert len(parts_section(rows, "", 2).columns) == 5
