"""Find steps by the sequence of launches: a launch that begins equal blocks of launches again and again.

The launches of a process, in call order, are cut before every occurrence of one symbol, and these blocks again before
every occurrence of one block: so the passes of a model of equal layers are found although each kernel of them occurs
many times in a pass. A program can repeat several things, one after the other; each is a series.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from nsysql.analysis.steps.nested_steps import can_be_step, other_work_note, parts_note, repeats_pieces
from nsysql.analysis.steps.step_series import MARKS, StepSeries

FACTOR = 0x9E3779B97F4A7C15  # odd, so that it has an inverse modulo 2 ** 64
INVERSE = pow(FACTOR, -1, 2**64)

COLUMNS = ("thread_id", "api_start_ns", "api_end_ns", "start_ns", "symbol", "is_run")  # of launches

Numbers = NDArray[np.uint64]


class BlockHashes:
    """Hashes of blocks in the launches of a process."""

    def __init__(self, symbols: pl.Series) -> None:
        hashes = symbols.hash().to_numpy()
        self._until = _sums(hashes * _powers(FACTOR, hashes.size))
        self._inverses = _powers(INVERSE, hashes.size + 1)

    def of(self, begins: pl.Series, ends: pl.Series) -> pl.Series:
        """Return the hash of each block [begin, end) of launches."""
        first, end = begins.to_numpy(), ends.to_numpy()
        return pl.Series((self._until[end] - self._until[first]) * self._inverses[first])


def _powers(base: int, count: int) -> Numbers:
    powers = np.full(count, base, dtype=np.uint64)
    powers[:1] = 1
    return np.multiply.accumulate(powers)


def _sums(numbers: Numbers) -> Numbers:
    """Return prefix sums: the sum of the numbers before each position, and of all."""
    return np.concatenate([np.zeros(1, dtype=np.uint64), np.add.accumulate(numbers)])


LEAST = 3  # least number of equal blocks; of short ones, before the last block
CANDIDATES = 8  # symbols to try
COVERED = 0.5  # share of the launches that the equal blocks of all series must contain
OF_SERIES = 0.1  # share of the launches that the equal blocks of one series must contain
NEARLY = 0.9  # share of the best score from which fewer, longer blocks are preferred
FEWER = 1.5  # blocks are fewer by this factor; otherwise a block that differs would be merged with the one before it
LIKE = 0.5  # size relative to the most frequent block: smaller blocks before or after are not steps
ALIKE = 0.1  # share of the launches of most steps by which a steady step may differ, and of steps with further launches
LAYER = 16  # launches; fewer can be a layer, a time step of a solver, or chance; a training step has more
PAUSED = 1.5  # times the period of equal blocks: after a block that takes longer a larger loop begins again
MOSTLY = 0.5  # share of the blocks, from the first to the last of the most frequent ones, that must be like them
MOST = 8  # series of a process
INNER = "inner repetition: regular pauses show a larger loop around it"
PAUSE = 50  # times the median period: several longer pauses show a larger loop around the blocks


@dataclass(frozen=True)
class Cut:
    """Launches cut into blocks: begin (index of the first launch), launches, sequence (a hash), is_common.

    `score` is the number of launches in the most frequent blocks. The rest of a last block that begins like them is
    not part of it.
    """

    score: int
    blocks: pl.DataFrame

    def is_better(self, other: "Cut", launches: "Launches") -> bool:
        """Tell whether these blocks are preferred to others of the same launches, which were found earlier."""
        if launches.repeats_step(other, self):
            return True
        if launches.repeats_step(self, other):
            return False
        if FEWER * self.blocks.height <= other.blocks.height:
            return self._with_one_more >= NEARLY * other.score
        if FEWER * other.blocks.height <= self.blocks.height:
            return NEARLY * self.score > other._with_one_more
        return self.score > other.score

    @property
    def _with_one_more(self) -> int:
        """The score if one more block, as the first, that differs from most, were like them."""
        return self.score + self.common()[1]

    def is_mostly_common(self) -> bool:
        """Tell whether most of the blocks are steps: if a step repeats a part a varying number of times, others are."""
        blocks = _trimmed(self.blocks)
        length = self.common()[1]
        is_like = (blocks["launches"] >= LIKE * length) & (blocks["launches"] * LIKE <= length)
        return bool(int(is_like.sum()) >= MOSTLY * blocks.height)

    def common(self) -> tuple[int, int]:
        """Return the first launch, and the number of launches, of the first of the most frequent blocks."""
        first = self.blocks.filter("is_common").row(0, named=True)
        return int(first["begin"]), int(first["launches"])


class Launches:
    """The launches of a process, in order, and the hashes of their sequences."""

    def __init__(self, launches: pl.DataFrame) -> None:
        self.rows = launches.select(COLUMNS).with_row_index("at")
        self._hashes = BlockHashes(self.rows["symbol"])
        self._runs = pl.concat([pl.Series([0], dtype=pl.Int64), self.rows["is_run"].cast(pl.Int64).cum_sum()])

    def cut(self, begins: pl.Series, end: int) -> Cut | None:
        """Cut from each of `begins` to the next, the last to `end`; None if the blocks do not repeat."""
        ends = begins.slice(1).append(pl.Series([end], dtype=pl.Int64))
        common = self._commonest(begins, ends)
        if common is None:
            return None
        count, length, sequence = common["count"], common["launches"], common["sequence"]
        if common["is_last"]:
            count += 1
            ends = ends.head(-1).append(begins.tail(1) + length)
        blocks = pl.DataFrame({"begin": begins, "launches": ends - begins, "sequence": self._hashes.of(begins, ends)})
        is_common = (pl.col("sequence") == sequence) & (pl.col("launches") == length)
        return Cut(count * length, blocks.with_columns(is_common=is_common))

    def _commonest(self, begins: pl.Series, ends: pl.Series) -> dict[str, Any] | None:
        """Find the most frequent sequence that runs something: sequence, launches, count before the last block.

        `is_last` tells whether the last block begins with it.
        """
        is_run = self._runs.gather(ends) > self._runs.gather(begins)
        blocks = pl.DataFrame({"sequence": self._hashes.of(begins, ends), "launches": ends - begins, "begin": begins})
        before_last = blocks.filter(is_run).filter(pl.col("begin") < begins[-1]).group_by("sequence", "launches")
        counted = before_last.agg(count=pl.len(), first=pl.col("begin").first()).filter(pl.col("count") >= LEAST - 1)
        score, end = pl.col("count") * pl.col("launches"), begins[-1] + pl.col("launches")
        counted = counted.with_columns(score=score, at=begins[-1], end=end)
        is_like = self._hashes.of(counted["at"], counted["end"].clip(upper_bound=ends[-1])) == counted["sequence"]
        counted = counted.with_columns(is_last=is_like & (counted["end"] <= ends[-1]))
        is_long = (pl.col("launches") >= LAYER) & pl.col("is_last")
        known = counted.filter((pl.col("count") >= LEAST) | is_long)
        order = known.sort("score", "launches", "first", descending=[True, False, False])
        return next(order.iter_rows(named=True), None)

    def rotated(self, cut: Cut, begin: int, end: int) -> Cut:
        """Begin the blocks as early as what precedes the first of them repeats, if more of them are equal then.

        A symbol in the middle of a step leaves parts of a step before the first block and in the last one.
        """
        first, length = cut.common()
        most = min(first - begin, length - 1)
        symbols = self.rows["symbol"].slice(first - most, length + most).to_numpy()
        differs = np.flatnonzero(symbols[:most] != symbols[length : length + most])
        earlier = most - (int(differs[-1]) + 1 if differs.size else 0)
        last = int(cut.blocks.filter("is_common")["begin"][-1])
        begins = cut.blocks.filter(pl.col("begin").is_between(first, last))["begin"]
        begins = begins.append(pl.Series([last + length])) - earlier  # what follows can end a step, or be none
        better = self.cut(begins, end) if earlier else None
        return cut if better is None or better.score <= cut.score else better

    def repeats_step(self, long: Cut, short: Cut) -> bool:
        """Tell whether the short blocks are steps, and the long ones several of them with, at most, an evaluation."""
        return self._repeats_kernels(long, short) or self._evaluates(long, short)

    def _evaluates(self, long: Cut, short: Cut) -> bool:
        (begin, launches), step = long.common(), self.rows["symbol"].slice(*short.common())
        count = int(short.blocks["begin"].is_between(begin, begin + launches, closed="left").sum())
        block = self.rows["symbol"].slice(begin, launches)
        is_mostly_steps = count >= LEAST and count * step.len() >= COVERED * launches
        is_step = is_mostly_steps and step.len() >= LAYER and can_be_step(step)
        return is_step and repeats_pieces(block, step, count)

    def _repeats_kernels(self, long: Cut, short: Cut) -> bool:
        """Tell whether the kernels of the long blocks are those of the short ones several times: only copies differ.

        A step that copies its loss every tenth time is one step, not a tenth of one. But a step of equal layers ends
        where the GPU pauses.
        """
        kernels, of_short = (self._kernels(*cut.common()) for cut in (long, short))
        if of_short.size == 0 or kernels.size < 2 * of_short.size or kernels.size % of_short.size:
            return False
        return bool(np.array_equal(kernels[of_short.size :], kernels[: -of_short.size])) and not self._pauses(short)

    def _pauses(self, cut: Cut) -> bool:
        """Tell whether blocks of few launches come with longer blocks between them, by the begin of their GPU work."""
        if cut.common()[1] >= LAYER:
            return False
        periods = self.rows["start_ns"].gather(cut.blocks["begin"]).diff().slice(1).to_numpy()
        is_common = cut.blocks["is_common"].head(-1).to_numpy()
        return not is_common.all() and bool(np.median(periods[~is_common]) > PAUSED * np.median(periods[is_common]))

    def has_more(self, blocks: pl.DataFrame) -> pl.Series:
        """Tell which blocks are the most frequent one with further launches at one place, less than as many again.

        None is if they are more than a tenth: then the further launches may be what the program is about.
        """
        first, length = (int(blocks.filter("is_common")[name][0]) for name in ("begin", "launches"))
        longer = pl.col("launches").is_between(length, 2 * length, closed="none")
        more = blocks.select(longer.arg_true()).to_series()
        symbols, inside = self.rows["symbol"].to_numpy(), np.arange(length)
        begins, ends = (blocks[more] for blocks in (blocks["begin"], blocks["begin"] + blocks["launches"]))
        common = symbols[first : first + length]
        head = symbols[begins.to_numpy()[:, None] + inside] == common
        tail = symbols[ends.to_numpy()[:, None] - length + inside] == common
        alike = np.logical_and.accumulate(head, axis=1).sum(axis=1)
        alike += np.logical_and.accumulate(tail[:, ::-1], axis=1).sum(axis=1)
        more = more.filter(pl.Series(alike >= length))
        more = more.head(more.len() if more.len() <= ALIKE * blocks.height else 0)
        return pl.int_range(blocks.height, eager=True).is_in(more.implode())

    def _kernels(self, begin: int, launches: int) -> Numbers:
        return self.rows.slice(begin, launches).filter("is_run")["symbol"].to_numpy()


def by_launches(
    launches: pl.DataFrame, process_id: int, outside: list[tuple[int, int]] | None = None
) -> list[StepSeries]:
    """Find the series of one process from its launches in order; none if these do not repeat.

    `outside` are sorted spans of launches in which other series were found; then only the rest is searched.
    """
    if launches.height <= LEAST:
        return []
    every = Launches(launches)
    taken = outside or []
    begins, ends = [0, *(end for _, end in taken)], [*(begin for begin, _ in taken), launches.height]
    least = max(LEAST, OF_SERIES * launches.height)
    loops: list[pl.DataFrame] = []
    for begin, end in zip(begins, ends, strict=True):
        loops += _loops(every, begin, end, least, MOST)
    equal = sum(int(blocks.filter("is_common")["launches"].sum()) for blocks in loops)
    if not taken and equal < COVERED * launches.height:
        return []
    return [_series(every, blocks, process_id) for blocks in loops]


def by_threads(launches: pl.DataFrame, process_id: int) -> list[StepSeries]:
    """Find the series of each thread that launches much of the process's work; for a process that repeats nothing."""
    threads = launches.partition_by("thread_id", maintain_order=True)
    if len(threads) == 1:
        return []
    series = []
    for own in threads:
        share = own.height / launches.height
        for one in by_launches(own, process_id) if share >= OF_SERIES else ():
            note = one.note or "other threads have loops, too: the time of a GPU includes their work"
            series.append(replace(one, covered=share * one.covered, note=note, is_of_thread=True))
    return series if sum(one.covered for one in series) >= COVERED else []


