"""Split the time between two collectives of a process by account of its GPU and by NVTX range of its thread.

The computing time of the GPU is also split by the NVTX range in which its kernels were launched.
"""

import polars as pl

from nsysql.analysis.idle.activity import shrink_ints
from nsysql.analysis.intervals import parts_within
from nsysql.analysis.nvtx.folded_ranges import names_of
from nsysql.analysis.nvtx.paths import summed_by_path
from nsysql.analysis.view_reader import ViewReader, reads, schema_of

KEY = ["collective_id", "kind", "name_id", "label"]
FEW = pl.Schema({"kind": pl.Categorical(), "label": pl.Categorical()})  # columns with few distinct texts in many rows
TOGETHER = 2_000  # collectives cut together; all 33,000 of a 1.2 GB export take 1.5 s of CPU and 200 MB more
ACCOUNT = ["start_ns", "end_ns", "kind", "name_id", "label", "item_id"]
PIECE = schema_of("_collective_piece") | FEW | {"clock": pl.Categorical()}
COMPUTING = pl.Schema({"collective_id": pl.Int64(), "item_id": pl.Int64(), "dur_ns": pl.Int64()})
INTERVAL = {"start_ns": pl.col("previous_end_ns"), "end_ns": pl.col("arrived_at_ns")}
PART = pl.Schema(
    {
        "collective_id": pl.Int64(),
        "clock": pl.Enum(["cpu", "launch"]),
        "thread_id": pl.Int64(),
        "start_ns": pl.Int64(),
        "end_ns": pl.Int64(),
        "dur_ns": pl.Int64(),
    }
)


@reads("_collective", "_account_piece", "_activity_launch", "_gpu_process", "_folded_range", "_folded_name")
def collective_pieces(views: ViewReader) -> dict[str, pl.DataFrame]:
    """Compute the frame _collective_piece."""
    between = views("_collective").filter(pl.col("arrived_at_ns") > pl.col("previous_end_ns"))
    pieces = [pl.DataFrame(schema=PIECE)]
    if between.height:
        sums, computing = _on_gpus(views, between)
        on_cpu = between.drop_nulls("thread_id").with_columns(clock=pl.lit("cpu"), dur_ns=pl.lit(None), **INTERVAL)
        on_cpu = on_cpu.select(PART.names()).cast(PART)
        pieces += [*sums, _by_range(views, pl.concat([_launches(views, computing), on_cpu]))]
    rows = (shrink_ints(some.select(PIECE.names()).cast(PIECE)) for some in pieces)
    return {"_collective_piece": pl.concat(rows, how="vertical_relaxed")}


def _on_gpus(views: ViewReader, between: pl.DataFrame) -> tuple[list[pl.DataFrame], pl.DataFrame]:
    """Return GPU accounts of each interval, on the GPU of the collective's kernel, else on the process's busiest GPU.

    Also returns the computing pieces: collective_id, item_id, dur_ns.
    """
    most = views("_gpu_process").group_by("process_id", "gpu_id").agg(pl.col("activities").sum())
    most = most.sort("activities", "gpu_id", descending=[True, False]).unique("process_id", keep="first")
    busiest = most.select("process_id", busiest="gpu_id")
    located = between.join(busiest, on="process_id", how="left").with_columns(gpu=pl.coalesce("gpu_id", "busiest"))
    located = located.drop_nulls("gpu").select("collective_id", "process_id", "gpu", **INTERVAL)
    sums, computing = [], [pl.DataFrame(schema=COMPUTING)]
    for (gpu,), own in located.group_by("gpu", maintain_order=True):
        which = f"WHERE gpu_id = {gpu}"  # all GPUs of a 1.2 GB export take 160 MB more
        accounts = views("_account_piece", lambda some: shrink_ints(some.select(ACCOUNT).cast(FEW)), which=which)
        accounts = accounts.sort("start_ns")
        for some in (part for of_one in own.partition_by("process_id") for part in of_one.iter_slices(TOGETHER)):
            parts = parts_within(some.select("collective_id", "start_ns", "end_ns"), accounts)
            pieces = parts.select("collective_id", dur_ns=pl.col("end_ns") - pl.col("start_ns"))
            pieces = pieces.hstack(accounts.select(pl.col("kind", "name_id", "label", "item_id").gather(parts["span"])))
            sums.append(pieces.group_by(KEY).agg(pl.col("dur_ns").sum(), clock=pl.lit("gpu")))
            computing.append(pieces.filter(pl.col("kind") == "computing").select(COMPUTING.names()).cast(COMPUTING))
    return sums, pl.concat(computing)


def _launches(views: ViewReader, computing: pl.DataFrame) -> pl.DataFrame:
    """Return computing pieces at the start of the call that launched each on its thread; NULL if not recorded: PART."""
    kernels = computing["item_id"].unique().implode()
    launched = views("_activity_launch", narrow=lambda rows: _of_kernels(rows, kernels), stream=True)
    rows = computing.join(launched, on="item_id", how="left").with_columns(clock=pl.lit("launch"))
    return rows.with_columns(start_ns="api_start_ns", end_ns="api_start_ns").select(PART.names()).cast(PART)


def _of_kernels(rows: pl.DataFrame, kernels: pl.Series) -> pl.DataFrame:
    own = rows.filter((pl.col("kind").cast(pl.String) == "kernel") & pl.col("row_id").is_in(kernels))
    return own.select(item_id="row_id", thread_id="thread_id", api_start_ns="api_start_ns")


def _by_range(views: ViewReader, pieces: pl.DataFrame) -> pl.DataFrame:
    """Split intervals where an NVTX range of their thread begins or ends, and launches by the ranges around them."""
    sums = summed_by_path(pieces, views.of_threads("_folded_range"), _sums, names_of(views))
    is_outside, outside = pl.col("text") == "", pl.lit("outside", pl.Categorical)
    return sums.select(
        "collective_id",
        "clock",
        "dur_ns",
        kind=pl.when(is_outside).then(outside).otherwise(pl.lit("nvtx", pl.Categorical)),
        name_id=pl.lit(None, pl.Int64),
        label=pl.when(is_outside).then(outside).otherwise("text"),
    )


def _sums(parts: pl.DataFrame) -> pl.DataFrame:
    """Sum the time of each collective by path: that of launched pieces, the length of other parts."""
    length = pl.coalesce("dur_ns", pl.col("end_ns") - pl.col("start_ns"))
    sums = parts.group_by("collective_id", "clock", "path").agg(length.sum().alias("dur_ns"))
    return sums.filter(pl.col("dur_ns") > 0)
