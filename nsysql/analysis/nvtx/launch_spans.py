"""Compute the views _launch_position, _nvtx_launch_span and _nvtx_launch_name."""

from collections.abc import Iterator

import polars as pl

from nsysql.analysis.global_ids import PER_PROCESS
from nsysql.analysis.nvtx.blocks import RANGES, is_large, named_ranges
from nsysql.analysis.nvtx.launches import LaunchIndex, OnDisk, have_repeats, with_short_ids
from nsysql.analysis.view_reader import ViewReader, reads

PLACED, SPANS, NAMES = "_launch_position", "_nvtx_launch_span", "_nvtx_launch_name"
PLACES = ("place", "first_place", "end_place", "covered_to")  # columns
OF_RANGE = (pl.col("row_id", "start_ns").name.prefix("range_"), pl.col("name", "is_push_pop"))


@reads(
    "_nvtx_named_range", "_launching_call", "_nvtx_range_launch_fallback", "_launched_work", "_ambiguous_correlation_id"
)
def launch_spans(view: ViewReader) -> Iterator[dict[str, pl.DataFrame]]:
    """Compute the frames _launch_position, _nvtx_launch_name and _nvtx_launch_span, in parts."""
    blocks = OnDisk(view) if is_large(view, RANGES) else None
    if blocks is not None and blocks.is_known:
        yield from _of_blocks(blocks)
        return
    launching = view("_launching_call", narrow=with_short_ids)
    calls = LaunchIndex(launching.rename({"start_ns": "call_ns", "end_ns": "return_ns"}))
    if not calls.follow:
        yield _fallback_frames(calls.rows, view("_nvtx_range_launch_fallback"), named_ranges(view))
        return
    spans = _spans(named_ranges(view, calls.with_launches))
    yield _frames(calls.rows, spans, _are_repeated(calls.rows))


def _of_blocks(blocks: OnDisk) -> Iterator[dict[str, pl.DataFrame]]:
    """Yield the frames block by block, if no calls share a correlation id; no range contains calls of two blocks."""
    names = []
    for block in blocks:
        frames = _frames(block.calls, _spans(block.ranges), pl.repeat(False, block.calls.height, eager=True))
        names.append(frames.pop(NAMES))
        among_all = pl.col(f"^({'|'.join(PLACES)})$") + block.first
        yield {name: frame.with_columns(among_all) for name, frame in frames.items()}
    yield {NAMES: pl.concat(names).unique("name_number", maintain_order=True)}


def _spans(ranges: pl.DataFrame) -> pl.DataFrame:
    return ranges.select(*OF_RANGE, first_place="low", end_place="high", is_broken=pl.lit(False))


def _fallback_frames(launches: pl.DataFrame, pairs: pl.DataFrame, ranges: pl.DataFrame) -> dict[str, pl.DataFrame]:
    """Build the frames from `pairs` of ranges and calls, for calls that overlap."""
    calls = launches.sort("thread_id", "call_ns", "row_id")
    places = calls.select(call_row_id="row_id").with_row_index("place").cast(pl.Int64)
    pairs = pairs.join(places, on="call_row_id").sort("range_row_id", "place")
    run = pl.col("place") - pl.int_range(pl.len()).over("range_row_id")
    first, end = pl.col("place").min(), pl.col("place").max() + 1
    spans = pairs.group_by("range_row_id", run=run).agg(first_place=first, end_place=end)
    spans = spans.with_columns(is_broken=pl.len().over("range_row_id") > 1).drop("run")
    own = ranges.select(OF_RANGE).with_columns(pl.col("range_row_id").cast(pl.Int64))
    return _frames(calls, spans.join(own, on="range_row_id"), _are_repeated(calls))


def _frames(calls: pl.DataFrame, spans: pl.DataFrame, are_repeated: pl.Series) -> dict[str, pl.DataFrame]:
    """Build the frames from the calls, sorted by thread and start, and the spans of calls in ranges."""
    place = pl.int_range(pl.len(), dtype=pl.Int32).alias("place")
    places = calls.select("thread_id", "correlation_id", place, call_row_id="row_id", is_repeated=are_repeated)
    numbers, names = _numbered(spans)
    spans = spans.drop("name", "is_push_pop").with_columns(numbers)
    return {PLACED: places, SPANS: spans.with_columns(_covered_to(spans, calls.height)), NAMES: names}


def _numbered(spans: pl.DataFrame) -> tuple[pl.Series, pl.DataFrame]:
    """Return the number of each span's name, and the names with their numbers; numbers are the same in all blocks."""
    code = pl.col("name").to_physical().cast(pl.Int64).fill_null(-1)
    numbered = spans.select("name", "is_push_pop", name_number=(code * 2 + pl.col("is_push_pop")).cast(pl.Int32))
    return numbered["name_number"], numbered.unique("name_number", keep="first").sort("name_number")


def _covered_to(spans: pl.DataFrame, places: int) -> pl.Series:
    """Return for each span the furthest end of the spans of the same name that begin before it or with it.

    If several begin together, one of them, in any order, is not covered by another. For a single running maximum, the
    positions of each name are shifted beyond those of the previous name.
    """
    first_of_name = pl.col("name_number").cast(pl.Int64) * (places + 1)
    order = spans.select(pl.arg_sort_by(first_of_name + pl.col("first_place"))).to_series()
    own = spans.select("name_number", "end_place")[order]
    reached = own.select((first_of_name + pl.col("end_place")).cum_max().shift() - first_of_name).to_series()
    covered = pl.select(pl.when(reached >= 0).then(reached)).to_series().cast(pl.Int32)
    return pl.repeat(None, spans.height, dtype=pl.Int32, eager=True).scatter(order, covered).alias("covered_to")


def _are_repeated(calls: pl.DataFrame) -> pl.Series:
    """Mark the calls that share their correlation id with another of their process."""
    if not have_repeats(calls):
        return pl.repeat(False, calls.height, eager=True)
    return calls.select("correlation_id", pl.col("thread_id") // PER_PROCESS).is_duplicated()
