"""What to say of pages of unified memory that migrate while kernels run."""

import polars as pl

from nsysql.pages.phrases import counted, percent, share
from nsysql.pages.verdict.facts import Facts, Sentence
from nsysql.words.quantities import size, time

TO_GPU = "Unified Host-to-Device"
SOME = 0.1  # of the kernels' time, and of the migrations: less is not worth a sentence
WORTH = 0.03  # of the window


def under_kernels(facts: Facts) -> list[Sentence]:
    """Migrations to the GPU for page faults of kernels, by how much of the kernels' time they run."""
    if facts.copies.is_empty():
        return []
    rows = facts.copies.filter(pl.col("direction") == TO_GPU)
    count, faults, moved, during = (
        int(rows[name].sum()) for name in ("copy_count", "fault_count", "bytes", "hidden_ns")
    )
    ran = sum(int(facts.judged.gpu_time[name].sum()) for name in ("kernel_ns", "graph_ns"))
    if share(during, ran) < SOME or facts.judged.of(during) < WORTH or faults < max(1, SOME * count):
        return []
    text = (
        f"Pages of unified memory migrate to the GPU during {percent(during, ran)} of the time that kernels run"
        f" ({time(during)} of {time(ran)}): {size(moved)} in {counted(count, 'migration')}, {faults:,} of them for a"
        " page fault, on which the kernel's threads wait. Move them before the launch (cudaMemPrefetchAsync to the"
        " GPU)."
    )
    return [Sentence("", text, ({"query": "gpu_copies", "direction": TO_GPU},))]
