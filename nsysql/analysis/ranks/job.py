"""Build a job: its ranks on one clock, their collectives and the straggler; or several runs to compare."""

from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

from nsysql.analysis.digest import Digest
from nsysql.analysis.ranks import collectives, straggler
from nsysql.analysis.ranks.clocks import Clock, clocks
from nsysql.analysis.ranks.identity import UNCERTAIN, As, Member, identify
from nsysql.errors import MissingData

RANK = pl.Schema(
    {
        "rank": pl.Int64(),
        "run": pl.String(),
        "pid": pl.Int64(),
        "gpu_id": pl.Int64(),
        "rank_from": pl.String(),
        "window_ns": pl.Int64(),
        "busy_ns": pl.Int64(),
        "computing_ns": pl.Int64(),
        "exposed_communication_ns": pl.Int64(),
        "idle_ns": pl.Int64(),
        "main_cause": pl.String(),
        "main_cause_ns": pl.Int64(),
        "period_ns": pl.Float64(),
        "wait_ns": pl.Int64(),
        "transfer_ns": pl.Int64(),
        "last_count": pl.Int64(),
        "wait_caused_ns": pl.Int64(),
    }
)
ON_GPU = (
    "window_ns", "busy_ns", "computing_ns", "exposed_communication_ns", "idle_ns", "main_cause", "main_cause_ns",
)  # fmt: skip


@dataclass(frozen=True)
class Imbalance:
    """The ranks with the longest and the shortest computing time, and the ratio of the two."""

    slowest_rank: int
    slowest_ns: int
    fastest_rank: int
    fastest_ns: int

    @property
    def ratio(self) -> float:
        """Longest computing time divided by the shortest."""
        return self.slowest_ns / self.fastest_ns


@dataclass(frozen=True)
class Job:
    """Ranks of one job (`kind` ranks) or runs of one program (repeats).

    `ranks` has one row per rank, in order; `sides` one per matched collective and rank, from `collectives.split`.
    """

    kind: As
    exports: tuple[Digest, ...]
    members: tuple[Member, ...]
    clocks: tuple[Clock, ...]
    matched: collectives.Matched
    sides: pl.DataFrame
    ranks: pl.DataFrame
    straggler: straggler.Straggler
    imbalance: Imbalance | None
    problems: tuple[str, ...]

    @property
    def size(self) -> int:
        """The number of ranks in the job: those given, with those between, or those of its largest communicator."""
        numbers = [member.rank for member in self.members if member.said_by not in UNCERTAIN]
        between = max(numbers) - min(numbers) + 1 if self.kind == "ranks" and numbers else 0
        return max(_size(self.exports), between, len(self.members))

    @property
    def counts(self) -> dict[int, int]:
        """The collectives in the capture of each rank, if their different numbers keep all from being matched."""
        if self.matched.count or collectives.UNEVEN not in dict(self.matched.left_out):
            return {}
        is_judged = ~pl.col("name").str.contains(collectives.POINT_TO_POINT)
        return {one.rank: self._collectives(one).filter(is_judged).height for one in self.members}

    @property
    def point_to_point(self) -> dict[int, float]:
        """The share of each rank's window in kernels that send and receive, unless they are matched."""
        is_peer = pl.col("name").str.contains(collectives.POINT_TO_POINT)
        if self.sides.select(is_peer.any()).item():
            return {}
        windows = dict(self.ranks.select("rank", "window_ns").iter_rows())
        spent = (pl.col("end_ns") - pl.col("start_ns")).filter(is_peer).sum()
        sums = {one.rank: self._collectives(one).select(spent).item() for one in self.members}
        return {rank: ns / max(1, windows[rank] or 0) for rank, ns in sums.items()}

    def _collectives(self, member: Member) -> pl.DataFrame:
        return collectives.of_member(self.exports[member.file], member, 0)

    @property
    def titles(self) -> dict[str, str]:
        """The causes of idle time with their titles."""
        known = pl.concat([one.gpus.select("main_cause", "main_cause_title") for one in self.exports])
        return dict(known.drop_nulls().rows())


NOTHING = "{} has neither GPU work nor MPI calls; capture with --trace=cuda,mpi,nvtx."


def of_facts(exports: Sequence[Digest], as_: As | None = None) -> Job:
    """Build the job of these exports. Raises UsageError if a rank occurs twice, MissingData if none has any work."""
    problems = [one.problem for one in exports if one.problem is not None]
    problems += [NOTHING.format(one.run) for one in exports if one.problem is None and one.members.is_empty()]
    members, kind = identify(exports, as_)
    if not members:
        none = "none of the exports has GPU work or MPI calls; capture with --trace=cuda,mpi,nvtx."
        raise MissingData(problems[0] if len(problems) == 1 else none)
    if kind == "repeats":
        verdict = straggler.Straggler("cannot_judge", "these are runs of a program, not ranks of one job.")
        return _job(kind, exports, members, (), collectives.nothing(0, ()), verdict, problems)
    matched = collectives.match(exports, members)
    known = clocks(exports, members, matched.sides)
    wrong = next((clock for clock in known if clock.problem), None)
    if wrong is not None:  # then the matching cannot be trusted
        why = f"{wrong.run}: {wrong.problem}"
        matched = collectives.nothing(matched.total, (*matched.left_out, (why, matched.sides.height)))
        return _job(kind, exports, members, known, matched, straggler.Straggler("cannot_judge", f"{why}."), problems)
    bounds = [clock.scatter_ns or 0 for clock in known]
    matched = collectives.together(matched, _offsets(matched.sides, members, known), 2 * max(bounds, default=0))
    if _size(exports) > len(members):
        matched = collectives.among(matched, len(members))
    return _job(kind, exports, members, known, matched, None, problems)


