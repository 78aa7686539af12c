"""Which launching calls lie in which NVTX range: those in order of thread and time that follow each other."""

from collections.abc import Callable

import polars as pl

from nsysql.nvtx.blocks import side_by_side, slices_of
from nsysql.nvtx.ranges import NO_EARLIER, named_ranges

PLACED, SPANS = "nvtx_call_place", "nvtx_call_span"
OF_RANGE = (
    pl.col("row_id").alias("range_row_id"),
    pl.col("start_ns").alias("range_start_ns"),
    pl.col("name"),
    pl.col("is_push_pop"),
)


def compute(view: Callable[[str], pl.DataFrame]) -> dict[str, pl.DataFrame]:
    """The frames nvtx_call_place and nvtx_call_span, from the views named in their headers."""
    ranges = named_ranges(view)
    launches = view("gpu_launch").rename({"start_ns": "call_ns", "end_ns": "return_ns"})
    calls = Calls(launches, ranges)
    if not calls.follow:
        return _spans_sought(launches, view("nvtx_call_joined"), ranges)
    held = calls.held(ranges)
    del ranges, launches
    spans = held.select(*OF_RANGE, first_place="low", end_place="high", is_broken=pl.lit(False))
    return _frames(calls.rows["row_id"], spans)


def _spans_sought(launches: pl.DataFrame, pairs: pl.DataFrame, ranges: pl.DataFrame) -> dict[str, pl.DataFrame]:
    """The same from the ranges and calls that belong together."""
    calls = launches.sort("thread_id", "call_ns", "row_id")["row_id"]
    places = calls.to_frame("call_row_id").with_row_index("place").cast(pl.Int64)
    pairs = pairs.join(places, on="call_row_id").sort("range_row_id", "place")
    run = pl.col("place") - pl.int_range(pl.len()).over("range_row_id")
    spans = pairs.group_by("range_row_id", run=run).agg(
        first_place=pl.col("place").min(), end_place=pl.col("place").max() + 1
    )
    spans = spans.with_columns(is_broken=pl.len().over("range_row_id") > 1).drop("run")
    own = ranges.select(OF_RANGE).with_columns(pl.col("range_row_id").cast(pl.Int64))
    return _frames(calls, spans.join(own, on="range_row_id"))


def _frames(calls: pl.Series, spans: pl.DataFrame) -> dict[str, pl.DataFrame]:
    places = pl.int_range(calls.len(), eager=True)
    is_outside = are_outside(spans["first_place"], spans["end_place"], calls.len())
    return {PLACED: pl.DataFrame({"call_row_id": calls, "place": places, "is_outside": is_outside}), SPANS: spans}


def are_outside(low: pl.Series, high: pl.Series, count: int) -> pl.Series:
    """Which of so many places are in none of the stretches from a place low to before the place high."""
    order = high.arg_sort()  # of stretches with one low the furthest is scattered last, and stays
    reached = pl.repeat(0, count, dtype=high.dtype, eager=True).scatter(low.gather(order), high.gather(order))
    return reached.cum_max() <= pl.int_range(count, eager=True)


class Calls:
    """The launching calls, `rows` in order of thread and start, of which each range holds some that follow each other.

    `follow` is false where calls of a thread lie in each other, or times do not fit 64 bits: then none of it holds.
    """

    def __init__(self, calls: pl.DataFrame, ranges: pl.DataFrame) -> None:
        self._threads = calls["thread_id"].unique().sort()
        times = [ranges["start_ns"], ranges["end_ns"], calls["call_ns"], calls["return_ns"]]
        self._low = min((v for s in times if isinstance(v := s.min(), int)), default=0)
        high = max((v for s in times if isinstance(v := s.max(), int)), default=0)
        self._span = high - self._low + 1
        self.rows, self.follow = calls, self._span * (self._threads.len() + 1) < 2**62
        if self.follow:
            calls = calls.with_columns(self._line("call_ns"), self._line("return_ns"))
            self.rows = calls[calls.select(pl.arg_sort_by("call_ns", "row_id")).to_series()]
            self.follow = self.rows["return_ns"].is_sorted()

    def held(self, ranges: pl.DataFrame) -> pl.DataFrame:
        """The ranges that hold calls, with these: from the place low to before the place high."""
        return pl.concat(side_by_side(self._held, slices_of(ranges)))

    def _held(self, ranges: pl.DataFrame) -> pl.DataFrame:
        asked = ranges.with_columns(end_ns=NO_EARLIER).with_row_index("at")
        asked = asked.select("at", self._line("start_ns"), self._line("end_ns")).drop_nulls("start_ns")
        inside = asked.select(
            "at",
            low=self.rows["call_ns"].search_sorted(asked["start_ns"], side="left"),
            high=self.rows["return_ns"].search_sorted(asked["end_ns"], side="right"),
        ).filter(pl.col("high") > pl.col("low"))
        return ranges[inside["at"]].hstack(inside.select("low", "high"))

    def _line(self, time: str) -> pl.Expr:
        """Times laid end to end, thread after thread; NULL on a thread without calls."""
        numbers = pl.int_range(self._threads.len(), eager=True)
        rank = pl.col("thread_id").replace_strict(self._threads, numbers, default=None, return_dtype=pl.Int64)
        return (rank * self._span + (pl.col(time) - self._low)).alias(time)
