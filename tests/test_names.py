"""Names of kernels: short by their meaning, one for each kernel of a page, and whole where programs read them."""

import io
import json
import re
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from html import unescape
from pathlib import Path

import polars as pl
import pytest
from command_line import Ran
from exports import corpus_names, each_opened
from hypothesis import given, settings
from hypothesis import strategies as st

import nsysql
from nsysql.pages.elements import Bar, Column, Page, Section
from nsysql.render import table
from nsysql.render.page import named, write_markdown, write_terminal
from nsysql.words.cpp_names import read_name
from nsysql.words.kernel_names import Names, Naming, is_kernel, short, short_names
from nsysql.words.quantities import columns_of

pytestmark = pytest.mark.usefixtures("kept_open")

AT = "at::native::"
LAMBDA = "[lambda(float) (instance 1)]"
SHORT = {
    f"void {AT}vectorized_elementwise_kernel<4, {AT}CUDAFunctor_add<c10::BFloat16>, std::array<char*, 3ul>>(int, T2)":
        "vectorized_elementwise_kernel<CUDAFunctor_add<BFloat16>>",
    f"void {AT}vectorized_elementwise_kernel<(int)4, {AT}exp_kernel_cuda(at::TensorIteratorBase &)::"
    f"[lambda() (instance 2)]::operator ()() const::{LAMBDA}, std::array<char *, (unsigned long)2>>(int, T2, T3)":
        "vectorized_elementwise_kernel<exp_kernel_cuda<float>>",
    f"void {AT}elementwise_kernel<128, 4, {AT}gpu_kernel_impl<{AT}BinaryFunctor<c10::BFloat16, c10::BFloat16, "
    f"c10::BFloat16, {AT}binary_internal::MulFunctor<float>>>(at::TensorIteratorBase&)::{{lambda(int)#1}}>(int, T3)":
        "elementwise_kernel<BinaryFunctor<BFloat16, MulFunctor<float>>>",
    f"void {AT}reduce_kernel<512, 1, {AT}ReduceOp<float, {AT}MeanOps<float, float, float, float>, unsigned int, float, "
    "4, 4>>(T3)": "reduce_kernel<MeanOps<float>>",
    "void (anonymous namespace)::softmax_warp_forward<float, float, float, 6, false, false>(float*, float const*, int)":
        "softmax_warp_forward<float>",
    "void Eigen::internal::EigenMetaKernel<Eigen::TensorEvaluator<Eigen::TensorAssignOp<Eigen::TensorMap<int>, "
    "Eigen::TensorCwiseUnaryOp<Eigen::internal::scalar_boolean_not_op<bool>, int> const> const, Eigen::GpuDevice>, "
    "int>(int)": "EigenMetaKernel<scalar_boolean_not_op<bool>>",
    "void cub::DeviceReduceKernel<cub::DeviceReducePolicy<float, int, cub::Sum>::Policy600, float *, int, cub::Sum, "
    "float>(T2, T5 *)": "DeviceReduceKernel<float, Sum>",
    "void flash::flash_fwd_kernel<Flash_fwd_kernel_traits<128, 128, 64, 4, false, false, cutlass::bfloat16_t, "
    "Flash_kernel_traits<128, 128, 64, 4, cutlass::bfloat16_t>>, false, true>(flash::Flash_fwd_params)":
        "flash_fwd_kernel<Flash_kernel_traits<128, 128, 64, 4, bfloat16_t>>",
    "void cutlass::Kernel2<cutlass_80_tensorop_bf16_s16816gemm_bf16_128x128_32x5_tn_align8>(T1::Params)":
        "cutlass_80_tensorop_bf16_s16816gemm_bf16_128x128_32x5_tn_align8",
    "sm80_xmma_gemm_f32f32_f32f32_f32_tn_n_tilesize128x128x8_stage3_warpsize2x2x1_ffma_aligna4_alignc4_execute_split_k"
    "_kernel__5x_cublas": "sm80_xmma_gemm_f32f32_f32f32_f32_tn_n_tilesize128x128x8_split_k",
    "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)":
        "ncclDevKernel_AllReduce_Sum_bf16_RING_LL",
    "triton_poi_fused_add_mul_0": "triton_poi_fused_add_mul_0",
    "step 1/void gemm<float, 128>(float *)": "step 1/gemm<float, 128>",
    "reduce<double, (int)256>(const T1 *, T1 *, int)": "reduce<double, 256>",
    "dag_lts_kernel<(int)1, (int)128>(const int *)": "dag_lts_kernel<1, 128>",
    "copy DtoH": "copy DtoH",
    "f<": "f<",
}  # fmt: skip
OTHER = [  # no kernels: texts of ranges, files, calls
    "load(data)", "step", "aten::add", "aten::to, op_id = 4", "a < b", "f()", "epoch (1)", "forward<1>", "void", "",
    "autograd::engine::evaluate_function: AddmmBackward0", "/usr/lib/libcuda.so.1", "[CUDA memset]", "cudaMalloc",
]  # fmt: skip


