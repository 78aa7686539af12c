"""Sample the steps of an export: their accounts on each GPU, or on the marking thread; sum calls of an interval."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import polars as pl

from nsysql.analysis.compare.job import added
from nsysql.analysis.compare.matching import LONGEST
from nsysql.analysis.digest import STEP, Account, GpuTime, Total, Unit
from nsysql.analysis.steps.step_series import loops_alike, with_known_end
from nsysql.capture.export import Export
from nsysql.errors import MissingData

SAMPLES = 512  # most samples of a capture; with more steps, a sample is several consecutive steps
NUMBERS = 12_000  # most numbers for all accounts and samples, to keep digests small
RUNS = 16  # most runs of consecutive steps whose calls and launches are summed
RANGES = 500  # most NVTX paths in a digest
SMALLER = "smaller ones"
SERIES = 3  # most series in a digest
ALIKE = ["found_by", "step_count", "loop"]  # columns in which the same series of several processes agree
CPU = "cpu"
BY = ["gpu_id", "kind", "name"]


def steps(run: Export) -> list[tuple[Unit, tuple[GpuTime, ...]]]:
    """Return the series of steps, the chosen one first, each merged with the same series of other processes: its steps
    that count as samples, and the accounts of all, complete or not.
    """
    try:
        every = run.query("step_series")
    except MissingData:
        return []
    order = ["is_chosen", "work_ns", "step_count", "series_id"]
    every = _with_loops(every.filter(pl.col("step_count") > 1).sort(order, descending=[True, True, False, False]))
    measured = []
    for row in every.unique(ALIKE, keep="first", maintain_order=True).head(SERIES).to_dicts():
        alike = every.filter(*(pl.col(name) == row[name] for name in ALIKE))
        kept: list[Series] = []
        for series in alike.to_dicts():
            one = _read(run, series)
            if one.kept.len() > 1 and one.accounts.height and not any(one.gpus & other.gpus for other in kept):
                kept.append(one)
        if kept:
            whole = pl.concat([one.accounts for one in kept]).with_columns(sample=pl.lit(0))
            measured.append((_unit(run, kept), _gpus(whole, 1, run.cause_titles)))
    return measured


def _with_loops(series: pl.DataFrame) -> pl.DataFrame:
    """Add `loop`: the name, or the group of series that no range marks and that differ by few launches."""
    loops = loops_alike(series, "process_id", "found_by", "step_count").select("series_id", "group")
    known = series.join(loops, on="series_id", how="left", maintain_order="left")
    return known.with_columns(loop=pl.coalesce(pl.col("group").cast(pl.String), "name")).drop("group")


@dataclass(frozen=True)
class Series:
    """A series with the times of its steps and the accounts of all; `asked` are the parameters that select it."""

    row: dict[str, Any]
    times: pl.DataFrame
    accounts: pl.DataFrame
    asked: dict[str, Any]

    @property
    def gpus(self) -> set[int | None]:
        return set(self.accounts["gpu_id"])

    @cached_property
    def kept(self) -> pl.Series:
        """The numbers of the steps to compare: complete, and with about as many launches as most, as in `steps`.

        All steps of the warm-up count; if no step is steady, as with layers, all complete ones do. The last does not if
        its end is not known.
        """
        of_warm_up = pl.col("step") < self.row["warm_up_count"]
        steady = of_warm_up | pl.col("is_steady") | pl.lit(not self.times["is_steady"].any())
        lacking = self.times.join(with_known_end(self.times), on=["gpu_id", "step"], how="anti", nulls_equal=True)
        whole = ~pl.col("step").is_in(lacking["step"].implode())
        return self.times.filter(pl.col("is_complete") & steady & whole)["step"].unique().sort()

    @property
    def warm_up(self) -> int:
        """The number of steps to compare before the first steady one."""
        first = self.times.filter("is_steady")["step"].min()
        return self.kept.filter(self.kept < first).len() if first is not None else 0

    @cached_property
    def runs(self) -> pl.DataFrame:
        """The longest runs of consecutive steps to compare: run, cpu_start_ns, cpu_end_ns, steps."""
        numbers = self.kept.to_frame("step").with_columns(run=(pl.col("step").diff() != 1).fill_null(True).cum_sum())
        runs = self.times.join(numbers, on="step").group_by("run")
        spans = runs.agg(pl.col("cpu_start_ns").min(), pl.col("cpu_end_ns").max(), steps=pl.col("step").unique())
        return spans.sort(pl.col("steps").list.len(), "run", descending=[True, False]).head(RUNS)

    def intervals(self) -> list[dict[str, Any]]:
        """Return the process and the CPU time interval of each of the `runs`, as query parameters."""
        return [self._asking(*times) for times in self.runs.select("cpu_start_ns", "cpu_end_ns").rows()]

    def first_interval(self) -> dict[str, Any]:
        """Return the process and the CPU time interval of the first steady step, as query parameters.

        On a coarse clock steps can take no time on the CPU: then the first that takes some is used.
        """
        steady = self.times.filter("is_steady" if self.times["is_steady"].any() else "is_complete")
        first = steady.sort(pl.col("cpu_dur_ns") == 0, "step").head(1)
        return self._asking(first["cpu_start_ns"][0], first["cpu_end_ns"][0])

    def _asking(self, start: int, end: int) -> dict[str, Any]:
        return {"process_id": self.row["process_id"], "start_ns": start, "end_ns": max(end, start + 1)}


def _read(run: Export, series: dict[str, Any]) -> Series:
    parameters = {"series": series["series_id"]}
    times, accounts = run.query("step_times", **parameters), _accounts(run, parameters)
    one = Series(series, times, accounts, parameters)
    places = one.kept.to_frame("step").with_row_index("place")
    return replace(one, accounts=accounts.join(places, on="step", how="left"))


def _unit(run: Export, alike: list[Series]) -> Unit:
    first = alike[0]
    accounts = pl.concat([series.accounts.drop_nulls("place") for series in alike])
    count = first.kept.len()
    most = min(SAMPLES, NUMBERS // max(1, accounts.select(BY).n_unique()))
    size = -(-count // max(2, most))  # steps in a sample
    parts = -(-count // size)
    intervals = [interval for series in alike for interval in series.intervals()]
    covered = int(first.runs["steps"].list.len().sum())
    return Unit(
        STEP,
        tuple(min(size, count - i * size) for i in range(parts)),
        _gpus(accounts.with_columns(sample=pl.col("place") // size), parts, run.cause_titles),
        added(calls(run, **interval) for interval in intervals),
        added(launches(run, **interval) for interval in intervals),
        _limited(added(_ranges(run, series) for series in alike)),
        _order(run, first),
        first.row["found_by"],
        first.row["name"],
        _share(run, first),
        first.warm_up,
        span_steps=0 if covered == count else covered,
        samples=added(samples(run, **interval) for interval in intervals),
    )


def _accounts(run: Export, parameters: dict[str, Any]) -> pl.DataFrame:
    """Return accounts of steps on GPUs, else on the thread: step, gpu_id, kind, name, total_ns, count."""
    if run.has("_gpu_work_ids"):
        return run.query("step_accounts", **parameters).with_columns(pl.col("name").fill_null("(no name)"))
    rows = run.query("cpu_accounts", **parameters)
    return rows.with_columns(gpu_id=pl.lit(None, pl.Int64), kind=pl.lit(CPU))


def _ranges(run: Export, series: Series) -> tuple[Total, ...]:
    """Sum the CPU time of the steps to compare by NVTX path; empty if the accounts have it, or there are no ranges."""
    if series.gpus == {None} or not run.has("NVTX_EVENTS"):
        return ()
    in_runs = pl.col("step").is_in(series.runs["steps"].explode().implode())
    rows = run.query("cpu_accounts", **series.asked).filter(in_runs)
    sums = rows.group_by("kind", "name").agg(pl.col("total_ns", "count").sum())
    return tuple(Total(row["kind"], row["name"], row["total_ns"], row["count"]) for row in sums.to_dicts())


def _limited(ranges: tuple[Total, ...]) -> tuple[Total, ...]:
    """Keep the RANGES largest and sum the rest as one."""
    rest = ranges[RANGES:]
    smaller = Total("rest", SMALLER, sum(r.amount for r in rest), sum(r.count for r in rest))
    return (*ranges[:RANGES], smaller) if rest else ranges


def _order(run: Export, series: Series) -> tuple[str, ...]:
    """Return the sequence of a step: kernels in launch order, else paths of ranges in order of start."""
    if run.has("_gpu_work_ids"):
        return sequence(run, **series.first_interval())
    rows = series.accounts.filter(pl.col("place") == 0).sort("first_start_ns", "name")
    return tuple(rows["name"])


def _gpus(rows: pl.DataFrame, samples: int, titles: dict[str, str]) -> tuple[GpuTime, ...]:
    sums = rows.group_by(*BY, "sample").agg(pl.col("total_ns", "count").sum())
    every = sums.select(BY).unique().join(pl.DataFrame({"sample": range(samples)}), how="cross")
    dense = every.join(sums, on=[*BY, "sample"], how="left", nulls_equal=True)
    dense = dense.with_columns(pl.col("total_ns", "count").fill_null(0))
    lists = dense.sort("sample").group_by(BY).agg("total_ns", "count")
    order = lists.with_columns(whole=pl.col("total_ns").list.sum())
    order = order.sort("gpu_id", "whole", "kind", "name", descending=[False, True, False, False], nulls_last=True)
    by_gpu: dict[int | None, list[Account]] = {}
    for row in order.to_dicts():
        title = row["name"].rpartition(" > ")[2] if row["kind"] == CPU else titles.get(row["name"])
        title = None if row["kind"] not in (CPU, "idle") or title == row["name"] else title
        account = Account(row["kind"], row["name"], tuple(row["total_ns"]), tuple(row["count"]), title)
        by_gpu.setdefault(row["gpu_id"], []).append(account)
    return tuple(GpuTime(gpu_id, tuple(accounts)) for gpu_id, accounts in by_gpu.items())


def _share(run: Export, series: Series) -> float:
    """Return the series' share of its time and of the busy time outside of it, the largest of a GPU; 1 without GPUs."""
    if series.gpus == {None}:
        return 1.0
    busy = pl.col("total_ns").filter(pl.col("kind") != "idle").sum()
    ours = series.accounts.group_by("gpu_id").agg(pl.col("total_ns").sum(), busy=busy)
    both = ours.join(run.query("gpu_time").select("gpu_id", "busy_ns"), on="gpu_id")
    whole = pl.col("total_ns") + pl.col("busy_ns") - pl.col("busy")
    return float(both.select((pl.col("total_ns") / whole).max()).item() or 0.0)


