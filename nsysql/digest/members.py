"""What the ranks of a job and many runs are told by: GPUs, processes, periods of steps, collectives, busy time."""

from dataclasses import replace
from typing import Any

import polars as pl

from nsysql.analysis.digest import FRAMES, SLICES, Digest
from nsysql.analysis.ranks import payloads
from nsysql.capture.export import Export
from nsysql.errors import MissingData

PROFILER = "profiler"  # the cause of idle time that is not the program's
MEMBER, PERIODS = FRAMES["members"], FRAMES["periods"]


def with_members(found: Digest, run: Export) -> Digest:
    """The digest of an open export with its frames."""
    on_gpu = run.has("_gpu_work_ids")
    frames = {"members": _members(run, on_gpu), "periods": _periods(run)}
    if on_gpu:
        frames |= {"gpus": _gpus(run), "busy": run.query("busy_over_time", slices=SLICES)}
    if run.has("_collective"):
        frames["collectives"] = payloads.named(run.query("collectives"), payloads.calls(run.facts.payloads))
        order = ["clock", "kind", "name", "collective_id"]  # small when written
        frames["stretches"] = run.query("collective_accounts").sort(order)
    kept: Any = {name: frame.select(FRAMES[name].names()).cast(FRAMES[name]) for name, frame in frames.items()}
    return replace(found, **kept)


def _gpus(run: Export) -> pl.DataFrame:
    """A row per GPU: its window, the time of each kind of work, and the cause of most idle time."""
    titles: dict[str, str] = dict(run.query("idle_cause").select("cause", "title").iter_rows())
    accounts = run.query("gpu_accounts")
    rows = []
    for time in run.query("gpu_time").iter_rows(named=True):
        own = accounts.filter(pl.col("gpu_id").eq_missing(pl.lit(time["gpu_id"], pl.Int64)))
        sums: dict[str, int] = dict(own.group_by("kind").agg(pl.col("total_ns").sum()).iter_rows())
        idle = own.filter(pl.col("kind") == "idle", pl.col("name") != PROFILER)
        idle = idle.sort("total_ns", "name", descending=[True, False])
        cause: dict[str, Any] = next(idle.iter_rows(named=True), {})
        rows.append(
            {
                **{
                    name: time[name]
                    for name in ("gpu_id", "name", "window_start_ns", "window_ns", "busy_ns", "idle_ns")
                },
                "computing_ns": sums.get("computing", 0) + sums.get("graph", 0),
                "exposed_communication_ns": sums.get("communication", 0),
                "main_cause": cause.get("name"),
                "main_cause_title": titles.get(cause.get("name", "")),
                "main_cause_ns": cause.get("total_ns"),
            }
        )
    return pl.DataFrame(rows, schema=FRAMES["gpus"])


def _members(run: Export, on_gpu: bool) -> pl.DataFrame:
    """A row per process and GPU, or per process that called MPI."""
    mpi = _mpi(run)
    used = run.query("gpu_processes").select("pid", "gpu_id", "activities") if on_gpu else MEMBER.to_frame()
    used = used.select("pid", "gpu_id", "activities")
    alone = mpi.join(used, on="pid", how="anti").select("pid", gpu_id=pl.lit(None, pl.Int64), activities=pl.lit(0))
    members = pl.concat([used, alone], how="vertical_relaxed").join(mpi, on="pid", how="left")
    members = members.join(_nccl(run, used), on=["pid", "gpu_id"], how="left", nulls_equal=True)
    return members.sort("pid", "gpu_id", nulls_last=True)


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


def _periods(run: Export) -> pl.DataFrame:
    """The median period of the steady steps of each process's main series, on each GPU."""
    try:
        series = run.query("step_series")
    except MissingData:
        return pl.DataFrame(schema=PERIODS)
    found = [pl.DataFrame(schema=PERIODS)]
    most = series.sort("work_ns", "is_chosen", "step_count", "series_id", descending=[True, True, True, False])
    for row in most.unique("pid", keep="first", maintain_order=True).iter_rows(named=True):
        times = run.query("step_times", series=row["series_id"]).filter("is_steady")
        period = pl.coalesce("period_ns", "cpu_dur_ns").median()
        means = times.group_by("gpu_id").agg(period_ns=period, steps=pl.len())
        found.append(means.with_columns(pid=pl.lit(row["pid"])).select(PERIODS.names()).cast(PERIODS))
    return pl.concat(found).sort("pid", "gpu_id", nulls_last=True)
