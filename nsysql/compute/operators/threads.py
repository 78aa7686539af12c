"""In which NVTX path a thread is, when.

A path is the numbers of its ranges' names, outermost first: 3 > 17. It changes where a range begins or ends.
"""

from dataclasses import dataclass

import polars as pl

from nsysql.compute.idle.nvtx_paths import BETWEEN, NO_TEXT, cut_at_ranges, paths_at
from nsysql.compute.operators.texts import operator_name
from nsysql.compute.operators.tree import OUTSIDE
from nsysql.compute.view_reader import ViewReader
from nsysql.errors import TooLarge

RANGES = "_nvtx_own_range"
NAME = pl.col("name").to_physical()
DEEPEST = 500  # ranges of a path
COUNT = pl.len().cast(pl.Int64)
RANGE = {"start_ns": pl.Int64, "end_ns": pl.Int64, "row_id": pl.Int64, "text_id": pl.Int64}
HAS_LENGTH = pl.col("end_ns") > pl.col("start_ns")


@dataclass(frozen=True)
class Stretches:
    """Of one thread: times in order, its path from each on, and its ranges."""

    at: pl.Series
    paths: pl.Series
    ranges: pl.DataFrame

    def at_times(self, times: pl.Series) -> pl.Series:
        """The path at times that are among those given to `follow`."""
        return self.paths.gather(self.at.search_sorted(times, side="left"))


def of_threads(rows: pl.DataFrame) -> dict[object, pl.DataFrame]:
    """The rows of each thread; those of none are left out."""
    parts = rows.drop_nulls("thread_id").partition_by("thread_id", as_dict=True, maintain_order=True)
    return {thread: own for (thread,), own in parts.items()}


def read_ranges(views: ViewReader) -> tuple[dict[object, pl.DataFrame], pl.DataFrame]:
    """The ranges of each thread, and the names: text_id and name.

    Columns of a range as `paths_at` reads them; those never closed end at the last timestamp of any range.
    """
    known = views("string").select(text_id="id", name=operator_name(pl.col("text")).cast(pl.Categorical))
    last = views("_nvtx_end_time")["range_ns"].to_list()

    def narrow(some: pl.DataFrame) -> pl.DataFrame:
        return some.with_columns(operator_name(pl.col("plain_text")).cast(pl.Categorical))

    ranges = views(RANGES, narrow=narrow, stream=True).join(known, on="text_id", how="left", maintain_order="left")
    none = pl.lit(NO_TEXT).cast(pl.Categorical)
    ends = pl.col("end_ns").clip(upper_bound=last[0]) if last else pl.col("end_ns")
    named = ranges.with_columns(
        name=pl.coalesce("name", "plain_text", none), end_ns=pl.max_horizontal("start_ns", ends)
    ).with_columns(text_id=NAME.cast(pl.Int64), plain_text=pl.lit(None, pl.Categorical))
    names = named.select("text_id", pl.col("name").cast(pl.String)).unique("text_id")
    return of_threads(named.drop("name")), names


def follow(ranges: pl.DataFrame | None, times: pl.Series) -> Stretches:
    """The paths of a thread with these ranges, also from these times on."""
    if ranges is None:
        at = times.unique().sort()
        return Stretches(at, pl.repeat(OUTSIDE, at.len(), eager=True), pl.DataFrame(schema=RANGE))
    _refuse_deep(ranges)
    at = pl.concat([ranges["start_ns"], ranges["end_ns"], times]).unique().sort()
    numbers = ranges.select(pl.col("text_id").unique()).with_columns(text=pl.col("text_id").cast(pl.String))
    paths = paths_at(ranges, at, numbers).cast(pl.String).fill_null(OUTSIDE)
    return Stretches(at, paths, ranges)


def _refuse_deep(ranges: pl.DataFrame) -> None:
    """Raise TooLarge where so many ranges lie in one another that their paths would fill the memory."""
    ended = ranges["end_ns"].sort().search_sorted(ranges["start_ns"].sort(), side="right").cast(pl.Int64)
    deepest = (pl.int_range(1, ranges.height + 1, eager=True) - ended).max()
    if isinstance(deepest, int) and deepest > DEEPEST:
        raise TooLarge(
            f"its NVTX ranges lie in one another, up to {deepest:,} deep, more than {DEEPEST} that paths can have"
        )


def counts(thread: Stretches) -> pl.DataFrame:
    """How many ranges each path is that of: path, count.

    At the start of a range its path is the one then, down to its own depth; one of no length lies in all of it.
    """
    own = thread.ranges.sort(["start_ns", "end_ns", "row_id"], descending=[False, True, False])
    own = own.with_columns(path=thread.at_times(own["start_ns"]))
    long = own.filter(HAS_LENGTH).with_row_index("place")
    ended = long["end_ns"].sort().search_sorted(long["start_ns"], side="right")
    long = long.with_columns(depth=pl.col("place") - ended + 1).group_by("path", "depth").agg(count=COUNT)
    short = own.filter(~HAS_LENGTH).group_by("path", "text_id").agg(count=COUNT)
    of_own = pl.col("path").str.split(BETWEEN).list.head("depth").cast(pl.List(pl.String)).list.join(BETWEEN)
    around = pl.when(pl.col("path") == OUTSIDE).then(pl.lit(OUTSIDE)).otherwise(pl.col("path") + BETWEEN)
    return pl.concat(
        [
            long.select(of_own, "count"),
            short.select((around + pl.col("text_id").cast(pl.String)).alias("path"), "count"),
        ]
    )


def cut(thread: Stretches, pieces: pl.DataFrame) -> pl.DataFrame:
    """The pieces, whose starts were given to `follow`, cut by path: with path and idle of each part."""
    parts = cut_at_ranges(pieces, thread.ranges).sort("piece", "start_ns")
    follows = pl.col("piece").shift(-1) == pl.col("piece")
    ends = pl.when(follows).then(pl.col("start_ns").shift(-1)).otherwise("piece_end_ns")
    paths = thread.at_times(parts["start_ns"])
    return parts.with_columns(paths.alias("path"), idle=ends - pl.col("start_ns"))