FUNCTIONS = 60  # most functions of host code in a digest


def calls(run: Export, **interval: Any) -> tuple[Total, ...]:
    return _totals(run, "launching_thread_calls", ("kind", "name", "total_ns", "count"), interval)


def launches(run: Export, **interval: Any) -> tuple[Total, ...]:
    """Return the launched GPU work by kind and name: count, and bytes of copies."""
    return _totals(run, "launched_work", ("kind", "name", "bytes", "count"), interval)


def samples(run: Export, **interval: Any) -> tuple[Total, ...]:
    """Return the functions of host code with most CPU samples; the others are summed by family."""
    every = _totals(run, "sampled_functions", ("family", "name", "total_ns", "count"), interval)
    return (*every[:FUNCTIONS], *added((replace(one, name="other functions"),) for one in every[FUNCTIONS:]))


def sequence(run: Export, **interval: Any) -> tuple[str, ...]:
    """Return the names of the first kernels in launch order."""
    return tuple(name for (name,) in _rows(run, "kernel_order", ("name",), {"top": LONGEST, **interval}))


def _totals(run: Export, query: str, columns: Sequence[str], interval: dict[str, Any]) -> tuple[Total, ...]:
    return tuple(Total(*row) for row in _rows(run, query, columns, interval))


def _rows(run: Export, query: str, columns: Sequence[str], parameters: dict[str, Any]) -> list[tuple[Any, ...]]:
    """Return these columns of a query; no rows if the export lacks what it needs."""
    try:
        return run.query(query, **parameters).select(columns).rows()
    except MissingData:
        return []
