"""The ranks of one job as one capture: the GPUs of all, or their marking threads."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import count
from typing import Any

from nsysql.analysis.digest import Digest, GpuTime, Total, Unit

TOTALS = ("calls", "launches", "ranges", "samples")  # of a unit


def together(ranks: Sequence[Digest]) -> Digest:
    """The captures of a job's ranks as one: GPUs are numbered anew, in the order of the ranks.

    Only units that all ranks have with equal steps are kept; totals are those of all ranks.
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
    """The unit of all ranks together; None if one does not have it with the same steps."""
    own = [next((one for one in rank.units if _key(one) == _key(unit)), None) for rank in ranks]
    units = [one for one in own if one is not None]
    if len(units) < len(ranks):
        return None
    gpus = tuple(GpuTime(i, gpu.accounts) for i, gpu in enumerate(gpu for one in units for gpu in one.gpus))
    outside = [one.outside_ns for one in units if one.outside_ns is not None]
    totals: dict[str, Any] = {name: added(getattr(one, name) for one in units) for name in TOTALS}
    return replace(
        unit,
        gpus=gpus,
        **totals,
        warm_up=max(one.warm_up for one in units),
        window_share=min(one.window_share for one in units),
        outside_ns=round(sum(outside) / len(outside)) if outside else None,
    )


def _key(unit: Unit) -> tuple[object, ...]:
    return unit.kind, unit.found_by, unit.name, unit.steps, unit.span_steps


def added(parts: Iterable[tuple[Total, ...]]) -> tuple[Total, ...]:
    """The totals of several processes together, the largest first."""
    totals: dict[tuple[str, str], Total] = {}
    for total in (total for part in parts for total in part):
        before = totals.get((total.kind, total.name), Total(total.kind, total.name, 0, 0))
        totals[total.kind, total.name] = replace(
            before, amount=before.amount + total.amount, count=before.count + total.count
        )
    return tuple(sorted(totals.values(), key=lambda total: (-total.amount, -total.count, total.kind, total.name)))
