"""The sections of the steps page: how steps were found, periods, accounts, and slow steps."""

from collections.abc import Iterator
from typing import Any

import polars as pl

from nsysql.pages.elements import Bar, Cell, Column, Page, Section, notes_section
from nsysql.pages.idle.advice import Causes
from nsysql.pages.phrases import counted, gpu_number, percent, share, work_names
from nsysql.pages.steps.gather import Steps
from nsysql.pages.steps.measures import mean_step, median_step, of_gpu, period, slow_steps
from nsysql.pages.steps.series_words import choice, described, doubt, of_launches
from nsysql.words.quantities import safe, time

SCHEMA = "nsysql.steps/1"  # adding a key does not change the number; removing or changing one does
OF_STEP = ("cpu_start_ns", "cpu_end_ns", "is_steady", "is_complete")
OF_GPU = ("gpu_id", "gpu_start_ns", "gpu_end_ns", "period_ns", "busy_ns", "idle_ns")


def document(found: Steps) -> dict[str, Any]:
    """The page as lists and dictionaries; if no steps are found, `series` is null and `reason` says why."""
    head: dict[str, Any] = {"schema": SCHEMA, "export": found.path, "series": found.series, "reason": found.reason}
    if found.series is None:
        rest: dict[str, Any] = {"period": None, "clock": None, "gpu_id": None, "mean_step": [], "median_step": None}
        return {
            **head,
            **rest,
            "steps": [],
            "slow_steps": [],
            "every_series": found.every_series.to_dicts(),
            "notes": [],
        }
    return {
        **head,
        "period": period(of_gpu(found).filter("is_steady")["period_ns"]),
        "clock": "gpu" if found.on_gpu else "cpu",
        "gpu_id": found.gpu_id,
        "mean_step": mean_step(found).to_dicts(),
        "median_step": median_step(found),
        "steps": _steps(found.times),
        "slow_steps": [
            {
                "step": slow.step,
                "period_ns": slow.period_ns,
                "more": slow.more.to_dicts(),
                "more_cpu": slow.more_cpu.to_dicts(),
            }
            for slow in slow_steps(found)
        ],
        "every_series": found.every_series.to_dicts(),
        "notes": list(found.notes),
    }


def _steps(times: pl.DataFrame) -> list[dict[str, Any]]:
    """One object per step, with one object in `gpus` per GPU that it has work on."""
    steps: dict[int, dict[str, Any]] = {}
    for row in times.iter_rows(named=True):
        step = steps.setdefault(row["step"], {"step": row["step"], **{name: row[name] for name in OF_STEP}, "gpus": []})
        if row["gpu_start_ns"] is not None:
            step["gpus"].append({name: row[name] for name in OF_GPU})
    return list(steps.values())


BARS = 60  # most rows of steps; with more steps, several share a row
OTHERS = 3  # other series to name
SHOWN = 10  # accounts of a step
FOUND_BY = {
    "named": "marked by the NVTX ranges asked for",
    "nvtx": "marked by NVTX ranges",
    "phases": "found by NVTX ranges that follow each other in a fixed order",
}


def page(found: Steps) -> Page:
    """The page: how the steps were found, their periods, the mean step, slow steps, and a bar for each."""
    title = f"{found.path}: the steps of the program"
    if found.series is None:
        return Page(title, (Section("Steps", before=(found.reason or "",)),))
    sections = [_series(found, found.series), _period(found), *_made_of(found), *_slow(found), _bars(found)]
    notes = (
        *found.notes,
        "times are relative to the start of the capture; GPU periods begin with the step's first work.",
    )
    sections.append(notes_section(notes))
    return Page(title, tuple(section for section in sections if section.rows or section.before))


def _series(found: Steps, series: dict[str, Any]) -> Section:
    """How the steps were found, and how many are steady."""
    of_what = f"launches of process {series['pid']}" if found.on_gpu else "time"
    what = f"{percent(series['covered_pct'], 100)} of the {of_what}"
    steps, is_marked = described(series, series["step_count"]), not of_launches(series)
    how = f", {FOUND_BY[series['found_by']]}" if is_marked else doubt(series)
    lines = [f"{steps}{how} on thread {series['tid']}. They hold {what}."]
    if series["note"] and is_marked:
        lines.append(f"{safe(series['note'][0].upper() + series['note'][1:])}.")
    warm, cut = series["warm_up_count"], not bool(found.times["is_complete"][-1])
    rest = "; the last is cut off and not counted" if cut else ""
    lines.append(
        f"{warm or 'No'} {'step is' if warm <= 1 else 'steps are'} warm-up; {series['steady_count']} steady{rest}."
    )
    others = found.every_series.filter(~pl.col("is_chosen")).sort("work_ns", "series_id", descending=[True, False])
    if others.height:
        rest = f"; {others.height - OTHERS} more: nsysql step-series" if others.height > OTHERS else ""
        lines.append(f"Also repeated: {'; '.join(choice(row) for row in others.head(OTHERS).to_dicts())}{rest}.")
    return Section("Steps", before=tuple(lines))


