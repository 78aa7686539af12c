"""Parquet, with the frame's own types."""

from typing import IO

import polars as pl


def write(frame: pl.DataFrame, file: IO[bytes]) -> None:
    """Write the frame as a Parquet file. Raises OSError where the file cannot take it."""
    try:
        frame.write_parquet(file)
    except pl.exceptions.ComputeError:  # polars hides what the file said: let the file say it
        file.write(b"\0")
        file.flush()
        raise
