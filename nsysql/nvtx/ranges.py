"""The view nvtx_range_parent."""

from collections.abc import Callable

import polars as pl

from nsysql.nvtx.nesting import nest


def compute(view: Callable[[str], pl.DataFrame]) -> dict[str, pl.DataFrame]:
    """The frame nvtx_range_parent, from the views named in its header."""
    nested = nest(view("nvtx_thread_range"))
    return {"nvtx_range_parent": view("nvtx_range_parent_sought") if nested is None else nested}
