"""Which launching calls lie in which NVTX range: those in order of thread and time that follow each other."""

from collections.abc import Callable

import polars as pl


def compute(view: Callable[[str], pl.DataFrame]) -> dict[str, pl.DataFrame]:
    """The frame nvtx_call, from the views named in its header."""
    ranges = view("nvtx_thread_range")
    held = calls_within(ranges, view("gpu_launch").rename({"start_ns": "call_ns", "end_ns": "return_ns"}))
    if held is None:
        return {"nvtx_call": view("nvtx_call_joined")}
    inside, calls = held
    pairs = inside.select("at", call=pl.int_ranges("low", "high", dtype=pl.UInt32)).explode("call")
    own = ranges.select(range_row_id="row_id", range_start_ns="start_ns")
    calls = calls.select(call_row_id="row_id")
    return {"nvtx_call": own[pairs["at"]].hstack(calls[pairs["call"]])}


def calls_within(ranges: pl.DataFrame, calls: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame] | None:
    """The ranges that hold calls, by their number (at), with their calls from low to high; and the calls in order.

    None where calls of a thread lie in each other, or times do not fit 64 bits.
    """
    threads = calls["thread_id"].unique().sort()
    times = [ranges["start_ns"], ranges["end_ns"], calls["call_ns"], calls["return_ns"]]
    low = min((v for s in times if isinstance(v := s.min(), int)), default=0)
    high = max((v for s in times if isinstance(v := s.max(), int)), default=0)
    span = high - low + 1
    if span * (threads.len() + 1) >= 2**62:
        return None
    rank = pl.col("thread_id").replace_strict(
        threads, pl.int_range(threads.len(), eager=True), default=None, return_dtype=pl.Int64
    )
    line = {c: rank * span + (pl.col(c) - low) for c in ("call_ns", "return_ns")}
    calls = calls.with_columns(**line)
    calls = calls[calls.select(pl.arg_sort_by("call_ns", "row_id")).to_series()]
    if not calls["return_ns"].is_sorted():
        return None
    asked = ranges.with_row_index("at").select(
        "at", **{c: rank * span + (pl.col(c) - low) for c in ("start_ns", "end_ns")}
    )
    asked = asked.filter(pl.col("start_ns").is_not_null())
    inside = asked.select(
        "at",
        low=calls["call_ns"].search_sorted(asked["start_ns"], side="left"),
        high=calls["return_ns"].search_sorted(asked["end_ns"], side="right"),
    )
    return inside.filter(pl.col("high") > pl.col("low")), calls
