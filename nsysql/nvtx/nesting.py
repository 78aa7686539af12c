"""Which range of its thread each range lies in, by walking their borders in the order of time."""

import polars as pl

RANGE = ("row_id", "thread_id", "start_ns", "end_ns")


def nest(ranges: pl.DataFrame) -> pl.DataFrame | None:
    """Each range with level, parent_row_id, is_repeat and is_lost_by_nsys; None where ranges of a thread cross.

    In order of thread and opening. At one time first what has no length opens, then ranges close, then others
    open, the longest first. The count of ranges that are open is a range's level, and its parent is the last
    one before it that is one level less deep. That every range ends within the parent found so proves that
    none cross.
    """
    placed = _in_order(ranges.select(RANGE))
    if placed is None:
        return None
    at = pl.int_range(placed.height, dtype=pl.Int64, eager=True)
    level = at - placed["close"].sort().search_sorted(placed["open"], side="left").cast(pl.Int64)
    parent = _parents(level)
    around = placed.select(*RANGE).select(pl.all().gather(parent))
    if (level.gather((level > 0).arg_true()).len() != parent.count()) or (around["end_ns"] < placed["end_ns"]).any():
        return None
    is_repeat = (around["start_ns"] == placed["start_ns"]) & (around["end_ns"] == placed["end_ns"])
    is_repeat = is_repeat.fill_null(False)
    return placed.select(
        *RANGE,
        level=level,
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


def with_paths(nested: pl.DataFrame) -> pl.DataFrame:
    """The ranges with path, the rows from the outermost range to each, such as :2:7; level by level."""
    nested = nested.sort("level", "row_id")
    blocks: list[pl.DataFrame] = []
    for level in nested.partition_by("level", maintain_order=True):
        own = pl.format(":{}", "row_id")
        if blocks:
            around = blocks[-1].select("path", parent_row_id="row_id")
            joined = level.join(around, on="parent_row_id", how="left", maintain_order="left")
            blocks.append(joined.with_columns(path=pl.concat_str("path", own)).sort("row_id"))
        else:
            blocks.append(level.with_columns(path=own))
    return pl.concat(blocks) if blocks else nested.with_columns(path=pl.lit(None, pl.String))
