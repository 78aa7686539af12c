"""Arrow's IPC file form (Feather 2), with types that every reader of it knows."""

from typing import IO

import polars as pl


def write(frame: pl.DataFrame, file: IO[bytes]) -> None:
    """Write an Arrow IPC file."""
    frame.write_ipc(file, compat_level=pl.CompatLevel.oldest())
