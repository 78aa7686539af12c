"""Steady steps of an export as samples: their accounts on each GPU, or on the marking thread."""

from dataclasses import dataclass
from typing import Any

import polars as pl

from nsysql.analysis.compare.capture import Account, GpuTime, Total, Unit
from nsysql.capture.export import Export
from nsysql.errors import MissingData
from nsysql.pages.compare.totals import added, calls, cause_titles, launches, sequence

SAMPLES = 512  # most samples of a capture; with more steps, a sample is several consecutive steps
NUMBERS = 25_000  # most numbers for all accounts and samples, to keep digests small
RANGES = 500  # NVTX paths of a digest
CPU = "cpu"
BY = ["gpu_id", "kind", "name"]


def steps(run: Export, kind: str, **parameters: Any) -> Unit | None:
    """The steady steps of the chosen series, together with the same series of other processes.

    None if the export has fewer than two steady steps. Raises MissingData if no range has the requested name.
    """
    try:
        every = run.query("step_series", **parameters)
    except MissingData:
        if parameters:
            raise
        return None
    chosen = every.filter(pl.col("is_chosen") & (pl.col("steady_count") > 1)).to_dicts()
    if not chosen:
        return None
    alike = every.filter(*(pl.col(name) == chosen[0][name] for name in ("found_by", "name", "steady_count")))
    found: list[Series] = []
    for series in alike.sort("is_chosen", "series_id", descending=[True, False]).to_dicts():
        one = _read(run, series, parameters)
        if not any(one.gpus & other.gpus for other in found):
            found.append(one)
    return _unit(run, kind, found)


@dataclass(frozen=True)
class Series:
    """A series with the times and accounts of its steady steps; `asked` are the parameters that select it."""

    row: dict[str, Any]
    times: pl.DataFrame
    accounts: pl.DataFrame
    asked: dict[str, Any]

    @property
    def gpus(self) -> set[int | None]:
        """The GPUs that its steps use."""
        return set(self.accounts["gpu_id"])

    def stretch(self, first_only: bool = False) -> dict[str, Any]:
        """Its process and CPU time interval, or that of its first steady step, as query parameters."""
        steady = self.times.filter("is_steady")
        steady = steady.filter(pl.col("step") == steady["step"].min()) if first_only else steady
        start, end = steady["cpu_start_ns"].min(), steady["cpu_end_ns"].max()
        return {"process_id": self.row["process_id"], "start_ns": start, "end_ns": end}


def _read(run: Export, series: dict[str, Any], parameters: dict[str, Any]) -> Series:
    asked = parameters if series["is_chosen"] else {**parameters, "series": series["series_id"]}
    times, accounts = run.query("step_times", **asked), _accounts(run, asked)
    places = times.filter("is_steady").select(pl.col("step").unique().sort()).with_row_index("place")
    return Series(series, times, accounts.join(places, on="step"), asked)


def _unit(run: Export, kind: str, found: list[Series]) -> Unit:
    first, accounts = found[0], pl.concat([series.accounts for series in found])
    count = first.row["steady_count"]
    size = _size(count, accounts)
    samples = -(-count // size)
    return Unit(
        kind,
        tuple(min(size, count - i * size) for i in range(samples)),
        _gpus(accounts.with_columns(sample=pl.col("place") // size), samples, cause_titles(run)),
        added(calls(run, **series.stretch()) for series in found),
        added(launches(run, **series.stretch()) for series in found),
        _limited(added(_ranges(run, series) for series in found)),
        _order(run, first),
        first.row["found_by"],
        first.row["name"],
        _share(run, first.times),
    )


def _accounts(run: Export, parameters: dict[str, Any]) -> pl.DataFrame:
    """Accounts of steady steps on GPUs, else on the thread: step, gpu_id, kind, name, total_ns, count."""
    if run.has("_gpu_work_ids"):
        rows = run.query("step_accounts", **parameters)
        return rows.filter("is_steady").with_columns(pl.col("name").fill_null("(no name)"))
    rows = run.query("cpu_accounts", **parameters).filter("is_steady")
    return rows.with_columns(gpu_id=pl.lit(None, pl.Int64), kind=pl.lit(CPU))


def _ranges(run: Export, series: Series) -> tuple[Total, ...]:
    """The CPU time of the steady steps by NVTX path; empty if the accounts have it, or there are no ranges."""
    if series.gpus == {None} or not run.has("NVTX_EVENTS"):
        return ()
    rows = run.query("cpu_accounts", **series.asked).filter("is_steady")
    sums = rows.group_by("kind", "name").agg(pl.col("total_ns", "count").sum())
    return tuple(Total(row["kind"], row["name"], row["total_ns"], row["count"]) for row in sums.to_dicts())


def _limited(ranges: tuple[Total, ...]) -> tuple[Total, ...]:
    """The RANGES largest, and the rest as one."""
    if len(ranges) <= RANGES:
        return ranges
    rest = ranges[RANGES:]
    return (*ranges[:RANGES], Total("rest", "smaller ones", sum(r.amount for r in rest), sum(r.count for r in rest)))


def _order(run: Export, series: Series) -> tuple[str, ...]:
    """The sequence of a step: kernels in launch order, else paths of ranges in order of start."""
    if run.has("_gpu_work_ids"):
        return sequence(run, **series.stretch(first_only=True))
    rows = series.accounts.filter(pl.col("place") == 0).sort("first_start_ns", "name")
    return tuple(rows["name"])


def _size(count: int, accounts: pl.DataFrame) -> int:
    """The number of steps in a sample."""
    most = min(SAMPLES, NUMBERS // max(1, accounts.select(BY).n_unique()))
    return -(-count // max(2, most))


def _gpus(rows: pl.DataFrame, samples: int, titles: dict[str, str]) -> tuple[GpuTime, ...]:
    sums = rows.group_by(*BY, "sample").agg(pl.col("total_ns", "count").sum())
    every = sums.select(BY).unique().join(pl.DataFrame({"sample": range(samples)}), how="cross")
    dense = every.join(sums, on=[*BY, "sample"], how="left", nulls_equal=True).fill_null(0)
    lists = dense.sort("sample").group_by(BY).agg("total_ns", "count")
    order = lists.with_columns(whole=pl.col("total_ns").list.sum())
    order = order.sort("gpu_id", "whole", "kind", "name", descending=[False, True, False, False], nulls_last=True)
    found: dict[int | None, list[Account]] = {}
    for row in order.to_dicts():
        title = row["name"].rpartition(" > ")[2] if row["kind"] == CPU else titles.get(row["name"])
        title = None if row["kind"] not in (CPU, "idle") or title == row["name"] else title
        account = Account(row["kind"], row["name"], tuple(row["total_ns"]), tuple(row["count"]), title)
        found.setdefault(row["gpu_id"], []).append(account)
    return tuple(GpuTime(gpu_id, tuple(accounts)) for gpu_id, accounts in found.items())


def _share(run: Export, times: pl.DataFrame) -> float:
    """The largest share of a GPU's window that the series covers; 1 without a GPU."""
    ends = times.group_by("gpu_id").agg(start=pl.col("gpu_start_ns").min(), end=pl.col("gpu_end_ns").max())
    if times["gpu_id"].null_count() == times.height:
        return 1.0
    both = ends.join(run.query("gpu_time").select("gpu_id", "window_ns"), on="gpu_id")
    return float(both.select(((pl.col("end") - pl.col("start")) / pl.col("window_ns")).max()).item() or 0.0)
