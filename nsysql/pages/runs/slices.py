"""A GPU's busy time over time, in slices of its window that are compatible between exports.

A slice's length is a power of two, and it begins at a multiple of it, in UTC if the export records its start. So slices
of several exports can be merged to wider ones exactly.
"""

import polars as pl

from nsysql.capture.export import Export

MOST = 1_024  # slices of a window, plus at most one
SLICES = {"gpu_id": pl.Int64, "slice": pl.Int64, "slice_ns": pl.Int64, "window_ns": pl.Int64, "busy_ns": pl.Int64}


def busy_slices(run: Export, overview: pl.DataFrame, start_utc_ns: int | None) -> pl.DataFrame:
    """One row per GPU and slice, in order: slice number, slice length, the time of it in the window, and busy time."""
    windows = overview.drop_nulls("window_ns").filter(pl.col("window_ns") > 0)
    if windows.is_empty():
        return pl.DataFrame(schema=SLICES)
    gaps = run.query("idle_gaps", paths=False).select("gpu_id", "start_ns", "gap_ns").sort("gpu_id", "start_ns")
    parts = []
    for window in windows.to_dicts():
        own = gaps.filter(pl.col("gpu_id").eq_missing(pl.lit(window["gpu_id"], pl.Int64)))
        parts.append(_of_gpu(window, own, start_utc_ns or 0))
    return pl.concat(parts)


def _of_gpu(window: dict[str, int], gaps: pl.DataFrame, origin: int) -> pl.DataFrame:
    """The slices of one GPU; `gaps` are in order of their start."""
    start, length = window["window_start_ns"], window["window_ns"]
    bits = max(0, (-(-length // MOST) - 1).bit_length())
    first, last = (origin + start) >> bits, (origin + start + length - 1) >> bits
    edges = pl.DataFrame({"slice": pl.int_range(first, last + 2, eager=True)}).with_columns(
        at=(pl.col("slice") * (1 << bits) - origin).clip(start, start + length)
    )
    idle = gaps.with_columns(before=pl.col("gap_ns").cum_sum() - pl.col("gap_ns"))
    met = edges.join_asof(idle, left_on="at", right_on="start_ns", strategy="backward", check_sortedness=False)
    idle_before = pl.col("before") + pl.min_horizontal(pl.col("at") - pl.col("start_ns"), "gap_ns")
    met = met.with_columns(idle=idle_before.fill_null(0))
    found = met.select(
        pl.lit(window["gpu_id"], pl.Int64).alias("gpu_id"),
        "slice",
        pl.lit(1 << bits, pl.Int64).alias("slice_ns"),
        window_ns=pl.col("at").shift(-1) - pl.col("at"),
        idle=pl.col("idle").shift(-1) - pl.col("idle"),
    ).head(-1)
    return found.with_columns(busy_ns=pl.col("window_ns") - pl.col("idle")).select(*SLICES)
