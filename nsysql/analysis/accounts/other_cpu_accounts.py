"""The CPU time of the series of steps that are not chosen: few ask for them, and they take as long."""

import polars as pl

from nsysql.analysis.accounts.cpu_accounts import accounts_of
from nsysql.analysis.view_reader import ViewReader

READS = ("_step_series", "_step_mark", "_nvtx_own_range", "string")
PROVIDES = ("_other_cpu_account",)


def compute(views: ViewReader) -> dict[str, pl.DataFrame]:
    """The frame _other_cpu_account, from the views in READS."""
    return {"_other_cpu_account": accounts_of(views, views("_step_series").filter(~pl.col("is_chosen")))}
