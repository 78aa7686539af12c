"""Write the verdict: both times and the ratio, its certainty, notes on what changed, and the comparison's limits."""

import math
from collections.abc import Iterator
from fractions import Fraction

from nsysql.analysis.compare.compare import (
    CANNOT_JUDGE,
    FASTER,
    NO_DIFFERENCE,
    SLOWER,
    UNCLEAR,
    Comparison,
    are_apart,
)
from nsysql.analysis.compare.job import CALLS
from nsysql.analysis.compare.main_change import (
    NOTICEABLE,
    few_steps,
    from_to,
    kernels_alike,
    main_change,
    odd_captures,
    shown,
    signed,
)
from nsysql.analysis.compare.noise import FEWEST_STEPS, LEAST_WORK_NS, REPEATS
from nsysql.analysis.compare.side import Side
from nsysql.analysis.compare.unit import SEPARATOR, length
from nsysql.analysis.digest import STEP, WINDOW, WORK, Key
from nsysql.words.quantities import counted, tenths, time

SURE_SAMPLES, FAMILIES = 3.0, 3  # standard errors by which samples must differ; families that are named
LONGER = 0.2  # by which the captured duration must change otherwise to be mentioned (logarithm)
ALSO = 0.01  # by which the whole work must change otherwise than a step to be mentioned (logarithm)
FACTOR = 2.0  # from which times are compared by factors
HEADS = {NO_DIFFERENCE: "NO DIFFERENCE SHOWN", CANNOT_JUDGE: "CANNOT JUDGE"}
UNITS = {STEP: "a step", WORK: "the whole work", WINDOW: "the time from first to last CUDA call"}


def unit(comparison: Comparison) -> str:
    """Name the unit in a sentence."""
    return UNITS.get(comparison.per, comparison.per)


def sentence(comparison: Comparison) -> str:
    """Write the verdict as a sentence, with both times and the ratio."""
    now, was = time(float(comparison.b_ns)), time(float(comparison.a_ns))
    if all(account.delta_ns == 0 for account in comparison.accounts):
        return f"NO DIFFERENCE SHOWN: {unit(comparison)} takes {was} in A and in B, in every account."
    verdict = comparison.verdict
    because = why(comparison, verdict)
    if verdict in (NO_DIFFERENCE, FASTER, SLOWER) and (few := few_steps(comparison)):
        which, median = few
        scope = "NO DIFFERENCE SHOWN in most steps" if verdict == NO_DIFFERENCE else f"{verdict.upper()} in {which}"
        verb = "makes" if which.startswith("1 ") else "make"
        makes = f"{which[0].upper()}{which[1:]} {verb} the mean" if verdict == NO_DIFFERENCE else "The mean takes"
        return f"{scope}: {median}. {makes} {now}, was {was}: {ratio(comparison)}{_interval(comparison)}."
    is_ratio = verdict != CANNOT_JUDGE or comparison.is_same or comparison.is_marked_alike  # not of different units
    change = f": {ratio(comparison)}" if is_ratio else ""
    interval = "" if verdict in (UNCLEAR, CANNOT_JUDGE) else _interval(comparison)
    measured = f"{unit(comparison)} takes {now}, was {was}{change}{interval}"
    return f"{HEADS.get(verdict, verdict.upper())}: {measured}{f'; {because}' if because else ''}."


def ratio(comparison: Comparison) -> str:
    """Write the change in percent with the ratio up to a factor of 2, beyond it as a factor."""
    if not comparison.a_ns or not comparison.b_ns:
        return "one side has none"
    times = float(comparison.b_ns / comparison.a_ns)
    if times > FACTOR:
        return f"{times:.3g} times as long"
    if times < 1 / FACTOR:
        return f"{tenths(100 * (1 - times))}% less time, {1 / times:.3g}x"
    word, factor = ("more", times) if times >= 1 else ("less", 1 / times)
    return f"{tenths(100 * abs(times - 1))}% {word} time, {factor:.2f}x"


