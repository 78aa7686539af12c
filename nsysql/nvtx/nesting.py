"""Which range of its thread each range lies in, by walking their borders in the order of time."""

from collections.abc import Iterator

import polars as pl

from nsysql.nvtx.blocks import blocks, side_by_side

RANGE = ("row_id", "thread_id", "start_ns", "end_ns")


def nest(ranges: pl.DataFrame) -> pl.DataFrame | None:
    """All ranges as nest_block has those of a block; None where those of a thread cross."""
    ranges = ranges.with_columns(ranges["row_id"].shrink_dtype())
    made = side_by_side(lambda block: nest_block(ranges[block]), blocks(ranges))
    found = [block for block in made if block is not None]
    return pl.concat(found, how="vertical_relaxed") if len(found) == len(made) else None


def nest_block(ranges: pl.DataFrame) -> pl.DataFrame | None:
    """The ranges with level, parent_row_id, is_repeat and is_lost_by_nsys; None where those of a thread cross.

    In order of thread and opening. At one time first what has no length opens, then ranges close, then others
    open, the longest first. The count of ranges that are open is a range's level, and its parent is the last
    one before it that is one level less deep. That every range ends within the parent found so proves that
    none cross.
    """
    placed = _in_order(ranges)
    if placed is None:
        return None
    at = pl.int_range(placed.height, dtype=pl.Int64, eager=True)
    level = at - placed["close"].sort().search_sorted(placed["open"], side="left").cast(pl.Int64)
    parent = _parents(level)
    around = placed.select(pl.col(RANGE).gather(parent))
    if (level.gather((level > 0).arg_true()).len() != parent.count()) or (around["end_ns"] < placed["end_ns"]).any():
        return None
    is_repeat = (around["start_ns"] == placed["start_ns"]) & (around["end_ns"] == placed["end_ns"])
    is_repeat = is_repeat.fill_null(False)
    return placed.drop("open", "close").with_columns(
        level=level.shrink_dtype(),
        parent_row_id=around["row_id"],
        is_repeat=is_repeat,
        is_lost_by_nsys=_lost(is_repeat, parent),
    )


def _in_order(ranges: pl.DataFrame) -> pl.DataFrame | None:
    """The ranges in order of thread and opening, with open and close, numbers that order all borders.

    None where these do not fit 64 bits, or something without a length lies where a range opens: it could lie in
    that one and in one that closes there.
    """
    threads = ranges["thread_id"].unique().sort()
    low, high = ranges["start_ns"].min(), ranges["end_ns"].max()
    if not isinstance(low, int) or not isinstance(high, int):
        return ranges.with_columns(open=pl.lit(0, pl.Int64), close=pl.lit(0, pl.Int64))
    span = 3 * (high - low + 1)
    if span * (threads.len() + 1) >= 2**62 or threads.null_count():
        return None
    rank = pl.col("thread_id").replace_strict(threads, pl.int_range(threads.len(), eager=True), return_dtype=pl.Int64)
    is_long = pl.col("end_ns") > pl.col("start_ns")
    first = rank * span + 3 * (pl.col("start_ns") - low)
    ranges = ranges.with_columns(
        open=first + pl.when(is_long).then(2).otherwise(0), close=rank * span + 3 * (pl.col("end_ns") - low) + 1
    )
    points = ranges.filter(~is_long)["open"].unique()
    if ranges.filter(is_long & pl.col("open").is_in((points + 2).implode())).height:
        return None
    return _longest_first(ranges[ranges.select(pl.arg_sort_by("open", maintain_order=True)).to_series()])


def _longest_first(ranges: pl.DataFrame) -> pl.DataFrame:
    """Of ranges that open together the longest first, of equal ones the first row."""
    alike = (pl.col("open") == pl.col("open").shift()).fill_null(False)
    tied = ranges.select((alike | alike.shift(-1, fill_value=False)).arg_true()).to_series()
    if tied.is_empty():
        return ranges
    order = ranges[tied].select(pl.arg_sort_by("open", -pl.col("close"), "row_id")).to_series()
    at = pl.int_range(ranges.height, dtype=pl.UInt32, eager=True)
    return ranges[at.scatter(tied, tied.gather(order))]


def _parents(level: pl.Series) -> pl.Series:
    """For each place the last place before it that is one level less deep; NULL where there is none."""
    size = level.len()
    order = level.to_frame("level").select(pl.arg_sort_by("level", maintain_order=True)).to_series()
    keys = (level * size).gather(order) + order.cast(pl.Int64)
    found = keys.search_sorted(keys - size, side="left").cast(pl.Int64) - 1
    place = keys.gather(pl.select(pl.when(found >= 0).then(found)).to_series()) - (keys // max(size, 1) - 1) * size
    parent = pl.select(pl.when((place >= 0) & (place < size)).then(place)).to_series().cast(pl.UInt32)
    back = pl.repeat(None, size, dtype=pl.UInt32, eager=True)
    return back.scatter(order, parent)


def _lost(is_repeat: pl.Series, parent: pl.Series) -> pl.Series:
    """What nsys loses: ranges of equal start and end on a thread, and all that lies in them."""
    if not is_repeat.any():
        return is_repeat
    lost = is_repeat.clone().scatter(parent.filter(is_repeat), True)  # which writes in place
    while True:
        more = lost | lost.gather(parent).fill_null(False)
        if more.sum() == lost.sum():
            return lost
        lost = more


def with_children(nested: pl.DataFrame, **sums: pl.Expr) -> pl.DataFrame:
    """The ranges with what these sums are over the ranges directly in each; NULL for one with none in it."""
    inner = nested.filter(pl.col("parent_row_id").is_not_null())
    children = inner.group_by(row_id="parent_row_id").agg(**sums)
    return nested.join(children, on="row_id", how="left", maintain_order="left")


def with_paths(nested: pl.DataFrame) -> pl.DataFrame:
    """The ranges with root_row_id, the outermost range around each, and path, the rows from there to it, as :2:7."""
    own = pl.format(":{}", "row_id")
    blocks: list[pl.DataFrame] = []
    for level in _levels(nested):
        if blocks:
            at = blocks[-1]["row_id"].search_sorted(level["parent_row_id"])
            around = blocks[-1].select("root_row_id", "path")[at]
            blocks.append(level.hstack(around).with_columns(path=pl.concat_str("path", own)))
        else:
            blocks.append(level.with_columns(root_row_id="row_id", path=own))
    return pl.concat(blocks)


def _levels(nested: pl.DataFrame) -> Iterator[pl.DataFrame]:
    """The ranges level by level, each in order of rows; at least one frame."""
    nested = nested.sort("level", "row_id")
    levels, at = nested["level"], 0
    while not at or at < nested.height:
        end = levels.search_sorted(levels[at], side="right") if nested.height else 1
        yield nested.slice(at, end - at)
        at = end
