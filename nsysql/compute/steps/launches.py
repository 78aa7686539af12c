"""The launches of each process in call order, and the GPU work of each.

Launched work is identified by a number, its symbol: equal for the same kernel, for copies of the same direction between
the same kinds of memory, for memsets, and for the same executable graph.
"""

import polars as pl

from nsysql.compute.idle.activity import shrink_ints
from nsysql.compute.view_reader import ViewReader

VIEW = "_activity_launch"
COLUMNS = ("process_id", "thread_id", "call_id", "api_start_ns", "api_end_ns", "gpu_id", "start_ns", "end_ns")
ORDER = ("process_id", "api_start_ns", "call_id", "symbol")
KINDS = {"kernel": 0, "memcpy": 1, "memset": 2, "graph": 3}  # the last two bits of a symbol
MEMORY = 65536  # number of values of memory_id in _copy_memory


def launched_work(views: ViewReader) -> dict[int, pl.DataFrame]:
    """The GPU work with a recorded call, by process, in order of call; the frames share their memory."""
    work = _with_symbols(views(VIEW, narrow=_launched, stream=True), views).sort(ORDER)
    own = work.select(pl.col("process_id").rle()).unnest("process_id")
    ends = own["len"].cum_sum().to_list()
    return {
        int(process_id): work.slice(end - length, length).drop("process_id")
        for process_id, length, end in zip(own["value"].to_list(), own["len"].to_list(), ends, strict=True)
    }


def launches(work: pl.DataFrame) -> pl.DataFrame:
    """The launches of a process, one row each; a launch with several pieces of work has the least of their symbols."""
    is_first = (pl.col("call_id") != pl.col("call_id").shift()).fill_null(True)
    return work.filter(is_first).select("thread_id", "api_start_ns", "api_end_ns", "symbol", "is_run")


def _launched(some: pl.DataFrame) -> pl.DataFrame:
    """Launched work with its kind as a number, and row_id for copies and graphs, whose symbol needs more columns."""
    kind = pl.col("kind").cast(pl.String).replace_strict(KINDS, return_dtype=pl.Int8)
    has_more = pl.col("kind").is_in(["memcpy", "graph"])
    return shrink_ints(
        some.lazy()
        .filter(pl.col("call_id").is_not_null())
        .select(*COLUMNS, kind=kind, detail_id=pl.col("detail_id"), row_id=pl.when(has_more).then("row_id"))
        .collect()
    )


def _with_symbols(work: pl.DataFrame, views: ViewReader) -> pl.DataFrame:
    """The work with symbol and is_run."""
    detail = pl.col("detail_id").cast(pl.Int64).fill_null(-1)
    found = {kind: detail * 4 + number for kind, number in KINDS.items()}
    found["memset"] = pl.lit(KINDS["memset"], pl.Int64)
    kinds = set(work["kind"].unique().to_list())
    if KINDS["memcpy"] in kinds:
        memory = _looked_up(work, "memcpy", views("_copy_memory"), "memory_id")
        found["memcpy"] = (detail * MEMORY + memory) * 4 + KINDS["memcpy"]
    if KINDS["graph"] in kinds:
        graph = _looked_up(work, "graph", views("graph_trace"), "graph_exec_id")
        found["graph"] = pl.coalesce(graph, detail) * 4 + KINDS["graph"]
    symbol = pl.lit(None, pl.Int64)
    for kind, number in KINDS.items():
        symbol = pl.when(pl.col("kind") == number).then(found[kind]).otherwise(symbol)
    is_run = pl.col("kind").is_in([KINDS["kernel"], KINDS["graph"]])
    return work.select(*COLUMNS, symbol=symbol, is_run=is_run)


def _looked_up(work: pl.DataFrame, kind: str, more: pl.DataFrame, name: str) -> pl.Series:
    """A column of `more`, by row_id, for the rows of one kind; NULL for the others."""
    own = (work["kind"] == KINDS[kind]).arg_true()
    row_ids = work["row_id"].gather(own).cast(pl.Int64).to_frame()
    of_own = row_ids.join(more.select("row_id", name).cast(pl.Int64), on="row_id", how="left", maintain_order="left")
    return pl.repeat(None, work.height, dtype=pl.Int64, eager=True).scatter(own, of_own[name])
