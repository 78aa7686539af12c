"""The CPU time of steps cut by the NVTX ranges that their thread is in."""

import polars as pl

from nsysql.compute.idle.nvtx_paths import cut_at_ranges, paths_at
from nsysql.compute.steps.texts import folded
from nsysql.compute.view_reader import ViewReader

READS = ("_step_series", "_step_mark", "_nvtx_own_range", "string")
PROVIDES = ("_cpu_piece",)

RANGES = "_nvtx_own_range"
PIECE = pl.Schema(
    {
        "series_id": pl.Int64(),
        "step": pl.Int64(),
        "start_ns": pl.Int64(),
        "end_ns": pl.Int64(),
        "nvtx_path": pl.String(),
        "is_first": pl.Boolean(),
    }
)


def compute(views: ViewReader) -> dict[str, pl.DataFrame]:
    """The frame _cpu_piece, from the views in READS."""
    series, marks = views("_step_series"), views("_step_mark")
    texts = views("string").select(folded(pl.col("text")).alias("text"), text_id="id")
    threads = series["thread_id"].unique()
    ranges = views(RANGES, narrow=lambda some: _of_threads(some, threads), stream=True)
    found = [pl.DataFrame(schema=PIECE)]
    for row in series.iter_rows(named=True):
        steps = marks.filter(pl.col("series_id") == row["series_id"]).sort("step")
        own = ranges.filter(pl.col("thread_id") == row["thread_id"])
        found.append(_pieces(steps, own, texts).select(PIECE.names()).cast(PIECE))
    return {"_cpu_piece": pl.concat(found)}


def _of_threads(some: pl.DataFrame, threads: pl.Series) -> pl.DataFrame:
    own = some.filter(pl.col("thread_id").is_in(threads.implode()))
    return own.with_columns(folded(pl.col("plain_text")).cast(pl.Categorical))


def _pieces(steps: pl.DataFrame, ranges: pl.DataFrame, texts: pl.DataFrame) -> pl.DataFrame:
    """The CPU time of steps of one thread cut where one of its ranges begins or ends: rows of _cpu_piece."""
    times = steps.select("series_id", "step", start_ns="cpu_start_ns", end_ns="cpu_end_ns")
    first, last = steps["cpu_start_ns"].min(), steps["cpu_end_ns"].max()
    during = ranges.filter((pl.col("start_ns") < last) & (pl.col("end_ns") > first))
    parts = cut_at_ranges(times, during)
    told = parts.with_columns(
        nvtx_path=paths_at(during, parts["start_ns"], texts).cast(pl.String),
        is_first=parts["start_ns"].is_in(during["start_ns"].unique().implode()),
    ).sort("piece", "start_ns")
    follows = pl.col("piece").shift(-1) == pl.col("piece")
    ends = pl.when(follows).then(pl.col("start_ns").shift(-1)).otherwise("piece_end_ns")
    return told.with_columns(end_ns=ends).filter(pl.col("end_ns") > pl.col("start_ns"))
