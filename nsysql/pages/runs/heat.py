"""The heat map of many runs: how busy each GPU was in each slice of time, on one axis."""

from dataclasses import dataclass

import polars as pl

COLUMNS = 48  # most slices
FAR = 4  # times the longest window: captures further apart are aligned at their first work
SHADES = ((0.05, "·"), (0.3, "░"), (0.6, "▒"), (0.9, "▓"), (2.0, "█"))  # (upper limit of the share, character)


@dataclass(frozen=True)
class HeatMap:
    """Rows of run, gpu_id and `shares`, a fraction per slice, None outside of the run's window.

    aligned_by is `session start` if slices are on one clock, or `window` if each run's begin at its own window.
    """

    slice_ns: int
    aligned_by: str
    rows: pl.DataFrame


def heat_map(overview: pl.DataFrame, slices: pl.DataFrame) -> HeatMap | None:
    """The map of all GPUs with work, in the order of `overview`; None if there are none."""
    if slices.is_empty():
        return None
    by = ["run", "gpu_id"]
    worked = overview.drop_nulls("window_ns").select(*by, "session_start_utc_ns")
    place = worked.with_row_index("place")
    rows = slices.join(place, on=by, nulls_equal=True)
    width = int(rows["slice_ns"].max())  # type: ignore[arg-type]
    together = _coarser(rows, width)
    longest = max(_span(own) for _, own in together.group_by(by))
    on_one_clock = not rows["session_start_utc_ns"].has_nulls() and _span(together) <= FAR * longest
    if not on_one_clock:
        first = pl.col("slice").min().over(by) * pl.col("slice_ns")
        rows = rows.with_columns(slice=(pl.col("slice") * pl.col("slice_ns") - first) // pl.col("slice_ns"))
        together = _coarser(rows, width)
    while _span(together) > COLUMNS:  # at most a dozen times
        width *= 2
        together = _coarser(rows, width)
    numbers = together["slice"]
    slices = pl.DataFrame({"slice": pl.int_range(int(numbers.min()), int(numbers.max()) + 1, eager=True)})  # type: ignore[arg-type]
    axis = place.select(*by, "place").join(slices, how="cross")
    dense = axis.join(together, on=[*by, "slice"], how="left", nulls_equal=True)
    shares = dense.sort("place", "slice").group_by(*by, maintain_order=True).agg("share")
    return HeatMap(width, "session start" if on_one_clock else "window", shares.rename({"share": "shares"}))


def _span(rows: pl.DataFrame) -> int:
    """The number of slices from the first to the last."""
    return int(rows.select(pl.col("slice").max() - pl.col("slice").min() + 1).item())


def _coarser(rows: pl.DataFrame, width: int) -> pl.DataFrame:
    """The shares in slices of `width`, a multiple of each row's own."""
    wide = rows.with_columns(slice=pl.col("slice") * pl.col("slice_ns") // width)
    sums = wide.group_by("run", "gpu_id", "slice").agg(pl.col("window_ns", "busy_ns").sum())
    share = pl.when(pl.col("window_ns") > 0).then(pl.col("busy_ns") / pl.col("window_ns"))
    return sums.select("run", "gpu_id", "slice", share=share)


def shade(share: float | None) -> str:
    """The character for a share: blank outside of the window, · for nearly idle, █ for busy."""
    if share is None:
        return " "
    return next(sign for below, sign in SHADES if share < below)
