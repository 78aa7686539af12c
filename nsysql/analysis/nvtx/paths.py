"""Find the NVTX path that a thread is in at each time, without walking a tree, and in chunks of ranges.

A path is the ranges open at a time, outermost first; those nested deeper than DEEPEST count as the ones around them.
Every range has a number made of its name and its depth. The number of a path is the sum of those of all ranges open at
that time: of those started by then less those ended. A path's number less that of its innermost range is the number of
the path around it, so that few rows describe all paths (`text_of_paths`). If ranges cross, names and depths do not tell
in which order they began: then the ranges open at each time are examined themselves.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import chain

import polars as pl

from nsysql.analysis.global_ids import of_threads
from nsysql.analysis.nvtx.blocks import is_large
from nsysql.analysis.view_reader import ViewReader
from nsysql.analysis.window import Window

BETWEEN = " > "
NO_TEXT = "(no text)"
DEEPEST = 64  # ranges of a path; far more come from ranges that are never popped
BLOCK = 2**17  # ranges that are processed together, besides those still open
PAIRS = 2**22  # pairs of a time and a range open then that are processed together
NUMBER = pl.UInt64
OUTSIDE = 0  # the path outside of ranges
STEP = pl.Schema({"path": NUMBER(), "around": NUMBER(), "text_id": pl.Int64()})
BEGINNING, LAST = -(2**63), 2**63 - 1
ORDER = ["start_ns", "end_ns", "row_id"]
RANGES = "_nvtx_own_range"


@dataclass(frozen=True)
class PathInterval:
    """An interval of a thread's time: the path from each border on, up to `end_ns`, NULL in the last one.

    `opened` has the path of each range that begins in it, from the thread's range `first` on; `steps` describes paths.
    """

    borders: pl.Series
    paths: pl.Series
    end_ns: int | None
    first: int
    opened: pl.Series
    steps: pl.DataFrame

    def at(self, times: pl.Series) -> pl.Series:
        """Return the path at each time."""
        return self.paths.gather(self.borders.search_sorted(times, side="right") - 1)

    def cut(self, pieces: pl.DataFrame) -> pl.DataFrame:
        """Cut pieces inside it at its borders, and add the path of each part and the place of its border (at)."""
        low = self.borders.search_sorted(pieces["start_ns"], side="right").cast(pl.Int64)
        high = self.borders.search_sorted(pieces["end_ns"], side="left").cast(pl.Int64)
        whole = high <= low
        placed = pieces.with_columns(at=low - 1)
        cut = placed.with_columns(until=high).filter(~whole)
        cut = cut.with_columns(at=pl.int_ranges("at", "until")).explode("at")
        begin = self.borders.gather(cut["at"])
        end = self.borders.shift(-1, fill_value=LAST).gather(cut["at"])
        cut = cut.with_columns(start_ns=pl.max_horizontal("start_ns", begin), end_ns=pl.min_horizontal("end_ns", end))
        parts = pl.concat([placed.filter(whole), cut.drop("until")])
        return parts.with_columns(self.paths.gather(parts["at"]).alias("path"))

    def lasting(self, window: Window) -> pl.DataFrame:
        """Return how long the thread is in each path within the window, except outside of ranges: path, cpu."""
        last = self.borders[-1] if self.end_ns is None else self.end_ns
        borders, ends = (window.squeezed(at) for at in (self.borders, self.borders.shift(-1, fill_value=last)))
        rows = pl.DataFrame({"path": self.paths, "cpu": ends - borders}).filter(self.paths != OUTSIDE)
        rows = rows.filter(pl.col("cpu") > 0)
        return rows.group_by("path").agg(pl.col("cpu").sum())

    def counts(self, are_counted: pl.Series) -> pl.DataFrame:
        """Count the ranges with each path that begin in it, of those that are counted: path, count."""
        counted = self.opened.filter(are_counted).alias("path").to_frame()
        return counted.group_by("path").agg(count=pl.len().cast(pl.Int64))


def in_order(ranges: pl.DataFrame) -> pl.Series:
    """Return the positions of a thread's ranges in order of start, outer ones first, without those too deep."""
    places = pl.int_range(ranges.height, dtype=pl.UInt32, eager=True)
    start, end, row = (pl.col(name) for name in ORDER)
    inside = (end < end.shift()) | ((end == end.shift()) & (row > row.shift()))
    starts = ranges["start_ns"]
    if not ranges.select(((start > start.shift()) | ((start == start.shift()) & inside)).all()).item():
        places = ranges.select(pl.arg_sort_by(ORDER, descending=[False, True, False])).to_series()
        starts = starts.gather(places)
    has_room = ranges["end_ns"].sort().head(-DEEPEST) <= starts.slice(DEEPEST)  # all but DEEPEST have ended
    return places if has_room.all() else pl.concat([places.head(DEEPEST), places.slice(DEEPEST).filter(has_room)])


