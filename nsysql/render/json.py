"""JSON with exact values: a frame is a list of objects, one row per line; a page is one object."""

import json
from typing import IO, Any

import polars as pl

from nsysql.render import ndjson


def write(frame: pl.DataFrame, file: IO[bytes]) -> None:
    """Write the list; NaN and infinities, which JSON does not have, become null."""
    before = b"[\n"
    for lines in ndjson.chunks(frame):
        file.write(before + lines.removesuffix(b"\n").replace(b"\n", b",\n"))
        before = b",\n"
    file.write(b"[]\n" if before == b"[\n" else b"\n]\n")


def write_document(document: dict[str, Any], file: IO[bytes]) -> None:
    """Write dictionaries and lists as one object, indented on a terminal. Raises ValueError for NaN and infinities."""
    layout: dict[str, Any] = {"indent": 2} if file.isatty() else {"separators": (",", ":")}
    file.write((json.dumps(document, ensure_ascii=False, allow_nan=False, **layout) + "\n").encode())
