"""Statistics of steps: periods, the accounts of a mean step, and the differences of slow ones."""

from dataclasses import dataclass
from typing import Any

import polars as pl

from nsysql.pages.steps.gather import EMPTY, Steps

ACCOUNT = ["kind", "name"]


@dataclass(frozen=True)
class SlowStep:
    """A slow step, and the differences of its accounts from the median step's, the largest first."""

    step: int
    period_ns: int
    more: pl.DataFrame
    more_cpu: pl.DataFrame


def of_gpu(found: Steps) -> pl.DataFrame:
    """The steps of the GPU that the page is about, or of the CPU: step, period_ns, busy_ns, is_steady, is_complete."""
    if not found.on_gpu:
        return found.times.with_columns(period_ns="cpu_dur_ns")
    own = found.times.filter(pl.col("gpu_id").eq_missing(pl.lit(found.gpu_id, pl.Int64)))
    return own.drop_nulls("gpu_start_ns")


def period(periods: pl.Series) -> dict[str, Any] | None:
    """Count, median, mean, 95th percentile, extremes, coefficient of variation, rate per second; None without steps."""
    if periods.is_empty():
        return None
    mean, spread = periods.mean(), periods.std() if periods.len() > 1 else 0.0
    usual = float(mean) if isinstance(mean, int | float) else 0.0
    return {
        "count": periods.len(),
        "median_ns": periods.median(),
        "mean_ns": usual,
        "p95_ns": periods.quantile(0.95, "linear"),
        "min_ns": periods.min(),
        "max_ns": periods.max(),
        "cv": spread / usual if usual else 0.0,  # type: ignore[operator]
        "per_second": 1e9 / usual if usual else None,
    }


def mean_step(found: Steps) -> pl.DataFrame:
    """The accounts of a mean steady step: kind, name, mean_ns, count per step; the means sum to the mean period."""
    steady = of_gpu(found).filter("is_steady")
    accounts = account_rows(found)
    if accounts.is_empty() or steady.is_empty():
        return EMPTY
    own = accounts.filter(pl.col("step").is_in(steady["step"].implode()))
    sums = own.group_by(ACCOUNT).agg(pl.col("total_ns", "count").sum())
    means = sums.select(*ACCOUNT, mean_ns=pl.col("total_ns") / steady.height, count=pl.col("count") / steady.height)
    return means.sort("mean_ns", *ACCOUNT, descending=[True, False, False])


def slow_steps(found: Steps) -> list[SlowStep]:
    """The slowest steady steps, if they take longer than the median one."""
    steady = of_gpu(found).filter("is_steady").sort("period_ns", "step")
    if steady.height < 3:
        return []
    median = steady.row((steady.height - 1) // 2, named=True)
    longer = steady.filter(pl.col("period_ns") > median["period_ns"]).sort(
        "period_ns", "step", descending=[True, False]
    )
    shown = longer if found.asked.top is None else longer.head(found.asked.top)
    return [
        SlowStep(
            row["step"],
            row["period_ns"],
            _more(account_rows(found), row["step"], median["step"]) if found.on_gpu else EMPTY,
            _more(found.cpu, row["step"], median["step"]),
        )
        for row in shown.iter_rows(named=True)
    ]


def median_step(found: Steps) -> int | None:
    """The number of the median steady step, with which slow ones are compared; None if there are no steady steps."""
    steady = of_gpu(found).filter("is_steady").sort("period_ns", "step")
    return None if steady.is_empty() else int(steady["step"][(steady.height - 1) // 2])


def account_rows(found: Steps) -> pl.DataFrame:
    """The accounts of each step, on the GPU that the page is about, else on its thread."""
    if not found.on_gpu:
        return found.cpu
    return found.accounts.filter(pl.col("gpu_id").eq_missing(pl.lit(found.gpu_id, pl.Int64)))


def _more(accounts: pl.DataFrame, step: int, median: int) -> pl.DataFrame:
    """The accounts of a step minus those of the median step: kind, name, delta_ns, delta_count."""
    sign = pl.when(pl.col("step") == step).then(1).otherwise(-1)
    both = accounts.filter(pl.col("step").is_in([step, median]))
    sums = both.group_by(ACCOUNT).agg(
        delta_ns=(sign * pl.col("total_ns")).sum(), delta_count=(sign * pl.col("count")).sum()
    )
    changed = sums.filter(pl.col("delta_ns") != 0)
    return changed.sort(pl.col("delta_ns").abs(), *ACCOUNT, descending=[True, False, False])
