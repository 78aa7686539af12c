"""The steps of a capture: periods, the accounts of a mean step, and what slow ones have more of."""

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import polars as pl

from nsysql.analysis.steps.series import LAUNCHES
from nsysql.analysis.steps.step_series import with_known_end
from nsysql.capture.export import Export
from nsysql.capture.nvtx_range_filter import NO_STEP
from nsysql.errors import MissingData, UsageError
from nsysql.pages.idle.gather import RANGES

EMPTY = pl.DataFrame()
ACCOUNT = ["kind", "name"]
SLOW = 0.1  # share of the median period by which a step that waits for the next one is longer
MANY = 2_000_000  # NVTX ranges; with more, splitting steps by them takes longer than all else
NO_CPU = pl.DataFrame(
    schema={"step": pl.Int64, "kind": pl.String, "name": pl.String, "total_ns": pl.Int64, "count": pl.Int64}
)
NOTHING = "No step can be found: the export has neither GPU work nor NVTX ranges; capture with --trace=cuda,nvtx."
LEFT_OUT = (
    f"the CPU side of slow steps is left out, as the export has more than {MANY:,} NVTX ranges; nsysql cpu-accounts has"
    " it."
)


@dataclass(frozen=True)
class SlowStep:
    """A slow step, and the differences of its accounts from the median step's, the largest first.

    `waits_for_step` is the next step if the GPU waits for its first work for over half of the difference.
    """

    step: int
    period_ns: int
    waits_for_step: int | None
    more: pl.DataFrame
    more_cpu: pl.DataFrame


