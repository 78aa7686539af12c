"""Digests made from samples of times instead of an export; digests and findings of drawn captures."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from drawn import STORIES, drawn

import nsysql
from nsysql.analysis.digest import (
    STEP,
    WINDOW,
    WORK,
    Account,
    Device,
    Digest,
    Facts,
    GpuTime,
    Key,
    Total,
    Unit,
)
from nsysql.analysis.digest_file import text_of
from nsysql.digest import gather
from nsysql.findings.engine import find, rules
from nsysql.findings.finding import Finding, Findings

GPU = Device(0, "H100", 132, 1_980_000_000)
FACTS = Facts("2026.1", "580", (GPU,), 1, ())


def made(
    accounts: Mapping[Key, Sequence[int]],
    *,
    sequence: Sequence[str] = (),
    facts: Facts = FACTS,
    gpu_ids: Sequence[int] = (0,),
    counts: int = 1,
    found_by: str = "launches",
    name: str | None = None,
    launches: Mapping[str, int] | None = None,
    warm_up: int = 0,
    scale: int = 100_000,
) -> Digest:
    """A capture whose steps, or whose window if there is one sample, have these times (10 us) on each GPU.

    `launches` are kernels per step, by default one of each account of a kernel.
    """
    samples = len(next(iter(accounts.values())))
    rows = tuple(Account(*key, tuple(scale * n for n in ns), (counts,) * samples) for key, ns in accounts.items())
    gpus = tuple(GpuTime(gpu_id, rows) for gpu_id in gpu_ids)
    each = {name: 1 for kind, name in accounts if kind == "computing"} if launches is None else launches
    totals = tuple(Total("kernel", kernel, 0, count * samples) for kernel, count in each.items())
    units = [Unit(WINDOW, (1,), tuple(map(_whole, gpus)), launches=totals, sequence=tuple(sequence))]
    if samples > 1:
        name = name or f"{len(each)} launches"
        units.append(replace(units[0], kind=WORK, found_by=found_by, name=name, outside_ns=0))
        step = Unit(STEP, (1,) * samples, gpus, launches=totals, sequence=tuple(sequence), found_by=found_by)
        units.append(replace(step, name=name, warm_up=warm_up))
    return Digest(facts, tuple(units))


def on_cpu(accounts: Mapping[str, Sequence[int]], name: str = "step") -> Digest:
    """A capture without GPU work whose steps, marked by NVTX, have this time in these paths."""
    drawn = made({("cpu", path): ns for path, ns in accounts.items()}, found_by="nvtx", name=name, launches={})
    units = (replace(unit, gpus=(replace(unit.gpus[0], gpu_id=None),)) for unit in drawn.units if unit.kind != WINDOW)
    return replace(drawn, units=tuple(units), facts=replace(FACTS, devices=()))


def _whole(gpu: GpuTime) -> GpuTime:
    once = (replace(a, ns=(sum(a.ns),), counts=(sum(a.counts),)) for a in gpu.accounts)
    return replace(gpu, accounts=tuple(once))


@cache
def capture(text: str) -> Digest:
    """The digest of a drawn capture (see drawn.py): nothing can change it, so that all tests share it."""
    with TemporaryDirectory() as folder, nsysql.open(drawn("run", text).write(Path(folder) / "run.sqlite")) as run:
        return gather.comparable(run)


@cache
def found(text: str, *codes: str) -> Findings:
    """What these rules, by default all, find in a drawn capture: nothing can change it, so that all tests share it."""
    with TemporaryDirectory() as folder, nsysql.open(drawn("run", text).write(Path(folder) / "run.sqlite")) as run:
        return find(run, set(rules(run.paths)) - {*codes} if codes else ())


def story_text(name: str) -> str:
    """The text of a story of tests/stories."""
    return (STORIES / f"{name}.txt").read_text()


def one_found(code: str, text: str) -> Finding:
    """What one rule finds in a drawn capture, in one part of it."""
    (one,) = (one for one in found(text, code).findings if one.code == code)
    return one


def steps(mean: int, count: int = 100, spread: int = 20, kind: str = "computing", name: str = "gemm") -> Digest:
    """A capture whose steps scatter around a mean, in a fixed pattern."""
    return made({(kind, name): [mean + (i * 7919 % (2 * spread + 1)) - spread for i in range(count)]})


def write(capture: Digest, path: Path) -> Path:
    """The digest of a capture as a file."""
    path.write_bytes(text_of(capture))
    return path
