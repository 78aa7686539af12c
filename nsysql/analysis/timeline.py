"""Prepare a timeline: assign lanes to events, and merge what is too short to be drawn alone, of events and of curves.

`events` has track, start_ns and end_ns. An event inside another is one lane below it, and no lane overlaps itself: for
this, events are sorted by track, start, and descending end.

Later they also have lane and link, and columns that describe an event, such as style, name and detail, and all frames
are sorted by track, lane and start. Events too short to be seen are merged with their neighbors, the rest stays exact.
A merged row describes its longest event, which took `longest_ns`; `count` is the number of its events, `busy_ns` the
sum of their durations. Merged rows can be merged further.

`values` of curves has curve (its number), start_ns, end_ns (how long a value holds), low, high, mean, held_ns (the time
that the mean covers, without holes) and count (the number of values). The mean is weighted by time; values without
duration count for lowest and highest only, unless all are without.
"""

from collections.abc import Sequence
from functools import reduce
from operator import or_

import polars as pl

from nsysql.analysis.intervals import LENGTH, with_ties_in_order

CLOSE = pl.max_horizontal("end_ns", pl.col("start_ns") + 1)
MOST = 256  # lanes of a track whose events cross; events that do not fit into these share the last


def in_lanes(events: pl.DataFrame) -> pl.DataFrame:
    """Return the events of a track with their lanes, in order of these; what is equal in order of `at`, if that exists.

    Lanes count from 0. Events without duration take a nanosecond.
    """
    if not events["start_ns"].is_sorted():
        events = events.sort("start_ns", maintain_order=True)
    by = ["end_ns", *(name for name in ("at",) if name in events.columns)]
    events = with_ties_in_order(events, ["start_ns"], by, down=["end_ns"])
    parts = _by_lane(events, _depth(events))
    if any(map(_overlaps, parts)):
        parts = _by_lane(events, _first_fit(events))
        if len(parts) == MOST:
            parts[-1] = parts[-1].sort("start_ns", "end_ns")  # what shares the last lane can begin at once
    return pl.concat(parts)


def _depth(events: pl.DataFrame) -> pl.Series:
    """Return how many earlier events are in progress when each begins."""
    at = pl.int_range(events.height, dtype=pl.UInt32, eager=True)
    return at - events.select(CLOSE).to_series().sort().search_sorted(events["start_ns"], side="right")


def _by_lane(events: pl.DataFrame, lane: pl.Series) -> list[pl.DataFrame]:
    parts = events.with_columns(lane=lane).partition_by("lane", as_dict=True, maintain_order=True)
    return [parts[key] for key in sorted(parts)]


def _overlaps(own: pl.DataFrame) -> bool:
    """Tell whether an event of a lane begins before the one before it has ended."""
    start, before, reached = own["start_ns"].slice(1), own["start_ns"].head(-1), own["end_ns"].head(-1)  # not copied
    return bool(((reached > start) | (before >= start)).any())


def _first_fit(events: pl.DataFrame) -> pl.Series:
    """Return for each event the first lane that is free at its start, lane by lane, in doubling steps along each."""
    left = events.select(at=pl.int_range(pl.len(), dtype=pl.UInt32), open="start_ns", close=CLOSE)
    fitted, lane = [], 0
    while left.height and lane < MOST - 1:
        taken = _chain(left)
        fitted.append(left.filter(taken).select("at", lane=pl.lit(lane, pl.UInt32)))
        left, lane = left.filter(~taken), lane + 1
    fitted.append(left.select("at", lane=pl.lit(lane, pl.UInt32)))
    return pl.concat(fitted).sort("at")["lane"]


def _chain(left: pl.DataFrame) -> pl.Series:
    """Mark the events of the chain in which each is the first to begin after the end of the one before."""
    size = left.height
    jump = left["open"].search_sorted(left["close"], side="left").cast(pl.Int64)
    jump = jump.extend_constant(size, 1)  # beyond the last it stays
    reached = pl.Series([0], dtype=pl.Int64)
    while True:
        further = pl.concat([reached, jump.gather(reached)]).unique()
        if further.len() == reached.len():
            break
        reached, jump = further, jump.gather(jump)
    taken = pl.repeat(False, size + 1, eager=True, dtype=pl.Boolean).scatter(reached, True)
    return taken.head(size).alias("taken")


FINEST = 2**20  # parts of the time line: events shorter than one are merged first
COARSER = 4  # how much longer the parts get until the rows are few enough
SUMMED = ("track", "lane", "start_ns", "end_ns", "link", "count", "busy_ns", "longest_ns")


def with_levels(events: pl.DataFrame, rows: int, exact: Sequence[tuple[int, int]] = ()) -> tuple[pl.DataFrame, int]:
    """Merge short events to at most about `rows`; return with them the length in ns below which they may be merged.

    Events in one of the intervals `exact` are kept as they are, if these are at most half of the rows.
    """
    if events.height <= rows:
        return counted(events), 0
    inside = events.select(_is_in(exact)).to_series()
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
    """Merge the events that are shorter than `part` ns and begin in the same part of that length."""
    if events.is_empty():
        return counted(events)
    return _merged(events, part, int(events["start_ns"].min()), ())  # type: ignore[arg-type]


def counted(events: pl.DataFrame) -> pl.DataFrame:
    """Add the columns of merged events, each event counting as one with its own duration, unless they exist."""
    if "count" in events.columns:
        return events
    return events.with_columns(count=pl.lit(1, pl.UInt32), busy_ns=LENGTH, longest_ns=LENGTH)


