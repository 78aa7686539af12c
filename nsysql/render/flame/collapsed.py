"""Collapsed stacks: a line per stack, frames between semicolons, then the value. flamegraph.pl and others read them."""

from typing import IO

import polars as pl

from nsysql.pages.flame import Flame


def write(flame: Flame, file: IO[bytes]) -> None:
    """Write the stacks; line breaks in names become spaces."""
    line = pl.col("stack").str.replace_all(r"[\r\n\x{2028}\x{2029}]", " ") + " " + pl.col("value").cast(pl.String)
    for text in flame.stacks.select(line).to_series():
        file.write(f"{text}\n".encode("utf-8", "backslashreplace"))
