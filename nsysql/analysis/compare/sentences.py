"""Write the verdict: both times and the ratio, its certainty, which accounts changed, the comparison's limits."""

import math
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from typing import Any

from nsysql.analysis.compare.compare import (
    CANNOT_JUDGE,
    LARGE,
    NO_DIFFERENCE,
    NOTABLE,
    UNCLEAR,
    AccountChange,
    Comparison,
    proof_of,
    sums,
)
from nsysql.analysis.compare.fairness import OF_KERNELS, WITNESSES, has_equal_threads, threads_ratio
from nsysql.analysis.compare.noise import FEWEST_STEPS, LEAST_WORK_NS, REPEATS
from nsysql.analysis.compare.side import BUSY, KERNELS, Side
from nsysql.analysis.compare.unit import SEPARATOR, length
from nsysql.analysis.digest import STEP, WINDOW, WORK, Key
from nsysql.words.quantities import counted, tenths, time

MAIN = 0.3  # share of the difference from which an account is named as its main part
OFFSET = 0.2  # share of the largest difference from which the largest opposite one is named
MOVED, NOTICEABLE = 0.7, 0.05  # ratio from which opposite differences cancel out; share of a unit that is worth naming
SURE_SAMPLES, FAMILIES = 3.0, 3  # standard errors by which samples must differ; families that are named
LONGER = 0.2  # by which the captured duration must change otherwise to be mentioned (logarithm)
ALSO = 0.01  # by which the whole work must change otherwise than a step to be mentioned (logarithm)
FACTOR = 2.0  # from which times are compared by factors
ALIKE = 1 / 3  # by how much of their common factor (logarithms) single kernels may take longer or shorter than all
UNEVEN, SCATTER = 0.02, 2  # by which slow steps must change otherwise than the median; at least these quartile ranges
ONLY = "kernels that one side alone launches"  # the kind of their sum
USUAL = 0.1  # by which the median step may change and still count as unchanged
WORDS = {  # kinds of accounts in a sentence
    "computing": "kernels",
    "graph": "CUDA graphs",
    "communication": "exposed communication",
    "copy": "exposed copies",
    "memset": "memory sets",
    "idle": "idle time",
    "lead_in": "time before the first GPU work",
    "tail": "time after the last GPU work",
    "cpu": "CPU time",
}
UNITS = {STEP: "a step", WORK: "the whole work", WINDOW: "the whole run"}


def unit(comparison: Comparison) -> str:
    """Name the unit in a sentence."""
    return UNITS.get(comparison.per, comparison.per)


def sentence(comparison: Comparison) -> str:
    """Write the verdict as a sentence, with both times and the ratio."""
    now, was = time(float(comparison.b_ns)), time(float(comparison.a_ns))
    if all(account.delta_ns == 0 for account in comparison.accounts):
        return f"NO DIFFERENCE SHOWN: {unit(comparison)} takes {was} in A and in B, in every account."
    verdict = comparison.verdict
    head = {NO_DIFFERENCE: "NO DIFFERENCE SHOWN", UNCLEAR: "UNCLEAR", CANNOT_JUDGE: "CANNOT JUDGE"}
    why = _why(comparison, verdict)
    if verdict == NO_DIFFERENCE and (median := _usual_step(comparison)):
        few = f"{now}, was {was}: {ratio(comparison)}{_interval(comparison)}"
        return f"NO DIFFERENCE SHOWN in most steps: the median takes {median}. Few long ones make the mean {few}."
    measured = f"{unit(comparison)} takes {now}, was {was}: {ratio(comparison)}"
    interval = "" if verdict in (UNCLEAR, CANNOT_JUDGE) else _interval(comparison)
    return f"{head.get(verdict, verdict.upper())}: {measured}{interval}{f'; {why}' if why else ''}."


def ratio(comparison: Comparison) -> str:
    """Write the change in percent with the ratio up to a factor of 2, beyond it as a factor."""
    if not comparison.a_ns or not comparison.b_ns:
        return "one side has none"
    times = float(comparison.b_ns / comparison.a_ns)
    if times > FACTOR:
        return f"{times:.3g} times as long"
    if times < 1 / FACTOR:
        return f"{tenths(100 * (1 - times))}% less time, 1/{1 / times:.3g} of A's"
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