def _interval(comparison: Comparison) -> str:
    if comparison.interval_pct is None:
        return ""
    low, high = comparison.interval_pct
    if high < 0:
        return f" (95%: {tenths(-high)} to {tenths(min(-low, 100))}% less)"
    if low > 0 and comparison.b_ns > FACTOR * comparison.a_ns:
        return f" (95%: {1 + low / 100:.3g} to {1 + high / 100:.3g} times)"
    if low > 0:
        return f" (95%: {tenths(low)} to {tenths(high)}% more)"
    return f" (95%: {max(low, -100):+.1f} to {high:+.1f}%)"


def why(comparison: Comparison, verdict: str) -> str:
    """Say why there is no verdict."""
    if verdict == UNCLEAR and comparison.disagrees and not comparison.has_one_sign and comparison.work:
        whole = comparison.work
        times = f"{time(float(whole.a_ns))}, then {time(float(whole.b_ns))}, {ratio(whole)}"
        if comparison.is_by_number:
            steps = "{:,.6g} in A and {:,.6g} in B".format(*comparison.steps)
            return f"but the whole work changed with the number of steps, {steps}: {times}"
        return f"but the whole work changed otherwise: {times}"
    if verdict == UNCLEAR and comparison.is_offset and comparison.outside_ns is not None:
        return f"but idle time outside of the steps changed the other way: {from_to(*comparison.outside_ns)}"
    if verdict == UNCLEAR:
        rest = comparison.a_ns, comparison.b_ns - comparison.of_profiler_ns
        return f"but most of the difference is the profiler's overhead, without which it would be {from_to(*rest)}"
    if verdict == CANNOT_JUDGE:
        if not comparison.is_fair:
            unfair = next(r.text for r in comparison.remarks if r.is_unfair)
            return f"the captures are not comparable: {unfair.rstrip('.')}"
        if not comparison.is_same:
            first = comparison.reasons[0].rstrip(".") if comparison.reasons else "steps differ"
            return first[0].lower() + first[1:] if first.startswith("Not ") else first
        if comparison.are_slices and comparison.per in (WORK, WINDOW):
            return "both are slices of running programs without a common step"
        if comparison.other_work:
            return comparison.other_work
        if comparison.too_few:
            return f"too few steps ({comparison.too_few}) for a verdict, which needs {FEWEST_STEPS}"
        return f"there is less than {time(LEAST_WORK_NS)} of GPU work"
    if verdict == NO_DIFFERENCE and comparison.interval_pct and math.prod(comparison.interval_pct) > 0:
        return "less sure than a verdict needs: 99%, and a change beyond the threshold"
    return "within noise" if verdict == NO_DIFFERENCE else ""


def two_digits(share: float) -> str:
    """Write a percentage with two digits, from 100 on as a whole number."""
    return f"{share:.0f}" if share >= 10 else f"{share:.2g}"


