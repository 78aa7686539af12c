"""Arrow's IPC file form (Feather 2), with types that every reader of it knows."""

from typing import IO

import polars as pl


def write(frame: pl.DataFrame, file: IO[bytes]) -> None:
    """Write an Arrow IPC file: the same bytes for the same rows.

    Under a NULL is what was in memory before; a value gathered from nowhere is NULL with nothing under it.
    """
    valued = pl.when(pl.all().is_not_null()).then(pl.int_range(pl.len()))
    frame.select(pl.all().gather(valued)).write_ipc(file, compat_level=pl.CompatLevel.oldest())
