"""Steady steps of an export as samples: their accounts on each GPU, or on the marking thread."""

from typing import Any

import polars as pl

from nsysql.comparison.capture import Account, GpuTime, Unit
from nsysql.errors import MissingData
from nsysql.export import Export
from nsysql.pages.compare.totals import calls, cause_titles, launches, sequence

SAMPLES = 512  # of a capture at most; of more steps, several that follow each other are a sample
NUMBERS = 25_000  # of all accounts and samples at most: a digest is small
CPU = "cpu"
BY = ["gpu_id", "kind", "name"]


def steps(run: Export, kind: str, **parameters: Any) -> Unit | None:
    """The steady steps of the chosen series; None where the export has none, or only one that is steady."""
    try:
        found = run.query("step_series", **parameters).filter("is_chosen").to_dicts()
        times = run.query("step_times", **parameters)
        accounts = _accounts(run, parameters)
    except MissingData:
        return None
    steady = times.filter("is_steady")
    numbers = steady["step"].unique().sort()
    if not found or len(numbers) < 2:
        return None
    series = found[0]
    size = _size(numbers, accounts)
    stretch = {
        "process_id": series["process_id"],
        "start_ns": steady["cpu_start_ns"].min(),
        "end_ns": steady["cpu_end_ns"].max(),
    }
    first = steady.row(0, named=True)
    one = {**stretch, "start_ns": first["cpu_start_ns"], "end_ns": first["cpu_end_ns"]}
    samples = -(-len(numbers) // size)
    return Unit(
        kind,
        tuple(min(size, len(numbers) - i * size) for i in range(samples)),
        _gpus(accounts.join(_places(numbers, size), on="step"), samples, cause_titles(run)),
        calls(run, **stretch),
        launches(run, **stretch),
        _order(run, first["step"], accounts, one),
        series["found_by"],
        series["name"],
        _share(run, times),
    )


def _accounts(run: Export, parameters: dict[str, Any]) -> pl.DataFrame:
    """The accounts of steady steps, of the GPUs or else of the thread: step, gpu_id, kind, name, total_ns, count."""
    if run.has("_gpu_work_ids"):
        rows = run.query("step_accounts", **parameters)
        return rows.filter("is_steady").with_columns(pl.col("name").fill_null("(no name)"))
    rows = run.query("cpu_accounts", **parameters).filter("is_steady")
    return rows.with_columns(gpu_id=pl.lit(None, pl.Int64), kind=pl.lit(CPU))


def _order(run: Export, first: int, accounts: pl.DataFrame, one: dict[str, Any]) -> tuple[str, ...]:
    """What a step does in order: kernels as they are launched, else the paths of ranges as they begin."""
    if run.has("_gpu_work_ids"):
        return sequence(run, **one)
    rows = accounts.filter(pl.col("step") == first).sort("first_start_ns", "name")
    return tuple(rows["name"])


def _size(numbers: pl.Series, accounts: pl.DataFrame) -> int:
    """Steps of a sample."""
    most = min(SAMPLES, NUMBERS // max(1, accounts.select(BY).n_unique()))
    return -(-len(numbers) // max(2, most))


def _places(numbers: pl.Series, size: int) -> pl.DataFrame:
    return pl.DataFrame({"step": numbers}).with_columns(sample=pl.int_range(pl.len()) // size)


def _gpus(rows: pl.DataFrame, samples: int, titles: dict[str, str]) -> tuple[GpuTime, ...]:
    sums = rows.group_by(*BY, "sample").agg(pl.col("total_ns", "count").sum())
    every = sums.select(BY).unique().join(pl.DataFrame({"sample": range(samples)}), how="cross")
    dense = every.join(sums, on=[*BY, "sample"], how="left", nulls_equal=True).fill_null(0)
    lists = dense.sort("sample").group_by(BY).agg("total_ns", "count")
    order = lists.with_columns(whole=pl.col("total_ns").list.sum())
    order = order.sort("gpu_id", "whole", "kind", "name", descending=[False, True, False, False], nulls_last=True)
    found: dict[int | None, list[Account]] = {}
    for row in order.to_dicts():
        title = row["name"].rpartition("/")[2] if row["kind"] == CPU else titles.get(row["name"])
        title = None if row["kind"] not in (CPU, "idle") or title == row["name"] else title
        account = Account(row["kind"], row["name"], tuple(row["total_ns"]), tuple(row["count"]), title)
        found.setdefault(row["gpu_id"], []).append(account)
    return tuple(GpuTime(gpu_id, tuple(accounts)) for gpu_id, accounts in found.items())


def _share(run: Export, times: pl.DataFrame) -> float:
    """How much of the window the series covers, on the GPU where that is most; 1 where there is none."""
    ends = times.group_by("gpu_id").agg(start=pl.col("gpu_start_ns").min(), end=pl.col("gpu_end_ns").max())
    if times["gpu_id"].null_count() == times.height:
        return 1.0
    both = ends.join(run.query("gpu_time").select("gpu_id", "window_ns"), on="gpu_id")
    return float(both.select(((pl.col("end") - pl.col("start")) / pl.col("window_ns")).max()).item() or 0.0)
