"""Find the NVTX ranges that a thread is in during the pieces of gaps, without walking a tree.

Pieces are cut where a range begins or ends; each part has the path at its start (`nvtx.paths`). Only ranges that share
time with a piece of their thread are kept in memory.
"""

from collections.abc import Iterator

import polars as pl

from nsysql.analysis.global_ids import main_thread_of, of_threads, process_of
from nsysql.analysis.idle.activity import shrink_ints
from nsysql.analysis.intervals import LENGTH, overlapping
from nsysql.analysis.nvtx.blocks import is_large
from nsysql.analysis.nvtx.paths import NO_TEXT, PathInterval, cut, ordered_ranges, text_of_paths
from nsysql.analysis.parallel import drain, parallel_map
from nsysql.analysis.view_reader import ViewReader, reads

RECORD, NAMES, RANGES = "_idle_piece_path", "_nvtx_path", "_nvtx_own_range"
STRETCH_OF = {"gap_id": pl.UInt32, **dict.fromkeys(("drain_row", "piece_ns", "start_ns", "end_ns"), pl.Int64)}
SCHEMA: dict[str, type[pl.DataType]] = {**STRETCH_OF, "nvtx_path": pl.Categorical}
NUMBER = pl.col("nvtx_path").to_physical().cast(pl.Int32).alias("path_number")  # the same in all frames of one process
RANGE = ["thread_id", "start_ns", "end_ns", "text_id"]
OF_MAIN = " (main thread)"

Pieces = dict[object, pl.DataFrame]  # of each thread, in order of start


@reads("_idle_piece", "_nvtx_own_range", "string", "_drain_call")
def piece_paths(views: ViewReader) -> Iterator[dict[str, pl.DataFrame]]:
    """Compute the frames _idle_piece_path and _nvtx_path; in parts for a large export."""
    records, names, are_many = [], [], is_large(views, RANGES)
    for some in located(views, _pieces(views)):
        names.append(names_of(some))
        records.append(shrink_ints(some.select(*STRETCH_OF, NUMBER)))
        if are_many:
            yield {RECORD: records.pop()}
    if records:
        yield {RECORD: pl.concat(records, how="vertical_relaxed")}
    yield {NAMES: pl.concat(names).unique("path_number").sort("path_number")}


def located(views: ViewReader, pieces: Pieces, ranges: str = RANGES) -> Iterator[pl.DataFrame]:
    """Yield the pieces cut where their path in a view's ranges changes: frames of SCHEMA, the first without rows.

    Each piece is in one of them.
    """
    seen = set[object]()
    yield pl.DataFrame(schema=SCHEMA)
    yield from _records(views, pieces, ranges, seen)
    yield from _records(views, _of_main(pieces, seen), ranges, seen, OF_MAIN)


def names_of(located: pl.DataFrame) -> pl.DataFrame:
    """Return the paths of such a frame: path_number, nvtx_path."""
    return located.select(NUMBER, "nvtx_path").drop_nulls().unique("path_number")


def _records(
    views: ViewReader, pieces: Pieces, ranges: str, seen: set[object], mark: str = ""
) -> Iterator[pl.DataFrame]:
    """Yield the paths of pieces, by their threads; the mark is added to each path."""
    if not pieces:
        return
    texts = views("string").select(text_id="id", registered=pl.col("text").cast(pl.Categorical))

    def narrow(some: pl.DataFrame) -> pl.DataFrame:
        named = _holding(some, pieces, seen).join(texts, on="text_id", how="left", maintain_order="left")
        name = pl.coalesce("registered", pl.col("plain_text").cast(pl.Categorical), pl.lit(NO_TEXT, pl.Categorical))
        return shrink_ints(named.select("thread_id", "start_ns", "end_ns", "row_id", text_id=name.to_physical()))

    for some in ordered_ranges(views, narrow, RANGE, view=ranges):
        for thread, own in of_threads(some).items():
            yield from _of_thread(pieces[thread], own, mark)


def _pieces(views: ViewReader) -> Pieces:
    """Return each thread's pieces, and its calls that emptied a queue, in order of start: gap_id, start_ns, end_ns."""
    gap_id, none = pl.col("gap_id").cast(pl.UInt32), pl.lit(None, pl.Int64)
    rows = views("_idle_piece", "thread_id", "gap_id", "start_ns", "end_ns").drop_nulls("thread_id")
    rows = rows.select("thread_id", gap_id, none.alias("drain_row"), "start_ns", "end_ns")
    calls = views("_drain_call").unique("row_id").cast({"thread_id": pl.Int64, "row_id": pl.Int64})
    no_gap, end = pl.lit(None, pl.UInt32).alias("gap_id"), pl.col("start_ns") + 1
    calls = calls.select("thread_id", no_gap, drain_row="row_id", start_ns="start_ns", end_ns=end)
    return by_thread(pl.concat([rows, calls], how="vertical_relaxed"))


