"""The idle time attributed under each NVTX path and each name."""

import polars as pl

from nsysql.analysis.global_ids import main_thread_of, of_threads, process_of
from nsysql.analysis.lines.python_stacks import STACK, cut_by_stack
from nsysql.analysis.nvtx.paths import NUMBER, OUTSIDE, STEP, cut, text_of_paths
from nsysql.analysis.operators.tree import KEY, stack, totals, under
from nsysql.analysis.view_reader import ViewReader

READS = ("_operator_range", "_operator_name", "_idle_piece", "_python_stretch")
PROVIDES = ("_operator_idle", "_operator_idle_stack")

OF = ["cause", STACK]


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
        for some, interval in cut(own, ranges[thread]):
            sums.append(_sums(some))
            steps.append(interval.steps)
    return pl.concat(sums).group_by("path", *OF).agg(pl.col("idle").sum()), steps


def _sums(parts: pl.DataFrame) -> pl.DataFrame:
    idle = (pl.col("end_ns") - pl.col("start_ns")).sum()
    return parts.group_by("path", *OF).agg(idle=idle)


def _asked(threads: pl.Series, ranges: dict[object, pl.DataFrame]) -> pl.Series:
    """The threads whose ranges count: those themselves, else the main threads of their processes."""
    known = {thread: thread for thread in threads.unique().to_list()}
    for thread in known:
        if isinstance(thread, int) and thread not in ranges:
            known[thread] = main_thread_of(process_of(thread))
    return threads.cast(pl.Int64).replace(list(known), list(known.values()))
