"""A result's columns as the texts that nsys prints, computed by DuckDB.

DuckDB prints a DOUBLE as Python's repr does, and rounds to one digit as SQLite does; so a cell is an
expression, a CSV line is their concatenation, and no row passes through Python to be formatted.
"""

from dataclasses import dataclass

from nsysql.pack import Column, Query

UNITS = {"B": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30}
TIMES = {"ns": 1, "us": 10**3, "ms": 10**6, "sec": 10**9}


@dataclass(frozen=True)
class Cell:
    """A printed column: its title and the expression that gives its text, NULL where nothing is printed."""

    title: str
    text: str


def cells(query: Query) -> list[Cell]:
    """The printed columns of a report, in NVIDIA's units."""
    return [Cell(c.label, _text(c)) for c in query.columns if c.label is not None]


def _text(column: Column) -> str:
    name, label = column.name, column.label or ""
    if label.endswith("(MB)") or label.endswith("(MB/s)"):
        return f"format('{{:.3f}}', {name} / 1e6)"
    if column.type == "DOUBLE":
        return f"round({name}, 1)::VARCHAR"
    return name if column.type == "VARCHAR" else f"{name}::VARCHAR"


def csv_line(printed: list[Cell]) -> str:
    """The expression of a CSV line: text with a comma in quotes, quotes inside left alone, as nsys does."""
    return " || ',' || ".join(
        f"CASE WHEN contains(coalesce({c.text}, ''), ',') THEN '\"' || {c.text} || '\"' ELSE coalesce({c.text}, '') END"
        for c in printed
    )
