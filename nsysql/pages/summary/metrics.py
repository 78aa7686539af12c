"""What the sampled GPU metrics say: whether kernels fill the GPU, and whether its memory limits them."""

from collections.abc import Iterator

import polars as pl

from nsysql.errors import MissingData
from nsysql.export import Export
from nsysql.pages.elements import Cell, Column, Section
from nsysql.pages.phrases import Row, gpu_number, percent

SHOWN = (
    "SMs Active",
    "SM Issue",
    "Tensor Active",
    "DRAM Read Bandwidth",
    "DRAM Write Bandwidth",
    "PCIe RX Throughput",
    "PCIe TX Throughput",
)
DRAM = ("DRAM Read Bandwidth", "DRAM Write Bandwidth")
ENOUGH = 0.2  # of the time of kernels has samples: else nothing is said of them
STARVED = 50.0  # percent of time with an active SM, while kernels run, below which they do not fill the GPU
SATURATED = 70.0  # percent of the peak of DRAM, reads and writes together, from which it limits kernels
FRAME = pl.Schema(
    {
        "gpu_id": pl.Int64(),
        "metric": pl.String(),
        "unit": pl.String(),
        "mean": pl.Float64(),
        "kernel_mean": pl.Float64(),
        "kernel_sampled_ns": pl.Int64(),
        "kernel_ns": pl.Int64(),
        "sample_count": pl.Int64(),
    }
)


def collect(run: Export, filters: Row) -> pl.DataFrame:
    """One row per GPU and metric that SHOWN names: FRAME's columns, in the order of GPUs and of SHOWN.

    The mean is of all samples, kernel_mean of those within kernels (NULL where none is); kernel_ns: time of kernels.
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
    found = whole.join(in_kernels, on=["gpu_id", "metric"], how="left", nulls_equal=True)
    order = pl.col("metric").cast(pl.Enum(SHOWN))
    return found.sort("gpu_id", order).select(FRAME.names()).cast(FRAME)


def section(found: pl.DataFrame) -> Iterator[Section]:
    """The section of the page; none where no metric was sampled."""
    if found.is_empty():
        return
    rows: list[tuple[Cell, ...]] = []
    for row in found.to_dicts():
        in_kernels = "" if row["kernel_mean"] is None else f"{row['kernel_mean']:.1f}%"
        rows.append((gpu_number(row["gpu_id"]), row["metric"], f"{row['mean']:.1f}%", in_kernels))
    columns = (Column("GPU"), Column("metric", right=False), Column("mean"), Column("in kernels"))
    meaning = "time-weighted means of samples; in kernels: of samples that lie within one"
    after = ("nsysql metrics has all of them, by kernel and NVTX range too.",)
    yield Section("GPU metrics", meaning, tuple(sentences(found)), columns, tuple(rows), after)


def sentences(found: pl.DataFrame) -> Iterator[str]:
    """What the metrics say of each GPU's kernels, where enough of their time has samples."""
    for (gpu_id,), of_gpu in found.group_by("gpu_id", maintain_order=True):
        first = of_gpu.row(0, named=True)
        name, kernel_ns = f"GPU {gpu_number(gpu_id)}", first["kernel_ns"] or 0
        if not kernel_ns:
            continue
        if (first["kernel_sampled_ns"] or 0) < ENOUGH * kernel_ns:
            sampled = first["kernel_sampled_ns"] or 0
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
            yield f"{name}: memory-bound: in kernels DRAM was read and written at {dram:.0f}% of its peak."
        if active is not None and active < STARVED:
            yield (
                f"{name}: kernels do not fill it: while they ran, its SMs were active {active:.0f}% of the time."
                " nsysql occupancy says which kernels have few blocks."
            )
