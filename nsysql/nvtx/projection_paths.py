"""The view nvtx_projection_path."""

from collections.abc import Callable

import polars as pl

from nsysql.nvtx.nesting import with_paths


def compute(view: Callable[[str], pl.DataFrame]) -> dict[str, pl.DataFrame]:
    """The frame nvtx_projection_path, from the view named in its header."""
    placed = view("nvtx_projection_record").select("row_id", "level", "parent_row_id").drop_nulls("level")
    return {"nvtx_projection_path": with_paths(placed).select("row_id", "path")}
