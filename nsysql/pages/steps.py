"""The steps page: how steps were found, their periods, accounts, and slow steps; the same as JSON."""

import shlex
from typing import Any

import polars as pl

from nsysql.pages.elements import Bar, Page, Section, notes_section
from nsysql.pages.phrases import Row, account_name, gpu_number, joined, percent, share
from nsysql.pages.sections import table
from nsysql.pages.step_accounts import Steps, period
from nsysql.words.quantities import counted, safe, time

SCHEMA = "nsysql.steps/1"  # adding a key does not change the number; removing or changing one does
OF_STEP = ("cpu_start_ns", "cpu_end_ns", "is_steady", "is_complete")
OF_GPU = ("gpu_id", "gpu_start_ns", "gpu_end_ns", "period_ns", "busy_ns", "idle_ns")
BARS = 60  # most rows of steps; with more steps, several share a row
OTHERS = 3  # other series to name
SHOWN = 10  # accounts of a step
LAUNCHES = "launches"  # found_by of a series that is not marked by ranges
TOGETHER = (
    "The GPU ran the work of {} together with that of other steps, so these take 0 ns: the mean holds, single periods"
    " and the median do not."
)
FOUND_BY = {
    "named": "marked by the NVTX ranges asked for",
    "nvtx": "marked by NVTX ranges",
    "phases": "found by NVTX ranges that follow each other in a fixed order",
}


def document(steps: Steps) -> dict[str, Any]:
    """The page as lists and dictionaries; if no steps are found, `series` is null and `reason` says why."""
    has_steps = steps.series is not None
    return {
        "schema": SCHEMA,
        "export": steps.path,
        "series": steps.series,
        "reason": steps.reason,
        "period": period(steps, steps.own) if has_steps else None,
        "clock": ("gpu" if steps.on_gpu else "cpu") if has_steps else None,
        "gpu_id": steps.gpu_id,
        "mean_step": steps.mean_step.to_dicts() if has_steps else [],
        "median_step": steps.median["step"] if has_steps and steps.median else None,
        "steps": _steps(steps.times) if has_steps else [],
        "slow_steps": [
            {**vars(slow), "more": slow.more.to_dicts(), "more_cpu": slow.more_cpu.to_dicts()}
            for slow in (steps.slow if has_steps else ())
        ],
        "every_series": steps.every_series.to_dicts(),
        "notes": [*steps.notes, *(_together(steps) if has_steps else ())],
    }


def _steps(times: pl.DataFrame) -> list[dict[str, Any]]:
    """One object per step, with one object in `gpus` per GPU that it has work on."""
    gpus = pl.struct(OF_GPU).filter(pl.col("gpu_start_ns").is_not_null())
    return times.group_by("step", maintain_order=True).agg(pl.col(OF_STEP).first(), gpus=gpus).to_dicts()


def page(steps: Steps) -> Page:
    """The page: how the steps were found, their periods, the mean step, slow steps, and a bar for each."""
    title = f"{steps.path}: the steps of the program"
    if steps.series is None:
        return Page(title, (Section("Steps", before=(steps.reason or "",)),))
    notes = (
        *steps.notes,
        "times are relative to the start of the capture; GPU periods begin with the step's first work.",
    )
    sections = (
        _series(steps, steps.series), _period(steps, steps.series), _made_of(steps), _slow(steps), _bars(steps),
        notes_section(notes),
    )  # fmt: skip
    return Page(title, tuple(section for section in sections if section.rows or section.before))


def of_launches(series: Row) -> bool:
    """Whether the steps are known by the launch sequence only, so that a repeat may not be a whole step."""
    return bool(series["found_by"] == LAUNCHES)


def described(series: Row, count: int) -> str:
    """`count` steps of the series in words: '6 steps (step)', '15 repeats of one sequence of 157 launches'."""
    if not of_launches(series):
        return f"{counted(count, 'step')} ({safe(series['name'])})"
    launches, equal = counted(int(series["name"].split()[0]), "launch", "launches"), series["equal_count"]
    if equal == series["step_count"]:
        return f"{counted(count, 'repeat')} of one sequence of {launches}"
    return f"{counted(count, 'repeat')} of about {launches} ({equal:,} alike)"


