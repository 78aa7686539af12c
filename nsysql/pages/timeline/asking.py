"""What a timeline asks of an export, of which much may be missing."""

import polars as pl

from nsysql.capture.export import Export
from nsysql.errors import MissingData, UsageError


def ask(run: Export, query: str, **parameters: object) -> pl.DataFrame | None:
    """The answer; None where the export has nothing for it."""
    try:
        found = run.query(query, **parameters)
    except MissingData:
        return None
    return None if found.is_empty() else found


def of_gpu(
    gpu: int | None, work: pl.DataFrame | None, pieces: pl.DataFrame | None
) -> tuple[pl.DataFrame | None, pl.DataFrame | None]:
    """Work and idle pieces of a GPU, of all if none is asked for. Raises UsageError where it has no work."""
    if gpu is None:
        return work, pieces
    known = [] if work is None else work["gpu_id"].unique().drop_nulls().sort().to_list()
    if work is None or gpu not in known:
        there = f"; there is {', '.join(map(str, known))}" if known else ""
        raise UsageError(f"no GPU work was recorded on GPU {gpu}{there}.")
    is_own = pl.col("gpu_id") == gpu
    return work.filter(is_own), None if pieces is None else pieces.filter(is_own)
