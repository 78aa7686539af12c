"""The columns of computed views as polars has them: those that the header of the view declares."""

import re

import polars as pl

from nsysql.catalog.packs import read_views

TYPES = {"BIGINT": pl.Int64(), "DOUBLE": pl.Float64(), "VARCHAR": pl.String(), "BOOLEAN": pl.Boolean()}


def schema_of(view: str) -> pl.Schema:
    """The columns of a view, in order.

    >>> dict(schema_of("_part_span"))
    {'part_id': Int64, 'gpu_id': Int64, 'start_ns': Int64, 'end_ns': Int64}
    """
    return pl.Schema({column.name: _type(column.type) for column in read_views()[view].columns})


def _type(name: str) -> pl.DataType:
    return pl.Enum(re.findall(r"'(\w+)'", name)) if name.startswith("ENUM") else TYPES[name]
