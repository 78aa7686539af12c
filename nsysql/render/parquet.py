"""Parquet, with the frame's own types."""

from typing import IO

import polars as pl


def write(frame: pl.DataFrame, file: IO[bytes]) -> None:
    """Write a Parquet file."""
    frame.write_parquet(file)
