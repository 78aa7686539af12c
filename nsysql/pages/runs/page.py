"""The sections of the page about many runs: a row for each, outliers, how much they differ, when each was busy."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import polars as pl

from nsysql.pages.elements import Cell, Column, Page, Section
from nsysql.pages.heat import LEGEND, cell
from nsysql.pages.phrases import counted, gpu_number, percent, work_names
from nsysql.pages.runs.gather import ManyRuns
from nsysql.pages.runs.measures import FAR, FEWEST
from nsysql.words.quantities import safe, time

SCHEMA = "nsysql.runs/1"  # adding a key does not change the number; removing or changing one does


def document(found: ManyRuns) -> dict[str, Any]:
    """The page as lists and dictionaries."""
    heat = found.heat_map
    return {
        "schema": SCHEMA,
        "files": found.status.select("run", "path", "status", "reason").to_dicts(),
        "rows": [_with_limits(row) for row in found.overview.to_dicts()],
        "outliers": found.outliers.to_dicts(),
        "spread": found.spread.to_dicts(),
        "heat_map": None
        if heat is None
        else {
            "slice_ns": heat.busy.column_ns,
            "aligned_by": heat.aligned_by,
            "rows": [
                {"run": run, "gpu_id": gpu_id, "shares": list(shares)}
                for (run, gpu_id), shares in zip(heat.gpus, heat.busy.shares, strict=True)
            ],
        },
    }


def _with_limits(row: dict[str, Any]) -> dict[str, Any]:
    return {**row, "limits": row["limits"].split(",") if row["limits"] else []}


def frame(found: ManyRuns) -> pl.DataFrame:
    """The main table: one row per run and GPU, and one per file that was not read, with the reason."""
    status = found.status.select("run", "status", "reason")
    missing = status.filter(~pl.col("run").is_in(found.overview["run"].implode()))
    rows = found.overview.join(status, on="run", how="left", maintain_order="left")
    order = {name: place for place, name in enumerate(found.status["run"])}
    every = pl.concat([rows, missing], how="diagonal")
    place = pl.col("run").replace_strict(order, default=len(order), return_dtype=pl.Int64)
    return every.sort(place, "gpu_id", maintain_order=True)


NAMES = {
    "window_ns": "window",
    "busy_ns": "GPU busy",
    "idle_ns": "GPU idle",
    "exposed_communication_ns": "exposed communication",
    "period_ns": "step period",
}
MARK = "*"
ALIKE = 50  # percent up to which runs may be repeats of one program
LIMITS = 1  # codes of findings in a row: the others are in the JSON
PROGRAMS = 3  # whose spread is shown: those with the most runs
ACCOUNTS = 8  # most accounts in the table of spread


def page(found: ManyRuns, top: int | None) -> Page:
    """The page, with at most `top` rows in sections that list runs."""
    sections = [
        *_runs(found, top),
        *_failed(found, top),
        *_outliers(found, top),
        *_spread(found),
        *_heat(found, top),
    ]
    return Page(found.title, tuple(sections))


def _runs(found: ManyRuns, top: int | None) -> Iterator[Section]:
    """A row for each run and GPU."""
    if found.overview.is_empty():
        return
    marks = {(row["run"], row["gpu_id"], row["measure"]) for row in found.outliers.to_dicts()}
    marked = {measure for _, _, measure in marks}
    has_gpus = found.overview["window_ns"].is_not_null().any()
    has_communication = bool(found.overview["exposed_communication_ns"].sum())
    has_steps = found.overview["period_ns"].is_not_null().any()
    rows: list[tuple[Cell, ...]] = []
    for row in found.overview.head(top).to_dicts() if top else found.overview.to_dicts():

        def marked_time(measure: str, row: dict[str, Any] = row) -> str:
            text = time(row[measure])
            if measure not in marked:
                return text
            return text + (MARK if (row["run"], row["gpu_id"], measure) in marks else " ")

        cells: list[Cell] = [row["run"]]
        if has_gpus:
            cells.append("" if row["window_ns"] is None else gpu_number(row["gpu_id"]))
            busy = percent(row["busy_ns"], row["window_ns"] or 0)
            cells += [marked_time("window_ns"), busy, marked_time("idle_ns")]
            if has_communication:
                cells.append(marked_time("exposed_communication_ns"))
        if has_steps:
            cells.append(marked_time("period_ns"))
        if has_gpus:
            cells += [row["main_cause_title"] or "", limits(row["limits"])]
        rows.append(tuple(cells))
    headings = [Column("run", right=False)]
    if has_gpus:
        headings += [Column(name) for name in ("GPU", "window", "busy", "idle")]
        headings += [Column("exposed comm.")] if has_communication else []
    headings += [Column("step")] if has_steps else []
    if has_gpus:
        headings += [Column("main cause of idle", right=False), Column("limited by", right=False)]
    left = found.overview.height - len(rows)
    after = [f"{counted(left, 'more row')}; --top 0 shows all."] if left else []
    if not has_gpus and not has_steps:
        after.append("No GPU work and no steps were recorded: nsysql summary says what each export has.")
    if marks:
        after.append(f"{MARK} outlier; see below.")
    meaning = "window: first to last GPU work" if has_gpus else ""
    if has_steps:
        meaning += f"{'; ' if meaning else ''}step: median period of the steady ones"
    yield Section("Runs", meaning, (), tuple(headings), tuple(rows), tuple(after))


def limits(codes: str | None) -> str:
    """The most important findings of a run."""
    return ", ".join(codes.split(",")[:LIMITS]) if codes else ""


def _failed(found: ManyRuns, top: int | None) -> Iterator[Section]:
    if found.failed.is_empty():
        return
    shown = found.failed.head(top) if top else found.failed
    rows = tuple((row["run"], row["reason"]) for row in shown.to_dicts())
    left = found.failed.height - len(rows)
    columns = (Column("run", right=False), Column("why", right=False, wrap=True))
    after = (f"{counted(left, 'more file')}.",) if left else ()
    of = f"{found.failed.height:,} of {counted(found.status.height, 'file')}"
    yield Section("Not read, or not in full", of, (), columns, rows, after)


def _outliers(found: ManyRuns, top: int | None) -> Iterator[Section]:
    """The outliers, far from the median of all."""
    if max(found.overview.group_by("program").len()["len"], default=0) < FEWEST:
        return
    meaning = f"more than {FAR:.0f} median absolute deviations (MAD), and 1%, from the program's median"
    rows: list[tuple[Cell, ...]] = []
    shown = found.outliers.head(top) if top else found.outliers
    for row in shown.to_dicts():
        far = "most are equal" if row["deviations"] is None else f"{row['deviations']:+,.1f}"
        gpu = "" if row["gpu_id"] is None else gpu_number(row["gpu_id"])
        rows.append((row["run"], gpu, NAMES[row["measure"]], time(row["value_ns"]), time(row["median_ns"]), far))
    if not rows:
        yield Section("Outliers", meaning, ("None.",))
        return
    left = found.outliers.height - len(rows)
    after = (f"{counted(left, 'more outlier')}; --top 0 shows all.",) if left else ()
    columns = (
        *(Column("run", right=False), Column("GPU"), Column("measure", right=False)),
        *map(Column, ("value", "median", "MADs away")),
    )
    yield Section("Outliers", meaning, (), columns, tuple(rows), after)


def _spread(found: ManyRuns) -> Iterator[Section]:
    """How much the runs of a program differ from each other."""
    programs = found.spread.partition_by("program", maintain_order=True)
    for place, spread in enumerate(programs[:PROGRAMS]):
        section = _spread_of(spread)
        if len(programs) > 1:
            name = spread["program"][0]
            section = replace(section, title=f"{section.title} of {safe(name) if name else 'unknown programs'}")
        if place == PROGRAMS - 1 < len(programs) - 1:
            left = counted(len(programs) - PROGRAMS, "more program")
            section = replace(section, after=(*section.after, f"{left}; see --format json."))
        yield section


def _spread_of(spread: pl.DataFrame) -> Section:
    unit = "step" if (spread["unit"] == "step").any() else "window"
    accounts = spread.filter(unit=unit)
    chosen = pl.concat([spread.filter(unit="run"), accounts.head(ACCOUNTS)])
    rows: list[tuple[Cell, ...]] = []
    for row in chosen.to_dicts():
        numbers = (time(row[name]) for name in ("median_ns", "min_ns", "max_ns"))
        rows.append((*_what(row), *numbers, _pct(row["relative_mad_pct"]), _pct(row["range_pct"])))
    columns = (
        *(Column("kind", right=False), Column("what", right=False)),
        *map(Column, ("median", "smallest", "largest", "rel. MAD", "range")),
    )
    of = "a steady step" if unit == "step" else "the window"
    meaning = f"over the runs, each the mean over its GPUs; accounts of {of}"
    left = accounts.height - ACCOUNTS
    after = [f"{counted(left, 'smaller account')} of the {unit}; see --format json."] if left > 0 else []
    return Section("Run-to-run spread", meaning, tuple(_floor(spread)), columns, tuple(rows), tuple(after))


def _floor(spread: pl.DataFrame) -> Iterator[str]:
    """A sentence on what the spread means for a comparison."""
    for name in ("period_ns", "window_ns"):
        row = next(iter(spread.filter(unit="run", name=name).to_dicts()), None)
        if row is not None and row["range_pct"] is not None:
            change = f"From the smallest to the largest of {row['runs']:,} runs the {NAMES[name]} grows by"
            if row["range_pct"] > ALIKE:
                yield f"{change} {row['range_pct']:,.0f}%: they are hardly repeats of one program."
            else:
                yield (
                    f"{change} {row['range_pct']:,.1f}%. If they are repeats of one program, give "
                    "three or more of them as a side to nsysql compare, which measures their noise."
                )
            return


def _what(row: dict[str, Any]) -> tuple[Cell, Cell]:
    if row["unit"] == "run":
        return "run", NAMES[row["name"]]
    if row["kind"] in ("computing", "communication"):
        return row["kind"], work_names("{}", row["name"])
    return row["kind"], safe(row["title"] or row["name"])


def _pct(value: float | None) -> str:
    return "" if value is None else f"{value:,.1f}%"


def _heat(found: ManyRuns, top: int | None) -> Iterator[Section]:
    """A row of shades for each GPU."""
    heat = found.heat_map
    if heat is None:
        return
    pairs = list(zip(heat.gpus, heat.busy.shares, strict=True))
    rows = tuple((run, gpu_number(gpu_id), cell(shares)) for (run, gpu_id), shares in pairs[: top or len(pairs)])
    where = "on the clock of UTC" if heat.aligned_by == "session start" else "each from its own first GPU work"
    meaning = f"share of time busy in columns of {time(heat.busy.column_ns)}, {where}: {LEGEND}"
    left = len(pairs) - len(rows)
    after = (f"{counted(left, 'more row')}; --top 0 shows all.",) if left else ()
    columns = (Column("run", right=False), Column("GPU"), Column("", right=False, whole=True))
    yield Section("When each GPU was busy", meaning, (), columns, rows, after)
