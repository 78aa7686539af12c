"""Which launching calls lie in which NVTX range: those in order of thread and time that follow each other."""

from collections.abc import Callable

import polars as pl

from nsysql.nvtx.launching import PROCESS, have_repeats, with_short_ids
from nsysql.nvtx.ranges import NO_EARLIER, named_ranges

PLACED, SPANS, NAMES = "nvtx_call_place", "nvtx_call_span", "nvtx_call_name"
OF_RANGE = (
    pl.col("row_id").alias("range_row_id"),
    pl.col("start_ns").alias("range_start_ns"),
    pl.col("name"),
    pl.col("is_push_pop"),
)


def compute(view: Callable[..., pl.DataFrame]) -> dict[str, pl.DataFrame]:
    """The frames of the views that name this module, from the views named in their headers."""
    calls = Calls(view("gpu_launch", narrow=with_short_ids).rename({"start_ns": "call_ns", "end_ns": "return_ns"}))
    if not calls.follow:
        return _spans_sought(calls.rows, view("nvtx_call_joined"), named_ranges(view))
    held = named_ranges(view, calls.held)
    spans = held.select(*OF_RANGE, first_place="low", end_place="high", is_broken=pl.lit(False))
    del held
    return _frames(calls.rows, spans)


def _spans_sought(launches: pl.DataFrame, pairs: pl.DataFrame, ranges: pl.DataFrame) -> dict[str, pl.DataFrame]:
    """The same from the ranges and calls that belong together."""
    calls = launches.sort("thread_id", "call_ns", "row_id")
    places = calls.select(call_row_id="row_id").with_row_index("place").cast(pl.Int64)
    pairs = pairs.join(places, on="call_row_id").sort("range_row_id", "place")
    run = pl.col("place") - pl.int_range(pl.len()).over("range_row_id")
    spans = pairs.group_by("range_row_id", run=run).agg(
        first_place=pl.col("place").min(), end_place=pl.col("place").max() + 1
    )
    spans = spans.with_columns(is_broken=pl.len().over("range_row_id") > 1).drop("run")
    own = ranges.select(OF_RANGE).with_columns(pl.col("range_row_id").cast(pl.Int64))
    return _frames(calls, spans.join(own, on="range_row_id"))


def _frames(calls: pl.DataFrame, spans: pl.DataFrame) -> dict[str, pl.DataFrame]:
    """The frames from the calls, in order of thread and start, and the ranges that hold some."""
    places = calls.select(
        "thread_id",
        "correlation_id",
        call_row_id="row_id",
        place=pl.int_range(pl.len(), dtype=pl.Int32),
        is_outside=are_outside(spans["first_place"], spans["end_place"], calls.height),
        is_repeated=_are_repeated(calls),
    )
    numbers, names = _numbered(spans)
    spans = spans.drop("name", "is_push_pop").with_columns(numbers)
    return {PLACED: places, SPANS: spans.with_columns(_covered_to(spans, calls.height)), NAMES: names}


def _numbered(spans: pl.DataFrame) -> tuple[pl.Series, pl.DataFrame]:
    """The number of each span's name, and the names with their numbers."""
    kinds = spans.select(kind=pl.col("name").to_physical().cast(pl.Int64).fill_null(-1) * 2 + pl.col("is_push_pop"))
    firsts = kinds.with_row_index("at").unique("kind", keep="first").sort("kind")
    numbers = pl.int_range(firsts.height, dtype=pl.Int32, eager=True)
    names = spans.select("name", "is_push_pop")[firsts["at"]].with_columns(numbers.alias("name_number"))
    return kinds["kind"].replace_strict(firsts["kind"], numbers, return_dtype=pl.Int32).alias("name_number"), names


def _covered_to(spans: pl.DataFrame, places: int) -> pl.Series:
    """Up to which place spans of each one's name hold what it holds, of those that begin before it or with it.

    Of several that begin together each but one is covered by another, in any order. The places of one name are
    laid behind those of the name before.
    """
    first_of_name = pl.col("name_number").cast(pl.Int64) * (places + 1)
    order = spans.select(pl.arg_sort_by(first_of_name + pl.col("first_place"))).to_series()
    own = spans.select("name_number", "end_place")[order]
    reached = own.select((first_of_name + pl.col("end_place")).cum_max().shift() - first_of_name).to_series()
    covered = pl.select(pl.when(reached >= 0).then(reached)).to_series().cast(pl.Int32)
    return pl.repeat(None, spans.height, dtype=pl.Int32, eager=True).scatter(order, covered).alias("covered_to")


def _are_repeated(calls: pl.DataFrame) -> pl.Series:
    """Whether each call shares its correlation id with another one of its process."""
    if not have_repeats(calls):
        return pl.repeat(False, calls.height, eager=True)
    return calls.select("correlation_id", pl.col("thread_id") // PROCESS).is_duplicated()


def are_outside(low: pl.Series, high: pl.Series, count: int) -> pl.Series:
    """Which of so many places are in none of the stretches from a place low to before the place high."""
    order = high.arg_sort()  # of stretches with one low the furthest is scattered last, and stays
    reached = pl.repeat(0, count, dtype=high.dtype, eager=True).scatter(low.gather(order), high.gather(order))
    return reached.cum_max() <= pl.int_range(count, eager=True)


class Calls:
    """The launching calls, `rows` in order of thread and start, of which each range holds some that follow each other.

    `follow` is false where calls of a thread lie in each other, or times do not fit 64 bits: then none of it holds.
    """

    def __init__(self, calls: pl.DataFrame) -> None:
        """The frame is left without columns where they follow: there is no room for two of it."""
        self._threads = calls["thread_id"].unique().sort()
        times = (calls["call_ns"].min(), calls["return_ns"].max())
        first, last = (time if isinstance(time, int) else 0 for time in times)
        self._before, self._after = first - 1, last + 1
        self._span = self._after - self._before + 1
        self.rows, self.follow = calls, self._span * (self._threads.len() + 1) < 2**62
        if self.follow:
            placed = calls.select(self._line("call_ns"), self._line("return_ns"), "row_id")
            order = placed.select(pl.arg_sort_by("call_ns", "row_id")).to_series()
            self.rows = pl.DataFrame(
                [
                    (placed if name in placed.columns else calls).drop_in_place(name).gather(order)
                    for name in calls.columns
                ]
            )
            self.follow = self.rows["return_ns"].is_sorted()

    def held(self, ranges: pl.DataFrame) -> pl.DataFrame:
        """The ranges that hold calls, with these: from the place low to before the place high."""
        asked = ranges.with_columns(end_ns=NO_EARLIER).with_row_index("at")
        asked = asked.select("at", self._line("start_ns"), self._line("end_ns")).drop_nulls("start_ns")
        inside = asked.select(
            "at",
            low=self.rows["call_ns"].search_sorted(asked["start_ns"], side="left"),
            high=self.rows["return_ns"].search_sorted(asked["end_ns"], side="right"),
        ).filter(pl.col("high") > pl.col("low"))
        return ranges[inside["at"]].hstack(inside.select("low", "high"))

    def _line(self, time: str) -> pl.Expr:
        """Times laid end to end, thread after thread; NULL on a thread without calls.

        A time before the first call or after the last one is put next to it: no call lies between.
        """
        numbers = pl.int_range(self._threads.len(), eager=True)
        rank = pl.col("thread_id").replace_strict(self._threads, numbers, default=None, return_dtype=pl.Int64)
        return (rank * self._span + (pl.col(time).clip(self._before, self._after) - self._before)).alias(time)
