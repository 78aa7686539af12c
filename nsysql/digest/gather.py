"""Make the digest of an export from public queries: accounts by window and by step, facts, findings."""

import hashlib
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import polars as pl

from nsysql.analysis.digest import (
    FRAMES,
    SLICES,
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
from nsysql.analysis.idle.activity import shrink_ints
from nsysql.analysis.ranks.collectives import nccl_calls, nccl_ranks, with_communicators
from nsysql.capture.export import Export
from nsysql.digest.steps import CPU, SAMPLES, SMALLER, calls, launches, samples, sequence, steps
from nsysql.errors import MissingData, UnknownName
from nsysql.findings.engine import find
from nsysql.words.quantities import program

PROFILER = "profiler"  # the cause of idle time that is not the program's
MEMBER, PERIODS = FRAMES["members"], FRAMES["periods"]

TEXTS = pl.Schema(dict.fromkeys(("clock", "kind", "name"), pl.String()))  # text columns of accounts of collectives
FEW_TEXTS = pl.Schema(dict.fromkeys(TEXTS, pl.Categorical()))  # few distinct values in many rows


def with_members(digest_: Digest, run: Export) -> Digest:
    """Add its frames to the digest of an open export."""
    on_gpu = run.has("_gpu_work_ids")
    frames = {"members": _members(run, on_gpu), "periods": _periods(run)}
    if on_gpu:
        frames |= {"gpus": _gpus(run), "busy": run.query("busy_over_time", slices=SLICES)}
    if run.has("_collective"):
        frames["collectives"] = with_communicators(run.query("collectives"), nccl_calls(run.facts.payloads))
        order = ["clock", "kind", "name", "collective_id"]  # small when written
        rows = run.select("collective_accounts", "*", "WHERE true", lambda some: shrink_ints(some.cast(FEW_TEXTS)))
        frames["stretches"] = _largest(rows).cast(TEXTS).sort(order)
    kept: Any = {name: frame.select(FRAMES[name].names()).cast(FRAMES[name]) for name, frame in frames.items()}
    return replace(digest_, **kept)


def _largest(rows: pl.DataFrame) -> pl.DataFrame:
    """Keep the ACCOUNTS largest rows of the accounts of collectives; sum the others of each collective."""
    if rows.height <= ACCOUNTS:
        return rows
    by = list(TEXTS)
    sizes = rows.group_by(by).agg(pl.len().alias("rows"), pl.col("total_ns").sum())
    texts = (pl.col(name).cast(pl.String) for name in by)
    sizes = sizes.sort("total_ns", *texts, descending=[True, False, False, False])
    kept = sizes.filter(pl.col("rows").cum_sum() <= ACCOUNTS)
    large = rows.join(kept, on=by, how="semi", nulls_equal=True)
    small = rows.join(kept, on=by, how="anti", nulls_equal=True)
    kind = pl.when(pl.col("kind") == "nvtx").then(pl.lit("rest", pl.Categorical)).otherwise("kind").alias("kind")
    rest = small.group_by("collective_id", "clock", kind).agg(pl.col("total_ns").sum(), name=pl.lit(SMALLER).first())
    return pl.concat([large.cast(TEXTS), rest.select(rows.columns).cast(TEXTS)])


def _gpus(run: Export) -> pl.DataFrame:
    """Return a row per GPU: its window, the time of each kind of work, and the cause of most idle time."""
    accounts, of_kind = run.query("gpu_accounts"), pl.col("kind")
    times = accounts.group_by("gpu_id").agg(
        computing_ns=pl.col("total_ns").filter(of_kind.is_in(["computing", "graph"])).sum(),
        exposed_communication_ns=pl.col("total_ns").filter(of_kind == "communication").sum(),
    )
    idle = accounts.filter(of_kind == "idle", pl.col("name") != PROFILER)
    idle = idle.sort("total_ns", "name", descending=[True, False]).unique("gpu_id", keep="first", maintain_order=True)
    causes = idle.select("gpu_id", main_cause="name", main_cause_ns="total_ns")
    rows = run.query("gpu_time")
    for more in (times, causes):
        rows = rows.join(more, on="gpu_id", how="left", nulls_equal=True, maintain_order="left")
    title = pl.col("main_cause").replace_strict(run.cause_titles, default=None, return_dtype=pl.String)
    return rows.with_columns(pl.col(*times.columns[1:]).fill_null(0), main_cause_title=title)


def _members(run: Export, on_gpu: bool) -> pl.DataFrame:
    """Return a row per process and GPU, or per process that called MPI without using a GPU."""
    mpi = MEMBER.to_frame().select("pid", "mpi_rank", "mpi_ns", "mpi_span_ns")
    if run.has("mpi_event"):
        ranks = run.query("mpi_ranks").unique("pid", keep="first", maintain_order=True)
        mpi = ranks.select("pid", mpi_rank="rank", mpi_ns="mpi_ns", mpi_span_ns="span_ns")
    used = (run.query("gpu_processes") if on_gpu else MEMBER.to_frame()).select("pid", "gpu_id", "activities")
    alone = mpi.join(used, on="pid", how="anti").select("pid", gpu_id=pl.lit(None, pl.Int64), activities=pl.lit(0))
    members = pl.concat([used, alone], how="vertical_relaxed").join(mpi, on="pid", how="left")
    members = members.join(_nccl(run, used), on=["pid", "gpu_id"], how="left", nulls_equal=True)
    return members.sort("pid", "gpu_id", nulls_last=True)


def _nccl(run: Export, used: pl.DataFrame) -> pl.DataFrame:
    """Return the NCCL rank of each process and GPU: by CUDA device, or by process if that has only one rank."""
    known_ranks = nccl_ranks(nccl_calls(run.facts.payloads))
    if known_ranks.is_empty():
        return MEMBER.to_frame().select("pid", "gpu_id", "nccl_rank")
    alone = known_ranks.filter(pl.len().over("pid") == 1).select("pid", only="nccl_rank")
    by_gpu = known_ranks.select("pid", gpu_id="device", own="nccl_rank").drop_nulls()
    both = used.join(by_gpu, on=["pid", "gpu_id"], how="left").join(alone, on="pid", how="left")
    return both.select("pid", "gpu_id", nccl_rank=pl.coalesce("only", "own"))


def _periods(run: Export) -> pl.DataFrame:
    """Return the median period of the steady steps of each process's main series, on each GPU."""
    try:
        series = run.query("step_series")
    except MissingData:
        return pl.DataFrame(schema=PERIODS)
    periods = [pl.DataFrame(schema=PERIODS)]
    most = series.sort("work_ns", "is_chosen", "step_count", "series_id", descending=[True, True, True, False])
    for row in most.unique("pid", keep="first", maintain_order=True).iter_rows(named=True):
        times = run.query("step_times", series=row["series_id"]).filter("is_steady")
        period = pl.coalesce("period_ns", "cpu_dur_ns").median()
        means = times.group_by("gpu_id").agg(period_ns=period, steps=pl.len())
        periods.append(means.with_columns(pid=pl.lit(row["pid"])).select(PERIODS.names()).cast(PERIODS))
    return pl.concat(periods).sort("pid", "gpu_id", nulls_last=True)


TRACES = {  # trace options that cost time, and the tables with their data
    "CPU samples": ("SAMPLING_CALLCHAINS", "COMPOSITE_EVENTS"),
    "context switches of threads": ("SCHED_EVENTS",),
    "OS runtime calls": ("OSRT_API",),
    "CUDA calls": ("CUPTI_ACTIVITY_KIND_RUNTIME",),
    "CUDA backtraces": ("CUDA_CALLCHAINS",),
    "GPU metrics": ("GPU_METRICS",),
    "GPU memory use": ("CUDA_GPU_MEMORY_USAGE_EVENTS",),
}
SHAPES = 60  # most launch shapes in a digest
ACCOUNTS = 500_000  # rows of the accounts of collectives; with more, small accounts are summed
NOTHING = "the export has neither GPU work nor steps; capture with --trace=cuda,nvtx."


def digest(run: Export, per: str | None = None) -> Digest:
    """Make the whole digest of an open export; `per` names an NVTX range to use as a unit, too.

    Raises UnknownName if there are no ranges of that name.
    """
    return with_members(comparable(run, per), run)


def comparable(run: Export, per: str | None = None) -> Digest:
    """Make the part that comparisons read, without frames. Findings come first: long tables are copied for them."""
    kept = tuple(Finding(f.code, f.subject, f.says, f.saves_ns, f.once) for f in find(run).findings if f.shown)
    units = tuple(_units(run, per))
    return Digest(facts(run), units, None if units else NOTHING, shapes(run), kept)


def of_ranks(run: Export) -> Digest:
    """Make the part that `ranks` reads: no units, and only the facts of the session."""
    return with_members(Digest(Facts(None, None, (), 0, (), None, *_session(run))), run)


def _units(run: Export, per: str | None) -> Iterator[Unit]:
    whole = window(run) if run.has("_gpu_work_ids") else None
    if whole is not None and not whole.gpus:  # no GPU work has an end
        return
    series = steps(run)
    if whole is not None:
        yield whole
    if series and (unit := work(whole, *series[0])):
        yield unit
    yield from (unit for unit, _ in series)
    if per not in (None, STEP, WINDOW, WORK):
        yield ranges(run, str(per))


def facts(run: Export) -> Facts:
    """Return the facts that decide whether a comparison is fair, without environment, paths or host names."""
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
    versions, own = (run.info.product_version, run.info.driver_version), None if name is None else program(str(name))
    return Facts(*versions, devices, count, traces, run.info.duration_ns, *_session(run), own)


def _session(run: Export) -> tuple[int | None, str | None, int | None, str | None]:
    """Return the session's start, a hash of the host's name, the launcher's rank and the variable it comes from."""
    session, launcher = run.facts.session, run.facts.launcher_rank or (None, None)
    host = None if session.host is None else hashlib.sha256(session.host.encode()).hexdigest()[:12]
    return session.utc_ns, host, *launcher


def window(run: Export) -> Unit:
    """Return the unit from first to last CUDA call: the window by account, and the time before and after it by call."""
    titles = run.cause_titles
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


def work(whole: Unit | None, series: Unit, span: tuple[GpuTime, ...]) -> Unit | None:
    """Return the unit of the whole work: the span of the series, warm-up included, and the busy time outside of it.

    Idle time outside of the span is `outside_ns`; without GPU work the unit is the time of all steps.
    """
    if whole is None:
        once = replace(series, kind=WORK, steps=(1,), gpus=span, warm_up=0, span_steps=0)
        return replace(once, calls=(), ranges=(), samples=())
    idle = {gpu.gpu_id: [a for a in gpu.accounts if a.kind == "idle"] for gpu in span}
    gpus, outside = [], 0
    for gpu in whole.gpus:
        inside = idle.get(gpu.gpu_id, [])
        busy = [a for a in gpu.accounts if a.kind not in ("idle", "lead_in", "tail")]
        outside += sum(sum(a.ns) for a in gpu.accounts if a.kind == "idle") - sum(sum(a.ns) for a in inside)
        gpus.append(GpuTime(gpu.gpu_id, (*busy, *inside)))
    kept = replace(whole, kind=WORK, gpus=tuple(gpus), calls=(), outside_ns=round(outside / len(gpus)), samples=())
    return replace(kept, found_by=series.found_by, name=series.name)


RANGES = """
SELECT dur_ns FROM nvtx_range
WHERE NOT is_open AND ($name IN (text, name) OR regexp_replace(text, '[0-9]+', '#', 'g') = $name)
ORDER BY start_ns, end_ns DESC, row_id
"""


def ranges(run: Export, name: str) -> Unit:
    """Return the durations, from push to pop, of the NVTX ranges of a name; # in it stands for any number.

    Raises UnknownName if there are none.
    """
    durations = run.sql(RANGES, {"name": name})["dur_ns"].to_list()
    if not durations:
        raise UnknownName(f"{run.path} has no NVTX range {name!r}.")
    size = -(-len(durations) // SAMPLES)
    parts = [durations[i : i + size] for i in range(0, len(durations), size)]
    counts = tuple(map(len, parts))
    account = Account(CPU, name, tuple(map(sum, parts)), counts)
    return Unit(name, counts, (GpuTime(None, (account,)),), found_by="named", name=name)


def shapes(run: Export) -> tuple[Shape, ...]:
    """Return the launch shapes of the kernels with most time; all others are summed in one without a name."""
    if not run.has("_kernel_ids"):
        return ()
    by = ["name", "grid", "block", "occupancy_pct"]
    sizes = pl.concat_str("grid", "block", separator=" x ").str.split(" x ")
    threads = sizes.list.eval(pl.element().cast(pl.Int64, strict=False).product()).list.first()
    rows = run.query("occupancy").with_columns(pl.col("name").fill_null("(no name)"), threads=pl.col("count") * threads)
    rows = rows.group_by(by).agg(pl.col("count", "threads", "total_ns").sum())
    rows = rows.sort("total_ns", *by, descending=[True, *[False] * 4])
    kept = [Shape(*(row[name] for name in (*by, "count", "threads"))) for row in rows.head(SHAPES).to_dicts()]
    rest = rows.slice(SHAPES)
    if rest.height:
        kept.append(Shape("", "", "", None, int(rest["count"].sum()), int(rest["threads"].sum())))
    return tuple(kept)