def _loops(every: Launches, begin: int, end: int, least: float, most: int) -> Iterator[pl.DataFrame]:
    """Yield the blocks of each thing that the launches [begin, end) repeat, one after the other."""
    best = _best(every, begin, end, least) if end - begin >= least and most else None
    if best is None:
        return
    blocks = _with_first(_trimmed(best.blocks), begin)
    before = list(_loops(every, begin, int(blocks["begin"][0]), least, most - 1))
    yield from before
    yield blocks
    last = int(blocks["begin"][-1] + blocks["launches"][-1])
    yield from _loops(every, last, end, least, most - 1 - len(before))


def _with_first(blocks: pl.DataFrame, begin: int) -> pl.DataFrame:
    """Add the launches from `begin` as the first block, if their number is about that of most blocks.

    The first pass of a model tries out other kernels, so it lacks the symbol that begins the others.
    """
    first, length = int(blocks["begin"][0]), int(blocks.filter("is_common")["launches"][0])
    if abs(first - begin - length) > ALIKE * length or ALIKE * length < 1:
        return blocks
    block = {"begin": begin, "launches": first - begin, "sequence": 0, "is_common": False}
    return pl.concat([pl.DataFrame(block, schema=blocks.schema), blocks])


def _best(every: Launches, begin: int, end: int, least: float) -> Cut | None:
    """Return the preferred blocks among those that begin with one symbol, or with one block of such blocks."""
    own = every.rows.slice(begin, end - begin)
    best: Cut | None = None
    for symbol in _candidates(own, "symbol", least):
        begins = own.filter(pl.col("symbol") == symbol)["at"].cast(pl.Int64)
        best = _better(every, best, every.cut(begins, end), least)
    longer = best
    while longer is not None:
        best, longer = longer, None
        for sequence in _candidates(best.blocks.rename({"begin": "at"}), "sequence", least):
            begins = best.blocks.filter(pl.col("sequence") == sequence)["begin"]
            candidate = _better(every, longer or best, every.cut(begins, end), least)
            longer = None if candidate is best else candidate
    return every.rotated(best, begin, end) if best is not None and best.is_mostly_common() else None


