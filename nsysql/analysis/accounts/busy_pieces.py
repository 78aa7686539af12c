"""Busy time cut by what ran: of what runs at the same time on a GPU, one activity counts."""

from collections.abc import Iterator

import polars as pl

from nsysql.analysis.idle.blocks import busy
from nsysql.analysis.idle.busy_intervals import union
from nsysql.analysis.view_reader import ViewReader, schema_of

START, END = pl.col("start_ns"), pl.col("end_ns")


def first_begun(rows: pl.DataFrame) -> pl.DataFrame:
    """When each of the rows, in order of their start, is the first one of those under way.

    Columns start_ns, end_ns and at, the row's position; rows that are never the first have none.
    """
    reached = END.cum_max().shift()
    begins = pl.max_horizontal(START, reached)
    return rows.select(start_ns=begins, end_ns=END, at=pl.int_range(pl.len(), dtype=pl.UInt32)).filter(END > START)


def without(pieces: pl.DataFrame, covered: pl.DataFrame) -> pl.DataFrame:
    """What of each piece lies outside of the covered intervals; neither overlap among themselves.

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


READS = ("_gpu_activity_sorted", "_activity_launch")
PROVIDES = ("_busy_piece",)

IS_KERNEL = pl.col("kind") == "kernel"
KINDS = {  # of accounts, the first that applies; the last two are where nothing of the others runs
    "computing": IS_KERNEL & ~pl.col("is_communication"),
    "graph": pl.col("kind") == "graph",
    "communication": IS_KERNEL & pl.col("is_communication"),
    "copy": pl.col("kind") == "memcpy",
    "memset": pl.col("kind") == "memset",
}
ORDER = ("gpu_id", "start_ns", "end_ns", "process_id", "stream_id", "row_id")
READ = (*ORDER, "kind", "detail_id", "is_communication")
PIECE = schema_of("_busy_piece")


def parts(views: ViewReader) -> Iterator[dict[str, pl.DataFrame]]:
    """The frame _busy_piece, from the views in READS, as it comes."""
    for activity in busy(views, *READ):
        pieces = [_pieces(gpu_id, rows) for (gpu_id,), rows in activity.group_by("gpu_id", maintain_order=True)]
        yield {"_busy_piece": pl.concat([pl.DataFrame(schema=PIECE), *pieces])}


def _pieces(gpu_id: object, rows: pl.DataFrame) -> pl.DataFrame:
    """The busy time of one GPU, whose activities are in order of start: rows of _busy_piece, by kind."""
    covered, cut = rows.head(0).select("start_ns", "end_ns"), []
    for kind, is_kind in KINDS.items():
        own = _ties_in_order(rows.filter(is_kind))
        if own.is_empty():
            continue
        pieces = without(first_begun(own), covered)
        running = union(own.select("start_ns", "end_ns"))
        covered = running if covered.is_empty() else union(pl.concat([covered, running]).sort("start_ns"))
        at = pieces["at"]
        named = own.select(pl.col("detail_id", "row_id").cast(pl.Int64).gather(at))
        labels = (pl.lit(gpu_id, pl.Int64).alias("gpu_id"), pl.lit(kind).cast(PIECE["kind"]).alias("kind"))
        cut.append(pieces.with_columns(*labels, is_first=at.is_first_distinct()).hstack(named).select(PIECE.names()))
    return pl.concat([pl.DataFrame(schema=PIECE), *cut])


def _ties_in_order(rows: pl.DataFrame) -> pl.DataFrame:
    """Of activities that start together the one that ends last goes first, then by process, stream and row."""
    alike = (pl.col("start_ns") == pl.col("start_ns").shift()).fill_null(False)
    tied = rows.select((alike | alike.shift(-1, fill_value=False)).arg_true()).to_series()
    if tied.is_empty():
        return rows
    down = [name == "end_ns" for name in ORDER]
    order = rows[tied].select(pl.arg_sort_by(ORDER, descending=down, nulls_last=True)).to_series()
    at = pl.int_range(rows.height, dtype=pl.UInt32, eager=True)
    return rows[at.scatter(tied, tied.gather(order))]
