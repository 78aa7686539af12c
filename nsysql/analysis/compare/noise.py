"""Test whether a difference of means exceeds the scatter of the samples. The only module that uses scipy."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

RESAMPLES = 9_999
LEVEL = 0.05
SEED = 20_240_229


@dataclass(frozen=True)
class Evidence:
    """A confidence interval of the difference of means (B minus A), and the p-value of the rank test."""

    low: float
    high: float
    p_value: float

    def shows(self, delta: float) -> bool:
        """Whether both tests show a difference, in the same direction."""
        return self.p_value < LEVEL and (self.low > 0 if delta > 0 else self.high < 0)


def evidence(a: Sequence["Floats"], b: Sequence["Floats"]) -> tuple[Evidence, list[Evidence]]:
    """The evidence for the sum of all columns, and for every column, with Holm's correction for their number.

    `a` and `b` have one array per capture, with one row per sample and one column per account. The difference is that
    of the means of the captures' means. Intervals: circular block bootstrap within each capture, block
    round(sqrt(samples)).
    """
    import numpy as np

    a, b = (tuple(np.column_stack((x.sum(axis=1), x)) for x in side) for side in (a, b))
    random = np.random.default_rng(SEED)
    differences = _resampled(b, random) - _resampled(a, random)
    p_values = _rank_tests(np.vstack(a), np.vstack(b))
    whole, *columns = _corrected(differences[:, :1], p_values[:1]) + _corrected(differences[:, 1:], p_values[1:])
    return whole, columns


def _corrected(differences: "Floats", p_values: "Floats") -> list[Evidence]:
    """The evidence for each column: the smaller its p-value, the wider its interval."""
    import numpy as np

    found: dict[int, Evidence] = {}
    adjusted = 0.0
    for rank, column in enumerate(np.argsort(p_values, kind="stable")):
        left = len(p_values) - rank
        adjusted = min(1.0, max(adjusted, left * float(p_values[column])))
        tail = LEVEL / left / 2
        low, high = np.quantile(differences[:, column], [tail, 1 - tail])
        found[int(column)] = Evidence(float(low), float(high), adjusted)
    return [found[i] for i in range(len(p_values))]


def _resampled(captures: Sequence["Floats"], random: "np.random.Generator") -> "Floats":
    """Means over the captures of means over their samples, one row per resample."""
    import numpy as np

    if all(len(samples) == 1 for samples in captures):  # each capture is a sample
        captures = [np.vstack(captures)]
    total = sum(_weights(len(samples), random) @ samples / len(samples) for samples in captures)
    return np.asarray(total / len(captures), dtype=np.float64)


def _weights(samples: int, random: "np.random.Generator") -> "Floats":
    """How often each resample has each sample: from circular blocks that begin anywhere."""
    import numpy as np

    block = max(1, round(samples**0.5))
    borders = np.zeros((RESAMPLES, 2 * samples + 1), dtype=np.int16)
    rows = np.arange(RESAMPLES)
    for length in [*[block] * (samples // block), *([samples % block] if samples % block else [])]:
        starts = random.integers(0, samples, RESAMPLES)
        borders[rows, starts] += 1
        borders[rows, starts + length] -= 1
    weights = borders.cumsum(axis=1, dtype=np.int16)
    return np.asarray(weights[:, :samples] + weights[:, samples : 2 * samples], dtype=np.float64)


def _rank_tests(a: "Floats", b: "Floats") -> "Floats":
    import numpy as np
    from scipy.stats import mannwhitneyu

    found = np.ones(a.shape[1])
    differ = [i for i in range(a.shape[1]) if not (np.ptp(a[:, i]) == np.ptp(b[:, i]) == 0 and a[0, i] == b[0, i])]
    if differ:
        found[differ] = mannwhitneyu(a[:, differ], b[:, differ]).pvalue
    return np.asarray(found, dtype=np.float64)
