"""Where a program begins to repeat itself: what lies before is start-up.

A process repeats where some launch cuts the sequence of its launches into blocks of which most are equal: the same
kernels, copies and sets in the same order. Leading blocks that take longer than the others are start-up too.
"""

from dataclasses import dataclass

import polars as pl

LEAST = 3  # equal blocks that make a repetition
CANDIDATES = 8  # launches that are tried as the first of a block
COVERED = 0.5  # of the launches: blocks with fewer are no repetition of the program
NEARLY = 0.9  # of the best: then the longer blocks are preferred
SLOW = 1.25  # times the median block: longer ones at the beginning are warm-up,
WARM = 2  # so many of them at most: of more the program makes longer ones, as of several sizes
SYMBOL = ("kind", "detail_id")


@dataclass(frozen=True)
class Repetition:
    """What repeats: so many equal blocks of so many launches, from start_ns to end_ns on the GPU."""

    blocks: int
    launches: int
    start_ns: int
    end_ns: int

    @property
    def word(self) -> str:
        """What is repeated, in a word. Steps that a program marks do not count their launches."""
        return "repetition" if self.launches else "steady step"


def repetition(sequence: pl.DataFrame) -> Repetition | None:
    """What most processes of the capture repeat, from the first to the last time; None where nothing does.

    `sequence` are rows of launch_sequence, in their order.
    """
    found = [(rows.height, _of_process(rows)) for _, rows in sequence.group_by("process_id", maintain_order=True)]
    repeating = [one for _, one in found if one is not None]
    launches = sum(height for height, one in found if one is not None)
    if not repeating or launches < COVERED * sequence.height:
        return None
    most = max(repeating, key=lambda one: one.blocks * one.launches)
    start, end = max(one.start_ns for one in repeating), max(one.end_ns for one in repeating)
    return Repetition(most.blocks, most.launches, start, end) if start < end else None


def _of_process(rows: pl.DataFrame) -> Repetition | None:
    rows = rows.with_columns(
        symbol=pl.struct(SYMBOL).rank("dense"), is_run=pl.col("kind").is_in(["kernel", "graph"])
    ).with_row_index("at")
    best: tuple[int, pl.DataFrame] | None = None
    for symbol in _candidates(rows):
        score, blocks = _equal_blocks(rows, symbol)
        fewer = best is not None and blocks.height < best[1].height
        if score >= COVERED * rows.height and (
            best is None or score * (NEARLY if not fewer else 1 / NEARLY) >= best[0]
        ):
            best = max(score, best[0] if best else 0), blocks
    return _steady(best[1]) if best else None


def _candidates(rows: pl.DataFrame) -> list[int]:
    """What could begin a block: of symbols that occur equally often the first, those with most launches together."""
    counted = rows.group_by("symbol").agg(count=pl.len(), first=pl.col("at").min()).filter(pl.col("count") >= LEAST)
    alike = counted.group_by("count").agg(
        pl.col("count").sum().alias("launches"), pl.col("symbol").sort_by("first").first()
    )
    return alike.sort("launches", "count", descending=[True, False])["symbol"].head(CANDIDATES).to_list()


def _equal_blocks(rows: pl.DataFrame, symbol: int) -> tuple[int, pl.DataFrame]:
    """The launches in the commonest blocks that begin with this symbol, and these blocks in order.

    The last block reaches to the end of the sequence: it is one of them if it begins like them.
    """
    cut = rows.with_columns(block=(pl.col("symbol") == symbol).cum_sum()).filter(pl.col("block") > 0)
    cut = cut.with_columns(place=pl.col("at") - pl.col("at").min().over("block"))
    is_last = pl.col("block") == pl.col("block").max()
    last, blocks = cut.filter(is_last), _summed(cut.filter(~is_last)).filter("is_run")
    common = blocks.group_by("sequence").agg(count=pl.len(), launches=pl.col("launches").first())
    common = common.filter(pl.col("count") >= LEAST).with_columns(score=pl.col("count") * pl.col("launches"))
    if common.is_empty():
        return 0, blocks.clear()
    first = common.sort("score", "sequence", descending=[True, False]).row(0, named=True)
    blocks = pl.concat([blocks, _summed(last.head(first["launches"]))])
    return first["score"], blocks.filter(pl.col("sequence") == first["sequence"])


def _summed(launches: pl.DataFrame) -> pl.DataFrame:
    """A row a block: what it launches in which order, and from when to when it ran."""
    return launches.group_by("block", maintain_order=True).agg(
        *(pl.struct("symbol", "place").hash().sum().alias("sequence"), pl.len().alias("launches")),
        *(pl.col("is_run").any(), pl.col("start_ns").min(), pl.col("end_ns").max()),
    )


def _steady(blocks: pl.DataFrame) -> Repetition:
    """The blocks without the slow ones at the beginning: from the first of three in a row that are not slow."""
    periods = blocks["start_ns"].diff().shift(-1).drop_nulls()
    usual = periods.tail((periods.len() + 1) // 2).median()
    fast = periods <= SLOW * float(usual if isinstance(usual, int | float) else 0)
    runs = fast & fast.shift(-1, fill_value=True) & fast.shift(-2, fill_value=True)
    first = min(int(runs.arg_max() or 0) if runs.any() else 0, WARM)
    kept = blocks.slice(first)
    return Repetition(
        kept.height,
        int(blocks["launches"][0]),
        int(kept["start_ns"][0]),
        int(kept["end_ns"].max() or 0),  # type: ignore[arg-type]
    )
