"""Stretches of time cut by others: all half-open, in order of their start, by running maxima and binary search."""

import polars as pl

START, END = pl.col("start_ns"), pl.col("end_ns")


def first_begun(rows: pl.DataFrame) -> pl.DataFrame:
    """When each of the rows, in order of their start, is the first one of those under way.

    Columns start_ns, end_ns and at, the row's position; rows that are never the first have none.
    """
    reached = END.cum_max().shift()
    begins = pl.max_horizontal(START, reached)
    return rows.select(start_ns=begins, end_ns=END, at=pl.int_range(pl.len(), dtype=pl.UInt32)).filter(END > START)


def without(pieces: pl.DataFrame, covered: pl.DataFrame) -> pl.DataFrame:
    """What of each piece lies outside of the covered stretches; neither overlap among themselves.

    All columns of `pieces` are kept; a piece that is covered in its middle is two.
    """
    if covered.is_empty() or pieces.is_empty():
        return pieces
    free = pl.select(
        low=pl.concat([pl.Series([-(2**63)]), covered["end_ns"]]),
        high=pl.concat([covered["start_ns"], pl.Series([2**63 - 1])]),
    )
    first = free["high"].search_sorted(pieces["start_ns"], side="right")  # the first that ends after the piece begins
    end = free["low"].search_sorted(pieces["end_ns"], side="left")  # the first that begins when it is over, or later
    cut = pieces.with_columns(first=first, end=end).filter(pl.col("end") > pl.col("first"))
    cut = cut.with_columns(free=pl.int_ranges("first", "end", dtype=pl.UInt32)).drop("first", "end").explode("free")
    bounds = free.select(pl.all().gather(cut["free"]))
    return (
        cut.with_columns(
            start_ns=pl.max_horizontal(START, bounds["low"]), end_ns=pl.min_horizontal(END, bounds["high"])
        )
        .filter(END > START)
        .drop("free")
    )
