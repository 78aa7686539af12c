"""The data of one export for the page about many runs: a row per GPU, accounts, and when each GPU was busy."""

from dataclasses import dataclass
from statistics import median
from typing import Any

import polars as pl

from nsysql.analysis.compare.capture import STEP, WINDOW, Capture, Unit
from nsysql.capture.export import Export
from nsysql.findings.engine import find
from nsysql.pages.compare.gather import capture
from nsysql.pages.summary.captured import program

MOST = 1_024  # slices of a window, plus at most one
SLICES = {"gpu_id": pl.Int64, "slice": pl.Int64, "slice_ns": pl.Int64, "window_ns": pl.Int64, "busy_ns": pl.Int64}


def busy_slices(run: Export, overview: pl.DataFrame, start_utc_ns: int | None) -> pl.DataFrame:
    """One row per GPU and slice, in order: slice number, slice length, the time of it in the window, and busy time."""
    windows = overview.drop_nulls("window_ns").filter(pl.col("window_ns") > 0)
    if windows.is_empty():
        return pl.DataFrame(schema=SLICES)
    gaps = run.query("idle_gaps", paths=False).select("gpu_id", "start_ns", "gap_ns").sort("gpu_id", "start_ns")
    parts = []
    for window in windows.to_dicts():
        own = gaps.filter(pl.col("gpu_id").eq_missing(pl.lit(window["gpu_id"], pl.Int64)))
        parts.append(_of_gpu(window, own, start_utc_ns or 0))
    return pl.concat(parts)


