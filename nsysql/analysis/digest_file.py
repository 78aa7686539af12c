"""Read and write the file of a digest: JSON with a checksum, compressed by gzip.

Frames are lists of their columns; a column of texts has each text once, and the position of each row's text in these.
"""

import gzip
import hashlib
import json
import math
import types
import typing
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

import polars as pl

from nsysql.analysis.digest import FRAMES, Digest
from nsysql.errors import NotAnExport

KIND, VERSION = "nsysql.digest", 5
UNWRITTEN = ("run", "problem")  # fields that belong to the reading of a capture
GZIP = b"\x1f\x8b"
LARGEST = 2**63 - 1
MOST_BYTES = 2**28  # of the text of a digest


class Damaged(ValueError):
    """A defect in the data of a digest; the message is the end of a sentence."""


def is_digest(path: Path) -> bool:
    """Tell whether the file begins like a digest, complete or not."""
    if not path.is_file():
        return False
    with path.open("rb") as file:
        start = file.read(64)
    return start.startswith(GZIP) or start.lstrip().startswith(b"{")


def text_of(digest: Digest) -> bytes:
    """Return the digest as bytes of a file; the same for equal captures."""
    text = _text(digest)
    head = _text({"schema": f"{KIND}/{VERSION}", "sha256": hashlib.sha256(text).hexdigest()})
    return gzip.compress(head[:-1] + b',"digest":' + text + b"}", 9, mtime=0)


def _text(data: Any) -> bytes:
    return json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False, default=_plain).encode(
        "utf-8", "backslashreplace"
    )


def _plain(value: Any) -> dict[str, Any]:
    """Convert a frame to its columns, a dataclass to its fields."""
    if isinstance(value, pl.DataFrame):
        return {column.name: _coded(column) if column.dtype == pl.String else column.to_list() for column in value}
    return {field.name: getattr(value, field.name) for field in fields(value) if field.name not in UNWRITTEN}


def _coded(texts: pl.Series) -> dict[str, list[Any]]:
    distinct = texts.drop_nulls().unique(maintain_order=True)
    places = texts.replace_strict(distinct, range(distinct.len()), return_dtype=pl.UInt32)
    return {"texts": distinct.to_list(), "places": places.to_list()}


def read(path: Path) -> Digest:
    """Return the digest of a file. Raises NotAnExport if it is damaged, of another version, or no digest."""
    try:
        data = _checked(_document(path))
        try:
            digest: Digest = typed(data, Digest, "digest")
            _check(digest)
        except (Damaged, RecursionError, OverflowError) as error:
            raise Damaged(f"is an invalid digest: {error}; make it again.") from None
        return digest
    except Damaged as error:
        raise NotAnExport(f"{path} {error}") from None


def _document(path: Path) -> Any:
    try:
        content = path.read_bytes()
        if content.startswith(GZIP):
            with gzip.open(path) as file:
                content = file.read(MOST_BYTES + 1)
        if len(content) > MOST_BYTES:
            raise Damaged(f"is larger than {MOST_BYTES:,} bytes when decompressed, and no digest.")
        return json.loads(content)
    except (ValueError, EOFError, OSError, RecursionError) as error:
        if isinstance(error, Damaged):
            raise
        raise Damaged(
            "begins as a digest and cannot be read to its end: it is cut off or damaged; make it again with "
            "`nsysql digest`."
        ) from None


def _checked(document: Any) -> Any:
    """Return the data of a document of this version with the right checksum."""
    schema = document.get("schema") if isinstance(document, dict) else None
    kind, _, version = schema.partition("/") if isinstance(schema, str) else ("", "", "")
    if kind != KIND or not (version.isascii() and version.isdecimal()):
        raise Damaged("is JSON, but not a digest; `nsysql digest run.sqlite -o FILE` makes one.")
    if len(version) > 9 or int(version) != VERSION:
        newer = "update nsysql, or " if len(version) > 9 or int(version) > VERSION else ""
        raise Damaged(
            f"is a digest of version {version[:9]}, and this nsysql reads version {VERSION}: {newer}make it again."
        )
    data = document.get("digest")
    try:
        checksum = hashlib.sha256(_text(data)).hexdigest()
    except (ValueError, RecursionError):
        checksum = ""
    if checksum != document.get("sha256"):
        raise Damaged("is a damaged digest: its content does not match its checksum; make it again.")
    return data


