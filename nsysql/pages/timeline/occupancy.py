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


def known_shapes(run: Export) -> pl.DataFrame | None:
    """The launch shapes of which `occupancy` says one thing; None where it has none."""
    shapes = ask(run, "occupancy")
    if shapes is None:
        return None
    key = [*SHAPE, *GRID]
    return shapes.filter(pl.len().over(key) == 1).drop_nulls("occupancy_pct").select(*key, *KNOWN)


def with_occupancy(shapes: pl.DataFrame | None, work: pl.DataFrame) -> pl.DataFrame:
    """Rows of gpu_events with the columns of KNOWN; NULL where `shapes` has none."""
    if shapes is None:
        return work.with_columns(pl.lit(None, kind).alias(name) for name, kind in KNOWN.items())
    launched = [*SHAPE, *GRID["grid"], *GRID["block"]]
    of_kernels = work.filter(pl.col("kind") == "kernel").select(launched).unique()
    spelled = of_kernels.with_columns(pl.concat_str(axes, separator=" x ").alias(what) for what, axes in GRID.items())
    found = spelled.join(shapes, on=[*SHAPE, *GRID], how="inner").select(*launched, *KNOWN)
    return work.join(
        found.with_columns(kind=pl.lit("kernel")), on=["kind", *launched], how="left", maintain_order="left"
    )
