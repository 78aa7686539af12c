"""Estimate how much two runs of the same program differ: measured from captures, or a prior by kind of account."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from nsysql.analysis.compare.side import Floats, Samples, Side
from nsysql.analysis.digest import KERNELS, Key

NORMAL = 1.959963984540054  # quantile of the normal distribution for a two-sided interval of 95 %
REPEATS = 3  # captures per side from which their scatter decides
SURE, SHOWN = 0.99, 0.95  # level of a verdict, and of the printed interval
FEWEST_STEPS = 5  # for a verdict on steps
LEAST_WORK_NS = 10**6  # GPU work below which nothing is judged
SHORT_WORK_NS = 10**7  # below which kernels vary as much as their start
SHORT_STEP_NS = 10**5
# standard deviation between runs, as a share of the kernel time: at least, of a kernel launched once, of short work
REPEATED, ONCE, SHORT = 0.01, 0.05, 0.30
MOVED, CPU = 0.05, 0.05  # of copies and memory sets; of a period on the CPU
IDLE, IDLE_SHORT, IDLE_WINDOW = 0.10, 0.30, 0.50  # of idle time in steps, in steps under 100 us, in a window
PATTERN = 0.01  # by which the shares of a kind of step may differ, where the kinds are no noise
FEW_CALLS = 5  # calls of a kernel from which its account varies as little as that of a kernel launched often


@dataclass(frozen=True)
class Evidence:
    """Standard errors of a difference, in ns: from the scatter of samples, and from a prior between runs.

    `tests` is how many differences are judged at once: each needs the stricter level.
    """

    within_ns: float
    between_ns: float
    freedom: int
    tests: int = 1

    def interval(self, delta: float) -> tuple[float, float]:
        """Return the 95 % interval of the difference."""
        reach = self._reach(SHOWN)
        return delta - reach, delta + reach

    @property
    def smallest_ns(self) -> float:
        """The smallest difference that exceeds noise."""
        return self._reach(1 - (1 - SURE) / self.tests)

    def _reach(self, level: float) -> float:
        within = self.within_ns * t_quantile(level, self.freedom) if self.within_ns else 0.0
        return math.hypot(within, NORMAL * self.between_ns)


def evidence(a: Side, b: Side, columns: Sequence[tuple[list[Key], list[Key]]], is_paired: bool) -> list[Evidence]:
    """Return the evidence for the unit, then for each column: the keys of its accounts in A and in B."""
    whole = list(a.mean_ns), list(b.mean_ns)
    every = [whole, *columns]
    ours, theirs = a.samples([own for own, _ in every]), b.samples([other for _, other in every])
    if min(len(ours), len(theirs)) >= REPEATS:
        within, freedom = _of_captures(ours, theirs)
        between = [0.0] * len(every)
    else:
        within, freedom = _paired(ours, theirs) if is_paired else _of_steps(ours, theirs)
        between = [math.hypot(priors(a, x, x is whole[0]), priors(b, y, y is whole[1])) for x, y in every]
        if len(ours) + len(theirs) > 2:
            measured, _ = _of_captures(ours, theirs)
            between = [max(prior, float(one)) for prior, one in zip(between, measured, strict=True)]
    tests = [1, *([max(1, len(columns))] * len(columns))]
    return [
        Evidence(float(one), other, freedom, count) for one, other, count in zip(within, between, tests, strict=True)
    ]


def of_counts(a: Sequence[float], b: Sequence[float]) -> float:
    """Return the smallest difference of counts beyond noise, by the scatter of captures; 0 with one per side."""
    freedom = len(a) + len(b) - 2
    if not freedom:
        return 0.0
    squares = sum((count - sum(side) / len(side)) ** 2 for side in (a, b) for count in side)
    return math.sqrt(squares / freedom * (1 / len(a) + 1 / len(b))) * t_quantile(SURE, freedom)


def priors(side: Side, keys: Sequence[tuple[str, str]], is_unit: bool) -> float:
    """Return the standard deviation of the mean of these accounts between runs of the side, in ns.

    A unit's kernels vary together with how often they are launched; a single kernel hardly varies from 5 calls on.
    """
    means, counts = side.mean_ns, side.mean_counts
    if side.noise is not None:
        return side.noise * float(sum(means.get(key, 0) for key in keys)) / math.sqrt(len(side.units))
    kinds = _deviations(side)
    total = 0.0
    for key in keys:
        share = kinds.get(key[0], IDLE_WINDOW)
        if key[0] in KERNELS and not is_unit and share < SHORT:
            calls = min(float(counts.get(key, 0)) * unit.total_steps for unit in side.units)
            share = REPEATED if calls >= FEW_CALLS else ONCE
        total = math.hypot(total, share * float(means.get(key, 0)))
    return total / math.sqrt(len(side.units))


def _deviations(side: Side) -> dict[str, float]:
    """Return the standard deviation between runs by kind of account, as a share."""
    work = side.gpu_work_ns
    kernel = max(REPEATED, ONCE / math.sqrt(side.kernel_counts or math.inf))  # the noise of launches averages out
    kernel, graph = (kernel, REPEATED) if work is None or work >= SHORT_WORK_NS else (SHORT, SHORT)
    is_short = float(sum(side.mean_ns.values())) < SHORT_STEP_NS
    idle = (IDLE_SHORT if is_short else IDLE) if any(unit.found_by for unit in side.units) else IDLE_WINDOW
    return {
        **dict.fromkeys(KERNELS, kernel), "graph": graph, "copy": MOVED, "memset": MOVED, "cpu": CPU, "idle": idle,
    }  # fmt: skip


def _of_captures(a: Sequence[Samples], b: Sequence[Samples]) -> tuple[Floats, int]:
    """Return the standard error of the difference of means from the scatter of the captures' means."""
    means = [np.vstack([one.mean() for one in side]) for side in (a, b)]
    freedom = len(a) + len(b) - 2
    squares = np.sum([((side - side.mean(axis=0)) ** 2).sum(axis=0) for side in means], axis=0)
    return np.sqrt(squares / freedom * (1 / len(a) + 1 / len(b))), freedom


