"""Compute with intervals in sorted frames: what they cover, which overlap, and which win. No loops over rows.

An interval or row belongs to a `key` (a thread, a process); only those of equal keys are paired. All are half-open.
"""

from collections.abc import Callable, Sequence
from typing import Any

import polars as pl

START, END = pl.col("start_ns"), pl.col("end_ns")
LENGTH = END - START


def runs_of(rows: pl.DataFrame, key: str) -> list[tuple[Any, pl.DataFrame]]:
    """Return each run of contiguous rows with one value of the key, and the value; the frames share their memory."""
    runs = rows[key].rle().struct.unnest()
    firsts = (runs["len"].cum_sum() - runs["len"]).to_list()
    return [(value, rows.slice(first, size)) for (size, value), first in zip(runs.rows(), firsts, strict=True)]


def with_ties_in_order(
    rows: pl.DataFrame, alike: Sequence[str], by: Sequence[str], down: Sequence[str] = ()
) -> pl.DataFrame:
    """Sort rows that are in order of the columns `alike`, of which few are equal in these: only those are sorted.

    They are sorted by `by`, of which the columns `down` descend. NULL is last.
    """
    same = pl.all_horizontal(pl.col(name) == pl.col(name).shift() for name in alike).fill_null(False)
    ties = rows.select((same | same.shift(-1, fill_value=False)).arg_true()).to_series()
    descending, columns = [False] * len(alike) + [name in down for name in by], [*alike, *by]
    order = pl.arg_sort_by(columns, descending=descending, nulls_last=True, maintain_order=True)
    in_order = ties.gather(rows.select(columns)[ties].select(order).to_series())
    if in_order.equals(ties):
        return rows
    return rows[pl.int_range(rows.height, dtype=pl.UInt32, eager=True).scatter(ties, in_order)]


def free_places(rows: pl.DataFrame, key: str) -> pl.Series:
    """Return the positions after the first, in rows by key and start, before which no row of the key is in progress."""
    is_same = pl.col(key) == pl.col(key).shift()
    reached = END.cum_max().over(key).shift()
    is_apart = (reached < START) & (START.shift() < START)  # an end can be before its start
    return rows.select((~is_same | is_apart).arg_true()).to_series().cast(pl.Int64)


def covered_until(runs: pl.DataFrame, times: pl.Series) -> pl.Series:
    """Return the time up to each of `times` that the intervals `runs` cover, which are in order and do not overlap."""
    length = (runs["end_ns"] - runs["start_ns"]).cast(pl.Int64)
    before = pl.concat([pl.Series([0], dtype=pl.Int64), length.cum_sum()])
    begun = runs["start_ns"].search_sorted(times, side="left").cast(pl.Int64)
    last_end = pl.concat([pl.Series([-(2**62)], dtype=pl.Int64), runs["end_ns"].cast(pl.Int64)]).gather(begun)
    return before.gather(begun) - (last_end - times).clip(lower_bound=0)


def rank_among(column: pl.Expr, among: pl.Series) -> pl.Expr:
    """Return the position of each value among others, as Int64; NULL for one that is not among them."""
    places = pl.int_range(among.len(), eager=True)
    return column.replace_strict(among, places, default=None, return_dtype=pl.Int64)


def last_until(times: pl.Series, moments: pl.Series) -> pl.Series:
    """Return the position of the last of the sorted times up to each moment; -1 if there is none."""
    return times.search_sorted(moments, side="right").cast(pl.Int64) - 1


def with_nearest(
    rows: pl.DataFrame, others: pl.DataFrame, at: str, other_at: str, by: str | list[str], **how: Any
) -> pl.DataFrame:
    """Join sorted rows with the last of the sorted others of their key up to a time; `how` as in join_asof."""
    return rows.join_asof(others, left_on=at, right_on=other_at, by=by, check_sortedness=False, **how)


def union(rows: pl.DataFrame) -> pl.DataFrame:
    """Merge rows, in order of their start, that overlap or touch: start_ns, end_ns."""
    reached = rows["end_ns"].cum_max()
    first = (reached.shift() < rows["start_ns"]).fill_null(True).arg_true()
    last = first.slice(1).append(pl.Series([rows.height], dtype=first.dtype)) - 1
    last = last.head(first.len())  # none if there are no rows
    return pl.DataFrame({"start_ns": rows["start_ns"].gather(first), "end_ns": reached.gather(last)})


