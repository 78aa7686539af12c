"""Rows as a table for the terminal or in Markdown, with cells scaled for reading, and exact in formats for programs.

On a terminal long texts are cut in the middle, and columns that do not fit are left out.
"""

import json
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import IO, Any

import polars as pl
from rich.console import Console
from rich.text import Text

from nsysql.errors import UsageError
from nsysql.words.kernel_names import BRIEF, Naming, cut_kernels, is_kernel
from nsysql.words.quantities import cell, columns_of, heading
from nsysql.words.truncate import cut, cut_names

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


GAP = 2  # spaces between columns
LONGEST_TEXT = 100  # columns of a text if the width is unlimited
SHORTEST_TEXT = 12  # least columns of a cut text; then other columns are left out
WHERE = re.compile(r"(?!(gpu|gap|stream)_id)\w+_id|pid|tid|process|thread|kind|\w+_(start|end)_ns")  # left out first
RAN = re.compile(r"(gpu|stream)_id|(start|dur)_ns")  # left out last: where and how long it ran
NAME = 24  # least columns of the last text, which usually is the row's name


def write(
    frame: pl.DataFrame, file: IO[str], width: int | None = None, naming: Naming = BRIEF, first: Sequence[str] = ()
) -> list[str]:
    """Write the table within `width` columns; returns the frame's columns that did not fit.

    `first` names columns, or their beginnings: they are left out last, and the first of them never.

    Color and bold are used only if `file` is a terminal.
    """
    frame = plain(frame)
    texts = cells(frame, naming)
    width, widest = (None, None) if naming.is_full else (width, LONGEST_TEXT)
    room = _column_widths(frame, texts, width, widest, first)
    right = {name: frame.schema[name].is_numeric() for name in room}
    head = Text(_line([_padded(cut(heading(n), w), w, right[n]) for n, w in room.items()]), "bold")
    file.write(styled(head, file))
    names = {n: frame[n].drop_nulls().unique() if frame.schema[n] == pl.String else () for n in room}
    cuts = {n: cut_kernels if any(map(is_kernel, names[n])) else cut_names for n in room}
    shown = [[_padded(text, w, right[n]) for text in cuts[n](texts[n], w)] for n, w in room.items()]
    file.writelines(f"{_line(row)}\n" for row in zip(*shown, strict=True))
    return [name for name in frame.columns if name not in room]


def styled(text: Text, file: IO[str]) -> str:
    """A line with its colors if the file is a terminal; if rich wrote it, a closed pipe would end the process."""
    console = Console(file=file, highlight=False, soft_wrap=True)
    with console.capture() as captured:
        console.print(text)
    return captured.get()


def _padded(text: str, columns: int, right: bool) -> str:
    space = " " * (columns - columns_of(text))
    return space + text if right else text + space


def _line(cells: Iterable[str]) -> str:
    return (" " * GAP).join(cells).rstrip()


def cells(frame: pl.DataFrame, naming: Naming) -> dict[str, list[str]]:
    """The texts of each column, with kernel names shortened as requested."""
    texts = {name: [cell(name, value) for value in frame[name]] for name in frame.columns}
    shown = naming.of_texts(t for name, kind in frame.schema.items() if kind == pl.String for t in texts[name])
    return {n: [shown.get(t, t) for t in texts[n]] if frame.schema[n] == pl.String else texts[n] for n in texts}


def _column_widths(
    frame: pl.DataFrame, texts: dict[str, list[str]], width: int | None, widest: int | None, first: Sequence[str]
) -> dict[str, int]:
    natural = {n: max(columns_of(t) for t in [heading(n), *texts[n]]) for n in frame.columns}
    is_text = {n: not frame.schema[n].is_numeric() for n in frame.columns}
    if width is None:
        return {n: min(w, widest or w) if is_text[n] else w for n, w in natural.items()}
    last = next((n for n in reversed(frame.columns) if is_text[n]), frame.columns[-1])
    least = {n: min(w, NAME if n == last else SHORTEST_TEXT) if is_text[n] else w for n, w in natural.items()}
    shown = dict(natural)
    named = [next((c for c in frame.columns if c == n or c.startswith(f"{n}_")), last) for n in first if n]
    for name in _dispensable(frame, named, {last, *named[:1]}):
        if _total([least[n] for n in shown]) <= width:
            break
        del shown[name]
    return _shrunk(shown, {n: min(least[n], w) for n, w in shown.items()}, width)


def _dispensable(frame: pl.DataFrame, named: Sequence[str], kept: set[str]) -> list[str]:
    """Columns as they are left out: empty ones, those that say where, the rest, where it ran, `named`.

    Each from the right, and never `kept`. The first column of a table says what its row is, unless it is a process.
    """
    columns = list(reversed(frame.columns))
    empty = [n for n in columns if frame[n].null_count() == frame.height]
    where = [n for n in columns if WHERE.fullmatch(n) and (n != columns[-1] or n in ("process", "thread"))]
    rest = sorted(columns, key=lambda n: bool(RAN.fullmatch(n)))
    others = [n for n in dict.fromkeys([*empty, *where, *rest]) if n not in named]
    return [n for n in dict.fromkeys([*others, *reversed(named)]) if n not in kept]


def _shrunk(shown: dict[str, int], least: dict[str, int], width: int) -> dict[str, int]:
    """The widths after reducing the widest texts to fit."""
    shown = dict(shown)
    while (excess := _total(shown.values()) - width) > 0:
        widest = max((n for n in shown if shown[n] > least[n]), key=lambda n: shown[n], default=None)
        if widest is None:
            return {n: min(w, width) for n, w in shown.items()}
        below = max((shown[n] for n in shown if n != widest and shown[n] > least[n]), default=0)
        shown[widest] = max(least[widest], min(shown[widest] - 1, below), shown[widest] - excess)
    return shown


def _total(widths: Collection[int]) -> int:
    return sum(widths) + GAP * (len(widths) - 1)


MEANS_SOMETHING = re.compile(r"[\\`*\[\]<|]|(?<!\w)_|_(?!\w)|~(?=~)|&(?=#?\w+;)")  # within a line


def write_markdown(frame: pl.DataFrame, file: IO[bytes], naming: Naming = BRIEF) -> None:
    """Write a header, a rule that aligns numbers to the right, and a line per row."""
    frame = plain(frame)
    rule = "|".join("---:" if kind.is_numeric() else "---" for kind in frame.dtypes)
    lines = [_markdown_line([heading(name) for name in frame.columns]), f"|{rule}|"]
    lines += map(_markdown_line, zip(*cells(frame, naming).values(), strict=True))
    file.write(("\n".join(lines) + "\n").encode())


def escaped(text: str) -> str:
    """The text escaped so that Markdown shows it unchanged; `cell` has escaped line breaks before."""
    return MEANS_SOMETHING.sub(r"\\\g<0>", text)


def _markdown_line(texts: Iterable[str]) -> str:
    return "| " + " | ".join(map(escaped, texts)) + " |"
