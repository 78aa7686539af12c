"""Arrow's IPC file format (Feather 2), with types that every reader supports."""

from typing import IO

import polars as pl


def write(frame: pl.DataFrame, file: IO[bytes]) -> None:
    """Write an Arrow IPC file: the same bytes for the same rows.

    The bytes behind a NULL are whatever was in memory; gathering replaces them by zeros.
    """
    valued = pl.when(pl.all().is_not_null()).then(pl.int_range(pl.len()))
    frame.select(pl.all().gather(valued)).write_ipc(file, compat_level=pl.CompatLevel.oldest())
