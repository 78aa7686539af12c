"""The steps as columns of a chart, by account; if there are many, a column is the mean of several."""

from dataclasses import dataclass

import polars as pl

from nsysql.analysis.compare.side import KERNELS
from nsysql.errors import MissingData
from nsysql.pages.phrases import TITLES, gpu_number, style
from nsysql.pages.steps.measures import Steps
from nsysql.pages.steps.page import described, mark
from nsysql.words.quantities import time

MOST = 320  # columns
SHOWN = 9  # accounts with a color of their own
REST = "other"
PATH = "path:"  # prefix of the style of an NVTX path


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
    steps, steady = found.own.sort("step"), found.steady["period_ns"]
    styles, parts = _parts(found)
    each = -(-steps.height // MOST)
    place = f"on GPU {gpu_number(found.gpu_id)}" if found.on_gpu else "on the marking thread"
    return StepBars(
        f"{found.path}: {described(found.series, steps.height)} {place}",
        tuple(_column(found, steps.slice(at, each), parts) for at in range(0, steps.height, each)),
        styles,
        None if steady.is_empty() else float(steady.median()),  # type: ignore[arg-type]
        None if steady.is_empty() else float(steady.max()),  # type: ignore[arg-type]
        each,
        tuple(_slow(found)),
        tuple(one.step for one in found.slow),
    )


def _parts(found: Steps) -> tuple[dict[str, str], dict[int, dict[str, float]]]:
    """The titles of the largest accounts by style, and the time of each step by style."""
    times: dict[str, int] = {}
    titles: dict[str, str] = {}
    rows = []
    for step, kind, name, ns in found.own_accounts.select("step", "kind", "name", "total_ns").rows():
        own = PATH + name if kind == "nvtx" else style(kind, name)
        times[own] = times.get(own, 0) + ns
        titles[own] = name if kind == "nvtx" else found.titles[name] if kind == "idle" else TITLES.get(kind, kind)
        rows.append((step, own, ns))
    largest = sorted(times, key=lambda own: (-times[own], own))
    shown = {own: titles[own] for own in largest[:SHOWN]}
    if len(largest) > SHOWN:
        shown[REST] = "other"
    parts: dict[int, dict[str, float]] = {}
    for step, own, ns in rows:
        of_step = parts.setdefault(step, {})
        own = own if own in shown else REST
        of_step[own] = of_step.get(own, 0) + ns
    return shown, parts


def _column(found: Steps, some: pl.DataFrame, parts: dict[int, dict[str, float]]) -> StepColumn:
    first, last = int(some["step"][0]), int(some["step"][-1])
    sums: dict[str, float] = {}
    for step in some["step"]:
        for own, total in parts.get(step, {}).items():
            sums[own] = sums.get(own, 0) + total / some.height
    number = f"step {first}" if first == last else f"steps {first} to {last}"
    return StepColumn(number, first, float(some["period_ns"].mean() or 0), sums, mark(found, some))  # type: ignore[arg-type]


def _slow(found: Steps) -> list[str]:
    """A line for each slow step, with the account that adds most."""
    lines, usual = [], found.median or {}
    for one in found.slow:
        longer = time(one.period_ns - usual["period_ns"])
        text = f"step {one.step}: {time(one.period_ns)}, {longer} longer than step {usual['step']}"
        more = one.more if found.on_gpu else one.more_cpu
        for row in more.filter(pl.col("delta_ns") > 0).head(1).to_dicts() if more.height else ():
            text += f"; most by {_name(found, row['kind'], row['name'])} (+{time(row['delta_ns'])})"
        lines.append(text)
    return lines


def _name(found: Steps, kind: str, name: str) -> str:
    if kind == "idle":
        return f"idle time, {found.titles[name]}"
    if kind == "outside":
        return f"time {TITLES[kind]}"
    return found.kernels.get(name, name) if kind in KERNELS else name
