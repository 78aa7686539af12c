"""A heat map of rank by time: how busy each GPU was, all on one clock."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from nsysql.analysis.ranks.job import Job
from nsysql.pages.elements import Cell, Column, Section
from nsysql.pages.phrases import gpu_number
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
            rows.append((str(member.rank), gpu_number(member.gpu_id), "".join(map(_shade, own))))
    columns = (Column("rank"), Column("GPU"), Column("", right=False, whole=True))
    meaning = f"{time(end - start)} from left to right, each column {time((end - start) / BINS)}; full is always busy"
    yield Section("Busy over time", meaning, (), columns, tuple(rows))


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
