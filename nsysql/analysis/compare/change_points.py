"""Find where the times of a series change: steps up or down, a steady drift, and outliers that are neither."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from nsysql.analysis.compare.side import Floats

Ints = NDArray[np.int64]

FEWEST = 6  # times of a series in which a change can be found
SIDE = 3  # times in a row that make a change; one or two are outliers
DRAWS, SEED = 999, 20_240_229
LEVEL = 0.01  # share of series of noise in which a change is found
CERTAIN = 0.95  # probability of the interval of a change
FAR, LEAST = 8.0, 0.05  # median deviations, and share, by which an outlier differs from its neighbors
MOST_OUTLIERS = 10  # one time in so many, or two: more of them are the scatter
DRIFT_FROM = 12  # times from which a line is told from a step
MOST_ARCS = 300  # times up to which changes that end again are searched at once


@dataclass(frozen=True)
class Place:
    """A change: `at` is the first time that differs, `low` and `high` its 95 % interval; a drift has the whole series.

    `before_ns` and `after_ns` are the means of the times before it and after it, up to the next one; of a drift the
    first and the last time of the line.
    """

    at: int
    low: int
    high: int
    before_ns: float
    after_ns: float
    is_drift: bool = False


def change_points(times: Sequence[float], threshold: float) -> tuple[tuple[Place, ...], tuple[int, ...]]:
    """Return the changes in order, and the outliers, which are left out.

    A change is clearer than LEVEL of series of normal noise have one, and exceeds `threshold`.
    """
    every = np.log(np.maximum(np.array(times, dtype=np.float64), 1.0))
    outliers = _outliers(every)
    kept = np.setdiff1d(np.arange(len(every)), outliers)
    values = every[kept]
    found = _pruned(values, sorted(_places(values, 0, threshold)), threshold)
    if found and len(values) >= DRIFT_FROM and _is_drift(values, found):
        slope, first = np.polyfit(kept, values, 1)
        last = len(every) - 1
        ends = math.exp(first), math.exp(first + slope * last)
        return (Place(int(kept[found[0]]), 0, last, *ends, is_drift=True),), outliers
    borders = [0, *found, len(values)]
    means = [math.exp(values[a:b].mean()) for a, b in pairwise(borders)]
    places = []
    for i, place in enumerate(found):
        low, high = _interval(values[borders[i] : borders[i + 2]])
        at, first, last = (int(kept[one]) for one in (place, borders[i] + low, borders[i] + high))
        places.append(Place(at, min(at, first), max(at, last), means[i], means[i + 1]))
    return tuple(places), outliers


def _outliers(values: Floats) -> tuple[int, ...]:
    """Return the values far from the median of the five around them; none if there are many."""
    count, around = len(values), 2 * SIDE - 1
    if count < FEWEST:
        return ()
    starts = np.clip(np.arange(count) - around // 2, 0, count - around)
    far = np.abs(values - np.median(values[starts[:, None] + np.arange(around)], axis=1))
    places = np.flatnonzero(far > max(FAR * float(np.median(far)), LEAST))
    return tuple(places.tolist()) if len(places) <= max(SIDE - 1, count // MOST_OUTLIERS) else ()


def _places(values: Floats, offset: int, threshold: float) -> list[int]:
    """Return where a stretch of the series begins and ends that differs most from the rest, then within the parts."""
    if len(values) < FEWEST:
        return []
    gain, start, end = (one[0] for one in _clearest(values[None, :], len(values) <= MOST_ARCS))
    inside, outside = values[start:end].mean(), (values.sum() - values[start:end].sum()) / (len(values) - end + start)
    if gain <= _chance(len(values), len(values) <= MOST_ARCS) or abs(inside - outside) <= threshold:
        return []
    borders = sorted({0, int(start), int(end), len(values)})
    within = [p for a, b in pairwise(borders) for p in _places(values[a:b], offset + a, threshold)]
    return [*within, *(offset + border for border in borders[1:-1])]


def _clearest(rows: Floats, are_arcs: bool) -> tuple[Floats, Ints, Ints]:
    """Return for each series the largest share of the sum of squares that a stretch explains, its start and its end.

    Stretches, and what precedes and follows them, have SIDE values at least; without `are_arcs` they begin first.
    """
    count = rows.shape[1]
    centered = rows - rows.mean(axis=1, keepdims=True)
    sums = np.concatenate((np.zeros((len(rows), 1)), np.cumsum(centered, axis=1)), axis=1)
    best, starts, ends = np.full(len(rows), -1.0), *np.zeros((2, len(rows)), dtype=np.int64)
    for length in range(SIDE, count - SIDE + 1):
        first = np.arange(count - length + 1) if are_arcs else np.zeros(1, dtype=np.int64)
        rest = count - length - first
        first = first[((first == 0) | (first >= SIDE)) & ((rest == 0) | (rest >= SIDE))]
        if not len(first):
            continue
        gains = (sums[:, first + length] - sums[:, first]) ** 2 * (count / (length * (count - length)))
        largest = gains.argmax(axis=1)
        gain = gains[np.arange(len(rows)), largest]
        is_best = gain > best
        best = np.where(is_best, gain, best)
        starts, ends = np.where(is_best, first[largest], starts), np.where(is_best, first[largest] + length, ends)
    return best / np.maximum((centered**2).sum(axis=1), 1e-300), starts, ends


@lru_cache(maxsize=512)
def _chance(count: int, are_arcs: bool) -> float:
    """Return the share of the sum of squares that a stretch explains in LEVEL of series of noise."""
    noise = np.random.default_rng(SEED).standard_normal((DRAWS, count))
    return float(np.quantile(_clearest(noise, are_arcs)[0], 1 - LEVEL))


def _pruned(values: Floats, places: list[int], threshold: float) -> list[int]:
    """Leave out places at which the parts before and after them hardly differ, the least clear one first."""
    while places:
        borders = [0, *places, len(values)]
        clear = []
        for before, at, after in zip(borders, places, borders[2:], strict=False):
            part = values[before:after] - values[before:after].mean()
            gain = part[: at - before].sum() ** 2 * len(part) / ((at - before) * (after - at))
            change = values[at:after].mean() - values[before:at].mean()
            is_clear = abs(change) > threshold and gain > _chance(len(part), False) * (part**2).sum()
            clear.append((is_clear, abs(change), at))
        if all(is_clear for is_clear, *_ in clear):
            break
        places = [place for place in places if place != min(clear)[2]]
    return places


def _interval(values: Floats) -> tuple[int, int]:
    """Return the shortest run of places around the likeliest one change that has CERTAIN of the likelihood."""
    count = len(values)
    places = np.arange(1, count)
    sums = np.cumsum(values - values.mean())[:-1]
    gains = sums**2 * count / (places * (count - places)) / max(((values - values.mean()) ** 2).sum(), 1e-300)
    logs = -0.5 * max(1, count - 2) * np.log(np.maximum(1 - gains, 1e-12))
    weights = np.exp(logs - logs.max())
    weights /= weights.sum()
    low = high = int(weights.argmax())
    held = weights[low]
    while held < CERTAIN:
        left = weights[low - 1] if low else -1.0
        right = weights[high + 1] if high + 1 < len(weights) else -1.0
        low, high = (low - 1, high) if left >= right else (low, high + 1)
        held += max(left, right)
    return low + 1, high + 1


def _is_drift(values: Floats, places: Sequence[int]) -> bool:
    """Tell whether a straight line fits better than these changes, by Bayes's information criterion."""
    count = len(values)
    parts = np.split(values, list(places))
    steps = sum(((part - part.mean()) ** 2).sum() for part in parts)
    whole = ((values - values.mean()) ** 2).sum()
    line = whole * (1 - np.corrcoef(values, np.arange(count))[0, 1] ** 2)
    costs = [count * math.log(max(rest / whole, 1e-12)) for rest in (line, steps)]
    return bool(costs[0] + math.log(count) < costs[1] + 2 * len(places) * math.log(count))