def _of_steps(a: Sequence[Samples], b: Sequence[Samples]) -> tuple[Floats, int]:
    """Return the standard error from the scatter of steps within the captures."""
    rows, kinds = _without_pattern([*a, *b])
    errors = [
        standard_error(own, one.weights) / len(side)
        for side, parts in ((a, rows[: len(a)]), (b, rows[len(a) :]))
        for one, own in zip(side, parts, strict=True)
    ]
    freedom = sum(len(own) - kinds for own in rows)
    return np.sqrt(np.sum(np.square(errors), axis=0)), max(1, freedom)


def _without_pattern(every: Sequence[Samples]) -> tuple[list[Floats], int]:
    """Return the samples without the differences of their kinds, and the number of kinds: those of equal launches.

    A kind that all captures have as often, such as a step in ten that evaluates, is no noise.
    """
    launched = np.vstack([one.launches for one in every])
    kinds = np.unique(launched, axis=0, return_inverse=True)[1].reshape(-1)
    ends = np.cumsum([len(one.rows) for one in every])[:-1]
    parts = np.split(kinds, ends)
    counts = np.array([np.bincount(part, minlength=kinds.max() + 1) for part in parts])
    shares = counts / counts.sum(axis=1, keepdims=True)
    if counts.min() < 2 or np.ptp(shares, axis=0).max() > PATTERN:
        return [one.rows for one in every], 1
    rows = []
    for one, part in zip(every, parts, strict=True):
        means = np.array([one.rows[part == kind].mean(axis=0) for kind in range(counts.shape[1])])
        rows.append(one.rows - means[part] + one.mean())
    return rows, counts.shape[1]


def _paired(a: Sequence[Samples], b: Sequence[Samples]) -> tuple[Floats, int]:
    """Return the standard error by differences of successive pairs, sides scaled to equal totals: no trend counts."""
    count = min(len(one.rows) for side in (a, b) for one in side)
    x, y = (np.mean([(one.rows * one.weights[:, None])[:count] for one in side], axis=0) for side in (a, b))
    middle = (x.sum(axis=0) + y.sum(axis=0)) / 2
    scales = [np.divide(middle, one.sum(axis=0), out=np.zeros(one.shape[1]), where=one.any(axis=0)) for one in (x, y)]
    changes = np.diff(y * scales[1] - x * scales[0], axis=0)
    steps = sum(one.weights.sum() for one in a) / len(a)
    return np.sqrt((changes**2).sum(axis=0) / 2) / steps, max(1, count - 1)


def standard_error(rows: Floats, weights: Floats) -> Floats:
    """Return the standard error of the weighted mean of each column, rows being in order of time.

    The variance of the circular block bootstrap with blocks of round(sqrt(rows)), which has a closed form with blocks
    that begin at every row. For fewer than 8 rows blocks are single rows.
    """
    count = len(rows)
    if count < 2:
        return np.zeros(rows.shape[1])
    block = round(math.sqrt(count)) if count >= 8 else 1
    mean = weights @ rows / weights.sum()
    deviations = (rows - mean) * (weights / weights.mean())[:, None]
    sums = np.vstack((np.zeros(rows.shape[1]), np.cumsum(np.vstack((deviations, deviations[: block - 1])), axis=0)))
    means = (sums[block:] - sums[:-block]) / block
    return np.asarray(np.sqrt((means**2).mean(axis=0) * block / (count - block if block > 1 else count - 1)))


@lru_cache
def t_quantile(level: float, freedom: int) -> float:
    """Return the t such that a share `level` of Student's distribution is between -t and t.

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
    """Return the share of the distribution between -t and t: Abramowitz and Stegun, 26.7.3 and 26.7.4."""
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