def _better(every: Launches, best: Cut | None, candidate: Cut | None, least: float) -> Cut | None:
    if candidate is None or candidate.score < least:
        return best
    return candidate if best is None or candidate.is_better(best, every) else best


def _candidates(rows: pl.DataFrame, name: str, least: float) -> list[int]:
    """Return values of a column that could begin a block, the most promising first; of ties the first.

    Equal blocks are equally long, so the score of a value is at most its most frequent distance from one occurrence to
    the next, times the count of that distance, and one more for the last block.
    """
    distances = rows.select(name, "at", length=pl.col("at").shift(-1).over(name).cast(pl.Int64) - pl.col("at"))
    lengths = distances.drop_nulls().group_by(name, "length").agg(count=pl.len(), first=pl.col("at").min())
    lengths = lengths.filter(pl.col("count") >= LEAST - 1)
    lengths = lengths.with_columns(most=pl.col("length") * (pl.col("count") + 1)).filter(pl.col("most") >= least)
    counted = lengths.join(rows.group_by(name).agg(blocks=pl.len()), on=name, maintain_order="left")
    order = counted.sort("most", "blocks", "length", "first", descending=[True, False, True, False])
    alike = order.unique(name, keep="first", maintain_order=True)
    alike = alike.unique(["blocks", "most"], keep="first", maintain_order=True)
    return alike[name].head(CANDIDATES).to_list()


