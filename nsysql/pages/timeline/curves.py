"""What is measured over time beside a timeline's events: sampled GPU metrics, and GPU memory in use, as curves."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from operator import itemgetter
from typing import Any

import polars as pl

from nsysql.analysis.timeline import VALUES, fewer_values, merged_values
from nsysql.capture.export import Export
from nsysql.errors import MissingData
from nsysql.pages.phrases import gpu_number
from nsysql.pages.summary.metrics import SHOWN
from nsysql.pages.timeline.model import CURVE, Curves, Timeline
from nsysql.words.quantities import CLOCKS, scaled, size

MOST_VALUES = 200_000  # of all curves; of more, short ones are merged while they are read
USUAL = 16  # metrics that a GPU has about: by them shorter samples are merged while they are read
METRIC, MEMORY = "metric", "memory"
COLUMNS = {
    METRIC: "gpu_id, metric AS name, unit, start_ns, end_ns, value",
    MEMORY: "gpu_id, kind AS name, 'B' AS unit, start_ns, NULL::BIGINT AS end_ns, use_bytes AS value",
}
BRIEF = {  # names for the margin of a picture
    "DRAM Read Bandwidth": "DRAM read", "DRAM Write Bandwidth": "DRAM write", "PCIe RX Throughput": "PCIe RX",
    "PCIe TX Throughput": "PCIe TX",
}  # fmt: skip
QUERIES = {METRIC: "gpu_metric", MEMORY: "memory_use"}
KEY = ("gpu_id", "family", "name", "unit")
TEXTS = dict.fromkeys(("family", "name", "unit"), pl.String())
READ = pl.Schema({"gpu_id": pl.Int64(), **TEXTS, **dict(list(VALUES.items())[1:])})


def with_curves(
    timeline: Timeline, run: Export, gpu: int | None = None, most: int | None = MOST_VALUES,
    exact: Sequence[tuple[int, int]] = (),
) -> Timeline:  # fmt: skip
    """The timeline with the curves of its interval, if there are any."""
    curves = read_curves(run, timeline.start_ns, timeline.end_ns, gpu, most, exact)
    return timeline if curves is None else replace(timeline, curves=curves)


def read_curves(
    run: Export, start_ns: int, end_ns: int, gpu: int | None, most: int | None, exact: Sequence[tuple[int, int]] = ()
) -> Curves | None:
    """The curves of an interval, of one GPU or all; None without any.

    A metric's sample holds from the one before to its own time, memory in use until it changes. Of more values than
    `most` short ones are merged, but not in the intervals `exact`; None: all are kept.
    """
    interval, part = (start_ns, end_ns), 0
    if most is not None and run.count("gpu_metric", {}, most + 1) > most:
        part = max(1, (end_ns - start_ns) * USUAL // most)
    families = pl.concat([_read(run, family, interval, gpu, part, exact) for family in (METRIC, MEMORY)])
    if families.is_empty():
        return None
    rows = _curves(families)
    numbered = families.join(rows.select("curve", *KEY), on=KEY, how="left", nulls_equal=True).select(VALUES.names())
    values, used = fewer_values(numbered, most or numbered.height, part or 1, exact)
    return Curves(rows, values, max(used, part))


def in_order(timeline: Timeline, with_others: bool = False) -> Iterator[dict[str, Any]]:
    """The tracks, and after those of each GPU its curves (of kind `curve`); the less telling ones where asked for.

    Curves that have a column `after` come after that track, and are left out without it; those of a GPU without tracks
    come after those of all GPUs.
    """
    tracks = list(enumerate(timeline.tracks.to_dicts()))
    curves = [] if timeline.curves is None else timeline.curves.rows.to_dicts()
    place_of = {track["track"]: place for place, track in tracks}
    last = {track["gpu_id"]: place for place, track in tracks if track["thread_id"] is None}
    others = max(last.values(), default=-1) + 0.5
    places = [place_of.get(row["after"]) if "after" in row else last.get(row["gpu_id"], others) for row in curves]
    placed = [(place, row) for place, row in zip(places, curves, strict=True) if place is not None]
    shown = [(place, row) for place, row in placed if with_others or row["is_main"]]
    yield from (row for _, row in sorted([*tracks, *shown], key=itemgetter(0)))


def group_of_gpu() -> pl.Expr:
    """What the GPU of `gpu_id` is called."""
    return pl.format("GPU {}", pl.col("gpu_id").cast(pl.String).fill_null(gpu_number(None)))


def amount(value: float, unit: str | None) -> str:
    """A value with its unit, for people."""
    if unit == "B":
        return size(value)
    if unit == "Hz":
        return scaled(value, CLOCKS)
    number = f"{value:,.1f}".removesuffix(".0")
    return f"{number} {unit}" if unit else number


def _read(
    run: Export, family: str, interval: tuple[int, int], gpu: int | None, part: int, exact: Sequence[tuple[int, int]]
) -> pl.DataFrame:
    """The values of that kind within the timeline: READ's columns."""

    def among(rows: pl.DataFrame) -> pl.DataFrame:
        own = rows if gpu is None else rows.filter(pl.col("gpu_id") == gpu)
        if family == MEMORY:
            return own
        return _merged(_within(own, family, interval), part, exact)

    try:
        rows = run.select(QUERIES[family], COLUMNS[family], "", among)
    except MissingData:
        return pl.DataFrame(schema=READ)
    if family == METRIC:
        return _merged(rows, part, exact) if part else rows
    until = pl.col("start_ns").shift(-1).over("gpu_id", "name").fill_null(max(interval[1], 0))
    return _within(rows.with_columns(end_ns=pl.max_horizontal(until, "start_ns")), family, interval)