def ordered_ranges(
    views: ViewReader,
    narrow: Callable[[pl.DataFrame], pl.DataFrame],
    columns: list[str],
    closed: Callable[[pl.DataFrame], pl.DataFrame] = pl.DataFrame,
    view: str = RANGES,
) -> Iterator[pl.DataFrame]:
    """Yield columns of a view's ranges, thread_id first, by thread and each in order; of a large export one by one.

    `narrow` reduces each batch, `closed` ends the ranges of a thread.
    """
    parts: dict[object, list[pl.DataFrame]] = {}

    def split(some: pl.DataFrame) -> pl.DataFrame:
        for (thread,), own in narrow(some).partition_by("thread_id", as_dict=True, include_key=False).items():
            parts.setdefault(thread, []).append(own)
        return narrow(some.clear())

    def of_thread(thread: object) -> pl.DataFrame:
        own = closed(pl.concat(parts.pop(thread), how="vertical_relaxed"))
        order = in_order(own)
        left = own.select(columns[1:]).get_columns()[::-1]
        del own
        ordered = [pl.Series("thread_id", [thread], pl.Int64).new_from_index(0, order.len())]
        while left:  # each is freed when it is in order
            ordered.append(left.pop().gather(order))
        return pl.DataFrame(ordered)

    frames = chain([views(view, narrow=split, stream=True).select(columns)], map(of_thread, list(parts)))
    yield from frames if is_large(views, view) else [pl.concat(frames, how="vertical_relaxed")]


def path_intervals(ranges: pl.DataFrame) -> Iterator[PathInterval]:
    """Yield a thread's time in consecutive intervals, from its ranges in order; one interval if it has none.

    The path at the start of a range ends at its own depth; a range without duration is inside all others open then.
    """
    first, held, begin = 0, ranges.clear(), BEGINNING
    until: int | None = BEGINNING
    while until is not None:
        starts, end = ranges["start_ns"], min(first + BLOCK, ranges.height)
        if end < ranges.height:  # ranges that start together stay together
            end = starts.search_sorted(starts[end - 1], side="right")
        until = starts[end] if end < ranges.height else None
        known = pl.concat([held, ranges.slice(first, end - first)])
        yield replace(_interval(known, held.height, begin, until), first=first)
        if until is not None:
            first, held, begin = end, known.filter(pl.col("end_ns") > until), until


def _interval(known: pl.DataFrame, held: int, begin: int, until: int | None) -> PathInterval:
    """Return the interval from one time to another from the ranges open in it: first earlier ones, then its own."""
    has_length = known["end_ns"] > known["start_ns"]
    long = known.filter(has_length)
    open_ = _Open(long)
    paths = _of_crossing(long, open_) if open_.cross else _of_nested(long, open_)
    borders = _from(begin, until, paths.borders)
    own = paths.own.slice(held)  # earlier ones have a duration
    made = PathInterval(borders["at"], borders["path"], until, 0, own, paths.steps.cast(STEP))
    short = known.filter(~has_length).select("start_ns", "text_id")
    return _with_short(made, short, open_, has_length.slice(held)) if short.height else made


class _Open:
    """Which ranges of a thread are open when one begins or closes; they are in order, and none is without duration.

    `closing` has them in the order in which they close, inner ones first; `ended` counts those ended when each begins,
    `depth` those open then.
    """

    def __init__(self, ranges: pl.DataFrame) -> None:
        place = pl.int_range(ranges.height, eager=True)
        self.starts = ranges["start_ns"]
        self.closing = ranges.select(pl.arg_sort_by("end_ns", place, descending=[False, True])).to_series()
        self.ends = ranges["end_ns"].gather(self.closing)
        self.ended = self.ends.search_sorted(self.starts, side="right")
        self.depth = place - self.ended
        with_itself = self.starts.search_sorted(self.ends, side="left") - place  # open when each closes
        self.cross = bool((with_itself != self.depth.gather(self.closing) + 1).any())

    def count(self, times: pl.Series) -> pl.Series:
        """Count the ranges open at each time."""
        return self.starts.search_sorted(times, side="right").cast(pl.Int64) - self.ends.search_sorted(
            times, side="right"
        )


