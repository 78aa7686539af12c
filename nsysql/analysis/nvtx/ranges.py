"""The view nvtx_range_parent, and the named ranges that other computed views read."""

from collections.abc import Callable

import polars as pl

from nsysql.analysis.nvtx.nesting import nest

READS = ("_nvtx_thread_range",)
PROVIDES = ("nvtx_range_parent",)

RANGES = "_nvtx_named_range"
NO_EARLIER = pl.max_horizontal("start_ns", "end_ns")  # the end of a range, never before its start


def compute(view: Callable[[str], pl.DataFrame]) -> dict[str, pl.DataFrame]:
    """The frame nvtx_range_parent, from the views in READS."""
    return {"nvtx_range_parent": nest(view("_nvtx_thread_range"))}


def named_ranges(
    view: Callable[..., pl.DataFrame], chosen: Callable[[pl.DataFrame], pl.DataFrame] = pl.DataFrame
) -> pl.DataFrame:
    """The rows of _nvtx_named_range, filtered batch by batch with `chosen`; the view is large and its names repeat."""
    return view(RANGES, narrow=lambda ranges: chosen(with_short_names(ranges)), stream=True)


def with_short_names(ranges: pl.DataFrame) -> pl.DataFrame:
    """The ranges with categorical names, and row_id in 32 bits if it fits."""
    fits = ranges["row_id"].is_between(0, 2**32 - 1).all()
    return ranges.cast({"name": pl.Categorical, "row_id": pl.UInt32 if fits else pl.Int64})
