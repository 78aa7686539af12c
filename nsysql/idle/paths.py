"""In which NVTX ranges a thread is at each of many moments, without walking any tree.

Every range has a number made of its text and its depth. The sum of the numbers of all ranges open at a moment
tells which they are: what has started by then less what has ended, two running sums. So each moment costs two
searches, and of all moments with one sum a single one is held against the ranges themselves.
"""

from collections.abc import Callable

import polars as pl

from nsysql.idle.activity import narrow

NO_TEXT = "(no text)"
BETWEEN = " > "


def compute(view: Callable[..., pl.DataFrame]) -> dict[str, pl.DataFrame]:
    """The frame idle_path_record, from the views named in its header."""
    asked = ("thread_id", pl.col("gap_id").cast(pl.UInt32), "start_ns")
    pieces = view("idle_piece_record", narrow=lambda some: some.drop_nulls("thread_id").select(asked))
    of_thread = {thread: rows.sort("start_ns") for (thread,), rows in pieces.group_by("thread_id", maintain_order=True)}
    del pieces
    moments = {thread: rows["start_ns"] for thread, rows in of_thread.items()}
    ranges = view("nvtx_own_range", narrow=lambda some: _holding(some, moments), stream=True)
    texts = view("string").select("text", text_id="id")
    schema: dict[str, type[pl.DataType]] = {"gap_id": pl.UInt32, "start_ns": pl.Int64, "nvtx_path": pl.Categorical}
    found = [pl.DataFrame(schema=schema)]
    for thread, rows in of_thread.items():
        paths = _paths(ranges.filter(pl.col("thread_id") == thread), rows["start_ns"], texts)
        found.append(rows.select("gap_id", "start_ns", nvtx_path=paths).drop_nulls("nvtx_path"))
    return {"idle_path_record": pl.concat(found)}


def _holding(ranges: pl.DataFrame, moments: dict[object, pl.Series]) -> pl.DataFrame:
    """The ranges in which a moment of their thread lies, with these: from the first to before the one after.

    `moments` has those of each thread, in order. There are many ranges with few texts.
    """
    found = [ranges.clear().with_columns(first=pl.lit(0, pl.UInt32), after=pl.lit(0, pl.UInt32))]
    for (thread,), own in ranges.partition_by("thread_id", as_dict=True).items():
        if thread in moments:
            first, after = (moments[thread].search_sorted(own[c], side="left") for c in ("start_ns", "end_ns"))
            found.append(own.with_columns(first=first, after=after).filter(after > first))
    return narrow(pl.concat(found).cast({"plain_text": pl.Categorical}))


def _paths(ranges: pl.DataFrame, moments: pl.Series, texts: pl.DataFrame) -> pl.Series:
    """The path of a thread at each of its moments, which are in order; NULL in no range."""
    order = ["start_ns", "end_ns", "row_id"]
    ranges = ranges.sort(order, descending=[False, True, False]).select("first", "after", "text_id", "plain_text")
    at = pl.int_range(moments.len(), dtype=pl.UInt32, eager=True)
    sums = pl.DataFrame({"sum": _sums(ranges, at), "at": at})
    chosen = sums.group_by("sum", maintain_order=True).agg(pl.col("at").first())
    named = chosen.join(_named(ranges, chosen["at"].sort(), texts), on="at").select("sum", "nvtx_path")
    return sums.join(named, on="sum", how="left", maintain_order="left")["nvtx_path"]


def _sums(ranges: pl.DataFrame, at: pl.Series) -> pl.Series:
    """A number for the ranges open at each moment, by what they are and how deep."""
    ended = ranges["after"].sort()
    depth = pl.int_range(ranges.height, eager=True) - ended.search_sorted(ranges["first"], side="right")
    numbers = ranges.select(
        "first", "after", number=pl.struct("text_id", pl.col("plain_text").to_physical(), depth.alias("depth")).hash()
    )
    total = pl.Series([0], dtype=pl.UInt64)
    started = total.append(numbers["number"].cum_sum())[numbers["first"].search_sorted(at, side="right")]
    closed = numbers.sort("after")
    gone = pl.Series([0], dtype=pl.UInt64).append(closed["number"].cum_sum())
    return started - gone[closed["after"].search_sorted(at, side="right")]


def _named(ranges: pl.DataFrame, chosen: pl.Series, texts: pl.DataFrame) -> pl.DataFrame:
    """The paths at the chosen moments, which are in order: at, nvtx_path."""
    low, high = (chosen.search_sorted(ranges[c], side="left") for c in ("first", "after"))
    pairs = (
        ranges.select("text_id", "plain_text", low=low, high=high)
        .filter(pl.col("high") > pl.col("low"))
        .with_columns(which=pl.int_ranges("low", "high"))
        .explode("which")
        .join(texts, on="text_id", how="left", maintain_order="left")
    )
    paths = pairs.group_by("which", maintain_order=True).agg(
        nvtx_path=pl.coalesce("text", pl.col("plain_text").cast(pl.String), pl.lit(NO_TEXT)).str.join(BETWEEN)
    )
    return paths.select(pl.col("nvtx_path").cast(pl.Categorical), at=chosen.gather(paths["which"]))
