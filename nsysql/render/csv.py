"""CSV as in RFC 4180, with \\n at line ends: exact values, NULL as nothing, an empty text as \"\"."""

from typing import IO

import polars as pl

from nsysql.render.plain import plain


def write(frame: pl.DataFrame, file: IO[bytes]) -> None:
    """Write a header line and a line per row."""
    plain(frame).write_csv(file)
