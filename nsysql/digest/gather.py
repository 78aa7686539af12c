"""Make the digest of an export, all from public queries: accounts by window and by step, facts, findings."""

import hashlib
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import polars as pl

from nsysql.analysis.digest import (
    STEP,
    WINDOW,
    WORK,
    Account,
    Device,
    Digest,
    Facts,
    Finding,
    GpuTime,
    Shape,
    Unit,
)
from nsysql.capture.export import Export
from nsysql.digest.members import with_members
from nsysql.digest.steps import CPU, SAMPLES, Measured, steps
from nsysql.digest.totals import calls, cause_titles, launches, samples, sequence
from nsysql.errors import UnknownName
from nsysql.findings.engine import find
from nsysql.words.titles import program

TRACES = {  # trace options that cost time, and the tables with their data
    "CPU samples": ("SAMPLING_CALLCHAINS", "COMPOSITE_EVENTS"),
    "context switches of threads": ("SCHED_EVENTS",),
    "OS runtime calls": ("OSRT_API",),
    "CUDA backtraces": ("CUDA_CALLCHAINS",),
    "GPU metrics": ("GPU_METRICS",),
    "GPU memory use": ("CUDA_GPU_MEMORY_USAGE_EVENTS",),
}
SHAPES = 60  # launch shapes of a digest
NOTHING = "the export has neither GPU work nor steps; capture with --trace=cuda,nvtx."


def digest(run: Export, per: str | None = None) -> Digest:
    """All that is kept of an open export; `per` names an NVTX range to use as a unit, too.

    Raises UnknownName if there are no ranges of that name.
    """
    return with_members(comparable(run, per), run)


def comparable(run: Export, per: str | None = None) -> Digest:
    """The part that comparisons read, without frames."""
    units = tuple(_units(run, per))
    kept = tuple(Finding(f.code, f.subject, f.says, f.saves_ns, f.once) for f in find(run).findings if f.shown)
    return Digest(facts(run), units, None if units else NOTHING, shapes(run), kept)


def of_ranks(run: Export) -> Digest:
    """The part that `ranks` reads, without units; of the facts only those of the session."""
    return with_members(Digest(Facts(None, None, (), 0, (), None, *_session(run))), run)


def _units(run: Export, per: str | None) -> Iterator[Unit]:
    whole = window(run) if run.has("_gpu_work_ids") else None
    series = steps(run)
    if whole is not None:
        yield whole
    if series and (found := work(whole, series[0])):
        yield found
    yield from (one.unit for one in series)
    if per not in (None, STEP, WINDOW, WORK):
        yield ranges(run, str(per))


def facts(run: Export) -> Facts:
    """The facts that decide whether a comparison is fair, without environment, paths or host names."""
    used: list[Any] = run.query("gpu_time")["gpu_id"].to_list() if run.has("_gpu_work_ids") else []
    known = {row["gpu_id"]: row for row in run.query("gpus").to_dicts()}
    devices = tuple(
        Device(gpu_id, *(known.get(gpu_id, {}).get(name) for name in ("name", "sm_count", "clock_rate_hz")))
        for gpu_id in used
    )
    processes = run.query("processes", count_nvtx=not used)
    working = pl.col("kernels") + pl.col("memory_operations") + pl.col("graph_runs") > 0
    count = processes.filter(working).height if used else processes.height
    traces = tuple(name for name, tables in TRACES.items() if any(run.has(table) for table in tables))
    name = processes["name"].drop_nulls().first()
    return Facts(
        *(run.info.product_version, run.info.driver_version, devices, count, traces, run.info.duration_ns),
        *(*_session(run), None if name is None else program(str(name))),
    )


def _session(run: Export) -> tuple[int | None, str | None, int | None, str | None]:
    """Start of the session, a digest of the host's name, and the rank by the launcher and its variable."""
    session, launcher = run.facts.session, run.facts.launcher_rank or (None, None)
    host = None if session.host is None else hashlib.sha256(session.host.encode()).hexdigest()[:12]
    return session.utc_ns, host, *launcher