def _choice(series: Row) -> str:
    """Another series and the option that chooses it: '10 steps (warm-up #): --step-range "warm-up #"'."""
    text = f"{described(series, series['step_count'])}, process {series['pid']}"
    name = series["step_range"]
    return text if name is None else f"{text}: --step-range {safe(shlex.quote(name))}"


def _series(page_steps: Steps, series: dict[str, Any]) -> Section:
    """How the steps were found, and how many are steady."""
    of_what = f"launches of process {series['pid']}" if page_steps.on_gpu else "time"
    what = f"{percent(series['covered_pct'], 100)} of the {of_what}"
    steps, is_marked = described(series, series["step_count"]), not of_launches(series)
    how = f", {FOUND_BY[series['found_by']]}" if is_marked else ""
    equal = series["equal_count"] if series["equal_count"] != series["step_count"] and not is_marked else None
    hold = "They hold" if equal is None else f"The {equal:,} hold"
    lines = [f"{steps}{how} on thread {series['tid']}. {hold} {what}."]
    if note := series["note"] or ("" if is_marked else "they may be parts of a step, or several steps"):
        lines.append(f"{safe(note[0].upper() + note[1:])}.")
    warm, cut = series["warm_up_count"], not bool(page_steps.times["is_complete"][-1])
    rest = "; the last is cut off and not counted" if cut else ""
    steady = series["steady_count"]
    if steady and (odd := series["step_count"] - warm - steady - cut) > 0:
        rest += f"; {odd} with far more or fewer launches {'is' if odd == 1 else 'are'} not counted"
    if page_steps.unknown is not None:
        rest += "; the period of the last is not known, as no step follows, and not counted"
    lines.append(f"{warm or 'No'} {'step is' if warm <= 1 else 'steps are'} warm-up; {steady} steady{rest}.")
    others = page_steps.every_series.filter(~pl.col("is_chosen")).sort("work_ns", "series_id", descending=[True, False])
    if others.height:
        rest = f"; {others.height - OTHERS} more: nsysql step-series" if others.height > OTHERS else ""
        lines.append(f"Also repeated: {'; '.join(map(_choice, others.head(OTHERS).to_dicts()))}{rest}.")
    return Section("Steps", before=tuple(lines))


def _period(steps: Steps, series: Row) -> Section:
    """The periods of steady steps on every GPU of the series; repeats of a launch sequence have no rate."""
    steps_of = {"CPU": steps.own}
    if steps.on_gpu:
        on_gpus = steps.times.filter(pl.col("gpu_start_ns").is_not_null()).sort("gpu_id", "step")
        parts = on_gpus.group_by("gpu_id", maintain_order=True)
        steps_of = {f"GPU {gpu_number(gpu_id)}": of_gpu for (gpu_id,), of_gpu in parts}
    rows = []
    for place, own in steps_of.items():
        if (known := period(steps, own)) is not None:
            has_rate = known["per_second"] and not of_launches(series)
            rate = f"{known['per_second']:,.2f}" if has_rate else None
            rows.append({**known, "place": place, "cv_pct": 100 * known["cv"], "per_second": rate})
    columns = (
        "place= count=steps median_ns=median mean_ns=mean p95_ns=95th_pct. min_ns=fastest max_ns=slowest"
        " cv_pct=variation:pct per_second=per_second"
    )
    rows = [{**row, "min_ns": row["min_ns"] or None} for row in rows]
    meaning = "of steady steps; variation: standard deviation as a share of the mean"
    return table("Period", columns, rows, meaning, after=_together(steps))


def _together(steps: Steps) -> list[str]:
    """That steps of 0 ns ran together with others."""
    count = steps.steady.filter(period_ns=0).height if steps.on_gpu else 0
    return [TOGETHER.format(counted(count, "step"))] if count else []


def _made_of(steps: Steps) -> Section:
    """The accounts of a mean steady step, the largest first."""
    rows = [{**_account(steps, row), "count": f"{row['count']:,.1f}"} for row in steps.mean_step.to_dicts()]
    whole = sum(row["mean_ns"] for row in rows)
    place = f"on GPU {gpu_number(steps.gpu_id)}" if steps.on_gpu else "on the marking thread"
    return table(
        "A steady step", "mean_ns=share:share mean_ns=mean count=count kind=kind:text what=what:text", rows,
        f"mean of the steady steps {place}, each nanosecond once; sums to {time(whole)}",
        top=SHOWN, rest="account", how=" (nsysql step-accounts)", total="mean_ns",
    )  # fmt: skip


