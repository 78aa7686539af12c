"""The curves of a timeline as traces have them: a row for each value, from its time on."""

import polars as pl

from nsysql.capture.export import Export
from nsysql.pages.timeline.curves import MEMORY, group_of_gpu, read_curves

COUNTERS = pl.Schema(
    {"group": pl.String(), "name": pl.String(), "unit": pl.String(), "at_ns": pl.Int64(), "value": pl.Int64()}
)


def counters(run: Export, start_ns: int, end_ns: int, gpu: int | None = None) -> pl.DataFrame:
    """The counters of a stretch of time: a row for each value, from its time on.

    Columns group (the GPU's), name, unit, at_ns, value; in order of group, name and time. A metric's sample is valid
    from the one before to its own time, so that it begins there; values are those of the export. What holds when a
    stretch begins has a row at its start.
    """
    curves = read_curves(run, start_ns, end_ns, gpu, None)
    if curves is None:
        return pl.DataFrame(schema=COUNTERS)
    is_memory = pl.col("family") == MEMORY
    name = pl.when(is_memory).then("memory: " + pl.col("name")).otherwise("name")
    named = curves.rows.select("curve", "unit", group=group_of_gpu(), name=name)
    rows = curves.values.join(named, on="curve", how="left", maintain_order="left")
    counted = rows.with_columns(at_ns="start_ns", value="high").select(COUNTERS.names()).cast(COUNTERS)
    return counted.sort("group", "name", "at_ns", maintain_order=True)
