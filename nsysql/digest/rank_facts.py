"""Read from one export what comparing it with others needs."""

from dataclasses import replace
from pathlib import Path

import polars as pl

from nsysql.analysis.ranks import payloads
from nsysql.analysis.ranks.facts import MEMBER, SERIES, SLICES, RankFacts
from nsysql.capture.export import Export
from nsysql.errors import MissingData


def read(run: Export, name: str | None = None) -> RankFacts:
    """The facts of an open export; `name` is the name that results show, by default the file's."""
    facts = RankFacts(
        name or Path(run.path).name,
        str(run.path),
        run.facts.session.utc_ns,
        run.facts.session.host,
        run.facts.launcher_rank,
    )
    on_gpu = run.has("_gpu_work_ids")
    facts = replace(facts, members=_members(run, on_gpu), steps=_steps(run))
    if on_gpu:
        accounts = run.query("gpu_accounts")
        by = ["gpu_id", "kind", pl.when(pl.col("kind") == "idle").then("name").alias("name")]
        facts = replace(
            facts,
            gpus=run.query("gpu_time"),
            accounts=accounts.group_by(by).agg(pl.col("total_ns").sum()).sort("gpu_id", "kind", "name"),
            busy=run.query("busy_over_time", slices=SLICES),
        )
    if run.has("_collective"):
        known = payloads.named(run.query("collectives"), payloads.calls(run.facts.payloads))
        order = ["clock", "kind", "name", "collective_id"]  # small when written
        facts = replace(facts, collectives=known, stretches=run.query("collective_accounts").sort(order))
    return facts


def _members(run: Export, on_gpu: bool) -> pl.DataFrame:
    """A row per process and GPU, or per process that called MPI."""
    mpi = _mpi(run)
    used = run.query("gpu_processes").select("pid", "gpu_id", "activities") if on_gpu else MEMBER.to_frame()
    used = used.select("pid", "gpu_id", "activities")
    alone = mpi.join(used, on="pid", how="anti").select("pid", gpu_id=pl.lit(None, pl.Int64), activities=pl.lit(0))
    members = pl.concat([used, alone], how="vertical_relaxed").join(mpi, on="pid", how="left")
    members = members.join(_nccl(run, used), on=["pid", "gpu_id"], how="left", nulls_equal=True)
    return members.select(MEMBER.names()).cast(MEMBER).sort("pid", "gpu_id", nulls_last=True)


def _nccl(run: Export, used: pl.DataFrame) -> pl.DataFrame:
    """Processes and GPUs with their NCCL rank: by its CUDA device, or by process if that has one rank only."""
    known_ranks = payloads.ranks(payloads.calls(run.facts.payloads))
    if known_ranks.is_empty():
        return MEMBER.to_frame().select("pid", "gpu_id", "nccl_rank")
    alone = known_ranks.filter(pl.len().over("pid") == 1).select("pid", only="nccl_rank")
    by_gpu = known_ranks.select("pid", gpu_id="device", own="nccl_rank").drop_nulls()
    both = used.join(by_gpu, on=["pid", "gpu_id"], how="left").join(alone, on="pid", how="left")
    return both.select("pid", "gpu_id", nccl_rank=pl.coalesce("only", "own"))


def _mpi(run: Export) -> pl.DataFrame:
    """The processes that called MPI, with their rank and their time in calls."""
    if not run.has("mpi_event"):
        return MEMBER.to_frame().select("pid", "mpi_rank", "mpi_ns", "mpi_span_ns")
    ranks = run.query("mpi_ranks").unique("pid", keep="first", maintain_order=True)
    return ranks.select("pid", mpi_rank="rank", mpi_ns="mpi_ns", mpi_span_ns="span_ns")


def _steps(run: Export) -> pl.DataFrame:
    """The median period of the steady steps of each process's main series, on each GPU."""
    try:
        series = run.query("step_series")
    except MissingData:
        return pl.DataFrame(schema=SERIES)
    found = [pl.DataFrame(schema=SERIES)]
    most = series.sort("work_ns", "is_chosen", "step_count", "series_id", descending=[True, True, True, False])
    for row in most.unique("pid", keep="first", maintain_order=True).iter_rows(named=True):
        times = run.query("step_times", series=row["series_id"]).filter("is_steady")
        period = pl.coalesce("period_ns", "cpu_ns").median()
        means = times.group_by("gpu_id").agg(period_ns=period, steps=pl.len())
        found.append(means.with_columns(pid=pl.lit(row["pid"])).select(SERIES.names()).cast(SERIES))
    return pl.concat(found).sort("pid", "gpu_id", nulls_last=True)