def _why(comparison: Comparison, verdict: str) -> str:
    """Say why there is no verdict."""
    if verdict == UNCLEAR and comparison.is_offset and comparison.outside_ns is not None:
        return f"but idle time outside of the steps changed the other way: {_times(*comparison.outside_ns)}"
    if verdict == UNCLEAR and comparison.is_profilers:
        rest = comparison.a_ns, comparison.b_ns - comparison.of_profiler_ns
        return f"but most of the difference is the profiler's overhead, without which it would be {_times(*rest)}"
    if verdict == UNCLEAR and comparison.work is not None:
        whole = comparison.work
        times = f"{time(float(whole.a_ns))}, then {time(float(whole.b_ns))}, {ratio(whole)}"
        if counts := other_number(comparison):
            steps = f"{counts[0]:,} in A and {counts[1]:,} in B"
            return f"but the whole work changed with the number of steps, {steps}: {times}"
        return f"but the whole work changed otherwise: {times}"
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


def other_number(comparison: Comparison) -> tuple[int, int] | None:
    """Return the numbers of steps of A and B, one capture each, if they explain how the whole work changed."""
    a, b = (sum(side.units[0].steps) for side in (comparison.a, comparison.b))
    are_single = len(comparison.a.units) == len(comparison.b.units) == 1
    if comparison.per != STEP or comparison.work is None or a == b or not are_single:
        return None
    changed = math.log(b / a)
    return (a, b) if abs(comparison.whole_change - comparison.log_change - changed) < OFFSET * abs(changed) else None


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
    if (one := comparison.replayed) is not None and one.a_ns != one.b_ns:
        shares = sorted(max(0, round(100 * (one.a_ns - ns) / (one.a_ns - one.b_ns))) for ns in one.with_b_ns)
        explained, would_take = (
            " to ".join(dict.fromkeys(texts)) for texts in (map(str, shares), map(time, one.with_b_ns))
        )
        yield (
            f"Kernels and copies explain {explained}% of it: first to last GPU work takes "
            f"{_times(one.a_ns, one.b_ns)}; A with the kernel and copy times of B would take {would_take}."
        )
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
        yield f"A step: {_times(comparison.step.a_ns, comparison.step.b_ns)}, {ratio(comparison.step)}."
    if (work := comparison.work) is not None:
        warm_up, apart = _warm_up(comparison), abs(work.log_change - comparison.log_change)
        is_shown = comparison.has_equal_work and comparison.verdict != UNCLEAR and (warm_up or apart > ALSO)
        if comparison.per == STEP and is_shown:
            yield f"Whole work: {_times(work.a_ns, work.b_ns)}, {ratio(work)}{warm_up}."
        yield from _outside(work)
    yield from _outside(comparison)
    yield from _ranges_of_one_side(comparison)
    yield from _captured(comparison)
    yield from _host_code(comparison)


def _warm_up(comparison: Comparison) -> str:
    """Write by how much the steps that are left out took longer, if that is worth mentioning."""
    a, b = comparison.warm_up_ns
    is_short = comparison.work is None or abs(b - a) < NOTICEABLE * float(comparison.work.a_ns)
    return "" if is_short else f"; of it warm-up, which a step lacks, {_times(a, b)}"


def _slow_gpu(comparison: Comparison) -> str | None:
    """Name the GPU whose own time changed, if the others changed by waiting for it in communication."""
    a, b = (side.per_gpu_ns(without="communication") for side in (comparison.a, comparison.b))
    changes = sorted(((b[gpu] - a[gpu], gpu) for gpu in a if gpu in b), key=lambda c: abs(c[0]))
    if len(changes) < 2 or not comparison.is_beyond_noise or comparison.a.gpu is not None:
        return None
    (most, gpu), other = changes[-1], changes[-2][0]
    if (most - other) / comparison.delta_ns < Fraction(1, 2) or abs(other) > abs(most) / 4:
        return None
    others = f"the others by at most {time(abs(float(other)))}: they wait for it"
    return f"GPU {gpu} alone: {signed(most)} outside of communication, {others}."


def _outside(comparison: Comparison) -> Iterator[str]:
    """Yield the idle time outside of the steps, if its change is worth a line."""
    if comparison.outside_ns is None or (comparison.verdict == UNCLEAR and comparison.is_offset):
        return
    a, b = comparison.outside_ns
    if abs(b - a) > NOTICEABLE * float(max(comparison.a_ns, comparison.b_ns)):
        yield f"Outside of the steps: idle {_times(a, b)}."


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
        if name not in theirs
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
            changes.append((abs(b - a), f"{family} {_times(a, b)}"))
    if changes:
        listed = ", ".join(text for _, text in sorted(changes, reverse=True)[:FAMILIES])
        yield f"Host code by CPU samples{'' if of is comparison else ', in the whole run'}: {listed}."


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
    if window is None or (window.log_change * comparison.log_change >= 0 and not is_alone):
        return
    has_other_work = work is not None and _is_trifle(window.delta_ns - work.delta_ns, window)
    if has_other_work and (comparison.has_equal_work or other_number(comparison)):
        return  # the whole work, which was told, is what changed, or the number of steps
    if abs(window.log_change) > LONGER and not comparison.are_slices:
        longer = [account for account in window.accounts if account.delta_ns * window.delta_ns > 0]
        what = f"; {shown(longer[0], window)} {signed(longer[0].delta_ns)}" if longer else ""
        yield f"The whole run{'' if is_alone else ' went the other way'}: {_times(window.a_ns, window.b_ns)}{what}."


