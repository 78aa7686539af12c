"""Find differences between two sides other than the program: those that make a comparison unfair, and others."""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from operator import attrgetter

from nsysql.analysis.compare.noise import FEWEST_STEPS
from nsysql.analysis.compare.side import Side
from nsysql.analysis.compare.unit import EQUAL, difference, launched
from nsysql.analysis.digest import BUSY, WINDOW, WORK, Device, Digest, Facts, Shape, Unit
from nsysql.words.quantities import counted

ON_CPU = 0.10  # share of time without GPU work from which tracing calls lengthens the whole
OTHER_WORK = 10  # factor in launched threads beyond which A and B do other work
THREADS = 0.10  # by which launched threads may differ for the same work
WITNESSES, OF_KERNELS = 3, 0.9  # fewest kernels, and share of all, from which a change of each is no change of one
COMMON = 0.25  # share of the launches that both sides make equally often, from which their work is the same


@dataclass(frozen=True)
class Remark:
    """A sentence about a difference of conditions."""

    text: str
    is_unfair: bool


def remarks(a: Side, b: Side) -> tuple[Remark, ...]:
    """Return the differences, first those that make the comparison unfair."""
    differences = [*_machines(a, b), *_traces(a, b), *_work(a, b)]
    return tuple(sorted(differences, key=lambda remark: not remark.is_unfair))


def _machines(a: Side, b: Side) -> Iterator[Remark]:
    models = _both(a, b, lambda f: [_model(d) for d in f.devices])
    yield from _differs("GPU model", models)
    if any(models) and not all(models) and all(c.facts.devices for side in (a, b) for c in side.captures):
        yield Remark(f"GPU model is recorded in {'A' if models[0] else 'B'} only.", True)
    yield from _differs("Number of GPUs", [sorted({str(len(unit.gpus)) for unit in side.units}) for side in (a, b)])
    yield from _differs("Driver", _both(a, b, lambda f: [f.driver_version]), unfair=False)
    yield from _differs("nsys", _both(a, b, lambda f: [f.nsys_version]), unfair=False)
    yield from _differs("Number of processes", _both(a, b, lambda f: [str(f.processes)]))


def machine(capture: Digest) -> str:
    """Name the GPUs that a capture used, and their number."""
    window = capture.unit(WINDOW)
    models = " and ".join(sorted({_model(device) or "of an unknown model" for device in capture.facts.devices}))
    return f"{counted(len(window.gpus) if window else 0, 'GPU')}{f', {models}' if models else ''}"


def _traces(a: Side, b: Side) -> Iterator[Remark]:
    """Yield trace options that only one side has: tracing costs time in the recorded calls."""
    ours, theirs = ({trace for c in side.captures for trace in c.facts.traces} for side in (a, b))
    for side, extra in (("A", ours - theirs), ("B", theirs - ours)):
        if extra:
            what = ", ".join(sorted(extra))
            slow = max(map(_cpu_share, (a, b))) > ON_CPU
            yield Remark(f"Other trace options: only {side} recorded {what}, which costs CPU time.", slow)
    are_whole = [any(kind == "graph" for kind, _ in side.mean_ns) for side in (a, b)]
    if are_whole[0] != are_whole[1] and all(map(_launches_graphs, (a, b))):
        whole, parts = "AB" if are_whole[0] else "BA"
        text = f"CUDA graphs are traced whole in {whole}, node by node in {parts}, which makes them longer."
        yield Remark(text, True)


def _launches_graphs(side: Side) -> bool:
    return any("GraphLaunch" in total.name for unit in _units(side) for total in unit.calls)


def _units(*sides: Side) -> list[Unit]:
    return [unit for side in sides for capture in side.captures for unit in capture.units]


def _shapes(side: Side) -> list[Shape]:
    return [shape for capture in side.captures for shape in capture.shapes]


def _cpu_share(side: Side) -> float:
    """Return the share of the unit in which no GPU works."""
    whole = sum(side.mean_ns.values())
    return float(sum(ns for (kind, _), ns in side.mean_ns.items() if kind not in BUSY) / whole) if whole else 0.0


