"""The view nvtx_push_pop_tree."""

from collections.abc import Callable

import polars as pl

from nsysql.nvtx.nesting import nest, with_paths


def compute(view: Callable[[str], pl.DataFrame]) -> dict[str, pl.DataFrame]:
    """The frame nvtx_push_pop_tree, from the views named in its header."""
    nested = nest(view("nvtx_push_pop"))
    return {"nvtx_push_pop_tree": with_paths(view("nvtx_push_pop_parent_sought") if nested is None else nested)}
