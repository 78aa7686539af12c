"""Assign each nanosecond of a GPU, of a thread, or between two collectives to exactly one account.

The busy time of a GPU is cut by what ran: of activities that run at the same time, one counts. The CPU time of the
steps of a thread is cut by the NVTX ranges that it is in. The time between two collectives of a process is cut by both;
the computing time of its GPU is also split by the NVTX range in which the kernels were launched.
"""

from collections.abc import Iterator

import polars as pl

from nsysql.analysis.idle.activity import shrink_ints
from nsysql.analysis.idle.blocks import busy
from nsysql.analysis.intervals import END, LENGTH, START, parts_within, union, with_ties_in_order, without
from nsysql.analysis.nvtx.folded_ranges import names_of
from nsysql.analysis.nvtx.paths import OUTSIDE, STEP, PathInterval, cut, summed_by_path, text_of_paths
from nsysql.analysis.parallel import drain
from nsysql.analysis.view_reader import ViewReader, reads, schema_of


def _earliest_running(rows: pl.DataFrame) -> pl.DataFrame:
    """Return when each of the rows, in order of start, is the first begun of those in progress.

    Columns start_ns, end_ns and at, the row's position; rows that are never the first have none.
    """
    reached = END.cum_max().shift()
    begins = pl.max_horizontal(START, reached)
    return rows.select(start_ns=begins, end_ns=END, at=pl.int_range(pl.len(), dtype=pl.UInt32)).filter(END > START)


IS_KERNEL = pl.col("kind") == "kernel"
KINDS = {  # conditions of the kinds of busy accounts; the first that applies counts
    "computing": IS_KERNEL & ~pl.col("is_communication"),
    "graph": pl.col("kind") == "graph",
    "communication": IS_KERNEL & pl.col("is_communication"),
    "copy": pl.col("kind") == "memcpy",
    "memset": pl.col("kind") == "memset",
}
TIES = ("end_ns", "process_id", "stream_id", "row_id")  # the last to end first
READ = ("gpu_id", "start_ns", *TIES, "kind", "detail_id", "is_communication")
PIECE = schema_of("_busy_piece")


@reads("_gpu_activity_sorted", "_activity_launch")
def busy_pieces(views: ViewReader) -> Iterator[dict[str, pl.DataFrame]]:
    """Compute the frame _busy_piece, in parts."""
    for activity in busy(views, *READ):
        pieces = [_pieces(gpu_id, rows) for (gpu_id,), rows in activity.group_by("gpu_id", maintain_order=True)]
        yield {"_busy_piece": pl.concat([pl.DataFrame(schema=PIECE), *pieces])}


def _pieces(gpu_id: object, rows: pl.DataFrame) -> pl.DataFrame:
    """Return the busy time of one GPU, whose activities are in order of start: rows of _busy_piece, by kind."""
    covered, cut = rows.head(0).select("start_ns", "end_ns"), []
    for kind, is_kind in KINDS.items():
        own = with_ties_in_order(rows.filter(is_kind), ["start_ns"], TIES, down=["end_ns"])
        if own.is_empty():
            continue
        pieces = without(_earliest_running(own), covered)
        running = union(own.select("start_ns", "end_ns"))
        covered = running if covered.is_empty() else union(pl.concat([covered, running]).sort("start_ns"))
        at = pieces["at"]
        named = own.select(pl.col("detail_id", "row_id").cast(pl.Int64).gather(at))
        labels = (pl.lit(gpu_id, pl.Int64).alias("gpu_id"), pl.lit(kind).cast(PIECE["kind"]).alias("kind"))
        cut.append(pieces.with_columns(*labels, is_first=at.is_first_distinct()).hstack(named).select(PIECE.names()))
    return pl.concat([pl.DataFrame(schema=PIECE), *cut])


ACCOUNT = schema_of("_cpu_account")
OF_STEP = ["series_id", "step"]


