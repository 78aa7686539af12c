"""The CPU time of the chosen series of steps, by the NVTX ranges that their thread is in."""

import polars as pl

from nsysql.analysis.global_ids import of_threads
from nsysql.analysis.nvtx.folded_ranges import names_of
from nsysql.analysis.nvtx.paths import OUTSIDE, STEP, PathInterval, cut, text_of_paths
from nsysql.analysis.view_reader import ViewReader, schema_of

READS = ("_step_series", "_step_mark", "_folded_range", "_folded_name")
PROVIDES = ("_cpu_account",)

ACCOUNT = schema_of("_cpu_account")
OF_STEP = ["series_id", "step"]


def compute(views: ViewReader) -> dict[str, pl.DataFrame]:
    """The frame _cpu_account, from the views in READS."""
    return {"_cpu_account": accounts_of(views, views("_step_series").filter("is_chosen"))}


def accounts_of(views: ViewReader, series: pl.DataFrame) -> pl.DataFrame:
    """The accounts of the steps of some series, rows of _step_series."""
    if series.is_empty():
        return pl.DataFrame(schema=ACCOUNT)
    marks, ranges = views("_step_mark"), views("_folded_range")
    of_thread, accounts, steps = of_threads(ranges), [], [pl.DataFrame(schema=STEP)]
    for row in series.iter_rows(named=True):
        own = marks.filter(pl.col("series_id") == row["series_id"])
        times = own.select(*OF_STEP, start_ns="cpu_start_ns", end_ns="cpu_end_ns")
        known = of_thread.get(row["thread_id"], ranges.clear())
        for parts, interval in cut(times, known):
            accounts.append(_accounts(parts, interval, known["start_ns"]))
            steps.append(interval.steps)
    texts = text_of_paths(steps, names_of(views)).select("path", nvtx_path=pl.col("text").replace("", None))
    return _summed(pl.concat(accounts).join(texts, on="path"), "nvtx_path").select(ACCOUNT.names()).cast(ACCOUNT)


def _accounts(parts: pl.DataFrame, interval: PathInterval, starts: pl.Series) -> pl.DataFrame:
    """The accounts of parts of steps, summed by path; `starts` are those of the thread's ranges."""
    begun = interval.borders.is_in(starts.slice(interval.first, interval.opened.len()).unique().implode())
    is_first = begun.gather(parts["at"]) & (interval.borders.gather(parts["at"]) == parts["start_ns"])
    rows = parts.with_columns(
        total_ns=pl.col("end_ns") - pl.col("start_ns"),
        count=(is_first & (parts["path"] != OUTSIDE)).cast(pl.Int64),
        first_start_ns="start_ns",
    )
    return _summed(rows.filter(pl.col("total_ns") > 0), "path")


def _summed(rows: pl.DataFrame, path: str) -> pl.DataFrame:
    return rows.group_by(*OF_STEP, path).agg(pl.col("total_ns", "count").sum(), pl.col("first_start_ns").min())
