"""Compare two sides: the difference of each account, which add up to the unit's, and whether it exceeds noise."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property

from nsysql.analysis.compare.fairness import (
    Remark,
    has_equal_threads,
    has_other_batch,
    other_work,
    remarks,
    threads_ratio,
)
from nsysql.analysis.compare.job import inclusive, with_equal_causes
from nsysql.analysis.compare.matching import Names, matched
from nsysql.analysis.compare.noise import FEWEST_STEPS, LEAST_WORK_NS, REPEATS, Evidence, evidence
from nsysql.analysis.compare.side import NOTHING, Amount, Side, side_of
from nsysql.analysis.compare.unit import EQUAL, MARKED, Choice, are_slices, choose, difference, is_counted, whole
from nsysql.analysis.digest import KERNELS, STEP, WINDOW, WORK, Digest, Key
from nsysql.words.kernel_names import short_names

FASTER, SLOWER, UNCLEAR = "faster", "slower", "unclear"
NO_DIFFERENCE, CANNOT_JUDGE = "no_difference_shown", "cannot_judge"
NOTABLE = 0.02  # share of the unit from which a change of an account is mentioned
POINTS, PART = 0.05, 0.25  # by which the changes of a step and of the whole work may differ: in all, as a share
LARGE = 0.20  # two changes of one sign that are at least this large agree on the direction anyway
NONE: Key = ("", "")
PROFILER = ("idle", "profiler")  # its account


@dataclass(frozen=True)
class Options:
    """The user's options; threshold and run_noise are fractions, run_noise None for the priors of `noise`."""

    per: str | None = None
    gpu: int | None = None
    threshold: float = 0.01
    run_noise: float | None = None


@dataclass(frozen=True)
class AccountChange:
    """An account in both sides: mean ns and activities per unit, and the effects that make up the difference."""

    kind: str
    name: str
    title: str
    b_name: str | None  # its name in B, if that differs
    matched_by: str
    a_ns: Fraction
    b_ns: Fraction
    a_count: Fraction
    b_count: Fraction
    evidence: Evidence | None = None
    is_certain: bool = False

    @property
    def delta_ns(self) -> Fraction:
        """B minus A."""
        return self.b_ns - self.a_ns

    @property
    def count_effect_ns(self) -> Fraction:
        """The part due to the number of activities, at their mean length in both sides, or in the one that has any."""
        each = [ns / count for ns, count in ((self.a_ns, self.a_count), (self.b_ns, self.b_count)) if count]
        return (self.b_count - self.a_count) * sum(each, Fraction(0)) / max(1, len(each))

    @property
    def per_call_effect_ns(self) -> Fraction:
        """The part due to the duration of an activity: the rest."""
        return self.delta_ns - self.count_effect_ns


@dataclass(frozen=True)
class Replayed:
    """Time from first to last GPU work (ns): of A, of A with the durations of B's kernels and copies, of B.

    The second is a range if A does not show whether waits for other threads get shorter, too.
    """

    a_ns: int
    with_b_ns: tuple[int, int]
    b_ns: int


