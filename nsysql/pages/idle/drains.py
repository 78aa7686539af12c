"""The idle time after calls that emptied the GPU's queue, by call and NVTX path."""

import polars as pl

from nsysql.pages.elements import Cell, Column, Section
from nsysql.pages.phrases import Row, gpu_number, percent
from nsysql.pages.verdict.idle import folded
from nsysql.pages.verdict.names import call
from nsysql.words.quantities import time

NONE = "No call emptied the queue before a gap: the GPU did not fall idle because of a wait."


def drains(found: pl.DataFrame, top: int | None, gpu: Row) -> Section:
    """A section of one GPU; paths that differ only in numbers are one. `found` are rows of idle_drains."""
    idle, keys = gpu["idle_ns"], ["drained_by", "drained_by_nvtx"]
    rows = found.filter(pl.col("gpu_id").eq_missing(gpu["gpu_id"])).with_columns(folded(pl.col("drained_by_nvtx")))
    sums = rows.group_by(keys).agg(pl.col("idle_ns", "gap_count", "calls", "blocked_ns").sum())
    shown = sums.sort("idle_ns", *keys, descending=[True, False, False], nulls_last=True).head(top or sums.height)
    cells: list[tuple[Cell, ...]] = []
    for row in shown.to_dicts():
        where = f" in {row['drained_by_nvtx']}" if row["drained_by_nvtx"] else ""
        cells.append(
            (
                *(percent(row["idle_ns"], idle), time(row["idle_ns"]), f"{row['gap_count']:,}", f"{row['calls']:,}"),
                *(time(row["blocked_ns"]), call(row["drained_by"]) + where),
            )
        )
    columns = (*map(Column, ("of idle", "time", "gaps", "calls", "blocked")), Column("call", right=False, wrap=True))
    title = f"GPU {gpu_number(gpu['gpu_id'])}: idle after calls that emptied the queue"
    total = percent(int(sums["idle_ns"].sum()), idle)
    after = (f"{total} of the idle time follows such calls; # is any number.",) if cells else ()
    return Section(title, "", () if cells else (NONE,), columns if cells else (), tuple(cells), after)
