"""One capture as data: the parts that can be compared, without rows, paths or the environment."""

from dataclasses import dataclass

WINDOW, WORK, STEP = "window", "work", "step"
Key = tuple[str, str]  # kind and name of an account


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
    """The time of one GPU in accounts, whose sum is each sample's; gpu_id is None for the time of a thread."""

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

    Steps are all complete ones, from the first: those that are warm-up are left out when captures are compared.
    """

    kind: str  # window, work, step, or the name of an NVTX range
    steps: tuple[int, ...]  # in each sample
    gpus: tuple[GpuTime, ...]
    calls: tuple[Total, ...] = ()  # of the launching threads; nested calls are not counted twice
    launches: tuple[Total, ...] = ()  # pieces of launched GPU work, and the bytes of copies
    ranges: tuple[Total, ...] = ()  # CPU time of steps by NVTX path, in addition to the GPU accounts
    sequence: tuple[str, ...] = ()  # kernels in launch order, of one step or of the window's beginning
    found_by: str | None = None
    name: str | None = None
    window_share: float = 1.0  # share of the window that the series covers
    warm_up: int = 0  # leading steps that are longer than the later ones, by the rule of `steps`
    outside_ns: int | None = None  # of the work: idle time outside of the steps, mean over the GPUs
    span_steps: int = 0  # steps of the totals; 0: those of the samples

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


@dataclass(frozen=True)
class Device:
    """A GPU that was used."""

    gpu_id: int
    name: str | None
    sm_count: int | None
    clock_rate_hz: int | None


@dataclass(frozen=True)
class Facts:
    """The facts that decide whether a comparison is fair."""

    nsys_version: str | None
    driver_version: str | None
    devices: tuple[Device, ...]
    processes: int
    traces: tuple[str, ...]  # trace options that cost time
    duration_ns: int | None = None  # of the capture


@dataclass(frozen=True)
class Capture:
    """The data of one capture to compare; `lacking` says why it has no steps, or nothing at all."""

    facts: Facts
    units: tuple[Unit, ...]
    lacking: str | None = None
    shapes: tuple[Shape, ...] = ()
    samples: tuple[Total, ...] = ()  # CPU samples by function; the kind is its family
    findings: tuple[Finding, ...] = ()

    def unit(self, kind: str) -> Unit | None:
        """The unit of that kind, if the capture has it."""
        return next((unit for unit in self.units if unit.kind == kind), None)

    @property
    def series(self) -> tuple[Unit, ...]:
        """The units of steps, the main one first."""
        return tuple(unit for unit in self.units if unit.kind == STEP)
