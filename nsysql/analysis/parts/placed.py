"""Gaps, CUDA calls and GPU activities with the part and step in which each begins.

Of activities also how long each ran alone, and without a kernel beside it.
"""

from collections.abc import Iterator

import polars as pl

from nsysql.analysis.global_ids import process_of
from nsysql.analysis.idle.blocks import FEW, WORK, OnDisk, is_large
from nsysql.analysis.intervals import END, START, alone, covered_until, last_until, runs_of, union
from nsysql.analysis.view_reader import ViewReader, reads, schema_of

GAP = ("gap_id", "gpu_id", "start_ns", "end_ns", "drained_by_row", "is_after_work", "next_kind", "thread_id")
GAPS = 2**20  # gaps of a large export that are placed together
DUR = pl.col("dur_ns")


@reads("_idle_gap", "_part_span", "_part_step")
def part_gaps(views: ViewReader) -> Iterator[dict[str, pl.DataFrame]]:
    """Return the frame _part_gap; for a large export gaps come in several frames."""
    spans, steps = views("_part_span").sort("start_ns"), views("_part_step").sort("start_ns")
    firsts = range(0, views.rows(WORK, FEW), GAPS)
    several = [f"WHERE gap_id > {first} AND gap_id <= {first + GAPS}" for first in firsts]
    for which in several if is_large(views) else [""]:
        gaps = views("_idle_gap", *GAP, which=which)
        yield {"_part_gap": pl.concat([_gaps_of(own, spans, steps) for own in _of_gpus(gaps)])}


def _of_gpus(rows: pl.DataFrame) -> list[pl.DataFrame]:
    return rows.partition_by("gpu_id", maintain_order=True) or [rows]


def _of_gpu(frame: pl.DataFrame, gpu_id: int | None) -> pl.DataFrame:
    return frame.filter(pl.col("gpu_id").eq_missing(pl.lit(gpu_id, pl.Int64)))


def _places(spans: pl.DataFrame, steps: pl.DataFrame) -> pl.DataFrame:
    """Return the sorted times at which a GPU's part or step changes, with the end of the part's span."""
    starts = pl.concat([spans["start_ns"], steps["start_ns"]]).unique().sort()
    span = last_until(spans["start_ns"], starts).replace(-1, None)
    places = spans.select("part_id", "end_ns").select(pl.all().gather(span)).with_columns(start_ns=starts)
    return places.filter(START < END).join_asof(
        steps.select("part_id", "start_ns", "step"), on="start_ns", by="part_id", check_sortedness=False
    )


def _gaps_of(gaps: pl.DataFrame, spans: pl.DataFrame, steps: pl.DataFrame) -> pl.DataFrame:
    """Return the gaps of one GPU, one row for each span that they overlap."""
    gpu_id = gaps["gpu_id"][0] if gaps.height else None
    spans, steps = _of_gpu(spans, gpu_id), _of_gpu(steps, gpu_id)
    places = _places(spans, steps)
    first = last_until(spans["start_ns"], gaps["start_ns"]).clip(0)
    until = spans["start_ns"].search_sorted(gaps["end_ns"], side="left").cast(pl.Int64) - 1
    gaps = gaps.with_columns(gap_ns=END - START, span=first, until=until)
    later = gaps.filter(pl.col("until") > pl.col("span"))  # few
    later = later.with_columns(span=pl.int_ranges(pl.col("span") + 1, pl.col("until") + 1)).explode("span")
    gaps = pl.concat([gaps, later])
    bounds = spans.select(from_ns="start_ns", until_ns="end_ns").select(pl.all().gather(gaps["span"]))
    rows = gaps.hstack(bounds).filter(pl.col("until_ns") > START, pl.col("from_ns") < END)
    rows = rows.with_columns(start_ns=pl.max_horizontal(START, "from_ns"), end_ns=pl.min_horizontal(END, "until_ns"))
    known = places.select("part_id", "step").select(pl.all().gather(last_until(places["start_ns"], rows["start_ns"])))
    return rows.hstack(known).select(schema_of("_part_gap").names())


