"""The verdict: where a program repeats, what limits it, and what it says first of the public captures."""

import re
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest
from exports import corpus_folder, each_opened

import nsysql
from nsysql.pages.idle.gather import collect
from nsysql.pages.scope import PageScope
from nsysql.pages.verdict.facts import Verdict
from nsysql.pages.verdict.startup import Repetition, repetition

# The kind that limits most, and what the first advice, or where it is the later one's, any advice must name.
# The expert's verdicts on these captures; "cold start" of runs that repeat nothing.
JUDGED = [
    (
        "dlprof-nvtx-2022.1",
        "cold_start",
        "No repeating step was found; .*, the longest: .*cudnn_convolution.*30.0% of it recurs: 1.490 ms in 10 gaps",
    ),
    ("gol-osrt-2022.1", "sync_bound", "98 calls of cudaDeviceSynchronize, one after every launch"),
    ("gpumetrics-a-2023.4", "cold_start", "cublasLtCreate .*first launch of gen_sequenced"),
    ("gtls-sssp-2023.1", "gpu_bound", "calcAllLowestResidualsGPU has the most time: 65%"),
    (
        "h100-2gpu-nccl-2026.2",
        "copy_bound",
        "pinned memory take 95%.*on average 920.8 ms a GPU, 1.842 s in all, 446 copies.*27.7 GB/s",
    ),
    ("keras-cudnn-2023.4", "cold_start", "1.959 s.*first launch of FillPhilox"),
    ("llm27b-cudagraph-2024.6", "gpu_bound", "10 launches of graph 4, 781.* --cuda-graph-trace=node"),
    ("mfu-before-2gpu-2026.2", "gpu_bound", "flash_fwd_kernel .FlashAttention. has the most time: 46%"),
    ("mordred-nometa", "cpu_bound", "putc"),
    ("mpi-openacc-4gpu-2023.4", "cold_start", "cuMemHostRegister"),
    ("trisolve-nvtx-2023.3", "sync_bound", "first launch of dag_lts_kernel compiles it"),
    ("um-intro-2024.5", "cold_start", "CPU reads the results page by page"),
    (
        "v100-nometa",
        "cpu_bound",
        "in no traced call: .*1.820 s at 9.277950 s .in gap 128., .*between copy Device-to-Host and",
    ),
    ("windows-gtx1650-2025.3", "gpu_bound", "matrixMulKernel has the most time: 71%"),
    ("wsl2-vecadd-2026.1", "copy_bound", "Host-to-Device copies from pinned memory.*13.0 GB/s"),
    ("more/pairs/async-wsl-2", "copy_bound", "Host-to-Device copies from pinned memory"),
    ("more/pairs/heat1024-nocublas-a", "cold_start", "cuMemHostAlloc"),
    ("more/pairs/nuss-block16", "gpu_bound", "nussinov_gpu has the most time"),
    ("more/cpu/matvec-multiwarp-short", "cpu_bound", "mersenne_twister"),
    ("more/cpu/matvec-streams-b", "cpu_bound", "init_matrix"),
    ("more/ranks/gem8/gem-before-02", "cold_start", "Start-up: .* before copy Host-to-Device"),
    ("more/ranks/gem8/gem-before-03", "cold_start", "Start-up: .* before copy Host-to-Device"),
]
LATER = [  # what any advice must name
    ("trisolve-nvtx-2023.3", "compiles it: 36 CPU samples.*sm_75"),
    ("trisolve-nvtx-2023.3", "17 calls of cudaStreamSynchronize in .*Stream Synchronization"),
    ("trisolve-nvtx-2023.3", "release threshold of the memory pool"),
    ("wsl2-vecadd-2026.1", "kernels run for only 0.6%.*The two directions never overlap"),
    ("h100-2gpu-nccl-2026.2", "kernels run for only 2.3%, so to copy while they run saves no more than that.$"),
    (
        "mfu-before-2gpu-2026.2",
        "start it earlier, or on its own stream.*nsysql ranks tells waiting from transfer",
    ),  # of SendRecv, which has no buckets
    ("mfu-before-2gpu-2026.2", r"33 calls of cudaStreamSynchronize in aten::to > aten::_to_copy > aten::copy_"),
    ("mpi-openacc-4gpu-2023.4", "MPI_Recv .*MPI_Send"),
    ("trisolve-nvtx-2023.3", "75.0% of them with fewer blocks than the GPU has SMs"),
    ("v100-nometa", "pageable memory"),
    ("more/ranks/gem8/gem-before-02", "ms of it after a Device-to-Host copy that the host waits for"),
    ("more/ranks/gem8/gem-before-03", "ms of it after a Device-to-Host copy that the host waits for"),
]
NAMES = sorted({name for name, *_ in JUDGED if (corpus_folder() / f"{name}.sqlite").exists()})


