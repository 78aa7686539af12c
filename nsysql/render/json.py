"""JSON: a list of objects, one per row and line, keys as the frame's columns, exact values."""

from typing import IO

import polars as pl

from nsysql.render import ndjson


def write(frame: pl.DataFrame, file: IO[bytes]) -> None:
    """Write the list; NaN and infinities, which JSON does not know, as null."""
    before = b"[\n"
    for lines in ndjson.chunks(frame):
        file.write(before + lines.removesuffix(b"\n").replace(b"\n", b",\n"))
        before = b",\n"
    file.write(b"[]\n" if before == b"[\n" else b"\n]\n")