@reads("_call_for_value", "_gpu_process", "_drain_call", "_part_span", "_part_step")
def part_calls(views: ViewReader) -> dict[str, pl.DataFrame]:
    """Return the frame _part_call: calls are summed batch by batch as they are read."""
    spans, steps = views("_part_span").sort("start_ns"), views("_part_step").sort("start_ns")
    drains = views("_drain_call").select(pl.col("gpu_id").cast(pl.Int64), "row_id")
    gpus = []
    for (gpu_id,), used in views("_gpu_process").group_by("gpu_id", maintain_order=True):
        places = _places(_of_gpu(spans, gpu_id), _of_gpu(steps, gpu_id)).with_columns(gpu_id=pl.lit(gpu_id, pl.Int64))
        gpus.append((places, used["process_id"].drop_nulls(), _of_gpu(drains, gpu_id)["row_id"]))
    empty = schema_of("_part_call").to_frame()

    def summed(calls: pl.DataFrame) -> pl.DataFrame:
        return pl.concat([empty, *(_sums(calls, *gpu) for gpu in gpus)])

    sums = views("_call_for_value", narrow=summed, stream=True)
    return {"_part_call": sums}


def _sums(calls: pl.DataFrame, places: pl.DataFrame, processes: pl.Series, drains: pl.Series) -> pl.DataFrame:
    """Sum the calls of these processes by part, step, thread and name, those that wait for the GPU apart."""
    process_id = process_of(pl.col("thread_id"))
    at = last_until(places["start_ns"], calls["start_ns"]).replace(-1, None)
    known = places.select("part_id", "gpu_id", "step", until_ns="end_ns").select(pl.all().gather(at))
    rows = calls.hstack(known).filter(pl.col("until_ns") > START, process_id.is_in(processes.implode()))
    # A membership within agg would copy the drains for each group.
    rows = rows.with_columns(is_drain=pl.col("row_id").is_in(drains.implode()))
    return rows.group_by("part_id", "gpu_id", "step", "thread_id", "name_id", "is_blocking").agg(
        total_ns=DUR.sum(),
        count=pl.len().cast(pl.Int64),
        value_count=pl.col("is_for_value").sum().cast(pl.Int64),
        value_ns=DUR.filter("is_for_value").sum(),
        drain_count=pl.col("is_drain").sum().cast(pl.Int64),
        drain_ns=DUR.filter("is_drain").sum(),
        first_row_id=pl.col("row_id").min(),
        first_ns=DUR.get(pl.col("row_id").arg_min()),
    )


READ = (
    *("gpu_id", "process_id", "stream_id", "start_ns", "end_ns", "kind", "detail_id", "row_id"),
    *("is_communication", "is_small", "thread_id", "call_id", "api_start_ns", "api_end_ns"),
)
NUMBERS = ("gpu_id", "start_ns", "end_ns")


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
    gpu_id = rows["gpu_id"][0] if rows.height else None
    spans, steps = _of_gpu(spans, gpu_id), _of_gpu(steps, gpu_id)
    part = spans["part_id"].gather(last_until(spans["start_ns"], rows["start_ns"]).clip(0))
    known = steps.select(pl.all().gather(last_until(steps["start_ns"], rows["start_ns"]).replace(-1, None)))
    is_in = (rows["start_ns"] < known["end_ns"]) & (known["part_id"] == part)
    times = rows.select("start_ns", "end_ns")
    return rows.with_columns(
        part_id=part,
        step=pl.when(is_in).then(known["step"]),
        alone_ns=_alone(times),
        exposed_ns=_exposed(times, rows["kind"].is_in(["kernel", "graph"])),
    )


def _alone(rows: pl.DataFrame) -> pl.Series:
    """Return the time in which each activity, in order of start, was the only one."""
    sums = alone(rows.with_row_index("place"), "place").group_by("place").agg((END - START).sum().alias("alone_ns"))
    return pl.repeat(0, rows.height, dtype=pl.Int64, eager=True).scatter(sums["place"], sums["alone_ns"])


def _exposed(rows: pl.DataFrame, is_kernel: pl.Series) -> pl.Series:
    """Return each activity's time without a kernel; overlapping activities count for the first to begin."""
    runs, own = union(rows.filter(is_kernel)), rows.with_row_index("place").filter(~is_kernel)
    begin = own.select(pl.max_horizontal(START, END.cum_max().shift()).clip(upper_bound=END)).to_series()
    exposed = own["end_ns"] - begin - (covered_until(runs, own["end_ns"]) - covered_until(runs, begin))
    return pl.repeat(0, rows.height, dtype=pl.Int64, eager=True).scatter(own["place"], exposed)
