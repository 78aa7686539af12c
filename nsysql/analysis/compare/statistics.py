"""Quantiles of Student's t, ranks, and the standard error of a mean of samples that follow each other in time."""

import math
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

NORMAL = 1.959963984540054  # quantile of the normal distribution for a two-sided interval of 95 %


@lru_cache
def t_quantile(level: float, freedom: int) -> float:
    """The t such that a share `level` of Student's distribution is between -t and t.

    >>> round(t_quantile(0.95, 1), 3), round(t_quantile(0.99, 10), 3)
    (12.706, 3.169)
    """
    low, high = 0.0, 1.0
    while _inside(high, freedom) < level:
        high *= 2
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if _inside(middle, freedom) < level else (low, middle)
    return (low + high) / 2


def _inside(t: float, freedom: int) -> float:
    """The share of the distribution between -t and t: the finite sums of Abramowitz and Stegun, 26.7.3 and 26.7.4."""
    angle = math.atan(t / math.sqrt(freedom))
    cosine = math.cos(angle)
    odd = freedom % 2
    term = cosine if odd else 1.0
    total = term if freedom > 1 or not odd else 0.0
    for i in range(2 + odd, freedom, 2):
        term *= cosine * cosine * (i - 1) / i
        total += term
    if odd:
        return 2 / math.pi * (angle + (math.sin(angle) * total if freedom > 1 else 0.0))
    return math.sin(angle) * total


def rank_correlation(values: "Floats") -> float:
    """Spearman's correlation of values with their order; ties have their mean rank. 0 if all are equal."""
    import numpy as np

    _, places, counts = np.unique(values, return_inverse=True, return_counts=True)
    ranks = (np.cumsum(counts) - (counts - 1) / 2)[places]
    if len(ranks) < 2 or not np.ptp(ranks):
        return 0.0
    return float(np.corrcoef(ranks, np.arange(len(ranks)))[0, 1])


def standard_error(rows: "Floats", weights: "Floats") -> "Floats":
    """The standard error of the weighted mean of each column, rows being in order of time.

    The variance of the circular block bootstrap with blocks of round(sqrt(rows)), which has a closed form: of blocks
    that begin at every row. For fewer than 8 rows blocks are single rows.
    """
    import numpy as np

    count = len(rows)
    if count < 2:
        return np.zeros(rows.shape[1])
    block = round(math.sqrt(count)) if count >= 8 else 1
    mean = weights @ rows / weights.sum()
    deviations = (rows - mean) * (weights / weights.mean())[:, None]
    sums = np.vstack((np.zeros(rows.shape[1]), np.cumsum(np.vstack((deviations, deviations[: block - 1])), axis=0)))
    means = (sums[block:] - sums[:-block]) / block
    return np.asarray(np.sqrt((means**2).mean(axis=0) * block / (count - block if block > 1 else count - 1)))
