"""Find the parent of each range among those of its thread, from the order of all starts and ends."""

from collections.abc import Callable, Iterator

import polars as pl

from nsysql.analysis.intervals import END, LENGTH, START, on_axis, with_ties_in_order
from nsysql.analysis.nvtx.blocks import OnDisk, blocks, is_large, with_short_names
from nsysql.analysis.parallel import parallel_map
from nsysql.analysis.view_reader import ViewReader, reads
from nsysql.errors import TooLarge

RANGE = ("row_id", "thread_id", "start_ns", "end_ns")
MOST, LONG = 50_000_000, 1000  # bytes of paths that are allowed in total, and per range


def nest(ranges: pl.DataFrame) -> pl.DataFrame:
    """Nest all ranges as nest_block does, without parent_at."""
    ranges = ranges.with_columns(ranges["row_id"].shrink_dtype())
    made = parallel_map(nest_block, blocks(ranges))
    return pl.concat([block.drop("parent_at") for block in made], how="vertical_relaxed")


def nest_block(ranges: pl.DataFrame) -> pl.DataFrame:
    """Add level, parent_row_id, parent_at, is_repeat and is_lost_by_nsys (see nvtx_range_parent) to the ranges.

    Sorted by thread and opening; parent_at is the parent's index in this order. At equal times ranges without duration
    open first, then ranges close, then others open, the longest first. A range's level is the number of ranges that are
    open, and its parent is the last range before it that is one level up. If every range ends within the parent so
    found, none partly overlap; the parents of those that do, and of all that touch them, are searched.
    """
    placed = _in_order(ranges)
    at = pl.int_range(placed.height, dtype=pl.Int64, eager=True)
    level = at - placed["close"].sort().search_sorted(placed["open"], side="left").cast(pl.Int64)
    parent = _parents(level)
    if not (crossing := _crossing(placed, level, parent)).is_empty():
        parent = parent.scatter(crossing, _shortest_around(placed, crossing))
        level = parent.is_not_null().cast(pl.Int64)
        for above in _ancestors(parent):
            level += level.gather(above).fill_null(0)
    around = placed.select(pl.col(RANGE).gather(parent))
    is_repeat = (around["start_ns"] == placed["start_ns"]) & (around["end_ns"] == placed["end_ns"])
    is_repeat = is_repeat.fill_null(False)
    return placed.drop("open", "close").with_columns(
        level=level.shrink_dtype(),
        parent_row_id=around["row_id"],
        parent_at=parent,
        is_repeat=is_repeat,
        is_lost_by_nsys=_lost(is_repeat, parent),
    )


def _in_order(ranges: pl.DataFrame) -> pl.DataFrame:
    """Sort the ranges by thread and opening; add open and close, numbers by which all starts and ends are ordered.

    A third of such a number, without remainder, is the same for a start and an end at the same time.
    """
    rank = ranges["thread_id"].rank("dense").cast(pl.Int64).fill_null(0)  # those without a known thread together
    place, span = on_axis([ranges["start_ns"], ranges["end_ns"]], 3 * (rank.n_unique() + 1))
    first, is_long = pl.lit(rank) * (3 * span), (END > START).cast(pl.Int64)
    ranges = ranges.with_columns(open=first + 3 * place(START) + 2 * is_long, close=first + 3 * place(END) + 1)
    ranges = ranges[ranges.select(pl.arg_sort_by("open", maintain_order=True)).to_series()]
    return with_ties_in_order(ranges, ["open"], ["close", "row_id"], down=["close"])


