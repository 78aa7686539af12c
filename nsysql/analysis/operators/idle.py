"""The idle time attributed under each NVTX path and each name."""

import polars as pl

from nsysql.analysis.global_ids import main_thread_of, of_threads, process_of
from nsysql.analysis.lines.python_stacks import STACK, cut_by_stack
from nsysql.analysis.nvtx.paths import NUMBER, OUTSIDE, STEP, PathInterval, path_intervals, text_of_paths
from nsysql.analysis.operators.tree import KEY, stack, totals, under
from nsysql.analysis.view_reader import ViewReader

READS = ("_operator_range", "_operator_name", "_idle_piece", "_python_stretch")
PROVIDES = ("_operator_idle", "_operator_idle_stack")

OF = ["cause", STACK]
FIRST, LAST = -(2**63), 2**63 - 1


def compute(views: ViewReader) -> dict[str, pl.DataFrame]:
    """The frames _operator_idle and _operator_idle_stack, from the views in READS."""
    pieces = views.once("_idle_piece", narrow=lambda some: some.select("thread_id", "cause", "start_ns", "end_ns"))
    pieces = cut_by_stack(pieces, views("_python_stretch"))
    ranges = of_threads(views("_operator_range"))
    pieces = pieces.with_columns(thread_id=_asked(pieces["thread_id"], ranges))
    parts, steps = _parts(pieces, ranges)
    texts, names = text_of_paths([pl.DataFrame(schema=STEP), *steps]), views("_operator_name")
    parts = parts.join(texts, on="path").select(pl.col("cause").cast(pl.String), STACK, "idle", path="text")
    own = parts.group_by("path").agg(pl.col("idle").sum())
    rows = totals(own, under(own["path"], names))
    stacks = parts.group_by("path", *OF).agg(value=pl.col("idle").sum())
    return {
        "_operator_idle": rows.select(*KEY, idle_total_ns="idle_total", idle_self_ns="idle_self"),
        "_operator_idle_stack": stacks.select("cause", "value", STACK, names=stack(pl.col("path"), names)),
    }


def _parts(pieces: pl.DataFrame, ranges: dict[object, pl.DataFrame]) -> tuple[pl.DataFrame, list[pl.DataFrame]]:
    """The idle time of each path by cause and stack, and what the paths are."""
    has_ranges = pl.col("thread_id").is_in(list(ranges))
    sums = [_sums(pieces.filter(~has_ranges.fill_null(False)).with_columns(path=pl.lit(OUTSIDE, NUMBER)))]
    steps = []
    for thread, own in of_threads(pieces.filter(has_ranges)).items():
        left = own.sort("start_ns")
        for interval in path_intervals(ranges[thread]):
            now, left = _until(left, interval.end_ns)
            sums.append(_sums(_cut(interval, now)))
            steps.append(interval.steps)
    return pl.concat(sums).group_by("path", *OF).agg(pl.col("idle").sum()), steps


def _sums(parts: pl.DataFrame) -> pl.DataFrame:
    idle = (pl.col("end_ns") - pl.col("start_ns")).sum()
    return parts.group_by("path", *OF).agg(idle=idle)


def _until(pieces: pl.DataFrame, end_ns: int | None) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Pieces in order of start, those before a time and those from it on: one that lies around it is cut."""
    if end_ns is None:
        return pieces, pieces.clear()
    begun = int(pieces["start_ns"].search_sorted(end_ns, side="left"))
    now = pieces.head(begun)
    rest = now.filter(pl.col("end_ns") > end_ns).with_columns(start_ns=pl.lit(end_ns, pl.Int64))
    return now.with_columns(pl.col("end_ns").clip(upper_bound=end_ns)), pl.concat([rest, pieces.slice(begun)])


def _cut(interval: PathInterval, pieces: pl.DataFrame) -> pl.DataFrame:
    """Pieces cut at the borders of an interval, with the path of each part."""
    borders = interval.borders
    low = borders.search_sorted(pieces["start_ns"], side="right").cast(pl.Int64)
    high = borders.search_sorted(pieces["end_ns"], side="left").cast(pl.Int64)
    whole = high <= low
    placed = pieces.with_columns(at=low - 1)
    cut = placed.with_columns(until=high).filter(~whole)
    cut = cut.with_columns(at=pl.int_ranges("at", "until")).explode("at")
    begin = borders.gather(cut["at"])
    end = borders.append(pl.Series([LAST])).gather(cut["at"] + 1)
    cut = cut.with_columns(start_ns=pl.max_horizontal("start_ns", begin), end_ns=pl.min_horizontal("end_ns", end))
    parts = pl.concat([placed.filter(whole), cut.drop("until")])
    return parts.with_columns(interval.paths.gather(parts["at"]).alias("path"))


def _asked(threads: pl.Series, ranges: dict[object, pl.DataFrame]) -> pl.Series:
    """The threads whose ranges count: those themselves, else the main threads of their processes."""
    known = {thread: thread for thread in threads.unique().to_list()}
    for thread in known:
        if isinstance(thread, int) and thread not in ranges:
            known[thread] = main_thread_of(process_of(thread))
    return threads.cast(pl.Int64).replace(list(known), list(known.values()))
