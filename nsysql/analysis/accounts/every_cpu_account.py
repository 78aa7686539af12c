"""The CPU time of every series of steps: few ask for others than the chosen one, and each takes as long."""

import polars as pl

from nsysql.analysis.accounts.cpu_accounts import accounts_of
from nsysql.analysis.view_reader import ViewReader

READS = ("_step_series", "_step_mark", "_folded_range", "_folded_name")
PROVIDES = ("_every_cpu_account",)


def compute(views: ViewReader) -> dict[str, pl.DataFrame]:
    """The frame _every_cpu_account, from the views in READS."""
    return {"_every_cpu_account": accounts_of(views, views("_step_series"))}