def alone(rows: pl.DataFrame, label: str) -> pl.DataFrame:
    """Return when exactly one of the rows, in order of start, is in progress: start_ns, end_ns, label of that one.

    Between one start and the next, the row that ends last is alone once the second last has ended.
    """
    before = END.cum_max().shift()
    second = pl.when(before.is_not_null()).then(pl.min_horizontal(END, before)).cum_max()
    last = pl.when((before < END).fill_null(True)).then(label).forward_fill()
    return rows.select(
        last.alias(label),
        start_ns=pl.max_horizontal(START, second),
        end_ns=pl.min_horizontal(START.shift(-1), END.cum_max()),
    ).filter(END > START)


def parts_within(rows: pl.DataFrame, spans: pl.DataFrame) -> pl.DataFrame:
    """Return the parts of rows inside spans, which are in order and do not overlap; `span` is the position of the span.

    The other columns are those of the rows.
    """
    low = spans["end_ns"].search_sorted(rows["start_ns"], side="right")
    high = spans["start_ns"].search_sorted(rows["end_ns"], side="left")
    cut = rows.with_columns(low=low, high=high).filter(pl.col("high") > pl.col("low"))
    cut = cut.with_columns(span=pl.int_ranges("low", "high", dtype=pl.UInt32)).drop("low", "high").explode("span")
    begin, end = (spans[name].gather(cut["span"]) for name in ("start_ns", "end_ns"))
    return cut.with_columns(start_ns=pl.max_horizontal("start_ns", begin), end_ns=pl.min_horizontal("end_ns", end))


def without(pieces: pl.DataFrame, covered: pl.DataFrame) -> pl.DataFrame:
    """Cut the covered intervals out of the pieces; neither overlap among themselves.

    All columns of `pieces` are kept; a piece that is covered in its middle becomes two.
    """
    if covered.is_empty() or pieces.is_empty():
        return pieces
    free = pl.select(
        start_ns=pl.concat([pl.Series([-(2**63)]), covered["end_ns"]]),
        end_ns=pl.concat([covered["start_ns"], pl.Series([2**63 - 1])]),
    )
    return parts_within(pieces, free).filter(END > START).drop("span")


def overlaps(intervals: pl.DataFrame, rows: pl.DataFrame) -> pl.DataFrame:
    """Return every pair of an interval and a row of its key that share time.

    `intervals` has interval, key, start_ns, end_ns; `rows` has row, key, start_ns, end_ns; both may overlap among
    themselves. One row per pair, columns interval and row. The cost is sorting what overlaps anything, plus the pairs:
    rows that start inside an interval are contiguous in order of start, and so are intervals that start inside a row.
    """
    keys = intervals["key"].drop_nulls().unique().sort()
    intervals, rows = _on_one_line(intervals, rows, keys)
    if intervals.height < rows.height:
        intervals = intervals.sort("start_ns")
        rows = rows.filter(overlapping(rows, intervals)).sort("start_ns")
    else:
        rows = rows.sort("start_ns")
        intervals = intervals.filter(overlapping(intervals, rows)).sort("start_ns")
    row_starts, interval_starts = rows["start_ns"], intervals["start_ns"]
    inside = intervals.select(
        "interval",
        low=row_starts.search_sorted(interval_starts, side="left"),
        high=row_starts.search_sorted(intervals["end_ns"], side="left"),
    ).filter(pl.col("high") > pl.col("low"))
    around = rows.select(
        "row",
        low=interval_starts.search_sorted(row_starts, side="right"),
        high=interval_starts.search_sorted(rows["end_ns"], side="left"),
    ).filter(pl.col("high") > pl.col("low"))
    return pl.concat([_spread(inside, "row", rows["row"]), _spread(around, "interval", intervals["interval"])])


def overlapping(many: pl.DataFrame, few: pl.DataFrame) -> pl.Series:
    """Mark the rows of `many`, in any order, that share time with one of `few`, which are in order of start."""
    begun = few["start_ns"].search_sorted(many["end_ns"], side="left").cast(pl.Int64)
    reached = few.select(END.cum_max()).to_series().extend_constant(None, 1)  # at -1, if none has begun
    return (reached.gather(begun - 1) > many["start_ns"]).fill_null(False)


def _spread(ranges: pl.DataFrame, name: str, values: pl.Series) -> pl.DataFrame:
    """Return one row per position of each [low, high), with the value at that position as column `name`."""
    spread = ranges.with_columns(at=pl.int_ranges("low", "high", dtype=pl.Int64)).explode("at")
    return spread.with_columns(values.gather(spread["at"]).alias(name)).select("interval", "row")


