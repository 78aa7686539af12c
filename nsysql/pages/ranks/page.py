"""The ranks page: the verdict first, then ranks, who comes last, clocks and notes."""

from collections.abc import Iterator

import polars as pl

from nsysql.analysis.ranks.clocks import Clock
from nsysql.analysis.ranks.job import Job
from nsysql.pages.elements import Bar, Cell, Column, Page, Section, notes_section
from nsysql.pages.heat import LEGEND, busy, cell
from nsysql.pages.phrases import counted, gpu_number, percent, share, work_names
from nsysql.pages.ranks.document import by_name, longest
from nsysql.pages.ranks.sentences import sentences
from nsysql.words.quantities import time


def heat_map(job: Job, top: int | None) -> Iterator[Section]:
    """One row per rank; nothing if fewer than two ranks have a GPU, or the exports are repeats."""
    members = [member for member in job.members if member.gpu_id is not None]
    if job.kind == "repeats" or len(members) < 2:
        return
    offset = {
        file: clock.offset_ns for file, clock in zip(sorted({m.file for m in job.members}), job.clocks, strict=True)
    }
    every = (job.exports[m.file].busy.filter(gpu_id=m.gpu_id) for m in members)
    known = [(m, own) for m, own in zip(members, every, strict=True) if own.height]
    found = busy([own for _, own in known], [offset[m.file] for m, _ in known])
    if found is None:
        return
    pairs = list(zip(known, found.shares, strict=True))[:top]
    rows = tuple((str(m.rank), gpu_number(m.gpu_id), cell(shares)) for (m, _), shares in pairs)
    columns = (Column("rank"), Column("GPU"), Column("", right=False, whole=True))
    yield Section(
        "Busy over time", f"share of time busy in columns of {time(found.column_ns)}: {LEGEND}", (), columns, rows
    )


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
    has_gpu, has_step, titles = _any(job, "gpu_id"), _any(job, "period_ns"), _titles(job)
    for row in job.ranks.head(top or job.ranks.height).to_dicts():
        window = row["window_ns"]
        cells: list[Cell] = [str(row["rank"])]
        cells += [gpu_number(row["gpu_id"])] if has_gpu else []
        cells += [time(window), percent(row["busy_ns"], window), Bar(share(row["busy_ns"], window), 8)]
        cells += [time(row["computing_ns"])] if has_gpu else []
        cells += [time(row["exposed_communication_ns"])]
        cells += [time(row["idle_ns"]), titles.get(row["main_cause"], row["main_cause"] or "")] if has_gpu else []
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


def _titles(job: Job) -> dict[str, str]:
    """The causes of idle time by their names for people."""
    known = pl.concat([one.gpus.select("main_cause", "main_cause_title") for one in job.exports])
    return dict(known.drop_nulls().rows())


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
    titles = _titles(job)
    rows: list[tuple[Cell, ...]] = []
    for account in found.accounts:
        is_kernel = account.kind in ("computing", "communication")
        name: Cell = work_names("{}", account.name) if is_kernel else titles.get(account.name, account.name)
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
    yield notes_section(notes)
