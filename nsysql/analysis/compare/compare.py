"""Compare two sides: the difference of each account, which sum to the unit's, and whether they are beyond noise."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from nsysql.analysis.compare.capture import STEP, WINDOW, Capture, Key
from nsysql.analysis.compare.changes import AccountChange, SideMeans
from nsysql.analysis.compare.fairness import Remark, remarks
from nsysql.analysis.compare.matching import Match, Names, matched
from nsysql.analysis.compare.noise import Evidence, evidence
from nsysql.analysis.compare.side import Side, side_of
from nsysql.errors import MissingData

REPEATS = 4  # captures per side; with as many, each capture is a sample
ACCOUNT_NOISE = 2  # factor on the noise of the unit: accounts vary more between runs
COVERED = 0.5  # share of the window that a compared series must cover


@dataclass(frozen=True)
class Options:
    """The user's options; threshold and run_noise are fractions."""

    per: str | None = None
    gpu: int | None = None
    threshold: float = 0.01
    run_noise: float = 0.10


@dataclass(frozen=True)
class Comparison:
    """Two sides and their differences."""

    a: Side
    b: Side
    options: Options
    per: str  # step, window, or the name of an NVTX range
    accounts: tuple[AccountChange, ...]  # the largest difference first
    evidence: Evidence | None  # for the unit; None if there are too few samples
    samples: tuple[int, int]
    are_captures: bool  # whether each sample is a capture
    remarks: tuple[Remark, ...]
    whole_run: "Comparison | None" = None  # comparison of the whole windows, if the unit is a step

    @property
    def a_ns(self) -> Fraction:
        """Mean time of a unit in A."""
        return sum((account.a_ns for account in self.accounts), Fraction(0))

    @property
    def b_ns(self) -> Fraction:
        """Mean time of a unit in B."""
        return sum((account.b_ns for account in self.accounts), Fraction(0))

    @property
    def delta_ns(self) -> Fraction:
        """B minus A: the sum of the accounts' differences."""
        return self.b_ns - self.a_ns

    @property
    def is_fair(self) -> bool:
        """Whether no condition other than the program differs so much that the comparison is unfair."""
        return not any(remark.is_unfair for remark in self.remarks)

    @property
    def run_noise(self) -> float:
        """The fraction by which runs of the same program may differ: the option, or a side's spread if larger."""
        if self.are_captures:
            return 0.0
        spread = [self.options.run_noise]
        for side in (self.a, self.b):
            means = [float(sum(Side((), (unit,), side.gpu).mean_ns().values())) for unit in side.units]
            if len(means) > 1 and min(means) > 0:
                spread.append(max(means) / min(means) - 1)
        return max(spread)


def compared(a: Sequence[Capture], b: Sequence[Capture], options: Options) -> Comparison:
    """Compare two sides. Raises MissingData if they have no unit in common."""
    per = _unit(a, b, options.per)
    found = _compared(a, b, options, per)
    if per == WINDOW or not all(capture.unit(WINDOW) for capture in (*a, *b)):
        return found
    return replace(found, whole_run=_compared(a, b, options, WINDOW))


def _compared(a: Sequence[Capture], b: Sequence[Capture], options: Options, per: str) -> Comparison:
    sides = side_of(a, per, options.gpu), side_of(b, per, options.gpu)
    are_captures = min(len(a), len(b)) >= REPEATS
    samples = (len(a), len(b)) if are_captures or per == WINDOW else (sides[0].steps, sides[1].steps)
    found, of_unit = _changes(*sides, options, are_captures)
    notes = remarks(*sides)
    return Comparison(*sides, options, per, found, of_unit, samples, are_captures, notes)


def _unit(a: Sequence[Capture], b: Sequence[Capture], per: str | None) -> str:
    """The unit to compare: the requested one, else steps if all captures have them, else the window."""
    every = (*a, *b)
    kinds = [per] if per else [STEP, WINDOW]
    for kind in kinds:
        units = [capture.unit(kind) for capture in every]
        if all(unit and (per or unit.window_share >= COVERED) for unit in units):
            return kind
    for side, captures in (("A", a), ("B", b)):
        for capture in captures:
            if not any(capture.unit(kind) for kind in kinds):
                raise MissingData(
                    f"{side} cannot be compared{f' per {per}' if per else ''}: {_missing_reason(capture, per)}"
                )
    raise MissingData("A and B have no unit of time in common: one has steps on the CPU, the other GPU work.")