def by_thread(rows: pl.DataFrame) -> Pieces:
    """Group pieces by their thread_id."""
    of_thread = rows.partition_by("thread_id", maintain_order=True)
    del rows
    return {own["thread_id"][0]: own.drop("thread_id").sort("start_ns") for own in drain(of_thread)}


def _of_main(pieces: Pieces, seen: set[object]) -> Pieces:
    """Move the pieces of threads that never opened a range to the main threads of their processes."""
    by_thread: dict[object, list[pl.DataFrame]] = {}
    for thread, own in pieces.items():
        if isinstance(thread, int) and thread not in seen:
            main = main_thread_of(process_of(thread))
            if main in seen:
                by_thread.setdefault(main, []).append(own)
    return {main: pl.concat(own).sort("start_ns") for main, own in by_thread.items()}


def _holding(ranges: pl.DataFrame, pieces: Pieces, seen: set[object]) -> pl.DataFrame:
    """Keep the ranges that a piece of their thread overlaps; the threads of all ranges are added to `seen`."""
    times = ranges.select("thread_id", "start_ns", "end_ns", at=pl.int_range(pl.len(), dtype=pl.UInt32))
    places = [pl.Series(dtype=pl.UInt32)]
    for (thread,), own in times.partition_by("thread_id", as_dict=True, maintain_order=True).items():
        seen.add(thread)
        if thread in pieces:
            places.append(own["at"].filter(overlapping(own, pieces[thread])))
    return ranges[pl.concat(places)]


def _of_thread(pieces: pl.DataFrame, ranges: pl.DataFrame, mark: str) -> Iterator[pl.DataFrame]:
    """Cut a thread's pieces where their path in these ranges changes, and add the path of each part.

    Pieces in which no range is open at any time are left out.
    """
    whole = pieces.with_columns(piece_ns="start_ns", piece_end_ns="end_ns").with_row_index("piece")
    held = pl.DataFrame()  # parts of pieces that go on after the interval
    for parts, end_ns in parallel_map(lambda some: _named(*some, mark), cut(whole, ranges)):
        known = pl.concat([held, parts])
        goes_on = pl.col("piece_end_ns") > end_ns if end_ns is not None else pl.lit(False)
        held = known.filter(goes_on)
        yield _joined(known.filter(~goes_on))


def _named(parts: pl.DataFrame, interval: PathInterval, mark: str) -> tuple[pl.DataFrame, int | None]:
    """Replace the number of each part's path by nvtx_path; also return the end of the interval."""
    name = pl.col("text_id").cast(pl.UInt32).cat.to(pl.Categorical).cast(pl.String)
    texts = text_of_paths([interval.steps], name)
    path = pl.col("text").replace("", None) + mark
    named = texts.select("path", nvtx_path=path.cast(pl.Categorical))
    return parts.join(named, on="path", how="left").drop("path", "at"), interval.end_ns


def _joined(parts: pl.DataFrame) -> pl.DataFrame:
    """Join consecutive parts of a piece that have the same path."""
    is_same = pl.struct("piece", "nvtx_path").eq_missing(pl.struct("piece", "nvtx_path").shift())
    starts = parts.sort("piece", "start_ns").filter(~is_same)
    next_start = pl.when(pl.col("piece").shift(-1) == pl.col("piece")).then(pl.col("start_ns").shift(-1))
    joined = starts.with_columns(end_ns=pl.coalesce(next_start, "piece_end_ns"))
    return joined.filter(pl.col("nvtx_path").is_not_null().any().over("piece")).select(*SCHEMA)


@reads("_piece_before_launch", "_nvtx_long_range", "string")
def part_paths(views: ViewReader) -> dict[str, pl.DataFrame]:
    """Compute the frames _part_path and _part_path_name."""
    pieces = views("_piece_before_launch").with_columns(
        pl.col("gap_id").cast(STRETCH_OF["gap_id"]), drain_row=pl.lit(None, STRETCH_OF["drain_row"])
    )
    paths, names = [], []
    for some in located(views, by_thread(pieces), "_nvtx_long_range"):
        names.append(names_of(some))
        paths.append(_longest(some))
    return {"_part_path": pl.concat(paths), "_part_path_name": pl.concat(names).unique("path_number")}


def _longest(located: pl.DataFrame) -> pl.DataFrame:
    """Return the path that covers most of each piece, of ties the first, with the time that it covers."""
    order = [pl.col("gap_id"), pl.col("piece_ns"), LENGTH, pl.col("start_ns")]
    known = located.drop_nulls("nvtx_path").sort(order, descending=[False, False, True, False])
    most = known.unique(["gap_id", "piece_ns"], keep="first")
    return most.select("gap_id", "piece_ns", NUMBER, path_ns=LENGTH)
