"""Convert columns to types that text formats can represent."""

import polars as pl

from nsysql.errors import UsageError

NESTED = (pl.List, pl.Array, pl.Struct, getattr(pl, "Map", pl.Struct))


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