def notes(comparison: Comparison) -> Iterator[str]:
    """Yield how the unit was chosen, how small a change can be shown, and what changed differently."""
    has_first = comparison.verdict == CANNOT_JUDGE and comparison.is_fair and not comparison.is_same
    reasons = comparison.reasons[1 if has_first else 0 :]  # the verdict gives the first as its reason
    yield from (f"{reason[0].upper()}{reason[1:]}" for reason in reasons)
    if mostly := _slow_gpu(comparison) or kernels_alike(comparison) or main_change(comparison):
        yield mostly
    yield from odd_captures(comparison)
    yield from _explained(comparison)
    if comparison.a_ns:
        share = 100 * comparison.smallest_ns / float(max(comparison.a_ns, comparison.b_ns))
        captures = min(len(comparison.a.units), len(comparison.b.units))
        each = "One capture" if captures == 1 else f"{captures} captures"
        hint = "" if captures >= REPEATS else f"; give {REPEATS} a side to measure it"
        yield f"{each} a side {'shows' if captures == 1 else 'show'} nothing below {two_digits(share)}%{hint}."
    whole = comparison.work if comparison.verdict == UNCLEAR and comparison.disagrees else None
    if whole is not None and (mostly := main_change(whole)):
        yield f"The whole work: {mostly[0].lower()}{mostly[1:]}"
    if comparison.step is not None:
        yield f"A step: {from_to(comparison.step.a_ns, comparison.step.b_ns)}, {ratio(comparison.step)}."
    if (work := comparison.work) is not None:
        warm_up, apart = _warm_up(comparison), abs(work.log_change - comparison.log_change)
        is_shown = comparison.has_equal_work and comparison.verdict != UNCLEAR and (warm_up or apart > ALSO)
        if comparison.per == STEP and is_shown:
            yield f"Whole work: {from_to(work.a_ns, work.b_ns)}, {ratio(work)}{warm_up}."
        yield from _outside(work)
    yield from _outside(comparison)
    yield from _ranges_of_one_side(comparison)
    yield from _captured(comparison)
    yield from _host_code(comparison)


def _explained(comparison: Comparison) -> Iterator[str]:
    """Yield how much of the change kernels and copies explain, if a replay of A with their times comes near B."""
    one = comparison.replayed
    if one is None or one.a_ns == one.b_ns or are_apart(comparison.log_change, math.log(one.b_ns / one.a_ns)):
        return
    shares = sorted(max(0, round(100 * (one.a_ns - ns) / (one.a_ns - one.b_ns))) for ns in one.with_b_ns)
    explained, would_take = (
        " to ".join(dict.fromkeys(texts)) for texts in (map(str, shares), map(time, one.with_b_ns))
    )
    yield (
        f"Kernels and copies explain {explained}% of it: first to last GPU work takes {from_to(one.a_ns, one.b_ns)}; "
        f"A with the kernel and copy times of B would take {would_take}."
    )


def _warm_up(comparison: Comparison) -> str:
    """Write by how much the steps that are left out took longer, if that is worth mentioning."""
    a, b = comparison.warm_up_ns
    is_short = comparison.work is None or abs(b - a) < NOTICEABLE * float(comparison.work.a_ns)
    return "" if is_short else f"; of it warm-up, which is in no step, {from_to(a, b)}"


def _slow_gpu(comparison: Comparison) -> str | None:
    """Name the GPU whose own time changed, if that of the others did not, and whether they waited for it."""
    if comparison.a.gpu is not None or not comparison.is_beyond_noise:
        return None
    sides = comparison.a, comparison.b
    (a, b), (all_a, all_b) = ([side.per_gpu_ns(without=kind) for side in sides] for kind in ("communication", ""))
    changes = sorted(((b[gpu] - a[gpu], gpu) for gpu in a if gpu in b), key=lambda c: abs(c[0]))
    if len(changes) < 2:
        return None
    (most, gpu), other = changes[-1], changes[-2][0]
    if (most - other) / comparison.delta_ns < Fraction(1, 2) or abs(other) > abs(most) / 4:
        return None
    others = f"{signed(most)} outside of communication, the others by at most {time(abs(float(other)))}"
    they_wait = all((all_b[one] - all_a[one]) / most > Fraction(1, 2) for _, one in changes[:-1])
    return f"GPU {gpu} alone: {others}{': they wait for it' if they_wait else ''}."


def _outside(comparison: Comparison) -> Iterator[str]:
    """Yield the idle time outside of the steps, if its change is worth a line."""
    if comparison.outside_ns is None or (comparison.verdict == UNCLEAR and comparison.is_offset):
        return
    a, b = comparison.outside_ns
    if abs(b - a) > NOTICEABLE * float(max(comparison.a_ns, comparison.b_ns)):
        yield f"Outside of the steps: idle {from_to(a, b)}."


