"""The page about many runs as JSON with exact values (see docs/runs.md), and its main table."""

from typing import Any

import polars as pl

from nsysql.pages.runs.gather import ManyRuns

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
        else {"slice_ns": heat.slice_ns, "aligned_by": heat.aligned_by, "rows": heat.rows.to_dicts()},
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
