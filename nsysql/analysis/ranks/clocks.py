"""Put all exports on one clock: by the UTC start of their sessions, within bounds that matched collectives set.

No rank leaves a collective before the last rank has entered it. So for two exports each matched collective bounds how
far either clock can be ahead of the other; together they allow an interval of offsets. Ranks leave at about the same
time: the estimate is the median difference of the end times, clamped to the interval. If both exports are of one host,
it is the difference of their sessions' starts, if that is in the interval; if it is far outside, other collectives were
matched. The error of the estimate is bounded by the largest distance to any line in time (a clock may drift) that
satisfies all bounds. A rank that is late for every collective widens the interval by its lateness, but its end times
still agree: their scatter about the estimate is kept beside the bound. If the ends gave the estimate, it is at least
the duration of the shortest collective, within which ranks may leave one after the other; sessions' starts and ends
that agree do so by no chance.

If clocks drift, no constant offset satisfies all bounds, or the differences of end times scatter much less about a
line: the offset is then a linear function of time.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

import numpy as np
import polars as pl

from nsysql.analysis.digest import Digest
from nsysql.analysis.ranks.identity import Member
from nsysql.words.quantities import time

Floats = np.ndarray[Any, np.dtype[np.float64]]
STEEPEST = 0.01  # ns per ns; no clock drifts faster
UNSURE = 0.0002  # ns per ns that a known slope can be wrong by: two quartz clocks, each with an error of 100 ppm
HALVINGS = 80
THIRD = 1 / 3


@dataclass(frozen=True)
class Limits:
    """Limits of a line: at least `low` at the times `low_at`, at most `high` at `high_at`; time 0 is the middle.

    The gap between upper and lower limits is a concave function of the slope, so the feasible slopes are one interval,
    found by bisection.
    """

    low_at: Floats
    low: Floats
    high_at: Floats
    high: Floats

    def values_at_zero(self, slope: float) -> tuple[float, float]:
        """Return the least and greatest value at time 0 of a line of that slope; least > greatest if there is none."""
        return float((self.low - slope * self.low_at).max()), float((self.high - slope * self.high_at).min())

    def width(self, slope: float) -> float:
        """Return the range of values at time 0 for a slope; negative if no line of that slope is within the limits."""
        low, high = self.values_at_zero(slope)
        return high - low

    def widest_slope(self) -> float:
        """Return the slope for which `width` is largest."""
        first, last = -STEEPEST, STEEPEST
        for _ in range(HALVINGS * 2):
            third = (last - first) * THIRD
            if self.width(first + third) < self.width(last - third):
                first += third
            else:
                last -= third
        return (first + last) / 2

    def slopes(self, known: float) -> tuple[float, float]:
        """Return the least and the greatest feasible slope within UNSURE of `known`, which is feasible."""
        return self._border(known, known - UNSURE), self._border(known, known + UNSURE)

    def _border(self, inside: float, outside: float) -> float:
        if self.width(outside) >= 0:
            return outside
        for _ in range(HALVINGS):
            middle = (inside + outside) / 2
            inside, outside = (middle, outside) if self.width(middle) >= 0 else (inside, middle)
        return inside

    def farthest(self, value: float, slope: float) -> float:
        """Return the largest distance at any time from this line to lines within the limits of about its slope."""
        least, greatest = self.slopes(slope)
        times = np.concatenate([self.low_at, self.high_at])
        most = 0.0
        for at in (float(times.min()), float(times.max())):
            own = value + slope * at
            for other in (least, greatest):
                low, high = self.values_at_zero(other)
                most = max(most, abs(low + other * at - own), abs(high + other * at - own))
        return most


SAME, REFERENCE, SESSION, COLLECTIVES, NOTHING = "same export", "reference", "session start", "collectives", "nothing"
ALL_PAIRS = 64  # exports up to which all pairs are compared; if there are more, each only with the first
ENDS = 0.95  # quantile of the distances from the estimate that is taken as their scatter
FEWEST_FOR_DRIFT = 8  # collectives
Ints = np.ndarray[Any, np.dtype[np.int64]]


@dataclass(frozen=True)
class Clock:
    """The clock of one export: the offset from its times to those of the first rank's export.

    offset_ns is the offset at `at_ns` on this export's clock; it grows by `drift` ns per ns. Its error is at most
    uncertainty_ns (None if nothing bounds it), by causality alone; by 95 % of the ends of collectives it is about
    scatter_ns. session_ns is the offset by session start alone. `problem` says why no offset can be right.
    """

    run: str
    offset_ns: int
    uncertainty_ns: int | None
    scatter_ns: int | None
    said_by: str
    session_ns: int | None = None
    drift: float = 0.0
    at_ns: int = 0
    problem: str | None = None

    def offsets(self, times: pl.Series) -> pl.Series:
        """Return the offset to add to each of these times, in whole ns."""
        if not self.drift:
            return pl.repeat(self.offset_ns, times.len(), dtype=pl.Int64, eager=True).alias("offset_ns")
        grown = ((times - self.at_ns).cast(pl.Float64) * self.drift).round().cast(pl.Int64)
        return (grown + self.offset_ns).alias("offset_ns")


def clocks(exports: Sequence[Digest], members: Sequence[Member], sides: pl.DataFrame) -> tuple[Clock, ...]:
    """Return the clock of each export with a member, in order of exports; the first member's export has offset 0."""
    files = sorted({member.file for member in members})
    if not files:
        return ()
    reference = members[0].file
    base = {file: _session(exports, file, reference) for file in files}
    if len(files) == 1:
        return (Clock(exports[reference].run, 0, 0, 0, SAME, 0),)
    limits = _Limits(members, sides, files, {file: base[file] or 0 for file in files})
    widest = limits.widest(reference)
    estimates = []
    for file in files:
        if file == reference:
            estimates.append(Clock(exports[file].run, 0, 0, 0, REFERENCE, 0))
            continue
        pair = limits.pair(reference, file) if file in widest else None
        is_exact = exports[file].facts.host is not None and exports[file].facts.host == exports[reference].facts.host
        estimates.append(_clock(exports[file].run, base[file], pair, widest.get(file), is_exact))
    return tuple(estimates)


