"""List the launches of each process in call order with their GPU work, and when each step ran on each GPU.

Launched work is identified by a number, its symbol: equal for the same kernel, for copies of the same direction between
the same kinds of memory, for memsets, and for the same executable graph.
"""

from collections.abc import Iterable

import polars as pl

from nsysql.analysis.idle.activity import shrink_ints
from nsysql.analysis.intervals import LENGTH, covered_until, runs_of, union, with_ties_in_order
from nsysql.analysis.view_reader import ViewReader, schema_of

VIEW = "_activity_launch"
COLUMNS = ("process_id", "thread_id", "call_id", "api_start_ns", "api_end_ns", "gpu_id", "start_ns", "end_ns")
KEY = ["process_id", "api_start_ns"]
TIES = ("correlation_id", "call_id", "symbol")
CALLS = "_api_call_ids"
KINDS = {"kernel": 0, "memcpy": 1, "memset": 2, "graph": 3}  # the last two bits of a symbol
HOST_COPIES = (1, 2)  # copyKind: to the device, to the host
MEMORY = 65536  # number of values of memory_id in _copy_memory


def launched_work(views: ViewReader) -> dict[int, pl.DataFrame]:
    """Return the GPU work with a recorded call by process, in order of process ids, in order of call.

    `launch` numbers the calls of a process. Calls that begin at the same time are in order of their correlation ids.
    """
    work = _with_symbols(views(VIEW, *COLUMNS, "kind", "detail_id", "row_id", narrow=_launched, stream=True), views)
    work = work.with_columns(correlation_id=_tied(work, views)).sort(*KEY, maintain_order=True)
    in_order = with_ties_in_order(work, KEY, TIES).drop("correlation_id")
    launch = (pl.col("call_id") != pl.col("call_id").shift()).fill_null(False).cum_sum()
    return {
        process_id: own.drop("process_id").with_columns(launch=launch)
        for process_id, own in runs_of(in_order, "process_id")
    }


def _tied(work: pl.DataFrame, views: ViewReader) -> pl.Series:
    """Return the correlation id of calls that begin at the time of another one of their process; 0 for other work."""
    starts = work["api_start_ns"].sort()
    shared = starts.filter(starts == starts.shift()).unique()  # few: finding equal rows among all takes far longer
    calls = work.filter(pl.col("api_start_ns").is_in(shared.implode())).select(*KEY, "call_id").unique()
    several = calls.filter(calls.select(KEY).is_duplicated())["call_id"]
    if several.is_empty():
        return pl.repeat(0, work.height, dtype=pl.Int64, eager=True)

    def narrow(some: pl.DataFrame) -> pl.DataFrame:
        return some.filter(pl.col("row_id").is_in(several.cast(pl.Int64).implode()))

    known = views(CALLS, "row_id", "correlation_id", narrow=narrow, stream=True).select(pl.all().cast(pl.Int64))
    own = work.select(row_id=pl.col("call_id").cast(pl.Int64))
    return own.join(known, on="row_id", how="left", maintain_order="left")["correlation_id"].fill_null(0)


def launches(work: pl.DataFrame) -> pl.DataFrame:
    """Return the launches of a process, one row each; one with several pieces of work has their least symbol, negated.

    A graph is another launch than its first kernel alone.
    """
    call = pl.col("call_id")
    symbol = pl.when((call == call.shift(-1)).fill_null(False)).then(~pl.col("symbol")).otherwise("symbol")
    own = work.with_columns(symbol=symbol).filter((call != call.shift()).fill_null(True))
    return own.select("thread_id", "api_start_ns", "api_end_ns", "start_ns", "symbol", "is_run")