def window(run: Export) -> Unit:
    """The whole run once: lead-in and tail by CPU call, and the window by account."""
    titles = cause_titles(run)
    columns = ["gpu_id", "kind", "name", "total_ns", "count"]
    rows = pl.concat([answer.select(columns) for answer in (run.query("gpu_accounts"), run.query("edge_accounts"))])
    gpus = tuple(
        GpuTime(gpu_id, tuple(_account(row, titles) for row in part.to_dicts()))
        for (gpu_id,), part in rows.sort("gpu_id", maintain_order=True).group_by("gpu_id", maintain_order=True)
    )
    return Unit(WINDOW, (1,), gpus, calls(run), launches(run), sequence=sequence(run), samples=samples(run))


def _account(row: dict[str, Any], titles: dict[str, str]) -> Account:
    name = row["name"] or "(no name)"
    title = titles.get(name) if row["kind"] == "idle" else None
    return Account(row["kind"], name, (row["total_ns"],), (row["count"],), title)


def work(whole: Unit | None, series: Measured) -> Unit | None:
    """The whole work once: the span of the series, warm-up included, and the busy time outside of it.

    Idle time outside of the span is `outside_ns`; without GPU work it is the time of all steps.
    """
    if whole is None:
        return replace(_once(series.unit, series.span), calls=(), ranges=(), samples=())
    idle = {gpu.gpu_id: [a for a in gpu.accounts if a.kind == "idle"] for gpu in series.span}
    gpus, outside = [], 0
    for gpu in whole.gpus:
        inside = idle.get(gpu.gpu_id, [])
        busy = [a for a in gpu.accounts if a.kind not in ("idle", "lead_in", "tail")]
        outside += sum(sum(a.ns) for a in gpu.accounts if a.kind == "idle") - sum(sum(a.ns) for a in inside)
        gpus.append(GpuTime(gpu.gpu_id, (*busy, *inside)))
    kept = replace(whole, kind=WORK, gpus=tuple(gpus), calls=(), outside_ns=round(outside / len(gpus)), samples=())
    return replace(kept, found_by=series.unit.found_by, name=series.unit.name)


def _once(unit: Unit, span: tuple[GpuTime, ...]) -> Unit:
    return replace(unit, kind=WORK, steps=(1,), gpus=span, warm_up=0, span_steps=0)


RANGES = """
SELECT dur_ns FROM nvtx_range
WHERE NOT is_open AND ($name IN (text, name) OR regexp_replace(text, '[0-9]+', '#', 'g') = $name)
ORDER BY start_ns, end_ns DESC, row_id
"""


def ranges(run: Export, name: str) -> Unit:
    """The durations of the NVTX ranges of a name, from push to pop; # in it stands for any number.

    Raises UnknownName if there are none.
    """
    found = run.sql(RANGES, {"name": name})["dur_ns"].to_list()
    if not found:
        raise UnknownName(f"{run.path} has no NVTX range {name!r}.")
    size = -(-len(found) // SAMPLES)
    parts = [found[i : i + size] for i in range(0, len(found), size)]
    counts = tuple(map(len, parts))
    account = Account(CPU, name, tuple(map(sum, parts)), counts)
    return Unit(name, counts, (GpuTime(None, (account,)),), found_by="named", name=name)


def shapes(run: Export) -> tuple[Shape, ...]:
    """The launch shapes of the kernels with most time; all others count in one without a name."""
    if not run.has("_kernel_ids"):
        return ()
    by = ["name", "grid", "block", "occupancy_pct"]
    threads = pl.concat_list(
        pl.col("grid", "block").str.split(" x ").list.eval(pl.element().cast(pl.Int64, strict=False))
    )
    rows = run.query("occupancy").with_columns(
        threads=pl.col("count") * threads.list.eval(pl.element().product()).list.first()
    )
    rows = (
        rows.group_by(by)
        .agg(pl.col("count", "threads", "total_ns").sum())
        .sort("total_ns", *by, descending=[True, *[False] * 4])
    )
    kept = [Shape(*(row[name] for name in (*by, "count", "threads"))) for row in rows.head(SHAPES).to_dicts()]
    rest = rows.slice(SHAPES)
    if rest.height:
        kept.append(Shape("", "", "", None, int(rest["count"].sum()), int(rest["threads"].sum())))
    return tuple(kept)
