"""All exports on one clock: by the start of their sessions in UTC, bounded by what collectives do not allow.

Nobody leaves a collective before the last one entered. So of two exports each matched collective says how far the
clock of one can be ahead of the other's at most, both ways; what all of them allow is an interval. All leave at about
the same time: the median difference of ends is the estimate, as far as the interval allows it. A rank that is late
for all collectives leaves the interval as wide as it is late; but then the ends still agree. So the uncertainty is
the farther end of the interval or, if that is less, how far the ends scatter, and no less than the shortest of these
collectives takes: within that time ranks may leave it one after the other.

Where clocks drift no single offset is allowed any more, or the ends scatter much less about a line: then the offset is
a line in time.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

import numpy as np
import polars as pl

from nsysql.jobs.facts import RankFacts
from nsysql.jobs.identity import Member

SAME, SESSION, COLLECTIVES, NOTHING = "same export", "session start", "collectives", "nothing"
ALL_PAIRS = 64  # exports up to which every two are compared, and not only each with the first
ENDS = 0.95  # of the collectives, whose ends say how far these scatter
FEWEST_FOR_DRIFT = 8  # collectives
Ints = np.ndarray[Any, np.dtype[np.int64]]
Floats = np.ndarray[Any, np.dtype[np.float64]]


@dataclass(frozen=True)
class Clock:
    """The clock of one export: what is added to its times to have those of the first rank's export.

    offset_ns holds at `at_ns` of this export's times, and grows by `drift` ns for each ns after it. It is off by at
    most uncertainty_ns; None where nothing bounds it. session_ns is what the sessions' starts alone say. `problem`
    says why no offset can be right.
    """

    run: str
    offset_ns: int
    uncertainty_ns: int | None
    said_by: str
    session_ns: int | None = None
    drift: float = 0.0
    at_ns: int = 0
    problem: str | None = None

    def offsets(self, times: pl.Series) -> pl.Series:
        """What is added to each of the times, in whole ns."""
        if not self.drift:
            return pl.Series("offset_ns", [self.offset_ns], dtype=pl.Int64).extend_constant(
                self.offset_ns, max(times.len() - 1, 0)
            )[: times.len()]
        grown = ((times - self.at_ns).cast(pl.Float64) * self.drift).round().cast(pl.Int64)
        return (grown + self.offset_ns).alias("offset_ns")


def clocks(exports: Sequence[RankFacts], members: Sequence[Member], sides: pl.DataFrame) -> tuple[Clock, ...]:
    """The clock of each export that has a member, in order of exports; the one of the first member is 0."""
    files = sorted({member.file for member in members})
    if not files:
        return ()
    reference = members[0].file
    base = {file: _session(exports, file, reference) for file in files}
    if len(files) == 1:
        return (Clock(exports[reference].run, 0, 0, SAME, 0),)
    limits = _Limits(members, sides, files, {file: base[file] or 0 for file in files})
    widest = limits.widest(reference)
    found = []
    for file in files:
        if file == reference:
            found.append(Clock(exports[file].run, 0, 0, SAME, 0))
            continue
        found.append(_clock(exports[file].run, base[file], limits.pair(reference, file), widest.get(file)))
    return tuple(found)


def _session(exports: Sequence[RankFacts], file: int, reference: int) -> int | None:
    """By how much an export's session began after the reference's; None where one does not say."""
    own, other = exports[file].session_utc_ns, exports[reference].session_utc_ns
    return None if own is None or other is None else own - other


@dataclass(frozen=True)
class Pair:
    """What matched collectives say of the offset of one export to another, one entry each, in ns beside `base`."""

    at: Ints  # when, on the export's own clock
    low: Ints
    high: Ints
    ends: Ints
    base: int
    shortest: int  # ns that any of the job's collectives takes on a rank

    def uncertainty(self, low: float, high: float, estimate: float, scattered: Floats) -> int:
        """By how much the estimate can be off, where `scattered` are the ends' distances from it."""
        bound = max(estimate - low, high - estimate)
        usual = float(np.quantile(np.abs(scattered), ENDS)) if len(scattered) else bound
        return int(np.ceil(min(bound, max(usual, self.shortest))))


