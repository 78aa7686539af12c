"""What kernels could fill of the GPU: the rows of `occupancy` beside the work of a timeline."""

import polars as pl

from nsysql.capture.export import Export
from nsysql.pages.timeline.asking import ask

AXES = "xyz"
SHAPE = ["gpu_id", "name", "registers_per_thread", "static_shared_memory_bytes", "dynamic_shared_memory_bytes"]
GRID = {what: [f"{what}_{axis}" for axis in AXES] for what in ("grid", "block")}
KNOWN = {
    "occupancy_pct": pl.Float64,
    "limited_by": pl.String,
    "waves": pl.Float64,
    "last_wave_pct": pl.Float64,
}


def with_occupancy(run: Export, work: pl.DataFrame) -> pl.DataFrame:
    """Rows of gpu_events with the columns of KNOWN; NULL where `occupancy` has none, or several of one shape."""
    shapes = ask(run, "occupancy")
    none = work.with_columns(pl.lit(None, kind).alias(name) for name, kind in KNOWN.items())
    if shapes is None:
        return none
    key = [*SHAPE, *GRID]
    one = shapes.filter(pl.len().over(key) == 1).drop_nulls("occupancy_pct").select(*key, *KNOWN)
    launched = [*SHAPE, *GRID["grid"], *GRID["block"]]
    of_kernels = work.filter(pl.col("kind") == "kernel").select(launched).unique()
    spelled = of_kernels.with_columns(pl.concat_str(axes, separator=" x ").alias(what) for what, axes in GRID.items())
    found = spelled.join(one, on=key, how="inner").select(*launched, *KNOWN)
    kernels = work.join(
        found.with_columns(kind=pl.lit("kernel")), on=["kind", *launched], how="left", maintain_order="left"
    )
    return kernels if kernels.height == work.height else none


def said(occupancy: pl.Expr) -> pl.Expr:
    """The same in words, for columns of KNOWN; NULL where there is none."""
    share = pl.format("occupancy {}%", occupancy.round(1))
    limit = pl.when(pl.col("limited_by").is_not_null()).then(pl.format(" (limited by {})", "limited_by"))
    last = pl.format(", {} waves, the last {}% full", pl.col("waves").round(2), pl.col("last_wave_pct").round(1))
    return share + limit.otherwise(pl.lit("")) + last.fill_null("")
