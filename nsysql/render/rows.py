"""Rows and documents in machine-readable formats, with exact values."""

import json
from collections.abc import Callable, Iterator
from typing import IO, Any

import polars as pl

from nsysql.errors import UsageError

ROWS = 50_000  # rows written at a time: a long frame is never in memory as text, and a full disk is noticed
NESTED = (pl.List, pl.Array, pl.Struct, getattr(pl, "Map", pl.Struct))


def write_csv(frame: pl.DataFrame, file: IO[bytes]) -> None:
    """Write CSV as in RFC 4180, with \\n at line ends: exact values, NULL as nothing, an empty text as \"\"."""
    frame = plain(frame)
    file.write(frame.clear().write_csv().encode())
    for part in frame.iter_slices(ROWS):
        file.write(part.write_csv(include_header=False).encode())


def write_ndjson(frame: pl.DataFrame, file: IO[bytes]) -> None:
    """Write an object per row and line; NaN and infinities, which JSON does not have, become null."""
    for lines in json_lines(frame):
        file.write(lines)


def json_lines(frame: pl.DataFrame) -> Iterator[bytes]:
    """The objects in chunks of many lines; each ends with a newline and contains none."""
    if frame.width:
        for part in plain(frame, nested=True).iter_slices(ROWS):
            yield part.write_ndjson().encode()


def write_json(frame: pl.DataFrame, file: IO[bytes]) -> None:
    """Write a list with an object per row; NaN and infinities, which JSON does not have, become null."""
    before = b"[\n"
    for lines in json_lines(frame):
        file.write(before + lines.removesuffix(b"\n").replace(b"\n", b",\n"))
        before = b",\n"
    file.write(b"[]\n" if before == b"[\n" else b"\n]\n")


def write_document(document: dict[str, Any], file: IO[bytes]) -> None:
    """Write dictionaries and lists as one object, indented on a terminal. Raises ValueError for NaN and infinities."""
    layout: dict[str, Any] = {"indent": 2} if file.isatty() else {"separators": (",", ":")}
    file.write((json.dumps(document, ensure_ascii=False, allow_nan=False, **layout) + "\n").encode())


def write_parquet(frame: pl.DataFrame, file: IO[bytes]) -> None:
    """Write the frame as a Parquet file. Raises OSError if the file cannot be written."""
    try:
        frame.write_parquet(file)
    except pl.exceptions.ComputeError:  # polars hides the cause: raise the file's own error
        file.write(b"\0")
        file.flush()
        raise


def write_arrow(frame: pl.DataFrame, file: IO[bytes]) -> None:
    """Write an Arrow IPC file (Feather 2) with types that every reader supports: the same bytes for the same rows.

    The bytes behind a NULL are whatever was in memory; gathering replaces them by zeros.
    """
    valued = pl.when(pl.all().is_not_null()).then(pl.int_range(pl.len()))
    frame.select(pl.all().gather(valued)).write_ipc(file, compat_level=pl.CompatLevel.oldest())


def plain(frame: pl.DataFrame, *, nested: bool = False) -> pl.DataFrame:
    """The frame with decimals as numbers and bytes as hexadecimal text; unless `nested`, lists as JSON texts.

    A user's SELECT can return such types; queries of packs do not. Raises UsageError for bytes within lists.
    """
    columns: list[pl.Expr | pl.Series] = []
    for name, kind in frame.schema.items():
        if isinstance(kind, pl.Decimal):
            columns.append(pl.col(name).cast(pl.Float64 if kind.scale else pl.Int128))
        elif kind == pl.Binary:
            columns.append(pl.col(name).bin.encode("hex"))
        elif isinstance(kind, NESTED) and not nested:
            columns.append(_as_json(frame, name))
    return frame.with_columns(columns) if columns else frame


def _as_json(frame: pl.DataFrame, name: str) -> pl.Series:
    """A column of lists or structs as one JSON text per row."""
    if "Binary" in repr(frame.schema[name]):
        raise UsageError(f"Column {name} holds bytes within a list or struct; cast it to VARCHAR.")
    lines = frame.select(pl.col(name).alias("v")).write_ndjson().splitlines()
    return pl.Series(name, [line[len('{"v":') : -1] for line in lines], pl.String)


WRITERS: dict[str, Callable[[pl.DataFrame, IO[bytes]], None]] = {
    "csv": write_csv,
    "json": write_json,
    "ndjson": write_ndjson,
    "parquet": write_parquet,
    "arrow": write_arrow,
}
