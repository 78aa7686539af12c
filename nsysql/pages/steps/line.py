"""One line about the steps of a capture, for other pages."""

from dataclasses import dataclass
from typing import Any

import polars as pl

from nsysql.analysis.steps.mark_ranges import MOST_KEPT, VIEW
from nsysql.capture.export import Export
from nsysql.errors import MissingData
from nsysql.pages.idle.ranges import are_few
from nsysql.pages.phrases import Row, counted, percent
from nsysql.pages.steps.measures import period
from nsysql.pages.steps.series_words import described, doubt, of_launches, unit
from nsysql.words.quantities import time

UNEVEN = 0.5  # standard deviation of the periods as a share of their mean, from which steps are not called steady


@dataclass(frozen=True)
class StepLine:
    """The chosen series (a row of step_series), the periods of its steady steps, and their start and end.

    `idle_in_warm_up_ns` is the GPUs' idle time in its warm-up steps.
    """

    series: Row
    period: dict[str, Any] | None
    start_ns: int
    end_ns: int
    idle_in_warm_up_ns: int

    def document(self) -> dict[str, Any]:
        """The line as JSON."""
        of_steady = {"start_ns": self.start_ns, "end_ns": self.end_ns}
        return {
            "series": dict(self.series),
            "period": self.period,
            "steady": of_steady,
            "idle_in_warm_up_ns": self.idle_in_warm_up_ns,
        }

    def __str__(self) -> str:
        is_uneven = self.period is not None and self.period["cv"] > UNEVEN
        text = described(self.series, self.series["steady_count"], "step" if is_uneven else "steady step")
        text += doubt(self.series)
        if self.period is not None:
            by_ranges = self.period["per_second"] and not of_launches(self.series)
            rate = f", {self.period['per_second']:,.2f} a second on average" if by_ranges else ""
            uneven = f", uneven: from {time(self.period['min_ns'])} to {time(self.period['max_ns'])}"
            varying = uneven if is_uneven else f", varying by {percent(self.period['cv'], 1)}"
            text += f", median {time(self.period['median_ns'])}{rate}{varying}"
        warm = self.series["warm_up_count"]
        text += f"; {counted(warm, unit(self.series))} of warm-up" if warm else ""
        return f"{text}. See nsysql steps."


def read_ahead(run: Export) -> None:
    """Start reading candidates for steps in the background during other queries, if there are many ranges."""
    if not are_few(run):
        run.read_ahead(VIEW, MOST_KEPT, computed="_step_series")


def step_line(run: Export) -> StepLine | None:
    """The steps of the whole capture; None if there are no steady steps."""
    try:
        series = run.query("step_series").filter("is_chosen")
    except MissingData:
        return None
    if series.is_empty() or not series["steady_count"][0]:
        return None
    times = run.query("step_times")
    on_gpu = times["gpu_start_ns"].is_not_null()
    if on_gpu.any():
        times = times.filter(on_gpu)
        known = times.select(
            "step", "gpu_id", "period_ns", "idle_ns", "is_steady", start="gpu_start_ns", end="gpu_end_ns"
        )
    else:
        known = times.select(
            *("step", "gpu_id", pl.col("cpu_ns").alias("period_ns"), pl.lit(0, pl.Int64).alias("idle_ns"), "is_steady"),
            start="cpu_start_ns",
            end="cpu_end_ns",
        )
    steady = known.filter("is_steady")
    if steady.is_empty():
        return None
    first = known.filter(pl.col("step") < series["warm_up_count"][0])
    most = known.group_by("gpu_id").agg(busy=(pl.col("period_ns") - pl.col("idle_ns")).sum()).sort("busy", "gpu_id")
    own = steady.filter(pl.col("gpu_id").eq_missing(pl.lit(most["gpu_id"][-1], pl.Int64)))
    chosen = series.to_dicts()[0]
    return StepLine(
        chosen,
        period(own["period_ns"]),
        int(steady["start"].min() or 0),  # type: ignore[arg-type]
        int(steady["end"].max() or 0),  # type: ignore[arg-type]
        int(first["idle_ns"].sum()),
    )


def warm_up_sentence(line: StepLine, idle_ns: int, before_ns: int) -> str | None:
    """A sentence on the idle time before the first steady step; None if there is none."""
    if not before_ns:
        return None
    of_idle = f"{time(before_ns)} of the {time(idle_ns)} idle ({percent(before_ns, idle_ns)})"
    text = f"{of_idle} lie before the first steady step"
    warm = line.series["warm_up_count"]
    if not warm:
        return f"{text}, in set-up; --steps steady leaves that out."
    inside = f"{time(line.idle_in_warm_up_ns)} in {counted(warm, 'step')} of warm-up, the rest in set-up"
    return f"{text}: {inside}. --steps steady leaves that out."
