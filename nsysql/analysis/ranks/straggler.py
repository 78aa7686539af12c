"""Find the straggler: which rank arrives last at collectives, what that costs, and where its time went."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import polars as pl

from nsysql.analysis.digest import Digest
from nsysql.analysis.ranks.chance import MOST_OF_WAIT, Bools, Floats, Ints, pinned, taking_turns
from nsysql.analysis.ranks.identity import Member
from nsysql.words.quantities import time

Kind = Literal["pinned", "rotating", "none", "cannot_judge"]
FEWEST = 4  # fewest collectives for a verdict
LEAST_SHARE = 0.01  # share of the ranks' time that waiting must take to be reported
PINNED_LATENESS = 0.02  # median lateness as a share of the time between collectives, from which a rank is the straggler
ROTATING_LATENESS = 0.05
LAUNCHING = ("host_code", "launch_call")  # causes of idle time that are the launching thread's own
LARGEST = 5  # accounts that are listed
NAMED_SHARE = 0.6  # share of the lateness that a range or account must explain to be named
BETWEEN = " > "


@dataclass(frozen=True)
class Account:
    """Time that the late rank spent over the median rank before a collective it was late for, in ns per collective."""

    clock: str
    kind: str
    name: str
    more_ns: int


@dataclass(frozen=True)
class Straggler:
    """The verdict. Of `judged` collectives (all but the first, which ends no interval), `rank` came last to last_count.

    wait_caused_ns is how long the others waited for it, and `share` its share of all waiting; each_ns is the median
    wait of one other rank. `account` and `range` are where the rank spent the time, None if nothing explains most of
    it.
    """

    kind: Kind
    reason: str
    rank: int | None = None
    judged: int = 0
    last_count: int = 0
    wait_caused_ns: int = 0
    share: float | None = None
    each_ns: int = 0
    account: Account | None = None
    range: str | None = None
    range_path: str | None = None
    accounts: tuple[Account, ...] = ()


def caused(members: Sequence[Member], sides: pl.DataFrame) -> list[tuple[int, int]]:
    """Return how often each rank came last, and the ns that others waited for it; `sides` from `collectives.split`."""
    view = _View(members, sides)
    own = (view.last == place for place in range(len(members)))
    return [(int(is_last.sum()), int(view.caused[is_last].sum())) for is_last in own]


class _View:
    """The judged collectives as arrays: one row per collective, one column per rank."""

    def __init__(self, members: Sequence[Member], sides: pl.DataFrame) -> None:
        ranks = max(len(members), 1)
        judged = sides.filter(pl.col("match_id") > 0)
        at, wait, end = (judged[name].to_numpy().reshape(-1, ranks) for name in ("at_ns", "wait_ns", "end_ns"))
        offset = (judged["at_ns"] - judged["arrived_at_ns"]).to_numpy().reshape(-1, ranks)
        self.at: Ints = at
        self.count = len(at)
        self.last = at.argmax(axis=1) if self.count else np.zeros(0, dtype=np.int64)
        self.caused = wait.sum(axis=1)
        self.late = _late(at)
        first = sides.filter(pl.col("match_id") == 0)
        left = (first["end_ns"] + first["at_ns"] - first["arrived_at_ns"]).to_numpy()
        self.span = int((end + offset).max() - left.max()) if self.count else 0
        self.interval = self.span / self.count if self.count else 0.0  # mean time between collectives
        self.ids = judged["match_id"].unique(maintain_order=True).to_list()


def _late(at: Ints) -> Floats:
    """Return how much later each rank arrives than the median of the others."""
    late = np.zeros(at.shape)
    for rank in range(at.shape[1]):
        others = np.delete(at, rank, axis=1)
        if others.shape[1]:
            late[:, rank] = at[:, rank] - np.median(others, axis=1)
    return late


def judge(
    exports: Sequence[Digest], members: Sequence[Member], sides: pl.DataFrame, uncertainty_ns: int | None
) -> Straggler:
    """Judge whether one rank, or each in turn, keeps the rest waiting. `uncertainty_ns` is that of the worst clock."""
    view = _View(members, sides)
    if len(members) < 2:
        return Straggler("cannot_judge", "there is one rank only.")
    if not sides.height:
        return Straggler("cannot_judge", "no collective is matched across the ranks.")
    if view.count < FEWEST:
        return Straggler("cannot_judge", f"{view.count + 1} matched collectives are too few.", judged=view.count)
    if uncertainty_ns is None:
        why = "nothing bounds the offset between the clocks of the exports."
        return Straggler("cannot_judge", why, judged=view.count)
    rank = pinned(view.last, view.caused, view.late, PINNED_LATENESS * view.interval)
    total = int(view.caused.sum())
    lost = total / (len(members) * view.span) if view.span > 0 else 0.0
    spreads = view.at.max(axis=1) - view.at.min(axis=1)
    spread, seldom_less = float(np.median(spreads)), float(np.quantile(spreads, 0.25))
    if rank is not None and lost >= LEAST_SHARE:
        place, own = rank
        each = float(np.median(view.caused[own])) / (len(members) - 1)
        if each <= uncertainty_ns:
            return _too_uncertain(view, uncertainty_ns)
        return _explained(exports, members, sides, view, place, own, total, round(each))
    is_regular = spread > ROTATING_LATENESS * view.interval and seldom_less > PINNED_LATENESS * view.interval
    places = taking_turns(view.last, view.caused, len(members))
    one_causes = int(np.bincount(view.last, weights=view.caused).max(initial=0))
    if (places or (is_regular and one_causes < MOST_OF_WAIT * total)) and lost >= LEAST_SHARE:
        if spread <= uncertainty_ns:
            return _too_uncertain(view, uncertainty_ns)
        late = [str(members[place].rank) for place in places]
        who = f"ranks {', '.join(late[:-1])} and {late[-1]}" if late else "the ranks"
        why = f"{who}{_of_one_host(exports, members, places)} take turns in coming last."
        share = 1.0 if total else None
        return Straggler("rotating", why, judged=view.count, wait_caused_ns=total, share=share, each_ns=round(spread))
    is_certain = 2 * int(view.caused[spreads > uncertainty_ns].sum()) > total and lost >= LEAST_SHARE
    if uncertainty_ns > max(ROTATING_LATENESS * view.interval, 1) and not is_certain:
        return _too_uncertain(view, uncertainty_ns)
    why = "the ranks come together." if lost < LEAST_SHARE else "which one comes last is no more regular than chance."
    return Straggler("none", why, judged=view.count, wait_caused_ns=total, each_ns=round(spread))


def _of_one_host(exports: Sequence[Digest], members: Sequence[Member], late: list[int]) -> str:
    """Say that the late ranks are those of one host, if they are: its GPUs or its network may be slow."""
    hosts = [exports[member.file].facts.host for member in members]
    own = {hosts[place] for place in late}
    others = {host for place, host in enumerate(hosts) if place not in late}
    return ", all of one host," if len(own) == 1 and None not in own | others and others and not own & others else ""


def _too_uncertain(view: _View, uncertainty_ns: int) -> Straggler:
    why = f"the clocks of the exports are known to {time(uncertainty_ns)} only, and the ranks may be late by less."
    return Straggler("cannot_judge", why, judged=view.count)


def _explained(
    exports: Sequence[Digest], members: Sequence[Member], sides: pl.DataFrame, view: _View, rank: int, own: Bools,
    total: int, each: int,
) -> Straggler:  # fmt: skip
    """Return the verdict on a rank that is late for these collectives, with what it did instead."""
    late = [match for match, is_own in zip(view.ids, own, strict=True) if is_own]
    differences = _differences(exports, members, sides, late, rank)
    lateness = float(np.median(view.late[own, rank])) or 1.0
    account, accounts = _account(differences, lateness)
    is_computing = account is not None and account.clock == "gpu" and account.kind == "computing"
    path = _range(differences, lateness, "launch" if is_computing else "cpu")
    wait = int(view.caused[view.last == rank].sum())
    return Straggler(
        kind="pinned",
        reason=f"rank {members[rank].rank} comes last.",
        judged=view.count,
        rank=members[rank].rank,
        last_count=int(own.sum()),
        wait_caused_ns=wait,
        share=wait / total if total else None,
        each_ns=each,
        account=account,
        range=path.rpartition(BETWEEN)[2] if path else None,
        range_path=path,
        accounts=accounts,
    )


def _differences(
    exports: Sequence[Digest], members: Sequence[Member], sides: pl.DataFrame, late: list[int], rank: int
) -> pl.DataFrame:
    """Return per account the mean over collectives of the late rank's time minus the median time of the others.

    Columns clock, kind, name, mean_ns, the largest first. NVTX ranges count only if all ranks have some.
    """
    of_late = sides.filter(pl.col("match_id").is_in(late))
    parts = []
    for place, member in enumerate(members):
        stretches = exports[member.file].stretches
        if stretches.height:
            ids = of_late.filter(pl.col("member") == place).select("match_id", "member", "collective_id")
            parts.append(ids.join(stretches, on="collective_id").drop("collective_id"))
    if not parts:
        return pl.DataFrame()
    rows = pl.concat(parts)
    is_alone = (pl.col("kind") == "nvtx") & (pl.col("member").n_unique().over("kind") < len(members))
    names = (pl.when(is_alone).then(pl.lit("outside")).otherwise(name).alias(name) for name in ("kind", "name"))
    rows = rows.with_columns(*names).group_by(pl.exclude("total_ns")).agg(pl.col("total_ns").sum())
    every = rows.select("clock", "kind", "name").unique()
    for name, values in (("match_id", late), ("member", list(range(len(members))))):
        every = every.join(pl.DataFrame({name: values}, schema={name: pl.Int64}), how="cross")
    full = every.join(rows, on=["clock", "kind", "name", "match_id", "member"], how="left", nulls_equal=True)
    full = full.with_columns(pl.col("total_ns").fill_null(0), is_own=pl.col("member") == rank)
    usual = pl.col("total_ns").filter(~pl.col("is_own")).median()
    own = pl.col("total_ns").filter(pl.col("is_own")).sum()
    more = full.group_by("clock", "kind", "name", "match_id").agg(more=own - usual)
    by_account = more.group_by("clock", "kind", "name").agg(mean_ns=pl.col("more").mean())
    return by_account.sort("mean_ns", "clock", "kind", "name", descending=[True, False, False, False])


def _account(differences: pl.DataFrame, lateness: float) -> tuple[Account | None, tuple[Account, ...]]:
    """Return the account that explains most of the lateness, if any, and the largest: those of GPUs if any."""
    if differences.is_empty():
        return None, ()
    has_gpu = bool((differences["clock"] == "gpu").any())
    own = differences.filter(pl.col("clock") == ("gpu" if has_gpu else "cpu"))
    order = own.filter(pl.col("mean_ns") > 0).sort("mean_ns", "name", descending=[True, False]).head(LARGEST)
    rows = order.select("clock", "kind", "name", "mean_ns").rows()
    largest = tuple(Account(clock, kind, name, round(ns)) for clock, kind, name, ns in rows)
    kinds = pl.when(pl.col("kind") == "idle").then("name").otherwise(pl.lit("")).alias("name")
    if not has_gpu:
        kinds, own = pl.lit("").alias("name"), own.with_columns(kind=pl.lit("host_code"))
    launching = pl.when(pl.col("name").is_in(LAUNCHING)).then(pl.lit("_and_".join(LAUNCHING))).otherwise("name")
    sums = own.group_by("clock", "kind", kinds).agg(pl.col("mean_ns").sum())
    for some in (sums, sums.group_by("clock", "kind", launching.alias("name")).agg(pl.col("mean_ns").sum())):
        best = some.sort("mean_ns", "kind", "name", descending=[True, False, False]).row(0, named=True)
        if best["mean_ns"] >= NAMED_SHARE * lateness:
            return Account(best["clock"], best["kind"], best["name"], round(best["mean_ns"])), largest
    return None, largest


def _range(differences: pl.DataFrame, lateness: float, clock: str) -> str | None:
    """Return the innermost NVTX range whose time, including nested ranges, explains most of the lateness.

    `clock` is cpu for the thread's time in the range, launch for the time of the kernels launched in it.
    """
    if differences.is_empty():
        return None
    of_clock = differences.filter((pl.col("clock") == clock) & (pl.col("kind") == "nvtx"))
    paths = {row["name"]: row["mean_ns"] for row in of_clock.to_dicts()}
    inside: dict[str, float] = {}
    for path, more in paths.items():
        names = path.split(BETWEEN)
        for depth in range(1, len(names) + 1):
            outer = BETWEEN.join(names[:depth])
            inside[outer] = inside.get(outer, 0.0) + more
    enough = [path for path, more in inside.items() if more >= NAMED_SHARE * lateness]
    return max(enough, key=lambda path: (path.count(BETWEEN), inside[path], path), default=None)
