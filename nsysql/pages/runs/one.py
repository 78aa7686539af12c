"""The rows of one capture for the page about many runs: a row per GPU, and accounts; made of its digest."""

import polars as pl

from nsysql.analysis.compare.side import side_of
from nsysql.analysis.digest import STEP, WINDOW, Digest

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
    "unit_ns": pl.Float64,  # mean over the steps, or of the window; mean over the GPUs
}


def overview(found: Digest) -> pl.DataFrame:
    """A row per GPU (OVERVIEW); one without a GPU if none worked."""
    limits = ",".join(dict.fromkeys(one.code for one in found.findings if not one.is_once)) or None
    gpus = found.gpus.rename({"name": "gpu_name"}) if found.gpus.height else pl.DataFrame({"gpu_id": [None]})
    most = found.periods.sort(pl.col("period_ns") * pl.col("steps"), "pid", descending=[True, False])
    periods = most.unique("gpu_id", keep="first", maintain_order=True)
    rows = gpus.cast({"gpu_id": pl.Int64}).join(
        periods.select("gpu_id", pl.col("period_ns").round().cast(pl.Int64), steady_steps="steps"),
        on="gpu_id", how="left", nulls_equal=True,
    )  # fmt: skip
    of_capture = {
        "program": found.facts.program,
        "limits": limits if found.gpus.height else None,
        "session_start_utc_ns": found.facts.session_utc_ns,
    }
    rows = rows.with_columns(**{name: pl.lit(value, OVERVIEW[name]) for name, value in of_capture.items()})
    missing = [pl.lit(None, kind).alias(name) for name, kind in OVERVIEW.items() if name not in rows.columns]
    return rows.with_columns(missing).select(*OVERVIEW).sort("gpu_id")


def accounts(found: Digest) -> pl.DataFrame:
    """The accounts of each unit of time (ACCOUNTS)."""
    rows = []
    for unit in filter(None, (found.unit(WINDOW), found.unit(STEP))):
        side = side_of([found], [unit], None)
        titles = side.titles()
        rows += [(unit.kind, *key, titles.get(key), float(ns)) for key, ns in side.mean_ns.items()]
    return pl.DataFrame(rows, schema=ACCOUNTS, orient="row")
