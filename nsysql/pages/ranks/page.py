"""The ranks page: the verdict first, then ranks, who comes last, clocks and notes."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import polars as pl

from nsysql.analysis.ranks.clocks import Clock
from nsysql.analysis.ranks.job import Job
from nsysql.pages.elements import Bar, Cell, Column, Page, Section, Slices
from nsysql.pages.phrases import counted, gpu_number, percent, share, work_names
from nsysql.pages.ranks.document import by_name, longest
from nsysql.pages.ranks.sentences import sentences
from nsysql.words.quantities import time

Floats = np.ndarray[Any, np.dtype[Any]]
BINS = 60
SHADES = " ░▒▓█"


def heat_map(job: Job, top: int | None) -> Iterator[Section]:
    """One row per rank; nothing if fewer than two ranks have a GPU."""
    shares = busy_shares(job, BINS)
    if shares is None:
        return
    found, start, end = shares
    rows: list[tuple[Cell, ...]] = []
    for member, own in list(zip(job.members, found, strict=True))[: top or len(found)]:
        if member.gpu_id is not None:
            cell = Slices(tuple(map(_known, own.tolist())), "".join(map(_shade, own)))
            rows.append((str(member.rank), gpu_number(member.gpu_id), cell))
    columns = (Column("rank"), Column("GPU"), Column("", right=False, whole=True))
    meaning = f"{time(end - start)} from left to right, each column {time((end - start) / BINS)}; full is always busy"
    yield Section("Busy over time", meaning, (), columns, tuple(rows))


def _known(share: float) -> float | None:
    return None if np.isnan(share) else min(1.0, max(0.0, share))


def _shade(share: float) -> str:
    """The character for a share, in quarters; a share above 0 is never blank."""
    if np.isnan(share) or share <= 0:
        return SHADES[0]
    return SHADES[min(max(round(share * 4), 1), 4)]


def busy_shares(job: Job, bins: int) -> tuple[list[Floats], int, int] | None:
    """Busy shares per rank in equal bins of the job's time (NaN without a GPU), and the start and end of that time.

    None if fewer than two ranks have a GPU, or the exports are repeats.
    """
    if job.kind == "repeats" or sum(member.gpu_id is not None for member in job.members) < 2:
        return None
    files = sorted({member.file for member in job.members})
    offset = {file: clock.offset_ns for file, clock in zip(files, job.clocks, strict=True)}
    known: list[tuple[Floats, Floats] | None] = []
    for member in job.members:
        busy = job.exports[member.file].busy
        own = busy.filter(busy["gpu_id"].eq_missing(member.gpu_id)) if busy.height else busy
        if member.gpu_id is None or own.is_empty():
            known.append(None)
            continue
        edges = np.append(own["start_ns"].to_numpy(), own["end_ns"][-1]) + offset[member.file]
        known.append((edges, np.append(0, own["busy_ns"].cum_sum().to_numpy())))
    start = min(int(edges[0]) for edges, _ in filter(None, known))
    end = max(int(edges[-1]) for edges, _ in filter(None, known))
    borders = np.linspace(start, end, bins + 1)
    width = max((end - start) / bins, 1.0)
    shares = [
        np.full(bins, np.nan) if one is None else np.diff(np.interp(borders, one[0], one[1])) / width for one in known
    ]
    return shares, start, end


PROSE = Column(right=False, wrap=True)
TOP = 64  # rows of a section


def page(job: Job, top: int | None = TOP) -> Page:
    """The sections; `top` rows of each, all if None."""
    what = "ranks of one job" if job.kind == "ranks" else "runs of one program"
    title = f"{len(job.members)} {what}, {counted(len(job.exports), 'export')}"
    sections = [
        Section("Verdict", before=tuple(sentences(job))),
        _ranks(job, top),
        *_last(job, top),
        *_instead(job),
        *_collectives(job),
        *heat_map(job, top),
        *_clocks(job, top),
        *_notes(job),
    ]
    return Page(title, tuple(sections))


def _ranks(job: Job, top: int | None) -> Section:
    rows: list[tuple[Cell, ...]] = []
    has_gpu, has_step = _any(job, "gpu_id"), _any(job, "period_ns")
    for row in job.ranks.head(top or job.ranks.height).to_dicts():
        window = row["window_ns"]
        cells: list[Cell] = [str(row["rank"])]
        cells += [gpu_number(row["gpu_id"])] if has_gpu else []
        cells += [time(window), percent(row["busy_ns"], window), Bar(share(row["busy_ns"], window), 8)]
        cells += [time(row["computing_ns"])] if has_gpu else []
        cells += [time(row["exposed_communication_ns"])]
        cells += [time(row["idle_ns"]), row["main_cause"] or ""] if has_gpu else []
        cells += [time(row["period_ns"])] if has_step else []
        rows.append((*cells, row["run"]))
    communication = "exposed communication" if has_gpu else "in MPI"
    columns = [Column("rank" if job.kind == "ranks" else "run")]
    columns += [Column("GPU")] if has_gpu else []
    columns += [Column("window"), Column("busy"), Column("", right=False)]
    columns += [Column("computing")] if has_gpu else []
    columns += [Column(communication)]
    columns += [Column("idle"), Column("most of it", right=False)] if has_gpu else []
    columns += [Column("step")] if has_step else []
    meaning = (
        "window from first to last work" if has_gpu else "window from first to last MPI call, busy outside of them"
    )
    return Section(
        "Ranks" if job.kind == "ranks" else "Runs", meaning, (), (*columns, Column("export", right=False)), tuple(rows)
    )


def _any(job: Job, column: str) -> bool:
    return bool(job.ranks[column].is_not_null().any())


def _last(job: Job, top: int | None) -> Iterator[Section]:
    if not job.sides.height:
        return
    judged = max(job.matched.count - 1, 0)
    total = int(job.ranks["wait_caused_ns"].sum())
    rows: list[tuple[Cell, ...]] = []
    for row in job.ranks.head(top or job.ranks.height).to_dicts():
        caused = row["wait_caused_ns"]
        cells = (f"{row['last_count']:,}", percent(row["last_count"], judged), time(caused), percent(caused, total))
        rows.append(
            (str(row["rank"]), *cells, Bar(share(caused, total), 8), time(row["wait_ns"]), time(row["transfer_ns"]))
        )
    headings = ("rank", "last", "", "others wait for it", "", "", "it waits", "transfer")
    meaning = "of the collectives after the first; wait and transfer are all the time in them"
    yield Section("Who comes last", meaning, (), tuple(map(Column, headings)), tuple(rows))


def _instead(job: Job) -> Iterator[Section]:
    found = job.straggler
    if not found.accounts:
        return
    rows: list[tuple[Cell, ...]] = []
    for account in found.accounts:
        is_kernel = account.kind in ("computing", "communication")
        name: Cell = work_names("{}", account.name) if is_kernel else account.name
        rows.append(("+" + time(account.more_ns), account.kind, name))
    columns = (Column("more"), Column("account", right=False), Column("", right=False))
    where = "its GPU" if found.accounts[0].clock == "gpu" else "its thread, NVTX ranges"
    meaning = f"before one collective, against the median rank: {where}"
    yield Section(f"What rank {found.rank} did instead", meaning, (), columns, tuple(rows))


def _collectives(job: Job) -> Iterator[Section]:
    rows: list[tuple[Cell, ...]] = []
    for row in by_name(job).to_dicts():
        whole = row["wait_ns"] + row["transfer_ns"]
        cells = (f"{row['count']:,}", time(row["wait_ns"]), percent(row["wait_ns"], whole), time(row["transfer_ns"]))
        rows.append((*cells, row["name"]))
    after = [f"{count:,} left out: {why}." for why, count in job.matched.left_out if why]
    most = longest(job, 1)
    if most.height and job.matched.count > 1:
        row = most.row(0, named=True)
        which = f"{row['name']}, number {row['match_id'] + 1}"
        after.insert(0, f"Most waiting in one: {time(row['wait_ns'])} for rank {row['last_rank']} ({which}).")
    if rows or after:
        columns = (*map(Column, ("matched", "wait", "", "transfer")), Column("collective", right=False))
        yield Section("Collectives", "all ranks together", (), columns if rows else (), tuple(rows), tuple(after))


def _clocks(job: Job, top: int | None) -> Iterator[Section]:
    if job.kind == "repeats" or not job.clocks:
        return
    if len(job.clocks) == 1:
        yield Section("Clocks", before=("One export: all ranks are on one clock.",))
        return
    rows = tuple(_clock_row(clock) for clock in job.clocks[: top or len(job.clocks)])
    after = [f"{clock.run}: {clock.problem}." for clock in job.clocks if clock.problem]
    if not after and any(clock.uncertainty_ns is None for clock in job.clocks):
        after.append("Without matched collectives nothing bounds the error of the clocks.")
    columns = (
        Column("added"),
        Column("off by at most"),
        Column("estimate"),
        Column("drift"),
        Column("from", right=False),
        Column("export", right=False),
    )
    yield Section(
        "Clocks",
        "offset added to an export's times to put them on the clock of the first",
        (),
        columns,
        rows,
        tuple(after),
    )


def _clock_row(clock: Clock) -> tuple[Cell, ...]:
    bound, estimate = (
        "not known" if ns is None else f"± {time(ns)}" for ns in (clock.uncertainty_ns, clock.scatter_ns)
    )
    drift = f"{clock.drift * 1e6:+.1f} ppm" if clock.drift else ""
    return (time(clock.offset_ns), bound, estimate, drift, clock.said_by, clock.run)


APART_NS = 10**9  # difference of offsets by session start and by collectives from which it is noted


def _notes(job: Job) -> Iterator[Section]:
    notes = [*job.problems]
    for clock in job.clocks:
        if clock.session_ns is not None and abs(clock.offset_ns - clock.session_ns) > APART_NS:
            apart = time(clock.offset_ns - clock.session_ns)
            notes.append(f"{clock.run}: the start of its session is off by {apart}, judged by the collectives.")
    if job.kind == "ranks":
        sources = job.ranks.group_by("rank_from").agg(pl.len()).sort("rank_from")["rank_from"].to_list()
        notes.insert(
            0, f"Ranks are numbered by {' and '.join(sources)}; --as repeats treats the exports as runs of one program."
        )
    else:
        notes.insert(0, "Treated as runs of one program; --as ranks treats them as the ranks of one job.")
    yield Section("Notes", columns=(PROSE,), rows=tuple((text,) for text in notes))