def _ranges_of_one_side(comparison: Comparison) -> Iterator[str]:
    """Yield the largest NVTX range that one side alone has, such as an evaluation, if it is worth a line."""
    series = [side.captures[0].series[:1] for side in (comparison.a, comparison.b)]
    ranges = [{total.name: total for unit in units for total in unit.ranges if total.count} for units in series]
    if not all(ranges):  # one side did not record them
        return
    alone = [
        (total.amount / length(unit) / unit.total_steps, name, side, unit)
        for (unit,), ours, theirs, side in zip(series, ranges, ranges[::-1], "AB", strict=True)
        for name, total in ours.items()
        if name.rpartition(SEPARATOR)[2] not in {path.rpartition(SEPARATOR)[2] for path in theirs}
    ]
    share, name, side, unit = max(alone, key=lambda one: one[:2], default=(0.0, "", "", None))
    if unit is not None and share > NOTICEABLE:
        total = ranges["AB".index(side)][name]
        times = f"{time(total.amount)}, {counted(total.count, 'time')} in {counted(unit.total_steps, 'step')}"
        yield f"NVTX range {name.rpartition(SEPARATOR)[2]} in {side} alone: {times}."


def _host_code(comparison: Comparison) -> Iterator[str]:
    """Yield families of host code whose CPU samples changed by more than chance, and enough to be worth a line."""
    of = comparison if comparison.per not in (WORK, WINDOW) or comparison.window is None else comparison.window
    sides = of.a.totals("samples"), of.b.totals("samples")
    if not all(sides):
        return
    changes = []
    for family in sorted({kind for side in sides for kind, _ in side}):
        (a, a_error), (b, b_error) = (_sampled(of, side, family) for of, side in zip((of.a, of.b), sides, strict=True))
        chance = SURE_SAMPLES * math.hypot(a_error, b_error)
        if abs(b - a) > max(chance, NOTICEABLE * float(max(of.a_ns, of.b_ns))):
            changes.append((abs(b - a), f"{family} {from_to(a, b)}"))
    if changes:
        listed = ", ".join(text for _, text in sorted(changes, reverse=True)[:FAMILIES])
        yield f"Host code by CPU samples{'' if of is comparison else ', from first to last CUDA call'}: {listed}."


def _sampled(side: Side, totals: dict[Key, tuple[Fraction, Fraction]], family: str) -> tuple[float, float]:
    """Return the time of a unit in a family by samples, and its standard error as a random sample."""
    own = [total for (kind, _), total in totals.items() if kind == family]
    ns, count = float(sum(ns for ns, _ in own)), float(sum(count for _, count in own))
    every = count * sum(unit.total_steps for unit in side.units)
    return ns, ns / math.sqrt(every) if every else 0.0


def _captured(comparison: Comparison) -> Iterator[str]:
    """Yield the captured duration, if it changed the other way, or alone."""
    window, work = comparison.window, comparison.work
    is_alone = comparison.verdict == NO_DIFFERENCE
    if len({CALLS in capture.facts.traces for side in (comparison.a, comparison.b) for capture in side.captures}) > 1:
        return  # one side lacks these calls
    if window is None or (window.log_change * comparison.log_change >= 0 and not is_alone):
        return
    has_other_work = work is not None and _is_trifle(window.delta_ns - work.delta_ns, window)
    if has_other_work and (comparison.has_equal_work or comparison.is_by_number):
        return  # the whole work, which was told, is what changed, or the number of steps
    if abs(window.log_change) > LONGER and not comparison.are_slices:
        longer = [account for account in window.accounts if account.delta_ns * window.delta_ns > 0]
        what = f"; {shown(longer[0], window)} {signed(longer[0].delta_ns)}" if longer else ""
        title = f"First to last CUDA call{'' if is_alone else ', which went the other way'}"
        yield f"{title}: {from_to(window.a_ns, window.b_ns)}{what}."


def _is_trifle(ns: Fraction, of: Comparison) -> bool:
    return abs(ns) < NOTICEABLE * float(max(of.a_ns, of.b_ns))