def _account(steps: Steps, row: Row) -> dict[str, Any]:
    """The row of an account with its name for people."""
    kind = "" if row["kind"] == "outside" else row["kind"]
    return {**row, "kind": kind, "what": account_name(row["kind"], row["name"], steps.titles)}


def _slow(steps: Steps) -> Section:
    """The slowest steps, each with its largest differences from the median one."""
    if not steps.slow or steps.median is None:
        return Section("Slowest steps")
    base, rows = steps.median["period_ns"], []
    for one in steps.slow:
        of_step = {"step": str(one.step), "period_ns": one.period_ns, "longer_ns": one.period_ns - base}
        for side, more in (("GPU", one.more), ("CPU", one.more_cpu)):
            for row in more.head(3).to_dicts():
                rows.append({**of_step, "side": side, **_account(steps, row)})
                of_step = dict.fromkeys(of_step)
    waiting = [(one.step, one.waits_for_step) for one in steps.slow if one.waits_for_step is not None]
    after = [_waiting(waiting, steps.series)] if waiting and steps.series else []
    commands = ("idle-gaps", "summary") if steps.on_gpu else ("summary",)
    shows = " and ".join(f"nsysql {command} --steps {steps.slow[0].step}" for command in commands)
    return table(
        "Slowest steps",
        "step=step period_ns=period longer_ns=longer_by:signed side= delta_ns=difference:signed kind=kind:text"
        " what=what:text",
        rows,
        f"against step {steps.median['step']}, the median one ({time(base)}): the largest differences",
        after=[*after, f"{shows} {'show' if steps.on_gpu else 'shows'} step {steps.slow[0].step} in full."],
    )


def _waiting(steps: list[tuple[int, int]], series: Row) -> str:
    """That slow steps wait for the work of the next ones, and where the cause is."""
    noun = "step" if len(steps) == 1 else "steps"
    slow, after = (f"{noun} {joined([str(step) for step in some])}" for some in zip(*steps, strict=True))
    its = "its" if len(steps) == 1 else "their"
    where = f"between {its} launches and those of {after}" if of_launches(series) else f"in {after} on the CPU"
    return f"At the end of {slow} the GPU waits for the next step's first work: look for the cause {where}."


def _bars(page_steps: Steps) -> Section:
    """A bar for each step, or for several steps if there are many."""
    steps = page_steps.own
    each = -(-steps.height // BARS)
    longest = float(steps["period_ns"].max() or 0)  # type: ignore[arg-type]
    rows = []
    for some in steps.iter_slices(each):
        mean = float(some["period_ns"].mean() or 0)  # type: ignore[arg-type]
        rows.append(
            {
                "step": str(some["step"][0]) if each == 1 else f"{some['step'][0]} to {some['step'][-1]}",
                "mean_ns": mean,
                "bar": Bar(share(mean, longest), 20),
                "busy_ns": int(some["busy_ns"].sum()) if page_steps.on_gpu else None,
                "period_ns": int(some["period_ns"].sum()),
                "mark": mark(page_steps, some),
            }
        )
    meaning = "period of each" if each == 1 else f"mean period of {each} steps each"
    columns = "step=step mean_ns=period bar=:text busy_ns/period_ns=busy:pct mark=:text"
    return table("Step by step", columns, rows, meaning)


def mark(steps: Steps, some: pl.DataFrame) -> str:
    """What keeps steps from counting, and how many of several; not counted: far more or fewer launches than most."""
    warm = 0 if steps.series is None else steps.series["warm_up_count"]
    is_last = pl.col("step").eq_missing(pl.lit(steps.unknown, pl.Int64))
    what = (
        pl.when("is_steady").then(pl.when(is_last).then(pl.lit("no step follows")))
        .when(~pl.col("is_complete")).then(pl.lit("cut off"))
        .when(pl.col("step") < warm).then(pl.lit("warm-up"))
        .otherwise(pl.lit("not counted"))
    )  # fmt: skip
    counts = some.select(mark=what).drop_nulls().group_by("mark", maintain_order=True).len().rows()
    return ", ".join(one if count == some.height else f"{count} {one}" for one, count in counts)