@pytest.mark.parametrize("name", SHORT, ids=SHORT.values())
def test_a_name_is_short_by_its_meaning(name: str) -> None:
    assert short(name) == SHORT[name]


@pytest.mark.parametrize("text", OTHER)
def test_what_is_no_kernel_stays_in_tables(text: str) -> None:
    assert not is_kernel(text)
    assert Naming().of_texts([text]) == {}


def words(depth: int = 3) -> st.SearchStrategy[str]:
    plain = st.sampled_from(["float", "int", "4", "(int)128", "true", "a::b", "std::array<char*, 3ul>", "unsigned int"])
    if not depth:
        return plain
    inner = st.lists(words(depth - 1), min_size=1, max_size=3).map(", ".join)
    return plain | st.builds("{}<{}>".format, st.sampled_from(["F", "n::Functor", "BinaryFunctor", "g::h"]), inner)


KERNELS = st.builds(
    "void {}<{}>({})".format, st.sampled_from(["k", "ns::kernel", "elementwise_kernel"]), words(), words()
)


@settings(deadline=None, max_examples=40)
@given(st.lists(KERNELS, max_size=12), st.integers(12, 90) | st.none())
def test_names_of_kernels_differ_where_the_kernels_do(names: list[str], width: int | None) -> None:
    found = short_names(names, width)
    assert found.keys() == set(names)
    assert len(set(found.values())) == len(found)
    assert width is None or all(columns_of(text) <= width for text in found.values())
    assert found == short_names(names, width)


@settings(deadline=None)
@given(st.text(alphabet="ab:<>()[]{},*& 1lambdoper/\n", max_size=60))
def test_any_text_has_a_short_name(text: str) -> None:
    assert isinstance(short(text), str)
    assert list(short_names([text, "void f<int>(int)"])) == list(dict.fromkeys([text, "void f<int>(int)"]))


def test_a_name_that_nests_too_deep_stays() -> None:
    deep = "f<" * 5000 + "int" + ">" * 5000
    assert read_name(deep) is None
    assert short(deep) == deep


@each_opened(corpus_names())
def test_names_of_public_exports_are_read_and_stay_unique(opened: nsysql.Run) -> None:
    names = opened.sql("SELECT DISTINCT name FROM kernel WHERE name IS NOT NULL")["name"].to_list()
    found = short_names(names)
    assert all(read_name(text) for text in names)
    assert len(set(found.values())) == len(names)
    assert len(set(short_names(names, 32).values())) == len(names)


# Pages and tables ----------------------------------------------------------------------------------------

MUL = next(name for name in SHORT if "MulFunctor" in name)
EXP = next(name for name in SHORT if "exp_kernel" in name)
FEW = (Column("share"), Column(), Column("name", right=False))
PAIR = (*map(Column, ("total", "times", "mean")), *(Column(n, right=False) for n in ("after", "before", "mostly")))
PAGE = Page(
    "names",
    (
        Section(
            "Kernels", columns=FEW, rows=(("50.0%", Bar(0.5, 20), Names((MUL,))), ("9%", Bar(0.09, 20), Names((EXP,))))
        ),
        Section(
            "Patterns",
            columns=PAIR,
            rows=(("9.000 ms", "1", "9.000 ms", Names((MUL,)), Names((EXP,)), "Waiting for thread or rank"),),
        ),
        Section(
            "Gaps",
            columns=(Column("gap"), Column("causes", right=False, wrap=True)),
            rows=(("1", "Host code"), ("", Names((EXP, MUL), "after {}, before {}"))),
        ),
    ),
)


def drawn(width: int | None, naming: Naming = Naming()) -> str:  # noqa: B008
    file = io.StringIO()
    write_terminal(named(PAGE, naming, width or 160), file, width)
    return file.getvalue()


@pytest.mark.parametrize("width", [70, 80, 100, 120, 160, 200, None])
def test_a_kernel_has_one_name_all_over_a_page(width: int | None) -> None:
    text = drawn(width)
    assert all(columns_of(line) <= (width or 160) for line in text.splitlines())
    kernels = re.findall(r"\w+…?<\S.*?>(?=[\s,])(?! >)", text)
    assert len(set(kernels)) == 2, kernels
    assert all(kernels.count(kernel) == 3 for kernel in kernels)
    assert "Waiting for thread or rank" in text
    assert width == 70 or "…" not in text or width < 160


def test_a_wide_terminal_is_used_and_a_pipe_is_as_wide_as_its_content() -> None:
    assert max(map(columns_of, drawn(200).splitlines())) > 160
    assert f"after {SHORT[EXP]}, before {SHORT[MUL]}" in " ".join(drawn(None).split())
    gaps = Page("gaps", PAGE.sections[2:])
    file = io.StringIO()
    write_terminal(named(gaps, Naming(), 160), file, None)
    assert "…" not in file.getvalue()


