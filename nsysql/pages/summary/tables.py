"""The summary's sections behind --all, as data."""

import polars as pl

from nsysql.pages.idle.tables import ledger
from nsysql.pages.scope import ScopedRun
from nsysql.pages.sections import Table
from nsysql.pages.summary import captured, metrics

GAPS = 3  # longest gaps
TIMES = "total_time_ns=share:share total_time_ns=total"
MEMSET = "[CUDA memset]"
KINDS = ("busy", "idle", "kernel", "memcpy", "memset", "graph")


def _gpu_time(scoped: ScopedRun) -> pl.DataFrame:
    """gpu_time with the shares of its window in percent."""
    window = pl.col("window_ns")
    shares = {f"{kind}_pct": 100 * pl.col(f"{kind}_ns") / window for kind in KINDS}
    mean = pl.when(pl.col("gap_count") > 0).then(pl.col("idle_ns") // pl.col("gap_count"))
    return scoped.rows("gpu_time").with_columns(**shares, mean_gap_ns=mean)


def _longest_gaps(scoped: ScopedRun) -> pl.DataFrame:
    """The longest gaps; none if no GPU worked."""
    if scoped.rows("gpu_time").is_empty():
        return pl.DataFrame()
    return scoped.run.query("idle_gaps", top=GAPS, paths=False, **scoped.scope.filters)


def _memory(scoped: ScopedRun) -> pl.DataFrame:
    """Memory operations by time, with their bytes and their rate.

    A memset that seems faster than memory has no rate: it is recorded too short.
    """
    times, sizes = scoped.rows("cuda_gpu_mem_time_sum"), scoped.rows("cuda_gpu_mem_size_sum")
    rows = times.join(sizes.select("operation", "total_bytes"), on="operation", how="left", maintain_order="left")
    rate = pl.when(pl.col("total_time_ns") > 0).then(pl.col("total_bytes") * 10**9 / pl.col("total_time_ns"))
    gpus = scoped.rows("gpus")
    fastest = gpus["memory_bandwidth_bytes_per_s"].min() if gpus.height else None
    known = (pl.col("operation") != MEMSET) | (rate <= pl.lit(fastest)).fill_null(value=False)
    return rows.with_columns(rate_bytes_per_s=pl.when(known).then(rate))


def _nvtx(scoped: ScopedRun) -> pl.DataFrame:
    """NVTX ranges by name, those of all processes together."""
    sums = pl.col("instances", "total_time_ns").sum()
    names = scoped.rows("nvtx_names").group_by("name").agg(sums)
    mean = pl.col("total_time_ns") // pl.col("instances")
    named = names.with_columns(mean_ns=mean, name=pl.col("name").replace({"": "(no text)"}).fill_null("(no text)"))
    return named.sort("total_time_ns", "name", descending=[True, False])


SECTIONS = (
    captured.CAPTURED,
    Table(
        "gpu_time", "GPU time",
        "gpu_id=GPU window_ns=window busy_pct=busy:part idle_pct=idle_%? idle_ns=idle gap_count=gaps"
        " mean_gap_ns=mean_gap kernel_pct=kernels_% memcpy_pct=copies_% memset_pct=memsets_%? graph_pct=graphs_%?",
        "shares of the window from its first to its last work; kinds can overlap",
        read=_gpu_time,
        after=("Causes, recurring and longest gaps, evidence: nsysql idle-gaps --all.",),
    ),
    Table(
        "idle_ledger", "Why idle",
        "gpu_id=GPU window_pct=window_% idle_ns=time gap_count=gaps longest_ns=longest title=cause:text",
        "how long each GPU waited under each cause",
        read=ledger,
    ),
    Table(
        "longest_gaps", "Longest gaps",
        "gpu_id=GPU gap_id=gap dur_ns=length start_ns=at previous_name=after:kernel next_name=before:kernel",
        "and the work before and after them",
        read=_longest_gaps,
        after=("nsysql idle-gaps --explain GAP explains one, by its number.",),
    ),
    Table(
        "launch_pace", "Launches",
        "gpu_id=GPU launches=launches call_ns=launch_calls running_ns=GPU_time call_med_ns=med._call"
        " wait_med_ns=med._wait running_med_ns=med._duration? orphan_runs=without_launch",
        "of kernels and graphs: the call on the CPU, the wait in the queue, the time on the GPU",
    ),
    Table(
        "cuda_gpu_kern_sum", "Kernels", f"{TIMES} instances=count med_ns=median name=name:kernel",
        "time on the GPU by name; shares of all kernels' time",
        rest="name",
    ),
    Table(
        "cuda_api_sum", "CUDA API", f"{TIMES} num_calls=count med_ns=median name=name:text",
        "time in the calls on the CPU, all threads; waiting for the GPU included",
        rest="name",
    ),
    Table(
        "memory", "Memory operations",
        f"{TIMES} total_bytes=bytes:share total_bytes=total count=count rate_bytes_per_s=rate operation=operation:text",
        "memcpy and memset on the GPU; shares of their time and of their bytes",
        rest="kind",
        read=_memory,
    ),
    metrics.METRICS,
    Table(
        "nvtx", "NVTX ranges", f"{TIMES} instances=count mean_ns=mean name=name:text",
        "time between their ends on the CPU, nested ones counted again; names differing only in numbers are merged",
        rest="name",
        read=_nvtx,
    ),
    Table(
        "mpi_ranks", "MPI",
        "rank=rank pid=process mpi_ns=time mpi_pct=in_MPI_% call_count=calls sent_bytes=sent main_ns=longest"
        " main_call=function:text",
        "share of the time from first to last call, without MPI_Init and MPI_Finalize",
        after=("All ranks: nsysql mpi-ranks.",),
    ),
    Table(
        "mpi_event_sum", "MPI functions", f"{TIMES} instances=count med_ns=median name=name:text",
        "time in the calls, all ranks and threads",
        rest="name",
        read=lambda scoped: scoped.rows("mpi_event_sum").drop_nulls("total_time_ns"),
    ),
    Table(
        "osrt_sum", "OS runtime", f"{TIMES} num_calls=count med_ns=median name=name:text",
        "time in the calls, all threads; mostly waiting",
        rest="name",
    ),
    captured.MESSAGES,
    captured.LACKS,
    captured.NOTES,
)  # fmt: skip
