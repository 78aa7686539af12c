"""Define the time that a question is narrowed to: one span, or several separate ones, as the ranges of one name."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl

BOUNDS = (-(2**63), 2**63 - 1)


@dataclass(frozen=True)
class Window:
    """Spans of time, half-open, in order and separate: (start, end) each."""

    spans: tuple[tuple[int, int], ...]

    @property
    def start(self) -> int:
        """Start of the first span."""
        return self.spans[0][0]

    @property
    def end(self) -> int:
        """End of the last span."""
        return self.spans[-1][1]

    @property
    def is_one(self) -> bool:
        """Whether it is a single span."""
        return len(self.spans) == 1

    @cached_property
    def table(self) -> "pl.DataFrame":
        """The spans: start_ns, end_ns, and before_ns, the time in earlier spans."""
        import polars as pl

        spans = pl.DataFrame(self.spans, schema={"start_ns": pl.Int64, "end_ns": pl.Int64}, orient="row")
        length = pl.col("end_ns") - pl.col("start_ns")
        return spans.with_columns(before_ns=length.cum_sum() - length)

    def squeezed(self, times: "pl.Series") -> "pl.Series":
        """Remove the time outside of the window from the times: their differences are then time in the window."""
        import polars as pl

        if self.is_one:
            return times.clip(self.start, self.end)
        start_ns, end_ns, before_ns = self.table
        at = (start_ns.search_sorted(times, side="right").cast(pl.Int64) - 1).clip(0)
        inside = pl.DataFrame({"time": times.cast(pl.Int64).clip(self.start), "end_ns": end_ns.gather(at)}).select(
            pl.min_horizontal("time", "end_ns")
        )
        return (inside.to_series() - start_ns.gather(at) + before_ns.gather(at) + self.start).alias(times.name)

    def has(self, rows: "pl.DataFrame") -> "pl.Series":
        """Mark the rows (start_ns, and end_ns if they have a length) that are at least partly in the window."""
        import polars as pl

        start_ns, end_ns = (self.table[name] for name in ("start_ns", "end_ns"))
        begin = rows["start_ns"].cast(pl.Int64)
        next_start = start_ns.extend_constant(None, 1).gather(end_ns.search_sorted(begin, side="right"))
        if "end_ns" not in rows.columns:
            return (next_start <= begin).fill_null(False)
        return ((next_start <= begin) | (next_start < rows["end_ns"].cast(pl.Int64))).fill_null(False)

    def clipped(self, rows: "pl.DataFrame") -> "pl.DataFrame":
        """Return the rows in the window with their times clipped to it: one row for each span that a row is in."""
        import polars as pl

        inside = rows.filter(self.has(rows))
        if "end_ns" not in rows.columns:
            return inside
        if self.is_one:
            first, end = (pl.lit(at, pl.Int64) for at in (self.start, self.end))
            return inside.with_columns(pl.max_horizontal("start_ns", first), pl.min_horizontal("end_ns", end))
        starts, ends = self.table["start_ns"], self.table["end_ns"]
        low = ends.search_sorted(inside["start_ns"].cast(pl.Int64), side="right").cast(pl.Int64)
        high = starts.search_sorted(inside["end_ns"].cast(pl.Int64), side="left").cast(pl.Int64)
        cut = inside.with_columns(low=low, high=high).with_columns(
            span=pl.int_ranges("low", pl.max_horizontal("high", pl.col("low") + 1))
        )
        cut = cut.explode("span")
        begun, ended = starts.gather(cut["span"]).alias("begun"), ends.gather(cut["span"]).alias("ended")
        return cut.with_columns(pl.max_horizontal("start_ns", begun), pl.min_horizontal("end_ns", ended)).select(
            rows.columns
        )

    def shortened(self, rows: "pl.DataFrame") -> "pl.DataFrame":
        """Return the rows in the window with squeezed start_ns and end_ns: a row stays one row."""
        import polars as pl

        inside = rows.filter(self.has(rows))
        return inside.with_columns(self.squeezed(inside[name].cast(pl.Int64)) for name in ("start_ns", "end_ns"))


ALWAYS = Window((BOUNDS,))


def joined(spans: Iterable[tuple[int, int]]) -> Window:
    """Return the window of spans in any order, which may overlap; at least one.

    >>> joined([(30, 40), (0, 10), (5, 20)]).spans
    ((0, 20), (30, 40))
    """
    intervals: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if intervals and start <= intervals[-1][1]:
            intervals[-1] = (intervals[-1][0], max(end, intervals[-1][1]))
        else:
            intervals.append((start, end))
    return Window(tuple(intervals))
