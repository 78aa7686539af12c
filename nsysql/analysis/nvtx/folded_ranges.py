"""The NVTX ranges of all threads with numbers in their texts as #: read once, in few bytes a range."""

import polars as pl

from nsysql.analysis.idle.activity import shrink_ints
from nsysql.analysis.nvtx.paths import NO_TEXT, by_thread
from nsysql.analysis.steps.texts import folded
from nsysql.analysis.view_reader import ViewReader

READS = ("_nvtx_own_range", "string")
PROVIDES = ("_folded_range", "_folded_name")

RANGE = ["thread_id", "start_ns", "end_ns", "text_id"]


def compute(views: ViewReader) -> dict[str, pl.DataFrame]:
    """The frames of the views in PROVIDES, from those in READS."""
    registered = views("string").select(text_id="id", registered=folded(pl.col("text")).cast(pl.Categorical))
    name = pl.coalesce("registered", folded(pl.col("plain_text")).cast(pl.Categorical), pl.lit(NO_TEXT, pl.Categorical))
    names = [pl.DataFrame(schema={"name": pl.Categorical})]

    def narrow(some: pl.DataFrame) -> pl.DataFrame:
        named = some.join(registered, on="text_id", how="left", maintain_order="left").with_columns(name=name)
        names.append(named.select(pl.col("name").unique()))
        return shrink_ints(
            named.select("thread_id", "start_ns", "end_ns", "row_id", text_id=pl.col("name").to_physical())
        )

    ranges = by_thread(views("_nvtx_own_range", narrow=narrow, stream=True), RANGE)
    known = pl.concat(names).unique()
    return {
        "_folded_range": ranges,
        "_folded_name": known.select(
            text_id=pl.col("name").to_physical().cast(pl.Int64), name=pl.col("name").cast(pl.String)
        ),
    }


def names_of(views: ViewReader) -> pl.Expr:
    """The name of a range by its text_id."""
    names = views("_folded_name")
    return pl.col("text_id").replace_strict(names["text_id"], names["name"], return_dtype=pl.String)
