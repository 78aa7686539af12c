"""Compute with intervals in sorted frames: what they cover, which overlap, and which win. No loops over rows.

An interval or row belongs to a `key` (a thread, a process); only those of equal keys are paired. All are half-open.
"""

from typing import Any

import polars as pl


def runs_of(rows: pl.DataFrame, key: str) -> list[tuple[Any, pl.DataFrame]]:
    """Return each run of contiguous rows with one value of the key, and the value; the frames share their memory."""
    runs = rows[key].rle().struct.unnest()
    firsts = (runs["len"].cum_sum() - runs["len"]).to_list()
    return [(value, rows.slice(first, size)) for (size, value), first in zip(runs.rows(), firsts, strict=True)]


def covered_until(runs: pl.DataFrame, times: pl.Series) -> pl.Series:
    """Return the time up to each of `times` that the intervals `runs` cover, which are in order and do not overlap."""
    length = (runs["end_ns"] - runs["start_ns"]).cast(pl.Int64)
    before = pl.concat([pl.Series([0], dtype=pl.Int64), length.cum_sum()])
    begun = runs["start_ns"].search_sorted(times, side="left").cast(pl.Int64)
    last_end = pl.concat([pl.Series([-(2**62)], dtype=pl.Int64), runs["end_ns"].cast(pl.Int64)]).gather(begun)
    return before.gather(begun) - (last_end - times).clip(lower_bound=0)


def last_until(times: pl.Series, moments: pl.Series) -> pl.Series:
    """Return the position of the last of the sorted times up to each moment; -1 if there is none."""
    return times.search_sorted(moments, side="right").cast(pl.Int64) - 1


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


def overlaps(intervals: pl.DataFrame, rows: pl.DataFrame) -> pl.DataFrame:
    """Return every pair of an interval and a row of its key that share time.

    `intervals` has interval, key, start_ns, end_ns; `rows` has row, key, start_ns, end_ns; both may overlap among
    themselves. One row per pair, columns interval and row. The cost is sorting what overlaps anything, plus the pairs:
    rows that start inside an interval are contiguous in order of start, and so are intervals that start inside a row.
    """
    keys = intervals["key"].unique().sort()
    intervals, rows = _on_one_line(intervals, rows, keys)
    if intervals.height < rows.height:
        intervals = intervals.sort("from")
        rows = _meeting(rows, intervals).sort("from")
    else:
        rows = rows.sort("from")
        intervals = _meeting(intervals, rows).sort("from")
    row_starts, interval_starts = rows["from"], intervals["from"]
    inside = intervals.select(
        "interval",
        low=row_starts.search_sorted(interval_starts, side="left"),
        high=row_starts.search_sorted(intervals["to"], side="left"),
    ).filter(pl.col("high") > pl.col("low"))
    around = rows.select(
        "row",
        low=interval_starts.search_sorted(row_starts, side="right"),
        high=interval_starts.search_sorted(rows["to"], side="left"),
    ).filter(pl.col("high") > pl.col("low"))
    return pl.concat([_spread(inside, "row", rows["row"]), _spread(around, "interval", intervals["interval"])])


def _meeting(many: pl.DataFrame, few: pl.DataFrame) -> pl.DataFrame:
    """Keep the rows of `many`, in any order, that share time with one of `few`, which are in order of start."""
    begun = few["from"].search_sorted(many["to"], side="left")
    reached = few.select(pl.col("to").cum_max()).to_series().extend_constant(None, 1)  # at -1, if none has begun
    return many.filter(reached.gather(begun.cast(pl.Int64) - 1) > many["from"])


def _spread(ranges: pl.DataFrame, name: str, values: pl.Series) -> pl.DataFrame:
    """Return one row per position of each [low, high), with the value at that position as column `name`."""
    spread = ranges.with_columns(at=pl.int_ranges("low", "high", dtype=pl.Int64)).explode("at")
    return spread.with_columns(values.gather(spread["at"]).alias(name)).select("interval", "row")


def _on_one_line(intervals: pl.DataFrame, rows: pl.DataFrame, keys: pl.Series) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return both frames as (first column, from, to) on one axis with one key after the other.

    Only rows with one of the keys and some duration are kept.
    """
    both = (intervals, rows)
    low = min((v for f in both if isinstance(v := f["start_ns"].min(), int)), default=0)
    high = max((v for f in both if isinstance(v := f["end_ns"].max(), int)), default=0)
    span = high - low + 1
    rank = pl.col("key").replace_strict(keys, pl.int_range(keys.len(), eager=True), default=None, return_dtype=pl.Int64)
    if span * (keys.len() + 1) < 2**62:
        line = {
            "from": rank * span + (pl.col("start_ns") - low),
            "to": rank * span + (pl.col("end_ns") - low),
        }
        times = None
    else:  # times too far apart for 64 bits: their ranks have the same order
        times = pl.concat([f[c] for f in both for c in ("start_ns", "end_ns")]).unique().sort()
        line = {"from": rank * times.len() + pl.col("a"), "to": rank * times.len() + pl.col("b")}
    placed = []
    for f in both:
        if times is not None:
            f = f.with_columns(
                a=times.search_sorted(f["start_ns"]).cast(pl.Int64),
                b=times.search_sorted(f["end_ns"]).cast(pl.Int64),
            )
        kept = pl.col("key").is_in(keys.implode()) & (pl.col("end_ns") > pl.col("start_ns"))
        placed.append(f.lazy().filter(kept).select(f.columns[0], **line).collect())
    return placed[0], placed[1]


def winners(intervals: pl.DataFrame, claims: pl.DataFrame, order: list[tuple[str, bool]]) -> pl.DataFrame:
    """Cut each interval into segments that one claim wins, or none.

    `intervals` has interval, start_ns, end_ns; `claims` has interval, start_ns, end_ns and the columns of `order`,
    (name, descending) pairs that make a total order: the first in it wins. Claims are clipped to their interval. One
    row per segment, in order of interval and start: interval, start_ns, end_ns and claim, the claim's position in
    `claims` (NULL where nothing claims). Adjacent segments of one claim are one.
    """
    claims = (
        claims.with_row_index("claim")
        .join(intervals.select("interval", low="start_ns", high="end_ns"), on="interval")
        .with_columns(pl.max_horizontal("start_ns", "low").alias("a"), pl.min_horizontal("end_ns", "high").alias("b"))
        .filter(pl.col("b") > pl.col("a"))
    )
    cuts = (
        pl.concat(
            [
                claims.select("interval", at="a"),
                claims.select("interval", at="b"),
                intervals.select("interval", at="start_ns"),
                intervals.select("interval", at="end_ns"),
            ]
        )
        .unique()
        .sort("interval", "at")
        .with_row_index("cut")
    )
    segments = cuts.select(
        "cut",
        "interval",
        start_ns="at",
        end_ns=pl.col("at").shift(-1),
        last=pl.col("interval") != pl.col("interval").shift(-1).fill_null(pl.col("interval").max() + 1),
    ).filter(~pl.col("last"))
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
    return (
        rows.with_columns(run=(~same).fill_null(True).cum_sum())
        .group_by("run", maintain_order=True)
        .agg(pl.col("interval", "start_ns", "claim").first(), pl.col("end_ns").last())
        .select("interval", "start_ns", "end_ns", "claim")
    )
