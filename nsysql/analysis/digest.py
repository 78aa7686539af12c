"""Define what is kept of one capture to compare it with others: no rows, paths or environment.

`analysis/compare` reads the units of time, `analysis/ranks` the frames of collectives, the page about many runs both.
"""

from dataclasses import dataclass, field

import polars as pl

WINDOW, WORK, STEP = "window", "work", "step"
Key = tuple[str, str]  # kind and name of an account
KERNELS = ("computing", "communication")  # kinds of accounts
BUSY = (*KERNELS, "graph", "copy", "memset")


@dataclass(frozen=True)
class Account:
    """An account of time: ns and activities in each sample. `title` is the name to show if it differs."""

    kind: str
    name: str
    ns: tuple[int, ...]
    counts: tuple[int, ...]
    title: str | None = None

    @property
    def key(self) -> Key:
        """The kind and the name."""
        return self.kind, self.name


@dataclass(frozen=True)
class GpuTime:
    """The time of one GPU in accounts, which add up to each sample; gpu_id is None for the time of a thread."""

    gpu_id: int | None
    accounts: tuple[Account, ...]


@dataclass(frozen=True)
class Total:
    """A sum over all samples: time of calls in ns, bytes of copies."""

    kind: str
    name: str
    amount: int
    count: int


@dataclass(frozen=True)
class Unit:
    """Samples of a unit of time: one of the whole work or window, or of complete steps, one or several per sample.

    Steps are all complete ones, from the first; warm-up steps are left out when captures are compared.
    """

    kind: str  # window, work, step, or the name of an NVTX range
    steps: tuple[int, ...]  # in each sample
    gpus: tuple[GpuTime, ...]
    calls: tuple[Total, ...] = ()  # of the launching threads; nested calls are not counted twice
    launches: tuple[Total, ...] = ()  # launched GPU work, and the bytes of copies
    ranges: tuple[Total, ...] = ()  # CPU time of steps by NVTX path, in addition to the GPU accounts
    sequence: tuple[str, ...] = ()  # kernels in launch order, of one step or of the window's beginning
    found_by: str | None = None
    name: str | None = None
    work_share: float = 1.0  # share that the series has of its time and of the busy time outside of it
    warm_up: int = 0  # leading steps that take longer than later ones, by the rule of `steps`
    outside_ns: int | None = None  # of the work: idle time outside of the steps, mean over the GPUs
    span_steps: int = 0  # number of steps that the totals cover; 0: those of the samples
    samples: tuple[Total, ...] = ()  # CPU samples by family and function, and the time that they stand for

    @property
    def total_steps(self) -> int:
        """The steps to which calls, launches and ranges belong."""
        return self.span_steps or sum(self.steps)


@dataclass(frozen=True)
class Shape:
    """Launches of a kernel with one shape; `threads` are those of all launches."""

    name: str
    grid: str
    block: str
    occupancy_pct: float | None
    count: int
    threads: int


@dataclass(frozen=True)
class Finding:
    """A finding about the capture: what it is about, and what removing it saves at most."""

    code: str
    subject: str
    says: str
    saves_ns: int | None
    is_once: bool = False  # it is about what happens once, such as start-up


@dataclass(frozen=True)
class Device:
    """A GPU that was used."""

    gpu_id: int | None  # None: work on a GPU that the export does not name
    name: str | None
    sm_count: int | None
    clock_rate_hz: int | None


@dataclass(frozen=True)
class Facts:
    """How the program was captured, and where: decides whether a comparison is fair, and which ranks are one job."""

    nsys_version: str | None
    driver_version: str | None
    devices: tuple[Device, ...]
    processes: int
    traces: tuple[str, ...]  # trace options that cost time
    duration_ns: int | None = None  # of the capture
    session_utc_ns: int | None = None
    host: str | None = None  # a digest of its name
    launcher_rank: int | None = None
    launcher: str | None = None  # the variable with that rank
    program: str | None = None  # of the process with the most kernels, without its folder


TEXTS = ("name", "main_cause", "main_cause_title", "source", "communicator", "shared", "operation", "clock", "kind")


def _schema(columns: str) -> pl.Schema:
    """Return a schema of these columns: texts, or whole numbers."""
    return pl.Schema({name: pl.String() if name in TEXTS else pl.Int64() for name in columns.split()})


SLICES = 200  # of a GPU's window, in `busy`
FRAMES = {  # the frames of a Digest
    "gpus": _schema(
        "gpu_id name window_start_ns window_ns busy_ns computing_ns exposed_communication_ns idle_ns main_cause "
        "main_cause_title main_cause_ns"
    ),
    "members": _schema("pid gpu_id activities mpi_rank nccl_rank mpi_ns mpi_span_ns"),
    "periods": pl.Schema(_schema("pid gpu_id period_ns steps") | {"period_ns": pl.Float64()}),
    "collectives": _schema(
        "collective_id pid source name gpu_id communicator rank_count arrived_at_ns start_ns end_ns previous_end_ns "
        "thread_id process_id range_row_id shared operation"
    ),
    "stretches": _schema("collective_id clock kind name total_ns"),
    "busy": _schema("gpu_id slice start_ns end_ns busy_ns"),
}


@dataclass(frozen=True)
class Digest:
    """What is kept of one capture; `lacking` says why it has no steps, or nothing at all.

    `gpus` has a row per GPU that was used; its main cause is that of most idle time, except the profiler's. `members`
    has one per process and GPU it used, and one per process that called MPI and used no GPU. `periods` is the median
    period of the steady steps of each process. `collectives`, `stretches` (collective_accounts) and `busy`
    (busy_over_time) are results of queries. `run` is the name that answers show, and `problem` why an export could not
    be read: these two are not part of the file.
    """

    facts: Facts = Facts(None, None, (), 0, ())
    units: tuple[Unit, ...] = ()
    lacking: str | None = None
    shapes: tuple[Shape, ...] = ()
    findings: tuple[Finding, ...] = ()
    gpus: pl.DataFrame = field(default_factory=FRAMES["gpus"].to_frame, compare=False)
    members: pl.DataFrame = field(default_factory=FRAMES["members"].to_frame, compare=False)
    periods: pl.DataFrame = field(default_factory=FRAMES["periods"].to_frame, compare=False)
    collectives: pl.DataFrame = field(default_factory=FRAMES["collectives"].to_frame, compare=False)
    stretches: pl.DataFrame = field(default_factory=FRAMES["stretches"].to_frame, compare=False)
    busy: pl.DataFrame = field(default_factory=FRAMES["busy"].to_frame, compare=False)
    run: str = field(default="", compare=False)
    problem: str | None = field(default=None, compare=False)

    def unit(self, kind: str) -> Unit | None:
        """Return the unit of that kind; None if the capture lacks it."""
        return next((unit for unit in self.units if unit.kind == kind), None)

    @property
    def series(self) -> tuple[Unit, ...]:
        """The units of steps, the main one first."""
        return tuple(unit for unit in self.units if unit.kind == STEP)