def _parts(events: pl.DataFrame, part: int, low: int) -> int:
    """Estimate the number of rows if sorted events are merged by this part, with far less work than merging."""
    begins = (pl.col("start_ns") - low) // part
    is_alone = part <= LENGTH
    is_next = (begins == begins.shift()) & (pl.col("lane") == pl.col("lane").shift())
    is_first = is_alone | is_alone.shift() | ~(is_next & (pl.col("track") == pl.col("track").shift()))
    return int(events.select(is_first.fill_null(True).sum()).item())


def _is_in(intervals: Sequence[tuple[int, int]]) -> pl.Expr:
    """Mark the rows that share time with one of the intervals."""
    inside = ((pl.col("start_ns") < end) & (pl.col("end_ns") > start) for start, end in intervals)
    return reduce(or_, inside, pl.repeat(False, pl.len()))


def _begun(intervals: Sequence[tuple[int, int]]) -> pl.Expr:
    """Count the intervals that have begun when a row begins: rows are merged on one side of each."""
    return sum(((pl.col("start_ns") >= start).cast(pl.Int32) for start, _ in intervals), start=pl.lit(0, pl.Int32))


def _merged(events: pl.DataFrame, part: int, low: int, exact: Sequence[tuple[int, int]]) -> pl.DataFrame:
    """Merge events shorter than the part with those of their lane that begin in the same part.

    They are sorted by track, lane and start, and stay so. Events that begin before an exact interval are not merged
    with those that begin after it.
    """
    is_counted = "count" in events.columns
    longest = pl.col("longest_ns") if is_counted else LENGTH
    is_short = part > LENGTH
    by = (pl.col("track"), pl.col("lane"), (pl.col("start_ns") - low) // part, _begun(exact))
    is_other = pl.any_horizontal(one != one.shift() for one in by).fill_null(False)
    short = events.filter(is_short).with_columns(group=is_other.cum_sum().set_sorted())
    what = [name for name in events.columns if name not in SUMMED]
    sums = short.group_by("group", maintain_order=True).agg(
        pl.col("track", "lane", "start_ns").first(),
        pl.col("end_ns").max(),
        pl.col(what).get(longest.arg_max()),
        pl.when(pl.len() == 1).then(pl.col("link").first()).otherwise(0).alias("link"),
        (pl.col("count").sum() if is_counted else pl.len()).cast(pl.UInt32).alias("count"),
        (pl.col("busy_ns") if is_counted else LENGTH).sum().alias("busy_ns"),
        longest.max().alias("longest_ns"),
    )
    long = counted(events.filter(~is_short))
    return pl.concat([long, sums.select(long.columns)]).sort("track", "lane", "start_ns", "end_ns")


VALUES = pl.Schema({
    "curve": pl.UInt32(), **dict.fromkeys(("start_ns", "end_ns", "low", "high"), pl.Int64()),
    "mean": pl.Float64(), "held_ns": pl.Int64(), "count": pl.UInt32(),
})  # fmt: skip
_HELD = pl.col("held_ns").sum()
_MEAN = pl.when(_HELD > 0).then((pl.col("mean") * pl.col("held_ns")).sum() / _HELD).otherwise(pl.col("mean").mean())


def fewer_values(
    values: pl.DataFrame, rows: int, part: int, exact: Sequence[tuple[int, int]] = ()
) -> tuple[pl.DataFrame, int]:
    """Merge short values until at most about `rows` are left, in order of curve and time; return the length used, too.

    `part` is the length in ns with which merging begins. Values in one of the intervals `exact` are kept as they are.
    """
    merged, used = values, 0
    span = 0 if values.is_empty() else int(values["end_ns"].max()) - int(values["start_ns"].min())  # type: ignore[arg-type]
    part = max(1, part)
    while merged.height > rows and used <= span:
        merged, used = merged_values(merged, part, exact), part
        part *= COARSER
    return merged.sort("curve", "start_ns", "end_ns"), used


def merged_values(values: pl.DataFrame, part: int, exact: Sequence[tuple[int, int]] = ()) -> pl.DataFrame:
    """Merge the values that hold for less than `part` ns and begin in the same part of that length."""
    kept = _is_in(exact) | (part <= LENGTH)
    short = values.filter(~kept).with_columns(part=pl.col("start_ns") // part, side=_begun(exact))
    sums = short.group_by("curve", "part", "side").agg(
        *(pl.col("start_ns").min(), pl.col("end_ns").max(), pl.col("low").min(), pl.col("high").max()),
        *(_MEAN.alias("mean"), _HELD, pl.col("count").sum()),
    )
    return pl.concat([values.filter(kept), sums.select(VALUES.names()).cast(VALUES)])


def columns(values: pl.DataFrame, start_ns: int, end_ns: int, count: int) -> pl.DataFrame:
    """Return the columns of each curve that have a value, in order: curve, column, low, high, mean."""
    span = max(1, end_ns - start_ns)
    from_, to = ((pl.col(name).clip(start_ns, end_ns) - start_ns) * (count / span) for name in ("start_ns", "end_ns"))
    first = pl.col("from").floor().cast(pl.Int64).clip(0, count - 1)
    last = pl.max_horizontal(pl.col("to").ceil().cast(pl.Int64).clip(1, count), first + 1)
    shown = values.filter((pl.col("end_ns") >= start_ns) & (pl.col("start_ns") <= end_ns))
    placed = shown.with_columns(**{"from": from_, "to": to}).with_columns(column=pl.int_ranges(first, last))
    inside = pl.min_horizontal("to", pl.col("column") + 1) - pl.max_horizontal("from", "column")
    cells = placed.explode("column", empty_as_null=False).with_columns(share=inside)
    share = pl.col("share").sum()
    mean = pl.when(share > 0).then((pl.col("mean") * pl.col("share")).sum() / share).otherwise(pl.col("mean").mean())
    rows = cells.group_by("curve", "column").agg(pl.col("low").min(), pl.col("high").max(), mean=mean)
    return rows.sort("curve", "column")