class _Limits:
    """When the exports' last rank entered each matched collective, and the first left it."""

    def __init__(self, members: Sequence[Member], sides: pl.DataFrame, files: list[int], base: dict[int, int]) -> None:
        count = len(members)
        start, end = (sides[name].to_numpy().reshape(-1, count) for name in ("start_ns", "end_ns"))
        self.base, self.files = base, files
        self.entered: dict[int, Ints] = {}
        self.left: dict[int, Ints] = {}
        self.shortest = int((end - start).min(initial=2**61))
        for file in files:
            own = [place for place, member in enumerate(members) if member.file == file]
            self.entered[file] = start[:, own].max(axis=1)  # the last of this export to enter
            self.left[file] = end[:, own].min(axis=1)  # the first to leave

    def pair(self, a: int, b: int) -> Pair:
        """What is known of the offset of `b` to `a`."""
        shift = self.base[b] - self.base[a]
        at = self.entered[b]
        entered, left = at + shift, self.left[b] + shift
        return Pair(
            at,
            self.entered[a] - left,
            self.left[a] - entered,
            self.left[a] - left,
            shift,
            self.shortest,
        )

    def widest(self, reference: int) -> dict[int, tuple[int, int]]:
        """The interval of each export's offset to the reference that all collectives allow, through others too."""
        files = self.files
        if not len(self.entered[reference]):
            return {}
        at_most = np.zeros((len(files), len(files)), dtype=np.int64)
        own = files.index(reference)
        far = np.int64(2**61)
        for i, a in enumerate(files):
            for j, b in enumerate(files):
                if i != j:
                    near = len(files) <= ALL_PAIRS or reference in (a, b)
                    pair = self.pair(a, b)
                    at_most[i, j] = pair.high.min() if near else far
        for k in range(len(files)) if len(files) <= ALL_PAIRS else ():
            through = at_most[:, k, None] + at_most[None, k, :]
            at_most = np.minimum(at_most, np.minimum(through, far))
        return {file: (int(-at_most[j, own]), int(at_most[own, j])) for j, file in enumerate(files)}


def _clock(run: str, session: int | None, pair: Pair, widest: tuple[int, int] | None) -> Clock:
    """The clock of an export, from its collectives where there are any."""
    if widest is None:
        said = SESSION if session is not None else NOTHING
        return Clock(run, session or 0, None, said, session)
    low, high = widest
    drift = _drift(pair, is_needed=low > high)
    if drift is not None:
        return _drifting(run, session, pair, drift)
    if low > high:
        why = "no offset lets all matched collectives overlap: different jobs or groups, or a clock set meanwhile"
        return Clock(run, session or 0, None, SESSION if session is not None else NOTHING, session, problem=why)
    estimate = min(max(round(median(pair.ends.tolist())), low), high)
    uncertainty = pair.uncertainty(low, high, estimate, (pair.ends - estimate).astype(np.float64))
    return Clock(run, pair.base + estimate, uncertainty, COLLECTIVES, session)


def _drift(pair: Pair, is_needed: bool) -> tuple[float, int] | None:
    """How fast the clock of an export runs away, and around which of its times; None where a constant will do.

    The slope is that of the ends. Where it leaves no offset, and one is needed, the one that leaves most room to all
    limits.
    """
    if len(pair.at) < FEWEST_FOR_DRIFT:
        return None
    at = pair.at.astype(np.float64)
    middle = int(np.median(pair.at))
    slope = _slope(at, pair.ends.astype(np.float64))
    span = float(at.max() - at.min())
    flat, tilted = _scatter(pair.ends.astype(np.float64)), _scatter(pair.ends - slope * (at - middle))
    is_line = abs(slope) * span > 4 * tilted and tilted < flat / 3
    if is_line or is_needed:
        low, high = _room(pair, slope, middle)
        if low <= high:
            return slope, middle
    if is_needed:
        best = _roomiest(pair, middle)
        if best is not None:
            return best, middle
    return None


def _slope(at: Floats, ends: Floats) -> float:
    """The median of the slopes between collectives of the first half and those as far into the second half."""
    half = len(at) // 2
    order = np.argsort(at, kind="stable")
    first, second = order[:half], order[len(at) - half :]
    apart = at[second] - at[first]
    return float(np.median((ends[second] - ends[first])[apart > 0] / apart[apart > 0])) if (apart > 0).any() else 0.0


def _scatter(values: Floats) -> float:
    """The median distance from the median."""
    return float(np.median(np.abs(values - np.median(values))))


def _room(pair: Pair, slope: float, middle: int) -> tuple[float, float]:
    """The offsets at the middle that all limits allow with that slope."""
    grown = slope * (pair.at - middle).astype(np.float64)
    return float((pair.low - grown).max()), float((pair.high - grown).min())


def _roomiest(pair: Pair, middle: int) -> float | None:
    """The slope that keeps farthest from all limits; None where none is within them."""
    from scipy.optimize import linprog

    at = (pair.at - middle).astype(np.float64)
    scale = max(float(np.abs(at).max()), 1.0)
    ones = np.ones_like(at)
    rows = np.concatenate([np.column_stack([-ones, -at / scale, ones]), np.column_stack([ones, at / scale, ones])])
    limits = np.concatenate([-pair.low, pair.high]).astype(np.float64)
    found = linprog([0, 0, -1], A_ub=rows, b_ub=limits, bounds=[(None, None)] * 2 + [(0, None)], method="highs")
    return float(found.x[1]) / scale if found.status == 0 else None


def _drifting(run: str, session: int | None, pair: Pair, drift: tuple[float, int]) -> Clock:
    slope, middle = drift
    low, high = _room(pair, slope, middle)
    grown = slope * (pair.at - middle).astype(np.float64)
    estimate = min(max(float(np.median(pair.ends - grown)), low), high)
    uncertainty = pair.uncertainty(low, high, estimate, pair.ends - grown - estimate)
    offset = pair.base + round(estimate)
    return Clock(run, offset, uncertainty + 1, COLLECTIVES, session, slope, middle)
