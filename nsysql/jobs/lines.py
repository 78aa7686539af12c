"""Lines in time that keep between limits: which slopes they can have, and where they can lead at most.

A limit is a value that the line must not be under, or over, at some time. How far the upper limits are above the lower
ones is a concave function of the slope, so that the slopes which leave room are one stretch, found by halving.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

Floats = np.ndarray[Any, np.dtype[np.float64]]
STEEPEST = 0.01  # no clock is off by more
UNSURE = 0.0002  # nor are two clocks apart by more than this once the slope is known, as quartz is off by 100 ppm
HALVINGS = 80
THIRD = 1 / 3


@dataclass(frozen=True)
class Limits:
    """What a line must not be under (`low` at the times `low_at`) nor over; times are from the middle of all."""

    low_at: Floats
    low: Floats
    high_at: Floats
    high: Floats

    def room(self, slope: float) -> tuple[float, float]:
        """The least and the greatest value in the middle of a line of that slope; crossed where there is none."""
        return float((self.low - slope * self.low_at).max()), float((self.high - slope * self.high_at).min())

    def width(self, slope: float) -> float:
        """How much room a slope leaves; negative where none."""
        low, high = self.room(slope)
        return high - low

    def roomiest(self) -> float:
        """The slope that leaves most room."""
        first, last = -STEEPEST, STEEPEST
        for _ in range(HALVINGS * 2):
            third = (last - first) * THIRD
            if self.width(first + third) < self.width(last - third):
                first += third
            else:
                last -= third
        return (first + last) / 2

    def slopes(self, known: float) -> tuple[float, float]:
        """The least and the greatest slope that leave room and are near to `known`, which does."""
        return self._border(known, known - UNSURE), self._border(known, known + UNSURE)

    def _border(self, inside: float, outside: float) -> float:
        if self.width(outside) >= 0:
            return outside
        for _ in range(HALVINGS):
            middle = (inside + outside) / 2
            inside, outside = (middle, outside) if self.width(middle) >= 0 else (inside, middle)
        return inside

    def farthest(self, value: float, slope: float) -> float:
        """How far any line within the limits and nearly as steep is from that one at any time; that one is within."""
        least, greatest = self.slopes(slope)
        times = np.concatenate([self.low_at, self.high_at])
        found = 0.0
        for at in (float(times.min()), float(times.max())):
            own = value + slope * at
            for other in (least, greatest):
                low, high = self.room(other)
                found = max(found, abs(low + other * at - own), abs(high + other * at - own))
        return found
