"""The view nvtx_push_pop_tree."""

from collections.abc import Iterator
from functools import cache

import polars as pl

from nsysql.frames import Views
from nsysql.nvtx.blocks import in_blocks
from nsysql.nvtx.nesting import nest_block, with_children, with_paths
from nsysql.nvtx.ranges import with_short_names
from nsysql.nvtx.slices import in_turn, merged

TREE = "nvtx_push_pop_tree"


def compute(view: Views) -> dict[str, pl.DataFrame]:
    """The frame nvtx_push_pop_tree, from the views named in its header."""
    return {TREE: pl.concat([frames[TREE] for frames in slices(view)], how="diagonal_relaxed")}


def slices(view: Views) -> Iterator[dict[str, pl.DataFrame]]:
    """The same in slices, in order of start."""
    least, parts = in_blocks(view, "nvtx_push_pop", with_short_names).by_least("start_ns")
    sought = cache(lambda: view("nvtx_push_pop_parent_sought"))

    def made(block: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame | None]:
        nested = nest_block(block)
        return block.select("row_id", "name"), None if nested is None else _placed(nested)

    def placed() -> Iterator[pl.DataFrame]:
        for own, found in in_turn(made, parts):
            names = own.cast({"row_id": pl.Int64})
            yield _placed(sought().join(names, on="row_id")) if found is None else found

    for tree in merged(placed(), least, "start_ns"):
        yield {TREE: tree.cast({pl.Categorical: pl.String})}


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
