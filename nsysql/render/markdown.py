"""Markdown: a table whose cells are scaled for reading, for issues and pull requests."""

import re
from typing import IO

import polars as pl

from nsysql.render.cells import cell, heading
from nsysql.render.plain import plain

MEANS_SOMETHING = re.compile(r"[\\`*\[\]<|]|(?<!\w)_|_(?!\w)|~(?=~)|&(?=#?\w+;)")  # in the middle of a line


def write(frame: pl.DataFrame, file: IO[bytes]) -> None:
    """Write a header, a rule that aligns numbers to the right, and a line per row."""
    frame = plain(frame)
    rule = "|".join("---:" if kind.is_numeric() else "---" for kind in frame.dtypes)
    lines = [_line([heading(name) for name in frame.columns]), f"|{rule}|"]
    for row in frame.iter_rows():
        lines.append(_line([cell(name, value) for name, value in zip(frame.columns, row, strict=True)]))
    file.write(("\n".join(lines) + "\n").encode())


def escaped(text: str) -> str:
    """The text so that Markdown shows it as it is; line ends are escaped before, by `cell`."""
    return MEANS_SOMETHING.sub(r"\\\g<0>", text)


def _line(cells: list[str]) -> str:
    return "| " + " | ".join(map(escaped, cells)) + " |"
