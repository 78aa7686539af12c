"""Newline-delimited JSON: an object per row, keys as the frame's columns, exact values."""

from collections.abc import Iterator
from typing import IO

import polars as pl

from nsysql.render.flatten import plain

ROWS = 50_000  # rows written at a time, so that a long frame is never in memory as text


def write(frame: pl.DataFrame, file: IO[bytes]) -> None:
    """Write an object per row and line; NaN and infinities, which JSON does not have, become null."""
    for lines in chunks(frame):
        file.write(lines)


def chunks(frame: pl.DataFrame) -> Iterator[bytes]:
    """The objects in chunks of many lines; each ends with a newline and contains none."""
    if frame.width:
        for part in plain(frame, nested=True).iter_slices(ROWS):
            yield part.write_ndjson().encode()
