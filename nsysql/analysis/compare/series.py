"""Find the first capture that differs in a series of captures of one program over time, and what changed there."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from nsysql.analysis.compare.change_points import FEWEST, Place, change_points
from nsysql.analysis.compare.compare import (
    CANNOT_JUDGE,
    FASTER,
    NO_DIFFERENCE,
    SLOWER,
    UNCLEAR,
    Comparison,
    Options,
    compared,
)
from nsysql.analysis.compare.fairness import machine
from nsysql.analysis.compare.side import side_of
from nsysql.analysis.compare.unit import COVERED, after_warm_up, choose, difference
from nsysql.analysis.digest import STEP, WORK, Digest, Unit

NEAR = 10  # captures before and after the change that are compared
RARE = 4  # fewer than one capture in so many may have another machine or other steps: they are left out
Run = tuple[str, Digest]


@dataclass(frozen=True)
class Series:
    """The time of a unit in each capture, in order, and its changes; `comparison` is that of the first one.

    `outliers` are places that belong to no change; `left_out` are names of captures without a place, with the reason.
    """

    names: tuple[str, ...]
    unit: str
    times_ns: tuple[float, ...]
    left_out: tuple[tuple[str, str], ...] = ()
    machines: tuple[tuple[str, int], ...] = ()  # with their captures, if no machine has nearly all
    has_steps: bool = False  # any of them
    by_time: tuple[str, ...] = ()  # the names by the start of the session, if they are in another order
    changes: tuple[Place, ...] = ()
    outliers: tuple[int, ...] = ()
    sides: tuple[tuple[int, ...], tuple[int, ...]] = ((), ())  # the places that are compared
    comparison: Comparison | None = None

    @property
    def too_few(self) -> bool:
        """Whether the captures are too few to tell a change from noise."""
        return len(self.names) < FEWEST

    @property
    def last_ones(self) -> tuple[int, ...]:
        """The last captures, if they are outliers: a change may begin there."""
        start = len(self.names)
        while start - 1 in self.outliers:
            start -= 1
        return tuple(range(start, len(self.names)))

    @property
    def verdict(self) -> str:
        """That of the first change: of the comparison, if it cannot judge the change or shows another one."""
        if self.too_few or self.machines:
            return CANNOT_JUDGE
        if not self.changes:
            return UNCLEAR if self.last_ones else NO_DIFFERENCE
        word = SLOWER if self.changes[0].after_ns > self.changes[0].before_ns else FASTER
        found = self.comparison
        if found is None or found.verdict in (CANNOT_JUDGE, UNCLEAR):
            return word if found is None else found.verdict
        is_same = found.verdict == word or (found.verdict == NO_DIFFERENCE and found.per == self.unit)
        return word if is_same else UNCLEAR


def series_of(names: Sequence[str], captures: Sequence[Digest], options: Options) -> Series:
    """Return the series of captures in order. Raises MissingData if they have no unit in common."""
    left_out, runs, first = [], [], dict[Digest, str]()
    for name, capture in zip(names, captures, strict=True):
        if capture.problem is not None:
            left_out.append((name, capture.problem))
        elif first.setdefault(capture, name) != name:
            left_out.append((name, f"It is a copy of {first[capture]}."))
        else:
            runs.append((name, capture))
    machines = _alike(runs, lambda one, other: machine(one) == machine(other))
    runs, others = _most(runs, machines)
    left_out += [(name, f"Another machine: {machine(one)}, the others {machine(runs[0][1])}.") for name, one in others]
    steps = _alike(runs, lambda one, other: _step(one, other) is not None)
    runs, others = _most(runs, steps)
    left_out += [(name, f"Other steps: {_other_step(runs[0][1], one)}") for name, one in others]
    kind, times = _times([one for _, one in runs], options)
    mixed = machines if len({machine(one) for _, one in runs}) > 1 else []
    found = Series(
        tuple(name for name, _ in runs), kind, tuple(times), tuple(left_out),
        tuple((machine(some[0][1]), len(some)) for some in mixed),
        any(one.series for _, one in runs), _by_time(runs),
    )  # fmt: skip
    return found if found.too_few or mixed else _changed(found, [one for _, one in runs], options)


def _alike(runs: Sequence[Run], are_alike: Callable[[Digest, Digest], bool]) -> list[list[Run]]:
    """Return the runs in groups, each like the first of its group; the largest group first."""
    groups: list[list[Run]] = []
    for run in runs:
        own = next((group for group in groups if are_alike(group[0][1], run[1])), None)
        own.append(run) if own else groups.append([run])
    return sorted(groups, key=len, reverse=True)


def _most(runs: list[Run], groups: list[list[Run]]) -> tuple[list[Run], list[Run]]:
    """Return the runs of the first group and the others, if these are rare; else all runs."""
    rare = [run for group in groups[1:] for run in group]
    return (groups[0], rare) if rare and RARE * len(rare) < len(runs) else (runs, [])


def _step(one: Digest, other: Digest) -> Unit | None:
    """Return the step of the second capture that is the main one of the first."""
    main = next((unit for unit in one.series if unit.work_share >= COVERED), None)
    return None if main is None else next((unit for unit in other.series if difference(main, unit) is None), None)


def _other_step(one: Digest, other: Digest) -> str:
    """Say why no step of the second capture is that of the first."""
    return (difference(one.series[0], other.series[0]) if other.series else None) or "it has none as long."


def _times(captures: Sequence[Digest], options: Options) -> tuple[str, list[float]]:
    """Return the unit that all captures share, and its time in each: steps without a short warm-up, or all work."""
    if not captures:
        return WORK, []
    steps = [unit for one in captures if (unit := _step(captures[0], one))]
    kind = STEP if len(steps) == len(captures) else WORK
    units = [after_warm_up(unit) or unit for unit in steps] if kind == STEP else choose(captures, captures[:1], WORK).a
    sides = (side_of([c], [unit], options.gpu) for c, unit in zip(captures, units, strict=True))
    return kind, [float(sum(side.mean_ns.values())) for side in sides]


def _by_time(runs: Sequence[Run]) -> tuple[str, ...]:
    times = [(one.facts.session_utc_ns, name) for name, one in runs if one.facts.session_utc_ns is not None]
    starts = [start for start, _ in times]
    return tuple(name for _, name in sorted(times)) if len(times) == len(runs) and starts != sorted(starts) else ()


def _changed(series: Series, captures: Sequence[Digest], options: Options) -> Series:
    """Return the series with its changes, and the captures around the first one compared."""
    changes, outliers = change_points(series.times_ns, options.threshold)
    series = replace(series, changes=changes, outliers=outliers)
    if not changes:
        return series
    kept = [place for place in range(len(captures)) if place not in outliers]
    end = changes[1].at if len(changes) > 1 else len(captures)
    a, b = ([p for p in kept if p < changes[0].at], [p for p in kept if changes[0].at <= p < end])
    if changes[0].is_drift:
        a, b = kept[: len(kept) // 3], kept[-(len(kept) // 3) :]
    sides = tuple(a[-NEAR:]), tuple(b[:NEAR])
    per = STEP if series.unit == STEP else None
    first, second = ([captures[place] for place in side] for side in sides)
    return replace(series, sides=sides, comparison=compared(first, second, replace(options, per=per)))
