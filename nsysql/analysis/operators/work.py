"""GPU work with the call that launched it, and with the Python stack of the thread then."""

import polars as pl

from nsysql.analysis.idle.activity import shrink_ints
from nsysql.analysis.lines.python_cut import stacks_at
from nsysql.analysis.view_reader import ViewReader

WORK = "_operator_work"
KIND = pl.Enum(["kernel", "memcpy", "memset", "graph"])
PIECE = (
    pl.col("row_id").cast(pl.Int64) * len(KIND.categories) + pl.col("kind").to_physical()
)  # a number of each piece of work
FIRST_ON_GPU = ["call_id", "gpu_id", "start_ns", "stream_id", "kind", "row_id"]  # of a call's work
NULLS_LAST = [False, False, False, True, False, False]


def launched_work(views: ViewReader) -> pl.DataFrame:
    """The GPU work with its calls; is_launch in the first row of each call on the GPU."""
    work = shrink_ints(views(WORK).cast({"kind": KIND}))
    if work.select(PIECE.is_duplicated().any()).item():  # several calls share a correlation id
        first = work.with_columns(piece=PIECE).sort("call_id")
        work = first.unique("piece", keep="first", maintain_order=True).drop("piece")
    work = work.with_columns(is_launch=_is_first(work)).drop("call_id", "stream_id", "row_id")
    return work.with_columns(stacks_at(work, "api_start_ns", views("_python_stretch")))


def _is_first(work: pl.DataFrame) -> pl.Series:
    """Whether each piece of work is the first of its call."""
    is_alone, is_launched = work["call_id"].is_unique(), work["call_id"].is_not_null()
    several = work.with_row_index("place").filter(~is_alone & is_launched)
    first = several.sort(FIRST_ON_GPU, nulls_last=NULLS_LAST).unique("call_id", keep="first")["place"]
    return (is_alone & is_launched) | pl.int_range(work.height, dtype=pl.UInt32, eager=True).is_in(first.implode())
