"""The data of the page about many runs, as frames."""

from dataclasses import dataclass
from functools import cached_property

import polars as pl

from nsysql.pages.heat import Busy, busy
from nsysql.pages.runs.measures import outliers, spread

FAR = 4  # times the longest window: captures further apart are aligned at their first work


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
        is_one_clock = found is not None and found.column_ns * len(found.shares[0]) <= FAR * longest
        if not is_one_clock:
            found = busy(parts, [-gpu["window_start_ns"] for gpu in gpus])
        if found is None:
            return None
        return HeatMap(found, "session start" if is_one_clock else "window", [(g["run"], g["gpu_id"]) for g in gpus])

    @cached_property
    def failed(self) -> pl.DataFrame:
        """The files that could not be read: run, path, reason."""
        return self.status.filter(pl.col("reason").is_not_null()).select("run", "path", "reason")