@dataclass(frozen=True)
class Comparison:
    """Two sides and their differences, in one unit; `work` and `window` are the same sides in these units."""

    a: Side
    b: Side
    options: Options
    per: str  # step, work, window, or the name of an NVTX range
    accounts: tuple[AccountChange, ...]  # the largest difference first
    evidence: Evidence
    is_paired: bool
    is_same: bool
    are_slices: bool
    reasons: tuple[str, ...]  # why it is not per step, or how steps are compared
    remarks: tuple[Remark, ...]
    work: "Comparison | None" = None
    window: "Comparison | None" = None
    step: "Comparison | None" = None  # if the whole work is compared: the steps, if they changed by another amount
    warm_up_ns: tuple[float, float] = (0.0, 0.0)  # as of the choice of the unit
    replayed: Replayed | None = None  # of two exports that launch the same work

    @cached_property
    def a_ns(self) -> Fraction:
        """Mean time of a unit in A."""
        return sums(self.accounts)[0]

    @cached_property
    def b_ns(self) -> Fraction:
        """Mean time of a unit in B."""
        return sums(self.accounts)[1]

    @cached_property
    def kernel_names(self) -> dict[str, str]:
        """The short name of each kernel of either side: distinct for distinct kernels, the same everywhere."""
        kernels = [account for account in self.accounts if account.kind in KERNELS]
        return short_names(name for one in kernels for name in (one.name, one.b_name) if name)

    def totals(self, name: str) -> list[tuple[Key, Amount, Amount]]:
        """Return the key of each total other than accounts, and it in A and in B; the largest difference first."""
        a, b = self.a.totals(name), self.b.totals(name)
        rows = [(key, a.get(key, NOTHING), b.get(key, NOTHING)) for key in {*a, *b}]
        return sorted(rows, key=lambda row: (-abs(row[2][0] - row[1][0]), row[0]))

    @property
    def delta_ns(self) -> Fraction:
        """B minus A: the sum of the accounts' differences."""
        return self.b_ns - self.a_ns

    @property
    def change(self) -> float | None:
        """The difference as a share of A."""
        return float(self.delta_ns / self.a_ns) if self.a_ns else None

    @property
    def log_change(self) -> float:
        """The logarithm of B's time divided by A's; swapping the sides changes only its sign."""
        return math.log(self.b_ns / self.a_ns) if self.a_ns and self.b_ns else 0.0

    @property
    def is_fair(self) -> bool:
        """Whether no condition other than the program differs so much that the comparison is unfair."""
        return not any(remark.is_unfair for remark in self.remarks)

    @cached_property
    def is_comparable(self) -> bool:
        """Whether both sides do the same work under the same conditions."""
        are_parts = self.are_slices and self.per in (WORK, WINDOW)
        return self.is_fair and self.is_same and not are_parts and self.other_work is None

    @cached_property
    def other_work(self) -> str | None:
        """Why the sides do not do the same amount of work; of equal steps only the threads of all kernels tell."""
        is_told = self.per in (WORK, WINDOW) or has_other_batch(self.a, self.b)
        return other_work(self.a, self.b) if is_told else None

    @property
    def are_captures(self) -> bool:
        """Whether each sample is a capture."""
        return min(len(self.a.units), len(self.b.units)) >= REPEATS

    @property
    def samples(self) -> tuple[int, int]:
        """Samples of A and B: steps, or captures."""
        if self.are_captures or not any(unit.found_by for unit in self.a.units):
            return len(self.a.units), len(self.b.units)
        return self.a.steps, self.b.steps

    @property
    def smallest_ns(self) -> float:
        """The smallest difference that gets a word."""
        return max(self.evidence.smallest_ns, self.options.threshold * float(max(self.a_ns, self.b_ns)))

    @property
    def is_beyond_noise(self) -> bool:
        """Whether the difference exceeds the scatter of samples and that of runs, and the threshold."""
        return bool(self.delta_ns) and abs(float(self.delta_ns)) > self.smallest_ns

    @property
    def interval_pct(self) -> tuple[float, float] | None:
        """The 95 % interval of the difference in percent of A; with two measures of it, the interval around both."""
        if not self.a_ns:
            return None
        ends = [100 * end / float(self.a_ns) for end in self.evidence.interval(float(self.delta_ns))]
        other = self.work if self.disagrees else self.step
        if other is not None and other.interval_pct is not None:
            ends += other.interval_pct
        return min(ends), max(ends)

    @property
    def steps(self) -> tuple[float, float]:
        """Steps of a capture of A and of B."""
        return self.a.steps / len(self.a.units), self.b.steps / len(self.b.units)

    @property
    def has_equal_steps(self) -> bool:
        """Whether captures of A and B have about as many steps."""
        return abs(self.steps[0] - self.steps[1]) <= EQUAL * max(self.steps)

    @property
    def is_marked(self) -> bool:
        """Whether a side marks its steps: the other's are the same."""
        return any(side.units[0].found_by in MARKED for side in (self.a, self.b))

    @property
    def is_marked_alike(self) -> bool:
        """Whether both sides mark their steps by one name."""
        marks = {(side.units[0].found_by, side.units[0].name) for side in (self.a, self.b)}
        return self.per == STEP and self.is_marked and len(marks) == 1

    @property
    def has_equal_work(self) -> bool:
        """Whether the whole work of steps can be compared: no slices, and the same number of marked steps."""
        units = self.a.units[0], self.b.units[0]
        is_told = self.is_marked and is_counted(*units) and has_equal_threads(self.a, self.b)
        return self.per == STEP and not self.are_slices and (self.has_equal_steps or not is_told)

    @property
    def is_by_number(self) -> bool:
        """Whether the numbers of steps explain how the whole work changed otherwise than a step."""
        if self.per != STEP or self.work is None or self.has_equal_steps:
            return False
        changed = math.log(self.steps[1] / self.steps[0])
        return abs(self.whole_change - self.log_change - changed) < PART * abs(changed)

    @property
    def disagrees(self) -> bool:
        """Whether the whole work changed otherwise than a step, beyond noise. Numbers of marked steps may differ."""
        if self.work is None or not self.has_equal_work or not (self.is_beyond_noise or self.work.is_beyond_noise):
            return False
        ours, whole_work = self.log_change, self.whole_change
        is_opposite = ours * whole_work < 0 and min(abs(ours), abs(whole_work)) > self.options.threshold
        return is_opposite or are_apart(ours, whole_work)

    @property
    def whole_change(self) -> float:
        """The logarithm of B's whole work divided by A's, both without the warm-up that the steps lack."""
        times = (self.work.a_ns, self.work.b_ns) if self.work else ()
        a, b = (float(time) - longer for time, longer in zip(times, self.warm_up_ns, strict=True))
        return math.log(b / a) if a > 0 and b > 0 else 0.0

    @property
    def outside_ns(self) -> tuple[float, float] | None:
        """Idle time of A and B outside of the steps, mean of the captures; None if a side has no steps."""
        a, b = ([u.outside_ns for u in side.units if u.outside_ns is not None] for side in (self.a, self.b))
        return (sum(a) / len(a), sum(b) / len(b)) if a and b else None

    @property
    def is_offset(self) -> bool:
        """Whether idle time outside of the steps cancels the change of the whole work: cost may have moved there."""
        if self.per != WORK or self.outside_ns is None:
            return False
        outside = self.outside_ns[1] - self.outside_ns[0]
        return outside * float(self.delta_ns) < 0 and abs(outside) >= abs(float(self.delta_ns))

    @property
    def of_profiler_ns(self) -> Fraction:
        """The difference of the profiler's overhead, which a run without it lacks."""
        return sum((one.delta_ns for one in self.accounts if (one.kind, one.name) == PROFILER), Fraction(0))

    @property
    def is_profilers(self) -> bool:
        """Whether the difference without the profiler's overhead is within noise or of the other sign."""
        rest = self.delta_ns - self.of_profiler_ns
        return bool(self.of_profiler_ns) and (rest * self.delta_ns <= 0 or abs(float(rest)) <= self.smallest_ns)

    @property
    def too_few(self) -> int | None:
        """The number of steps if it is too small for a verdict."""
        least = min(self.samples)
        return least if self.per not in (WORK, WINDOW) and not self.are_captures and least < FEWEST_STEPS else None

    @property
    def verdict(self) -> str:
        """faster, slower, no_difference_shown, unclear or cannot_judge."""
        if all(account.delta_ns == 0 for account in self.accounts):
            return NO_DIFFERENCE
        work = self.a.gpu_work_ns, self.b.gpu_work_ns
        if not self.is_comparable:
            return CANNOT_JUDGE
        if self.disagrees and not self.has_one_sign:
            return UNCLEAR
        if not self.is_beyond_noise:
            return NO_DIFFERENCE
        if self.too_few or any(ns is not None and ns < LEAST_WORK_NS for ns in work):
            return CANNOT_JUDGE
        if self.is_offset or self.is_profilers:
            return UNCLEAR
        return FASTER if self.delta_ns < 0 else SLOWER

    @property
    def has_one_sign(self) -> bool:
        """Whether a step and the whole work changed in one direction: both much, or as many steps beyond noise."""
        changes = self.log_change, self.whole_change if self.work else 0.0
        are_sure = self.a.steps * len(self.b.units) == self.b.steps * len(self.a.units) and self.is_beyond_noise
        are_sure = are_sure and self.work is not None and self.work.is_beyond_noise
        return changes[0] * changes[1] > 0 and (are_sure or min(map(abs, changes)) >= LARGE)


