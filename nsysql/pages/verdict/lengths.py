"""How long or how large each of many is, in words: the mean, and what it hides where they vary by orders."""

from collections.abc import Callable

TWICE = 2  # times: a median and a mean that are further apart are both said
ORDER = 10  # times the median, or a tenth of it: then the longest and the shortest are said


def each(
    count: int, mean: float, median: float | None, least: float, most: float, shown: Callable[[float], str]
) -> str:
    """Of so many things the length or size of each.

    >>> from nsysql.words.quantities import time
    >>> each(1, 5e3, 5e3, 5e3, 5e3, time), each(4, 5e3, 5e3, 5e3, 5e3, time), each(4, 5e3, 6e3, 3e3, 7e3, time)
    (' of 5.000 µs', ' of 5.000 µs each', ' of 5.000 µs on average')
    >>> each(22, 351.7e6, 368e6, 6.2e6, 1.47e9, time)
    ' of 351.7 ms on average, from 6.200 ms to 1.470 s, median 368.0 ms'
    """
    if count == 1:
        return f" of {shown(mean)}"
    if least == most:
        return f" of {shown(mean)} each"
    said = f" of {shown(mean)} on average"
    if not median or not _varies(mean, median, least, most):
        return said
    return f"{said}, from {shown(least)} to {shown(most)}, median {shown(median)}"


def _varies(mean: float, median: float, least: float, most: float) -> bool:
    """Whether a mean alone would mislead."""
    return not median / TWICE <= mean <= median * TWICE or most >= ORDER * median or least <= median / ORDER
