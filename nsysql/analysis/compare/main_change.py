"""Name the main change of a comparison: the accounts, all kernels alike, or a few slow steps."""

import math
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

from nsysql.analysis.compare.compare import LARGE, NOTABLE, AccountChange, Comparison, proof_of, sums
from nsysql.analysis.compare.fairness import OF_KERNELS, WITNESSES, has_equal_threads, threads_ratio
from nsysql.analysis.compare.noise import REPEATS
from nsysql.analysis.compare.unit import length
from nsysql.analysis.compare.usual_steps import periods
from nsysql.analysis.digest import BUSY, KERNELS, WINDOW, WORK
from nsysql.words.quantities import counted, time

MAIN = 0.3  # share of the difference from which an account is named as its main part
OFFSET = 0.2  # share of the largest difference from which the largest opposite one is named
MOVED, NOTICEABLE = 0.7, 0.05  # ratio from which opposite differences cancel out; share of a unit that is worth naming
ALIKE = 1 / 3  # by how much of their common factor (logarithms) single kernels may take longer or shorter than all
UNEVEN, SCATTER = 0.02, 2  # by which slow steps must change otherwise than the median; at least these quartile ranges
ONLY = "kernels that one side alone launches"  # the kind of their sum
ODD = 4  # times the range of the other captures by which an outlier is away from them
FEW = 0.25  # share of the change of the mean below which the median step did not change: few steps did
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


def kernels_alike(comparison: Comparison) -> str | None:
    """Say by which factor kernels changed, if nearly all changed alike, as often as before.

    A change of the program would change some of them. They make up the difference, or change much while it is noise.
    """
    are_equal = threads_ratio(comparison.a, comparison.b) and has_equal_threads(comparison.a, comparison.b)
    if not are_equal or not comparison.is_comparable:
        return None
    kernels = [account for account in comparison.accounts if account.kind in KERNELS]
    a, b = map(float, sums(kernels))
    same = [one for one in kernels if one.a_ns and one.b_ns and one.a_count == one.b_count and one.b_name is None]
    if len(same) < WITNESSES or not a or not b:
        return None
    factor, delta = math.log(b / a), float(comparison.delta_ns)
    if 2 * (b - a) / delta < 1 if comparison.is_beyond_noise else abs(b - a) < NOTICEABLE * max(a, b):
        return None
    alike = sum(float(o.a_ns) for o in same if abs(math.log(o.b_ns / o.a_ns) - factor) <= ALIKE * abs(factor))
    if alike < OF_KERNELS * a or float(max(one.a_ns for one in same)) > OF_KERNELS * a:
        return None
    advice = "look at clocks, power, and other jobs on the GPU before the code"
    return f"Kernels take {math.exp(factor):.2f} times as long, nearly all alike: {advice}."


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
    if not comparison.is_beyond_noise and not few_steps(comparison):
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
    are_kernels = {largest.kind, opposite[0].kind} <= {*KERNELS, "graph", ONLY}
    if are_kernels and any(one.a_count != one.b_count for one in (largest, opposite[0])):
        whole = from_to(*sums(one for one in comparison.accounts if one.kind in (*KERNELS, "graph")))
        return f"Other kernels take about as long in all: {whole}."
    text = f"Cost moved: {_listed([largest], comparison)} against {_listed(opposite[:1], comparison)}"
    if abs(opposite[0].delta_ns) < least:
        text += f" and {counted(len(opposite) - 1, 'other')}, {signed(undone)} in all"
    return f"{text}{'; where they overlap, time counts for the first' if are_kernels else ''}."


def _with_kernels_of_one_side_joined(comparison: Comparison) -> list[AccountChange]:
    """Return the accounts that changed, the largest first; kernels and graphs without a counterpart as one.

    Other kernels in the place of others, as after a compiler, are one change: each alone says nothing.
    """
    changed = [account for account in comparison.accounts if account.delta_ns]
    only = [one for one in changed if one.kind in (*KERNELS, "graph") and one.matched_by.startswith("only")]
    if len(only) < 2:
        return changed
    sides = [(side, [one for one in only if one.matched_by == f"only in {side}"]) for side in "AB"]
    more = {side: f" and {len(some) - 1} more" if some[1:] else "" for side, some in sides}
    names = [f"{shown(some[0], comparison)}{more[side]} in {side}" for side, some in sides if some]
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
    median, slow = (from_to(*(end[i] for end in ends)) for i in (0, 1))
    return f"Steps changed unevenly: median {median}, 95th percentile {slow}."


def _percentiles(comparison: Comparison) -> list[Any] | None:
    """Return median, 95th percentile and quartiles of the steps of A and of B; None without steps."""
    if comparison.per in (WORK, WINDOW):
        return None
    sides = ([value for unit in side.units for value in periods(unit)] for side in (comparison.a, comparison.b))
    ends = [np.percentile(values, (50, 95, 25, 75)) for values in sides]
    return ends if all(end[0] > 0 for end in ends) else None


def few_steps(comparison: Comparison) -> tuple[str, str] | None:
    """Return which steps changed, and the median step of B and A, if few did and the mean changed much or surely.

    They are those of the side that takes longer that are longer than its mean.
    """
    if not comparison.is_beyond_noise and abs(comparison.log_change) < LARGE:
        return None
    ends, change = _percentiles(comparison), abs(comparison.log_change)
    if ends is None or not change or abs(math.log(ends[1][0] / ends[0][0])) > FEW * change:
        return None
    side, mean = max((comparison.a, comparison.a_ns), (comparison.b, comparison.b_ns), key=lambda one: one[1])
    of_units = [[(ns > mean, steps) for ns, steps in zip(periods(u), u.steps, strict=True)] for u in side.units]
    is_long = [step for unit in of_units for step in unit]
    if len({long for long, _ in is_long}) > 1 and all(len({long for long, _ in unit}) == 1 for unit in of_units):
        return None  # all steps of some captures
    count = sum(steps for long, steps in is_long if long)
    are_first = is_long == sorted(is_long, key=lambda one: not one[0])
    which = f"{'the first ' if are_first else ''}{count} of {side.steps} steps"
    return which, f"the median takes {time(float(ends[1][0]))}, was {time(float(ends[0][0]))}"


def odd_captures(comparison: Comparison) -> Iterator[str]:
    """Yield captures of a side that take far longer or shorter than all others, which agree."""
    for side, name in ((comparison.a, "A"), (comparison.b, "B")):
        lengths = [length(unit) for unit in side.units]
        for place, ns in enumerate(lengths if len(lengths) >= REPEATS else ()):
            others = sorted((*lengths[:place], *lengths[place + 1 :]))
            if abs(ns - others[-1 if ns > others[0] else 0]) > max(ODD * (others[-1] - others[0]), LARGE * others[0]):
                yield f"Capture {place + 1} of {name} is an outlier: {time(ns)}, the others up to {time(others[-1])}."


def from_to(a: Fraction | float, b: Fraction | float) -> str:
    return f"{time(float(a))} -> {time(float(b))}"
