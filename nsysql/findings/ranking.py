"""Merge and order findings; docs/findings.md explains how."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import polars as pl

from nsysql.capture.export import Export
from nsysql.findings.finding import Finding
from nsysql.findings.savings import LITTLE
from nsysql.findings.sentences import OF_IDLE
from nsysql.words.quantities import counted, time

ONCE_WEIGHT = 0.2  # weight of what happens once if there is no series
CLAIMED = 0.3  # share of a kernel's time in other findings from which the kernel is not named again
TIE = 0.1  # relative difference within which findings are ordered by certainty
TIE_OF_COPIES = 0.2  # the same for two findings about copies: they are about the same time
SERIES_SHARE = 0.05  # share of the window: a series with more keeps start-up from coming first, if the GPU works in it
WORKS = 0.01  # busy share of a series from which the GPU counts as working in it
MOSTLY_ONCE = 0.4  # share of the window from which start-up comes first without a series, and what happens once comes
# second, or first if it is in the steps and what recurs saves an unknown or only possible amount
BARELY_BUSY = 0.15  # share of the window busy: with less, start-up comes first if nothing repeats
REPEATED = 20  # launches of one kernel that count as repetition
JOINED = 0.1  # share of what a finding saves in one part, from which other parts are told with it
CERTAINTY = ("certain", "likely", "possible")
BOUNDS = ("about", "at most", "unknown")  # weakest last


def merged(findings: list[Finding]) -> list[Finding]:
    """Merge findings of several GPUs with one code and subject in parts of one kind and name: the largest stays.

    What happens once becomes one finding, that of the part with most; it mentions the time in the GPU's other parts.
    """
    one_of: dict[tuple[Any, ...], Finding] = {}
    for f in findings:
        key: tuple[Any, ...] = (f.code, f.subject)
        if not f.once:
            key = (*key, f.part_kind, f.part_name, f.nth)
        other = one_of.get(key)
        if other is not None and f.once and other.gpu_id == f.gpu_id:
            most, less = sorted((other, f), key=lambda one: -one.total_ns)
            if less.total_ns >= LITTLE * most.total_ns:
                most = replace(most, says=f"{most.says} Another {time(less.total_ns)} elsewhere.")
            one_of[key] = replace(most, weight=most.weight + less.weight)
            continue
        if other is None or other.gpu_id == f.gpu_id:
            one_of[key if other is None else (*key, f.part_id)] = f
            continue
        most = max(other, f, key=lambda one: one.weight)
        totals = (*(other.totals or (other.total_ns,)), f.total_ns)
        ids, rows = other.part_ids + f.part_ids, other.rows + f.rows
        one_of[key] = replace(most, gpu_id=None, part_ids=ids, rows=rows, totals=totals)
    return list(one_of.values())


def joined(findings: list[Finding], parts: pl.DataFrame) -> Iterator[Finding]:
    """Join findings of one code and subject in several parts of the same GPUs, as their advice is one: savings add up.

    Those with less than a tenth of the most stay separate, and those that are only possible do not join others. Calls
    that allocate are one subject.
    """
    gpus = dict(parts.select("part_id", "gpu_id").iter_rows())
    alike: dict[tuple[Any, ...], list[Finding]] = {}
    for f in sorted(findings, key=lambda f: (-f.size_ns, f.part_id)):
        of_gpus = frozenset(gpus[part_id] for part_id in f.part_ids)
        subject = f.do if f.claims == "allocation" else f.subject
        key = (f.code, subject, of_gpus, f.saves_ns is None, f.certainty == CERTAINTY[-1])
        own = alike.setdefault(key if f.shown and not f.once else (*key, f.part_id), [])
        if own and f.size_ns < JOINED * own[0].size_ns:
            yield f
        else:
            own.append(f)
    for own in alike.values():
        yield _sum(own) if len(own) > 1 else own[0]


def _sum(own: list[Finding]) -> Finding:
    most, others = own[0], own[1:]
    where = "the others" if len(others) > 1 else others[0].place
    size, part_ns = (sum(getattr(f, name) for f in own) for name in ("size_ns", "part_ns"))
    return replace(
        most,
        total_ns=sum(f.total_ns for f in own),
        saves_ns=None if most.saves_ns is None else size,
        bound=max((f.bound for f in own), key=BOUNDS.index),
        certainty=max((f.certainty for f in own), key=CERTAINTY.index),
        share=min(1.0, size / part_ns),
        part_ns=part_ns,
        weight=sum(f.weight for f in own),
        says=f"{most.says} Another {time(sum(f.total_ns for f in others))} in {where}.",
        place=f"{most.place} and {counted(len(others), 'more part')}",
        part_ids=tuple(part_id for f in own for part_id in f.part_ids),
        rows=tuple(row for f in own for row in f.rows),
        each=tuple(own),
    )


def ranked(findings: list[Finding], parts: pl.DataFrame, causes: pl.DataFrame, run: Export) -> list[Finding]:
    """Order findings by their share of the window; what happens once comes last unless nothing repeats."""
    series = parts.filter(
        (pl.col("kind") == "series")
        & (pl.col("length_ns") >= SERIES_SHARE * pl.col("window_ns"))
        & (pl.col("busy_ns") >= WORKS * pl.col("length_ns"))
    )
    findings = [*joined(_without_claimed(findings), parts)]
    used = _used(parts)
    pause = [f for f in findings if f.code == "outlier-pause" and (f.gpu_id is None or f.gpu_id in used)]
    findings = [replace(f, weight=0.0) if f.code == "outlier-pause" else f for f in findings if f not in pause]
    again, once = [f for f in findings if not f.once], [f for f in findings if f.once]
    if series.height:
        ordered = [*_ordered(again), *_ordered(once)]
        most = [f for f in ordered if f.once and f.weight >= MOSTLY_ONCE]
        is_unsure = ordered and (ordered[0].saves_ns is None or ordered[0].certainty == "possible")
        leads = is_unsure and any(f.part_kind == "series" for f in most)
        first = [] if leads else ordered[:1]
        most = [f for f in most if f not in first]
        return [*pause, *first, *most, *(f for f in ordered if f not in first and f not in most)]
    leads = _startup_leads(parts, causes, run)
    weighed = [replace(f, weight=f.weight * (10 if f.code == "startup" and leads else ONCE_WEIGHT)) for f in once]
    return pause + _ordered(again + weighed)


def limited(findings: list[Finding], parts: pl.DataFrame) -> list[Finding]:
    """Let idle time save no more than that of the GPU with most work, if the others wait for it: it limits the run."""
    idle = dict(parts.select("part_id", "idle_ns").iter_rows())
    most = {(f.part_kind, f.part_name, f.nth): idle[f.part_id] for f in findings if f.code == "uneven-gpus"}

    def at_most(f: Finding) -> Finding:
        ns = most.get((f.part_kind, f.part_name, f.nth)) if f.claims in OF_IDLE and f.claims != "turns" else None
        if ns is None or f.saves_ns is None or f.saves_ns <= ns:
            return f
        return replace(f, saves_ns=ns, weight=f.weight * ns / f.saves_ns, shown=f.shown and ns >= LITTLE * f.part_ns)

    return list(map(at_most, findings))


def at_least_one(findings: list[Finding]) -> list[Finding]:
    """Show the first finding with much time that recurs if none that recurs is shown: it says what limits the run."""
    if any(f.shown for f in findings if not f.once):
        return findings
    first = next((f for f in findings if not f.once and f.total_ns >= TIE * f.part_ns), None)
    return [replace(f, shown=f.shown or f is first) for f in findings]


def _used(parts: pl.DataFrame) -> list[int | None]:
    """Return the GPUs that work at least a tenth as much as the busiest: pauses of others are not the program's."""
    busy = parts.group_by("gpu_id").agg(pl.col("busy_ns").sum())
    return busy.filter(pl.col("busy_ns") >= TIE * pl.col("busy_ns").max())["gpu_id"].to_list()