def are_apart(change: float, other: float) -> bool:
    """Tell whether another measure changed otherwise (logarithms)."""
    return abs(change - other) > max(POINTS, PART * abs(change))


def compared(a: Sequence[Digest], b: Sequence[Digest], options: Options) -> Comparison:
    """Compare two sides. Raises MissingData if they have no unit in common."""
    a, b = (tuple(dict.fromkeys(side)) for side in (a, b))  # one capture given three times has no scatter
    choice = choose(a, b, options.per)
    comparison = measured(a, b, choice, options)
    first = [side[0].series[:1] for side in (a, b)]
    if comparison.is_offset and all(first) and difference(*first[0], *first[1]):  # what is outside of them differs, too
        comparison = measured(a, b, whole(a, b, choice.reasons, from_first_to_last=True), options)
    work = window = None
    if choice.kind != WORK and all(c.unit(WORK) or c.unit(WINDOW) for c in (*a, *b)):
        work = measured(a, b, whole(a, b), options)
    if choice.kind != WINDOW and all(c.unit(WINDOW) for c in (*a, *b)):
        window = measured(a, b, choose(a, b, WINDOW), options)
    comparison = replace(comparison, work=work, window=window)
    marks = {(c.series[0].found_by, c.series[0].name) if c.series else (None, None) for c in (*a, *b)}
    has_marks = not options.per and len(marks) == 1 and marks.pop()[0] in MARKED
    if has_marks and choice.kind == WORK and other_work(comparison.a, comparison.b):
        of_steps = replace(choose(a, b, STEP), is_same=False)  # told, not judged
        return replace(measured(a, b, of_steps, options), work=comparison, window=window)
    if not options.per and comparison.disagrees and work and not comparison.is_marked:
        if comparison.has_one_sign:
            both = "The step and the whole work changed by different amounts: the whole work is compared."
            return replace(work, window=window, step=replace(comparison, work=None), reasons=(both,))
        is_same_work = threads_ratio(work.a, work.b) is not None and has_equal_threads(work.a, work.b)
        is_same_work &= comparison.has_equal_steps
        if is_same_work and work.is_beyond_noise and not comparison.is_beyond_noise:
            between = "A step takes as long as before, but not what is between steps: the whole work is compared."
            return replace(work, window=window, reasons=(between,))
    return comparison


