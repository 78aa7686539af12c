"""Markdown: a table whose cells are scaled for reading, for issues and pull requests."""

import re
from collections.abc import Iterable
from typing import IO

import polars as pl

from nsysql.render.rows import plain
from nsysql.render.table import cells
from nsysql.words.naming import BRIEF, Naming
from nsysql.words.quantities import heading

MEANS_SOMETHING = re.compile(r"[\\`*\[\]<|]|(?<!\w)_|_(?!\w)|~(?=~)|&(?=#?\w+;)")  # within a line


def write(frame: pl.DataFrame, file: IO[bytes], naming: Naming = BRIEF) -> None:
    """Write a header, a rule that aligns numbers to the right, and a line per row."""
    frame = plain(frame)
    rule = "|".join("---:" if kind.is_numeric() else "---" for kind in frame.dtypes)
    lines = [_line([heading(name) for name in frame.columns]), f"|{rule}|"]
    lines += map(_line, zip(*cells(frame, naming).values(), strict=True))
    file.write(("\n".join(lines) + "\n").encode())


def escaped(text: str) -> str:
    """The text escaped so that Markdown shows it unchanged; `cell` has escaped line breaks before."""
    return MEANS_SOMETHING.sub(r"\\\g<0>", text)


def _line(texts: Iterable[str]) -> str:
    return "| " + " | ".join(map(escaped, texts)) + " |"