def typed(data: Any, kind: Any, place: str) -> Any:
    """Convert the data to a dataclass, tuple or simple value of that type. Raises Damaged for anything else."""
    origin, inner = typing.get_origin(kind), typing.get_args(kind)
    if origin in (types.UnionType, typing.Union):
        if data is None and type(None) in inner:
            return None
        return typed(data, next(one for one in inner if one is not type(None)), place)
    if origin is tuple:
        if not isinstance(data, list):
            raise Damaged(f"{place} is not a list")
        return tuple(typed(one, inner[0], f"{place}[{i}]") for i, one in enumerate(data))
    if kind is pl.DataFrame:
        return _frame(data, FRAMES[place.rpartition(".")[2]], place)
    if is_dataclass(kind) and isinstance(kind, type):
        if not isinstance(data, dict) or data.keys() != {field.name for field in fields(kind)} - {*UNWRITTEN}:
            raise Damaged(f"{place} does not have the fields of {kind.__name__}")
        hints = typing.get_type_hints(kind)
        return kind(**{name: typed(value, hints[name], f"{place}.{name}") for name, value in data.items()})
    return _simple(data, kind, place)


def _simple(data: Any, kind: type, place: str) -> Any:
    if kind is float and isinstance(data, int) and not isinstance(data, bool):
        data = float(data) if abs(data) <= LARGEST else math.inf
    if type(data) is not kind:
        raise Damaged(f"{place} is not of type {kind.__name__}")
    if isinstance(data, int | float) and not abs(data) <= LARGEST:
        raise Damaged(f"{place} is not a number of 64 bits")
    return data


def _frame(columns: Any, schema: pl.Schema, place: str) -> pl.DataFrame:
    """Return the frame of columns of that schema."""
    if not isinstance(columns, dict) or list(columns) != schema.names():
        raise Damaged(f"{place} does not have its columns")
    try:
        return pl.DataFrame({name: _column(columns[name], kind) for name, kind in schema.items()})
    except (LookupError, TypeError, pl.exceptions.PolarsError, OverflowError):
        raise Damaged(f"{place} has values of other types, or columns of other lengths") from None


def _column(data: Any, kind: pl.DataType) -> pl.Series:
    if kind == pl.String:
        return _list(data["texts"], kind).gather(_list(data["places"], pl.UInt32()))
    return _list(data, kind)


def _list(values: Any, kind: pl.DataType) -> pl.Series:
    if not isinstance(values, list):
        raise TypeError
    return pl.Series(values, dtype=kind, strict=True)


def _check(digest: Digest) -> None:
    """Raise Damaged for values that no capture has."""
    kinds = [(unit.kind, unit.found_by, unit.name, sum(unit.steps)) for unit in digest.units]
    if len(set(kinds)) != len(kinds):
        raise Damaged("a unit is there twice")
    for place, unit in enumerate(digest.units):
        ids = [gpu.gpu_id for gpu in unit.gpus]
        if not ids or len(set(ids)) != len(ids):
            raise Damaged(f"units[{place}] has no GPU, or one twice")
        if not unit.steps or min(unit.steps) < 1 or unit.warm_up > sum(unit.steps):
            raise Damaged(f"units[{place}] has samples without steps")
        for account in (account for gpu in unit.gpus for account in gpu.accounts):
            if len(account.ns) != len(unit.steps) or len(account.counts) != len(unit.steps):
                raise Damaged(f"units[{place}]: {account.name!r} does not have {len(unit.steps)} samples")
            if min(account.ns) < 0 or min(account.counts) < 0:
                raise Damaged(f"units[{place}]: {account.name!r} has negative times")
        for total in (*unit.calls, *unit.launches, *unit.ranges):
            if total.amount < 0 or total.count < 0:
                raise Damaged(f"units[{place}]: {total.name!r} is negative")
