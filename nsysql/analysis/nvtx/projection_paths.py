"""The view _nvtx_projection_path."""

from collections.abc import Callable

import polars as pl

from nsysql.analysis.nvtx.nesting import with_paths

READS = ("_nvtx_projection",)
PROVIDES = ("_nvtx_projection_path",)


def compute(view: Callable[[str], pl.DataFrame]) -> dict[str, pl.DataFrame]:
    """The frame _nvtx_projection_path, from the view in READS."""
    placed = view("_nvtx_projection").select("row_id", "level", "parent_row_id").drop_nulls("level")
    return {"_nvtx_projection_path": with_paths(placed).select("row_id", "path")}