def _series(every: Launches, blocks: pl.DataFrame, process_id: int) -> StepSeries:
    blocks = _with_calls(blocks, every.rows)
    length = int(blocks.filter("is_common")["launches"][0])
    marks = blocks.select(
        cpu_start_ns="start_ns",
        cpu_end_ns=pl.col("start_ns").shift(-1).fill_null(pl.col("end_ns")),
        is_complete=pl.lit(True) if blocks["is_common"][-1] else pl.int_range(pl.len()) < pl.len() - 1,
        first_launch="begin",
        end_launch=pl.col("begin") + pl.col("launches"),
        is_equal="is_common",
        is_alike=((pl.col("launches") - length).abs() <= ALIKE * length) | every.has_more(blocks),
    )
    covered = int(blocks.filter("is_common")["launches"].sum()) / every.rows.height
    thread_id, note = int(blocks["thread_id"][0]), _inner(blocks) or _nested(every, blocks)
    name = f"{length} launches"
    return StepSeries("launches", name, process_id, thread_id, marks.cast(MARKS), covered, note, step_range=name)


def _nested(every: Launches, blocks: pl.DataFrame) -> str | None:
    """Return a note if the blocks have parts that can be steps, or other work comes after every few of them."""
    starts = every.rows["start_ns"]
    block = blocks.filter("is_common").row(0, named=True)
    begin, length = int(block["begin"]), int(block["launches"])
    inside = _best(every, begin, begin + length, COVERED * length)
    if inside is not None and can_be_step(every.rows["symbol"].slice(*inside.common())):
        return parts_note(inside.blocks.with_columns(starts.gather(inside.blocks["begin"])))
    return other_work_note(blocks.with_columns(starts.gather(blocks["begin"])))


def _with_calls(blocks: pl.DataFrame, rows: pl.DataFrame) -> pl.DataFrame:
    """Add start_ns and end_ns of their calls, and thread_id of the first, to the blocks."""
    first, end = int(blocks["begin"][0]), int(blocks["begin"][-1] + blocks["launches"][-1])
    own = rows.slice(first, end - first)
    block = blocks["begin"].search_sorted(own["at"].cast(pl.Int64), side="right").alias("block")
    calls = own.group_by(block, maintain_order=True).agg(
        pl.col("thread_id").first(), start_ns=pl.col("api_start_ns").first(), end_ns=pl.col("api_end_ns").max()
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
    """Return a note if regular pauses show a larger loop around the blocks; in the first half only they are warm-up."""
    periods = blocks["start_ns"].diff().drop_nulls()
    usual = periods.median()
    is_pause = periods > PAUSE * usual if isinstance(usual, int | float) else periods.is_null()
    pauses = periods.filter(is_pause)
    if pauses.len() < LEAST or not is_pause.tail(is_pause.len() // 2).any():
        return None
    middle = pauses.median()
    alike = pauses.is_between(middle / 2, 2 * middle).sum() if isinstance(middle, int | float) else 0
    return INNER if 2 * alike >= pauses.len() else None