def _work(a: Side, b: Side) -> Iterator[Remark]:
    ratio = threads_ratio(a, b)
    if ratio is not None and not has_equal_threads(a, b):
        text = f"B launches {ratio:.3g} times as many threads as A: another amount of work or another mapping."
        yield Remark(text, False)
    counts = _launched(a, b, 1)
    if counts[0] != counts[1] and (a.units[0].launches or b.units[0].launches):
        unit = {WORK: "in all", WINDOW: "per window"}.get(a.units[0].kind, "per step")
        yield Remark(f"Launches {unit} differ: A {counts[0]:,.6g}, B {counts[1]:,.6g}.", False)
    found_by = [sorted({unit.found_by for unit in side.units if unit.found_by}) for side in (a, b)]
    yield from _differs("How the steps were found", found_by, unfair=False)


def threads_ratio(a: Side, b: Side) -> float | None:
    """Return B's launched threads per thread of A, per launch for steps; None with graphs, or without launches."""
    if _has_graphs(a, b):
        return None
    threads = []
    for side in (a, b):  # captures can have different numbers of steps
        whole = side.units[0].kind in (WORK, WINDOW)
        parts = len(side.captures) if whole else max(1, sum(s.count for s in _shapes(side)))
        threads.append(sum(s.threads for s in _shapes(side)) / parts)
    return threads[1] / threads[0] if all(threads) else None


def other_work(a: Side, b: Side) -> str | None:
    """Say why the sides do not do the same amount of work; None if they may.

    Only one side has kernels, or launched threads differ: as copied bytes do, in nearly all kernels alike, or by over
    OTHER_WORK. Blocks of another size alone are no other work. If no step is compared, something must show that the
    work is the same.
    """
    ratio = threads_ratio(a, b)
    if ratio is None and bool(_shapes(a)) != bool(_shapes(b)) and not _has_graphs(a, b):
        return "only one side has kernels"
    if ratio is not None:
        copied = _launched(a, b, 0)
        is_scaled = all(copied) and not has_equal_threads(a, b) and _are_near(copied[1] / copied[0], ratio)
        is_far = not 1 / OTHER_WORK <= ratio <= OTHER_WORK and not _has_other_blocks_alone(a, b)
        if is_scaled or is_far or has_other_batch(a, b):
            return f"B launches {ratio:.3g} times as many threads as A: another amount of work"
    if a.units[0].kind not in (WORK, WINDOW):
        return None
    if not _has_common_step(a, b) and (more := _repeats_ratio(a, b)):
        return f"B launches the same {more:.3g} times as often as A: another number of repeats"
    if not has_common_work(a, b):
        return "nothing shows that both do the same amount of work: kernels or their numbers, and steps, differ"
    return None


def has_common_work(a: Side, b: Side) -> bool:
    """Tell whether both have the same step or as many steps, launch as many threads, or launch the same as often."""
    counts = [(sum(x.steps), sum(y.steps)) for x, y in product(a.captures[0].series, b.captures[0].series)]
    if _has_common_step(a, b) or any(min(both) >= FEWEST_STEPS and _are_equal(*both) for both in counts):
        return True
    if threads_ratio(a, b) is not None and has_equal_threads(a, b):
        return True
    ours, theirs = launched(a.units), launched(b.units)
    both = sum(min(n, theirs[key]) for key, n in ours.items() if _are_equal(n, theirs[key]))
    return both >= COMMON * min(ours.total(), theirs.total())


def _has_common_step(a: Side, b: Side) -> bool:
    return any(difference(x, y) is None for x, y in product(a.captures[0].series, b.captures[0].series))


