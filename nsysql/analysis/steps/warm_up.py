"""Warm-up: the leading steps that take longer than the program's usual ones."""

import polars as pl

SLOW = 1.25  # times the usual period: longer steps at the beginning are warm-up
IN_A_ROW = 3  # as many consecutive steps that are not slow end the warm-up


def warm_up_count(periods: pl.Series) -> int:
    """The number of leading warm-up steps, at most half of all, from the periods of all steps.

    They are those before the first three in a row that take at most 1.25 times the median of the later half; without
    three in a row, those before the first such step.

    >>> warm_up_count(pl.Series([90, 20, 10, 10, 11, 30, 10, 10]))
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
