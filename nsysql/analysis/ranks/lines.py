"""Lines between lower and upper limits: the slopes they can have, and the values they can reach.

A limit is a value that the line must not go below, or above, at some time. The gap between upper and lower limits is a
concave function of the slope, so the feasible slopes are one interval, found by bisection.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

Floats = np.ndarray[Any, np.dtype[np.float64]]
STEEPEST = 0.01  # ns per ns; no clock drifts more
UNSURE = 0.0002  # ns per ns that a known slope can be wrong by: two quartz clocks, each with an error of 100 ppm
HALVINGS = 80
THIRD = 1 / 3


@dataclass(frozen=True)
class Limits:
    """Limits of a line: at least `low` at the times `low_at`, at most `high` at `high_at`; time 0 is the middle."""

    low_at: Floats
    low: Floats
    high_at: Floats
    high: Floats

    def values_at_zero(self, slope: float) -> tuple[float, float]:
        """The least and the greatest value at time 0 of a line of that slope; least > greatest if there is none."""
        return float((self.low - slope * self.low_at).max()), float((self.high - slope * self.high_at).min())

    def width(self, slope: float) -> float:
        """The range of values at time 0 for a slope; negative if no line of that slope is within the limits."""
        low, high = self.values_at_zero(slope)
        return high - low

    def widest_slope(self) -> float:
        """The slope for which `width` is largest."""
        first, last = -STEEPEST, STEEPEST
        for _ in range(HALVINGS * 2):
            third = (last - first) * THIRD
            if self.width(first + third) < self.width(last - third):
                first += third
            else:
                last -= third
        return (first + last) / 2

    def slopes(self, known: float) -> tuple[float, float]:
        """The least and the greatest feasible slope within UNSURE of `known`, which is feasible."""
        return self._border(known, known - UNSURE), self._border(known, known + UNSURE)

    def _border(self, inside: float, outside: float) -> float:
        if self.width(outside) >= 0:
            return outside
        for _ in range(HALVINGS):
            middle = (inside + outside) / 2
            inside, outside = (middle, outside) if self.width(middle) >= 0 else (inside, middle)
        return inside

    def farthest(self, value: float, slope: float) -> float:
        """The largest distance at any time between this line and any line within the limits of about the same slope."""
        least, greatest = self.slopes(slope)
        times = np.concatenate([self.low_at, self.high_at])
        found = 0.0
        for at in (float(times.min()), float(times.max())):
            own = value + slope * at
            for other in (least, greatest):
                low, high = self.values_at_zero(other)
                found = max(found, abs(low + other * at - own), abs(high + other * at - own))
        return found
