"""Find the launch calls in an NVTX range: a contiguous run in the calls sorted by thread and time."""

import polars as pl

from nsysql.analysis.nvtx.ranges import NO_EARLIER


def are_outside(low: pl.Series, high: pl.Series, count: int) -> pl.Series:
    """Mask over 0..count, true where no interval [low, high) covers the position."""
    order = high.arg_sort()  # of intervals with equal low the longest is scattered last, and wins
    reached = pl.repeat(0, count, dtype=high.dtype, eager=True).scatter(low.gather(order), high.gather(order))
    return reached.cum_max() <= pl.int_range(count, eager=True)


class LaunchIndex:
    """Launch calls, `rows` sorted by thread and start, so that the calls in any range are contiguous.

    `follow` is false if calls of a thread overlap, or times do not fit 64 bits: then the index cannot be used.
    """

    def __init__(self, calls: pl.DataFrame) -> None:
        """Takes the columns out of the frame `calls` to save memory, if `follow` is true."""
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
        """The ranges that contain calls, with the interval [low, high) of these in `rows`."""
        placed = ranges.with_columns(end_ns=NO_EARLIER).with_row_index("at")
        placed = placed.select("at", self._line("start_ns"), self._line("end_ns")).drop_nulls("start_ns")
        inside = placed.select(
            "at",
            low=self.rows["call_ns"].search_sorted(placed["start_ns"], side="left"),
            high=self.rows["return_ns"].search_sorted(placed["end_ns"], side="right"),
        ).filter(pl.col("high") > pl.col("low"))
        return ranges[inside["at"]].hstack(inside.select("low", "high"))

    def _line(self, time: str) -> pl.Expr:
        """Map times to one axis, thread after thread; NULL for a thread without calls.

        Times before the first call or after the last are clipped to just outside of them, which changes no result.
        """
        numbers = pl.int_range(self._threads.len(), eager=True)
        rank = pl.col("thread_id").replace_strict(self._threads, numbers, default=None, return_dtype=pl.Int64)
        return (rank * self._span + (pl.col(time).clip(self._before, self._after) - self._before)).alias(time)