def is_host_copy(symbols: pl.Series) -> pl.Series:
    """Tell which launches, by symbol, copy from the host or to it."""
    own = pl.select(pl.when(symbols < 0).then(~symbols).otherwise(symbols)).to_series()  # of several pieces: negated
    return (own % 4 == KINDS["memcpy"]) & (own // 4 // MEMORY).is_in(HOST_COPIES)


def _launched(some: pl.DataFrame) -> pl.DataFrame:
    """Select launched work, its kind as a number, with row_id of copies and graphs: their symbol needs more data."""
    kind = pl.lit(None, pl.Int8)
    for name, number in KINDS.items():
        kind = pl.when(pl.col("kind") == name).then(pl.lit(number, pl.Int8)).otherwise(kind)
    has_more = pl.col("kind").is_in(["memcpy", "graph"])
    some = some.drop_nulls("call_id") if some["call_id"].null_count() else some  # no copy of the rows otherwise
    return shrink_ints(some.select(*COLUMNS, kind=kind, detail_id="detail_id", row_id=pl.when(has_more).then("row_id")))


def _with_symbols(work: pl.DataFrame, views: ViewReader) -> pl.DataFrame:
    """Add symbol and is_run to the work."""
    detail, kind = pl.col("detail_id").cast(pl.Int64).fill_null(-1), pl.col("kind")
    own = pl.when(kind == KINDS["memset"]).then(pl.lit(KINDS["memset"], pl.Int64)).otherwise(detail * 4 + kind)
    symbol = work.select(own).to_series()
    copies = work.filter(kind == KINDS["memcpy"])
    if copies.height:
        memory = _looked_up(copies, views("_copy_memory"), "memory_id")
        symbols = copies.select((detail * MEMORY + memory) * 4 + KINDS["memcpy"]).to_series()
        symbol = symbol.scatter((work["kind"] == KINDS["memcpy"]).arg_true(), symbols)
    graphs = work.filter(kind == KINDS["graph"])
    if graphs.height:
        executable = _looked_up(graphs, views("graph_trace"), "graph_exec_id")
        symbols = graphs.select(pl.coalesce(executable, detail) * 4 + KINDS["graph"]).to_series()
        symbol = symbol.scatter((work["kind"] == KINDS["graph"]).arg_true(), symbols)
    is_run = (kind == KINDS["kernel"]) | (kind == KINDS["graph"])
    return work.select(*COLUMNS, symbol=symbol, is_run=is_run)


def _looked_up(work: pl.DataFrame, more: pl.DataFrame, name: str) -> pl.Series:
    """Return a column of `more`, by row_id, for these rows."""
    rows = work.select(pl.col("row_id").cast(pl.Int64))
    of_row = more.select(pl.col("row_id", name).cast(pl.Int64))
    return rows.join(of_row, on="row_id", how="left", maintain_order="left")[name]


WITHOUT = ("series_id", "busy_ns", "wait_ns")
GPU_TIMES = pl.Schema({name: of for name, of in schema_of("_step_gpu").items() if name not in WITHOUT})


def gpu_times(work: pl.DataFrame, marks: pl.DataFrame) -> pl.DataFrame:
    """Return one row per step and GPU with work of the step: when it ran there, and the summed duration of its work.

    `work` is the GPU work of the process with its calls. A step begins on a GPU with the start of its earliest work,
    but not before the previous step, and ends where the next begins; the last ends with the last of all work. A copy
    under kernels of an earlier step counts from their end: it is a prefetch, which can be many steps ahead.
    """
    by_launch = marks["first_launch"].null_count() == 0  # on a coarse clock several launches can have the same time
    first, end, called = (
        ("first_launch", "end_launch", "launch") if by_launch else ("cpu_start_ns", "cpu_end_ns", "api_start_ns")
    )
    step = marks[first].search_sorted(work[called].cast(pl.Int64), side="right").cast(pl.Int64) - 1
    own = work.with_columns(step=step).filter((pl.col("step") >= 0) & (pl.col(called) < int(marks[end][-1])))
    times = own.group_by("gpu_id", "step").agg(pl.col("end_ns").max().cast(pl.Int64), work_ns=LENGTH.sum())
    times = times.join(_begins(own), on=["gpu_id", "step"], how="left", nulls_equal=True).sort("gpu_id", "step")
    times = times.with_columns(gpu_start_ns=pl.col("start_ns").cum_max().over("gpu_id"))
    last = pl.col("end_ns").max().over("gpu_id")
    after = pl.col("gpu_start_ns").shift(-1).over("gpu_id")
    return times.with_columns(gpu_end_ns=after.fill_null(last)).select(GPU_TIMES.names()).cast(GPU_TIMES)


def _begins(own: pl.DataFrame) -> pl.DataFrame:
    """Return the earliest start of a step's work on each GPU; a copy counts from the end of earlier steps' kernels."""
    key = ["gpu_id", "step"]
    runs = own.filter("is_run").group_by(key).agg(run_end_ns=pl.col("end_ns").max()).sort(key)
    until = runs.with_columns(until_ns=pl.col("run_end_ns").cum_max().shift().over("gpu_id")).drop("run_end_ns")
    placed = own.join(until, on=key, how="left", nulls_equal=True)
    start = pl.when("is_run").then("start_ns").otherwise(pl.max_horizontal("start_ns", "until_ns"))
    return placed.group_by(key).agg(start_ns=start.min().cast(pl.Int64))


def busy_time(times: pl.DataFrame, activity: Iterable[pl.DataFrame]) -> pl.DataFrame:
    """Add busy_ns: how long the GPU ran work of any process in the period; wait_ns: how long it last ran none.

    `activity` has all GPU activities, by GPU and start, in frames that no busy interval spans.
    """
    busy = pl.repeat(0, times.height, dtype=pl.Int64, eager=True)
    last = times["gpu_start_ns"]  # when work ended before the end of the period
    for some in activity:
        for gpu_id, rows in runs_of(some, "gpu_id"):
            runs = union(rows.select("start_ns", "end_ns"))
            is_own = times["gpu_id"].eq_missing(pl.Series([gpu_id], dtype=pl.Int64))
            until = [covered_until(runs, times[name]) for name in ("gpu_end_ns", "gpu_start_ns")]
            busy = busy + (until[0] - until[1]) * is_own.cast(pl.Int64)
            before = runs["start_ns"].search_sorted(times["gpu_end_ns"], side="left").cast(pl.Int64) - 1
            ends = pl.select(pl.when(is_own & (before >= 0)).then(runs["end_ns"].gather(before.clip(0)))).to_series()
            last = pl.select(pl.max_horizontal(last, ends)).to_series()
    return times.with_columns(busy_ns=busy, wait_ns=(pl.col("gpu_end_ns") - last).clip(0))
