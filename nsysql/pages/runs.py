"""The sections of the page about many runs: a row for each, outliers, how much they differ, when each was busy."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from typing import Any

import polars as pl

from nsysql.analysis.many_runs import FAR, FEWEST, ManyRuns
from nsysql.pages.elements import LEGEND, Page, Section, shaded
from nsysql.pages.phrases import account_name, gpu_number
from nsysql.pages.sections import table
from nsysql.words.quantities import counted, safe, time

SCHEMA = "nsysql.runs/1"  # adding a key does not change the number; removing or changing one does


def document(runs: ManyRuns) -> dict[str, Any]:
    heat, shown = runs.heat_map, None
    if heat is not None:
        pairs = zip(heat.gpus, heat.busy.shares, strict=True)
        busy = [{"run": run, "gpu_id": gpu_id, "shares": list(shares)} for (run, gpu_id), shares in pairs]
        shown = {"slice_ns": heat.busy.column_ns, "aligned_by": heat.aligned_by, "rows": busy}
    rows = runs.overview.to_dicts()
    return {
        "schema": SCHEMA,
        "files": runs.status.select("run", "path", "status", "reason").to_dicts(),
        "rows": [{**row, "limits": row["limits"].split(",") if row["limits"] else []} for row in rows],
        "outliers": runs.outliers.to_dicts(),
        "spread": runs.spread.to_dicts(),
        "heat_map": shown,
    }


def frame(runs: ManyRuns) -> pl.DataFrame:
    """The main table: one row per run and GPU, and one per file that was not read, with the reason."""
    status = runs.status.select("run", "status", "reason").with_row_index("place")
    rows = status.join(runs.overview, on="run", how="left", maintain_order="left_right")
    return rows.sort("place", "gpu_id", maintain_order=True).select(*runs.overview.columns, "status", "reason")


NAMES = {
    "window_ns": "window",
    "busy_ns": "GPU busy",
    "idle_ns": "GPU idle",
    "exposed_communication_ns": "exposed communication",
    "period_ns": "step period",
}
MARK = "*"
ALL = "; --top 0 shows all"
UNEVEN = 1.1  # ratio of numbers of steps from which they are shown
ALIKE = 50  # percent up to which runs may be repeats of one program
PROGRAMS = 3  # whose spread is shown: those with the most runs
ACCOUNTS = 8  # most accounts in the table of spread


def page(runs: ManyRuns, top: int | None) -> Page:
    """The page, with at most `top` rows in sections that list runs."""
    sections = (_runs(runs, top), _failed(runs, top), *_outliers(runs, top), *_spread(runs), *_heat(runs, top))
    return Page(runs.title, tuple(section for section in sections if section.rows or section.before))


def _runs(runs: ManyRuns, top: int | None) -> Section:
    """A row for each run and GPU."""
    marks = {(row["run"], row["gpu_id"], row["measure"]) for row in runs.outliers.to_dicts()}
    has_gpus, has_steps = (runs.overview[name].is_not_null().any() for name in ("window_ns", "period_ns"))
    has_communication = bool(runs.overview["exposed_communication_ns"].sum())
    models = runs.overview["gpu_name"].drop_nulls().n_unique()
    counts = runs.overview["steady_steps"].drop_nulls()
    are_uneven = counts.len() > 1 and counts.max() > UNEVEN * counts.min()  # type: ignore[operator]
    rows = [
        {
            **row,
            "gpu_name": row["gpu_name"] if models > 1 else "",
            "steps": row["steady_steps"] if are_uneven else "",
            "gpu": "" if row["window_ns"] is None else gpu_number(row["gpu_id"]),
            "window": _marked(row, "window_ns", marks),
            "idle": _marked(row, "idle_ns", marks),
            "communication": _marked(row, "exposed_communication_ns", marks) if has_communication else "",
            "period": _marked(row, "period_ns", marks),
            "limit": (row["limits"] or "").partition(",")[0],  # the others are in the JSON
        }
        for row in runs.overview.to_dicts()
    ]
    columns = (
        "run=run:text gpu=GPU gpu_name=model:text window=window busy_ns/window_ns=busy:pct idle=idle"
        " communication=exposed_comm. period=step steps=steps main_cause_title=main_cause_of_idle:text"
        " limit=limited_by:text"
    )
    after = []
    if not has_gpus and not has_steps:
        after.append("No GPU work and no steps were recorded: nsysql summary says what each export has.")
    if marks:
        after.append(f"{MARK} outlier; see below.")
    window, step = "window: first to last GPU work", "step: median period of the steady ones"
    steps = "steps: the steady ones; window, busy and idle grow with them"
    parts = (window, has_gpus), (step, has_steps), (steps, are_uneven)
    meaning = "; ".join(text for text, is_there in parts if is_there)
    return table("Runs", columns, rows, meaning, after=after, top=top, rest="row", how=ALL)


def _marked(row: dict[str, Any], measure: str, marks: set[tuple[Any, ...]]) -> str:
    """A time of a run, marked if it is an outlier; as wide as a marked one if others of its column are marked."""
    text = time(row[measure])
    if not any(marked == measure for *_, marked in marks):
        return text
    return text + (MARK if (row["run"], row["gpu_id"], measure) in marks else " ")


def _failed(runs: ManyRuns, top: int | None) -> Section:
    of = f"{runs.failed.height:,} of {counted(runs.status.height, 'file')}"
    columns = "run=run:text reason=why:wrap"
    return table("Not read, or not in full", columns, runs.failed.to_dicts(), of, top=top, rest="file")


def _outliers(runs: ManyRuns, top: int | None) -> Iterator[Section]:
    """The outliers, far from the median of all."""
    if max(runs.overview.group_by("program", "gpu_name").len()["len"], default=0) < FEWEST:
        return
    on = " on that GPU model" if runs.overview["gpu_name"].drop_nulls().n_unique() > 1 else ""
    meaning = f"more than {FAR:.0f} median absolute deviations (MAD), and 1%, from the program's median{on}"
    rows = [
        {
            **row,
            "measure": NAMES[row["measure"]],
            "gpu": "" if row["gpu_id"] is None else gpu_number(row["gpu_id"]),
            "far": "most are equal" if row["deviations"] is None else f"{row['deviations']:+,.1f}",
        }
        for row in runs.outliers.to_dicts()
    ]
    columns = "run=run:text gpu=GPU measure=measure:text value_ns=value median_ns=median far=MADs_away"
    before = () if rows else ("None.",)
    yield table("Outliers", columns, rows, meaning, before, top=top, rest="outlier", how=ALL)


def _spread(runs: ManyRuns) -> Iterator[Section]:
    """How much the runs of a program differ from each other."""
    programs = runs.spread.partition_by("program", maintain_order=True)
    for place, spread in enumerate(programs[:PROGRAMS]):
        rows = runs.overview.filter(pl.col("program").eq_missing(pl.lit(spread["program"][0], pl.String)))
        section = _spread_of(spread, sorted(rows["gpu_name"].drop_nulls().unique()))
        if len(programs) > 1:
            name = spread["program"][0]
            section = replace(section, title=f"{section.title} of {safe(name) if name else 'unknown programs'}")
        if place == PROGRAMS - 1 < len(programs) - 1:
            left = counted(len(programs) - PROGRAMS, "more program")
            section = replace(section, after=(*section.after, f"{left}; see --format json."))
        yield section


def _spread_of(spread: pl.DataFrame, models: list[str]) -> Section:
    unit = "step" if (spread["unit"] == "step").any() else "window"
    accounts = spread.filter(unit=unit)
    rows = [{**row, "kind": "run", "what": NAMES[row["name"]]} for row in spread.filter(unit="run").to_dicts()]
    for row in accounts.head(ACCOUNTS).to_dicts():
        rows.append({**row, "what": account_name(row["kind"], row["name"], {row["name"]: row["title"] or row["name"]})})
    for row, name in product(rows, ("relative_mad", "range")):
        row[name] = "" if (value := row[f"{name}_pct"]) is None else f"{value:,.1f}%"
    columns = (
        "kind=kind:text what=what:text median_ns=median min_ns=smallest max_ns=largest relative_mad=rel._MAD"
        " range=range"
    )
    of = "a steady step" if unit == "step" else "the window"
    meaning = f"over the runs, each the mean over its GPUs; accounts of {of}"
    left = accounts.height - ACCOUNTS
    after = [f"{counted(left, 'smaller account')} of the {unit}; see --format json."] if left > 0 else []
    return table("Run-to-run spread", columns, rows, meaning, _floor(spread, models), after)


def _floor(spread: pl.DataFrame, models: list[str]) -> Iterator[str]:
    """A sentence on what the spread means for a comparison."""
    for name in ("period_ns", "window_ns"):
        row = next(iter(spread.filter(unit="run", name=name).to_dicts()), None)
        if row is not None and row["range_pct"] is not None:
            change = f"From the smallest to the largest of {row['runs']:,} runs the {NAMES[name]} grows by"
            if len(models) > 1:
                yield f"{change} {row['range_pct']:,.1f}%, on different GPUs: {safe(', '.join(models))}."
            elif row["range_pct"] > ALIKE:
                yield f"{change} {row['range_pct']:,.0f}%: they are hardly repeats of one program."
            else:
                yield (
                    f"{change} {row['range_pct']:,.1f}%. If they are repeats of one program, give "
                    "three or more of them as a side to nsysql compare, which measures their noise."
                )
            return


def _heat(runs: ManyRuns, top: int | None) -> Iterator[Section]:
    """A row of shades for each GPU."""
    heat = runs.heat_map
    if heat is not None:
        pairs = zip(heat.gpus, heat.busy.shares, strict=True)
        rows = [{"run": run, "gpu_id": gpu_id, "busy": shaded(shares)} for (run, gpu_id), shares in pairs]
        where = "on the clock of UTC" if heat.aligned_by == "session start" else "each from its own first GPU work"
        meaning = f"share of time busy in columns of {time(heat.busy.column_ns)}, {where}: {LEGEND}"
        columns = "run=run:text gpu_id=GPU busy=:whole"
        yield table("When each GPU was busy", columns, rows, meaning, top=top, rest="row", how=ALL)
