"""Count the distinct values in many intervals of one list, in little more than one pass over the list."""

import polars as pl


def distinct(values: pl.Series, low: pl.Series, high: pl.Series) -> pl.Series:
    """The number of distinct values, without NULL, in each interval [low, high) of positions.

    Of equal values in an interval the first counts: the one whose previous occurrence, if any, is before low.
    """
    placed = values.to_frame("value").with_columns(place=pl.int_range(pl.len())).drop_nulls("value")
    again = placed.with_columns(before=pl.col("place").shift().over("value")).drop_nulls("before")
    known = pl.Series([0]).append(values.is_not_null().cast(pl.Int64).cum_sum())
    uncounted = at_least(again["before"], again["place"].search_sorted(high, side="left"), low)
    return (known.gather(high) - known.gather(low) - uncounted).cast(pl.UInt32)


def at_least(values: pl.Series, ends: pl.Series, least: pl.Series) -> pl.Series:
    """For each pair (end, least): how many of the first `end` values are >= `least`; no value is negative.

    A wavelet matrix: for each bit, from the highest, the values are stably partitioned by it. Values that agree with
    `least` in the bits so far are contiguous; those of them with the bit set where `least` has it clear are greater.
    """
    first = pl.repeat(0, ends.len(), dtype=pl.Int64, eager=True)
    last, least, found = ends.cast(pl.Int64), least.cast(pl.Int64), first
    highest = max((top for one in (values, least) if isinstance(top := one.max(), int)), default=0)
    for bit in reversed(range(highest.bit_length())):
        has = values // 2**bit % 2 == 1
        without = pl.Series([0]).append((~has).cast(pl.Int64).cum_sum())  # before each position
        left, right = without.gather(first), without.gather(last)
        bit_of_least = least // 2**bit % 2
        found += (1 - bit_of_least) * ((last - first) - (right - left))
        first = left + bit_of_least * (without[-1] + first - 2 * left)
        last = right + bit_of_least * (without[-1] + last - 2 * right)
        values = values.filter(~has).append(values.filter(has))
    return found + (last - first)
