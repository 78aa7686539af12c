"""Find the NVTX ranges that a thread is in during the pieces of gaps, without walking a tree.

Pieces are cut where a range begins or ends; each part has the path at its start (`nvtx.paths`). Ranges come in order of
thread and start, in chunks; those still open are kept for later pieces.
"""

from collections.abc import Iterable, Iterator
from itertools import chain

import polars as pl

from nsysql.analysis.global_ids import main_thread_of, process_of
from nsysql.analysis.idle.activity import shrink_ints
from nsysql.analysis.intervals import LENGTH, overlapping
from nsysql.analysis.nvtx.blocks import BYTES_PER_RANGE, chunks, in_order, is_large
from nsysql.analysis.nvtx.paths import cut_at_ranges
from nsysql.analysis.parallel import drain, parallel_map
from nsysql.analysis.view_reader import ViewReader, reads

RECORD, NAMES, RANGES = "_idle_piece_path", "_nvtx_path", "_nvtx_own_range"
STRETCH_OF = {"gap_id": pl.UInt32, **dict.fromkeys(("drain_row", "piece_ns", "start_ns", "end_ns"), pl.Int64)}
SCHEMA: dict[str, type[pl.DataType]] = {**STRETCH_OF, "nvtx_path": pl.Categorical}
NUMBER = pl.col("nvtx_path").to_physical().cast(pl.Int32).alias("path_number")  # the same in all frames of one process
TOGETHER = 2**18  # ranges that are processed together
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
    texts, seen = views("string").select("text", text_id="id"), set[object]()
    yield pl.DataFrame(schema=SCHEMA)
    yield from _records(views, pieces, ranges, texts, seen)
    yield from _records(views, _of_main(pieces, seen), ranges, texts, seen, OF_MAIN)


def names_of(located: pl.DataFrame) -> pl.DataFrame:
    """Return the paths of such a frame: path_number, nvtx_path."""
    return located.select(NUMBER, "nvtx_path").drop_nulls().unique("path_number")


def _records(
    views: ViewReader, pieces: Pieces, ranges: str, texts: pl.DataFrame, seen: set[object], mark: str = ""
) -> Iterator[pl.DataFrame]:
    """Yield the paths of pieces, by their threads; the mark is added to each path."""
    if pieces:
        intervals = _intervals(_ranges(views, pieces, ranges, seen), pieces)
        yield from parallel_map(lambda interval: _record(*interval, texts, mark), intervals)


def _pieces(views: ViewReader) -> Pieces:
    """Return each thread's pieces, and its calls that emptied a queue, in order of start: gap_id, start_ns, end_ns."""
    gap_id, none = pl.col("gap_id").cast(pl.UInt32), pl.lit(None, pl.Int64)
    columns = ("thread_id", gap_id, none.alias("drain_row"), "start_ns", "end_ns")
    rows = views("_idle_piece", narrow=lambda some: some.drop_nulls("thread_id").select(columns), stream=True)
    calls = (
        views("_drain_call")
        .unique("row_id")
        .select(
            pl.col("thread_id").cast(pl.Int64),
            pl.lit(None, pl.UInt32).alias("gap_id"),
            drain_row=pl.col("row_id").cast(pl.Int64),
            start_ns="start_ns",
            end_ns=pl.col("start_ns") + 1,
        )
    )
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


def _ranges(views: ViewReader, pieces: Pieces, name: str, seen: set[object]) -> Iterator[pl.DataFrame]:
    """Yield the ranges that a piece of their thread overlaps, in order of thread and start, in chunks.

    The threads of all ranges are added to `seen`.
    """
    if is_large(views, name) and sum(own.height for own in pieces.values()) * BYTES_PER_RANGE > views.memory_budget:
        views.spill(name, "thread_id", "start_ns")
        yield from (_holding(some, pieces, seen) for some in chunks(views, name))
        return
    ranges = views(name, narrow=lambda some: _holding(some, pieces, seen), stream=True)
    order = in_order(ranges)
    for first in range(0, order.len(), TOGETHER):
        yield ranges[order.slice(first, TOGETHER)]


def _holding(ranges: pl.DataFrame, pieces: Pieces, seen: set[object]) -> pl.DataFrame:
    """Keep the ranges that a piece of their thread overlaps. There are many, with few texts."""
    times = ranges.select("thread_id", "start_ns", "end_ns", at=pl.int_range(pl.len(), dtype=pl.UInt32))
    places = [pl.Series(dtype=pl.UInt32)]
    for (thread,), own in times.partition_by("thread_id", as_dict=True, maintain_order=True).items():
        seen.add(thread)
        if thread in pieces:
            places.append(own["at"].filter(overlapping(own, pieces[thread])))
    return shrink_ints(ranges[pl.concat(places)].cast({"plain_text": pl.Categorical}))


def _intervals(ranges: Iterable[pl.DataFrame], pieces: Pieces) -> Iterator[tuple[pl.DataFrame, pl.DataFrame]]:
    """Yield consecutive pieces of one thread, each time with all ranges that one of them overlaps."""
    held, done = pl.DataFrame(), dict.fromkeys(pieces, 0)
    for some in chain(ranges, [None]):
        known = held if some is None else pl.concat([held, some], how="diagonal_relaxed")
        threads = known.partition_by("thread_id", as_dict=True, maintain_order=True) if known.height else {}
        for number, ((thread,), own) in enumerate(threads.items(), 1):
            of_thread, first = pieces[thread], done[thread]
            border = None if some is None or number < len(threads) else own["start_ns"].max()
            done[thread] = of_thread.height if border is None else first + _finished(of_thread[first:], border)
            left = of_thread["start_ns"].slice(done[thread], 1)
            held = own.clear() if border is None or left.is_empty() else own.filter(pl.col("end_ns") > left[0])
            if done[thread] > first:
                yield of_thread[first : done[thread]], own


def _finished(pieces: pl.DataFrame, border: object) -> int:
    """Count the pieces, from the first on, that end by a time: the ranges that overlap them are all known."""
    reached = pieces.select(pl.col("end_ns").cum_max()).to_series()
    return reached.search_sorted(pl.Series([border]), side="right").item()  # type: ignore[no-any-return]


def _record(pieces: pl.DataFrame, ranges: pl.DataFrame, texts: pl.DataFrame, mark: str) -> pl.DataFrame:
    """Cut the pieces of such an interval where their path changes, and add the path of each part.

    Pieces in which no range is open at any time are left out.
    """
    labeled = cut_at_ranges(pieces, ranges, texts)
    same = (pl.col("piece") == pl.col("piece").shift()) & pl.col("nvtx_path").eq_missing(pl.col("nvtx_path").shift())
    labeled = labeled.filter(~same.fill_null(False))
    next_start = pl.when(pl.col("piece").shift(-1) == pl.col("piece")).then(pl.col("start_ns").shift(-1))
    labeled = labeled.with_columns(end_ns=pl.coalesce(next_start, "piece_end_ns"))
    labeled = labeled.filter(pl.col("nvtx_path").is_not_null().any().over("piece"))
    path = (pl.col("nvtx_path").cast(pl.String) + mark).cast(pl.Categorical) if mark else pl.col("nvtx_path")
    return labeled.select("gap_id", "drain_row", "start_ns", "end_ns", path, piece_ns="piece_start_ns").select(*SCHEMA)


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