def _repeats_ratio(a: Side, b: Side) -> float | None:
    """Return how often B launches what both launch, per launch of A, if nearly all of it and threads are as many times.

    None if that is once, and if threads are not known: what is launched in smaller parts is launched more often.
    """
    ours, theirs = ({key: float(n) for key, (_, n) in side.totals("launches").items()} for side in (a, b))
    both, threads = {key: n for key, n in ours.items() if theirs.get(key)}, threads_ratio(a, b)
    if threads is None or not both or sum(both.values()) < COMMON * sum(ours.values()):
        return None
    most = max(both, key=lambda key: both[key])
    ratio = theirs[most] / both[most]
    alike = sum(n for key, n in both.items() if _are_equal(theirs[key], ratio * n))
    is_once = _are_equal(ratio, 1) or not _are_equal(ratio, threads)
    return None if is_once or alike < OF_KERNELS * sum(both.values()) else ratio


def _are_equal(a: float, b: float) -> bool:
    return abs(a - b) <= EQUAL * max(a, b)


def _are_near(ratio: float, other: float) -> bool:
    return abs(ratio / other - 1) <= THREADS


def has_other_batch(a: Side, b: Side) -> bool:
    """Tell whether nearly all kernels launch as many times the threads, as another batch does and no other mapping."""
    ratio = threads_ratio(a, b)
    if ratio is None or has_equal_threads(a, b):
        return False
    ours, theirs = ({name: threads / count for name, (threads, count) in _threads(side).items()} for side in (a, b))
    alike = [n for n, threads in ours.items() if threads and n in theirs and _are_near(theirs[n] / threads, ratio)]
    launched = {name: threads for name, (threads, _) in _threads(a).items()}
    return len(alike) >= WITNESSES and sum(launched[n] for n in alike) >= OF_KERNELS * sum(launched.values())


def _threads(side: Side) -> dict[str, tuple[int, int]]:
    """Return the threads and the launches of each kernel."""
    sums: dict[str, tuple[int, int]] = {}
    for shape in _shapes(side):
        threads, count = sums.get(shape.name, (0, 0))
        sums[shape.name] = threads + shape.threads, count + shape.count
    return sums


def _launched(a: Side, b: Side, which: int) -> list[float]:
    """Return the bytes that A and B copy or set in a unit (0), or what they launch (1)."""
    return [float(sum(amounts[which] for amounts in side.totals("launches").values())) for side in (a, b)]


def _has_other_blocks_alone(a: Side, b: Side) -> bool:
    """Tell whether both launch the same kernels as often in equal grids of other block sizes, and copy as much."""
    grids, blocks = (
        [{of(shape) for shape in _shapes(side)} for side in (a, b)]
        for of in (attrgetter("name", "grid", "count"), attrgetter("name", "grid", "count", "block"))
    )
    copied = _launched(a, b, 0)
    return grids[0] == grids[1] and blocks[0] != blocks[1] and abs(copied[0] - copied[1]) <= THREADS * max(copied)


def _has_graphs(a: Side, b: Side) -> bool:
    return any(total.kind == "graph" for unit in _units(a, b) for total in unit.launches)


def has_equal_threads(a: Side, b: Side) -> bool:
    """Tell whether both launch as many threads, as far as is known."""
    ratio = threads_ratio(a, b)
    return ratio is None or abs(math.log(ratio)) <= math.log(1 + THREADS)


def _model(device: Device) -> str | None:
    if not device.name:
        return None
    sms = f", {device.sm_count} SMs" if device.sm_count else ""
    return device.name + sms + (f", {device.clock_rate_hz / 1e9:.3f} GHz" if device.clock_rate_hz else "")


def _both(a: Side, b: Side, of: Callable[[Facts], Sequence[str | None]]) -> list[list[str]]:
    """Return the distinct values of each side's captures, without those not recorded."""
    return [sorted({value for capture in side.captures for value in of(capture.facts) if value}) for side in (a, b)]


def _differs(what: str, sides: list[list[str]], unfair: bool = True) -> Iterator[Remark]:
    a, b = sides
    if a and b and a != b:
        yield Remark(f"{what} differs: A {' and '.join(a)}; B {' and '.join(b)}.", unfair)
