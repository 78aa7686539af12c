"""NVTX ranges of which only one side has the ranges within: their time is compared inclusive."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from itertools import groupby
from operator import add

from nsysql.analysis.compare.job import added
from nsysql.analysis.compare.unit import SEPARATOR
from nsysql.analysis.digest import Account, GpuTime, Key, Total, Unit


def inclusive(a: Sequence[Unit], b: Sequence[Unit]) -> tuple[tuple[Unit, ...], tuple[Unit, ...], list[str]]:
    """The units with ranges within such ranges added to them, and a sentence that names these."""
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
    """The paths of the ranges around a range."""
    parts = path.split(SEPARATOR)
    return [SEPARATOR.join(parts[:i]) for i in range(1, len(parts))]


def _folded(unit: Unit, outer: Iterable[str]) -> Unit:
    """The unit with the time of ranges within these added to them; the number of ranges stays their own."""

    def target(name: str) -> str:
        return next((above for above in _above(name) if above in outer), name)

    gpus = tuple(GpuTime(gpu.gpu_id, _accounts(gpu.accounts, target)) for gpu in unit.gpus)
    ranges = added(
        (Total(t.kind, target(t.name), t.amount, t.count if target(t.name) == t.name else 0),) for t in unit.ranges
    )
    sequence = unit.sequence  # of paths where there is no GPU work
    if unit.gpus[0].gpu_id is None:
        sequence = tuple(name for name, _ in groupby(map(target, sequence)))
    return replace(unit, gpus=gpus, ranges=ranges, sequence=sequence)


def _accounts(accounts: Iterable[Account], target: Callable[[str], str]) -> tuple[Account, ...]:
    sums: dict[Key, Account] = {}
    for one in accounts:
        name = target(one.name) if one.kind == "cpu" else one.name
        if name != one.name:
            title = name.rpartition(SEPARATOR)[2]
            one = replace(one, name=name, counts=(0,) * len(one.counts), title=title if title != name else None)
        if (before := sums.get(one.key)) is not None:
            ns, counts = tuple(map(add, before.ns, one.ns)), tuple(map(add, before.counts, one.counts))
            one = replace(one, ns=ns, counts=counts)
        sums[one.key] = one
    return tuple(sums.values())