def _on_one_line(intervals: pl.DataFrame, rows: pl.DataFrame, keys: pl.Series) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return both frames as (first column, start_ns, end_ns) on one axis with one key after the other.

    Only rows with one of the keys and some duration are kept.
    """
    place, span = on_axis([f[name] for f in (intervals, rows) for name in ("start_ns", "end_ns")], keys.len())
    begin = pl.lit(keys).search_sorted(pl.col("key")).cast(pl.Int64) * span
    line = {"start_ns": pl.col("begin") + place(START), "end_ns": pl.col("begin") + place(END)}
    kept = pl.col("key").is_in(keys.implode()) & (END > START)
    return tuple(  # type: ignore[return-value]
        f.lazy().filter(kept).with_columns(begin=begin).select(f.columns[0], **line).collect()
        for f in (intervals, rows)
    )


def on_axis(times: Sequence[pl.Series], keys: int) -> tuple[Callable[[pl.Expr], pl.Expr], int]:
    """Return how to place times on the part of one key, on an axis of so many of these parts, and the length of a part.

    Times too far apart for 64 bits are replaced by their ranks, which have the same order.
    """
    low = min((v for one in times if isinstance(v := one.min(), int)), default=0)
    span = max((v for one in times if isinstance(v := one.max(), int)), default=0) - low + 1
    if span * (keys + 1) < 2**62:
        return lambda time: time - low, span
    ranks = pl.concat(times).unique().sort()
    return lambda time: pl.lit(ranks).search_sorted(time).cast(pl.Int64), ranks.len()


def winners(intervals: pl.DataFrame, claims: pl.DataFrame, order: list[tuple[str, bool]]) -> pl.DataFrame:
    """Cut each interval into segments that one claim wins, or none.

    `intervals` has interval, start_ns, end_ns; `claims` has interval, start_ns, end_ns and the columns of `order`,
    (name, descending) pairs that make a total order: the first in it wins. Claims are clipped to their interval. One
    row per segment, in order of interval and start: interval, start_ns, end_ns and claim, the claim's position in
    `claims` (NULL where nothing claims). Adjacent segments of one claim are one.
    """
    bounds = intervals.select("interval", low="start_ns", high="end_ns")
    claims = claims.with_row_index("claim").join(bounds, on="interval")
    claims = claims.with_columns(a=pl.max_horizontal("start_ns", "low"), b=pl.min_horizontal("end_ns", "high"))
    claims = claims.filter(pl.col("b") > pl.col("a"))
    ends = (claims, "a"), (claims, "b"), (intervals, "start_ns"), (intervals, "end_ns")
    cuts = (
        pl.concat(frame.select("interval", at=at) for frame, at in ends)
        .sort("interval", "at")
        .filter(pl.any_horizontal(pl.col(name) != pl.col(name).shift() for name in ("interval", "at")).fill_null(True))
        .with_row_index("cut")
    )
    is_within = (pl.col("interval") == pl.col("interval").shift(-1)).fill_null(False)
    ended = cuts.with_columns(is_within=is_within, end_ns=pl.col("at").shift(-1)).filter("is_within")
    segments = ended.select("cut", "interval", "end_ns", start_ns="at")
    won = (
        claims.join(cuts.rename({"at": "a", "cut": "first"}), on=["interval", "a"])
        .join(cuts.rename({"at": "b", "cut": "end"}), on=["interval", "b"])
        .with_columns(cut=pl.int_ranges("first", "end", dtype=pl.UInt32))
        .explode("cut")
        .sort(["cut", *(name for name, _ in order)], descending=[False, *(down for _, down in order)])
        .unique("cut", keep="first", maintain_order=True)
        .select("cut", "claim")
    )
    rows = segments.join(won, on="cut", how="left", maintain_order="left")
    same = (pl.col("interval") == pl.col("interval").shift()) & pl.col("claim").eq_missing(pl.col("claim").shift())
    rows = rows.with_columns(is_first=(~same).fill_null(True))
    end_ns = rows["end_ns"].filter(rows["is_first"].shift(-1, fill_value=True))
    return rows.filter("is_first").with_columns(end_ns).select("interval", "start_ns", "end_ns", "claim")


def cut_by_timeline(pieces: pl.DataFrame, timeline: pl.DataFrame) -> pl.DataFrame:
    """Cut pieces where a row of their thread's timeline, which does not overlap itself, begins or ends.

    `pieces` has interval, thread_id, start_ns, end_ns; `timeline` has thread_id, start_ns, end_ns. The parts have
    interval, start_ns, end_ns and row, the position in the timeline (NULL outside its rows).
    """
    of_thread, time = pl.col("thread_id").alias("key"), ("start_ns", "end_ns")
    places = timeline.select(of_thread, *time).with_row_index("row")
    pairs = overlaps(pieces.select("interval", of_thread, *time), places)
    claims = pairs.hstack(timeline.select(pl.col(time).gather(pairs["row"])))
    cut = winners(pieces.select("interval", *time), claims, [("start_ns", False), ("row", False)])
    return cut.select("interval", *time, row=claims["row"].gather(cut["claim"]))
