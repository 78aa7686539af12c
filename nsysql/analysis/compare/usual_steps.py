"""Reduce marked steps to the usual ones: evaluations and checkpoints are rarer, and launch another amount of work."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from nsysql.analysis.compare.side import Floats
from nsysql.analysis.digest import BUSY, KERNELS, Account, GpuTime, Total, Unit
from nsysql.words.quantities import time

SAME = 0.10  # by which launches and bytes of one unit may differ
MOST = 0.5  # share of the steps beyond which they are the usual ones
KINDS = {"memcpy": ("copy",), "memset": ("memset",), "graph": ("graph",)}  # of accounts, by kind of launches


def usual(unit: Unit) -> Unit | None:
    """Reduce a unit to steps with about as much GPU work as the median; None if samples are several steps or they vary.

    Launches are divided as the activities are; calls, ranges and CPU samples are not known by step.
    """
    counts = _work(unit)
    is_usual = np.abs(counts - np.median(counts)) <= SAME * np.median(counts)
    if max(unit.steps) > 1 or not np.median(counts) or is_usual.mean() <= MOST:
        return None
    accounts = [a for gpu in unit.gpus for a in gpu.accounts]

    def is_of(account: Account, total: Total) -> bool:
        return account.kind in KINDS.get(total.kind, ()) or (account.kind in KERNELS and account.name == total.name)

    def part(total: Total) -> Total:
        own = [account.counts for account in accounts if is_of(account, total)]
        each = np.sum(own, axis=0) if own else np.ones(len(counts))
        share = float(each[is_usual].sum() / max(1, each.sum()))
        return replace(total, amount=round(total.amount * share), count=round(total.count * share))

    return replace(
        only(unit, np.flatnonzero(is_usual).tolist()), launches=tuple(map(part, unit.launches)), calls=(), ranges=(),
        samples=(), warm_up=int(is_usual[: unit.warm_up].sum()),
        span_steps=round(unit.total_steps * float(is_usual.mean())),
    )  # fmt: skip


def only(unit: Unit, samples: list[int]) -> Unit:
    """Return the unit with these samples; totals stay."""

    def kept(gpu: GpuTime) -> GpuTime:
        cut = [(a, tuple(a.ns[i] for i in samples), tuple(a.counts[i] for i in samples)) for a in gpu.accounts]
        accounts = tuple(replace(account, ns=ns, counts=counts) for account, ns, counts in cut)
        return replace(gpu, accounts=tuple(a for a in accounts if any(a.ns) or any(a.counts)) or accounts)

    gpus = tuple(map(kept, unit.gpus))
    return replace(unit, steps=tuple(unit.steps[i] for i in samples), gpus=gpus, span_steps=unit.total_steps)


def periods(unit: Unit) -> list[float]:
    """Return the length of a step in each sample, mean over the GPUs."""
    sums = [sum(ns) for ns in zip(*(a.ns for gpu in unit.gpus for a in gpu.accounts), strict=True)]
    return [total / steps / len(unit.gpus) for total, steps in zip(sums, unit.steps, strict=True)]


def left_out(side: str, units: Sequence[Unit], kept: Sequence[Unit]) -> str | None:
    """Say how many steps of a side are not usual, how much they launch, and how long they take."""
    steps = [sum(len(unit.steps) for unit in some) for some in (units, kept)]
    if not (count := steps[0] - steps[1]):
        return None
    works, times = ([sum(float(sum(of(unit))) for unit in some) for some in (units, kept)] for of in (_work, periods))
    others = [(of[0] - of[1]) / count for of in (works, times)]
    return (
        f"Left out: {count} of {steps[0]} steps of {side}, such as evaluations: {others[0]:,.4g} GPU "
        f"operations instead of {works[1] / steps[1]:,.4g}, {time(others[1])}."
    )


def _work(unit: Unit) -> Floats:
    """Return the GPU operations in each sample, without those that others hide."""
    counts = [a.counts for gpu in unit.gpus for a in gpu.accounts if a.kind in BUSY]
    return np.asarray(np.sum(counts, axis=0, dtype=np.float64))
