"""How long each GPU runs work of a class, and which processes' work it is."""

from collections.abc import Callable

import polars as pl

from nsysql.idle.stretches import CLASS, stretches

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


def compute(view: Callable[[str], pl.DataFrame]) -> dict[str, pl.DataFrame]:
    """The frames gpu_class_record and gpu_process_record, from the view named in their headers."""
    activity = view("gpu_activity_record")
    sums = [
        found.select(
            *labels,
            dur_ns=(pl.col("end_ns") - pl.col("start_ns")).sum(),
            stretches=pl.len(),
            start_ns=pl.col("start_ns").min(),
            end_ns=pl.col("end_ns").max(),
        )
        for labels, found in stretches(activity)
        if not found.is_empty()
    ]
    processes = activity.group_by("gpu_id", "process_id", "device_id").agg(
        activities=pl.len(), knows_small=pl.col("is_small").is_not_null().any()
    )
    return {
        "gpu_class_record": pl.concat([pl.DataFrame(schema=SUM), *(s.cast(SUM) for s in sums)]),
        "gpu_process_record": processes,
    }
