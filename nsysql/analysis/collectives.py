"""The time between two collectives of a process, by account of its GPU and by NVTX range of its thread.

The computing time of the GPU is also split by the NVTX range in which its kernels were launched.
"""

import polars as pl

from nsysql.analysis.nvtx.paths import cut_at_ranges, named_paths_at
from nsysql.analysis.schemas import schema_of
from nsysql.analysis.steps.texts import folded_ranges, folded_texts
from nsysql.analysis.view_reader import ViewReader

READS = ("_collective", "_account_piece", "_activity_launch", "_gpu_process", "_nvtx_own_range", "string")
PROVIDES = ("_collective_piece",)

KEY = ("collective_id", "clock", "kind", "name_id", "label")
PIECE = schema_of("_collective_piece")
INTERVAL = {"start_ns": pl.col("previous_end_ns"), "end_ns": pl.col("arrived_at_ns")}


def compute(views: ViewReader) -> dict[str, pl.DataFrame]:
    """The frame _collective_piece, from the views in READS."""
    between = views("_collective").filter(pl.col("arrived_at_ns") > pl.col("previous_end_ns"))
    found = [pl.DataFrame(schema=PIECE)]
    if between.height:
        on_gpus = _on_gpus(views, between)
        computing = [rows.filter(pl.col("kind") == "computing") for rows in on_gpus]
        found += [*on_gpus, *_by_launch(views, computing), *_on_threads(views, between)]
    pieces = pl.concat([rows.select(PIECE.names()).cast(PIECE) for rows in found])
    return {"_collective_piece": pieces.group_by(KEY).agg(pl.col("dur_ns").sum())}


def _on_gpus(views: ViewReader, between: pl.DataFrame) -> list[pl.DataFrame]:
    """GPU accounts of each interval, on the GPU of the collective's kernel, else on the process's busiest GPU."""
    most = views("_gpu_process").group_by("process_id", "gpu_id").agg(pl.col("activities").sum())
    most = most.sort("activities", "gpu_id", descending=[True, False]).unique("process_id", keep="first")
    busiest = most.select("process_id", busiest="gpu_id")
    located = between.join(busiest, on="process_id", how="left").with_columns(gpu=pl.coalesce("gpu_id", "busiest"))
    located = located.drop_nulls("gpu").select("collective_id", "process_id", "gpu", **INTERVAL)
    if located.is_empty():
        return []
    accounts = views("_account_piece").cast({"kind": pl.String})
    return [
        _clipped(own, accounts.filter(pl.col("gpu_id") == gpu).sort("start_ns"))
        for (gpu, _), own in located.group_by("gpu", "process_id", maintain_order=True)
    ]


def _clipped(intervals: pl.DataFrame, pieces: pl.DataFrame) -> pl.DataFrame:
    """The parts of the pieces (in order, without overlap) that are in each interval."""
    at = intervals.select(
        "collective_id",
        "start_ns",
        "end_ns",
        low=pieces["end_ns"].search_sorted(intervals["start_ns"], side="right"),
        high=pieces["start_ns"].search_sorted(intervals["end_ns"], side="left"),
    ).filter(pl.col("high") > pl.col("low"))
    at = at.with_columns(piece=pl.int_ranges("low", "high", dtype=pl.UInt32)).explode("piece")
    inside = pieces.select(pl.all().gather(at["piece"]))
    start = pl.max_horizontal("start_ns", at["start_ns"])
    end = pl.min_horizontal("end_ns", at["end_ns"])
    return inside.select(
        at["collective_id"], "kind", "name_id", "label", "item_id", clock=pl.lit("gpu"), dur_ns=end - start
    )


def _by_launch(views: ViewReader, computing: list[pl.DataFrame]) -> list[pl.DataFrame]:
    """The computing pieces by the NVTX range around the launch of their kernels; `outside` if there is none."""
    pieces = pl.concat(computing) if computing else pl.DataFrame()
    if pieces.is_empty():
        return []
    kernels = pieces["item_id"].unique().implode()
    launched = views("_activity_launch", narrow=lambda rows: _of_kernels(rows, kernels), stream=True)
    wanted = pieces.select("collective_id", "item_id", "dur_ns").join(launched, on="item_id", how="left")
    threads = wanted["thread_id"].drop_nulls().unique()
    texts, ranges = folded_texts(views), folded_ranges(views, threads)
    paths = [wanted.filter(pl.col("thread_id").is_null()).with_columns(path=pl.lit(None, pl.String))]
    for (thread,), own in wanted.drop_nulls("thread_id").group_by("thread_id", maintain_order=True):
        own = own.sort("api_start_ns")
        inside = named_paths_at(ranges.filter(pl.col("thread_id") == thread), own["api_start_ns"], texts)
        paths.append(own.with_columns(path=inside))
    return [_as_accounts(rows, "launch") for rows in paths]


def _of_kernels(rows: pl.DataFrame, kernels: pl.Series) -> pl.DataFrame:
    own = rows.filter((pl.col("kind").cast(pl.String) == "kernel") & pl.col("row_id").is_in(kernels))
    return own.select(item_id="row_id", thread_id="thread_id", api_start_ns="api_start_ns")


def _as_accounts(rows: pl.DataFrame, clock: str) -> pl.DataFrame:
    """Turn rows with path and dur_ns into accounts; texts are made of the sums alone."""
    sums = rows.group_by("collective_id", "path", maintain_order=True).agg(pl.col("dur_ns").sum())
    return (
        sums.with_columns(pl.col("path").cast(pl.String))
        .select(
            "collective_id",
            clock=pl.lit(clock),
            kind=pl.when(pl.col("path").is_null()).then(pl.lit("outside")).otherwise(pl.lit("nvtx")),
            name_id=pl.lit(None, pl.Int64),
            label=pl.col("path").fill_null("outside"),
            dur_ns="dur_ns",
        )
        .filter(pl.col("dur_ns") > 0)
    )


def _on_threads(views: ViewReader, between: pl.DataFrame) -> list[pl.DataFrame]:
    """The time of each interval by the NVTX ranges of its thread."""
    known = between.drop_nulls("thread_id")
    threads = known["thread_id"].unique()
    texts, ranges = folded_texts(views), folded_ranges(views, threads)
    return [
        _by_path(own.select("collective_id", **INTERVAL), ranges.filter(pl.col("thread_id") == thread), texts)
        for (thread,), own in known.group_by("thread_id", maintain_order=True)
    ]


def _by_path(intervals: pl.DataFrame, ranges: pl.DataFrame, texts: pl.DataFrame) -> pl.DataFrame:
    """Split the intervals where a range begins or ends, and name each part by its path of ranges."""
    first, last = intervals["start_ns"].min(), intervals["end_ns"].max()
    during = ranges.filter((pl.col("start_ns") < last) & (pl.col("end_ns") > first))
    parts = cut_at_ranges(intervals.sort("start_ns"), during, texts)
    length = pl.col("end_ns") - pl.col("start_ns")
    return _as_accounts(parts.select("collective_id", path="nvtx_path", dur_ns=length), "cpu")
