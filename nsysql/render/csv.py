"""CSV as in RFC 4180, with \\n at line ends: exact values, NULL as nothing, an empty text as \"\"."""

from typing import IO

import polars as pl

from nsysql.render.flatten import plain

ROWS = 50_000  # rows written at a time: polars' own writing to a file can miss that the disk is full


def write(frame: pl.DataFrame, file: IO[bytes]) -> None:
    """Write a header line and a line per row."""
    frame = plain(frame)
    file.write(frame.clear().write_csv().encode())
    for part in frame.iter_slices(ROWS):
        file.write(part.write_csv(include_header=False).encode())
