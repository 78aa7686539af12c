"""A result's columns as the texts that nsys prints, computed by DuckDB.

DuckDB prints a DOUBLE as Python's repr does, and rounds to one digit as SQLite does; so a cell is an
expression, a line is their concatenation, and no row passes through Python to be formatted.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from nsysql.catalog.query import Column, Query
from nsysql.nsys.stats.units import Units, converted, split_label, title

# A text counts as a number where all of it has this form, as for nsys.
DECIMAL = r"[+-]?(0|[1-9][0-9]*)(\.[0-9]*)?"
NUMBER = DECIMAL + r"([eE][+-]?[0-9]+)?"
WHOLE = ("BIGINT", "INTEGER")
NUMBERS = (*WHOLE, "DOUBLE")


@dataclass(frozen=True)
class Cell:
    """A printed column: its title, the expression of its text (NULL where blank), and whether all are numbers.

    `is_whole` says that all are whole numbers, so that no text has a point.
    """

    title: str
    text: str
    is_number: bool
    is_whole: bool = False


def cells(query: Query, units: Units, relabeled: Mapping[str, str | None] = MappingProxyType({})) -> list[Cell]:
    """The printed columns of a report in the units asked for: those with a label, or all where none has one.

    `relabeled` has the labels to print for others, None for those to leave out.
    """
    labeled = [c for c in query.columns if c.label is not None] or list(query.columns)
    return [_cell(query, c, units, relabeled) for c in labeled if relabeled.get(c.label or "", "") is not None]


def _cell(query: Query, column: Column, units: Units, relabeled: Mapping[str, str | None]) -> Cell:
    as_it_is = f"{column.name}::VARCHAR"
    if column.label is None:
        return Cell(column.name, as_it_is, column.type in NUMBERS, column.type in WHOLE)
    category = split_label(column.label)[1]
    heading = relabeled.get(column.label) or title(column.label, units)
    text = _text(query, column, category, units)
    is_hex = category == "addr" and units.of("addr") == "hex"
    return Cell(heading, text, column.type in NUMBERS and not is_hex, column.type in WHOLE and text == as_it_is)


def _text(query: Query, column: Column, category: str | None, units: Units) -> str:
    """Times and plain numbers are rounded to a digit before they are printed, sizes are not."""
    name = column.name
    if column.type == "VARCHAR":
        return name
    if column.type == "DOUBLE" and category not in ("mem", "thru"):
        name = f"(round({name} * 10) / 10)"  # halves up, as C++ does; round(x, 1) differs from DuckDB 2.0 on
    text = converted(name, category, units) if category else None
    if text:
        return text
    if column.type == "DOUBLE" and category in ("mem", "thru"):
        return _bytes(query, column)
    return f"{name}::VARCHAR"


def _bytes(query: Query, column: Column) -> str:
    """Bytes as SQLite gives them: a throughput is whole, and so is a median that is the middle size itself."""
    name, middle = column.name, f"middle_{column.name.removeprefix('med_')}"
    if (column.label or "").endswith("/s)"):
        return f"CASE WHEN {name} = trunc({name}) THEN {name}::HUGEINT::VARCHAR ELSE {name}::VARCHAR END"
    if column.name.startswith("med_") and any(c.name == middle for c in query.columns):
        return f"CASE WHEN {name} = {middle} THEN {middle}::VARCHAR ELSE {name}::VARCHAR END"
    return f"{name}::VARCHAR"
