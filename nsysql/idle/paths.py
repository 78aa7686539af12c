"""In which NVTX ranges a thread is at each of many moments, without walking any tree.

Every range has a number made of its text and its depth. The sum of the numbers of all ranges open at a moment
tells which they are: what has started by then less what has ended, two running sums. So each moment costs two
searches, and of all moments with one sum a single one is held against the ranges themselves. Where ranges cross,
texts and depths don't tell in which order they began: there each range has a number of its own.

Ranges come in order of thread and start, some after the others; those still open are kept for the moments to come.
"""

from collections.abc import Iterable, Iterator
from itertools import chain

import polars as pl

from nsysql.frames import Views
from nsysql.idle.activity import narrow
from nsysql.nvtx.blocks import chunks, in_order, is_large
from nsysql.nvtx.slices import in_turn
from nsysql.stream import let_go

RECORD, NAMES, RANGES = "idle_path_record", "idle_path_name", "nvtx_own_range"
SCHEMA: dict[str, type[pl.DataType]] = {"gap_id": pl.UInt32, "start_ns": pl.Int64, "nvtx_path": pl.Categorical}
NUMBER = pl.col("nvtx_path").to_physical().cast(pl.Int32).alias("path_number")  # the same in all frames of one process
STRETCH = 2**18  # ranges that are looked through together
NO_TEXT = "(no text)"
BETWEEN = " > "

Pieces = dict[object, pl.DataFrame]  # of each thread, in order of start


def parts(views: Views) -> Iterator[dict[str, pl.DataFrame]]:
    """The frames of the views that name this module, from those in their headers; of a large export as they come."""
    pieces = _pieces(views)
    texts = views("string").select("text", text_id="id")
    records, names, are_many = [], [], is_large(views, RANGES)
    found = in_turn(lambda stretch: _record(*stretch, texts), _stretches(_ranges(views, pieces), pieces))
    for some in chain([pl.DataFrame(schema=SCHEMA)], found):
        names.append(some.select(NUMBER, "nvtx_path").unique("path_number"))
        records.append(some.select("gap_id", "start_ns", NUMBER))
        if are_many:
            yield {RECORD: records.pop()}
    if records:
        yield {RECORD: pl.concat(records)}
    yield {NAMES: pl.concat(names).unique("path_number").sort("path_number")}


def _pieces(views: Views) -> Pieces:
    """The pieces of each thread, in order of start: gap_id, start_ns."""
    asked = ("thread_id", pl.col("gap_id").cast(pl.UInt32), "start_ns")
    rows = views("idle_piece_record", narrow=lambda some: some.drop_nulls("thread_id").select(asked), stream=True)
    of_thread = rows.partition_by("thread_id", maintain_order=True)
    del rows
    return {own["thread_id"][0]: own.drop("thread_id").sort("start_ns") for own in let_go(of_thread)}


def _ranges(views: Views, pieces: Pieces) -> Iterator[pl.DataFrame]:
    """The ranges in which a piece of their thread starts, in order of thread and start, some after the others."""
    if is_large(views, RANGES):
        views.set_aside(RANGES, "thread_id", "start_ns")
        yield from (_holding(some, pieces) for some in chunks(views, RANGES))
        return
    ranges = views(RANGES, narrow=lambda some: _holding(some, pieces), stream=True)
    order = in_order(ranges)
    for first in range(0, order.len(), STRETCH):
        yield ranges[order.slice(first, STRETCH)]


def _holding(ranges: pl.DataFrame, pieces: Pieces) -> pl.DataFrame:
    """Those of some ranges in which a piece of their thread starts. There are many, with few texts."""
    found = [ranges.clear()]
    for (thread,), own in ranges.partition_by("thread_id", as_dict=True, maintain_order=True).items():
        if thread in pieces:
            first, after = _places(own, pieces[thread]["start_ns"])
            found.append(own.filter(after > first))
    return narrow(pl.concat(found).cast({"plain_text": pl.Categorical}))


def _places(ranges: pl.DataFrame, moments: pl.Series) -> tuple[pl.Series, pl.Series]:
    """Of all moments, which are in order: the first that each range holds, and the first after it."""
    first, after = (moments.search_sorted(ranges[column], side="left") for column in ("start_ns", "end_ns"))
    return first, after


