"""Tell the step of a program that repeats steps and, after every few of them, does other work as well.

An evaluation after some steps, and the optimizer after some batches of a step, look alike: a part that comes again, and
a rest. But an evaluation repeats pieces of the step, such as its forward pass, and an optimizer does not.
"""

import polars as pl

from nsysql.analysis.steps.launches import is_host_copy
from nsysql.words.quantities import counted, time


def can_be_step(part: pl.Series) -> bool:
    """Tell whether a part of a block can be a step: unlike a layer, it copies input from the host or results to it."""
    return bool(is_host_copy(part).any())


def repeats_pieces(block: pl.Series, step: pl.Series, count: int) -> bool:
    """Tell whether a block of `count` steps has more launches, and these are mostly pieces of a step.

    Compared by launches that follow each other: a kernel alone can be in an optimizer, too.

    >>> step, forward, other = pl.Series(range(20)), pl.Series(range(1, 12)), pl.Series(range(30, 41))
    >>> [repeats_pieces(pl.concat([step, step, step, rest]), step, 3) for rest in (forward, other, step.clear())]
    [True, False, False]
    """
    both = _pairs(block).join(_pairs(step), on=["symbol", "after"], how="left").fill_null(0)
    rest = (pl.col("count") - count * pl.col("count_right").cast(pl.Int64)).clip(0)
    of_step, every = both.select(rest.filter(pl.col("count_right") > 0).sum(), every=rest.sum()).row(0)
    return bool(2 * of_step > every)


def _pairs(symbols: pl.Series) -> pl.DataFrame:
    """Count each launch with the next one, the last with the first, as the block comes again."""
    pairs = pl.DataFrame({"symbol": symbols, "after": pl.concat([symbols[1:], symbols[:1]])})
    return pairs.group_by("symbol", "after").agg(count=pl.len().cast(pl.Int64))


def parts_note(parts: pl.DataFrame) -> str:
    """Say that a block has several equal parts, which can be steps, from the begin of their GPU work."""
    common = parts.filter("is_common")
    launches, apart = counted(int(common["launches"][0]), "launch", "launches"), _median(common["start_ns"].diff())
    return f"each has {common.height} equal parts of {launches}, {time(apart)} apart, which may be the steps"


def other_work_note(blocks: pl.DataFrame) -> str | None:
    """Say that other work comes after every few steps, if it has as many launches as one and takes as long."""
    placed = blocks.with_columns(at=pl.int_range(pl.len()), period=pl.col("start_ns").shift(-1) - pl.col("start_ns"))
    common = placed.filter("is_common")
    length = int(common["launches"][0])
    longer = placed.head(-1).filter(pl.col("launches") >= 2 * length)
    every = longer["at"].diff().drop_nulls().unique()
    usual_ns = _median(common["period"])
    longer_ns = _median(longer["period"]) - usual_ns
    if every.len() != 1 or longer_ns < usual_ns:
        return None
    more = counted(_median(longer["launches"]) - length, "more launch", "more launches")
    return f"after every {every[0]} of them come {more} ({time(longer_ns)}), such as an evaluation"


def _median(values: pl.Series) -> int:
    return int(values.median() or 0)  # type: ignore[arg-type]
