"""Lanes of a timeline's rows: what lies in something else is one lane below it, and no lane overlaps itself.

`events` is in order of track, start, and the end from the last: track, start_ns, end_ns.
"""

import polars as pl

MOST = 256  # lanes of a track whose events cross; what finds no room in them shares the last


def lanes(events: pl.DataFrame) -> pl.Series:
    """The lane of each event, from 0. What has no length takes a nanosecond."""
    line = _on_one_line(events)
    at = pl.int_range(line.height, dtype=pl.Int64, eager=True)
    depth = at - line["close"].sort().search_sorted(line["open"], side="right").cast(pl.Int64)
    placed = line.with_columns(events["track"], lane=depth).with_row_index("at")
    crossing = _crossing(placed)
    if crossing.is_empty():
        return depth.cast(pl.UInt32).alias("lane")
    is_crossing = pl.col("track").is_in(crossing.implode())
    fitted = _first_fit(placed.filter(is_crossing))
    rows = pl.concat([placed.filter(~is_crossing).select("at", "lane"), fitted]).sort("at")
    return rows["lane"].cast(pl.UInt32)


def in_order(events: pl.DataFrame, by: list[str], descending: list[bool]) -> pl.DataFrame:
    """The events sorted by these columns, the first of which few share: by that alone, and those that do by all."""
    first = events[by[0]]
    placed = events if first.is_sorted() else events.sort(by[0])
    is_next = placed[by[0]] == placed[by[0]].shift()
    ties = (is_next | is_next.shift(-1)).fill_null(False).arg_true()
    if ties.is_empty():
        return placed
    sorted_ties = placed.select(by).with_row_index("place")[ties].sort(by, descending=descending)["place"]
    return placed[pl.int_range(placed.height, dtype=pl.UInt32, eager=True).scatter(ties, sorted_ties)]


def _on_one_line(events: pl.DataFrame) -> pl.DataFrame:
    """Start and end as open and close on one axis on which tracks follow each other."""
    rank = events["track"].rank("dense").cast(pl.Int64) - 1
    end = pl.select(pl.max_horizontal(events["end_ns"], events["start_ns"] + 1)).to_series()
    if not events.height:
        return pl.DataFrame({"open": rank, "close": rank})
    low, high = int(events["start_ns"].min()), int(end.max())  # type: ignore[arg-type]
    span, start = high - low + 1, events["start_ns"] - low
    end = end - low
    if span * (int(rank.max()) + 2) >= 2**62:  # type: ignore[arg-type]
        times = pl.concat([start, end]).unique().sort()
        start, end = (times.search_sorted(t).cast(pl.Int64) for t in (start, end))
        span = times.len() + 1
    return pl.DataFrame({"open": rank * span + start, "close": rank * span + end})


def _crossing(placed: pl.DataFrame) -> pl.Series:
    """The tracks in which two events of one depth overlap: they cross."""
    before = pl.col("close").cum_max().shift().over("lane")
    return placed.filter(before > pl.col("open"))["track"].unique()


def _first_fit(placed: pl.DataFrame) -> pl.DataFrame:
    """Each event in the first lane that is free at its start; lane after lane, each by doubling steps along it."""
    fitted, left, lane = [], placed, 0
    while left.height and lane < MOST - 1:
        taken = _chain(left)
        fitted.append(left.filter(taken).select("at", lane=pl.lit(lane, pl.Int64)))
        left, lane = left.filter(~taken), lane + 1
    fitted.append(left.select("at", lane=pl.lit(lane, pl.Int64)))
    return pl.concat(fitted)


def _chain(left: pl.DataFrame) -> pl.Series:
    """Whether each event is in the chain of those that begin first after the end of the one before."""
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
