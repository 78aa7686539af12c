"""The view nvtx_push_pop_tree."""

from collections.abc import Callable

import polars as pl

from nsysql.nvtx.nesting import nest, with_paths


def compute(view: Callable[[str], pl.DataFrame]) -> dict[str, pl.DataFrame]:
    """The frame nvtx_push_pop_tree, from the views named in its header."""
    ranges = view("nvtx_push_pop").cast({"name": pl.Categorical})  # few names, and many ranges
    nested = nest(ranges)
    if nested is None:
        nested = view("nvtx_push_pop_parent_sought").join(ranges.select("row_id", "name"), on="row_id")
    return {"nvtx_push_pop_tree": with_paths(nested)}
