"""Read the NVTX ranges that could mark steps: first aggregated by name with their launches, then those of some names.

They are read batch by batch. If they are few, as in most captures, the rows are kept in memory for the second request;
else they are read again.
"""

import polars as pl

from nsysql.analysis.global_ids import process_of
from nsysql.analysis.nvtx.folded_ranges import COUNTERS, LAYERS, OPERATOR, folded
from nsysql.analysis.view_reader import ViewReader

VIEW = "_step_mark_candidate"
MOST_KEPT = 500_000  # ranges to keep in memory, 40 bytes and a text each
KEY = ["thread_id", "domain_id", "text"]
NO_OPERATOR = ~pl.col("plain_text").str.contains(OPERATOR).fill_null(False)
Starts = dict[int, pl.Series]  # by process: the start times of its launch calls, sorted


class MarkRanges:
    """The ranges of one export that could mark steps."""

    def __init__(self, views: ViewReader, most: int = MOST_KEPT) -> None:
        self._views, self._most = views, most
        self._names = views("string").select("id", "text")
        self._rows: list[pl.DataFrame] | None = []  # None if there are too many
        self._layers: list[pl.DataFrame] = []

    def candidates(self, starts: Starts) -> pl.DataFrame:
        """Return one row per thread, domain and folded text of closed ranges, with sums.

        Columns thread_id, domain_id, text, process_id, ranges, texts (how many differ in numbers), inside (launches of
        the process called in them), dur_ns (summed), start_ns (of the first) and end_ns (of the last).
        """
        counted = self._views(VIEW, narrow=lambda some: self._counted(some, starts), stream=True)
        by_id = counted.filter(pl.col("text_id").is_not_null()).drop("text")
        named = by_id.join(self._names.rename({"id": "text_id"}), on="text_id")
        named = named.filter(~pl.col("text").str.contains(OPERATOR))
        rest = counted.filter(pl.col("text_id").is_null())
        both = [named.with_columns(folded(pl.col("text"))).select(rest.columns), rest]
        sums = pl.concat(both, how="vertical_relaxed").group_by(KEY).agg(
            *(pl.col("ranges", "inside", "dur_ns").sum(), pl.col("start_ns").min(), pl.col("end_ns").max()),
            texts=pl.col("text_id").drop_nulls().n_unique() + pl.col("plain_texts").sum(),
        )  # fmt: skip
        sums = sums.with_columns(process_id=process_of(pl.col("thread_id")))
        return sums.sort("thread_id", "start_ns", "text", "domain_id")

    def layers(self) -> pl.DataFrame:
        """Return the ranges of candidates(), and operators, that number layers: one row per process and folded text.

        Columns process_id, text, ranges (their count), layers (different texts), dur_ns (summed).
        """
        rows = pl.concat(self._layers).join(self._names.select("text", text_id="id"), on="text_id", how="left")
        named = rows.with_columns(text=pl.coalesce("text", "plain_text").str.replace_all(COUNTERS, ""))
        named = named.with_columns(folded=folded(pl.col("text")))
        numbered = named.filter(pl.col("folded").str.contains(LAYERS.pattern)).group_by("process_id", text="folded")
        return numbered.agg(pl.col("ranges", "dur_ns").sum(), layers=pl.col("text").n_unique())

    def of(self, chosen: pl.DataFrame) -> pl.DataFrame:
        """Return the ranges of chosen candidates, in order of start: number (the candidate's row), start_ns, end_ns."""
        keys = chosen.select(*KEY).with_row_index("number")
        ids = self._names.select(text_id="id", text=folded(pl.col("text"))).join(keys, on="text").drop("text")
        on = ["thread_id", "domain_id"]

        def narrow(some: pl.DataFrame) -> pl.DataFrame:
            own = some.filter(NO_OPERATOR, pl.col("thread_id").is_in(keys["thread_id"].implode()))
            by_id = own.join(ids, on=[*on, "text_id"], nulls_equal=True)
            plain = own.filter(pl.col("text_id").is_null()).with_columns(text=folded(pl.col("plain_text")))
            by_text = plain.join(keys, on=[*on, "text"], nulls_equal=True)
            return pl.concat([rows.select("number", "start_ns", "end_ns") for rows in (by_id, by_text)])

        if self._rows:
            ranges = narrow(pl.concat(self._rows, how="vertical_relaxed"))
        else:
            ranges = self._views(VIEW, narrow=narrow, stream=True)
        return ranges.sort("start_ns", "end_ns", "number")

    def _counted(self, some: pl.DataFrame, starts: Starts) -> pl.DataFrame:
        """Aggregate a batch of ranges by thread, domain and text."""
        some = some.with_columns(process_id=process_of(pl.col("thread_id")))
        could_be = some.filter(pl.col("text_id").is_not_null() | pl.col("plain_text").str.contains("(?i)block|layer"))
        length = pl.col("end_ns") - pl.col("start_ns")
        of_text = could_be.group_by("process_id", "text_id", "plain_text")
        self._layers.append(of_text.agg(ranges=pl.len().cast(pl.Int64), dur_ns=length.sum()))
        some = some.filter(NO_OPERATOR)
        if self._rows is not None:
            few = some.height + sum(rows.height for rows in self._rows) <= self._most
            self._rows = [*self._rows, some] if few else None
        rows = some.with_columns(text=folded(pl.col("plain_text")), inside=pl.lit(0, pl.Int64))
        for process_id, times in starts.items():
            first, end = (times.search_sorted(rows[at], side="left").cast(pl.Int64) for at in ("start_ns", "end_ns"))
            own = pl.col("process_id") == process_id
            rows = rows.with_columns(inside=pl.when(own).then(end - first).otherwise("inside"))
        return rows.group_by("thread_id", "domain_id", "text_id", "text").agg(
            pl.len().cast(pl.Int64).alias("ranges"),
            pl.col("inside").sum(),
            length.sum().alias("dur_ns"),
            pl.col("start_ns").min(),
            pl.col("end_ns").max(),
            plain_texts=pl.col("plain_text").drop_nulls().n_unique(),
        )
