"""Choose the unit that two sides share: the same step, paired steps, or the whole work; say why it is no step."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product
from operator import mul

import numpy as np

from nsysql.analysis.compare.matching import without_numbers
from nsysql.analysis.compare.side import Floats
from nsysql.analysis.compare.usual_steps import SAME, left_out, only, periods, usual
from nsysql.analysis.digest import STEP, WINDOW, WORK, Digest, Key, Unit
from nsysql.errors import MissingData
from nsysql.words.quantities import size

COVERED = 0.5  # share of the work of A or of B that a compared series must have
ALIKE = 0.9  # share of the launches of a step that have a counterpart in the other side's
EQUAL = 0.01  # by which numbers of steps that are paired may differ
WARM_UP_SHARE, WARM_UP_MOST = 10, 20  # at most one step in this many, and at most this many steps
TREND_FROM = 8  # samples
TREND_RANK, TREND_APART, TREND_FAR = 0.5, 0.05, 0.20  # rank correlation; first to last quarter with it, without
SLICE = 0.05  # by which durations of slices of a running program may differ
ACTIVE = 0.9  # share of a slice's duration from first to last GPU work
EDGES = ("lead_in", "tail")  # accounts of a window before and after GPU work
PHASES = "phases"  # steps of ranges that follow each other
MARKED = ("named", "nvtx", PHASES)
SEPARATOR = " > "  # of NVTX paths


@dataclass(frozen=True)
class Choice:
    """The unit of each capture, ready to compare; `reasons` say why it is not a step, or how steps are compared."""

    kind: str
    a: tuple[Unit, ...]
    b: tuple[Unit, ...]
    is_paired: bool = False
    is_same: bool = True
    reasons: tuple[str, ...] = ()
    warm_up_ns: tuple[float, float] = (0.0, 0.0)  # by which warm-up, left out of steps, lengthens the whole work


def choose(a: Sequence[Digest], b: Sequence[Digest], per: str | None) -> Choice:
    """Choose the unit to compare. Raises MissingData if the sides have none in common."""
    on_cpu = {unit.gpus[0].accounts[0].kind == "cpu" for capture in (*a, *b) for unit in capture.units[:1]}
    if len(on_cpu) > 1 and per in (None, STEP, WORK, WINDOW):
        raise MissingData("A and B have no unit of time in common: one has steps on the CPU, the other GPU work.")
    if per == WORK and not all(capture.unit(WORK) for capture in (*a, *b)):
        return whole(a, b)
    if per is not None and per != STEP:
        units = _all_of(a, "A", per), _all_of(b, "B", per)
        why = None if per in (WORK, WINDOW) else _other_ranges(a, b, units, per)
        return Choice(per, *units, is_same=why is None, reasons=(why,) if why else ())
    reasons: list[str] = []
    is_same = True  # other numbers of the same steps are another amount of work
    for first, second in product(_candidates(a), _candidates(b)):
        if max(first.work_share, second.work_share) >= COVERED:
            ours, why = _alike(a, first, reasons), difference(first, second)
            if why is not None and (choice := _usual_steps(a, b, first, second)):
                return choice
            if why is None and ours and (theirs := _alike(b, second, reasons)):
                choice = _trimmed(ours, theirs)
                if choice.kind == STEP or per == STEP:
                    return replace(choice, kind=STEP)
                reasons += choice.reasons
                is_same = is_same and choice.is_same
            elif why is not None:
                reasons.append(why)
    if per == STEP:
        return Choice(STEP, _all_of(a, "A", STEP), _all_of(b, "B", STEP), is_same=False, reasons=tuple(reasons[:1]))
    of_whole = whole(a, b, tuple(f"Not per step: {reason}" for reason in reasons[:1]))
    return replace(of_whole, is_same=of_whole.is_same and is_same)


def whole(
    a: Sequence[Digest], b: Sequence[Digest], reasons: tuple[str, ...] = (), from_first_to_last: bool = False
) -> Choice:
    """Choose the whole work of both sides; the time from first to last GPU work if not all have steps, or if asked."""
    kind = WORK if all(capture.unit(WORK) for capture in (*a, *b)) and not from_first_to_last else WINDOW
    ours, theirs = _all_of(a, "A", kind), _all_of(b, "B", kind)
    if kind == WINDOW:
        ours, theirs = (tuple(_without_edges(unit) for unit in side) for side in (ours, theirs))
    loops = {(unit.found_by, unit.name) for unit in (*ours, *theirs) if unit.gpus[0].gpu_id is None}
    return Choice(WORK, ours, theirs, is_same=len(loops) < 2, reasons=reasons)  # without GPU work it is a loop's time


def _other_ranges(a: Sequence[Digest], b: Sequence[Digest], ranges: Sequence[Sequence[Unit]], name: str) -> str | None:
    """Say why ranges of a name are not one unit: their number differs, also per launch and per step."""
    counts = [sum(sum(unit.steps) for unit in units) / len(units) for units in ranges]
    if _relative_difference(*counts) <= SAME:
        return None
    for amount in (_launches, _steps):
        parts = [sum(map(amount, side)) / len(side) for side in (a, b)]
        if all(parts) and _relative_difference(counts[0] / parts[0], counts[1] / parts[1]) <= SAME:
            return None
    return f"A has {counts[0]:,.4g} ranges {name}, B {counts[1]:,.4g}, and not for as many times the work."


def _launches(capture: Digest) -> int:
    return sum(total.count for unit in capture.units if unit.kind == WINDOW for total in unit.launches)


def _steps(capture: Digest) -> int:
    return sum(unit.total_steps for unit in capture.series[:1])


def _without_edges(unit: Unit) -> Unit:
    """Reduce a window to the time from first to last GPU work."""
    gpus = tuple(replace(gpu, accounts=tuple(a for a in gpu.accounts if a.kind not in EDGES)) for gpu in unit.gpus)
    return replace(unit, kind=WORK, gpus=gpus)


def _candidates(captures: Sequence[Digest]) -> list[Unit]:
    """Return the series of the first capture: the main one, then by step length."""
    units = captures[0].series
    return [*units[:1], *sorted(units[1:], key=length, reverse=True)]


def length(unit: Unit) -> float:
    """Return the mean length of a step."""
    return sum(sum(a.ns) for gpu in unit.gpus for a in gpu.accounts) / sum(unit.steps) / len(unit.gpus)


def _alike(captures: Sequence[Digest], first: Unit, reasons: list[str]) -> tuple[Unit, ...] | None:
    """Return the same series in each capture of a side; None if one lacks it."""
    units = []
    for capture in captures:
        unit = next((unit for unit in capture.series if difference(first, unit) is None), None)
        if unit is None:
            reasons.append("the captures of a side have different steps.")
            return None
        units.append(unit)
    return tuple(units)


def _usual_steps(a: Sequence[Digest], b: Sequence[Digest], first: Unit, second: Unit) -> Choice | None:
    """Choose the usual ones of steps that both sides mark alike; None if these differ, too."""
    mark = first.found_by, first.name
    if first.found_by not in MARKED or mark != (second.found_by, second.name):
        return None
    sides = [[next((u for u in c.series if (u.found_by, u.name) == mark), first) for c in side] for side in (a, b)]
    kept = [tuple(one for unit in side if (one := usual(unit))) for side in sides]
    if list(map(len, kept)) != [len(a), len(b)] or any(difference(kept[0][0], u) for side in kept for u in side):
        return None
    choice = _trimmed(kept[0], kept[1])
    left = [left_out(*one) for one in zip("AB", sides, kept, strict=True)]
    return replace(choice, reasons=(*filter(None, left), *choice.reasons)) if choice.kind == STEP else None


def difference(a: Unit, b: Unit) -> str | None:
    """Say why steps of A and B are not one unit; None if they are."""
    launches = [sum(total.count for total in unit.launches) / unit.total_steps for unit in (a, b)]
    copied = [_copied(unit) for unit in (a, b)]
    if _relative_difference(*launches) > SAME:
        return f"a step of A launches {launches[0]:,.4g} pieces of GPU work, of B {launches[1]:,.4g}."
    if _relative_difference(*copied) > SAME and max(copied) > 0:
        return f"a step of A copies {size(copied[0])}, of B {size(copied[1])}."
    ranges = _ranges_within(a, b) if not max(launches) else None
    if ranges and _relative_difference(*ranges) > SAME:
        return f"a step of A has {ranges[0]:,.4g} ranges of names that both have, of B {ranges[1]:,.4g}."
    if a.found_by == b.found_by and a.found_by in MARKED and a.name == b.name:
        return None
    if max(launches) > 0 and _counterparts(a, b) >= ALIKE:
        return None
    names = [unit.name if unit.found_by in MARKED else f"found by {unit.found_by}" for unit in (a, b)]
    if names[0] == names[1]:
        return "steps of A and B launch different kernels."
    return f"steps of A are {names[0]}, of B {names[1]}."


def is_counted(a: Unit, b: Unit) -> bool:
    """Tell whether launches, or ranges within steps, show that steps are one unit."""
    return any(unit.launches for unit in (a, b)) or _ranges_within(a, b) is not None


def _ranges_within(a: Unit, b: Unit) -> tuple[float, float] | None:
    """Return ranges within a step of A and of B, of the paths that both have; None if they share none."""
    shares = []
    for unit in (a, b):
        are_within = unit.found_by == PHASES
        every = [one for gpu in unit.gpus for one in gpu.accounts if are_within or SEPARATOR in one.name]
        shares.append({one.name: sum(one.counts) / sum(unit.steps) for one in every if one.kind == "cpu"})
    both = shares[0].keys() & shares[1].keys()
    return (sum(shares[0][name] for name in both), sum(shares[1][name] for name in both)) if both else None


def _copied(unit: Unit) -> float:
    """Return the bytes that a step copies or sets; 0 if fewer than half of the steps do."""
    moves = [total for total in unit.launches if total.amount]
    often = 2 * sum(total.count for total in moves) >= unit.total_steps
    return sum(total.amount for total in moves) / unit.total_steps if often else 0.0


def _relative_difference(a: float, b: float) -> float:
    return abs(a - b) / max(a, b) if max(a, b) else 0.0


def _counterparts(a: Unit, b: Unit) -> float:
    """Return the share of launches that have one of the same folded name and number in the other side."""
    counts = launched([a]), launched([b])
    return (counts[0] & counts[1]).total() / max(1, *(counter.total() for counter in counts))


def launched(units: Sequence[Unit]) -> Counter[Key]:
    """Return 1,000 times the launches per step by kind and folded name, mean of the units."""
    counts: Counter[Key] = Counter()
    for unit in units:
        for total in unit.launches:
            name = without_numbers(total.name) if total.kind in ("kernel", "graph") else total.name
            counts[total.kind, name] += round(1000 * total.count / unit.total_steps / len(units))
    return counts


def _trimmed(a: tuple[Unit, ...], b: tuple[Unit, ...]) -> Choice:
    """Drop a short warm-up from the steps; with a trend pair all steps, or else compare the whole work."""
    later = [[after_warm_up(unit) for unit in side] for side in (a, b)]
    if not any(unit is None or has_trend(unit) for side in later for unit in side):
        ours, theirs = (tuple(unit for unit in side if unit) for side in later)
        left = [sum(sum(unit.steps) for unit in side) * len(other) for side, other in ((ours, theirs), (theirs, ours))]
        longer = [sum(_longer(*both, left[0] == left[1]) for both in zip(*of, strict=True)) / len(of[0])
                  for of in ((a, ours), (b, theirs))]  # fmt: skip
        return Choice(STEP, ours, theirs, warm_up_ns=(longer[0], longer[1]))
    counts = [sum(unit.steps) for unit in (*a, *b)]
    sizes = {unit.steps[0] for unit in (*a, *b)}
    if max(counts) - min(counts) <= EQUAL * max(counts) and len(sizes) == 1:
        return Choice(STEP, a, b, is_paired=True, reasons=("Steps change over the run: step i is paired with step i.",))
    most = EQUAL if any(side[0].found_by in MARKED for side in (a, b)) else SAME
    is_same = _relative_difference(min(counts), max(counts)) <= most
    why = "steps change over the run, and A and B have different numbers of them"
    return Choice(WORK, a, b, is_same=is_same, reasons=(f"{why}{': totals are compared' if is_same else ''}.",))


def after_warm_up(unit: Unit) -> Unit | None:
    """Drop the warm-up from the unit; None if it is too long to be one: then the steps have a trend."""
    count = sum(unit.steps)
    if unit.warm_up > min(count // WARM_UP_SHARE, WARM_UP_MOST):
        return None
    first, left = 0, unit.warm_up
    while left > 0:
        left -= unit.steps[first]
        first += 1
    return only(unit, list(range(first, len(unit.steps))))


def _longer(unit: Unit, later: Unit, are_more: bool) -> float:
    """Return by how much the steps that are left out take longer than as many later ones, or than none: `are_more`."""
    total, of_later = (sum(map(mul, periods(one), one.steps)) for one in (unit, later))
    return float(total - of_later * (1 if are_more else sum(unit.steps) / sum(later.steps)))


def has_trend(unit: Unit) -> bool:
    """Tell whether the length of steps changes over the run."""
    values = np.array(periods(unit))
    if len(values) < TREND_FROM:
        return False
    quarter = len(values) // 4
    first, last = float(np.median(values[:quarter])), float(np.median(values[-quarter:]))
    apart = abs(first - last) / min(first, last) if min(first, last) > 0 else 0.0
    return apart > TREND_FAR or (apart > TREND_APART and abs(rank_correlation(values)) > TREND_RANK)


def rank_correlation(values: Floats) -> float:
    """Return Spearman's correlation of values with their order; ties have their mean rank. 0 if all are equal."""
    _, places, counts = np.unique(values, return_inverse=True, return_counts=True)
    ranks = (np.cumsum(counts) - (counts - 1) / 2)[places]
    if len(ranks) < 2 or not np.ptp(ranks):
        return 0.0
    return float(np.corrcoef(ranks, np.arange(len(ranks)))[0, 1])


