"""Merge all evidence into the source line of each thread over time, the most precise first; split idle time by it."""

import polars as pl

from nsysql.analysis.global_ids import of_threads
from nsysql.analysis.intervals import cut_by_timeline
from nsysql.analysis.lines.python_stacks import borders, sample_intervals
from nsysql.analysis.nvtx.paths import BEGINNING, in_order, path_intervals
from nsysql.analysis.view_reader import ViewReader, reads, schema_of

PLACE = ["file", "line", "function", "module"]
SCHEMA = {"file": pl.String, "line": pl.Int64, "function": pl.String, "module": pl.String}
BORDER = {"thread_id": pl.Int64, "at": pl.Int64, "place_number": pl.Int64}
PYTHON, OF_MAIN = "Python sample", "Python sample of main thread"
RANGES = ("NVTX range", "OpenACC")  # in order of preference
SAMPLES = "CPU sample"


@reads("_placed_range", "_call_function", "_sample_function", "_python_place")
def places(views: ViewReader) -> dict[str, pl.DataFrame]:
    """Compute the frames _place, _thread_place, _call_place and _sample_place."""
    names = ("_placed_range", "_call_function", "_sample_function", "_python_place")
    evidence = [_with_all_columns(views(name)) for name in names]
    places = _numbered(evidence)
    ranges, calls, samples, python = (
        frame.join(places, on=PLACE, how="left", nulls_equal=True, maintain_order="left").drop(PLACE)
        for frame in evidence
    )
    timelines = {PYTHON: _python_timeline(python, PYTHON)}
    timelines |= {how: _range_timeline(ranges.filter(pl.col("how") == how)) for how in RANGES}
    timelines[OF_MAIN] = _python_timeline(python, OF_MAIN)
    timelines[SAMPLES] = borders(sample_intervals(samples.select("thread_id", "start_ns", "place_number")))
    return {
        "_place": places,
        "_thread_place": _merged_timeline(timelines),
        "_call_place": calls.select("source", "row_id", "place_number", "is_python").drop_nulls("place_number"),
        "_sample_place": samples.select("thread_id", "start_ns", "place_number", "is_python", "ran"),
    }


def _with_all_columns(frame: pl.DataFrame) -> pl.DataFrame:
    """Add the missing columns of a place as NULL."""
    missing = {name: pl.lit(None, kind).alias(name) for name, kind in SCHEMA.items() if name not in frame.columns}
    return frame.with_columns(missing.values()).cast(SCHEMA)  # type: ignore[arg-type]


def _numbered(frames: list[pl.DataFrame]) -> pl.DataFrame:
    """Return each distinct place, sorted, with its place_number."""
    every = pl.concat([frame.select(PLACE) for frame in frames]).unique()
    known = every.filter(pl.any_horizontal(pl.col(name).is_not_null() for name in PLACE))
    return known.sort(PLACE, nulls_last=True).with_row_index("place_number").cast({"place_number": pl.Int64})


def _python_timeline(stretched: pl.DataFrame, how: str) -> pl.DataFrame:
    return borders(stretched.filter(pl.col("how") == how).select("thread_id", "start_ns", "end_ns", "place_number"))


def _range_timeline(ranges: pl.DataFrame) -> pl.DataFrame:
    """Return the place of the innermost range of each thread, as change points."""
    borders = [pl.DataFrame(schema=BORDER)]
    for thread, own in of_threads(ranges).items():
        known = own[in_order(own)].select("start_ns", "end_ns", text_id="place_number")
        for interval in path_intervals(known):
            path = pl.DataFrame({"at": interval.borders, "path": interval.paths}).filter(pl.col("at") > BEGINNING)
            inner = path.join(interval.steps, on="path", how="left", maintain_order="left")
            rows = inner.select("at", thread_id=pl.lit(thread, pl.Int64), place_number="text_id")
            borders.append(rows.select(*BORDER).cast(pl.Schema(BORDER)))
    return pl.concat(borders)


def _merged_timeline(timelines: dict[str, pl.DataFrame]) -> pl.DataFrame:
    """Return the intervals of all threads with a known place; earlier entries in `timelines` take precedence."""
    times = pl.concat([frame.select("thread_id", "at").cast(pl.Int64) for frame in timelines.values()])
    line = times.unique().sort("thread_id", "at")
    for how, frame in timelines.items():
        own = frame.cast(BORDER).sort("thread_id", "at").rename({"place_number": how})  # type: ignore[arg-type]
        line = line.sort("at").join_asof(own.sort("at"), on="at", by="thread_id", check_sortedness=False)
    source = pl.coalesce(*(pl.when(pl.col(how).is_not_null()).then(pl.lit(how)) for how in timelines))
    end = pl.col("at").shift(-1).over("thread_id")
    line = line.sort("thread_id", "at").with_columns(place_number=pl.coalesce(*timelines), how=source, end_ns=end)
    known = line.drop_nulls(["place_number", "end_ns"])
    return known.select("thread_id", "end_ns", "place_number", "how", start_ns="at").sort("thread_id", "start_ns")


PIECE = ("gap_id", "thread_id", "start_ns", "end_ns", "evidence_table", "evidence_row_id")
OWN = "call stack"
PART = schema_of("_idle_piece_place")


@reads("_idle_piece", "_call_place", "_thread_place")
def idle_places(views: ViewReader) -> dict[str, pl.DataFrame]:
    """Compute the frame _idle_piece_place."""
    calls, timeline = views("_call_place"), views("_thread_place")
    threads = timeline["thread_id"].unique().implode()
    tables = calls["source"].unique().implode()

    def narrow(some: pl.DataFrame) -> pl.DataFrame:
        of_call = pl.col("evidence_table").cast(pl.String).is_in(tables)
        return some.filter(pl.col("thread_id").is_in(threads) | of_call)

    pieces = views("_idle_piece", *PIECE, narrow=narrow, stream=True)
    pieces = pieces.rename({"evidence_table": "source", "evidence_row_id": "row_id"})
    pieces = pieces.cast({"source": pl.String, "row_id": pl.Int64, "thread_id": pl.Int64})
    calls = calls.rename({"place_number": "own_number"})
    pieces = pieces.join(calls, on=["source", "row_id"], how="left", maintain_order="left").with_row_index("interval")
    return {"_idle_piece_place": _parts(pieces, timeline).filter(pl.col("end_ns") > pl.col("start_ns"))}


def _parts(pieces: pl.DataFrame, timeline: pl.DataFrame) -> pl.DataFrame:
    """Return the parts of pieces with a known source line: that of the call's own stack, or if this shows only Python's
    interpreter, that of the thread's timeline.
    """
    cut = cut_by_timeline(pieces, timeline)
    of_thread = timeline.select(thread_number="place_number", thread_how="how").select(pl.all().gather(cut["row"]))
    of_piece = pieces.select("interval", "gap_id", "own_number", "is_python", piece_ns="start_ns")
    rows = cut.hstack(of_thread).join(of_piece, on="interval")
    is_python = pl.col("is_python") & pl.col("thread_how").fill_null("").str.starts_with(PYTHON)
    own = pl.when(pl.col("own_number").is_not_null() & ~is_python)
    number, how = own.then("own_number").otherwise("thread_number"), own.then(pl.lit(OWN)).otherwise("thread_how")
    parts = rows.with_columns(place_number=number, how=how)
    return parts.drop_nulls("place_number").select(*PART).cast(PART).sort("gap_id", "start_ns")
