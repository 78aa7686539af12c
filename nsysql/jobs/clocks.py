"""All exports on one clock: by the start of their sessions in UTC, bounded by what collectives do not allow.

Nobody leaves a collective before the last one entered. So of two exports each matched collective says how far the
clock of one can be ahead of the other's at most, both ways; what all of them allow is an interval. All leave at about
the same time: the median difference of ends is the estimate, as far as the interval allows it. The uncertainty is how
far any line in time, which need not be level, can be from it within these limits. A rank that is late for all
collectives leaves them as wide apart as it is late; but then the ends still agree. So the uncertainty is, if that is
less, how far the ends scatter, and no less than the shortest of the collectives takes: within that time ranks may
leave it one after the other.

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
from nsysql.jobs.lines import Floats, Limits

SAME, REFERENCE, SESSION, COLLECTIVES, NOTHING = "same export", "reference", "session start", "collectives", "nothing"
ALL_PAIRS = 64  # exports up to which every two are compared, and not only each with the first
ENDS = 0.95  # of the collectives, whose ends say how far these scatter
FEWEST_FOR_DRIFT = 8  # collectives
Ints = np.ndarray[Any, np.dtype[np.int64]]


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
            found.append(Clock(exports[file].run, 0, 0, REFERENCE, 0))
            continue
        pair = limits.pair(reference, file) if file in widest else None
        found.append(_clock(exports[file].run, base[file], pair, widest.get(file)))
    return tuple(found)


def _session(exports: Sequence[RankFacts], file: int, reference: int) -> int | None:
    """By how much an export's session began after the reference's; None where one does not say."""
    own, other = exports[file].session_utc_ns, exports[reference].session_utc_ns
    return None if own is None or other is None else own - other


@dataclass(frozen=True)
class Pair:
    """What matched collectives say of the offset of one export to another, one entry each, in ns beside `base`.

    `limits` are those of the offset over the export's own clock from `middle` on, `ends` the differences of the ends at
    `left_at`.
    """

    limits: Limits
    ends: Floats
    left_at: Floats
    middle: int
    base: int
    shortest: int  # ns that any of the job's collectives takes on a rank

    def uncertainty(self, value: float, slope: float) -> int:
        """By how much the line can be off, which is within the limits."""
        bound = self.limits.farthest(value, slope)
        scattered = np.abs(self.ends - value - slope * self.left_at)
        return int(np.ceil(min(bound, max(float(np.quantile(scattered, ENDS)), self.shortest))))


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

    def most(self, a: int, b: int) -> int:
        """How far `b` can be behind `a` at most, if clocks keep pace."""
        return int((self.left[a] - self.entered[b] - self.base[b] + self.base[a]).min())

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
                    at_most[i, j] = self.most(a, b) if near else far
        for k in range(len(files)) if len(files) <= ALL_PAIRS else ():
            through = at_most[:, k, None] + at_most[None, k, :]
            at_most = np.minimum(at_most, np.minimum(through, far))
        return {file: (int(-at_most[j, own]), int(at_most[own, j])) for j, file in enumerate(files)}


def _clock(run: str, session: int | None, pair: Pair | None, widest: tuple[int, int] | None) -> Clock:
    """The clock of an export, from its collectives where there are any."""
    said = SESSION if session is not None else NOTHING
    if widest is None or pair is None:
        return Clock(run, session or 0, None, said, session)
    low, high = widest
    slope = _slope(pair, is_needed=low > high)
    if slope is None and low > high:
        why = "no offset lets all matched collectives overlap: different jobs or groups, or a clock set meanwhile"
        return Clock(run, session or 0, None, said, session, problem=why)
    if slope is None:
        value = min(max(round(median(pair.ends.tolist())), low), high)
        return Clock(run, pair.base + value, pair.uncertainty(value, 0.0), COLLECTIVES, session)
    first, last = pair.limits.room(slope)
    along = min(max(float(np.median(pair.ends - slope * pair.left_at)), first), last)
    uncertainty = pair.uncertainty(along, slope) + 1  # for the rounding
    return Clock(run, pair.base + round(along), uncertainty, COLLECTIVES, session, slope, pair.middle)


def _slope(pair: Pair, is_needed: bool) -> float | None:
    """How fast the clock of an export runs away; None where a constant will do, or no line is within the limits.

    The slope is that of the ends. Where it leaves no room, and one is needed, the one that leaves most.
    """
    if len(pair.ends) < FEWEST_FOR_DRIFT:
        return None
    slope = _of_ends(pair)
    span = float(np.ptp(pair.left_at))
    flat, tilted = _scatter(pair.ends), _scatter(pair.ends - slope * pair.left_at)
    is_line = abs(slope) * span > 4 * tilted and tilted < flat / 3
    if (is_line or is_needed) and pair.limits.width(slope) >= 0:
        return slope
    best = pair.limits.roomiest() if is_needed else 0.0
    return best if is_needed and pair.limits.width(best) >= 0 else None


def _of_ends(pair: Pair) -> float:
    """The median of the slopes between collectives of the first half and those as far into the second half."""
    half = len(pair.ends) // 2
    order = np.argsort(pair.left_at, kind="stable")
    first, second = order[:half], order[len(order) - half :]
    apart = pair.left_at[second] - pair.left_at[first]
    risen = (pair.ends[second] - pair.ends[first])[apart > 0]
    return float(np.median(risen / apart[apart > 0])) if len(risen) else 0.0


def _scatter(values: Floats) -> float:
    """The median distance from the median."""
    return float(np.median(np.abs(values - np.median(values))))
