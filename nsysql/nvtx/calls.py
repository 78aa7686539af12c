"""Which launching calls lie in which NVTX range: those in order of thread and time that follow each other."""

from collections.abc import Callable

import polars as pl

PLACED, SPANS = "nvtx_call_place", "nvtx_call_span"


def compute(view: Callable[[str], pl.DataFrame]) -> dict[str, pl.DataFrame]:
    """The frames nvtx_call_place and nvtx_call_span, from the views named in their headers."""
    ranges = view("nvtx_thread_range")
    launches = view("gpu_launch").rename({"start_ns": "call_ns", "end_ns": "return_ns"})
    held = calls_within(ranges, launches)
    if held is None:
        return _spans_sought(launches, view("nvtx_call_joined"))
    inside, calls = held
    own = ranges.select(range_row_id="row_id", range_start_ns="start_ns")[inside["at"]]
    spans = own.with_columns(first_place=inside["low"], end_place=inside["high"], is_broken=pl.lit(False))
    return _frames(calls["row_id"], spans)


def _spans_sought(launches: pl.DataFrame, pairs: pl.DataFrame) -> dict[str, pl.DataFrame]:
    """The same from the ranges and calls that belong together."""
    calls = launches.sort("thread_id", "call_ns", "row_id")["row_id"]
    places = calls.to_frame("call_row_id").with_row_index("place").cast(pl.Int64)
    of_range = ["range_row_id", "range_start_ns"]
    pairs = pairs.join(places, on="call_row_id").sort("range_row_id", "place")
    run = pl.col("place") - pl.int_range(pl.len()).over("range_row_id")
    spans = pairs.group_by(*of_range, run=run).agg(
        first_place=pl.col("place").min(), end_place=pl.col("place").max() + 1
    )
    spans = spans.with_columns(is_broken=pl.len().over("range_row_id") > 1)
    return _frames(calls, spans.select(*of_range, "first_place", "end_place", "is_broken"))


def _frames(calls: pl.Series, spans: pl.DataFrame) -> dict[str, pl.DataFrame]:
    places = pl.int_range(calls.len(), eager=True)
    opened = spans["first_place"].sort().search_sorted(places, side="right")
    closed = spans["end_place"].sort().search_sorted(places, side="right")
    placed = pl.DataFrame({"call_row_id": calls, "place": places, "is_outside": opened == closed})
    return {PLACED: placed, SPANS: spans}


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