def _period(found: Steps) -> Section:
    """The periods of steady steps on every GPU of the series."""
    has_rate = found.series is not None and not of_launches(found.series)
    rows: list[tuple[Cell, ...]] = []
    for place, periods in _periods(found):
        if (known := period(periods)) is not None:
            lengths = (time(known[name]) for name in ("median_ns", "mean_ns", "p95_ns", "min_ns", "max_ns"))
            rate = f"{known['per_second']:,.2f}" if known["per_second"] and has_rate else ""
            rows.append((place, f"{known['count']:,}", *lengths, percent(known["cv"], 1), rate))
    headings = ("", "steps", "median", "mean", "95th pct.", "fastest", "slowest", "variation", "per second")
    meaning = "of steady steps; variation: standard deviation as a share of the mean"
    return Section("Period", meaning, (), tuple(map(Column, headings)), tuple(rows))


def _periods(found: Steps) -> Iterator[tuple[str, pl.Series]]:
    if not found.on_gpu:
        yield "CPU", of_gpu(found).filter("is_steady")["period_ns"]
        return
    steady = found.times.filter(pl.col("is_steady") & pl.col("gpu_start_ns").is_not_null())
    for (gpu_id,), rows in steady.sort("gpu_id", "step").group_by("gpu_id", maintain_order=True):
        yield f"GPU {gpu_number(gpu_id)}", rows["period_ns"]


def _made_of(found: Steps) -> Iterator[Section]:
    """The accounts of a mean steady step, the largest first."""
    means = mean_step(found)
    if means.is_empty():
        return
    whole = float(means["mean_ns"].sum())
    rows: list[tuple[Cell, ...]] = []
    for row in means.head(SHOWN).iter_rows(named=True):
        part = share(row["mean_ns"], whole)
        cells = (percent(row["mean_ns"], whole), Bar(part, 8), time(row["mean_ns"]), f"{row['count']:,.1f}")
        rows.append((*cells, *_account(found, row)))
    rest = means.slice(SHOWN)
    after: tuple[str, ...] = ()
    if rest.height:
        left = float(rest["mean_ns"].sum())
        after = (f"{counted(rest.height, 'more account')} with {percent(left, whole)} (nsysql step-accounts).",)
    columns = (*map(Column, ("share", "", "mean", "count")), Column("kind", right=False), Column("what", right=False))
    place = f"on GPU {gpu_number(found.gpu_id)}" if found.on_gpu else "on the marking thread"
    meaning = f"mean of the steady steps {place}, each nanosecond once; sums to {time(whole)}"
    yield Section("A steady step", meaning, (), columns, tuple(rows), after)


def _account(found: Steps, row: dict[str, Any]) -> tuple[Cell, Cell]:
    """An account in words: its kind, and its name."""
    kind, name = row["kind"], row["name"]
    if kind == "idle":
        return "idle", Causes(found.causes).title(name)
    if kind in ("computing", "communication"):
        return kind, work_names("{}", name)
    return ("", "in no NVTX range") if kind == "outside" else (kind, safe(name))


def _slow(found: Steps) -> Iterator[Section]:
    """The slowest steps, each with its largest differences from the median one."""
    slow, median = slow_steps(found), median_step(found)
    if not slow:
        return
    base = of_gpu(found).filter(pl.col("step") == median)["period_ns"][0]
    rows: list[tuple[Cell, ...]] = []
    for one in slow:
        parts = [("GPU", one.more), ("CPU", one.more_cpu)] if found.on_gpu else [("CPU", one.more_cpu)]
        first: tuple[Cell, ...] = (str(one.step), time(one.period_ns), f"+{time(one.period_ns - base)}")
        for side, more in parts:
            for row in more.head(3).iter_rows(named=True):
                rows.append((*first, side, _signed(row["delta_ns"]), *_account(found, row)))
                first = ("", "", "")
    headings = [Column(name) for name in ("step", "period", "longer by", "", "difference")]
    columns = (*headings, Column("kind", right=False), Column("what", right=False))
    meaning = f"against step {median}, the median one ({time(base)}): the largest differences"
    commands = ("idle-gaps", "summary") if found.on_gpu else ("summary",)
    shows = " and ".join(f"nsysql {command} --steps {slow[0].step}" for command in commands)
    after = (f"{shows} {'show' if found.on_gpu else 'shows'} step {slow[0].step} in full.",)
    yield Section("Slowest steps", meaning, (), columns, tuple(rows), after)


def _signed(ns: int) -> str:
    return f"{'+' if ns > 0 else '-'}{time(abs(ns))}"


def _bars(found: Steps) -> Section:
    """A bar for each step, or for several steps if there are many."""
    steps = of_gpu(found)
    each = -(-steps.height // BARS)
    longest = float(steps["period_ns"].max() or 0)  # type: ignore[arg-type]
    rows: list[tuple[Cell, ...]] = []
    for first in range(0, steps.height, each):
        some = steps.slice(first, each)
        mean = some["period_ns"].mean()
        usual = float(mean) if isinstance(mean, int | float) else 0.0
        number = str(some["step"][0]) if each == 1 else f"{some['step'][0]} to {some['step'][-1]}"
        busy = percent(int(some["busy_ns"].sum()), int(some["period_ns"].sum())) if found.on_gpu else ""
        rows.append((number, time(usual), Bar(share(usual, longest), 20), busy, _mark(some)))
    meaning = "period of each" if each == 1 else f"mean period of {each} steps each"
    columns = (*map(Column, ("step", "period")), Column("", right=False), Column("busy"), Column("", right=False))
    return Section("Step by step", meaning, (), columns, tuple(rows))


def _mark(some: pl.DataFrame) -> str:
    if some["is_steady"].all():
        return ""
    return "cut off" if not some["is_complete"].all() else "warm-up"
