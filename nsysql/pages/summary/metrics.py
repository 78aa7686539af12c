"""What the sampled GPU metrics say: whether kernels fill the GPU, and whether its memory limits them."""

from collections.abc import Iterator

import polars as pl

from nsysql.capture.export import Export
from nsysql.errors import MissingData
from nsysql.pages.elements import Section
from nsysql.pages.phrases import Row, gpu_number, percent, whole_percent
from nsysql.pages.scope import ScopedRun
from nsysql.pages.sections import Drawn, table

DRAM = ("DRAM Read Bandwidth", "DRAM Write Bandwidth")
SHOWN = ("SMs Active", "SM Issue", "Tensor Active", *DRAM, "PCIe RX Throughput", "PCIe TX Throughput")
ENOUGH = 0.2  # of the time of kernels has samples: else nothing is said of them
STARVED = 50.0  # percent of time with an active SM, while kernels run, below which they do not fill the GPU
HIDDEN = 20.0  # percent of a window with active SMs, beyond its busy time, from which there is work that is not traced
SATURATED = 70.0  # percent of the peak of DRAM, reads and writes together, from which it limits kernels
FRAME = pl.Schema({
    "gpu_id": pl.Int64(), "metric": pl.String(), "unit": pl.String(), "mean": pl.Float64(),
    "kernel_mean": pl.Float64(), "kernel_sampled_ns": pl.Int64(), "kernel_ns": pl.Int64(), "sample_count": pl.Int64(),
    "window_mean": pl.Float64(),
})  # fmt: skip
NO_WINDOW = pl.DataFrame(schema={"gpu_id": pl.Int64, "metric": pl.String, "window_mean": pl.Float64})


def collect(run: Export, filters: Row, gpu_time: pl.DataFrame | None = None) -> pl.DataFrame:
    """One row per GPU and metric that SHOWN names: FRAME's columns, in the order of GPUs and of SHOWN.

    The mean is of all samples, kernel_mean of those within kernels (NULL if none is); kernel_ns: time of kernels.
    window_mean is of those in the window of the GPU's work, which `gpu_time` has (NULL if the page is narrowed).
    """
    if not run.has("gpu_metric"):
        return pl.DataFrame(schema=FRAME)
    whole = run.query("metrics", **filters).filter(pl.col("metric").is_in(SHOWN))
    try:
        kernels = run.query("metrics", by="kernel", **filters)
    except MissingData:
        kernels = whole.clear()
    weighted = (pl.col("mean") * pl.col("sampled_ns")).sum() / pl.col("sampled_ns").sum()
    in_kernels = kernels.group_by("gpu_id", "metric").agg(
        kernel_mean=pl.when(pl.col("sampled_ns").sum() > 0).then(weighted),
        kernel_sampled_ns=pl.col("sampled_ns").sum(),
        kernel_ns=pl.col("total_ns").sum(),
    )
    rows = whole.join(in_kernels, on=["gpu_id", "metric"], how="left", nulls_equal=True)
    windows = NO_WINDOW if gpu_time is None or filters else _in_windows(run, gpu_time)
    rows = rows.join(windows, on=["gpu_id", "metric"], how="left")
    order = pl.col("metric").cast(pl.Enum(SHOWN))
    return rows.sort("gpu_id", order).select(FRAME.names()).cast(FRAME)


def _in_windows(run: Export, gpu_time: pl.DataFrame, **only: str) -> pl.DataFrame:
    """The means of samples in the window of each GPU's work, by GPU and metric."""
    windows = gpu_time.drop_nulls("gpu_id").select("gpu_id", "window_start_ns", "window_end_ns").rows()
    asked = (run.query("metrics", gpu=gpu, start_ns=start, end_ns=end, **only) for gpu, start, end in windows)
    means = (inside.select("gpu_id", "metric", window_mean="mean").cast(NO_WINDOW.schema) for inside in asked)
    return pl.concat([NO_WINDOW, *means])


