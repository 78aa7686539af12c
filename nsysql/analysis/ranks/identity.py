"""Find the rank of each process in each export, where that number comes from, and whether the exports are one job."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import polars as pl

from nsysql.analysis.digest import Digest
from nsysql.errors import UsageError

As = Literal["ranks", "repeats"]
NAMED = re.compile(r"(?i)(?:^|[^a-z])rank[-_.]?(\d+)(?=\D|$)")  # rank_3, rank3
NUMBER = re.compile(r"\d+")


@dataclass(frozen=True)
class Member:
    """A rank or a run: a process on a GPU, or one that called MPI. `file` is the index of its export."""

    file: int
    run: str
    pid: int
    gpu_id: int | None
    host: str | None
    nccl_rank: int | None
    mpi_rank: int | None
    launcher: tuple[int, str] | None
    rank: int = -1
    said_by: str = ""


GPU, NUMBER_IN_NAME, ORDER = "the GPU's number", "the number in the file's name", "the order of files and processes"
NAME = "the file's name"
UNCERTAIN = (GPU, NUMBER_IN_NAME, ORDER)  # sources of numbers that may skip some although no rank is absent


def identify(exports: Sequence[Digest], as_: As | None) -> tuple[tuple[Member, ...], As]:
    """Return the members by rank number and "ranks" if they are one job; else in file order and "repeats".

    Raises UsageError if one job is requested, or likely, and a rank occurs twice.
    """
    members = list(_members(exports))
    numbered, is_certain = _numbered(members, as_) if members and as_ != "repeats" else (None, False)
    if numbered is None:
        if as_ == "ranks" and len(members) > 1:
            names = "name the files rank_0.sqlite, rank_1.sqlite and so on"
            raise UsageError(f"the exports do not say which ranks they are; {names}.")
        return _in_order(members), "repeats" if len(members) > 1 or as_ == "repeats" else "ranks"
    same_rank = _duplicates(numbered)
    if not same_rank:
        one_export, at_one_time = len({member.file for member in members}) == 1, _at_one_time(exports, members)
        is_all = {member.rank for member in numbered} == set(range(len(numbered)))  # lora_rank8 is no rank
        is_certain &= at_one_time is not False or is_all or numbered[0].said_by != NAME
        if as_ == "ranks" or is_certain or one_export or at_one_time:
            return tuple(sorted(numbered, key=lambda m: (m.rank, m.file))), "ranks"
    elif as_ == "ranks" or _at_one_time(exports, members):
        one, other = same_rank[:2]
        twice = f"rank {one.rank} occurs twice, in {one.run} and {other.run} (by {one.said_by})"
        raise UsageError(f"{twice}; give one export of each rank, or compare runs with --as repeats.")
    return _in_order(members), "repeats"


def _members(exports: Sequence[Digest]) -> Iterator[Member]:
    """Yield all members in order of files; a process with a rank and several GPUs counts once, with its busiest GPU."""
    for place, one in enumerate(exports):
        if one.members.is_empty():
            continue
        rows = one.members.sort("activities", "gpu_id", descending=[True, False], nulls_last=True)
        is_ranked = pl.coalesce("mpi_rank", "nccl_rank").is_not_null()
        ranked = rows.filter(is_ranked)
        talking = rows.filter(pl.col("pid").is_in(one.collectives["pid"].implode()))
        if ranked.height:
            ranked = ranked.unique(["pid", "nccl_rank"], keep="first", maintain_order=True)
        rows = next((some for some in (ranked, talking) if some.height), rows)  # the others are helper processes
        for row in rows.sort("pid", "gpu_id", nulls_last=True).iter_rows(named=True):
            rank, variable = one.facts.launcher_rank, one.facts.launcher
            launcher = None if rank is None or variable is None else (rank, variable)
            ranks = row["nccl_rank"], row["mpi_rank"], launcher
            yield Member(place, one.run, row["pid"], row["gpu_id"], one.facts.host, *ranks)


def _in_order(members: Sequence[Member]) -> tuple[Member, ...]:
    return tuple(replace(m, rank=i, said_by="order of the files") for i, m in enumerate(members))


def _numbered(members: Sequence[Member], as_: As | None) -> tuple[list[Member] | None, bool]:
    """Return the members with ranks from the first source that has all of them, and whether these surely are ranks.

    None if no source gives each member a distinct number. NCCL, MPI, the launcher and rank_N in file names are trusted
    even if they give one rank twice. Numbers in file names count only if the files are declared ranks.
    """
    for is_certain, ranks_found in _by_source(members, as_):
        if all(ranks_found):
            named = [replace(m, rank=f[0], said_by=f[1]) for m, f in zip(members, ranks_found, strict=True) if f]
            if is_certain or not _duplicates(named):
                return named, is_certain
    return None, False


Numbered = tuple[int, str] | None


def _by_source(members: Sequence[Member], as_: As | None) -> Iterator[tuple[bool, list[Numbered]]]:
    """Yield the rank of each member by each source, in order of trust, and whether the source is certain.

    With several processes in one export its file and its launcher's rank are those of all of them.
    """
    one_each = len({m.file for m in members}) == len(members)
    yield True, [_known(m.nccl_rank, "NCCL") for m in members]
    yield True, [_known(m.mpi_rank, "MPI") for m in members]
    if one_each:
        yield True, [m.launcher for m in members]
        named = [NAMED.findall(m.run) for m in members]
        yield True, [_known(int(numbers[-1]) if numbers else None, NAME) for numbers in named]
    if len({m.host for m in members}) == 1:
        yield False, [_known(m.gpu_id, GPU) for m in members]
    if one_each and as_ == "ranks":
        yield False, [_known(number, NUMBER_IN_NAME) for number in _file_numbers(members)]
    if not one_each:  # such as one file per host
        yield False, [(place, ORDER) for place in range(len(members))]


def _known(rank: int | None, said_by: str) -> Numbered:
    return None if rank is None else (rank, said_by)


def _file_numbers(members: Sequence[Member]) -> list[int | None]:
    """Return the number in each file's name that differs between the files."""
    numbers = [NUMBER.findall(m.run) for m in members]
    columns = zip(*numbers, strict=True) if len(set(map(len, numbers))) == 1 else ()
    none: list[int | None] = [None] * len(members)
    return next(([int(n) for n in own] for own in columns if len(set(own)) == len(members)), none)


def _duplicates(members: Sequence[Member]) -> list[Member]:
    """Return the members that share the lowest duplicated rank; empty if all ranks differ."""
    counts = Counter(member.rank for member in members)
    lowest = min((rank for rank, count in counts.items() if count > 1), default=None)
    return [member for member in members if member.rank == lowest]


def _at_one_time(exports: Sequence[Digest], members: Sequence[Member]) -> bool | None:
    """Tell whether all exports have work at one time; None if any does not record its UTC start."""
    spans = [_span(exports[place]) for place in sorted({member.file for member in members})]
    known = [span for span in spans if span is not None]
    return max(start for start, _ in known) < min(end for _, end in known) if len(known) == len(spans) else None


def _span(one: Digest) -> tuple[int, int] | None:
    """Return the UTC time from the first to the last GPU work or collective of an export."""
    windows = one.gpus.select(start="window_start_ns", end=pl.col("window_start_ns") + pl.col("window_ns"))
    both = pl.concat([windows, one.collectives.select(start="arrived_at_ns", end="end_ns")])
    origin = one.facts.session_utc_ns
    if origin is None or both.is_empty():
        return None
    start, end = both.select(pl.col("start").min(), pl.col("end").max()).row(0)
    return origin + start, origin + end
