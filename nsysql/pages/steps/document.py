"""The steps page as JSON with exact values; docs/steps.md describes it."""

from typing import Any

import polars as pl

from nsysql.pages.steps.gather import Steps
from nsysql.pages.steps.measures import mean_step, median_step, of_gpu, period, slow_steps

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
