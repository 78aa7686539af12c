"""What a verdict is judged by: frames, each the rows of a query, and what they sum to."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import polars as pl

from nsysql.pages.phrases import Row, share
from nsysql.pages.verdict.startup import Repetition

ONCE = ("first_launch", "module_load", "context_setup")  # happens once in a process, whatever it does
SET_UP = (*ONCE, "stream_and_event_setup", "graph_build", "memory_management")
ON_GPU = (  # the work was there, and the GPU had not started it
    "launch_latency", "graph_launch", "graph_dependency", "launch_batch", "stream_wait", "queued_unexplained",
    "blocked_launch", "unified_memory", "no_launch_recorded",
)  # fmt: skip
HOST_WORK = ("host_code", "os_other", "os_sleep", "os_wait_io", "os_wait_lock", "blocked", "preempted")
SEVERAL = 3  # calls: fewer are no habit
NOT_THEIRS = "profiler"
IO = "os_wait_io"
EMPTY = pl.DataFrame()


@dataclass(frozen=True)
class Stretch:
    """A stretch of time in frames: rows of gpu_time, exposed_time and idle_ledger, and its borders if it has any."""

    gpu_time: pl.DataFrame
    exposed_time: pl.DataFrame
    ledger: pl.DataFrame
    start_ns: int | None = None
    end_ns: int | None = None

    @property
    def window_ns(self) -> int:
        """The windows of all GPUs, added."""
        return int(self.gpu_time["window_ns"].sum())

    @property
    def idle_ns(self) -> int:
        """Their idle time, without the profiler's."""
        return int(self.gpu_time["idle_ns"].sum()) - self.by_cause(NOT_THEIRS)

    @property
    def elapsed_ns(self) -> int:
        """From the beginning of the first GPU's window to the end of the last one's."""
        if self.start_ns is not None and self.end_ns is not None:
            return self.end_ns - self.start_ns
        ends, starts = self.gpu_time["window_end_ns"].to_list(), self.gpu_time["window_start_ns"].to_list()
        return int(max(ends) - min(starts))

    @property
    def busiest_ns(self) -> int:
        """The busy time of the GPU that has most."""
        return int(max(self.gpu_time["busy_ns"].to_list()))

    @property
    def idle_shares(self) -> list[float]:
        """The idle time of each GPU, without the profiler's, as a share of its window."""
        rows = self.gpu_time.select("gpu_id", "idle_ns", "window_ns").rows()
        return [share(idle - self._profilers(gpu), window) for gpu, idle, window in rows]

    def _profilers(self, gpu_id: int | None) -> int:
        if self.ledger.is_empty():
            return 0
        rows = self.ledger.filter(pl.col("gpu_id").eq_missing(pl.lit(gpu_id, pl.Int64)), cause=NOT_THEIRS)
        return int(rows["idle_ns"].sum())

    def by_cause(self, *causes: str) -> int:
        """The idle time of all GPUs that these causes have."""
        return int(self.ledger.filter(pl.col("cause").is_in(causes))["idle_ns"].sum()) if self.ledger.height else 0

    def ran(self, *parts: str) -> int:
        """The time of all GPUs in these parts of exposed_time."""
        return sum(int(self.exposed_time[part].sum() or 0) for part in parts)

    def of(self, ns: float) -> float:
        """A time of all GPUs as a share of their windows."""
        return share(ns, self.window_ns)


