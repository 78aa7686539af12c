"""The place of the source that each thread is at, on one line of time: what tells it best goes first."""

import polars as pl

from nsysql.compute.lines.nearest import borders, stretches
from nsysql.compute.operators.paths import BEGINNING, DEEPEST
from nsysql.compute.operators.paths import stretches as stretches_of
from nsysql.compute.operators.threads import of_threads
from nsysql.compute.view_reader import ViewReader

READS = ("_placed_range", "_call_function", "_sample_function", "_python_place")
PROVIDES = ("_place", "_thread_place", "_call_place", "_sample_place")

PLACE = ["file", "line", "function", "module"]
SCHEMA = {"file": pl.String, "line": pl.Int64, "function": pl.String, "module": pl.String}
BORDER = {"thread_id": pl.Int64, "at": pl.Int64, "place_number": pl.Int64}
PYTHON, OF_MAIN = "Python sample", "Python sample of main thread"
RANGES = ("NVTX range", "OpenACC")  # in order: what tells a place first
SAMPLES = "CPU sample"


def compute(views: ViewReader) -> dict[str, pl.DataFrame]:
    """The frames of the views in PROVIDES, from the views in READS."""
    told_by = [_whole(views(name)) for name in READS]
    places = _numbered(told_by)
    ranges, calls, samples, python = (_with_number(frame, places) for frame in told_by)
    told = {PYTHON: _of_python(python, PYTHON)}
    told |= {how: _of_ranges(ranges.filter(pl.col("how") == how)) for how in RANGES}
    told[OF_MAIN] = _of_python(python, OF_MAIN)
    told[SAMPLES] = borders(stretches(samples.select("thread_id", "start_ns", "place_number")))
    return {
        "_place": places,
        "_thread_place": _line_of_time(told),
        "_call_place": calls.select("source", "row_id", "place_number", "is_python"),
        "_sample_place": samples.select("chain_id", "thread_id", "start_ns", "place_number", "is_python", "ran"),
    }


def _whole(frame: pl.DataFrame) -> pl.DataFrame:
    """The frame with all columns of a place."""
    lacking = {name: pl.lit(None, kind).alias(name) for name, kind in SCHEMA.items() if name not in frame.columns}
    return frame.with_columns(lacking.values()).cast(SCHEMA)  # type: ignore[arg-type]


def _numbered(frames: list[pl.DataFrame]) -> pl.DataFrame:
    """Each place once, in order, with its place_number."""
    every = pl.concat([frame.select(PLACE) for frame in frames]).unique()
    known = every.filter(pl.any_horizontal(pl.col(name).is_not_null() for name in PLACE))
    return known.sort(PLACE, nulls_last=True).with_row_index("place_number").cast({"place_number": pl.Int64})


def _with_number(frame: pl.DataFrame, places: pl.DataFrame) -> pl.DataFrame:
    return frame.join(places, on=PLACE, how="left", nulls_equal=True, maintain_order="left").drop(PLACE)


def _of_python(stretched: pl.DataFrame, how: str) -> pl.DataFrame:
    return borders(stretched.filter(pl.col("how") == how).select("thread_id", "start_ns", "end_ns", "place_number"))


def _of_ranges(ranges: pl.DataFrame) -> pl.DataFrame:
    """The innermost range of each thread, from each time on."""
    found = [pl.DataFrame(schema=BORDER)]
    for thread, own in of_threads(ranges).items():
        known = _not_too_deep(own).select("start_ns", "end_ns", text_id="place_number")
        for stretch in stretches_of(known):
            path = pl.DataFrame({"at": stretch.borders, "path": stretch.paths}).filter(pl.col("at") > BEGINNING)
            inner = path.join(stretch.steps, on="path", how="left", maintain_order="left")
            found.append(
                inner.select(pl.lit(thread, pl.Int64).alias("thread_id"), "at", place_number="text_id").cast(
                    pl.Schema(BORDER)
                )
            )
    return pl.concat(found)


def _not_too_deep(ranges: pl.DataFrame) -> pl.DataFrame:
    """The ranges of a thread without those that lie too deep in others: what passes there is the outer one's."""
    ordered = ranges.sort("start_ns", "end_ns", "row_id", descending=[False, True, False])
    ended = ordered["end_ns"].sort().search_sorted(ordered["start_ns"], side="right").cast(pl.Int64)
    return ordered.filter(pl.int_range(1, ordered.height + 1, eager=True) - ended <= DEEPEST)


def _line_of_time(told: dict[str, pl.DataFrame]) -> pl.DataFrame:
    """The stretches of all threads in which a place is told: what comes first in `told` goes first."""
    times = pl.concat([frame.select("thread_id", "at").cast(pl.Int64) for frame in told.values()])
    line = times.unique().sort("thread_id", "at")
    for how, frame in told.items():
        own = frame.cast(BORDER).sort("thread_id", "at").rename({"place_number": how})  # type: ignore[arg-type]
        line = line.sort("at").join_asof(own.sort("at"), on="at", by="thread_id", check_sortedness=False)
    line = line.sort("thread_id", "at").with_columns(
        place_number=pl.coalesce(*told),
        how=pl.coalesce(*(pl.when(pl.col(how).is_not_null()).then(pl.lit(how)) for how in told)),
        end_ns=pl.col("at").shift(-1).over("thread_id"),
    )
    held = line.drop_nulls(["place_number", "end_ns"])
    return held.select("thread_id", "end_ns", "place_number", "how", start_ns="at").sort("thread_id", "start_ns")
