"""The idle time attributed under each NVTX path and each name."""

import polars as pl

from nsysql.compute.global_ids import main_thread_of, process_of
from nsysql.compute.lines.python_cut import STACK, cut_by_stack
from nsysql.compute.operators.threads import cut, follow, of_threads, read_ranges
from nsysql.compute.operators.tree import KEY, OUTSIDE, stack, totals, under
from nsysql.compute.view_reader import ViewReader

READS = ("_nvtx_own_range", "_nvtx_end_time", "string", "_idle_piece", "_python_stretch")
PROVIDES = ("_operator_idle", "_operator_idle_stack")

PART = pl.Schema({"cause": pl.String(), STACK: pl.Int64(), "path": pl.String(), "idle": pl.Int64()})


def compute(views: ViewReader) -> dict[str, pl.DataFrame]:
    """The frames _operator_idle and _operator_idle_stack, from the views in READS."""
    ranges, names = read_ranges(views)
    pieces = views("_idle_piece", narrow=lambda some: some.select("thread_id", "cause", "start_ns", "end_ns"))
    pieces = cut_by_stack(pieces, views("_python_stretch"))
    pieces = pieces.with_columns(pl.col("cause").cast(pl.String), thread_id=_asked(pieces["thread_id"], ranges))
    found = [pl.DataFrame(schema=PART), _outside(pieces.filter(pl.col("thread_id").is_null()))]
    for thread, own in of_threads(pieces).items():
        found.append(cut(follow(ranges[thread], own["start_ns"]), own) if thread in ranges else _outside(own))
    parts = pl.concat([part.select(*PART.names()).cast(PART) for part in found])
    own = parts.group_by("path").agg(pl.col("idle").sum())
    rows = totals(own, under(own["path"], names))
    stacks = parts.group_by("path", "cause", STACK).agg(value=pl.col("idle").sum())
    return {
        "_operator_idle": rows.select(*KEY, idle_total_ns="idle_total", idle_self_ns="idle_self"),
        "_operator_idle_stack": stacks.select("cause", "value", STACK, names=stack(pl.col("path"), names)),
    }


def _asked(threads: pl.Series, ranges: dict[object, pl.DataFrame]) -> pl.Series:
    """The threads whose ranges count: those themselves, else the main threads of their processes."""
    known = {thread: thread for thread in threads.unique().to_list()}
    for thread in known:
        if isinstance(thread, int) and thread not in ranges:
            known[thread] = main_thread_of(process_of(thread))
    return threads.cast(pl.Int64).replace(list(known), list(known.values()))


def _outside(pieces: pl.DataFrame) -> pl.DataFrame:
    return pieces.select("cause", STACK, path=pl.lit(OUTSIDE), idle=pl.col("end_ns") - pl.col("start_ns"))
