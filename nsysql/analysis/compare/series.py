"""Find the first capture that differs in a series of captures of one program over time, and what changed there."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from nsysql.analysis.compare.compare import Comparison, Options, compared
from nsysql.analysis.compare.side import side_of
from nsysql.analysis.compare.unit import choose, difference, whole
from nsysql.analysis.digest import STEP, WORK, Digest

if TYPE_CHECKING:
    from nsysql.analysis.compare.side import Floats

FEWEST = 6  # captures of a series from which a change can be told from noise
SHUFFLES, SEED = 1_999, 20_240_229
LEVEL = 0.01  # share of shuffled series that show as large a change by chance
CERTAIN = 0.95  # probability of the interval of the change
NEAR = 10  # captures before and after the change that are compared
STEADIER = 1.0  # how much better, in log likelihood per capture times captures, a line must fit than a step


@dataclass(frozen=True)
class Change:
    """A change between two captures: `at` is the first that differs, `low` and `high` its 95 % interval."""

    at: int
    low: int
    high: int
    before_ns: float
    after_ns: float
    is_drift: bool  # a steady slope fits better than one change
    comparison: Comparison | None = None


@dataclass(frozen=True)
class Series:
    """The time of a unit in each capture, in order, and the first change; None if there is none beyond noise."""

    names: tuple[str, ...]
    unit: str
    times_ns: tuple[float, ...]
    change: Change | None
    too_few: bool


def series_of(names: Sequence[str], captures: Sequence[Digest], options: Options) -> Series:
    """Return the series of captures in order. Raises MissingData if they have no unit in common."""
    kind, times = _times(captures, options)
    change = first_change(times, options.threshold) if len(times) >= FEWEST else None
    if change is not None:
        start, end = max(0, change.at - NEAR), change.at + NEAR
        both = compared(captures[start : change.at], captures[change.at : end], replace(options, per=kind))
        change = replace(change, comparison=both)
    return Series(tuple(names), kind, tuple(times), change, len(times) < FEWEST)


def _times(captures: Sequence[Digest], options: Options) -> tuple[str, list[float]]:
    """Return the unit that all captures share, and its time in each."""
    if options.per is not None:
        kind, units = options.per, list(choose(captures, captures[:1], options.per).a)
    else:
        first = next(iter(captures[0].series), None)
        steps = [next((u for u in c.series if first and difference(first, u) is None), None) for c in captures]
        units = [unit for unit in steps if unit is not None]
        kind = STEP if len(units) == len(captures) else WORK
        if kind == WORK:
            units = list(whole(captures, captures[:1]).a)
    sides = (side_of([c], [unit], options.gpu) for c, unit in zip(captures, units, strict=True))
    return kind, [float(sum(side.mean_ns.values())) for side in sides]


def first_change(times: Sequence[float], threshold: float) -> Change | None:
    """Find the first change of a series: the most likely one, then again in what precedes it.

    A change exceeds noise if fewer than LEVEL of the shuffled series have one as clear, and the means differ by more
    than `threshold`.
    """
    best = None
    end = len(times)
    while end >= FEWEST and (change := _change(times[:end], threshold)) is not None:
        best, end = change, change.at
    return best


def _change(times: Sequence[float], threshold: float) -> Change | None:
    import numpy as np

    values = np.log(np.maximum(np.array(times, dtype=np.float64), 1.0))
    gains = _gains(values[None, :])[0]
    at = int(gains.argmax()) + 1
    before, after = (math.exp(part.mean()) for part in (values[:at], values[at:]))
    if abs(math.log(after / before)) <= threshold:
        return None
    random = np.random.default_rng(SEED)
    shuffled = random.permuted(np.tile(values, (SHUFFLES, 1)), axis=1)
    if (1 + (_gains(shuffled).max(axis=1) >= gains.max()).sum()) / (SHUFFLES + 1) >= LEVEL:
        return None
    low, high = _interval(values, gains)
    return Change(at, low, high, before, after, _is_drift(values, gains))


def _gains(rows: "Floats") -> "Floats":
    """Return how much the sum of squares falls with a change before each place, as a share: rows are series."""
    import numpy as np

    count = rows.shape[1]
    centered = rows - rows.mean(axis=1, keepdims=True)
    sums = np.cumsum(centered, axis=1)[:, :-1]
    places = np.arange(1, count)
    total = np.maximum((centered**2).sum(axis=1, keepdims=True), 1e-300)
    return np.asarray(sums**2 * count / (places * (count - places)) / total)


def _interval(values: "Floats", gains: "Floats") -> tuple[int, int]:
    """Return the shortest run of places around the likeliest that has CERTAIN of the likelihood."""
    import numpy as np

    logs = -0.5 * max(1, len(values) - 2) * np.log(np.maximum(1 - gains, 1e-12))
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


def _is_drift(values: "Floats", gains: "Floats") -> bool:
    """Tell whether a straight line fits better than a change."""
    import numpy as np

    slope = np.corrcoef(values, np.arange(len(values)))[0, 1] ** 2
    line, step = (-0.5 * len(values) * math.log(max(1 - fit, 1e-12)) for fit in (slope, float(gains.max())))
    return bool(line > step + STEADIER)
