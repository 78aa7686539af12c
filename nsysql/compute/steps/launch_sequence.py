"""Steps by the sequence of launches: a launch that begins equal blocks of launches again and again.

The launches of a process in order of their call are cut before every occurrence of one symbol; where most of the
launches lie in equal blocks, these are steps.
"""

import polars as pl

from nsysql.compute.steps.block_hashes import BlockHashes
from nsysql.compute.steps.found import Found, spans

LEAST = 3  # equal blocks that make a repetition
CANDIDATES = 8  # symbols that are tried
COVERED = 0.5  # of the launches: blocks with fewer are no repetition of the program
NEARLY = 0.9  # of the best score: then fewer, longer blocks are preferred
LIKE = 0.5  # of the launches of the commonest block: what has fewer before or after them is none
INNER = "inner repetition: regular pauses show a larger loop around it"
PAUSE = 50  # times the median period: so long a pause is of a larger loop around the blocks, if there are several


def by_launches(launches: pl.DataFrame, process_id: int) -> Found | None:
    """The steps of one process, whose launches are in order; None where they repeat nothing."""
    rows = launches.select("thread_id", "api_start_ns", "api_end_ns", "symbol", "is_run").with_row_index("at")
    candidates = _candidates(rows)
    if not candidates:
        return None
    hashes = BlockHashes(rows["symbol"])
    runs = pl.concat([pl.Series([0], dtype=pl.Int64), rows["is_run"].cast(pl.Int64).cum_sum()])
    best: tuple[int, pl.DataFrame] | None = None
    for symbol in candidates:
        score, blocks = _blocks(rows, symbol, hashes, runs)
        if score < COVERED * rows.height:
            continue
        if best is None or _is_better((score, blocks.height), (best[0], best[1].height)):
            best = score, blocks
    if best is None:
        return None
    blocks = _with_calls(_trimmed(best[1]), rows)
    covered = int(blocks["launches"].sum()) / rows.height
    starts, end = blocks["start_ns"], int(blocks["end_ns"][-1])
    marks = spans(starts, end, bool(blocks["is_common"][-1]))
    name = f"{int(blocks.filter('is_common')['launches'][0])} launches"
    return Found("launches", name, process_id, int(blocks["thread_id"][0]), marks, covered, _inner(blocks))


def _is_better(one: tuple[int, int], other: tuple[int, int]) -> bool:
    """Whether a cut, by its score and its number of blocks, is preferred to an earlier one."""
    if one[1] < other[1]:
        return one[0] >= NEARLY * other[0]
    return NEARLY * one[0] > other[0]


def _candidates(rows: pl.DataFrame) -> list[int]:
    """What could begin a block, the most promising first: of symbols that are alike in this the first to occur.

    Equal sequences are equally long, so no symbol scores more than its commonest distance from one occurrence to the
    next, times how often that occurs.
    """
    apart = rows.select("symbol", "at", length=pl.col("at").shift(-1).over("symbol") - pl.col("at"))
    lengths = apart.drop_nulls().group_by("symbol", "length").agg(count=pl.len(), first=pl.col("at").min())
    lengths = lengths.filter(pl.col("count") >= LEAST).with_columns(most=pl.col("length") * pl.col("count"))
    lengths = lengths.filter(pl.col("most") >= COVERED * rows.height)
    counts = rows.group_by("symbol").agg(blocks=pl.len())
    alike = (
        lengths.sort("most", "length", "first", descending=[True, True, False])
        .unique("symbol", keep="first", maintain_order=True)
        .join(counts, on="symbol", maintain_order="left")
        .unique(["blocks", "most"], keep="first", maintain_order=True)
    )
    return alike["symbol"].head(CANDIDATES).to_list()


