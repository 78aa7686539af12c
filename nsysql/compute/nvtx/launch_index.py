"""Which launching calls lie in which NVTX range: those in order of thread and time that follow each other."""

import polars as pl

from nsysql.compute.nvtx.ranges import NO_EARLIER


def are_outside(low: pl.Series, high: pl.Series, count: int) -> pl.Series:
    """Which of so many places are in none of the stretches from a place low to before the place high."""
    order = high.arg_sort()  # of stretches with one low the furthest is scattered last, and stays
    reached = pl.repeat(0, count, dtype=high.dtype, eager=True).scatter(low.gather(order), high.gather(order))
    return reached.cum_max() <= pl.int_range(count, eager=True)


class LaunchIndex:
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

    def with_launches(self, ranges: pl.DataFrame) -> pl.DataFrame:
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
        """Times on one line, thread after thread; NULL on a thread without calls.

        A time before the first call or after the last one is put next to it: no call lies between.
        """
        numbers = pl.int_range(self._threads.len(), eager=True)
        rank = pl.col("thread_id").replace_strict(self._threads, numbers, default=None, return_dtype=pl.Int64)
        return (rank * self._span + (pl.col(time).clip(self._before, self._after) - self._before)).alias(time)
