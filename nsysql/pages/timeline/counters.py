"""What is counted over time beside the events of a timeline: sampled GPU metrics, and GPU memory in use."""

from dataclasses import replace

import polars as pl

from nsysql.errors import MissingData
from nsysql.export import Export
from nsysql.pages.phrases import gpu_number
from nsysql.pages.timeline.model import Timeline

COUNTERS = pl.Schema(
    {"group": pl.String(), "name": pl.String(), "unit": pl.String(), "at_ns": pl.Int64(), "value": pl.Int64()}
)


def with_counters(timeline: Timeline, run: Export, gpu: int | None = None) -> Timeline:
    """The timeline with the counters of its stretch of time: a row for each value, from its time on.

    Columns group (the GPU's), name, unit, at_ns, value; in order of group, name and time. A metric's sample is valid
    from the one before to its own time, so that it begins there; values are those of the export.
    """
    parts = [pl.DataFrame(schema=COUNTERS), *(_values(run, query, gpu) for query in ("gpu_metric", "memory_use"))]
    rows = pl.concat(parts).filter(pl.col("at_ns").is_between(timeline.start_ns, timeline.end_ns))
    return replace(timeline, counters=rows.sort("group", "name", "at_ns", maintain_order=True))


def _values(run: Export, query: str, gpu: int | None) -> pl.DataFrame:
    name, value = ("metric", "value") if query == "gpu_metric" else ("'memory: ' || kind", "use_bytes")
    unit = "unit" if query == "gpu_metric" else "'B'"
    columns = f"gpu_id, {name} AS name, {unit} AS unit, start_ns AS at_ns, {value} AS value"
    try:
        rows = run.narrowed(query, columns)
    except MissingData:
        return pl.DataFrame(schema=COUNTERS)
    if gpu is not None:
        rows = rows.filter(pl.col("gpu_id") == gpu)
    gpus = {gpu_id: f"GPU {gpu_number(gpu_id)}" for gpu_id in rows["gpu_id"].unique()}
    group = pl.col("gpu_id").replace_strict(gpus, return_dtype=pl.String) if gpus else pl.lit("", pl.String)
    return rows.with_columns(group=group).select(COUNTERS.names()).cast(COUNTERS)
