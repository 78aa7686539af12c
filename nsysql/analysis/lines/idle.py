"""Idle time split by the source line at which the thread responsible was."""

import polars as pl

from nsysql.analysis.intervals import overlaps, winners
from nsysql.analysis.view_reader import ViewReader, schema_of

READS = ("_idle_piece", "_call_place", "_thread_place")
PROVIDES = ("_idle_piece_place",)

PIECE = ("gap_id", "thread_id", "start_ns", "end_ns", "evidence_table", "evidence_row_id")
OWN = "call stack"
PYTHON = "Python sample"
PART = schema_of("_idle_piece_place")


def compute(views: ViewReader) -> dict[str, pl.DataFrame]:
    """The frame _idle_piece_place, from the views in READS."""
    calls, timeline = views("_call_place"), views("_thread_place")
    threads = timeline["thread_id"].unique().implode()
    tables = calls["source"].unique().implode()

    def narrow(some: pl.DataFrame) -> pl.DataFrame:
        of_call = pl.col("evidence_table").cast(pl.String).is_in(tables)
        return some.select(*PIECE).filter(pl.col("thread_id").is_in(threads) | of_call)

    pieces = views("_idle_piece", narrow=narrow, stream=True)
    pieces = pieces.with_columns(source=pl.col("evidence_table").cast(pl.String), row_id="evidence_row_id").cast(
        {"row_id": pl.Int64, "thread_id": pl.Int64}
    )
    pieces = pieces.join(
        calls.rename({"place_number": "own_number"}), on=["source", "row_id"], how="left", maintain_order="left"
    ).with_row_index("interval")
    return {"_idle_piece_place": _parts(pieces, timeline).filter(pl.col("end_ns") > pl.col("start_ns"))}


def _parts(pieces: pl.DataFrame, timeline: pl.DataFrame) -> pl.DataFrame:
    """The parts of pieces with a known source line.

    It comes from the call's own stack, unless that shows only Python's interpreter; else from the thread's timeline."""
    pairs = overlaps(
        pieces.select("interval", "start_ns", "end_ns", key="thread_id").select(
            "interval", "key", "start_ns", "end_ns"
        ),
        timeline.select("start_ns", "end_ns", key="thread_id").with_row_index("row"),
    )
    claims = pairs.select("interval", "row").hstack(timeline.select("start_ns", "end_ns")[pairs["row"]])
    cut = winners(pieces.select("interval", "start_ns", "end_ns"), claims, [("start_ns", False), ("row", False)])
    evidence = claims.select(
        thread_number=timeline["place_number"].gather(claims["row"]), thread_how=timeline["how"].gather(claims["row"])
    ).with_row_index("claim")
    rows = cut.join(evidence, on="claim", how="left").join(
        pieces.select("interval", "gap_id", "own_number", "is_python", piece_ns="start_ns"), on="interval"
    )
    is_own = pl.col("own_number").is_not_null() & ~(
        pl.col("is_python") & pl.col("thread_how").fill_null("").str.starts_with(PYTHON)
    )
    parts = rows.with_columns(
        place_number=pl.when(is_own).then("own_number").otherwise("thread_number"),
        how=pl.when(is_own).then(pl.lit(OWN)).otherwise("thread_how"),
    )
    return parts.drop_nulls("place_number").select(*PART).cast(PART).sort("gap_id", "start_ns")
