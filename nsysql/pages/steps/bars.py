"""The steps as columns of a chart, by account; if there are many, a column is the mean of several."""

from dataclasses import dataclass

import polars as pl

from nsysql.errors import MissingData
from nsysql.pages.idle.advice import Causes
from nsysql.pages.phrases import gpu_number
from nsysql.pages.steps.gather import Steps
from nsysql.pages.steps.measures import account_rows, median_step, of_gpu, slow_steps
from nsysql.pages.steps.series_words import described
from nsysql.pages.timeline.model import CAUSE
from nsysql.words.quantities import time

MOST = 320  # columns
SHOWN = 9  # accounts with a color of their own
REST = "other"
KERNELS = ("computing", "communication")
PATH = "path:"  # prefix of the style of an NVTX path
STYLES = {"computing": "kernel", "copy": "memcpy"}  # styles of kinds of accounts; other kinds are their own style
TITLES = {
    "computing": "kernels", "communication": "communication", "graph": "CUDA graphs", "copy": "copies",
    "memset": "memory sets", "outside": "in no NVTX range",
}  # fmt: skip


@dataclass(frozen=True)
class StepColumn:
    """A step, or the mean of several: its number, period, time by style in ns, and `mark` if it is not steady."""

    steps: str
    first: int
    period_ns: float
    parts: dict[str, float]
    mark: str


@dataclass(frozen=True)
class StepBars:
    """A chart of steps. `styles` maps styles to titles, those with most time first.

    `slow` are sentences on the slowest steps, `slow_steps` their numbers; the median is of steady steps.
    """

    title: str
    columns: tuple[StepColumn, ...]
    styles: dict[str, str]
    median_ns: float | None
    longest_steady_ns: float | None
    each: int
    slow: tuple[str, ...]
    slow_steps: tuple[int, ...]


def bars(found: Steps) -> StepBars:
    """The chart. Raises MissingData if there are no steps."""
    if found.series is None:
        raise MissingData(f"{found.reason or 'there are no steps.'}")
    steps = of_gpu(found).sort("step")
    styles, parts = _parts(found)
    each = -(-steps.height // MOST)
    columns = tuple(_column(steps.slice(at, each), parts) for at in range(0, steps.height, each))
    steady = steps.filter("is_steady")["period_ns"]
    place = f"on GPU {gpu_number(found.gpu_id)}" if found.on_gpu else "on the marking thread"
    slow = slow_steps(found)
    return StepBars(
        f"{found.path}: {described(found.series, steps.height)} {place}",
        columns,
        styles,
        None if steady.is_empty() else float(steady.median()),  # type: ignore[arg-type]
        None if steady.is_empty() else float(steady.max()),  # type: ignore[arg-type]
        each,
        tuple(_slow(found)),
        tuple(one.step for one in slow),
    )


def _parts(found: Steps) -> tuple[dict[str, str], dict[int, dict[str, float]]]:
    """The titles of the largest accounts by style, and the time of each step by style."""
    rows = account_rows(found)
    if rows.is_empty():
        return {}, {}
    kind = pl.col("kind")
    idle = pl.when(kind == "idle").then(CAUSE + pl.col("name"))
    style = idle.when(kind == "nvtx").then(PATH + pl.col("name")).otherwise(kind.replace(STYLES))
    styled = rows.with_columns(style=style)
    sums = (
        styled.group_by("style", "kind")
        .agg(pl.col("total_ns").sum())
        .sort("total_ns", "style", descending=[True, False])
    )
    causes = Causes(found.causes)
    titles = {
        row["style"]: causes.title(row["style"].removeprefix(CAUSE))
        if row["kind"] == "idle"
        else row["style"].removeprefix(PATH)
        if row["kind"] == "nvtx"
        else TITLES.get(row["kind"], row["kind"])
        for row in sums.head(SHOWN).to_dicts()
    }
    if sums.height > SHOWN:
        titles[REST] = "other"
    own = styled.with_columns(pl.when(pl.col("style").is_in(list(titles))).then("style").otherwise(pl.lit(REST)))
    parts: dict[int, dict[str, float]] = {}
    for step, style, total in own.group_by("step", "style").agg(pl.col("total_ns").sum()).rows():
        parts.setdefault(step, {})[style] = total
    return titles, parts


def _column(some: pl.DataFrame, parts: dict[int, dict[str, float]]) -> StepColumn:
    first, last = int(some["step"][0]), int(some["step"][-1])
    sums: dict[str, float] = {}
    for step in some["step"]:
        for style, total in parts.get(step, {}).items():
            sums[style] = sums.get(style, 0) + total / some.height
    mark = "" if some["is_steady"].all() else "cut off" if not some["is_complete"].all() else "warm-up"
    number = f"step {first}" if first == last else f"steps {first} to {last}"
    return StepColumn(number, first, float(some["period_ns"].mean() or 0), sums, mark)  # type: ignore[arg-type]


def _slow(found: Steps) -> list[str]:
    """A line for each slow step, with the account that adds most."""
    median = median_step(found)
    base = of_gpu(found).filter(pl.col("step") == median)["period_ns"][0] if median is not None else 0
    lines = []
    for one in slow_steps(found):
        more = one.more if found.on_gpu else one.more_cpu
        text = f"step {one.step}: {time(one.period_ns)}, {time(one.period_ns - base)} longer than step {median}"
        longer = more.filter(pl.col("delta_ns") > 0).head(1).to_dicts() if more.height else []
        for row in longer:
            text += f"; most by {_name(found, row['kind'], row['name'])} (+{time(row['delta_ns'])})"
        lines.append(text)
    return lines


def _name(found: Steps, kind: str, name: str) -> str:
    if kind == "idle":
        return f"idle time, {Causes(found.causes).title(name)}"
    if kind == "outside":
        return f"time {TITLES[kind]}"
    return found.kernels.get(name, name) if kind in KERNELS else name
