"""In which NVTX ranges the program was when a GPU was idle: for the diagnosis, which asks only where that matters."""

import polars as pl

from nsysql.analysis.idle.nvtx_paths import NUMBER, STRETCH_OF, by_thread, located, names_of
from nsysql.analysis.view_reader import ViewReader, reads

LENGTH = pl.col("end_ns") - pl.col("start_ns")


@reads("_piece_before_launch", "_nvtx_long_range", "string")
def part_paths(views: ViewReader) -> dict[str, pl.DataFrame]:
    """The frames _part_path and _part_path_name."""
    pieces = views("_piece_before_launch").with_columns(
        pl.col("gap_id").cast(STRETCH_OF["gap_id"]), drain_row=pl.lit(None, STRETCH_OF["drain_row"])
    )
    paths, names = [], []
    for some in located(views, by_thread(pieces), "_nvtx_long_range"):
        names.append(names_of(some))
        paths.append(_longest(some))
    return {"_part_path": pl.concat(paths), "_part_path_name": pl.concat(names).unique("path_number")}


def _longest(located: pl.DataFrame) -> pl.DataFrame:
    """The path in which most of each piece lies, of several the first."""
    order = [pl.col("gap_id"), pl.col("piece_ns"), LENGTH, pl.col("start_ns")]
    known = located.drop_nulls("nvtx_path").sort(order, descending=[False, False, True, False])
    return known.unique(["gap_id", "piece_ns"], keep="first").select("gap_id", "piece_ns", NUMBER)