def test_names_are_as_long_as_they_are_wanted() -> None:
    assert MUL in drawn(80, Naming(is_full=True))
    twenty = drawn(160, Naming(width=20))
    assert SHORT[MUL] not in twenty
    assert all(columns_of(name) <= 20 for name in short_names([MUL, EXP], 20).values())
    assert all(name in twenty for name in short_names([MUL, EXP], 20).values())


def test_markdown_has_short_names_and_a_row_for_each_row() -> None:
    file = io.BytesIO()
    write_markdown(named(PAGE, Naming(), None), file)
    text = file.getvalue().decode()
    assert "exp_kernel_cuda\\<float>>" in text
    assert "| 1 | Host code<br>after " in text
    file = io.BytesIO()
    table.write_markdown(pl.DataFrame({"name": [MUL, "step"]}), file)
    assert "BinaryFunctor" in file.getvalue().decode() and "at::" not in file.getvalue().decode()


def test_tables_have_short_names_that_are_alike_in_all_columns() -> None:
    frame = pl.DataFrame({"n": [1, 2], "previous_name": [MUL, EXP], "next_name": [EXP, "load(data)"]})
    file = io.StringIO()
    table.write(frame, file, 200)
    lines = file.getvalue().splitlines()
    assert lines[1].split("  ")[-2].strip() == SHORT[MUL] and lines[2].split()[1] == SHORT[EXP]
    assert lines[2].endswith("load(data)")


def test_a_kernel_has_one_name_in_all_tables_and_pages(
    story: Callable[[str], Path], tmp_path: Path, run: Callable[..., Ran]
) -> None:
    path = tmp_path / "alike.sqlite"
    shutil.copy(story("training"), path)
    with closing(sqlite3.connect(path)) as export, export:
        used = "SELECT demangledName FROM CUPTI_ACTIVITY_KIND_KERNEL GROUP BY 1 ORDER BY sum(end - start) DESC LIMIT 2"
        for (name_id,), flag in zip(export.execute(used).fetchall(), ("true", "false"), strict=True):
            export.execute(
                "UPDATE StringIds SET value = ? WHERE id = ?", (f"void gemm<float, 64, {flag}>(int)", name_id)
            )
    commands = ("cuda-gpu-kern-sum --limit 1", "summary --all", "findings", "steps", "timeline -f svg")
    said = {command: run(command.split()[0], path, *command.split()[1:]).out.decode() for command in commands}
    with nsysql.open(path) as opened:
        said["pages"] = f"{opened.pages.summary(all=True)}{opened.pages.flame().svg()}"
    names = {command: set(re.findall(r"gemm<[^>]*>", unescape(text))) for command, text in said.items()}
    known = {"gemm<float, 64, true>", "gemm<float, 64, false>"}
    assert {command: found - known for command, found in names.items() if not found or found - known} == {}


def test_programs_get_whole_names(run: Callable[..., Ran], story: Callable[[str], Path]) -> None:
    export = story("training")
    with nsysql.open(export) as opened:
        names = opened.cuda_gpu_kern_sum()["name"].to_list()
    assert any("(" in name for name in names)
    assert [row["name"] for row in json.loads(run("cuda-gpu-kern-sum", export, "-f", "json").out)] == names
    assert pl.read_csv(run("cuda-gpu-kern-sum", export, "-f", "csv").out)["name"].to_list() == names
    full = run("cuda-gpu-kern-sum", export, "--full-names").text
    assert all(name in full for name in names)
    page = run("summary", export, "--all", "--full-names", "--top", "50").text
    assert all(name in page for name in names)


def test_columns_without_a_value_are_not_shown(run: Callable[..., Ran], story: Callable[[str], Path]) -> None:
    select = "SELECT 1 AS a, NULL AS b"
    assert run("sql", story("two_streams"), select).text == "a\n1\n"
    assert run("sql", story("two_streams"), select, "--columns", "a,b").text == "a  b\n1\n"
    assert run("sql", story("two_streams"), select, "-f", "csv").text == "a,b\n1,\n"
    assert run("sql", story("two_streams"), "SELECT NULL AS b").text == "b\n\n"


def test_a_narrow_table_of_launches_says_what_ran_where_and_how_long(
    run: Callable[..., Ran], story: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    head = run("launches", story("training")).text.splitlines()[0]
    assert all(f" {name} " in f" {head} " for name in ("name", "gpu id", "stream id", "start", "dur"))
    assert "kind" not in head


def test_the_form_for_people_has_one_name(run: Callable[..., Ran], story: Callable[[str], Path]) -> None:
    export = story("two_streams")
    assert run("summary", export, "-f", "table").text == run("summary", export).text
    for page in ("summary", "idle-gaps", "doctor"):
        assert "<table|markdown|html|json|csv|ndjson|parquet|arrow>" in run(page, "--help").text
