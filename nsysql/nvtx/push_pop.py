"""The view nvtx_push_pop_tree."""

from collections.abc import Callable

import polars as pl

from nsysql.nvtx.nesting import nest, with_children, with_paths
from nsysql.nvtx.ranges import with_short_names


def compute(view: Callable[..., pl.DataFrame]) -> dict[str, pl.DataFrame]:
    """The frame nvtx_push_pop_tree, from the views named in its header."""
    ranges = view("nvtx_push_pop", narrow=with_short_names)
    tree = nest(ranges, then=_placed)
    if tree is None:
        names = ranges.select("row_id", "name")
        tree = _placed(view("nvtx_push_pop_parent_sought").join(names, on="row_id"))
    return {"nvtx_push_pop_tree": tree}


def _placed(nested: pl.DataFrame) -> pl.DataFrame:
    """The ranges with their paths, and with the number and time of the ranges directly in each."""
    in_nsys, dur = ~pl.col("is_lost_by_nsys"), pl.col("end_ns") - pl.col("start_ns")
    nested = with_children(
        nested,
        num_child=pl.len(),
        dur_child_ns=dur.sum(),
        nsys_num_child=in_nsys.sum(),
        nsys_dur_child_ns=dur.filter(in_nsys).sum(),
    )
    return with_paths(nested)
