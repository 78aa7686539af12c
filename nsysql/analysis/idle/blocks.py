"""Read the GPUs' activities in order, with what their threads did: all at once, or in blocks if there are too many.

Those of a large export are first written to tables in DuckDB, which sorts and joins on disk; then they are read block
by block. What a block's gaps need of the rest of the export is in ledger_context.py.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

import polars as pl

from nsysql.analysis.idle.activity import find_gaps, last_to_end, shrink_ints
from nsysql.analysis.idle.attribution import CAUSE, RUNTIME, SOURCE, is_cause
from nsysql.analysis.intervals import LENGTH, free_places, runs_of
from nsysql.analysis.view_reader import ViewReader

WORK, ROWS = "_activity_launch", "_thread_state"
BYTES_PER_EVENT = 120  # bytes for each event; if they exceed DuckDB's memory, not all events are held in memory
FEW = frozenset({"_gil_wait"})  # views with few rows of large tables
BLOCK = 250_000  # activities
LONG_CALL_NS = 1_000_000  # a longer call did not just launch the next activity


@dataclass
class Block:
    """Consecutive activities, in order of GPU and start, after the one that keeps the GPU busy before them."""

    activity: pl.DataFrame
    after: pl.DataFrame | None = None  # the parts of gaps after their launch, until they are used

    @cached_property
    def gaps(self) -> pl.DataFrame:
        """The gaps that its activities end, as in find_gaps."""
        return find_gaps(self.activity)


class InMemory:
    """One block with all activities."""

    def __init__(self, activity: pl.DataFrame, rows: pl.DataFrame) -> None:
        self._block = Block(activity)
        self._rows = rows

    def __iter__(self) -> Iterator[Block]:
        yield self._block

    def work(self, *columns: str) -> pl.DataFrame:
        """Return these columns of all activities; OnDisk returns only those of activities with a recorded launch."""
        return self._block.activity.select(columns)

    def states(self, narrow: Callable[[pl.DataFrame], pl.DataFrame]) -> pl.DataFrame:
        """Return what `narrow` keeps of all that threads did; must be called before `rows`."""
        return narrow(self._rows)

    def rows(self, gaps: pl.DataFrame) -> pl.DataFrame:
        """Return what threads did, at least during the gaps; works once, so that the rows can be freed."""
        rows, self._rows = self._rows, self._rows.clear()
        return rows


class OnDisk:
    """Blocks of activities, from tables that DuckDB makes on disk."""

    def __init__(self, views: ViewReader) -> None:
        self._views = views
        for name in (ROWS, WORK):  # in this order: the second reads the first
            views.spill(name)

    def __iter__(self) -> Iterator[Block]:
        before: pl.DataFrame | None = None
        for own in self.activities():
            activity = own if before is None else pl.concat([before, own], how="vertical_relaxed")
            yield Block(activity)
            before = last_to_end(activity)

    def activities(self, *columns: str) -> Iterator[pl.DataFrame]:
        """Yield the activities in frames of one GPU each, which begin when nothing runs on it; at least one frame.

        All columns if none are named; gpu_id, start_ns and end_ns must be among them.
        """
        held, first, size = shrink_ints(self._views.read_spilled(WORK, 0, 0, *columns)), 0, BLOCK
        while size:
            some = shrink_ints(self._views.read_spilled(WORK, first, first + size, *columns))
            known = pl.concat([held, some], how="vertical_relaxed")
            cut = known.height if some.height < size else [0, *free_places(known, "gpu_id").tail(1)][-1]
            of_gpus = [own for _, own in runs_of(known.head(cut), "gpu_id")]
            yield from of_gpus or [known.head(cut)]
            held, first = known.slice(cut), first + size
            size = max(BLOCK, held.height) if some.height == size else 0

    def work(self, *columns: str) -> pl.DataFrame:
        """As in InMemory."""
        return self._views(WORK, *columns, which="WHERE call_id IS NOT NULL")

    def states(self, narrow: Callable[[pl.DataFrame], pl.DataFrame]) -> pl.DataFrame:
        """As in InMemory."""
        return self._views(ROWS, narrow=lambda some: narrow(as_claims(some)), stream=True)

    def rows(self, gaps: pl.DataFrame) -> pl.DataFrame:
        """Return what threads did during the gaps: those that launched what ends them, and of any thread what is long.

        These are the profiler's work, and long calls.
        """
        threads = gaps["thread_id"].unique().implode()
        is_long = (pl.col("source") == RUNTIME) & (LENGTH >= LONG_CALL_NS)
        low, high = gaps.select(pl.col("start_ns").min(), pl.col("end_ns").max()).row(0)
        during = "false" if low is None else f"start_ns < {high} AND end_ns > {low}"
        kept = pl.col("thread_id").is_in(threads) | is_cause("profiler") | is_long
        rows = self._views(ROWS, narrow=lambda some: some.filter(kept), stream=True, which=f"WHERE {during}")
        return as_claims(rows)


def busy(views: ViewReader, *columns: str) -> Iterator[pl.DataFrame]:
    """Yield those columns of all activities, in order of GPU and start, in frames between which a GPU runs nothing."""
    if not is_large(views):
        yield views("_gpu_activity_sorted").select(columns)
        return
    yield from OnDisk(views).activities(*columns)


def is_large(views: ViewReader) -> bool:
    """Tell whether there are too many activities and rows of threads to hold them in memory."""
    return views.rows(WORK, FEW) * BYTES_PER_EVENT > views.memory_budget


def as_claims(rows: pl.DataFrame) -> pl.DataFrame:
    """Return the rows of _thread_state as claims: with their thread as key, causes and tables as Enums."""
    return shrink_ints(rows).rename({"thread_id": "key"}).cast({"cause": CAUSE, "source": SOURCE})
