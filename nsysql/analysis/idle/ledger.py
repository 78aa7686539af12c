"""Compute gaps and their pieces: why each GPU was idle, nanosecond by nanosecond.

A gap ends because an activity starts, which a launch on a thread asked for. What the thread did before the launch, the
launch call itself, and what the GPU waited for after it are attributed separately, each interval to the first cause
that applies. No table of the export is read twice, and no gap is paired with a row that does not overlap it.
"""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import polars as pl

from nsysql.analysis.idle.activity import named, shrink_ints
from nsysql.analysis.idle.after_launch import after_launch, after_parts, latency_caps, latency_samples
from nsysql.analysis.idle.attribution import CAUSE, is_cause
from nsysql.analysis.idle.before_launch import before_launch, in_launch
from nsysql.analysis.idle.blocks import ROWS, WORK, Block, InMemory, OnDisk, as_claims, is_large
from nsysql.analysis.idle.drains import Drains
from nsysql.analysis.idle.evidence import refined
from nsysql.analysis.idle.launches import LedgerContext, with_launch
from nsysql.analysis.idle.no_launch import asked_by_host, covering_calls, without_launch
from nsysql.analysis.intervals import LENGTH
from nsysql.analysis.view_reader import ViewReader, reads


@reads(
    "_gpu_activity_sorted", "_thread_state", "_activity_launch", "stream_wait", "_api_cause", "cuda_stream", "string"
)
def ledger(views: ViewReader) -> Iterator[dict[str, pl.DataFrame]]:
    """Compute the frames _activity_launch, _drain_call, _gpu_window, _idle_gap and _idle_piece, in parts.

    Gaps and pieces of a large export come block by block; its activities stay on disk and are not returned.
    """
    blocks: InMemory | OnDisk
    if is_large(views):
        blocks = OnDisk(views)
    else:
        rows = as_claims(views(ROWS))
        activity = with_launch(views("_gpu_activity_sorted"), rows)
        rows = rows.drop("correlation_id")
        yield {WORK: activity}
        blocks = InMemory(activity, rows)
        del activity, rows
    whole = LedgerContext(views, blocks)
    yield {"_drain_call": whole.drains}
    drains = Drains(whole.drains)
    samples = [latency_samples(after_parts(block, whole)) for block in blocks]
    whole.caps = latency_caps(pl.concat(samples, how="vertical_relaxed"))
    del samples
    number, windows = 1, []
    for block in blocks:
        block.gaps = asked_by_host(block.gaps, block.activity, whole)
        gaps, pieces = _records(block, blocks, whole)
        gaps = gaps.with_columns(drained_by_row=drains.of(block), is_after_work=_are_after_work(block, whole))
        yield {
            "_idle_gap": shrink_ints(gaps.with_columns(pl.col("gap_id") + number)),
            "_idle_piece": shrink_ints(pieces.with_columns(pl.col("gap_id") + number)),
        }
        number += gaps.height
        windows.append(_windows(block.activity))
    yield {"_gpu_window": _windows(pl.concat(windows, how="vertical_relaxed"))}


def _are_after_work(block: Block, whole: LedgerContext) -> pl.Series:
    """Mark gaps of the block at whose end the host reads memory, and from which on no launched work starts."""
    gaps = block.gaps
    is_read = gaps["call_id"].is_null() & gaps["api_start_ns"].is_not_null()
    if not is_read.any():
        return pl.repeat(False, gaps.height, eager=True)
    last = gaps.join(whole.last_launched, on="gpu_id", how="left", nulls_equal=True, maintain_order="left")
    return is_read & last.select(pl.col("last_ns").fill_null(-(2**63)) < pl.col("end_ns")).to_series()


def _windows(activity: pl.DataFrame) -> pl.DataFrame:
    """Return the time from the first activity of each GPU to the last, as in _gpu_window."""
    return activity.group_by("gpu_id").agg(pl.col("start_ns").min(), pl.col("end_ns").max())


def _records(block: Block, blocks: InMemory | OnDisk, whole: LedgerContext) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return the gaps and pieces of a block, as in _idle_gap and _idle_piece; gap_id still starts at 0."""
    rows = refined(blocks.rows(block.gaps), whole.runtime_starts, whole.staged_copies)
    covered = covering_calls(block, rows)
    gaps, pieces = block.gaps, _pieces(block, rows, covered, whole)
    del rows
    gaps = gaps.with_columns(thread_id=gaps["thread_id"].scatter(covered["gap_id"], covered["call_thread_id"]))
    gpu_id, thread_id = (gaps[name].gather(pieces["gap_id"]) for name in ("gpu_id", "thread_id"))
    evidence = {"evidence_table": "source", "evidence_row_id": "row_id", "evidence_name_id": "name_id"}
    own = ("gap_id", gpu_id, "cause", "start_ns", "end_ns", thread_id)
    pieces = pieces.select(*own, **evidence, is_first=_are_first(pieces))
    return named(gaps, block.activity).with_columns(main_cause=_main_causes(gaps, pieces)), pieces


def _pieces(block: Block, rows: pl.DataFrame, covered: pl.DataFrame, whole: LedgerContext) -> pl.DataFrame:
    """Return the pieces of all gaps. The part before the launch takes as long as the others, so it has a thread."""
    claims = rows.filter(is_cause("profiler", "module_load", "blocked_launch"))  # few; the other parts need only these
    with ThreadPoolExecutor(1) as pool:
        before = pool.submit(before_launch, block.gaps, block.activity, rows)
        after = in_launch(block, claims, whole), after_launch(block, rows, claims, whole)
        return pl.concat([before.result(), *after, without_launch(block, covered, claims)])


def _main_causes(gaps: pl.DataFrame, pieces: pl.DataFrame) -> pl.Series:
    """Return the cause with most time in each gap; of ties the first in the list of causes.

    A piece longer than half of its gap decides; pieces are only summed if there is none.
    """
    length = (gaps["end_ns"] - gaps["start_ns"]).gather(pieces["gap_id"])
    most = pieces.select("gap_id", "cause", decides=(pl.col("end_ns") - pl.col("start_ns")) * 2 > length)
    decided = most.filter("decides")
    code = pl.repeat(None, gaps.height, dtype=pl.UInt8, eager=True)
    code = code.scatter(decided["gap_id"], decided["cause"].to_physical().cast(pl.UInt8))
    open_gaps = code.is_null().arg_true()
    of_causes = pieces.filter(pl.col("gap_id").is_in(open_gaps.implode())).group_by("gap_id", "cause")
    sums = of_causes.agg(idle_ns=LENGTH.sum()).sort("gap_id", "idle_ns", "cause", descending=[False, True, False])
    added = sums.unique("gap_id", keep="first")
    code = code.scatter(added["gap_id"], added["cause"].to_physical().cast(pl.UInt8))
    return pl.Series(CAUSE.categories).cast(CAUSE).gather(code)


def _are_first(pieces: pl.DataFrame) -> pl.Series:
    """Mark the pieces that are the first of their cause in their gap."""
    gap, cause = (column.cast(pl.Int64) for column in (pl.col("gap_id"), pl.col("cause").to_physical()))
    pairs = pieces.select(gap * len(CAUSE.categories) + cause).to_series()
    ordered = pairs.sort()
    repeated = ordered.filter(ordered == ordered.shift()).unique()  # few: most pieces are unique
    several = pairs.is_in(repeated.implode()).arg_true()
    again = several.filter(~pairs.gather(several).is_first_distinct())
    return pl.repeat(True, pieces.height, eager=True).scatter(again, False)
