"""Many runs as frames: outliers, how much the runs differ, and when each was busy."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import polars as pl

from nsysql.pages.heat import Busy, busy

FEWEST = 4  # rows needed for outliers
FAR = 5.0  # median absolute deviations from the median that make an outlier
APART = 4  # times the longest window: captures further apart are aligned at their first work
WORTH = 0.01  # share of the median: smaller deviations are no outliers, however small the MAD
MEASURES = ("window_ns", "busy_ns", "idle_ns", "exposed_communication_ns", "period_ns")
OUTLIERS = {
    "program": pl.String,
    "run": pl.String,
    "gpu_id": pl.Int64,
    "measure": pl.String,
    "value_ns": pl.Int64,
    "median_ns": pl.Float64,
    "deviations": pl.Float64,  # NULL if at least half of the values equal the median
}
SPREAD = {
    "program": pl.String,
    "unit": pl.String,  # run, window or step
    "kind": pl.String,
    "name": pl.String,
    "title": pl.String,
    "runs": pl.Int64,
    "median_ns": pl.Float64,
    "min_ns": pl.Float64,
    "max_ns": pl.Float64,
    "relative_mad_pct": pl.Float64,  # median absolute deviation, of the median
    "range_pct": pl.Float64,  # largest divided by smallest, minus 1
}


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

    `status` has a row for each file: run, path, status, seconds, reason. `overview` has rows of one.OVERVIEW,
    `accounts` of one.ACCOUNTS, `busy` of busy_over_time, of the runs that were read.
    """

    title: str
    status: pl.DataFrame
    overview: pl.DataFrame
    accounts: pl.DataFrame
    busy: pl.DataFrame

    @cached_property
    def outliers(self) -> pl.DataFrame:
        """The outliers (measures.OUTLIERS)."""
        return outliers(self.overview)

    @cached_property
    def spread(self) -> pl.DataFrame:
        """How much the runs differ (measures.SPREAD)."""
        return spread(self.overview, self.accounts)

    @cached_property
    def heat_map(self) -> HeatMap | None:
        """When each GPU was busy, in the order of `overview`."""
        gpus = self.overview.filter(pl.col("window_ns") > 0).to_dicts()
        parts = [self.busy.filter(run=gpu["run"], gpu_id=gpu["gpu_id"]) for gpu in gpus]
        starts = [gpu["session_start_utc_ns"] for gpu in gpus]
        longest = max((gpu["window_ns"] for gpu in gpus), default=0)
        found = None if None in starts else busy(parts, starts)
        is_one_clock = found is not None and found.column_ns * len(found.shares[0]) <= APART * longest
        if not is_one_clock:
            found = busy(parts, [-gpu["window_start_ns"] for gpu in gpus])
        if found is None:
            return None
        return HeatMap(found, "session start" if is_one_clock else "window", [(g["run"], g["gpu_id"]) for g in gpus])

    @cached_property
    def failed(self) -> pl.DataFrame:
        """The files that could not be read: run, path, reason."""
        return self.status.filter(pl.col("reason").is_not_null()).select("run", "path", "reason")


def outliers(overview: pl.DataFrame) -> pl.DataFrame:
    """One row per outlier (run, GPU, measure) of its program, the farthest first; none of fewer than 4 rows."""
    programs = overview.partition_by("program", maintain_order=True)
    found = [row for rows in programs for measure in MEASURES for row in _outliers_of(rows, measure)]
    frame = pl.DataFrame(found, schema=OUTLIERS, orient="row")
    size = pl.col("deviations").abs().fill_null(float("inf"))
    return frame.sort(size, "run", "gpu_id", "measure", descending=[True, False, False, False])


def _outliers_of(overview: pl.DataFrame, measure: str) -> Iterator[tuple[Any, ...]]:
    known = overview.drop_nulls(measure)
    if known.height < FEWEST:
        return
    values = known[measure]
    middle = float(values.median() or 0)  # type: ignore[arg-type]
    deviation = float((values - middle).abs().median() or 0)  # type: ignore[arg-type]
    least = max(FAR * deviation, WORTH * abs(middle))
    for row in known.filter((pl.col(measure) - middle).abs() > least).iter_rows(named=True):
        far = row[measure] - middle
        times = far / deviation if deviation else None
        yield (row["program"], row["run"], row["gpu_id"], measure, row[measure], middle, times)


def spread(overview: pl.DataFrame, accounts: pl.DataFrame) -> pl.DataFrame:
    """How much the runs of a program differ: one row per measure of a run and per account of a unit.

    The program with the most runs comes first; its measures, then the accounts of a step and of the window, the largest
    median first. A run is the mean over its GPUs. A run without an account counts as 0, if it has the unit. No rows for
    programs of fewer than 2 runs.
    """
    of_run = overview.group_by("run", "program").agg(pl.col(name).cast(pl.Float64).mean() for name in MEASURES)
    measured = of_run.unpivot(MEASURES, index="program", variable_name="name", value_name="ns").drop_nulls("ns")
    measured = measured.select(
        "program",
        pl.lit("run").alias("unit"),
        pl.lit("").alias("kind"),
        "name",
        pl.lit(None, pl.String).alias("title"),
        "ns",
    )
    rows = pl.concat([measured, _dense(accounts.join(of_run.select("run", "program"), on="run"))])
    by = ["program", "unit", "kind", "name"]
    middle = pl.col("ns").median()
    found = rows.group_by(by).agg(
        pl.col("title").drop_nulls().sort().first(),
        runs=pl.len().cast(pl.Int64),
        median_ns=middle,
        min_ns=pl.col("ns").min(),
        max_ns=pl.col("ns").max(),
        mad=(pl.col("ns") - middle).abs().median(),
    )
    found = found.filter(pl.col("runs") > 1, pl.col("max_ns") > 0).with_columns(
        relative_mad_pct=pl.when(pl.col("median_ns") > 0).then(100 * pl.col("mad") / pl.col("median_ns")),
        range_pct=pl.when(pl.col("min_ns") > 0).then(100 * (pl.col("max_ns") / pl.col("min_ns") - 1)),
        place=pl.col("unit").replace_strict({"run": 0, "step": 1, "window": 2}, default=3),
        row=pl.col("name").replace_strict(dict(zip(MEASURES, range(9), strict=False)), default=9),
    )
    most = pl.col("runs").max().over("program")
    order = found.sort(
        most, "program", "place", "row", "median_ns", "kind", "name",
        descending=[True, False, False, False, True, False, False],
    )  # fmt: skip
    return order.select(*SPREAD)


def _dense(accounts: pl.DataFrame) -> pl.DataFrame:
    """Rows of program, unit, kind, name, title, ns: one per run with the unit, with ns 0 if it lacks the account."""
    by = ["program", "unit", "kind", "name"]
    known = accounts.group_by(by).agg(pl.col("title").drop_nulls().sort().first(), ns=pl.col("unit_ns"))
    units = accounts.select("run", *by[:2]).unique().group_by(by[:2]).agg(pl.len().alias("runs"))
    filled = known.join(units, on=by[:2], nulls_equal=True).with_columns(
        pl.concat_list("ns", pl.lit(0.0).repeat_by(pl.col("runs") - pl.col("ns").list.len()))
    )
    return filled.select(*by, "title", "ns").explode("ns")