def _is_trifle(ns: Fraction, of: Comparison) -> bool:
    return abs(ns) < NOTICEABLE * float(max(of.a_ns, of.b_ns))


def _times(a: Fraction | float, b: Fraction | float) -> str:
    return f"{time(float(a))} -> {time(float(b))}"


def kernels_alike(comparison: Comparison) -> str | None:
    """Say by which factor kernels changed, if nearly all changed alike, as often as before, and make up the difference.

    A change of the program would change some of them.
    """
    are_equal = threads_ratio(comparison.a, comparison.b) and has_equal_threads(comparison.a, comparison.b)
    if not are_equal or not comparison.is_comparable or not comparison.is_beyond_noise:
        return None
    kernels = [account for account in comparison.accounts if account.kind in KERNELS]
    a, b = map(float, sums(kernels))
    same = [one for one in kernels if one.a_ns and one.b_ns and one.a_count == one.b_count]
    if len(same) < WITNESSES or 2 * (b - a) / float(comparison.delta_ns) < 1 or not a or not b:
        return None
    factor = math.log(b / a)
    alike = sum(float(o.a_ns) for o in same if abs(math.log(o.b_ns / o.a_ns) - factor) <= ALIKE * abs(factor))
    if alike < OF_KERNELS * a or float(max(one.a_ns for one in same)) > OF_KERNELS * a:
        return None
    return (
        f"Kernels take {math.exp(factor):.2f} times as long, nearly all alike: look at clocks, power, and other jobs "
        "on the GPU before the code."
    )


def main_change(comparison: Comparison) -> str | None:
    """Say which account makes up most of the difference, or the largest part of it, and the largest opposite one."""
    delta = comparison.delta_ns
    changed = _with_kernels_of_one_side_joined(comparison)
    if not changed or not comparison.a_ns or comparison.other_work:  # its main part is no cause
        return None
    largest = changed[0]
    opposite = [a for a in changed if a.delta_ns * largest.delta_ns < 0]
    if moved := _moved(largest, opposite, comparison):
        return moved
    if not delta or not comparison.is_comparable:
        return None
    if not comparison.is_beyond_noise and not _usual_step(comparison):
        text = f"Beyond noise by itself: {_named(largest, comparison)} {signed(largest.delta_ns)}."
        return text if largest.is_certain else None
    main = [one for one in changed if one.delta_ns / largest.delta_ns >= MOVED]
    part = sums(main)[1] - sums(main)[0]
    if part / delta < MAIN:
        return None
    word = "Mostly" if 2 * part / delta >= 1 else "Above all"
    text = f"{word} {_listed(main, comparison)} of {signed(delta)}{_calls(main, part)}"
    is_named = opposite and (
        abs(opposite[0].delta_ns) >= abs(largest.delta_ns) * Fraction(OFFSET)
        or (opposite[0].is_certain and abs(opposite[0].delta_ns) >= max(comparison.a_ns, comparison.b_ns) * NOTICEABLE)
    )
    return f"{text}, against {_listed(opposite[:1], comparison)}." if is_named else f"{text}."


def _moved(largest: AccountChange, opposite: list[AccountChange], comparison: Comparison) -> str | None:
    """Name the largest change if others undo it: the largest opposite one, or all, if none is about as large."""
    least = abs(largest.delta_ns) * Fraction(MOVED)
    undone = sums(opposite)[1] - sums(opposite)[0]
    is_large = abs(largest.delta_ns) >= float(comparison.a_ns) * NOTICEABLE
    if abs(undone) < least or 2 * abs(comparison.delta_ns) > abs(largest.delta_ns) or not is_large:
        return None
    text = f"Cost moved: {_listed([largest], comparison)} against {_listed(opposite[:1], comparison)}"
    if abs(opposite[0].delta_ns) < least:
        text += f" and {counted(len(opposite) - 1, 'other')}, {signed(undone)} in all"
    overlap = {largest.kind, opposite[0].kind} <= {*KERNELS}
    return f"{text}{'; where they overlap, time counts for the first' if overlap else ''}."