def _stretches(ranges: Iterable[pl.DataFrame], pieces: Pieces) -> Iterator[tuple[pl.DataFrame, pl.DataFrame]]:
    """Pieces of one thread that follow each other, each time with all ranges that one of them starts in."""
    held, done = pl.DataFrame(), dict.fromkeys(pieces, 0)
    for some in chain(ranges, [None]):
        known = held if some is None else pl.concat([held, some], how="diagonal_relaxed")
        threads = known.partition_by("thread_id", as_dict=True, maintain_order=True) if known.height else {}
        for number, ((thread,), own) in enumerate(threads.items(), 1):
            of_thread, first = pieces[thread], done[thread]
            border = None if some is None or number < len(threads) else own["start_ns"].max()
            done[thread] = of_thread.height if border is None else of_thread.filter(pl.col("start_ns") < border).height
            held = own.clear() if border is None else own.filter(pl.col("end_ns") > border)
            if done[thread] > first:
                yield of_thread[first : done[thread]], own


def _record(pieces: pl.DataFrame, ranges: pl.DataFrame, texts: pl.DataFrame) -> pl.DataFrame:
    """The paths of the pieces of such a stretch, where they are in any range: gap_id, start_ns, nvtx_path."""
    paths = _paths(ranges, pieces["start_ns"], texts)
    return pieces.select("gap_id", "start_ns", nvtx_path=paths).drop_nulls("nvtx_path")


def _paths(ranges: pl.DataFrame, moments: pl.Series, texts: pl.DataFrame) -> pl.Series:
    """The path of a thread at each of its moments, which are in order; NULL in no range."""
    first, after = _places(ranges, moments)
    order = ["start_ns", "end_ns", "row_id"]
    ranges = ranges.with_columns(first=first, after=after).filter(pl.col("after") > pl.col("first"))
    ranges = ranges.sort(order, descending=[False, True, False]).select("first", "after", "text_id", "plain_text")
    at = pl.int_range(moments.len(), dtype=pl.UInt32, eager=True)
    sums = pl.DataFrame([_sums(ranges, at), at.alias("at")])
    chosen = sums.group_by("sum", maintain_order=True).agg(pl.col("at").first())
    named = chosen.join(_named(ranges, chosen["at"].sort(), texts), on="at").select("sum", "nvtx_path")
    return sums.join(named, on="sum", how="left", maintain_order="left")["nvtx_path"]


def _sums(ranges: pl.DataFrame, at: pl.Series) -> pl.Series:
    """A number for the ranges open at each moment: by what they are and how deep, or by which where some cross."""
    place = pl.int_range(ranges.height, eager=True)
    closing = ranges.select(pl.arg_sort_by("after", place, descending=[False, True])).to_series()  # inner ones first
    after = ranges["after"].gather(closing)
    depth = place - after.search_sorted(ranges["first"], side="right")
    left = ranges["first"].search_sorted(after, side="left") - place  # open when each closes, with itself
    what = ["text_id", pl.col("plain_text").to_physical(), depth.alias("depth")]
    crossed = (left != depth.gather(closing) + 1).any()
    numbers = ranges.select(pl.struct(place.alias("place") if crossed else what).hash()).to_series()
    started, closed = (_running(some) for some in (numbers, numbers.gather(closing)))
    of_open = started[ranges["first"].search_sorted(at, side="right")] - closed[after.search_sorted(at, side="right")]
    return of_open.alias("sum")


def _running(numbers: pl.Series) -> pl.Series:
    """The sum of none of the numbers, of the first, of the first two and so on."""
    return pl.Series([0], dtype=pl.UInt64).append(numbers.cum_sum())


def _named(ranges: pl.DataFrame, chosen: pl.Series, texts: pl.DataFrame) -> pl.DataFrame:
    """The paths at the chosen moments, which are in order: at, nvtx_path."""
    low, high = (chosen.search_sorted(ranges[c], side="left") for c in ("first", "after"))
    pairs = (
        ranges.select("text_id", "plain_text", low=low, high=high)
        .filter(pl.col("high") > pl.col("low"))
        .with_columns(which=pl.int_ranges("low", "high"))
        .explode("which")
        .join(texts, on="text_id", how="left", maintain_order="left")
    )
    paths = pairs.group_by("which", maintain_order=True).agg(
        nvtx_path=pl.coalesce("text", pl.col("plain_text").cast(pl.String), pl.lit(NO_TEXT)).str.join(BETWEEN)
    )
    return paths.select(pl.col("nvtx_path").cast(pl.Categorical), at=chosen.gather(paths["which"]))
