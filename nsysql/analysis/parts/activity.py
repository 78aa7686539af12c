"""Compute how much of its part's time each GPU activity ran alone, and without a kernel beside it."""

from collections.abc import Iterator

import polars as pl

from nsysql.analysis.idle.blocks import WORK, OnDisk, is_large
from nsysql.analysis.idle.busy_intervals import union
from nsysql.analysis.intervals import covered_until, runs_of
from nsysql.analysis.view_reader import ViewReader, reads

READ = (
    *("gpu_id", "process_id", "stream_id", "start_ns", "end_ns", "kind", "detail_id", "row_id"),
    *("is_communication", "is_small", "thread_id", "call_id", "api_start_ns", "api_end_ns"),
)
NUMBERS = ("gpu_id", "start_ns", "end_ns")
START, END = pl.col("start_ns"), pl.col("end_ns")


@reads("_activity_launch", "_part_span", "_part_step")
def part_activity(views: ViewReader) -> Iterator[dict[str, pl.DataFrame]]:
    """Compute the frame _part_activity, in frames between which a GPU runs nothing."""
    spans, steps = views("_part_span").sort("start_ns"), views("_part_step").sort("start_ns")
    blocks = OnDisk(views).activities(*READ) if is_large(views) else iter([views(WORK)])
    for block in blocks:
        rows = block.select(READ).cast(dict.fromkeys(NUMBERS, pl.Int64))
        of_gpus = [own for _, own in runs_of(rows, "gpu_id")] or [rows]
        yield {"_part_activity": pl.concat([_placed(own, spans, steps) for own in of_gpus])}


def _placed(rows: pl.DataFrame, spans: pl.DataFrame, steps: pl.DataFrame) -> pl.DataFrame:
    """Add to the activities of one GPU their part and step, by their start, alone_ns and exposed_ns."""
    gpu = pl.lit(rows["gpu_id"][0] if rows.height else None, pl.Int64)
    own, marks = (frame.filter(pl.col("gpu_id").eq_missing(gpu)) for frame in (spans, steps))
    part = own["part_id"].gather(
        (own["start_ns"].search_sorted(rows["start_ns"], side="right").cast(pl.Int64) - 1).clip(0)
    )
    at = marks["start_ns"].search_sorted(rows["start_ns"], side="right").cast(pl.Int64) - 1
    step = pl.Series(at).replace(-1, None)
    known = marks.select(pl.all().gather(step))
    is_in = (rows["start_ns"] < known["end_ns"]) & (known["part_id"] == part)
    runs = union(rows.filter(pl.col("kind").cast(pl.String).is_in(["kernel", "graph"])))
    return rows.with_columns(
        part_id=part,
        step=pl.when(is_in).then(known["step"]),
        alone_ns=_alone(rows),
        exposed_ns=_exposed(rows, runs),
    )


def _alone(rows: pl.DataFrame) -> pl.Series:
    """Return the time in which each activity, in order of start, was the only one.

    Between one start and the next, the activity that ends last is alone once the second last has ended.
    """
    before = END.cum_max().shift()
    second = pl.when(before.is_not_null()).then(pl.min_horizontal(END, before)).cum_max()
    last = pl.when((before < END).fill_null(True)).then(pl.int_range(pl.len(), dtype=pl.Int64)).forward_fill()
    intervals = rows.select(
        last=last,
        alone_ns=pl.min_horizontal(START.shift(-1), END.cum_max()) - pl.max_horizontal(START, second),
    ).filter(pl.col("alone_ns") > 0)
    sums = intervals.group_by("last").agg(pl.col("alone_ns").sum())
    return pl.repeat(0, rows.height, dtype=pl.Int64, eager=True).scatter(sums["last"], sums["alone_ns"])


def _exposed(rows: pl.DataFrame, runs: pl.DataFrame) -> pl.Series:
    """Return each activity's time without a kernel (`runs`); overlapping activities count for the first to begin."""
    others = rows.select(pl.col("kind").cast(pl.String).is_in(["kernel", "graph"])).to_series().not_()
    own = rows.with_row_index("place").filter(others)
    begin = own.select(pl.max_horizontal(START, END.cum_max().shift()).clip(upper_bound=END)).to_series()
    exposed = own["end_ns"] - begin - (covered_until(runs, own["end_ns"]) - covered_until(runs, begin))
    return pl.repeat(0, rows.height, dtype=pl.Int64, eager=True).scatter(own["place"], exposed)