def measured(a: Sequence[Digest], b: Sequence[Digest], choice: Choice, options: Options) -> Comparison:
    """Compare the sides in the chosen unit."""
    ours, theirs, nested = inclusive(choice.a, choice.b)
    ours, theirs = (with_equal_causes(a, b, units) for units in (ours, theirs))
    first = side_of(a, ours, options.gpu, options.run_noise)
    second = side_of(b, theirs, options.gpu, options.run_noise)
    accounts, of_unit = _changes(first, second, options, choice.is_paired)
    slices = are_slices(a, b)
    return Comparison(
        first, second, options, choice.kind, accounts, of_unit, choice.is_paired, choice.is_same, slices,
        choice.reasons, (*remarks(first, second), *(Remark(text, False) for text in nested)),
        warm_up_ns=choice.warm_up_ns,
    )  # fmt: skip


def _changes(a: Side, b: Side, options: Options, is_paired: bool) -> tuple[tuple[AccountChange, ...], Evidence]:
    matches, titles = matched(_names(a), _names(b)), {**b.titles(), **a.titles()}
    of_unit, *proofs = evidence(a, b, [([m.a] if m.a else [], [m.b] if m.b else []) for m in matches], is_paired)
    least = float(max(sum(a.mean_ns.values()), sum(b.mean_ns.values()))) * NOTABLE
    done = []
    for match, proof in zip(matches, proofs, strict=True):
        (a_ns, a_count), (b_ns, b_count) = a.mean(match.a), b.mean(match.b)
        larger, delta = float(max(a_ns, b_ns)), abs(float(b_ns - a_ns))
        is_certain = larger >= least and delta > max(proof.smallest_ns, options.threshold * larger)
        kind, name = key = match.a or match.b or NONE
        b_name = match.b[1] if match.b and match.b[1] != name else None
        named = kind, name, titles.get(key, name), b_name, match.by
        done.append(AccountChange(*named, a_ns, b_ns, a_count, b_count, proof, is_certain))
    return tuple(sorted(done, key=lambda c: (-abs(c.delta_ns), c.kind, c.name))), of_unit


def sums(accounts: Iterable[AccountChange]) -> tuple[Fraction, Fraction]:
    """Return the time of these accounts in A and in B."""
    pairs = [(one.a_ns, one.b_ns) for one in accounts]
    return sum((a for a, _ in pairs), Fraction(0)), sum((b for _, b in pairs), Fraction(0))


def proof_of(comparison: Comparison, accounts: Sequence[AccountChange]) -> Evidence:
    """Return the evidence for the sum of these accounts."""
    ours: list[Key] = [(c.kind, c.name) for c in accounts if c.matched_by != "only in B"]
    theirs: list[Key] = [(c.kind, c.b_name or c.name) for c in accounts if c.matched_by != "only in A"]
    return evidence(comparison.a, comparison.b, [(ours, theirs)], comparison.is_paired)[1]


def _names(side: Side) -> Names:
    ns = side.mean_ns
    return Names(tuple(sorted(ns, key=lambda key: (-ns[key], key))), side.sequence())