def _with_kernels_of_one_side_joined(comparison: Comparison) -> list[AccountChange]:
    """Return the accounts that changed, the largest first; kernels and graphs without a counterpart as one.

    Other kernels in the place of others, as after a compiler, are one change: each alone says nothing.
    """
    changed = [account for account in comparison.accounts if account.delta_ns]
    only = [one for one in changed if one.kind in (*KERNELS, "graph") and one.matched_by.startswith("only")]
    if len(only) < 2:
        return changed
    sides = [(side, [one for one in only if one.matched_by == f"only in {side}"]) for side in "AB"]
    names = [
        f"{shown(some[0], comparison)}{f' and {len(some) - 1} more' if some[1:] else ''} in {side}"
        for side, some in sides
        if some
    ]
    a, b = sums(only)
    proof = proof_of(comparison, only)
    least = max(proof.smallest_ns, NOTABLE * float(max(comparison.a_ns, comparison.b_ns)))
    joined = replace(
        only[0], kind=ONLY, name=ONLY, title=f"{', '.join(names)},", a_ns=a, b_ns=b, evidence=proof,
        is_certain=abs(float(b - a)) > least,
    )  # fmt: skip
    rest = [one for one in changed if one not in only]
    return sorted((*rest, joined) if a != b else rest, key=lambda one: (-abs(one.delta_ns), one.kind, one.name))


def _listed(main: list[AccountChange], comparison: Comparison) -> str:
    """Name at most two accounts that changed by about as much."""
    text = f"{_named(main[0], comparison)} {signed(main[0].delta_ns)}"
    if len(main) == 2:
        return f"{text} and {_named(main[1], comparison)} {signed(main[1].delta_ns)}"
    return f"{text} and {len(main) - 1} others by about as much," if main[1:] else text


def _calls(main: list[AccountChange], part: Fraction) -> str:
    """Say that a difference is one of the number of calls, if their length explains next to nothing of it."""
    are_on_both = all(one.kind in BUSY and one.a_count and one.b_count for one in main)
    if not are_on_both or sum((one.count_effect_ns for one in main), Fraction(0)) / part < OF_KERNELS:
        return ""
    return ": more calls, not longer ones" if part > 0 else ": fewer calls, not shorter ones"


def _named(account: AccountChange, comparison: Comparison) -> str:
    theirs = account.b_name and comparison.kernel_names.get(account.b_name, account.b_name)
    other = f" (in B {theirs})" if theirs and theirs != shown(account, comparison) else ""
    return f"{WORDS.get(account.kind, account.kind)}: {shown(account, comparison)}{other}"


def shown(account: AccountChange, comparison: Comparison) -> str:
    """Return an account's name as sentences show it."""
    return comparison.kernel_names[account.name] if account.kind in KERNELS else account.title


def signed(ns: Fraction | int) -> str:
    """Write a difference with its sign."""
    return ("+" if ns > 0 else "") + time(float(ns))


def spread(comparison: Comparison) -> str | None:
    """Write median and slowest steps, if they changed differently."""
    if (ends := _percentiles(comparison)) is None:
        return None
    median_change, slow_change = (ends[1][i] / ends[0][i] - 1 for i in (0, 1))
    usual = min((end[3] - end[2]) / end[0] for end in ends)
    if abs(median_change - slow_change) < max(UNEVEN, SCATTER * usual):
        return None
    median, slow = (_times(*(end[i] for end in ends)) for i in (0, 1))
    return f"Steps changed unevenly: median {median}, 95th percentile {slow}."


def _percentiles(comparison: Comparison) -> list[Any] | None:
    """Return median, 95th percentile and quartiles of the steps of A and of B; None without steps."""
    import numpy as np

    from nsysql.analysis.compare.unit import periods

    if comparison.per in (WORK, WINDOW):
        return None
    sides = ([value for unit in side.units for value in periods(unit)] for side in (comparison.a, comparison.b))
    ends = [np.percentile(values, (50, 95, 25, 75)) for values in sides]
    return ends if all(end[0] > 0 for end in ends) else None


def _usual_step(comparison: Comparison) -> str | None:
    """Return the median step of B and A if it did not change while few steps changed the mean much."""
    if abs(comparison.log_change) < LARGE:
        return None
    if (ends := _percentiles(comparison)) is None or abs(ends[1][0] / ends[0][0] - 1) > USUAL:
        return None
    return f"{time(float(ends[1][0]))}, was {time(float(ends[0][0]))}"