def _size(exports: Sequence[Digest]) -> int:
    """Return the number of ranks in the largest communicator that the exports name."""
    sizes = [one.collectives["rank_count"].max() for one in exports if one.collectives.height]
    return max((size for size in sizes if isinstance(size, int)), default=0)


def _job(
    kind: As, exports: Sequence[Digest], members: tuple[Member, ...], known: tuple[Clock, ...],
    matched: collectives.Matched, verdict: straggler.Straggler | None, problems: list[str],
) -> Job:  # fmt: skip
    sides = collectives.split(matched.sides, _offsets(matched.sides, members, known))
    if verdict is None:
        bounds = [clock.scatter_ns for clock in known]
        worst = None if None in bounds else max((bound for bound in bounds if bound is not None), default=0)
        verdict = straggler.judge(exports, members, sides, worst)
    ranks = _ranks(exports, members, sides)
    shown = _imbalance(ranks)
    return Job(kind, tuple(exports), members, known, matched, sides, ranks, verdict, shown, tuple(problems))


def _offsets(sides: pl.DataFrame, members: Sequence[Member], known: Sequence[Clock]) -> pl.Series:
    """Return the offset to add to the times of each row."""
    files = sorted({member.file for member in members})
    by_file = dict(zip(files, known, strict=True)) if known else {}
    offsets = pl.zeros(sides.height, dtype=pl.Int64, eager=True)
    for place, member in enumerate(members):
        clock = by_file.get(member.file)
        if clock is not None and (clock.offset_ns or clock.drift):
            at = (sides["member"] == place).arg_true()
            offsets = offsets.scatter(at, clock.offsets(sides["arrived_at_ns"].gather(at)))
    return offsets


def _ranks(exports: Sequence[Digest], members: Sequence[Member], sides: pl.DataFrame) -> pl.DataFrame:
    """Build the table of ranks."""
    causes = straggler.caused(members, sides) if sides.height else [(None, None)] * len(members)
    waits = dict(sides.group_by("member").agg(pl.struct(pl.col("wait_ns", "transfer_ns").sum())).rows())
    none = {"wait_ns": None, "transfer_ns": None}
    rows = []
    for place, (member, (last, wait_caused_ns)) in enumerate(zip(members, causes, strict=True)):
        one = exports[member.file]
        rows.append(
            {
                "rank": member.rank,
                "run": member.run,
                "pid": member.pid,
                "gpu_id": member.gpu_id,
                "rank_from": member.said_by,
                **(_on_cpu(one, member) if member.gpu_id is None else _on_gpu(one, member)),
                "period_ns": _period(one, member),
                **waits.get(place, none),
                "last_count": last,
                "wait_caused_ns": wait_caused_ns,
            }
        )
    return pl.DataFrame(rows, schema=RANK)


def _on_gpu(one: Digest, member: Member) -> dict[str, int | str | None]:
    gpu = one.gpus.filter(pl.col("gpu_id").eq_missing(pl.lit(member.gpu_id, pl.Int64))).row(0, named=True)
    return {name: gpu[name] for name in ON_GPU}


def _on_cpu(one: Digest, member: Member) -> dict[str, int | str | None]:
    """Return the times of a rank without a GPU: from its first to its last MPI call, busy outside of MPI calls."""
    row = one.members.filter((pl.col("pid") == member.pid) & pl.col("gpu_id").is_null()).row(0, named=True)
    span, calls = row["mpi_span_ns"], row["mpi_ns"]
    times = {"window_ns": span, "busy_ns": span - calls, "computing_ns": span - calls}
    return {**times, "exposed_communication_ns": calls, "idle_ns": None, "main_cause": None, "main_cause_ns": None}


def _period(one: Digest, member: Member) -> float | None:
    own = one.periods.filter(pl.col("pid") == member.pid)
    if own.is_empty():
        return None
    on_gpu = own.filter(pl.col("gpu_id").eq_missing(pl.lit(member.gpu_id, pl.Int64)))
    return (on_gpu if on_gpu.height else own)["period_ns"][0]  # type: ignore[no-any-return]


def _imbalance(ranks: pl.DataFrame) -> Imbalance | None:
    """Return the imbalance between the ranks with the longest and the shortest computing time on a GPU."""
    known = ranks.filter(pl.col("gpu_id").is_not_null() & (pl.col("computing_ns") > 0)).sort("computing_ns", "rank")
    if known.height < 2:
        return None
    first, last = known.row(0, named=True), known.row(-1, named=True)
    return Imbalance(last["rank"], last["computing_ns"], first["rank"], first["computing_ns"])