def _of_gpu(window: dict[str, int], gaps: pl.DataFrame, origin: int) -> pl.DataFrame:
    """The slices of one GPU; `gaps` are in order of their start."""
    start, length = window["window_start_ns"], window["window_ns"]
    bits = max(0, (-(-length // MOST) - 1).bit_length())
    first, last = (origin + start) >> bits, (origin + start + length - 1) >> bits
    edges = pl.DataFrame({"slice": pl.int_range(first, last + 2, eager=True)}).with_columns(
        at=(pl.col("slice") * (1 << bits) - origin).clip(start, start + length)
    )
    idle = gaps.with_columns(before=pl.col("gap_ns").cum_sum() - pl.col("gap_ns"))
    met = edges.join_asof(idle, left_on="at", right_on="start_ns", strategy="backward", check_sortedness=False)
    idle_before = pl.col("before") + pl.min_horizontal(pl.col("at") - pl.col("start_ns"), "gap_ns")
    met = met.with_columns(idle=idle_before.fill_null(0))
    found = met.select(
        pl.lit(window["gpu_id"], pl.Int64).alias("gpu_id"),
        "slice",
        pl.lit(1 << bits, pl.Int64).alias("slice_ns"),
        window_ns=pl.col("at").shift(-1) - pl.col("at"),
        idle=pl.col("idle").shift(-1) - pl.col("idle"),
    ).head(-1)
    return found.with_columns(busy_ns=pl.col("window_ns") - pl.col("idle")).select(*SLICES)


PROFILER = "profiler"  # the cause that is not the program's
OVERVIEW = {
    "program": pl.String,  # of the process with the most kernels; NULL if not recorded
    "gpu_id": pl.Int64,  # NULL if no GPU worked
    "gpu_name": pl.String,
    "window_start_ns": pl.Int64,
    "window_ns": pl.Int64,
    "busy_ns": pl.Int64,
    "idle_ns": pl.Int64,
    "exposed_communication_ns": pl.Int64,
    "main_cause": pl.String,  # of idle time, except the profiler's own
    "main_cause_title": pl.String,
    "main_cause_ns": pl.Int64,
    "period_ns": pl.Int64,  # median of the steady steps, on this GPU if they have work there
    "steady_steps": pl.Int64,
    "limits": pl.String,  # codes of findings, the most important first, separated by commas
    "session_start_utc_ns": pl.Int64,
}
ACCOUNTS = {
    "unit": pl.String,  # window or step
    "kind": pl.String,
    "name": pl.String,
    "title": pl.String,
    "unit_ns": pl.Float64,  # mean over the steady steps, or of the window; mean over the GPUs
}


@dataclass(frozen=True)
class OneRun:
    """One export: rows of OVERVIEW by GPU, of ACCOUNTS and of `busy_slices`; and its data for `compare`."""

    overview: pl.DataFrame
    accounts: pl.DataFrame
    busy: pl.DataFrame
    capture: Capture


def one_run(run: Export) -> OneRun:
    """The page's data from one export; one row without a GPU if none worked."""
    start = run.facts.session.utc_ns
    found = capture(run)
    has_work = run.has("_gpu_work_ids")
    rows = _gpus(run) if has_work else [dict.fromkeys(OVERVIEW)]
    periods = _periods(found.unit(STEP))
    name = _program(run)
    for row in rows:
        row["program"] = name
        row["session_start_utc_ns"] = start
        row.update(periods.get(row["gpu_id"], {}))
    overview = pl.DataFrame(rows, schema=OVERVIEW).sort("gpu_id")
    return OneRun(overview, _accounts(found), busy_slices(run, overview, start), found)


def _program(run: Export) -> str | None:
    """The program of the process with the most kernels, without its folder."""
    name = run.query("processes", count_nvtx=False)["name"].drop_nulls().first()
    return None if name is None else program(str(name))


def _gpus(run: Export) -> list[dict[str, Any]]:
    """A row for each GPU with work, without its steps."""
    titles = dict(run.query("idle_causes").select("cause", "title").iter_rows())
    exposed = dict(run.query("exposed_time").select("gpu_id", "only_communication_ns").iter_rows())
    causes = (
        run.query("idle_ledger")
        .filter(pl.col("cause") != PROFILER)
        .sort("gpu_id", "idle_ns", "cause", descending=[False, True, False])
    )
    main = {row["gpu_id"]: row for row in causes.unique("gpu_id", keep="first", maintain_order=True).to_dicts()}
    limits = ",".join(dict.fromkeys(one.code for one in find(run).findings if one.shown and not one.once)) or None
    rows = []
    for time in run.query("gpu_time").to_dicts():
        cause = main.get(time["gpu_id"], {})
        rows.append(
            {
                **dict.fromkeys(OVERVIEW),
                **{name: time[name] for name in ("gpu_id", "window_start_ns", "window_ns", "busy_ns", "idle_ns")},
                "gpu_name": time["name"],
                "exposed_communication_ns": exposed.get(time["gpu_id"]),
                "main_cause": cause.get("cause"),
                "main_cause_title": titles.get(cause.get("cause", "")),
                "main_cause_ns": cause.get("idle_ns"),
                "limits": limits,
            }
        )
    return rows


def _periods(unit: Unit | None) -> dict[int | None, dict[str, int]]:
    """The median period and number of the steady steps, by GPU, or for the thread if there is no GPU work.

    With more than 512 steps, or very many accounts, several consecutive steps count as one with their mean.
    """
    if unit is None:
        return {}
    found = {}
    for gpu in unit.gpus:
        totals = map(sum, zip(*(account.ns for account in gpu.accounts), strict=True))
        periods = [total / steps for total, steps in zip(totals, unit.steps, strict=True)]
        found[gpu.gpu_id] = {"period_ns": round(median(periods)), "steady_steps": sum(unit.steps)}
    return found


def _accounts(found: Capture) -> pl.DataFrame:
    """The accounts of each unit of time: mean per unit and over the GPUs."""
    rows: dict[tuple[str, str, str], list[Any]] = {}
    for unit in filter(None, (found.unit(WINDOW), found.unit(STEP))):
        parts = sum(unit.steps) * len(unit.gpus)
        for gpu in unit.gpus:
            for account in gpu.accounts:
                row = rows.setdefault((unit.kind, account.kind, account.name), [account.title, 0.0])
                row[1] += sum(account.ns) / parts
    data = [(*key, title, mean) for key, (title, mean) in rows.items()]
    return pl.DataFrame(data, schema=ACCOUNTS, orient="row")