def _session(exports: Sequence[Digest], file: int, reference: int) -> int | None:
    """Return how much later an export's session began than the reference's; None if either start is not recorded."""
    own, other = (exports[place].facts.session_utc_ns for place in (file, reference))
    return None if own is None or other is None else own - other


@dataclass(frozen=True)
class Pair:
    """The offset between two exports by each matched collective: its bounds and an estimate, in ns relative to `base`.

    `limits` bound the offset as a function of the export's own time minus `middle`; `ends` are the differences of the
    end times, at the times `left_at`.
    """

    limits: Limits
    ends: Floats
    left_at: Floats
    middle: int
    base: int
    shortest: int  # duration in ns of the shortest collective of the job on any rank

    def errors(self, value: float, slope: float, by_session: bool = False) -> tuple[int, int]:
        """Return the largest error of a line within the limits, and the scatter of the ends about it."""
        bound = self.limits.farthest(value, slope)
        scattered = float(np.quantile(np.abs(self.ends - value - slope * self.left_at), ENDS))
        scatter = min(bound, scattered if by_session else max(scattered, self.shortest))
        return int(np.ceil(bound)), int(np.ceil(scatter))


class _Limits:
    """For each export, when its last rank entered each matched collective and its first rank left it."""

    def __init__(self, members: Sequence[Member], sides: pl.DataFrame, files: list[int], base: dict[int, int]) -> None:
        count = len(members)
        start, end = (sides[name].to_numpy().reshape(-1, count) for name in ("start_ns", "end_ns"))
        self.base, self.files = base, files
        self.entered: dict[int, Ints] = {}
        self.left: dict[int, Ints] = {}
        self.shortest = int((end - start).min(initial=2**61))
        for file in files:
            own = [place for place, member in enumerate(members) if member.file == file]
            self.entered[file] = start[:, own].max(axis=1)  # its last rank to enter
            self.left[file] = end[:, own].min(axis=1)  # its first rank to leave

    def pair(self, a: int, b: int) -> Pair:
        """Return the bounds on the offset from `b` to `a`."""
        shift, middle = self.base[b] - self.base[a], int(np.median(self.left[b]))
        entered, left = self.entered[b], self.left[b]
        limits = Limits(
            (left - middle).astype(np.float64),
            (self.entered[a] - left - shift).astype(np.float64),
            (entered - middle).astype(np.float64),
            (self.left[a] - entered - shift).astype(np.float64),
        )
        ends = (self.left[a] - left - shift).astype(np.float64)
        return Pair(limits, ends, limits.low_at, middle, shift, self.shortest)

    def most_behind(self, a: int, b: int) -> int:
        """Return the most that `b` can be behind `a`, if the clocks do not drift."""
        return int((self.left[a] - self.entered[b] - self.base[b] + self.base[a]).min())

    def widest(self, reference: int) -> dict[int, tuple[int, int]]:
        """Return the interval of offsets to the reference for each export, by bounds directly and via other exports."""
        files = self.files
        if not len(self.entered[reference]):
            return {}
        at_most = np.zeros((len(files), len(files)), dtype=np.int64)
        own = files.index(reference)
        unbounded = np.int64(2**61)
        for i, a in enumerate(files):
            for j, b in enumerate(files):
                if i != j:
                    is_compared = len(files) <= ALL_PAIRS or reference in (a, b)
                    at_most[i, j] = self.most_behind(a, b) if is_compared else unbounded
        for k in range(len(files)) if len(files) <= ALL_PAIRS else ():
            through = at_most[:, k, None] + at_most[None, k, :]
            at_most = np.minimum(at_most, np.minimum(through, unbounded))
        return {file: (int(-at_most[j, own]), int(at_most[own, j])) for j, file in enumerate(files)}


