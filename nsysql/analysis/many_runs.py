"""Compare many runs as frames: the rows of each, outliers, how much the runs differ, and when each was busy."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl

from nsysql.analysis.compare.side import side_of
from nsysql.analysis.digest import STEP, WINDOW, Digest

COLUMNS = 48  # of the map of busy time


@dataclass(frozen=True)
class Busy:
    """Columns of `column_ns` from the start of the first GPU on; `shares` of each GPU, None outside of its window."""

    column_ns: int
    shares: tuple[tuple[float | None, ...], ...]


def busy(parts: Sequence[pl.DataFrame], offsets: Sequence[int]) -> Busy | None:
    """Map when GPUs with these rows of busy_over_time are busy, in order of time; offsets are added to their times.

    Within a row the busy time is assumed to be even. None without any work.
    """
    ends = [(own["start_ns"][0] + add, own["end_ns"][-1] + add) for own, add in zip(parts, offsets, strict=True)]
    if not ends:
        return None
    start, end = min(first for first, _ in ends), max(last for _, last in ends)
    column = max(1, -(-(end - start) // COLUMNS))
    borders = np.arange(-(-max(end - start, 1) // column) + 1, dtype=np.int64) * column
    return Busy(column, tuple(_shares(own, borders, start - add) for own, add in zip(parts, offsets, strict=True)))


def _shares(own: pl.DataFrame, borders: "np.ndarray[Any, np.dtype[np.int64]]", start: int) -> tuple[float | None, ...]:
    edges = np.append(own["start_ns"].to_numpy(), own["end_ns"][-1]) - start
    reached = np.diff(np.interp(borders, edges, np.append(0, own["busy_ns"].cum_sum().to_numpy())))
    inside = np.diff(np.clip(borders, edges[0], edges[-1]))
    return tuple(min(1.0, b / w) if w else None for b, w in zip(reached.tolist(), inside.tolist(), strict=True))


FEWEST = 4  # rows needed for outliers
FAR = 5.0  # median absolute deviations from the median that make an outlier
APART = 4  # times the longest window: captures further apart than this are aligned at their first work
WORTH = 0.01  # share of the median: smaller deviations are never outliers, however small the MAD
MEASURES = ("window_ns", "busy_ns", "idle_ns", "exposed_communication_ns", "period_ns")
# `deviations` are NULL if at least half of the values equal the median
OUTLIERS = ("program", "run", "gpu_id", "measure", "value_ns", "median_ns", "deviations")
SPREAD = (
    *("program", "unit", "kind", "name", "title", "runs", "median_ns", "min_ns", "max_ns"),  # unit: run, window or step
    *("relative_mad_pct", "range_pct"),  # median absolute deviation, of the median; largest by smallest, minus 1
)


@dataclass(frozen=True)
class HeatMap:
    """The busy shares of GPUs, a pair of run and gpu_id for each row.

    aligned_by is `session start` if all are on one clock, or `window` if each run begins at its own window.
    """

    busy: Busy
    aligned_by: str
    gpus: list[tuple[str, int]]


@dataclass(frozen=True)
class ManyRuns:
    """Many runs in frames, each with the column `run` first, in the order of the runs.

    `status` has a row for each file: run, path, status, seconds, reason. `overview` has rows of OVERVIEW,
    `accounts` of ACCOUNTS, `busy` of busy_over_time, of the runs that were read.
    """

    title: str
    status: pl.DataFrame
    overview: pl.DataFrame
    accounts: pl.DataFrame
    busy: pl.DataFrame

    @cached_property
    def outliers(self) -> pl.DataFrame:
        """The outliers (OUTLIERS)."""
        return outliers(self.overview)

    @cached_property
    def spread(self) -> pl.DataFrame:
        """The differences between the runs (SPREAD)."""
        return spread(self.overview, self.accounts)

    @cached_property
    def heat_map(self) -> HeatMap | None:
        """The map of when each GPU was busy, in the order of `overview`."""
        gpus = self.overview.filter(pl.col("window_ns") > 0).to_dicts()
        parts = [self.busy.filter(pl.col("gpu_id").eq_missing(pl.lit(gpu["gpu_id"])), run=gpu["run"]) for gpu in gpus]
        starts = [gpu["session_start_utc_ns"] for gpu in gpus]
        longest = max((gpu["window_ns"] for gpu in gpus), default=0)
        heat = None if None in starts else busy(parts, starts)
        is_one_clock = heat is not None and heat.column_ns * len(heat.shares[0]) <= APART * longest
        if not is_one_clock:
            heat = busy(parts, [-gpu["window_start_ns"] for gpu in gpus])
        if heat is None:
            return None
        return HeatMap(heat, "session start" if is_one_clock else "window", [(g["run"], g["gpu_id"]) for g in gpus])

    @cached_property
    def failed(self) -> pl.DataFrame:
        """The files that could not be read: run, path, reason."""
        return self.status.filter(pl.col("reason").is_not_null()).select("run", "path", "reason")


def outliers(overview: pl.DataFrame) -> pl.DataFrame:
    """Return one row per outlier (run, GPU, measure) of its program on its GPU model, the farthest first.

    Fewer than 4 rows have none.
    """
    by, value, middle = ["program", "gpu_name", "measure"], pl.col("value_ns"), pl.col("median_ns")
    known = overview.unpivot(
        MEASURES, index=["program", "gpu_name", "run", "gpu_id"], variable_name="measure", value_name="value_ns"
    ).drop_nulls("value_ns")
    known = known.filter(pl.len().over(by) >= FEWEST).with_columns(median_ns=value.median().over(by))
    away, deviation = value - middle, pl.col("deviation")
    known = known.with_columns(deviation=away.abs().median().over(by))
    far = known.filter(away.abs() > pl.max_horizontal(FAR * deviation, WORTH * middle.abs()))
    far = far.with_columns(deviations=pl.when(deviation > 0).then(away / deviation))
    size = pl.col("deviations").abs().fill_null(float("inf"))
    return far.sort(size, "run", "gpu_id", "measure", descending=[True, False, False, False]).select(*OUTLIERS)


def spread(overview: pl.DataFrame, accounts: pl.DataFrame) -> pl.DataFrame:
    """Measure how much the runs of a program differ: one row per measure of a run and per account of a unit.

    The program with the most runs comes first; its measures, then the accounts of a step and of the window, the largest
    median first. A run is the mean over its GPUs. A run without an account counts as 0 if it has the unit. No rows for
    programs with fewer than 2 runs.
    """
    of_run = overview.group_by("run", "program").agg(pl.col(name).cast(pl.Float64).mean() for name in MEASURES)
    measured = of_run.unpivot(MEASURES, index="program", variable_name="name", value_name="ns").drop_nulls("ns")
    unit, kind, title = pl.lit("run").alias("unit"), pl.lit("").alias("kind"), pl.lit(None, pl.String).alias("title")
    measured = measured.select("program", unit, kind, "name", title, "ns")
    rows = pl.concat([measured, _dense(accounts.join(of_run.select("run", "program"), on="run"))])
    by = ["program", "unit", "kind", "name"]
    ns, middle, title = pl.col("ns"), pl.col("ns").median(), pl.col("title").drop_nulls().sort().first()
    of = {"median_ns": middle, "min_ns": ns.min(), "max_ns": ns.max(), "mad": (ns - middle).abs().median()}
    spreads = rows.group_by(by).agg(title, runs=pl.len().cast(pl.Int64), **of)
    spreads = spreads.filter(pl.col("runs") > 1, pl.col("max_ns") > 0).with_columns(
        relative_mad_pct=pl.when(pl.col("median_ns") > 0).then(100 * pl.col("mad") / pl.col("median_ns")),
        range_pct=pl.when(pl.col("min_ns") > 0).then(100 * (pl.col("max_ns") / pl.col("min_ns") - 1)),
        place=pl.col("unit").replace_strict({"run": 0, "step": 1, "window": 2}, default=3),
        row=pl.col("name").replace_strict(dict(zip(MEASURES, range(9), strict=False)), default=9),
    )
    most = (-pl.col("runs")).min().over("program")
    return spreads.sort(most, "program", "place", "row", -pl.col("median_ns"), "kind", "name").select(*SPREAD)


def _dense(accounts: pl.DataFrame) -> pl.DataFrame:
    """Return program, unit, kind, name, title, ns: a row per run with the unit, with ns 0 if it lacks the account."""
    by = ["program", "unit", "kind", "name"]
    known = accounts.group_by(by).agg(pl.col("title").drop_nulls().sort().first(), ns=pl.col("unit_ns"))
    units = accounts.select("run", *by[:2]).unique().group_by(by[:2]).agg(pl.len().alias("runs"))
    filled = known.join(units, on=by[:2], nulls_equal=True).with_columns(
        pl.concat_list("ns", pl.lit(0.0).repeat_by(pl.col("runs") - pl.col("ns").list.len()))
    )
    return filled.select(*by, "title", "ns").explode("ns")


OVERVIEW = {
    "program": pl.String,  # of the process with the most kernels; NULL if not recorded
    "gpu_id": pl.Int64,  # NULL if no GPU worked
    "gpu_name": pl.String,
    "window_start_ns": pl.Int64,
    "window_ns": pl.Int64,
    "busy_ns": pl.Int64,
    "idle_ns": pl.Int64,
    "exposed_communication_ns": pl.Int64,
    "main_cause": pl.String,  # of idle time, except the profiler's own
    "main_cause_title": pl.String,
    "main_cause_ns": pl.Int64,
    "period_ns": pl.Int64,  # median of the steady steps, on this GPU if they have work there
    "steady_steps": pl.Int64,
    "limits": pl.String,  # codes of findings, the most important first, separated by commas
    "session_start_utc_ns": pl.Int64,
}
ACCOUNTS = {
    "unit": pl.String,  # window or step
    "kind": pl.String,
    "name": pl.String,
    "title": pl.String,
    "unit_ns": pl.Float64,  # mean over the steps, or of the window; mean over the GPUs
}


def overview(digest: Digest) -> pl.DataFrame:
    """Return a row per GPU (OVERVIEW); one without a GPU if none worked."""
    limits = ",".join(dict.fromkeys(one.code for one in digest.findings if not one.is_once)) or None
    gpus = digest.gpus.rename({"name": "gpu_name"}) if digest.gpus.height else pl.DataFrame({"gpu_id": [None]})
    most = digest.periods.sort(pl.col("period_ns") * pl.col("steps"), "pid", descending=[True, False])
    periods = most.unique("gpu_id", keep="first", maintain_order=True)
    periods = periods.select("gpu_id", pl.col("period_ns").round().cast(pl.Int64), steady_steps="steps")
    rows = gpus.cast({"gpu_id": pl.Int64}).join(periods, on="gpu_id", how="left", nulls_equal=True)
    of_capture = {"program": digest.facts.program, "session_start_utc_ns": digest.facts.session_utc_ns}
    of_capture["limits"] = limits if digest.gpus.height else None
    rows = rows.with_columns(**{name: pl.lit(value, OVERVIEW[name]) for name, value in of_capture.items()})
    missing = [pl.lit(None, kind).alias(name) for name, kind in OVERVIEW.items() if name not in rows.columns]
    return rows.with_columns(missing).select(*OVERVIEW).sort("gpu_id")


def accounts(digest: Digest) -> pl.DataFrame:
    """Return the accounts of each unit of time (ACCOUNTS)."""
    rows = []
    for unit in filter(None, (digest.unit(WINDOW), digest.unit(STEP))):
        side = side_of([digest], [unit], None)
        titles = side.titles()
        rows += [(unit.kind, *key, titles.get(key), float(ns)) for key, ns in side.mean_ns.items()]
    return pl.DataFrame(rows, schema=ACCOUNTS, orient="row")
