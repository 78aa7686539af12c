"""The view nvtx_push_pop_tree."""

from collections.abc import Iterator

import polars as pl

from nsysql.analysis.nvtx.blocks import in_blocks
from nsysql.analysis.nvtx.nesting import nest_block, with_children, with_paths
from nsysql.analysis.nvtx.ranges import with_short_names
from nsysql.analysis.parallel import parallel_map
from nsysql.analysis.view_reader import ViewReader

READS = ("_nvtx_push_pop",)
PROVIDES = ("nvtx_push_pop_tree",)

TREE = "nvtx_push_pop_tree"


def parts(view: ViewReader) -> Iterator[dict[str, pl.DataFrame]]:
    """The frame nvtx_push_pop_tree, from the views in READS, block by block."""
    for tree in parallel_map(_with_tree_columns, in_blocks(view, "_nvtx_push_pop", with_short_names)):
        yield {TREE: tree.cast({pl.Categorical: pl.String})}


def _with_tree_columns(block: pl.DataFrame) -> pl.DataFrame:
    """The ranges nested, with their paths, and with the number and time of their direct children."""
    nested = nest_block(block)
    in_nsys, dur = ~pl.col("is_lost_by_nsys"), pl.col("end_ns") - pl.col("start_ns")
    nested = with_children(
        nested,
        num_child=pl.len(),
        dur_child_ns=dur.sum(),
        nsys_num_child=in_nsys.sum(),
        nsys_dur_child_ns=dur.filter(in_nsys).sum(),
    )
    return with_paths(nested)