@reads("_step_series", "_step_mark", "_folded_range", "_folded_name")
def cpu_accounts(views: ViewReader) -> dict[str, pl.DataFrame]:
    """Compute the frame _cpu_account."""
    series = views("_step_series")
    if series.is_empty():
        return {"_cpu_account": pl.DataFrame(schema=ACCOUNT)}
    marks, of_thread = views("_step_mark"), views.of_threads("_folded_range")
    none, accounts, steps = schema_of("_folded_range").to_frame(), [], [pl.DataFrame(schema=STEP)]
    for row in series.iter_rows(named=True):
        own = marks.filter(pl.col("series_id") == row["series_id"])
        times = own.select(*OF_STEP, start_ns="cpu_start_ns", end_ns="cpu_end_ns")
        known = of_thread.get(row["thread_id"], none)
        for parts, interval in cut(times, known):
            accounts.append(_accounts(parts, interval, known["start_ns"]))
            steps.append(interval.steps)
    texts = text_of_paths(steps, names_of(views)).select("path", nvtx_path=pl.col("text").replace("", None))
    summed = _summed(pl.concat(accounts).join(texts, on="path"), "nvtx_path")
    return {"_cpu_account": summed.select(ACCOUNT.names()).cast(ACCOUNT)}


def _accounts(parts: pl.DataFrame, interval: PathInterval, starts: pl.Series) -> pl.DataFrame:
    """Return the accounts of parts of steps, summed by path; `starts` are those of the thread's ranges."""
    begun = interval.borders.is_in(starts.slice(interval.first, interval.opened.len()).unique().implode())
    is_first = begun.gather(parts["at"]) & (interval.borders.gather(parts["at"]) == parts["start_ns"])
    count = (is_first & (parts["path"] != OUTSIDE)).cast(pl.Int64)
    rows = parts.with_columns(total_ns=LENGTH, count=count, first_start_ns="start_ns")
    return _summed(rows.filter(pl.col("total_ns") > 0), "path")


def _summed(rows: pl.DataFrame, path: str) -> pl.DataFrame:
    return rows.group_by(*OF_STEP, path).agg(pl.col("total_ns", "count").sum(), pl.col("first_start_ns").min())


KEY = ["collective_id", "kind", "name_id", "label"]
FEW = pl.Schema({"kind": pl.Categorical(), "label": pl.Categorical()})  # columns with few distinct texts in many rows
TOGETHER = 2_000  # collectives cut together; all 33,000 of a 1.2 GB export take 1.5 s of CPU and 200 MB more
ACCOUNT_PIECE = ["start_ns", "end_ns", "kind", "name_id", "label", "item_id"]
COLLECTIVE_PIECE = schema_of("_collective_piece") | FEW | {"clock": pl.Categorical()}
COMPUTING = pl.Schema({"collective_id": pl.Int64(), "item_id": pl.Int64(), "dur_ns": pl.Int64()})
INTERVAL = {"start_ns": pl.col("previous_end_ns"), "end_ns": pl.col("arrived_at_ns")}
PART = pl.Schema({
    "collective_id": pl.Int64(), "clock": pl.Enum(["cpu", "launch"]),
    **dict.fromkeys(("thread_id", "start_ns", "end_ns", "dur_ns"), pl.Int64()),
})  # fmt: skip


@reads("_collective", "_account_piece", "_activity_launch", "_gpu_process", "_folded_range", "_folded_name")
def collective_pieces(views: ViewReader) -> dict[str, pl.DataFrame]:
    """Compute the frame _collective_piece."""
    between = views("_collective").filter(pl.col("arrived_at_ns") > pl.col("previous_end_ns"))
    pieces = [pl.DataFrame(schema=COLLECTIVE_PIECE)]
    if between.height:
        sums, computing = _on_gpus(views, between)
        parts, ranges = [_on_threads(views, between, computing)], views.of_threads("_folded_range")
        pieces += [*sums, _named(summed_by_path(parts.pop(), ranges, _sums, names_of(views)))]
    rows = (shrink_ints(some.select(COLLECTIVE_PIECE.names()).cast(COLLECTIVE_PIECE)) for some in pieces)
    return {"_collective_piece": pl.concat(rows, how="vertical_relaxed")}


