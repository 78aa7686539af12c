"""Fewer events for a picture: what is too short to be seen is merged with its neighbors, the rest stays exact.

`events` has track, lane, start_ns, end_ns, link and columns that say what an event is, such as style, name and detail,
in order of track, lane and start, as all that is made of them.
Of a merged row these are those of its longest event, which took `longest_ns`; `count` says how many events it is,
`busy_ns` how long they took. Rows that are merged already can be merged further.
"""

from collections.abc import Sequence

import polars as pl

FINEST = 2**20  # parts of the time line: events shorter than one are merged first
COARSER = 4  # how much longer the parts get until the rows are few enough
SUMMED = ("track", "lane", "start_ns", "end_ns", "link", "count", "busy_ns", "longest_ns")
_LENGTH = pl.col("end_ns") - pl.col("start_ns")


def with_levels(events: pl.DataFrame, rows: int, exact: Sequence[tuple[int, int]] = ()) -> tuple[pl.DataFrame, int]:
    """The events in at most about that many rows, and the length in ns below which they may be merged (0: none is).

    What lies in one of the intervals `exact` is kept as it is, as long as that is at most half of the rows.
    """
    if events.height <= rows:
        return counted(events), 0
    inside = _inside(events, exact)
    if int(inside.sum()) * 2 > rows:
        inside = inside & False
    kept = counted(events.filter(inside))
    merged = events if kept.is_empty() else events.filter(~inside)
    low, high = int(events["start_ns"].min()), int(events["end_ns"].max())  # type: ignore[arg-type]
    part = max(1, (high - low) // FINEST)
    while part <= high - low and _parts(merged, part, low) + kept.height > rows:
        part *= COARSER
    while True:
        merged = _merged(merged, part, low, exact)
        if merged.height + kept.height <= rows or part > high - low:
            break
        part *= COARSER
    return pl.concat([merged, kept]).sort("track", "lane", "start_ns", "end_ns"), part


def merged_below(events: pl.DataFrame, part: int) -> pl.DataFrame:
    """The events with those merged that are shorter than a part of so many ns and begin in the same one."""
    if events.is_empty():
        return counted(events)
    return _merged(events, part, int(events["start_ns"].min()), ())  # type: ignore[arg-type]


def counted(events: pl.DataFrame) -> pl.DataFrame:
    """Each event as one that took its own time, unless it is merged already."""
    if "count" in events.columns:
        return events
    return events.with_columns(count=pl.lit(1, pl.UInt32), busy_ns=_LENGTH, longest_ns=_LENGTH)


def _parts(events: pl.DataFrame, part: int, low: int) -> int:
    """How many rows are left, about, if events of that order are merged by this part: far less work than merging."""
    begins = (pl.col("start_ns") - low) // part
    is_alone = pl.col("end_ns") - pl.col("start_ns") >= part
    is_next = (begins == begins.shift()) & (pl.col("lane") == pl.col("lane").shift())
    is_first = is_alone | is_alone.shift() | ~(is_next & (pl.col("track") == pl.col("track").shift()))
    return int(events.select(is_first.fill_null(True).sum()).item())


def _inside(events: pl.DataFrame, intervals: Sequence[tuple[int, int]]) -> pl.Series:
    """Which events share time with one of the intervals."""
    is_inside = pl.lit(False)
    for start, end in intervals:
        is_inside = is_inside | ((pl.col("start_ns") < end) & (pl.col("end_ns") > start))
    return events.select(inside=pl.repeat(False, pl.len()) | is_inside)["inside"]


def _merged(events: pl.DataFrame, part: int, low: int, exact: Sequence[tuple[int, int]]) -> pl.DataFrame:
    """Events that are shorter than the part merged with those of their lane that begin in the same part.

    They are in order of track, lane and start, and stay so. What begins before an exact interval is not merged with
    what begins after it.
    """
    is_counted = "count" in events.columns
    longest = pl.col("longest_ns") if is_counted else _LENGTH
    is_short = part > _LENGTH
    side = sum(((pl.col("start_ns") >= start).cast(pl.Int32) for start, _ in exact), start=pl.lit(0, pl.Int32))
    by = (pl.col("track"), pl.col("lane"), (pl.col("start_ns") - low) // part, side)
    is_other = pl.any_horizontal(one != one.shift() for one in by).fill_null(False)
    short = events.filter(is_short).with_columns(group=is_other.cum_sum().set_sorted())
    what = [name for name in events.columns if name not in SUMMED]
    sums = short.group_by("group", maintain_order=True).agg(
        pl.col("track", "lane", "start_ns").first(),
        pl.col("end_ns").max(),
        pl.col(what).get(longest.arg_max()),
        pl.when(pl.len() == 1).then(pl.col("link").first()).otherwise(0).alias("link"),
        (pl.col("count").sum() if is_counted else pl.len()).cast(pl.UInt32).alias("count"),
        (pl.col("busy_ns") if is_counted else _LENGTH).sum().alias("busy_ns"),
        longest.max().alias("longest_ns"),
    )
    long = counted(events.filter(~is_short))
    return pl.concat([long, sums.select(long.columns)]).sort("track", "lane", "start_ns", "end_ns")
