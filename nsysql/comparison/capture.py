"""One capture as data: what can be compared of it, without rows, paths or the environment."""

from dataclasses import dataclass

WINDOW, STEP = "window", "step"
Key = tuple[str, str]  # kind and name of an account


@dataclass(frozen=True)
class Account:
    """Where time went: ns and activities in each sample. `title` is the name for people where it has another."""

    kind: str
    name: str
    ns: tuple[int, ...]
    counts: tuple[int, ...]
    title: str | None = None

    @property
    def key(self) -> Key:
        """What it is called."""
        return self.kind, self.name


@dataclass(frozen=True)
class GpuTime:
    """The time of one GPU, in accounts that sum to each sample's; no GPU where it is time of a thread."""

    gpu_id: int | None
    accounts: tuple[Account, ...]


@dataclass(frozen=True)
class Total:
    """What else is counted in all samples together: time of calls in ns, bytes of copies."""

    kind: str
    name: str
    amount: int
    count: int


@dataclass(frozen=True)
class Unit:
    """Samples of a unit of time: the whole window once, or steady steps, of which a sample may hold several."""

    kind: str  # window, step, or the name of an NVTX range
    steps: tuple[int, ...]  # of each sample
    gpus: tuple[GpuTime, ...]
    calls: tuple[Total, ...] = ()  # of the launching threads, each nanosecond once
    launches: tuple[Total, ...] = ()  # pieces of GPU work that were launched, with the bytes of copies
    ranges: tuple[Total, ...] = ()  # CPU time of steps by NVTX path, beside accounts of GPUs
    sequence: tuple[str, ...] = ()  # kernels in the order of their launches, of one step or of the window's beginning
    found_by: str | None = None
    name: str | None = None
    window_share: float = 1.0  # of the window that the series covers


@dataclass(frozen=True)
class Device:
    """A GPU that was used."""

    gpu_id: int
    name: str | None
    sm_count: int | None
    clock_rate_hz: int | None


@dataclass(frozen=True)
class Facts:
    """What decides whether a comparison is fair."""

    nsys_version: str | None
    driver_version: str | None
    devices: tuple[Device, ...]
    processes: int
    traces: tuple[str, ...]  # what was recorded that costs time


@dataclass(frozen=True)
class Capture:
    """What can be compared of one capture; `lacking` says why there are no steps, or nothing at all."""

    facts: Facts
    units: tuple[Unit, ...]
    lacking: str | None = None

    def unit(self, kind: str) -> Unit | None:
        """The unit of that kind, if the capture has it."""
        return next((unit for unit in self.units if unit.kind == kind), None)
