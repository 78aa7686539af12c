"""The CPU time of the chosen series of steps, by the NVTX ranges that their thread is in."""

import polars as pl

from nsysql.analysis.nvtx.paths import cut_at_ranges, together
from nsysql.analysis.steps.texts import folded_ranges, folded_texts
from nsysql.analysis.view_reader import ViewReader, schema_of

READS = ("_step_series", "_step_mark", "_nvtx_own_range", "string")
PROVIDES = ("_cpu_account",)

ACCOUNT = schema_of("_cpu_account")


def compute(views: ViewReader) -> dict[str, pl.DataFrame]:
    """The frame _cpu_account, from the views in READS."""
    return {"_cpu_account": accounts_of(views, views("_step_series").filter("is_chosen"))}


def accounts_of(views: ViewReader, series: pl.DataFrame) -> pl.DataFrame:
    """The accounts of the steps of some series, rows of _step_series."""
    accounts = [pl.DataFrame(schema=ACCOUNT)]
    if series.is_empty():
        return accounts[0]
    marks = views("_step_mark")
    texts, ranges = folded_texts(views), folded_ranges(views, series["thread_id"].unique())
    for row in series.iter_rows(named=True):
        steps = marks.filter(pl.col("series_id") == row["series_id"]).sort("step")
        times = steps.select("series_id", "step", start_ns="cpu_start_ns", end_ns="cpu_end_ns")
        accounts += [_accounts(some, during, texts) for some, during in together(times, ranges[row["thread_id"]])]
    return pl.concat(accounts)


def _accounts(steps: pl.DataFrame, ranges: pl.DataFrame, texts: pl.DataFrame) -> pl.DataFrame:
    """The accounts of steps of one thread, with the ranges that they meet: cut where one begins or ends, and summed."""
    parts = cut_at_ranges(steps, ranges, texts)
    is_first = parts["start_ns"].is_in(ranges["start_ns"].unique().implode())
    return (
        parts.with_columns(is_first=is_first)
        .filter(pl.col("end_ns") > pl.col("start_ns"))
        .group_by("series_id", "step", "nvtx_path", maintain_order=True)
        .agg(
            total_ns=(pl.col("end_ns") - pl.col("start_ns")).sum(),
            count=(pl.col("is_first") & pl.col("nvtx_path").is_not_null()).sum(),
            first_start_ns=pl.col("start_ns").min(),
        )
        .cast(ACCOUNT)
    )
