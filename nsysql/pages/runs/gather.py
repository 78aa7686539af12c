"""The data of the page about many runs, as frames."""

from dataclasses import dataclass
from functools import cached_property

import polars as pl

from nsysql.pages.runs.heat import HeatMap, heat_map
from nsysql.pages.runs.measures import outliers, spread


@dataclass(frozen=True)
class ManyRuns:
    """Many runs in frames, each with the column `run` first, in the order of the runs.

    `status` has a row for each file: run, path, status, seconds, reason. `overview` has rows of one.OVERVIEW,
    `accounts` of one.ACCOUNTS, `slices` of slices.SLICES, of the runs that were read.
    """

    title: str
    status: pl.DataFrame
    overview: pl.DataFrame
    accounts: pl.DataFrame
    slices: pl.DataFrame

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
        """When each GPU was busy."""
        return heat_map(self.overview, self.slices)

    @cached_property
    def failed(self) -> pl.DataFrame:
        """The files that could not be read: run, path, reason."""
        return self.status.filter(pl.col("reason").is_not_null()).select("run", "path", "reason")