def _crossing(placed: pl.DataFrame, level: pl.Series, parent: pl.Series) -> pl.Series:
    """Return the indexes of all ranges that touch, also through others, a range whose parent by level is not its own.

    Such a range does not end within that parent; or it opens at a range without duration, which can be in it and in one
    that closes there.
    """
    opened, close = placed["open"], placed["close"]
    points = opened.filter(opened // 3 == close // 3) + 2
    is_odd = (close.gather(parent) < close).fill_null(level > 0) | opened.is_in(points.implode())
    if not is_odd.any():
        return pl.Series(dtype=pl.UInt32)
    knot = (close.cum_max().shift() // 3 < opened // 3).fill_null(False).cum_sum()
    return knot.is_in(knot.filter(is_odd).unique().implode()).arg_true()


def _shortest_around(placed: pl.DataFrame, own: pl.Series) -> pl.Series:
    """Find for each of these ranges the index of the shortest that starts no later and ends no earlier; else NULL.

    Ties: the first row, but of equal ranges the one before. Ranges are halved repeatedly: for a right half, a running
    minimum over the left one, by descending end, has the shortest that ends later.
    """
    length = LENGTH.reinterpret(signed=False)  # can exceed half of all times
    rows = placed.select(*RANGE, "close")[own].with_columns(at=own, first=pl.col("row_id").min().over(RANGE[1:]))
    rows = rows.sort("thread_id", "start_ns", -pl.col("close"), "row_id").with_row_index("spot")
    rows = rows.with_columns(length=length).sort("length", "first", -pl.col("row_id").cast(pl.Int64))
    by_length = rows["at"]
    rows = rows.with_row_index("shortness").sort(-pl.col("close"), "spot").select("spot", "shortness", "at")
    best = pl.lit(rows.height, pl.UInt32)
    shortest_of = pl.repeat(rows.height, rows.height, dtype=pl.UInt32, eager=True)
    for bit in range(rows.height.bit_length()):
        is_right = pl.col("spot") // 2**bit % 2 == 1
        shortest = pl.when(is_right).then(best).otherwise("shortness").cum_min().over(pl.col("spot") // 2 ** (bit + 1))
        both = rows.select(pl.min_horizontal(pl.lit(shortest_of), pl.when(is_right).then(shortest).otherwise(best)))
        shortest_of = both.to_series()
    parent = by_length.extend_constant(None, 1).gather(shortest_of)
    return parent.gather(rows["at"].arg_sort())


def _parents(level: pl.Series) -> pl.Series:
    """Return for each position the last position before it that is one level up; NULL if there is none."""
    size = level.len()
    order = level.to_frame("level").select(pl.arg_sort_by("level", maintain_order=True)).to_series()
    keys = (level * size).gather(order) + order.cast(pl.Int64)
    places = keys.search_sorted(keys - size, side="left").cast(pl.Int64) - 1
    place = keys.gather(pl.select(pl.when(places >= 0).then(places)).to_series()) - (keys // max(size, 1) - 1) * size
    parent = pl.select(pl.when((place >= 0) & (place < size)).then(place)).to_series().cast(pl.UInt32)
    return _scattered(order, parent, size)


def _lost(is_repeat: pl.Series, parent: pl.Series) -> pl.Series:
    """Return the ranges that nsys loses: those of equal start and end on a thread, and all nested in them."""
    if not is_repeat.any():
        return is_repeat
    lost = is_repeat.clone().scatter(parent.filter(is_repeat), True)  # scatter writes in place
    for above in _ancestors(parent):
        lost |= lost.gather(above).fill_null(False)
    return lost


def _ancestors(parent: pl.Series) -> Iterator[pl.Series]:
    """Yield for each position its parent, then its 2nd, 4th, 8th ... ancestor; NULL if there is none."""
    while parent.null_count() < parent.len():
        yield parent
        parent = parent.gather(parent)


def with_children(nested: pl.DataFrame, **sums: pl.Expr) -> pl.DataFrame:
    """Add these aggregates over their direct children to the ranges; NULL for ranges without children."""
    inner = nested.with_columns(_parent_at(nested)).drop_nulls("parent_at")
    children = inner.group_by("parent_at").agg(**sums)
    return nested.with_columns(_scattered(children["parent_at"], children[name], nested.height) for name in sums)


def with_paths(nested: pl.DataFrame) -> pl.DataFrame:
    """Add root_row_id, the outermost enclosing range, and path, the row ids from there on, as :2:7, to the ranges.

    Drops parent_at. Works level by level: a range's path is its parent's and its own row id. Raises TooLarge if the
    paths would take too much memory.
    """
    _refuse_long_paths(nested)
    order = nested.select(pl.arg_sort_by("level", maintain_order=True)).to_series()
    place = _scattered(order, pl.int_range(order.len(), dtype=pl.UInt32, eager=True), order.len())
    around = place.gather(_parent_at(nested).gather(order))
    rows = nested.select(pl.col("row_id").gather(order))
    own = rows.select(root_row_id="row_id", path=pl.format(":{}", "row_id"))
    levels, before = [own.clear()], 0
    for first, end in _levels(nested["level"].gather(order)):
        level = own[first:end]
        if first:
            outer = levels[-1][around[first:end] - before]
            level = outer.with_columns(path=outer["path"] + level["path"])
        levels.append(level)
        before = first
    return nested.drop("parent_at", strict=False).hstack(pl.concat(levels)[place])


def _refuse_long_paths(nested: pl.DataFrame) -> None:
    """Raise TooLarge if the paths have more than MOST bytes in total, and more than LONG per range."""
    deepest, last = nested["level"].max(), nested["row_id"].max() or 0
    if not isinstance(deepest, int) or (deepest + 1) * len(f":{last!s}") <= LONG:
        return
    own = nested["row_id"].cast(pl.String).str.len_bytes().cast(pl.Int64) + 1
    for above in _ancestors(_parent_at(nested)):
        own += own.gather(above).fill_null(0)
    if (size := int(own.sum())) > max(MOST, LONG * own.len()):
        raise TooLarge(
            f"its NVTX ranges lie in one another, up to {deepest + 1:,} deep, and the paths from the outermost ones to "
            f"{own.len():,} of them would be {size / 1e9:.2f} GB of text; nvtx_pushpop_sum and nvtx_gpu_proj_sum sum "
            "them up without"
        )


def _parent_at(nested: pl.DataFrame) -> pl.Series:
    """Return the index of each range's parent among these ranges, from parent_at if there; NULL if there is none."""
    if "parent_at" in nested.columns:
        return nested["parent_at"]
    places = nested.select(parent_row_id="row_id").with_row_index("parent_at").drop_nulls("parent_row_id")
    rows = nested.select("parent_row_id").join(places, on="parent_row_id", how="left", maintain_order="left")
    return rows["parent_at"]


def _scattered(at: pl.Series, values: pl.Series, size: int) -> pl.Series:
    """Return a series of `size` values with `values` at the positions `at`, and NULL elsewhere."""
    return pl.repeat(None, size, dtype=values.dtype, eager=True).scatter(at, values).alias(values.name)


def _levels(levels: pl.Series) -> Iterator[tuple[int, int]]:
    """Yield the first and end position of each level, in sorted levels."""
    end = 0
    while end < levels.len():
        first, end = end, int(levels.search_sorted(levels[end], side="right"))
        yield first, end


@reads("_nvtx_thread_range")
def range_parents(view: Callable[[str], pl.DataFrame]) -> dict[str, pl.DataFrame]:
    """Compute the frame nvtx_range_parent."""
    return {"nvtx_range_parent": nest(view("_nvtx_thread_range"))}


@reads("_nvtx_projection")
def projection_paths(view: Callable[[str], pl.DataFrame]) -> dict[str, pl.DataFrame]:
    """Compute the frame _nvtx_projection_path."""
    placed = view("_nvtx_projection").select("row_id", "level", "parent_row_id").drop_nulls("level")
    return {"_nvtx_projection_path": with_paths(placed).select("row_id", "path")}


TREE = "nvtx_push_pop_tree"


@reads("_nvtx_push_pop")
def push_pop_tree(view: ViewReader) -> Iterator[dict[str, pl.DataFrame]]:
    """Compute the frame nvtx_push_pop_tree, block by block."""
    name, narrow = "_nvtx_push_pop", with_short_names
    ranges = OnDisk(view, name, narrow) if is_large(view, name) else blocks(view(name, narrow=narrow))
    for tree in parallel_map(_with_tree_columns, ranges):
        yield {TREE: tree.cast({pl.Categorical: pl.String})}


def _with_tree_columns(block: pl.DataFrame) -> pl.DataFrame:
    """Nest the ranges, and add their paths and the number and time of their direct children."""
    nested = nest_block(block)
    in_nsys, dur = ~pl.col("is_lost_by_nsys"), LENGTH
    of_nsys = {"nsys_num_child": in_nsys.sum(), "nsys_dur_child_ns": dur.filter(in_nsys).sum()}
    return with_paths(with_children(nested, num_child=pl.len(), dur_child_ns=dur.sum(), **of_nsys))