def _missing_reason(capture: Capture, per: str | None) -> str:
    known = ", ".join(unit.kind for unit in capture.units)
    reason = capture.lacking or f"it has no {per}."
    return f"{reason} It can be compared per {known}." if known and per else reason


def _changes(
    a: Side, b: Side, options: Options, are_captures: bool
) -> tuple[tuple[AccountChange, ...], Evidence | None]:
    ours, theirs = SideMeans(a.mean_ns(), a.mean_counts()), SideMeans(b.mean_ns(), b.mean_counts())
    matches = matched(_names(ours.ns, a), _names(theirs.ns, b))
    titles = {**b.titles(), **a.titles()}
    found = [_change(match, ours, theirs, titles) for match in matches]
    of_unit: Evidence | None = None
    proofs: list[Evidence | None] = [None] * len(found)
    if min(a.samples, b.samples) > 1:
        of_unit, proofs = _evidence(a, b, matches, are_captures)
    floor = 0.0 if are_captures else ACCOUNT_NOISE * options.run_noise
    least = options.threshold * float(sum(ours.ns.values()))
    done = [
        replace(c, evidence=proof, is_certain=_is_certain(c, proof, floor, least))
        for c, proof in zip(found, proofs, strict=True)
    ]
    return tuple(sorted(done, key=lambda c: (-abs(c.delta_ns), c.kind, c.name))), of_unit


def _evidence(a: Side, b: Side, matches: Sequence[Match], are_captures: bool) -> tuple[Evidence, list[Evidence | None]]:
    """The evidence for the unit, and for each account."""
    ours = a.arrays([[m.a] if m.a else [] for m in matches])
    theirs = b.arrays([[m.b] if m.b else [] for m in matches])
    if are_captures:
        ours, theirs = ([array.mean(axis=0, keepdims=True) for array in arrays] for arrays in (ours, theirs))
    whole, columns = evidence(ours, theirs)
    return whole, [*columns]


def proof_of(found: Comparison, accounts: Sequence[AccountChange]) -> bool:
    """Whether the difference of the sum of these accounts is beyond noise, by the rule for single accounts."""
    ours = found.a.arrays([[(c.kind, c.name) for c in accounts if c.matched_by != "only in B"]])
    theirs = found.b.arrays([[(c.kind, c.b_name or c.name) for c in accounts if c.matched_by != "only in A"]])
    sums = {name: sum((getattr(c, name) for c in accounts), Fraction(0)) for name in ("a_ns", "b_ns")}
    together = AccountChange("", "", "", None, "", sums["a_ns"], sums["b_ns"], Fraction(0), Fraction(0))
    if found.are_captures:
        ours, theirs = ([array.mean(axis=0, keepdims=True) for array in arrays] for arrays in (ours, theirs))
    floor = 0.0 if found.are_captures else ACCOUNT_NOISE * found.options.run_noise
    return _is_certain(together, evidence(ours, theirs)[0], floor, found.options.threshold * float(found.a_ns))


def _names(ns: dict[Key, Fraction], side: Side) -> Names:
    return Names(tuple(sorted(ns, key=lambda key: (-ns[key], key))), side.sequence())


def _change(match: Match, a: SideMeans, b: SideMeans, titles: dict[Key, str]) -> AccountChange:
    key, zero = match.a or match.b or ("", ""), Fraction(0)
    other = match.b[1] if match.a and match.b and match.b[1] != key[1] else None
    return AccountChange(
        *(key[0], key[1], titles.get(key, key[1]), other, match.by),
        *(a.ns[match.a] if match.a else zero, b.ns[match.b] if match.b else zero),
        *(a.counts[match.a] if match.a else zero, b.counts[match.b] if match.b else zero),
    )


def _is_certain(change: AccountChange, proof: Evidence | None, floor: float, least: float) -> bool:
    """Whether an account's difference exceeds the scatter of samples, that of runs, and the threshold."""
    delta = float(change.delta_ns)
    larger = float(max(change.a_ns, change.b_ns))
    return proof is not None and abs(delta) > least and abs(delta) > floor * larger and proof.shows(delta)