@dataclass(frozen=True)
class Steps:
    """The steps of a capture in frames; `series` and `reason` exclude each other.

    `times` has the rows of step_times, `accounts` of step_accounts, `cpu` of cpu_accounts (none if there are too many
    NVTX ranges). `titles` are those of causes, `kernels` short names. gpu_id is the GPU that the page is about,
    `on_gpu` whether there is one, `top` the number of slow steps.
    """

    path: str
    reason: str | None = None
    every_series: pl.DataFrame = field(default_factory=pl.DataFrame)
    top: int | None = None
    times: pl.DataFrame = field(default_factory=pl.DataFrame)
    accounts: pl.DataFrame = field(default_factory=pl.DataFrame)
    cpu: pl.DataFrame = field(default_factory=pl.DataFrame)
    on_gpu: bool = False
    gpu_id: int | None = None
    notes: tuple[str, ...] = ()
    titles: dict[str, str] = field(default_factory=dict)
    kernels: dict[str, str] = field(default_factory=dict)

    @cached_property
    def series(self) -> dict[str, Any] | None:
        """The row of step_series that the page is about."""
        return None if self.reason else self.every_series.filter("is_chosen").to_dicts()[0]

    @cached_property
    def own(self) -> pl.DataFrame:
        """The steps of the GPU, or of the CPU: step, period_ns, busy_ns, is_steady, is_complete."""
        if not self.on_gpu:
            return self.times.with_columns(period_ns="cpu_dur_ns")
        return self.times.filter(_is_of(self.gpu_id)).drop_nulls("gpu_start_ns")

    @cached_property
    def steady(self) -> pl.DataFrame:
        """The steady ones of these whose period is known, the fastest first."""
        return self.known(self.own).sort("period_ns", "step")

    def known(self, own: pl.DataFrame) -> pl.DataFrame:
        """The steady steps of a GPU, or of the CPU, without the last on a GPU if its end is not known."""
        return (with_known_end(own) if self.on_gpu else own).filter("is_steady")

    @cached_property
    def unknown(self) -> int | None:
        """The number of the steady step whose period is not known."""
        left_out = set(self.own.filter("is_steady")["step"]) - set(self.steady["step"])
        return next(iter(left_out), None)

    @cached_property
    def steady_count(self) -> int:
        """How many steps are steady, with work on the GPU or without."""
        return self.times.filter("is_steady")["step"].n_unique()

    @cached_property
    def median(self) -> dict[str, Any] | None:
        """The median steady step, with which slow ones are compared."""
        return self.steady.row((self.steady.height - 1) // 2, named=True) if self.steady.height else None

    @cached_property
    def own_accounts(self) -> pl.DataFrame:
        """The accounts of each step, on the GPU that the page is about, else on its thread."""
        return self.accounts.filter(_is_of(self.gpu_id)) if self.on_gpu else self.cpu

    @cached_property
    def mean_step(self) -> pl.DataFrame:
        """The accounts of a mean steady step: kind, name, mean_ns, count per step; the means sum to the mean period."""
        steady, accounts = self.steady, self.own_accounts
        if accounts.is_empty() or steady.is_empty():
            return EMPTY
        own = accounts.filter(pl.col("step").is_in(steady["step"].implode()))
        each = pl.col("total_ns", "count").sum() / steady.height
        means = own.group_by(ACCOUNT).agg(each).rename({"total_ns": "mean_ns"})
        return means.sort("mean_ns", *ACCOUNT, descending=[True, False, False])

    @cached_property
    def slow(self) -> list[SlowStep]:
        """The slowest steady steps, if they take longer than the median one."""
        if self.median is None or self.steady.height < 3:
            return []
        usual, waits_for = self.median["step"], self._waits_for_step(self.median)
        longer = self.steady.filter(pl.col("period_ns") > self.median["period_ns"])
        slowest = longer.sort("period_ns", "step", descending=[True, False]).select("step", "period_ns").rows()
        return [
            SlowStep(
                step, period_ns, waits_for.get(step), _more(self.own_accounts, step, usual) if self.on_gpu else EMPTY,
                _more(self.cpu, step, usual),
            )
            for step, period_ns in slowest[: self.top]
        ]  # fmt: skip

    def _waits_for_step(self, median: dict[str, Any]) -> dict[int, int]:
        """The next step of each that is slow as the GPU waits for the next one's first work.

        If ranges mark the steps, only the wait during the next one on the CPU counts; otherwise it is not known when
        that begins.
        """
        if not self.on_gpu or self.series is None:
            return {}
        called = (pl.col("gpu_end_ns") - pl.col("cpu_start_ns").shift(-1)).clip(0)
        wait = pl.col("wait_ns") if self.series["found_by"] == LAUNCHES else pl.min_horizontal("wait_ns", called)
        own = self.own.sort("step").with_columns(wait=wait, after=pl.col("step").shift(-1))
        usual, more = own.filter(step=median["step"])["wait"].item(), pl.col("period_ns") - median["period_ns"]
        waits = own.filter(more > SLOW * median["period_ns"], 2 * (pl.col("wait") - usual) > more)
        return dict(waits.drop_nulls("after").select("step", "after").rows())


def _is_of(gpu_id: int | None) -> pl.Expr:
    return pl.col("gpu_id").eq_missing(pl.lit(gpu_id, pl.Int64))


def _more(accounts: pl.DataFrame, step: int, median: int) -> pl.DataFrame:
    """The accounts of a step minus those of the median step: kind, name, delta_ns, delta_count."""
    sign = pl.when(pl.col("step") == step).then(1).otherwise(-1)
    both = accounts.filter(pl.col("step").is_in([step, median]))
    deltas = {f"delta_{name}": (sign * pl.col(of)).sum() for name, of in (("ns", "total_ns"), ("count", "count"))}
    changed = both.group_by(ACCOUNT).agg(**deltas).filter(pl.col("delta_ns") != 0)
    return changed.sort(pl.col("delta_ns").abs(), *ACCOUNT, descending=[True, False, False])


def period(steps: Steps, own: pl.DataFrame) -> dict[str, Any] | None:
    """Count, median, mean, 95th percentile, extremes, coefficient of variation, rate per second; None without steps.

    `own` are the steps of a GPU, or of the CPU. A GPU without work in some steady steps has no rate: its periods last
    until the next step with work.
    """
    periods, has_all = steps.known(own)["period_ns"], own["is_steady"].sum() == steps.steady_count
    if periods.is_empty():
        return None
    mean, spread = periods.mean(), periods.std() if periods.len() > 1 else 0.0
    usual = float(mean) if isinstance(mean, int | float) else 0.0
    return {
        "count": periods.len(),
        "median_ns": periods.median(),
        "mean_ns": usual,
        "p95_ns": periods.quantile(0.95, "linear"),
        "min_ns": periods.min(),
        "max_ns": periods.max(),
        "cv": spread / usual if usual else 0.0,  # type: ignore[operator]
        "per_second": 1e9 / usual if usual and has_all else None,
    }


def collect(run: Export, step_range: str | None = None, gpu: int | None = None, top: int | None = 3) -> Steps:
    """The steps marked by ranges of that name, or those found, on that GPU or the busiest, with the `top` slowest.

    Raises MissingData if no range has the requested name, UsageError for an unused GPU.
    """
    name = run.path.name
    by = {} if step_range is None else {"step_range": step_range}
    try:  # accounts first: the ledger then shares the launches that it reads
        accounts = run.query("step_accounts", **by) if run.has("_gpu_work_ids") else EMPTY
        every = run.query("step_series", **by)
    except MissingData as error:
        if step_range is not None:
            raise
        return Steps(name, str(error) if run.has("_gpu_work_ids") or run.has(RANGES) else NOTHING)
    if not every.height or not every["is_chosen"].any():
        return Steps(name, NO_STEP[0].upper() + NO_STEP[1:], every)
    times = run.query("step_times", **by)
    on_gpu = bool(times["gpu_start_ns"].is_not_null().any())
    has_many = on_gpu and run.has(RANGES) and run.count(RANGES, {}, MANY + 1) > MANY
    return Steps(
        path=name,
        every_series=every,
        top=top,
        times=times,
        accounts=accounts if on_gpu else EMPTY,
        cpu=NO_CPU if has_many else run.query("cpu_accounts", **by),
        on_gpu=on_gpu,
        gpu_id=_gpu(gpu, times) if on_gpu else None,
        notes=(*run.data_problems("step_times"), *([LEFT_OUT] if has_many else [])),
        titles=run.cause_titles,
        kernels=run.kernel_names,
    )


def _gpu(wanted: int | None, times: pl.DataFrame) -> int | None:
    """The requested GPU, else the one busy longest in the steps. Raises UsageError if the requested has no work."""
    on_gpu = times.drop_nulls("gpu_start_ns")
    known = on_gpu["gpu_id"].unique().sort()
    if wanted is not None and wanted not in known:
        raise UsageError(f"no step has work on GPU {wanted}; there is {', '.join(map(str, known))}.")
    busy = on_gpu.group_by("gpu_id").agg(pl.col("busy_ns").sum()).sort("busy_ns", "gpu_id", descending=[True, False])
    gpu_id: int | None = busy["gpu_id"][0] if wanted is None else wanted
    return gpu_id