def are_slices(a: Sequence[Digest], b: Sequence[Digest]) -> bool:
    """Tell whether captures are equally long slices of running programs, with different amounts of work in them."""
    captures = (*a, *b)
    durations = [capture.facts.duration_ns or 0 for capture in captures]
    if not all(d and _active_ns(capture) >= ACTIVE * d for capture, d in zip(captures, durations, strict=True)):
        return False
    launches = [sum(map(_launches, side)) / len(side) for side in (a, b)]
    return max(durations) <= (1 + SLICE) * min(durations) and _relative_difference(*launches) > EQUAL


def _active_ns(capture: Digest) -> int:
    """Return the time from first to last GPU work."""
    gpus = [gpu for unit in capture.units if unit.kind == WINDOW for gpu in unit.gpus]
    return max((sum(sum(a.ns) for a in gpu.accounts if a.kind not in EDGES) for gpu in gpus), default=0)


def _all_of(captures: Sequence[Digest], side: str, kind: str) -> tuple[Unit, ...]:
    """Return the unit of that kind of each capture. Raises MissingData if one lacks it."""
    units = []
    for capture in captures:
        unit = capture.unit(kind)
        if unit is None:
            known = ", ".join(dict.fromkeys(unit.kind for unit in capture.units))
            reason = capture.lacking or f"it has no {kind}."
            other = f" It can be compared per {known}." if known else ""
            raise MissingData(f"{side} cannot be compared per {kind}: {reason}{other}")
        units.append(unit)
    return tuple(units)
