"""Captures for comparisons, made from samples of times instead of an export."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from nsysql.analysis.compare.capture import STEP, WINDOW, Account, Capture, Device, Facts, GpuTime, Key, Unit
from nsysql.analysis.compare.digest import text_of

GPU = Device(0, "H100", 132, 1_980_000_000)
FACTS = Facts("2026.1", "580", (GPU,), 1, ())


def made(
    accounts: Mapping[Key, Sequence[int]],
    *,
    sequence: Sequence[str] = (),
    facts: Facts = FACTS,
    gpu_ids: Sequence[int] = (0,),
    counts: int = 1,
) -> Capture:
    """A capture whose steps, or whose window where there is one sample, have these times on each GPU."""
    samples = len(next(iter(accounts.values())))
    rows = tuple(Account(*key, tuple(ns), (counts,) * samples) for key, ns in accounts.items())
    gpus = tuple(GpuTime(gpu_id, rows) for gpu_id in gpu_ids)
    kind = STEP if samples > 1 else WINDOW
    unit = Unit(kind, (1,) * samples, gpus, sequence=tuple(sequence), found_by="launches" if samples > 1 else None)
    return Capture(facts, (unit,))


def steps(mean: int, count: int = 100, spread: int = 20, kind: str = "computing", name: str = "gemm") -> Capture:
    """A capture whose steps scatter around a mean, in a fixed pattern."""
    return made({(kind, name): [mean + (i * 7919 % (2 * spread + 1)) - spread for i in range(count)]})


def write(capture: Capture, path: Path) -> Path:
    """The digest of a capture as a file."""
    path.write_bytes(text_of(capture))
    return path