def _blocks(rows: pl.DataFrame, symbol: int, hashes: BlockHashes, runs: pl.Series) -> tuple[int, pl.DataFrame]:
    """The launches in the commonest blocks that begin with this symbol, and all blocks in order.

    Columns begin (place of the first launch), launches, is_common. Of the last block what follows the commonest
    sequence is left out. `runs` counts the kernels and graphs before each place.
    """
    begins = rows.select((pl.col("symbol") == symbol).arg_true().cast(pl.Int64)).to_series()
    ends = begins.slice(1).append(pl.Series([rows.height], dtype=pl.Int64))
    sequences = hashes.of(begins, ends)
    common = _commonest(begins, ends, sequences, runs)
    if common is None:
        return 0, rows.clear()
    score, sequence, length = common
    last = int(begins[-1])
    if last + length <= rows.height:
        whole = begins.tail(1), pl.Series([last + length], dtype=pl.Int64)
        if hashes.of(*whole)[0] == sequence:
            ends = ends.head(-1).append(whole[1])
            sequences = sequences.head(-1).append(pl.Series([sequence], dtype=sequences.dtype))
    blocks = pl.DataFrame({"begin": begins, "launches": ends - begins, "sequence": sequences})
    is_common = (pl.col("sequence") == sequence) & (pl.col("launches") == length)
    return score, blocks.select("begin", "launches", is_common=is_common)


def _commonest(
    begins: pl.Series, ends: pl.Series, sequences: pl.Series, runs: pl.Series
) -> tuple[int, int, int] | None:
    """Of the blocks but the last: how many launches lie in the commonest sequence, its hash, and its length."""
    begins, ends = begins.head(-1), ends.head(-1)
    blocks = pl.DataFrame(
        {
            "sequence": sequences.head(-1),
            "launches": ends - begins,
            "begin": begins,
            "is_run": runs.gather(ends) > runs.gather(begins),
        }
    )
    counted = (
        blocks.filter("is_run")
        .group_by("sequence", "launches")
        .agg(count=pl.len(), first=pl.col("begin").first())
        .filter(pl.col("count") >= LEAST)
        .with_columns(score=pl.col("count") * pl.col("launches"))
    )
    if counted.is_empty():
        return None
    first = counted.sort("score", "launches", "first", descending=[True, False, False]).row(0, named=True)
    return int(first["score"]), int(first["sequence"]), int(first["launches"])


def _with_calls(blocks: pl.DataFrame, rows: pl.DataFrame) -> pl.DataFrame:
    """The blocks with start_ns and end_ns of their calls, and thread_id of the first."""
    first, end = int(blocks["begin"][0]), int(blocks["begin"][-1] + blocks["launches"][-1])
    own = rows.slice(first, end - first)
    block = blocks["begin"].search_sorted(own["at"].cast(pl.Int64), side="right")
    calls = (
        own.with_columns(block=block)
        .group_by("block", maintain_order=True)
        .agg(
            pl.col("thread_id").first(),
            start_ns=pl.col("api_start_ns").first(),
            end_ns=pl.col("api_end_ns").max(),
        )
    )
    return pl.concat([blocks, calls.drop("block")], how="horizontal")


def _trimmed(blocks: pl.DataFrame) -> pl.DataFrame:
    """The blocks without those before the first and after the last common one that are not about as long as these.

    The last block of all is kept if it follows: the capture, or the loop, ends in it.
    """
    length = int(blocks.filter("is_common")["launches"][0])
    common = blocks.select(pl.col("is_common").arg_true()).to_series()
    first, last = int(common[0]), int(common[-1])
    alike = (blocks["launches"] >= LIKE * length) & (blocks["launches"] * LIKE <= length)
    while first > 0 and alike[first - 1]:
        first -= 1
    while last + 1 < blocks.height and (alike[last + 1] or last + 2 == blocks.height):
        last += 1
    return blocks.slice(first, last - first + 1)


def _inner(blocks: pl.DataFrame) -> str | None:
    """A note where regular pauses show a larger loop around the blocks."""
    periods = blocks["start_ns"].diff().drop_nulls()
    usual = periods.median()
    pauses = periods.filter(periods > PAUSE * usual) if isinstance(usual, int | float) else periods.clear()
    if pauses.len() < LEAST:
        return None
    middle = pauses.median()
    alike = pauses.is_between(middle / 2, 2 * middle).sum() if isinstance(middle, int | float) else 0
    return INNER if 2 * alike >= pauses.len() else None
