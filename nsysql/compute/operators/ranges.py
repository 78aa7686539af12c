"""The NVTX ranges of all threads with their names as operators: read once, in few bytes a range."""

import polars as pl

from nsysql.compute.idle.nvtx_paths import NO_TEXT
from nsysql.compute.operators.modules import module_name
from nsysql.compute.operators.texts import operator_name, without_last_counter
from nsysql.compute.view_reader import ViewReader

READS = ("_nvtx_own_range", "_nvtx_end_time", "string")
PROVIDES = ("_operator_range", "_operator_name", "_operator_sequence")

RANGES = "_nvtx_own_range"
NEVER = 2**63 - 1  # the end of a range that was never closed
ORDER = ["start_ns", "end_ns", "row_id"]
RANGE = ["thread_id", "start_ns", "end_ns", "text_id"]
SEQ = ", seq = "
SEQUENCE = pl.Schema(
    {
        "thread_id": pl.Int64(),
        "place": pl.Int64(),
        "start_ns": pl.Int64(),
        "end_ns": pl.Int64(),
        "sequence": pl.Int64(),
        "is_backward": pl.Boolean(),
    }
)
SEQUENCE_OF_TEXT = {
    "sequence": pl.col("text").str.extract(r", seq = (\d{1,18})(?:,|$)").cast(pl.Int64),
    "is_backward": pl.col("text").str.contains(r"^(?:autograd::engine::evaluate_function: |[^,]*Backwards?\d*,)"),
}


class Names:
    """Names as numbers, in the order in which they come."""

    def __init__(self, registered: pl.DataFrame) -> None:
        self._numbers: dict[str | None, int] = {}
        self._registered = registered.select("id", number=self.number(registered["name"]))

    def number(self, names: pl.Series) -> pl.Series:
        """The numbers of names."""
        found = names.unique(maintain_order=True)
        numbers = [self._numbers.setdefault(name, len(self._numbers)) for name in found.to_list()]
        return names.replace_strict(found, pl.Series(numbers, dtype=pl.UInt32), return_dtype=pl.UInt32)

    def of_ranges(self, ranges: pl.DataFrame) -> pl.Series:
        """The numbers of the names of ranges: of the registered text, else of their own, else of none."""
        cut = ranges.select(text=without_last_counter(pl.col("plain_text")))
        texts = cut["text"].drop_nulls().unique()  # few, so that names are made of these
        own = self.number(texts.to_frame("text").select(operator_name(pl.col("text"))).to_series())
        named = cut.join(pl.DataFrame({"text": texts, "own": own}), on="text", how="left", maintain_order="left")
        none = self.number(pl.Series([NO_TEXT]))[0]
        return (
            ranges.select("text_id")
            .hstack([named["own"]])
            .select(pl.coalesce(self._of_registered(), "own", pl.lit(none)).cast(pl.UInt32))
            .to_series()
        )

    def _of_registered(self) -> pl.Expr:
        known, numbers = self._registered["id"], self._registered["number"]
        return pl.col("text_id").replace_strict(known, numbers, default=None, return_dtype=pl.UInt32)

    def frame(self) -> pl.DataFrame:
        """text_id, name and module of each."""
        names = pl.DataFrame(
            {"text_id": range(len(self._numbers)), "name": list(self._numbers)},
            schema={"text_id": pl.Int64, "name": pl.String},
        )
        return names.with_columns(module=module_name(pl.col("name")))


class Sequences:
    """The sequence numbers of ranges, by row_id."""

    def __init__(self, registered: pl.DataFrame) -> None:
        self._registered = registered.select("id", **SEQUENCE_OF_TEXT).drop_nulls("sequence")
        self._found = [pl.DataFrame(schema={"row_id": pl.Int64, "sequence": pl.Int64, "is_backward": pl.Boolean})]

    def take(self, ranges: pl.DataFrame) -> None:
        """Keep those of more ranges."""
        row = pl.col("row_id").cast(pl.Int64)
        plain = ranges.select(row, text="plain_text").filter(pl.col("text").str.contains(SEQ, literal=True))
        self._found.append(plain.select("row_id", **SEQUENCE_OF_TEXT).drop_nulls())
        if self._registered.height:
            known = ranges.select(row, "text_id").drop_nulls().join(self._registered, left_on="text_id", right_on="id")
            self._found.append(known.select("row_id", "sequence", "is_backward"))

    def of_thread(self, ranges: pl.DataFrame) -> pl.DataFrame:
        """The rows of _operator_sequence of a thread's ranges, which are in order."""
        if len(self._found) > 1:
            self._found = [pl.concat(self._found).unique("row_id")]
        if self._found[0].is_empty():
            return pl.DataFrame(schema=SEQUENCE)
        placed = ranges.with_row_index("place").join(self._found[0], on="row_id")
        return placed.select(SEQUENCE.names()).cast(SEQUENCE)


def compute(views: ViewReader) -> dict[str, pl.DataFrame]:
    """The frames of the views in PROVIDES, from those in READS."""
    registered = views("string").select("id", "text", name=operator_name(pl.col("text")))
    names, sequences = Names(registered), Sequences(registered)

    def narrow(some: pl.DataFrame) -> pl.DataFrame:
        sequences.take(some)
        kept = some.select("thread_id", "start_ns", "end_ns", pl.col("row_id").cast(pl.Int64))
        return kept.with_columns(text_id=names.of_ranges(some))

    ranges = _closed(views(RANGES, narrow=narrow, stream=True), views)
    threads = ranges.partition_by("thread_id", maintain_order=True) if ranges.height else [ranges]
    del ranges
    ordered, numbered = [], [pl.DataFrame(schema=SEQUENCE)]
    while threads:
        own = _in_order(threads.pop(0))
        numbered.append(sequences.of_thread(own))
        ordered.append(own.select(RANGE))
    return {
        "_operator_range": pl.concat(ordered),
        "_operator_name": names.frame(),
        "_operator_sequence": pl.concat(numbered),
    }


def _closed(ranges: pl.DataFrame, views: ViewReader) -> pl.DataFrame:
    """The ranges; those never closed end at the last timestamp of any range, none ends before its start."""
    if ranges.select((pl.col("end_ns") == NEVER).any()).item():
        last = views("_nvtx_end_time")["range_ns"].to_list()
        ends = pl.col("end_ns").clip(upper_bound=last[0]) if last else pl.col("end_ns")
        ranges = ranges.with_columns(end_ns=ends)
    return ranges.with_columns(end_ns=pl.max_horizontal("start_ns", "end_ns"))


def _in_order(ranges: pl.DataFrame) -> pl.DataFrame:
    """A thread's ranges in order of start, those around others first; most come so."""
    start, end, row = (pl.col(name) for name in ORDER)
    inside = (end < end.shift()) | ((end == end.shift()) & (row > row.shift()))
    if ranges.select(((start > start.shift()) | ((start == start.shift()) & inside)).all()).item():
        return ranges
    return ranges.sort(ORDER, descending=[False, True, False])
