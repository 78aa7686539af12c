"""How many different values each of many stretches of one list has, in little more than one walk over the list."""

import polars as pl


def distinct(values: pl.Series, low: pl.Series, high: pl.Series) -> pl.Series:
    """The number of different values, NULL not counted, from each place low to before the place high.

    Of equal values in a stretch the first counts: the one whose equal before it, if there is one, is before low.
    """
    placed = values.to_frame("value").with_columns(place=pl.int_range(pl.len())).drop_nulls("value")
    again = placed.with_columns(before=pl.col("place").shift().over("value")).drop_nulls("before")
    known = pl.Series([0]).append(values.is_not_null().cast(pl.Int64).cum_sum())
    uncounted = at_least(again["before"], again["place"].search_sorted(high, side="left"), low)
    return (known.gather(high) - known.gather(low) - uncounted).cast(pl.UInt32)


def at_least(values: pl.Series, ends: pl.Series, least: pl.Series) -> pl.Series:
    """How many of the first `end` values are not less than `least`, for each pair of these; nothing is negative.

    A wavelet matrix: bit by bit, from the highest on, the values are parted by it, in their order. Of those that agree
    with `least` so far, which stand together, the ones that have the bit where it has not are greater.
    """
    first = pl.repeat(0, ends.len(), dtype=pl.Int64, eager=True)
    last, least, found = ends.cast(pl.Int64), least.cast(pl.Int64), first
    highest = max((top for one in (values, least) if isinstance(top := one.max(), int)), default=0)
    for bit in reversed(range(highest.bit_length())):
        has = values // 2**bit % 2 == 1
        without = pl.Series([0]).append((~has).cast(pl.Int64).cum_sum())  # up to each place
        left, right = without.gather(first), without.gather(last)
        asked = least // 2**bit % 2
        found += (1 - asked) * ((last - first) - (right - left))
        first = left + asked * (without[-1] + first - 2 * left)
        last = right + asked * (without[-1] + last - 2 * right)
        values = values.filter(~has).append(values.filter(has))
    return found + (last - first)