@dataclass(frozen=True)
class _Paths:
    """The path from each border on (at, path), the own path of each range, and what describes these paths."""

    borders: pl.DataFrame
    own: pl.Series
    steps: pl.DataFrame


def _of_nested(ranges: pl.DataFrame, open_: _Open) -> _Paths:
    """Return the paths of ranges that are nested or disjoint."""
    numbers = _number(ranges["text_id"], open_.depth)
    closing = numbers.gather(open_.closing)
    started, closed = numbers.cum_sum(), pl.Series([0], dtype=NUMBER).append(closing.cum_sum())
    own = (started - closed.gather(open_.ended)).alias("path")
    steps = pl.DataFrame([own, (own - numbers).alias("around"), ranges["text_id"]])
    path = pl.concat([numbers, OUTSIDE - closing])
    changes = pl.DataFrame({"at": pl.concat([open_.starts, open_.ends]), "path": path})
    borders = changes.sort("at").with_columns(pl.col("path").cum_sum())
    is_last = pl.col("at").ne_missing(pl.col("at").shift(-1))
    return _Paths(borders.filter(is_last), own, steps.unique("path"))


def _of_crossing(ranges: pl.DataFrame, open_: _Open) -> _Paths:
    """Return the paths of ranges of which some cross: those open at each time, in the order in which they began."""
    moments = pl.concat([open_.starts, open_.ends]).unique().sort()
    placed = ranges.select(
        "text_id",
        place=pl.int_range(pl.len()),
        low=moments.search_sorted(ranges["start_ns"]).cast(pl.Int64),
        high=moments.search_sorted(ranges["end_ns"]).cast(pl.Int64),
    )
    several = max(PAIRS // (int(open_.depth.max()) + 1), 1)  # type: ignore[arg-type]
    own, states, steps = [], [], []
    for first in range(0, moments.len(), several):
        pairs = _pairs(placed, first, first + several)
        steps.append(pairs.select(*STEP).unique("path"))
        own.append(pairs.filter(pl.col("which") == pl.col("low")).select("place", "path"))
        states.append(pairs.group_by("which", maintain_order=True).agg(pl.col("path").last()))
    at = moments.to_frame("at").with_row_index("which").cast({"which": pl.Int64})
    borders = at.join(pl.concat(states), on="which", how="left", maintain_order="left").select("at", "path")
    return _Paths(
        borders.with_columns(pl.col("path").fill_null(OUTSIDE)),
        pl.concat(own).sort("place")["path"],
        pl.concat(steps).unique("path"),
    )


def _pairs(placed: pl.DataFrame, first: int, end: int) -> pl.DataFrame:
    """Return times with the ranges open then, in order, and the path down to each."""
    near = placed.filter((pl.col("low") < end) & (pl.col("high") > first))
    which = pl.int_ranges(pl.col("low").clip(first), pl.col("high").clip(upper_bound=end))
    pairs = near.with_columns(which=which).explode("which").sort("which", "place")
    depth = pl.int_range(pl.len()) - pl.int_range(pl.len()).first().over("which")
    pairs = pairs.with_columns(depth=depth)
    pairs = pairs.with_columns(number=_number(pairs["text_id"], pairs["depth"]))
    pairs = pairs.with_columns(path=pl.col("number").cum_sum().over("which"))
    return pairs.with_columns(around=pl.col("path") - pl.col("number"))


def _number(text_id: pl.Series, depth: pl.Series) -> pl.Series:
    """Hash a name and a depth to a number."""
    return (text_id.cast(NUMBER) * 2**16 + depth.cast(NUMBER)).hash().alias("number")


def _from(begin: int, until: int | None, borders: pl.DataFrame) -> pl.DataFrame:
    """Return the borders from one time on and before another, with the path at the first time."""
    place = int(borders["at"].search_sorted(begin, side="right"))
    end = borders.height if until is None else int(borders["at"].search_sorted(until, side="left"))
    path = borders["path"][place - 1] if place else OUTSIDE
    first = pl.DataFrame({"at": [begin], "path": [path]}, schema={"at": pl.Int64, "path": NUMBER})
    return pl.concat([first, borders.slice(place, end - place)])


def _with_short(interval: PathInterval, short: pl.DataFrame, open_: _Open, has_length: pl.Series) -> PathInterval:
    """Add to the interval its ranges without duration, which are in the path then; `has_length` marks the others."""
    around = interval.at(short["start_ns"])
    path = around + _number(short["text_id"], open_.count(short["start_ns"]))
    steps = pl.DataFrame({"path": path, "around": around, "text_id": short["text_id"]}).cast(STEP)
    place = pl.concat([has_length.arg_true(), (~has_length).arg_true()])
    return replace(
        interval,
        opened=pl.concat([interval.opened, path]).gather(place.arg_sort()),
        steps=pl.concat([interval.steps, steps]).unique("path"),
    )


def text_of_paths(steps: list[pl.DataFrame], name: pl.Expr | None = None) -> pl.DataFrame:
    """Describe each path: path and text, the names of its ranges, outermost first; by default their numbers: 3 > 17."""
    known = pl.concat(steps).unique("path")
    left = known.select("path", "around", text=pl.col("text_id").cast(pl.String) if name is None else name)
    levels = [pl.DataFrame({"path": [OUTSIDE], "text": [""]}, schema={"path": NUMBER, "text": pl.String})]
    level = left.filter(pl.col("around") == OUTSIDE).select("path", "text")
    while level.height:
        levels.append(level)
        own = left.join(level, left_on="around", right_on="path", suffix="_around")
        level = own.select("path", text=pl.concat_str("text_around", pl.lit(BETWEEN), "text"))
    return pl.concat(levels)


def paths_at(ranges: pl.DataFrame, times: pl.Series) -> Iterator[tuple[pl.Series, PathInterval]]:
    """Yield the paths of a thread with these ranges at sorted times: those in each interval."""
    done = 0
    for interval in path_intervals(ranges):
        end = times.len() if interval.end_ns is None else int(times.search_sorted(interval.end_ns, side="left"))
        yield interval.at(times.slice(done, end - done)), interval
        done = end


def cut(pieces: pl.DataFrame, ranges: pl.DataFrame) -> Iterator[tuple[pl.DataFrame, PathInterval]]:
    """Yield pieces of a thread, cut where its path in these sorted ranges changes.

    For each interval its parts, with their path and its border (`at`). A piece without duration is one part.
    """
    left = pieces.sort("start_ns")
    del pieces
    for interval in path_intervals(ranges):
        now, left = _until(left, interval.end_ns)
        yield interval.cut(now), interval


def summed_by_path(
    pieces: pl.DataFrame,
    ranges: Mapping[object, pl.DataFrame],
    summed: Callable[[pl.DataFrame], pl.DataFrame],
    name: pl.Expr | None = None,
) -> pl.DataFrame:
    """Sum pieces (thread_id, start_ns, end_ns) by path with `summed`, with the text of each path by text_of_paths.

    `ranges` are those of each thread, in order. Pieces are cut where the path of their thread changes, and summed
    interval by interval; those of other threads are in no path. Few texts are in many rows: they are Categorical.
    """
    has_ranges = pl.col("thread_id").is_in(list(ranges)).fill_null(False)
    sums = [summed(pieces.filter(~has_ranges).with_columns(path=pl.lit(OUTSIDE, NUMBER)))]
    steps = [pl.DataFrame(schema=STEP)]
    of_thread = of_threads(pieces.filter(has_ranges))
    del pieces
    for thread in list(of_thread):  # each is let go when it is summed
        for parts, interval in cut(of_thread.pop(thread), ranges[thread]):
            sums.append(summed(parts))
            steps.append(interval.steps)
    texts = text_of_paths(steps, name).cast({"text": pl.Categorical})
    return pl.concat(sums).join(texts, on="path").drop("path")


def _until(pieces: pl.DataFrame, end_ns: int | None) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Split sorted pieces into those before a time and those from it on; a piece around it is cut."""
    if end_ns is None:
        return pieces, pieces.clear()
    begun = int(pieces["start_ns"].search_sorted(end_ns, side="left"))
    now = pieces.head(begun)
    rest = now.filter(pl.col("end_ns") > end_ns).with_columns(start_ns=pl.lit(end_ns, pl.Int64))
    return now.with_columns(pl.col("end_ns").clip(upper_bound=end_ns)), pl.concat([rest, pieces.slice(begun)])