def untraced(run: Export, gpu_time: pl.DataFrame) -> list[str]:
    """Of each GPU whose SMs are active much more than its traced work explains, that idle is not all it seems."""
    if not run.has("gpu_metric"):
        return []
    return list(hidden_work(_in_windows(run, gpu_time, metric="SMs Active"), gpu_time))


def section(metrics: pl.DataFrame, gpu_time: pl.DataFrame) -> Iterator[Section]:
    """The section of the page; none if no metric was sampled."""
    if metrics.is_empty():
        return
    has_window = not metrics["window_mean"].is_null().all()
    means = ("window_mean", "mean", "kernel_mean")
    rows = [{**row, **{n: None if row[n] is None else f"{row[n]:.1f}%" for n in means}} for row in metrics.to_dicts()]
    whole = "all_samples" if has_window else "mean"
    columns = f"gpu_id=GPU metric=metric:text window_mean=in_window mean={whole} kernel_mean=in_kernels"
    of_window = "in window: from the GPU's first to its last work; " if has_window else ""
    meaning = f"time-weighted means of samples; {of_window}in kernels: of samples that lie within one"
    after = ("nsysql metrics has all of them, by kernel and NVTX range too.",)
    yield table("GPU metrics", columns, rows, meaning, (*hidden_work(metrics, gpu_time), *sentences(metrics)), after)


def hidden_work(rows: pl.DataFrame, gpu_time: pl.DataFrame) -> Iterator[str]:
    """Of each GPU whose SMs are active much more than its traced work explains, that idle is not all it seems."""
    busy = {row["gpu_id"]: row["busy_ns"] / row["window_ns"] for row in gpu_time.to_dicts() if row["window_ns"]}
    for gpu_id, active in rows.filter(metric="SMs Active").select("gpu_id", "window_mean").rows():
        if active is not None and gpu_id in busy and active >= 100 * busy[gpu_id] + HIDDEN:
            part = whole_percent(active / 100)
            yield (
                f"GPU {gpu_number(gpu_id)}: in its window SMs were active {part} of the time, but traced"
                f" work ran for {percent(busy[gpu_id], 1)}: other work is on this GPU, or not traced; idle means no"
                " traced work."
            )


def sentences(rows: pl.DataFrame) -> Iterator[str]:
    """What the metrics say of each GPU's kernels, where enough of their time has samples."""
    for (gpu_id,), of_gpu in rows.group_by("gpu_id", maintain_order=True):
        first, name = of_gpu.row(0, named=True), f"GPU {gpu_number(gpu_id)}"
        kernel_ns, sampled = first["kernel_ns"] or 0, first["kernel_sampled_ns"] or 0
        if not kernel_ns:
            continue
        if sampled < ENOUGH * kernel_ns:
            part = f"only {percent(sampled, kernel_ns)}" if sampled else "none"
            yield (
                f"{name}: {part} of the time of its kernels has samples, as most are shorter than the sampling period:"
                " the metrics say nothing of them; --gpu-metrics-frequency samples more often."
            )
            continue
        means = dict(of_gpu.select("metric", "kernel_mean").drop_nulls().rows())
        dram = sum(means.get(metric, 0.0) for metric in DRAM)
        active = means.get("SMs Active")
        if dram >= SATURATED:
            peak = f"{whole_percent(dram / 100)} of its peak"
            yield f"{name}: memory-bound: in kernels DRAM was read and written at {peak}."
        if active is not None and active < STARVED:
            part = whole_percent(active / 100)
            yield (
                f"{name}: kernels do not fill it: while they ran, its SMs were active {part} of the time."
                " nsysql occupancy says which kernels have few blocks."
            )


def _frame(scoped: ScopedRun) -> pl.DataFrame:
    return collect(scoped.run, scoped.scope.filters, scoped.rows("gpu_time"))


METRICS = Drawn("gpu_metrics", lambda scoped: section(_frame(scoped), scoped.rows("gpu_time")), _frame)
