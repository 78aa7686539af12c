"""Join several ranks to one capture, and NVTX ranges with those inside them.

The ranks of a job have the GPUs of all, or their marking threads. If only one side has ranges inside a range, the range
is compared including their time.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import chain, count, groupby
from operator import add, attrgetter
from typing import Any

from nsysql.analysis.compare.unit import SEPARATOR
from nsysql.analysis.compare.usual_steps import only
from nsysql.analysis.digest import Account, Digest, GpuTime, Key, Total, Unit

WAITS = (
    "host_code", "os_wait_lock", "os_wait_io", "os_sleep", "os_other", "preempted", "blocked", "waiting_for_thread",
)  # causes of idle time that these trace options tell apart  # fmt: skip
CALLS = "CUDA calls"  # without them no cause is known
TELLING = {"OS runtime calls", "context switches of threads", CALLS}
JOINED, ALL_JOINED = "Host code or waiting", "Any cause"  # titles
TOTALS = ("calls", "launches", "ranges", "samples")  # of a unit


def together(ranks: Sequence[Digest]) -> Digest:
    """Join the captures of a job's ranks to one, with GPUs renumbered in the order of the ranks.

    Only units that all ranks have are kept, with as many steps as the rank with fewest; totals are those of all ranks.
    """
    first = ranks[0]
    if len(ranks) == 1:
        return first
    units = [joined for unit in first.units if (joined := _joined(unit, ranks)) is not None]
    ids = count()
    devices = tuple(replace(device, gpu_id=next(ids)) for rank in ranks for device in rank.facts.devices)
    traces = sorted({trace for rank in ranks for trace in rank.facts.traces})
    durations = [rank.facts.duration_ns for rank in ranks if rank.facts.duration_ns is not None]
    processes = sum(rank.facts.processes for rank in ranks)
    facts = replace(first.facts, devices=devices, processes=processes, traces=tuple(traces))
    return Digest(
        replace(facts, duration_ns=max(durations, default=None)),
        tuple(units),
        next((rank.lacking for rank in ranks if rank.lacking), None),
        tuple(shape for rank in ranks for shape in rank.shapes),
        tuple(dict.fromkeys(finding for rank in ranks for finding in rank.findings)),
    )


def _joined(unit: Unit, ranks: Sequence[Digest]) -> Unit | None:
    """Join the unit of all ranks, with the steps that all have; None if one lacks it with samples of as many steps."""
    key = attrgetter("kind", "found_by", "name")
    own = [next((one for one in rank.units if key(one) == key(unit)), None) for rank in ranks]
    units = [one for one in own if one is not None]
    if len(units) < len(ranks):
        return None
    count = min(len(one.steps) for one in units)
    kept = [only(one, list(range(count))) if len(one.steps) > count else one for one in units]
    if len({one.steps for one in kept}) > 1:
        return None
    gpus = tuple(GpuTime(i, gpu.accounts) for i, gpu in enumerate(gpu for one in kept for gpu in one.gpus))
    outside = [one.outside_ns for one in units if one.outside_ns is not None]
    shares = [(one, Fraction(kept[0].total_steps, one.total_steps)) for one in units]
    totals: dict[str, Any] = {n: added(_scaled(getattr(one, n), share) for one, share in shares) for n in TOTALS}
    outside_ns = round(sum(outside) / len(outside)) if outside else None
    warm_up, work_share = max(one.warm_up for one in units), min(one.work_share for one in units)
    return replace(kept[0], gpus=gpus, **totals, warm_up=warm_up, work_share=work_share, outside_ns=outside_ns)


def _scaled(totals: Iterable[Total], share: Fraction) -> tuple[Total, ...]:
    return tuple(replace(one, amount=round(one.amount * share), count=round(one.count * share)) for one in totals)


def added(parts: Iterable[tuple[Total, ...]]) -> tuple[Total, ...]:
    """Add up the totals of several processes, the largest first."""
    sums: Counter[Key] = Counter()
    counts: Counter[Key] = Counter()
    for total in chain.from_iterable(parts):
        sums[total.kind, total.name] += total.amount
        counts[total.kind, total.name] += total.count
    totals = (Total(*key, amount, counts[key]) for key, amount in sums.items())
    return tuple(sorted(totals, key=lambda total: (-total.amount, -total.count, total.kind, total.name)))


def with_equal_causes(a: Sequence[Digest], b: Sequence[Digest], units: Sequence[Unit]) -> tuple[Unit, ...]:
    """Join the causes of idle time that are told apart on one side only, by trace options that the other lacks."""
    traces = [TELLING.intersection(capture.facts.traces) for capture in (*a, *b)]
    if all(one == traces[0] for one in traces):
        return tuple(units)
    are_all = 0 < sum(CALLS in one for one in traces) < len(traces)
    return tuple(replace(unit, gpus=tuple(_with_waits_joined(gpu, are_all) for gpu in unit.gpus)) for unit in units)


def _with_waits_joined(gpu: GpuTime, are_all: bool) -> GpuTime:
    waits = [one for one in gpu.accounts if one.kind == "idle" and (are_all or one.name in WAITS)]
    title = ALL_JOINED if are_all else JOINED
    joined = _merged(replace(one, name=WAITS[0], title=title) for one in waits)
    return GpuTime(gpu.gpu_id, (*(one for one in gpu.accounts if one not in waits), *joined))


def _merged(accounts: Iterable[Account]) -> tuple[Account, ...]:
    """Add up accounts of the same kind and name; the title is that of the last."""
    sums: dict[Key, Account] = {}
    for one in accounts:
        if (before := sums.get(one.key)) is not None:
            one = replace(one, ns=tuple(map(add, before.ns, one.ns)), counts=tuple(map(add, before.counts, one.counts)))
        sums[one.key] = one
    return tuple(sums.values())


def inclusive(a: Sequence[Unit], b: Sequence[Unit]) -> tuple[tuple[Unit, ...], tuple[Unit, ...], list[str]]:
    """Add ranges inside a range to it if only one side has them; return the units and a note on these ranges."""
    names = [{name for unit in side for name in _paths(unit)} for side in (a, b)]
    outer: dict[str, str] = {}
    for having, lacking, side in ((names[0], names[1], "A"), (names[1], names[0], "B")):
        parents = {name for path in having for name in _above(path)}
        ends = lacking - {name for path in lacking for name in _above(path)}
        outer |= dict.fromkeys(parents & ends, side)
    outer = {name: side for name, side in outer.items() if not any(above in outer for above in _above(name))}
    if not outer:
        return tuple(a), tuple(b), []
    sides = sorted(set(outer.values()))
    last = {s: sorted(name.rpartition(SEPARATOR)[2] for name, of in outer.items() if of == s) for s in sides}
    notes = [f"With the ranges within, which only {s} has: {', '.join(names)}." for s, names in last.items()]
    return tuple(_folded(unit, outer) for unit in a), tuple(_folded(unit, outer) for unit in b), notes


def _paths(unit: Unit) -> Iterable[str]:
    yield from (account.name for gpu in unit.gpus for account in gpu.accounts if account.kind == "cpu")
    yield from (total.name for total in unit.ranges)


def _above(path: str) -> list[str]:
    """Return the paths of the ranges around a range."""
    parts = path.split(SEPARATOR)
    return [SEPARATOR.join(parts[:i]) for i in range(1, len(parts))]


def _folded(unit: Unit, outer: Iterable[str]) -> Unit:
    """Add the time of ranges inside these to them; the count stays that of the outer ranges."""

    def target(name: str) -> str:
        return next((above for above in _above(name) if above in outer), name)

    def within(account: Account) -> Account:
        if account.kind != "cpu" or (name := target(account.name)) == account.name:
            return account
        title = name.rpartition(SEPARATOR)[2]
        return replace(account, name=name, counts=(0,) * len(account.counts), title=title if title != name else None)

    gpus = tuple(GpuTime(gpu.gpu_id, _merged(map(within, gpu.accounts))) for gpu in unit.gpus)
    ranges = added(
        (Total(t.kind, target(t.name), t.amount, t.count if target(t.name) == t.name else 0),) for t in unit.ranges
    )
    sequence = unit.sequence  # of paths, if there is no GPU work
    if unit.gpus[0].gpu_id is None:
        sequence = tuple(name for name, _ in groupby(map(target, sequence)))
    return replace(unit, gpus=gpus, ranges=ranges, sequence=sequence)