@dataclass(frozen=True)
class Facts:
    """An export as a verdict needs it. `whole` is what was asked for, `judged` what of it is not start-up.

    A frame has no rows where the export has nothing for it. Of `judged` are calls, longest, drains, drain_copies,
    drain_causes, functions, kernels, copies and graphs; of `whole` gaps and patterns. `start_up` is the ledger up to
    the first repetition, and `first_longest` the longest pieces there; `ending` and `last_longest` are those after the
    last one, where that is long. `after_kernels` is the ledger after the last kernel or graph of a run that repeats
    nothing, where it has most of the idle time. `compiling` are CPU samples in the compiler of PTX. `calls_before` is
    the lead-in by call of the GPU that has the longest, rows of edge_accounts, where that is worth a sentence.
    """

    causes: pl.DataFrame
    whole: Stretch
    judged: Stretch
    start_up: pl.DataFrame
    repetition: Repetition | None
    is_narrowed: bool
    calls: pl.DataFrame
    longest: pl.DataFrame
    gaps: pl.DataFrame
    patterns: pl.DataFrame = field(default_factory=pl.DataFrame)
    drains: pl.DataFrame = field(default_factory=pl.DataFrame)
    drain_copies: pl.DataFrame = field(default_factory=pl.DataFrame)
    drain_causes: pl.DataFrame = field(default_factory=pl.DataFrame)
    functions: pl.DataFrame = field(default_factory=pl.DataFrame)
    kernels: pl.DataFrame = field(default_factory=pl.DataFrame)
    copies: pl.DataFrame = field(default_factory=pl.DataFrame)
    graphs: pl.DataFrame = field(default_factory=pl.DataFrame)
    first_longest: pl.DataFrame = field(default_factory=pl.DataFrame)
    ending: pl.DataFrame = field(default_factory=pl.DataFrame)
    last_longest: pl.DataFrame = field(default_factory=pl.DataFrame)
    after_kernels: pl.DataFrame = field(default_factory=pl.DataFrame)
    compiling: pl.DataFrame = field(default_factory=pl.DataFrame)
    in_mpi: pl.DataFrame = field(default_factory=pl.DataFrame)
    gpus: pl.DataFrame = field(default_factory=pl.DataFrame)
    has: frozenset[str] = frozenset()
    calls_before: pl.DataFrame = field(default_factory=pl.DataFrame)

    @property
    def is_split(self) -> bool:
        """Start-up and what follows the last repetition lie apart from what is judged."""
        return self.judged is not self.whole

    @property
    def start_up_ns(self) -> int:
        """The idle time of all GPUs before the first repetition."""
        return _theirs(self.start_up)

    @property
    def ending_ns(self) -> int:
        """The idle time of all GPUs after the last repetition, where that lies apart."""
        if not self.is_split:
            return 0
        return _theirs(self.ending) or max(0, self.whole.idle_ns - self.start_up_ns - self.judged.idle_ns)

    @property
    def kernels_end_ns(self) -> int | None:
        """The end of the last kernel or graph; None where there is none."""
        return last_end(self.kernels, self.graphs)

    @property
    def drained_ns(self) -> int:
        """Idle time of the judged stretch after calls that emptied the GPU's queue again and again."""
        if self.drains.is_empty() or int(self.drains["calls"].sum()) < SEVERAL:
            return 0
        return int(self.drains["idle_ns"].sum())

    def title(self, cause: str) -> str:
        """A cause's name for people."""
        return str(self.causes.filter(cause=cause)["title"][0])

    def advice(self, cause: str) -> str:
        """What to do about a cause."""
        return str(self.causes.filter(cause=cause)["advice"][0])

    def of_cause(self, *causes: str) -> Sequence[Row]:
        """The longest pieces of these causes, the longest first."""
        return self.longest.filter(pl.col("cause").is_in(causes)).sort("dur_ns", descending=True).to_dicts()


def last_end(*work: pl.DataFrame) -> int | None:
    """The end of the last kernel or graph of rows of gpu_kernels and gpu_graphs."""
    ends = [int(rows["last_end_ns"].max()) for rows in work if rows.height]  # type: ignore[arg-type]
    return max(ends, default=None)


def _theirs(ledger: pl.DataFrame) -> int:
    """The idle time of a ledger, without the profiler's."""
    return 0 if ledger.is_empty() else int(ledger.filter(pl.col("cause") != NOT_THEIRS)["idle_ns"].sum())


@dataclass(frozen=True)
class Part:
    """A kind of limit that holds, and the share of the window that it explains."""

    kind: str
    share_pct: float


@dataclass(frozen=True)
class Sentence:
    """A sentence of a verdict, what it is about, and the rows that show it.

    A row is named by a table of the export and its position, or by a query and the columns that pick its row.
    """

    title: str
    text: str
    rows: tuple[Row, ...] = ()


@dataclass(frozen=True)
class Verdict:
    """What limits a run: the kinds that hold, the first the most, shares of the window, and sentences."""

    kinds: tuple[Part, ...]
    shares: Row
    sentences: tuple[Sentence, ...]
    start_up: Row | None = None
    ending: Row | None = None

    @property
    def kind(self) -> str | None:
        """The kind that limits most; None where the capture does not tell."""
        return self.kinds[0].kind if self.kinds else None
