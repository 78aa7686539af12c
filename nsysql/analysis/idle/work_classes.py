"""How long each GPU runs work of a class, and which processes' work it is."""

import polars as pl

from nsysql.analysis.idle.blocks import busy
from nsysql.analysis.idle.busy_intervals import CLASS, SWEPT, intervals_by_class
from nsysql.analysis.view_reader import ViewReader, reads

SUM = pl.Schema(
    {
        "gpu_id": pl.Int64(),
        "class": CLASS,
        "dur_ns": pl.Int64(),
        "stretches": pl.UInt32(),
        "start_ns": pl.Int64(),
        "end_ns": pl.Int64(),
    }
)
OF_GPU, OF_PROCESS = ["gpu_id", "class"], ["gpu_id", "process_id", "device_id"]


@reads("_gpu_activity_sorted", "_activity_launch")
def class_times(views: ViewReader) -> dict[str, pl.DataFrame]:
    """The frames _gpu_class_time and _gpu_process."""
    sums, processes = [pl.DataFrame(schema=SUM)], []
    for activity in busy(views, *SWEPT, "process_id", "device_id"):
        sums += [
            _summed(labels, intervals) for labels, intervals in intervals_by_class(activity) if not intervals.is_empty()
        ]
        processes.append(
            activity.group_by(OF_PROCESS).agg(activities=pl.len(), knows_small=pl.col("is_small").is_not_null().any())
        )
    added = [pl.col("dur_ns", "stretches").sum(), pl.col("start_ns").min(), pl.col("end_ns").max()]
    worked = pl.concat(processes, how="vertical_relaxed").group_by(OF_PROCESS)
    return {
        "_gpu_class_time": pl.concat(sums).group_by(OF_GPU).agg(added),
        "_gpu_process": worked.agg(pl.col("activities").sum(), pl.col("knows_small").any()),
    }


def _summed(labels: list[pl.Expr], intervals: pl.DataFrame) -> pl.DataFrame:
    """The intervals of one GPU and class as one row."""
    return intervals.select(
        *labels,
        dur_ns=(pl.col("end_ns") - pl.col("start_ns")).sum(),
        stretches=pl.len(),
        start_ns=pl.col("start_ns").min(),
        end_ns=pl.col("end_ns").max(),
    ).cast(SUM)
