"""The backward work of PyTorch's operators: what a forward operator's sequence number is carried by.

emit_nvtx writes `seq = N` after the name of each operator on the forward thread, and after that of the function that
autograd runs for it, on autograd's thread. Of the operators with one number the last to begin made the function: those
around it have its number too. (PyTorch's own profiler joins them so.)
"""

import polars as pl

from nsysql.analysis.global_ids import of_threads, process_of
from nsysql.analysis.view_reader import ViewReader
from nsysql.analysis.window import Window

RANGES = "_operator_range"
NUMBERED = ["thread_id", "place", "start_ns", "end_ns", "sequence", "is_backward"]
OF = ["process_id", "sequence"]


def backward_work(views: ViewReader, work: pl.DataFrame) -> pl.DataFrame | None:
    """The backward work of operators, by the thread and the place of the operator's range among those of its thread.

    One row for each outermost backward range: thread_id, place, backward_cpu, backward_gpu; NULL where no operator has
    its number, or several threads have. None where the export has no such ranges.
    """
    known = _numbered(views(RANGES))
    known = known.with_columns(process_id=process_of(pl.col("thread_id")))
    backward = _outermost(known.filter("is_backward"))
    if backward.is_empty():
        return None
    forward = _outside(known.filter(~pl.col("is_backward")), backward)
    one_thread = forward.group_by(OF).agg(is_one=pl.col("thread_id").n_unique() == 1).filter("is_one").select(OF)
    forward = forward.join(one_thread, on=OF, how="semi").sort("start_ns", "place")
    made = forward.select(*OF, "start_ns", "thread_id", "place")
    found = (
        _with_work(backward, work, views.window)
        .drop("thread_id", "place")
        .sort("start_ns")
        .join_asof(made, on="start_ns", by=OF, check_sortedness=False)
    )
    return found.select("thread_id", "place", "backward_cpu", "backward_gpu")


def _numbered(ranges: pl.DataFrame) -> pl.DataFrame:
    """The ranges with a sequence number, by thread and in order; `place` is which of its thread's ranges one is."""
    is_numbered = pl.col("sequence").is_not_null()
    found = [own.with_row_index("place").filter(is_numbered) for own in of_threads(ranges).values()]
    return pl.concat([ranges.clear().with_row_index("place"), *found]).select(NUMBERED).cast({"place": pl.Int64})


def _outermost(ranges: pl.DataFrame) -> pl.DataFrame:
    """The ranges, by thread and in order, that begin in no other of them."""
    reached = pl.col("end_ns").cum_max().shift().over("thread_id")
    return ranges.filter(reached.is_null() | (pl.col("start_ns") >= reached))


def _outside(forward: pl.DataFrame, backward: pl.DataFrame) -> pl.DataFrame:
    """The ranges that begin in no backward range of their thread: what these run has numbers of other operators."""
    before = backward.select("thread_id", "start_ns", until="end_ns").sort("start_ns")
    placed = forward.sort("start_ns").join_asof(before, on="start_ns", by="thread_id", check_sortedness=False)
    return placed.filter(pl.col("until").is_null() | (pl.col("start_ns") >= pl.col("until"))).drop("until")


def _with_work(backward: pl.DataFrame, work: pl.DataFrame, window: Window) -> pl.DataFrame:
    """The backward ranges with their CPU time in the window, and the GPU time of what calls in them launched."""
    backward = backward.with_row_index("which")
    begun = backward.select("thread_id", "which", "end_ns", "start_ns").sort("start_ns")
    dur = pl.col("end_ns") - pl.col("start_ns")
    called = (
        window.shortened(work)
        .drop_nulls(["thread_id", "api_start_ns"])
        .select("thread_id", start_ns="api_start_ns", gpu=dur)
        .sort("start_ns")
    )
    inside = called.join_asof(begun, on="start_ns", by="thread_id", check_sortedness=False)
    sums = inside.filter(pl.col("start_ns") < pl.col("end_ns")).group_by("which").agg(backward_gpu=pl.col("gpu").sum())
    found = backward.join(sums, on="which", how="left", maintain_order="left")
    start_ns, end_ns = (window.squeezed(found[name].cast(pl.Int64)) for name in ("start_ns", "end_ns"))
    found = found.with_columns(pl.col("backward_gpu").fill_null(0), backward_cpu=end_ns - start_ns)
    return found.filter(window.has(found) | (found["backward_gpu"] > 0))
