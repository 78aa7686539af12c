"""Compute when each GPU runs work of a class, for how long in all, and of which processes."""

from collections.abc import Iterator

import polars as pl

from nsysql.analysis.idle.activity import shrink_ints
from nsysql.analysis.idle.blocks import busy
from nsysql.analysis.intervals import LENGTH, alone, runs_of, union
from nsysql.analysis.view_reader import ViewReader, reads

KINDS = ("kernel", "memcpy", "memset", "graph")
CLASS = pl.Enum(["any", *KINDS, "run", "computing", "small"])
INTERVAL = pl.Schema({"gpu_id": pl.Int64(), "class": CLASS, "start_ns": pl.Int64(), "end_ns": pl.Int64()})
SWEPT = ("gpu_id", "start_ns", "end_ns", "kind", "is_communication", "is_small")


@reads("_gpu_activity_sorted", "_activity_launch")
def busy_intervals(views: ViewReader) -> Iterator[dict[str, pl.DataFrame]]:
    """Compute the frame _gpu_busy_interval, in parts."""
    for activity in busy(views, *SWEPT):
        intervals = [rows.select(*labels, "start_ns", "end_ns") for labels, rows in intervals_by_class(activity)]
        yield {"_gpu_busy_interval": shrink_ints(pl.concat([pl.DataFrame(schema=INTERVAL), *intervals]))}


def intervals_by_class(activity: pl.DataFrame) -> Iterator[tuple[list[pl.Expr], pl.DataFrame]]:
    """Yield the intervals of one GPU and class after the other: gpu_id and class, and their start_ns and end_ns.

    `activity` is in order of GPU and start.
    """
    for gpu_id, rows in runs_of(activity.select(SWEPT), "gpu_id"):
        for name, rows_of_class in _classes(rows):
            yield [pl.lit(gpu_id, pl.Int64).alias("gpu_id"), pl.lit(name).cast(CLASS).alias("class")], rows_of_class


def _classes(rows: pl.DataFrame) -> Iterator[tuple[str, pl.DataFrame]]:
    """Yield the intervals of a GPU by class; a class with the same work as another reuses its intervals."""
    yield "any", union(rows)
    times = rows.select("start_ns", "end_ns")
    by_kind = {kind: union(times.filter(rows["kind"] == kind)) for kind in KINDS}
    yield from by_kind.items()
    columns = ("start_ns", "end_ns", "is_communication", "is_small")
    run = rows.lazy().filter(pl.col("kind").is_in(["kernel", "graph"])).select(columns).collect()
    running = by_kind["kernel"] if by_kind["graph"].is_empty() else union(run)
    yield "run", running
    computing = run.filter(~pl.col("is_communication"))
    yield "computing", running if computing.height == run.height else union(computing)
    yield "small", alone(computing if computing["is_small"].any() else computing.clear(), "is_small").filter("is_small")


SUM = pl.Schema({**INTERVAL, "dur_ns": pl.Int64(), "stretches": pl.UInt32()})
OF_GPU, OF_PROCESS = ["gpu_id", "class"], ["gpu_id", "process_id", "device_id"]


@reads("_gpu_activity_sorted", "_activity_launch")
def class_times(views: ViewReader) -> dict[str, pl.DataFrame]:
    """Compute the frames _gpu_class_time and _gpu_process."""
    sums, processes = [pl.DataFrame(schema=SUM)], []
    for activity in busy(views, *SWEPT, "process_id", "device_id"):
        sums += [_summed(labels, own) for labels, own in intervals_by_class(activity) if not own.is_empty()]
        knows_small = pl.col("is_small").is_not_null().any()
        processes.append(activity.group_by(OF_PROCESS).agg(activities=pl.len(), knows_small=knows_small))
    added = [pl.col("dur_ns", "stretches").sum(), pl.col("start_ns").min(), pl.col("end_ns").max()]
    worked = pl.concat(processes, how="vertical_relaxed").group_by(OF_PROCESS)
    return {
        "_gpu_class_time": pl.concat(sums).group_by(OF_GPU).agg(added),
        "_gpu_process": worked.agg(pl.col("activities").sum(), pl.col("knows_small").any()),
    }


def _summed(labels: list[pl.Expr], intervals: pl.DataFrame) -> pl.DataFrame:
    """Sum the intervals of one GPU and class to one row."""
    span = pl.col("start_ns").min(), pl.col("end_ns").max()
    return intervals.select(*labels, *span, dur_ns=LENGTH.sum(), stretches=pl.len()).cast(SUM)
