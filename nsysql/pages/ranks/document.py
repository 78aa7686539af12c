"""The ranks page as JSON with exact values; docs/ranks.md describes it."""

from typing import Any

import polars as pl

from nsysql.analysis.ranks.clocks import Clock
from nsysql.analysis.ranks.job import Job
from nsysql.analysis.ranks.straggler import Straggler
from nsysql.pages.ranks.sentences import sentences

SCHEMA = "nsysql.ranks/1"  # adding a key does not change the number; removing or changing one does


def document(job: Job) -> dict[str, Any]:
    """The page as lists and dictionaries."""
    return {
        "schema": SCHEMA,
        "kind": job.kind,
        "sentences": sentences(job),
        "ranks": job.ranks.to_dicts(),
        "clock": [_clock(clock) for clock in job.clocks],
        "straggler": _straggler(job.straggler),
        "collectives": {
            "matched": job.matched.count,
            "unmatched": [{"why": why, "count": count} for why, count in job.matched.left_out],
            "by_name": by_name(job).to_dicts(),
            "longest": longest(job).to_dicts(),
        },
        "imbalance": _imbalance(job),
        "problems": list(job.problems),
    }


def by_name(job: Job) -> pl.DataFrame:
    """One row per name of matched collectives: name, source, count, wait_ns and transfer_ns summed over ranks."""
    sums = job.sides.group_by("name", "source").agg(
        pl.col("match_id").n_unique().alias("count"), pl.col("wait_ns", "transfer_ns").sum()
    )
    return sums.sort("wait_ns", "name", "source", descending=[True, False, False])


def longest(job: Job, rows: int = 5) -> pl.DataFrame:
    """The collectives with most waiting: match_id, name, at_ns (last arrival), last_rank, wait_ns summed over ranks."""
    ranks = pl.DataFrame(
        {"member": range(len(job.members)), "last_rank": [member.rank for member in job.members]},
        schema={"member": pl.Int64, "last_rank": pl.Int64},
    )
    sums = job.sides.group_by("match_id").agg(
        pl.col("name").first(),
        pl.col("at_ns").max(),
        pl.col("member").filter("is_last").first(),
        pl.col("wait_ns").sum(),
    )
    with_rank = sums.join(ranks, on="member", how="left").select("match_id", "name", "at_ns", "last_rank", "wait_ns")
    return with_rank.sort("wait_ns", "match_id", descending=[True, False]).head(rows)


def _clock(clock: Clock) -> dict[str, Any]:
    return {
        "run": clock.run,
        "offset_ns": clock.offset_ns,
        "uncertainty_ns": clock.uncertainty_ns,
        "scatter_ns": clock.scatter_ns,
        "from": clock.said_by,
        "session_offset_ns": clock.session_ns,
        "drift_ppm": clock.drift * 1e6,
        "offset_at_ns": clock.at_ns,
        "problem": clock.problem,
    }


def _straggler(found: Straggler) -> dict[str, Any]:
    account = found.account
    return {
        "kind": found.kind,
        "reason": found.reason,
        "rank": found.rank,
        "judged": found.judged,
        "last_count": found.last,
        "wait_caused_ns": found.wait_caused_ns,
        "share": found.share,
        "each_ns": found.each_ns,
        "account": None if account is None else (account.name if account.kind == "idle" else account.kind),
        "account_ns": None if account is None else account.more_ns,
        "range": found.range,
        "range_path": found.path,
        "accounts": [{"clock": a.clock, "kind": a.kind, "name": a.name, "more_ns": a.more_ns} for a in found.accounts],
    }


def _imbalance(job: Job) -> dict[str, Any] | None:
    found = job.imbalance
    if found is None:
        return None
    return {
        "ratio": found.ratio,
        "slowest_rank": found.slowest_rank,
        "slowest_ns": found.slowest_ns,
        "fastest_rank": found.fastest_rank,
        "fastest_ns": found.fastest_ns,
    }
