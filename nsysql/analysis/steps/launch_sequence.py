"""Find steps by the sequence of launches: a launch that begins equal blocks of launches again and again.

The launches of a process, in call order, are cut before every occurrence of one symbol; if most launches are in equal
blocks, these are the steps.
"""

import polars as pl

from nsysql.analysis.steps.block_hashes import BlockHashes
from nsysql.analysis.steps.found import Found, spans

LEAST = 3  # least number of equal blocks
CANDIDATES = 8  # symbols to try
COVERED = 0.5  # share of the launches that equal blocks must contain
NEARLY = 0.9  # share of the best score from which fewer, longer blocks are preferred
LIKE = 0.5  # size relative to the most frequent block: smaller blocks before or after are not steps
INNER = "inner repetition: regular pauses show a larger loop around it"
PAUSE = 50  # times the median period: several pauses so long show a larger loop around the blocks


def by_launches(launches: pl.DataFrame, process_id: int) -> Found | None:
    """The steps of one process from its launches in order; None if these do not repeat."""
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
    """Whether a (score, number of blocks) is preferred to an earlier one."""
    if one[1] < other[1]:
        return one[0] >= NEARLY * other[0]
    return NEARLY * one[0] > other[0]


def _candidates(rows: pl.DataFrame) -> list[int]:
    """Symbols that could begin a block, the most promising first; of equally promising ones the first to occur.

    Equal blocks are equally long, so the score of a symbol is at most its most frequent distance from one occurrence to
    the next, times the count of that distance.
    """
    distances = rows.select("symbol", "at", length=pl.col("at").shift(-1).over("symbol") - pl.col("at"))
    lengths = distances.drop_nulls().group_by("symbol", "length").agg(count=pl.len(), first=pl.col("at").min())
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
    """The number of launches in the most frequent block that begins with this symbol, and all blocks in order.

    Columns begin (index of the first launch), launches, is_common. If the last block begins with the most frequent
    sequence, the rest of it is dropped. `runs` counts the kernels and graphs before each index.
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
    """The most frequent sequence of all blocks but the last: its total launches, its hash, and its length."""
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
    """Drop blocks before the first and after the last common one, except those of about the same length next to them.

    The very last block is kept if it follows directly: the capture, or the loop, ends in it.
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
    """A note if regular pauses show a larger loop around the blocks."""
    periods = blocks["start_ns"].diff().drop_nulls()
    usual = periods.median()
    pauses = periods.filter(periods > PAUSE * usual) if isinstance(usual, int | float) else periods.clear()
    if pauses.len() < LEAST:
        return None
    middle = pauses.median()
    alike = pauses.is_between(middle / 2, 2 * middle).sum() if isinstance(middle, int | float) else 0
    return INNER if 2 * alike >= pauses.len() else None
