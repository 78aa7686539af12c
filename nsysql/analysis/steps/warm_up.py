"""Warm-up: the leading steps that take longer than the program's usual ones."""

import polars as pl

SLOW = 1.25  # times the usual period: longer steps at the beginning are warm-up
IN_A_ROW = 3  # as many consecutive steps that are not slow end the warm-up
SHARE = 10  # one in as many steps can be warm-up,
MOST = 20  # and so many at most: if more are slow, the program's steps become shorter
TREND = "the first {} steps take longer than later ones: a trend and not warm-up, so none is left out"


def is_trend(slow: int, steps: int) -> bool:
    """Whether so many slow leading steps are too many to be warm-up: over 20, or over a tenth (rounded up).

    >>> is_trend(1, 7), is_trend(2, 7)
    (False, True)
    """
    return slow > min(MOST, -(-steps // SHARE))


def slow_count(periods: pl.Series) -> int:
    """The number of leading steps, at most half, before three in a row of at most 1.25 times the usual period.

    The usual one is the median of the later half. Without three in a row, those before the first such step.

    >>> slow_count(pl.Series([90, 20, 10, 10, 11, 30, 10, 10]))
    2
    """
    usual = periods.tail((periods.len() + 1) // 2).median()
    if not isinstance(usual, int | float):
        return 0
    fast = periods <= SLOW * usual
    rows = fast.clone()
    for later in range(1, IN_A_ROW):
        rows = rows & fast.shift(-later, fill_value=False)
    first = (rows if rows.any() else fast).arg_max()
    return min(int(first or 0), periods.len() // 2)