def verdict_of(path: Path) -> Verdict:
    with nsysql.open(path) as run:
        return collect(run, PageScope()).verdict


@each_opened(NAMES)
def test_the_verdict_on_a_public_capture_is_the_experts(opened: nsysql.Run) -> None:
    name = opened.path.relative_to(corpus_folder()).with_suffix("").as_posix()
    found = collect(opened, PageScope()).verdict
    kind, first = next((kind, first) for known, kind, first in JUDGED if known == name)
    assert found.kind == kind
    assert found.sentences[1].title == "first"
    assert re.search(first, found.sentences[1].text), found.sentences[1].text
    advice = "\n".join(one.text for one in found.sentences)
    for known, later in LATER:
        assert known != name or re.search(later, advice), advice
    assert "--by nvtx" not in advice
    assert all(one.rows for one in found.sentences)


# Where a program repeats --------------------------------------------------------------------------


def sequence(text: str, slow: int = 0) -> pl.DataFrame:
    """Launches named by letters, 10 ns apart; the first `slow` ones 100 ns."""
    starts = [100 * i if i < slow else 90 * slow + 10 * i for i in range(len(text))]
    return pl.DataFrame(
        {
            "process_id": 1,
            "gpu_id": 0,
            "kind": "kernel",
            "detail_id": [ord(letter) for letter in text],
            "api_start_ns": starts,
            "start_ns": starts,
            "end_ns": [start + 5 for start in starts],
        }
    )


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("xyabcabcabcabc", (4, 3, 20, 135)),
        ("abcabcabcabcxyz", (4, 3, 0, 115)),  # the last one ends where it is whole
        ("abcabcabcax", (3, 3, 0, 85)),  # or is none
        ("abcdefg", None),
        ("abab", None),
        ("abcabcxyzuvwxyzu", None),  # less than half
    ],
)
def test_what_repeats(text: str, found: tuple[int, int, int, int] | None) -> None:
    assert repetition(sequence(text)) == (Repetition(*found) if found else None)


def test_slow_blocks_at_the_beginning_are_start_up() -> None:
    whole, warm = repetition(sequence("ab" * 20)), repetition(sequence("ab" * 20, slow=2))
    assert whole is not None
    assert warm is not None
    assert (whole.start_ns, whole.blocks) == (0, 20)
    assert (warm.start_ns, warm.blocks) == (200, 19)


def test_a_longer_repetition_is_preferred() -> None:
    found = repetition(sequence("aab" * 10))
    assert found is not None
    assert found.launches == 3


def test_of_processes_that_repeat_the_latest_start_counts() -> None:
    one, two = sequence("ab" * 10), sequence("xyz" + "ab" * 10).with_columns(pl.lit(2).alias("process_id"))
    found = repetition(pl.concat([one, two]))
    assert found is not None
    assert found.start_ns == 30


# What a verdict never says ------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["training", "two_streams", "graph_whole", "idle_mpi", "work_without_launch"])
def test_advice_is_about_what_the_capture_has(name: str, story: Callable[[str], Path]) -> None:
    found = verdict_of(story(name))
    with nsysql.open(story(name)) as run:
        has_nvtx, has_kernels = run.has("NVTX_EVENTS"), run.has("_kernel_ids")
    text = " ".join(one.text for one in found.sentences)
    assert found.sentences[0].title == "limit"
    assert has_nvtx or "--by nvtx" not in text
    assert has_kernels or "has the most time" not in text
    assert sum(part.share_pct > 100.0001 for part in found.kinds) == 0
