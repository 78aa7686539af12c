"""Parquet, with the frame's own types."""

from typing import IO

import polars as pl


def write(frame: pl.DataFrame, file: IO[bytes]) -> None:
    """Write the frame as a Parquet file. Raises OSError if the file cannot be written."""
    try:
        frame.write_parquet(file)
    except pl.exceptions.ComputeError:  # polars hides the cause: raise the file's own error
        file.write(b"\0")
        file.flush()
        raise