def _on_gpus(views: ViewReader, between: pl.DataFrame) -> tuple[list[pl.DataFrame], list[pl.DataFrame]]:
    """Return GPU accounts of each interval, on the GPU of the collective's kernel, else on the process's busiest GPU.

    Also returns the computing pieces, in parts: collective_id, item_id, dur_ns.
    """
    most = views("_gpu_process").group_by("process_id", "gpu_id").agg(pl.col("activities").sum())
    most = most.sort("activities", "gpu_id", descending=[True, False]).unique("process_id", keep="first")
    busiest = most.select("process_id", busiest="gpu_id")
    located = between.join(busiest, on="process_id", how="left").with_columns(gpu=pl.coalesce("gpu_id", "busiest"))
    located = located.drop_nulls("gpu").select("collective_id", "process_id", "gpu", **INTERVAL)
    sums, computing = [], [pl.DataFrame(schema=COMPUTING)]
    for (gpu,), own in located.group_by("gpu", maintain_order=True):
        which = f"WHERE gpu_id = {gpu}"  # all GPUs of a 1.2 GB export take 160 MB more
        accounts = views("_account_piece", *ACCOUNT_PIECE, narrow=lambda some: shrink_ints(some.cast(FEW)), which=which)
        accounts = accounts.sort("start_ns")
        for some in (part for of_one in own.partition_by("process_id") for part in of_one.iter_slices(TOGETHER)):
            parts = parts_within(some.select("collective_id", "start_ns", "end_ns"), accounts)
            pieces = parts.select("collective_id", dur_ns=LENGTH)
            pieces = pieces.hstack(accounts.select(pl.col("kind", "name_id", "label", "item_id").gather(parts["span"])))
            sums.append(pieces.group_by(KEY).agg(pl.col("dur_ns").sum(), clock=pl.lit("gpu")))
            computing.append(pieces.filter(pl.col("kind") == "computing").select(COMPUTING.names()).cast(COMPUTING))
        del accounts
    return sums, computing


def _on_threads(views: ViewReader, between: pl.DataFrame, parts: list[pl.DataFrame]) -> pl.DataFrame:
    """Return each interval on its thread, and computing pieces at the start of the call that launched each: PART.

    What is not recorded of a call is NULL. The parts of computing pieces are removed from their list.
    """
    on_cpu = between.drop_nulls("thread_id").with_columns(clock=pl.lit("cpu"), dur_ns=pl.lit(None), **INTERVAL)
    computing = pl.concat(drain(parts))
    kernels = computing["item_id"].unique().implode()
    columns = ("kind", "row_id", "thread_id", "api_start_ns")
    launched = views("_activity_launch", *columns, narrow=lambda rows: _of_kernels(rows, kernels), stream=True)
    rows = computing.join(launched, on="item_id", how="left").with_columns(clock=pl.lit("launch"))
    rows = rows.with_columns(start_ns="api_start_ns", end_ns="api_start_ns")
    return pl.concat([some.select(PART.names()).cast(PART) for some in (rows, on_cpu)])


def _of_kernels(rows: pl.DataFrame, kernels: pl.Series) -> pl.DataFrame:
    own = rows.filter((pl.col("kind").cast(pl.String) == "kernel") & pl.col("row_id").is_in(kernels))
    return own.select(item_id="row_id", thread_id="thread_id", api_start_ns="api_start_ns")


def _named(sums: pl.DataFrame) -> pl.DataFrame:
    """Return sums by NVTX path as rows of _collective_piece."""
    outside = pl.when(pl.col("text") == "").then(pl.lit("outside", pl.Categorical))
    kind, label = outside.otherwise(pl.lit("nvtx", pl.Categorical)), outside.otherwise("text")
    return sums.with_columns(kind=kind, label=label, name_id=pl.lit(None, pl.Int64))


def _sums(parts: pl.DataFrame) -> pl.DataFrame:
    """Sum the time of each collective by path: that of launched pieces, the length of other parts."""
    length = pl.coalesce("dur_ns", LENGTH)
    sums = parts.group_by("collective_id", "clock", "path").agg(length.sum().alias("dur_ns"))
    return sums.filter(pl.col("dur_ns") > 0)
