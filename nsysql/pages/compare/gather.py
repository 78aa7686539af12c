"""Collect the data of an export that can be compared: accounts by window and by step, all from public queries."""

from collections.abc import Iterator
from typing import Any

import polars as pl

from nsysql.analysis.compare.capture import STEP, WINDOW, Account, Capture, Device, Facts, GpuTime, Unit
from nsysql.capture.export import Export
from nsysql.errors import MissingData
from nsysql.pages.compare.steps import steps
from nsysql.pages.compare.totals import calls, cause_titles, launches, sequence

TRACES = {  # trace options that cost time, and the tables with their data
    "CPU samples": ("SAMPLING_CALLCHAINS", "COMPOSITE_EVENTS"),
    "context switches of threads": ("SCHED_EVENTS",),
    "OS runtime calls": ("OSRT_API",),
    "CUDA backtraces": ("CUDA_CALLCHAINS",),
    "GPU metrics": ("GPU_METRICS",),
    "GPU memory use": ("CUDA_GPU_MEMORY_USAGE_EVENTS",),
}
NOTHING = "the export has neither GPU work nor steps; capture with --trace=cuda,nvtx."


def capture(run: Export, per: str | None = None) -> Capture:
    """The comparable data of an open export; `per` names an NVTX range to use as a unit, too.

    Raises MissingData if there are no steps of that name.
    """
    units = tuple(_units(run, per))
    return Capture(facts(run), units, None if units else NOTHING)


def _units(run: Export, per: str | None) -> Iterator[Unit]:
    if run.has("_gpu_work_ids"):
        yield window(run)
    found = steps(run, STEP)
    if found is not None:
        yield found
    if per not in (None, STEP, WINDOW):
        found = steps(run, str(per), step_range=per)
        if found is None:
            raise MissingData(f"{run.path} has no steps {per!r}: at least 3 NVTX ranges of that name are needed.")
        yield found


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
    return Facts(run.info.product_version, run.info.driver_version, devices, count, traces)


def window(run: Export) -> Unit:
    """The whole run once: lead-in and tail by CPU call, and the window by account."""
    titles = cause_titles(run)
    columns = ["gpu_id", "kind", "name", "total_ns", "count"]
    rows = pl.concat([answer.select(columns) for answer in (run.query("gpu_accounts"), run.query("edge_accounts"))])
    gpus = tuple(
        GpuTime(gpu_id, tuple(_account(row, titles) for row in part.to_dicts()))
        for (gpu_id,), part in rows.sort("gpu_id", maintain_order=True).group_by("gpu_id", maintain_order=True)
    )
    return Unit(WINDOW, (1,), gpus, calls(run), launches(run), sequence=sequence(run))


def _account(row: dict[str, Any], titles: dict[str, str]) -> Account:
    name = row["name"] or "(no name)"
    title = titles.get(name) if row["kind"] == "idle" else None
    return Account(row["kind"], name, (row["total_ns"],), (row["count"],), title)
