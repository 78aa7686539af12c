"""The time between two collectives of a process, by account of its GPU and by NVTX range of its thread.

The computing time of the GPU is also split by the NVTX range in which its kernels were launched.
"""

from collections.abc import Iterator

import polars as pl

from nsysql.analysis.nvtx.paths import cut_at_ranges, named_paths_at, together
from nsysql.analysis.steps.texts import folded_ranges, folded_texts
from nsysql.analysis.view_reader import ViewReader, schema_of

READS = ("_collective", "_account_piece", "_activity_launch", "_gpu_process", "_nvtx_own_range", "string")
PROVIDES = ("_collective_piece",)

KEY = ["collective_id", "clock", "kind", "name_id", "label"]
PIECE = schema_of("_collective_piece")
COMPUTING = pl.Schema({"collective_id": pl.Int64(), "item_id": pl.Int64(), "dur_ns": pl.Int64()})
INTERVAL = {"start_ns": pl.col("previous_end_ns"), "end_ns": pl.col("arrived_at_ns")}
Ranges = dict[int, pl.DataFrame]  # of each thread


def compute(views: ViewReader) -> dict[str, pl.DataFrame]:
    """The frame _collective_piece, from the views in READS."""
    between = views("_collective").filter(pl.col("arrived_at_ns") > pl.col("previous_end_ns"))
    pieces = [pl.DataFrame(schema=PIECE)]
    if between.height:
        sums, computing = _on_gpus(views, between)
        launched = _launched(views, computing)
        threads = pl.concat([between["thread_id"], launched["thread_id"]]).drop_nulls().unique()
        texts, ranges = folded_texts(views), folded_ranges(views, threads)
        pieces += [*sums, *_by_launch(launched, ranges, texts), *_on_threads(between, ranges, texts)]
    return {"_collective_piece": pl.concat([rows.select(PIECE.names()).cast(PIECE) for rows in pieces])}


def _on_gpus(views: ViewReader, between: pl.DataFrame) -> tuple[list[pl.DataFrame], pl.DataFrame]:
    """GPU accounts of each interval, on the GPU of the collective's kernel, else on the process's busiest GPU.

    And the computing pieces: collective_id, item_id, dur_ns.
    """
    most = views("_gpu_process").group_by("process_id", "gpu_id").agg(pl.col("activities").sum())
    most = most.sort("activities", "gpu_id", descending=[True, False]).unique("process_id", keep="first")
    busiest = most.select("process_id", busiest="gpu_id")
    located = between.join(busiest, on="process_id", how="left").with_columns(gpu=pl.coalesce("gpu_id", "busiest"))
    located = located.drop_nulls("gpu").select("collective_id", "process_id", "gpu", **INTERVAL)
    sums, computing = [], [pl.DataFrame(schema=COMPUTING)]
    accounts = views("_account_piece") if located.height else pl.DataFrame()
    for (gpu, _), own in located.group_by("gpu", "process_id", maintain_order=True):
        pieces = _clipped(own, accounts.filter(pl.col("gpu_id") == gpu).sort("start_ns"))
        sums.append(pieces.group_by(KEY).agg(pl.col("dur_ns").sum()))
        computing.append(pieces.filter(pl.col("kind") == "computing").select(COMPUTING.names()).cast(COMPUTING))
    return sums, pl.concat(computing)


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


def _launched(views: ViewReader, computing: pl.DataFrame) -> pl.DataFrame:
    """The computing pieces with the thread that launched each and the start of the call; NULL if not recorded."""
    kernels = computing["item_id"].unique().implode()
    launched = views("_activity_launch", narrow=lambda rows: _of_kernels(rows, kernels), stream=True)
    return computing.join(launched, on="item_id", how="left")


def _by_launch(launched: pl.DataFrame, ranges: Ranges, texts: pl.DataFrame) -> list[pl.DataFrame]:
    """The computing pieces by the NVTX range around the launch of their kernels; `outside` if there is none."""
    paths = [launched.filter(pl.col("thread_id").is_null()).with_columns(path=pl.lit(None, pl.String))]
    for (thread,), own in launched.drop_nulls("thread_id").group_by("thread_id", maintain_order=True):
        own = own.sort("api_start_ns")
        paths.append(own.with_columns(path=named_paths_at(ranges[thread], own["api_start_ns"], texts)))
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


def _on_threads(between: pl.DataFrame, ranges: Ranges, texts: pl.DataFrame) -> Iterator[pl.DataFrame]:
    """The time of each interval by the NVTX ranges of its thread: split where one begins or ends."""
    for (thread,), own in between.drop_nulls("thread_id").group_by("thread_id", maintain_order=True):
        intervals = own.select("collective_id", **INTERVAL).sort("start_ns")
        for some, during in together(intervals, ranges[thread]):
            parts = cut_at_ranges(some, during, texts)
            length = pl.col("end_ns") - pl.col("start_ns")
            yield _as_accounts(parts.select("collective_id", path="nvtx_path", dur_ns=length), "cpu")