def _clock(run: str, session: int | None, pair: Pair | None, widest: tuple[int, int] | None, is_exact: bool) -> Clock:
    """Return the clock of an export, from its matched collectives if any; `is_exact`: its host is the reference's."""
    offset_from = SESSION if session is not None else NOTHING
    if widest is None or pair is None:
        return Clock(run, session or 0, None, None, offset_from, session)
    low, high = widest
    if is_exact and session is not None and len(pair.left_at) > 1:
        outside = max(low - (session - pair.base), session - pair.base - high)
        if 2 * outside > np.median(np.diff(np.sort(pair.left_at))):
            why = f"matched collectives are {time(outside)} apart on one host: captures lack some, or ranks form groups"
            return Clock(run, session, None, None, SESSION, session, problem=why)
    slope = _slope(pair, is_needed=low > high)
    if slope is None and low > high:
        why = "no offset lets all matched collectives overlap: different jobs or groups, or a clock set meanwhile"
        return Clock(run, session or 0, None, None, offset_from, session, problem=why)
    if slope is None:
        by_session = is_exact and session is not None and low <= session - pair.base <= high
        value = session - pair.base if by_session and session is not None else round(median(pair.ends.tolist()))
        value = min(max(value, low), high)
        said_by = SESSION if by_session else COLLECTIVES
        return Clock(run, pair.base + value, *pair.errors(value, 0.0, by_session), said_by, session)
    first, last = pair.limits.values_at_zero(slope)
    value_at_middle = min(max(float(np.median(pair.ends - slope * pair.left_at)), first), last)
    bound, scatter = (error + 1 for error in pair.errors(value_at_middle, slope))  # for the rounding
    return Clock(run, pair.base + round(value_at_middle), bound, scatter, COLLECTIVES, session, slope, pair.middle)


def _slope(pair: Pair, is_needed: bool) -> float | None:
    """Return the drift of an export's clock (ns per ns); None if a constant offset suffices, or no line is possible.

    It is the slope of the differences of end times. If no line of that slope is within the limits and one is needed, it
    is the slope for which the limits are farthest apart.
    """
    if len(pair.ends) < FEWEST_FOR_DRIFT:
        return None
    slope = _slope_of_ends(pair)
    span = float(np.ptp(pair.left_at))
    flat, tilted = _scatter(pair.ends), _scatter(pair.ends - slope * pair.left_at)
    is_line = abs(slope) * span > 4 * tilted and tilted < flat / 3
    if (is_line or is_needed) and pair.limits.width(slope) >= 0:
        return slope
    best = pair.limits.widest_slope() if is_needed else 0.0
    return best if is_needed and pair.limits.width(best) >= 0 else None


def _slope_of_ends(pair: Pair) -> float:
    """Return the median slope between each collective of the first half and its counterpart in the second half."""
    half = len(pair.ends) // 2
    order = np.argsort(pair.left_at, kind="stable")
    first, second = order[:half], order[len(order) - half :]
    elapsed = pair.left_at[second] - pair.left_at[first]
    risen = (pair.ends[second] - pair.ends[first])[elapsed > 0]
    return float(np.median(risen / elapsed[elapsed > 0])) if len(risen) else 0.0


def _scatter(values: Floats) -> float:
    """Return the median distance from the median."""
    return float(np.median(np.abs(values - np.median(values))))
