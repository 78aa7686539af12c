"""Sort GPU activity once for the ledger and for the sums of busy time, and find the gaps in it.

Activities and calls are long tables of many columns; a gap refers to the activities around it by position.
"""

from collections.abc import Callable

import polars as pl

from nsysql.analysis.intervals import END, START, rank_among
from nsysql.analysis.view_reader import reads

WIDE = ("_ns", "process_id", "thread_id")
ORDER = ["gpu_id", "start_ns"]  # rows that start together stay in the order of their tables


@reads("_gpu_work_class")
def sorted_activity(view: Callable[[str], pl.DataFrame]) -> dict[str, pl.DataFrame]:
    """Compute the frame _gpu_activity_sorted, and with it _process_work_count."""
    work = shrink_ints(view("_gpu_work_class"))
    counted = work.group_by("process_id", "kind").agg(pieces=pl.len())
    lasts = (work["end_ns"] > work["start_ns"]).fill_null(False)
    work = work if lasts.all() else work.filter(lasts)  # a filter that keeps all rows would copy them
    order = work.select(pl.arg_sort_by(*_on_one_line(work), maintain_order=True)).to_series()
    return {"_gpu_activity_sorted": work[order], "_process_work_count": counted}


def _on_one_line(work: pl.DataFrame) -> list[pl.Expr]:
    """Return the sort key for GPU and start: one number if it fits 64 bits, as that sorts in a third of the time."""
    gpus = work["gpu_id"].unique().sort()
    low, high = work["start_ns"].min(), work["start_ns"].max()
    if not isinstance(low, int) or not isinstance(high, int) or (high - low + 1) * (gpus.len() + 1) >= 2**62:
        return [pl.col(name) for name in ORDER]
    return [rank_among(pl.col("gpu_id"), gpus) * (high - low + 1) + (pl.col("start_ns") - low)]


def shrink_ints(frame: pl.DataFrame) -> pl.DataFrame:
    """Cast whole numbers to 32 bits if they fit: half the memory of a long table.

    Times, processes and threads are left as they are: they are compared with those of other frames.
    """
    whole = [name for name, kind in frame.schema.items() if kind == pl.Int64 and not name.endswith(WIDE)]
    if not whole:
        return frame
    fits = frame.select(pl.col(whole).is_between(-(2**31), 2**31 - 1).all()).row(0)
    return frame.cast(dict.fromkeys((name for name, fit in zip(whole, fits, strict=True) if fit), pl.Int32))


def find_gaps(activity: pl.DataFrame) -> pl.DataFrame:
    """Return one row per gap, in order of GPU and start.

    `activity` is _activity_launch, or a part of it. Columns gap_id (from 0), gpu_id, start_ns, end_ns; previous and
    next, the positions of the activities before and after; and the thread_id, call_id, api_start_ns and api_end_ns of
    the next one.
    """
    running = activity.select(*ORDER, "end_ns", busy_until=pl.col("end_ns").cum_max().over("gpu_id"))
    last = pl.when(pl.col("end_ns") == pl.col("busy_until")).then(pl.int_range(pl.len(), dtype=pl.UInt32))
    gaps = running.select(
        "gpu_id",
        pl.col("busy_until").shift().over("gpu_id").alias("start_ns"),
        end_ns="start_ns",
        previous=last.forward_fill().shift(),
        next=pl.int_range(pl.len(), dtype=pl.UInt32),
    ).filter(END > START)
    calls = activity.select("thread_id", "call_id", "api_start_ns", "api_end_ns").select(pl.all().gather(gaps["next"]))
    no_earlier = pl.max_horizontal("api_start_ns", "api_end_ns")  # some recorded calls return before they start
    return gaps.hstack(calls).with_columns(api_end_ns=no_earlier).with_row_index("gap_id")


def last_to_end(activity: pl.DataFrame) -> pl.DataFrame:
    """Return the last GPU's activity that ends last, of ties the last: it keeps the GPU busy before later ones."""
    of_gpu = activity.filter(pl.col("gpu_id").eq_missing(pl.col("gpu_id").last()))
    return of_gpu.filter(pl.col("end_ns") == pl.col("end_ns").max()).tail(1)


def named(gaps: pl.DataFrame, activity: pl.DataFrame) -> pl.DataFrame:
    """Return the gaps with the columns of _idle_gap except the main cause; gap_id still starts at 0."""

    def of(which: str, *columns: str) -> dict[str, pl.Series]:
        return {f"{which}_{c}": activity[c].gather(gaps[which]) for c in columns}

    around = {**of("previous", "kind", "detail_id"), **of("next", "kind", "detail_id", "stream_id")}
    call = {"launch_ns": gaps["api_start_ns"], "api_name_id": activity["api_name_id"].gather(gaps["next"])}
    return gaps.select("gap_id", "gpu_id", "start_ns", "end_ns", **around, thread_id="thread_id", **call)
