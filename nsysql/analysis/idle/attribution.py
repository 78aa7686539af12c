"""Cut parts of gaps by the rows that claim them; unclaimed time gets the part's default cause, its rest.

Causes and tables of evidence are Enums, a byte each: there are millions of pieces.
"""

from collections.abc import Callable

import polars as pl

from nsysql.analysis.intervals import END, START, overlaps, winners
from nsysql.catalog.query_file import causes

RUNTIME = "CUPTI_ACTIVITY_KIND_RUNTIME"
SYNCHRONIZATION = "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION"
STREAMS = "TARGET_INFO_CUDA_STREAM"
SOURCE = pl.Enum([
    RUNTIME, SYNCHRONIZATION, STREAMS, "CUPTI_ACTIVITY_KIND_OVERHEAD", "OSRT_API", "PROFILER_OVERHEAD", "SCHED_EVENTS",
    "NVTX_EVENTS", "MPI_P2P_EVENTS", "MPI_START_WAIT_EVENTS", "MPI_COLLECTIVES_EVENTS", "MPI_OTHER_EVENTS",
    "CUPTI_ACTIVITY_KIND_MEMCPY",
])  # fmt: skip
FIRST, *OTHERS = (cause for cause, *_ in causes())  # of gaps with equal times the earlier cause is the main one
CAUSE = pl.Enum([FIRST, "sync", *OTHERS])  # attribution splits sync into sync_return and sync_wait
PIECE: dict[str, pl.DataType | type[pl.DataType]] = {
    "gap_id": pl.UInt32,
    "cause": CAUSE,
    "start_ns": pl.Int64,
    "end_ns": pl.Int64,
    "source": SOURCE,
    "row_id": pl.Int64,
    "name_id": pl.Int64,
    "is_cut": pl.Boolean,  # from a part that a claim touched
}
ORDER = [("rank", False), ("start_ns", True), ("end_ns", False), ("source", False), ("row_id", False)]
EVIDENCE = ("cause", "source", "row_id", "name_id")
REST = ("rest", "rest_source", "rest_row_id", "rest_name_id")


def attribute(
    parts: pl.DataFrame,
    claims: pl.DataFrame,
    judge: Callable[[pl.DataFrame], pl.DataFrame] | None = None,
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Cut parts of gaps by the claims that win them; unclaimed time gets the part's rest.

    `parts` has gap_id, key, start_ns, end_ns and the columns of REST, at most one part a gap; `claims` has key,
    start_ns, end_ns, rank, cause, source, row_id and name_id. Returns the pieces of parts that no claim touched, one
    each, and the pieces of those that were cut. `judge` can change the causes of claims, each with its part's gap_id as
    interval, if these depend on the part.
    """
    parts = parts.filter(END > START).select("gap_id", "key", "start_ns", "end_ns", *REST)
    times = ("key", "start_ns", "end_ns")
    rows = claims.select(times).with_row_index("row")
    pairs = overlaps(parts.select(pl.col("gap_id").alias("interval"), *times), rows)
    if pairs.is_empty():
        return _uncut(parts), pl.DataFrame(schema=PIECE)
    claimed = pairs.select("interval").hstack(claims.drop("key")[pairs["row"]])
    claimed = claimed.cast({"row_id": pl.Int64, "name_id": pl.Int64})
    claimed = claimed if judge is None else judge(claimed)
    is_cut = pl.col("gap_id").is_in(pairs["interval"].unique().implode())
    cut = parts.filter(is_cut)
    won = winners(cut.select("start_ns", "end_ns", interval="gap_id"), claimed, ORDER).rename({"interval": "gap_id"})
    evidence = claimed.select("cause", "source", "row_id", "name_id").with_row_index("claim")
    pieces = won.join(evidence, on="claim", how="left", maintain_order="left")
    pieces = pieces.join(cut.select("gap_id", *REST), on="gap_id", maintain_order="left")
    free = pl.col("claim").is_null()
    pieces = pieces.with_columns(
        (pl.when(free).then(rest).otherwise(own).alias(own) for own, rest in zip(EVIDENCE, REST, strict=True)),
        is_cut=pl.lit(True),
    )
    return _uncut(parts.filter(~is_cut)), pieces.select(list(PIECE))


def _uncut(parts: pl.DataFrame) -> pl.DataFrame:
    names = dict(zip(REST, EVIDENCE, strict=True))
    return parts.rename(names).with_columns(is_cut=pl.lit(False)).select(list(PIECE))


def rest_as(
    cause: pl.Expr,
    source: pl.Expr | None = None,
    row: pl.Series | pl.Expr | None = None,
    name: pl.Series | pl.Expr | None = None,
) -> dict[str, pl.Expr]:
    """Return the columns with the cause of a part's unclaimed intervals, and its evidence."""
    rest = (value if isinstance(value, pl.Expr) else pl.lit(value) for value in (cause, source, row, name))
    return {column: of.cast(PIECE[own]) for column, own, of in zip(REST, EVIDENCE, rest, strict=True)}


def only(rows: pl.DataFrame, ranks: dict[str, int]) -> pl.DataFrame:
    """Keep the rows of those causes, with new ranks."""
    rank = pl.col("cause").cast(pl.String).replace_strict(ranks, return_dtype=pl.UInt8)
    return rows.filter(is_cause(*ranks)).with_columns(rank=rank)


def is_cause(*causes: str) -> pl.Expr:
    return pl.any_horizontal(pl.col("cause") == cause for cause in causes)


def as_cause(name: str) -> pl.Expr:
    return pl.lit(name).cast(CAUSE)
