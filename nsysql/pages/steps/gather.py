"""The data of the steps page as frames, all from public queries."""

from dataclasses import dataclass
from typing import Any

import polars as pl

from nsysql.capture.export import Export
from nsysql.capture.step_filter import NONE
from nsysql.errors import MissingData, UsageError
from nsysql.pages.idle.ranges import RANGES

EMPTY = pl.DataFrame()
MANY = 2_000_000  # NVTX ranges; with more, splitting steps by them takes longer than all else
NO_CPU = pl.DataFrame(
    schema={"step": pl.Int64, "kind": pl.String, "name": pl.String, "total_ns": pl.Int64, "count": pl.Int64}
)
LEFT_OUT = (
    f"the CPU side of slow steps is left out, as the export has more than {MANY:,} NVTX ranges; nsysql cpu-accounts has"
    " it."
)


@dataclass(frozen=True)
class StepsAsked:
    """What the page is about: a series by the name of its ranges, or the one found; its GPU; rows per section."""

    step_range: str | None = None
    gpu: int | None = None
    top: int | None = 3


@dataclass(frozen=True)
class Steps:
    """The steps of a capture in frames; `series` and `reason` exclude each other.

    `times` has the rows of step_times, `accounts` of step_accounts, `cpu` of cpu_accounts (none if there are too many
    NVTX ranges). `kernels` are short names. gpu_id is the GPU that the page is about, `on_gpu` whether there is one.
    """

    path: str
    asked: StepsAsked
    series: dict[str, Any] | None
    reason: str | None
    every_series: pl.DataFrame
    times: pl.DataFrame
    accounts: pl.DataFrame
    cpu: pl.DataFrame
    causes: pl.DataFrame
    on_gpu: bool
    gpu_id: int | None
    notes: tuple[str, ...]
    kernels: dict[str, str]


def collect(run: Export, asked: StepsAsked) -> Steps:
    """The frames of the page. Raises MissingData if no range has the requested name, UsageError for an unused GPU."""
    by = {} if asked.step_range is None else {"step_range": asked.step_range}
    has_work = run.has("_gpu_work_ids")
    try:  # accounts first: the ledger then shares the launches that it reads
        accounts = run.query("step_accounts", **by) if has_work else EMPTY
        every = run.query("step_series", **by)
    except MissingData as error:
        if asked.step_range is not None:
            raise
        return _nothing(run, asked, str(error), EMPTY)
    if not every.height or not every["is_chosen"].any():
        return _nothing(run, asked, NONE[0].upper() + NONE[1:], every)
    times = run.query("step_times", **by)
    on_gpu = times["gpu_start_ns"].is_not_null().any()
    series = every.filter("is_chosen").to_dicts()[0]
    has_many = on_gpu and run.has(RANGES) and run.count(RANGES, {}, MANY + 1) > MANY
    return Steps(
        path=run.path.name,
        asked=asked,
        series=series,
        reason=None,
        every_series=every,
        times=times,
        accounts=accounts if on_gpu else EMPTY,
        cpu=NO_CPU if has_many else run.query("cpu_accounts", **by),
        causes=run.query("idle_causes"),
        on_gpu=on_gpu,
        gpu_id=_gpu(asked, times) if on_gpu else None,
        notes=(*run.data_problems("step_times"), *([LEFT_OUT] if has_many else [])),
        kernels=run.kernel_names,
    )


def _nothing(run: Export, asked: StepsAsked, reason: str, every: pl.DataFrame) -> Steps:
    none = dict.fromkeys(("times", "accounts", "cpu", "causes"), EMPTY)
    return Steps(run.path.name, asked, None, reason, every, **none, on_gpu=False, gpu_id=None, notes=(), kernels={})


def _gpu(asked: StepsAsked, times: pl.DataFrame) -> int | None:
    """The requested GPU, else the one busy longest in the steps. Raises UsageError if the requested has no work."""
    on_gpu = times.drop_nulls("gpu_start_ns")
    known = on_gpu["gpu_id"].unique().sort()
    if asked.gpu is not None and asked.gpu not in known:
        raise UsageError(f"no step has work on GPU {asked.gpu}; there is {', '.join(map(str, known))}.")
    busy = on_gpu.group_by("gpu_id").agg(pl.col("busy_ns").sum()).sort("busy_ns", "gpu_id", descending=[True, False])
    gpu_id: int | None = busy["gpu_id"][0] if asked.gpu is None else asked.gpu
    return gpu_id