def _startup_leads(parts: pl.DataFrame, causes: pl.DataFrame, run: Export) -> bool:
    window = int(parts.unique("gpu_id")["window_ns"].sum() or 0)
    if not window:
        return False
    worked = parts.filter(pl.col("kind").is_in(["startup", "series", "rest", "work"]))
    busy = int(worked["busy_ns"].sum() or 0)
    inside = causes.filter(pl.col("part_id").is_in(worked["part_id"].implode()))
    once = inside.filter(pl.col("cause").is_in(["module_load", "context_setup", "first_launch"]))
    if int(once["idle_ns"].sum()) > MOSTLY_ONCE * window:
        return True
    if busy >= BARELY_BUSY * window:
        return False
    if not run.has("_kernel_ids"):
        return True
    most = run.query("part_kernel").group_by("name", "gpu_id").agg(pl.col("count").sum())["count"].max()
    return not isinstance(most, int) or most < REPEATED


def _without_claimed(findings: list[Finding]) -> list[Finding]:
    """Leave out the largest kernel if another finding claims it."""
    claimed = {
        (f.part_id, subject)
        for f in findings
        if f.code in ("few-blocks", "small-blocks", "fp32-matmul", "fp64-on-geforce", "page-faults")
        and (f.share or 0) > CLAIMED / 3
        for subject in f.subjects
    }
    return [f for f in findings if f.code != "largest-kernel" or (f.part_id, f.subject) not in claimed]


def _ordered(findings: list[Finding]) -> list[Finding]:
    """Order findings by weight; those within a tenth by certainty (of copies a fifth), but known before unknown."""
    ordered = sorted(findings, key=lambda f: (-f.weight, f.code, f.part_id, f.subject))
    for at in range(len(ordered) - 1):
        one, other = ordered[at], ordered[at + 1]
        tie = TIE_OF_COPIES if one.claims == other.claims == "copy" and one.part_id == other.part_id else TIE
        close = other.weight > 0 and one.weight - other.weight <= tie * one.weight
        close &= other.saves_ns is not None or one.saves_ns is None
        if close and CERTAINTY.index(other.certainty) < CERTAINTY.index(one.certainty):
            ordered[at], ordered[at + 1] = other, one
    return ordered
