"""One capture as data: the parts that can be compared, without rows, paths or the environment."""

from dataclasses import dataclass

WINDOW, STEP = "window", "step"
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
    """Samples of a unit of time: one of the whole window, or of steady steps, one or several per sample."""

    kind: str  # window, step, or the name of an NVTX range
    steps: tuple[int, ...]  # in each sample
    gpus: tuple[GpuTime, ...]
    calls: tuple[Total, ...] = ()  # of the launching threads; nested calls are not counted twice
    launches: tuple[Total, ...] = ()  # pieces of launched GPU work, and the bytes of copies
    ranges: tuple[Total, ...] = ()  # CPU time of steps by NVTX path, in addition to the GPU accounts
    sequence: tuple[str, ...] = ()  # kernels in launch order, of one step or of the window's beginning
    found_by: str | None = None
    name: str | None = None
    window_share: float = 1.0  # share of the window that the series covers


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


@dataclass(frozen=True)
class Capture:
    """The data of one capture to compare; `lacking` says why it has no steps, or nothing at all."""

    facts: Facts
    units: tuple[Unit, ...]
    lacking: str | None = None

    def unit(self, kind: str) -> Unit | None:
        """The unit of that kind, if the capture has it."""
        return next((unit for unit in self.units if unit.kind == kind), None)