def _within(rows: pl.DataFrame, family: str, interval: tuple[int, int]) -> pl.DataFrame:
    """The part of each value that lies within the timeline."""
    start, end = interval
    is_moment = pl.col("end_ns") == pl.col("start_ns")
    is_later = (pl.col("end_ns") > start) | (is_moment & (pl.col("start_ns") >= start))
    times, values = pl.col("start_ns", "end_ns").clip(start, end), dict.fromkeys(("low", "high", "mean"), "value")
    clipped = rows.filter((pl.col("start_ns") <= end) & is_later).with_columns(times, **values, family=pl.lit(family))
    lengths = clipped.with_columns(held_ns=pl.col("end_ns") - pl.col("start_ns"), count=pl.lit(1))
    return lengths.select(READ.names()).cast(READ)


def _merged(rows: pl.DataFrame, part: int, exact: Sequence[tuple[int, int]]) -> pl.DataFrame:
    if not part or rows.is_empty():
        return rows
    keys = rows.select(KEY).unique(maintain_order=True).with_row_index("curve")
    numbered = rows.join(keys, on=KEY, how="left", nulls_equal=True)
    merged = merged_values(numbered.select(VALUES.names()), part, exact)
    return merged.join(keys, on="curve", how="left").select(READ.names())


def _curves(values: pl.DataFrame) -> pl.DataFrame:
    """The curves in the order in which they are drawn."""
    held = pl.col("held_ns").sum()
    mean = (pl.col("mean") * pl.col("held_ns")).sum() / held
    rows = values.group_by(KEY).agg(
        *(pl.col("low").min(), pl.col("high").max(), pl.col("count").sum().alias("values")),
        mean=pl.when(held > 0).then(mean).otherwise(pl.col("mean").mean()),
    )
    order = {name: place for place, name in enumerate(SHOWN)}
    place = pl.col("name").replace_strict(order, default=len(order), return_dtype=pl.Int64)
    is_metric = pl.col("family") == METRIC
    are_known = (place < len(order)).any().over("gpu_id", "family")  # else all are as telling
    placed = rows.with_columns(is_main=~is_metric | (place < len(order)) | ~are_known, place=place)
    down = [False, True, True, False, False, False]
    sorted_ = placed.sort("gpu_id", is_metric, "is_main", "place", "name", "unit", descending=down)
    what = pl.when(~is_metric).then(pl.lit("memory in use")).when("is_main").then(pl.lit("metrics"))
    is_share = (pl.col("unit") == "%") & (pl.col("high") <= 100)
    return sorted_.with_row_index("curve").select(
        "curve", *KEY, "is_main", "low", "high", "mean", "values",
        group=pl.format("{} {}", group_of_gpu(), what.otherwise(pl.lit("other metrics"))),
        label=pl.col("name").replace(BRIEF).fill_null("(no name)"),
        top=pl.when(is_share).then(100).otherwise(pl.max_horizontal("high", 1)),
        lanes=pl.lit(2),
        thread_id=pl.lit(None, pl.Int64),
        track=pl.lit(None, pl.UInt32),
        kind=pl.lit("curve"),
        style=pl.lit(CURVE) + pl.col("family"),
    )  # fmt: skip
