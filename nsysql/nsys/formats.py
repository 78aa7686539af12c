"""The formats of reports, each a function of `writers` that has its name, and the texts of cells in their units.

`csv:noconv:nohdr` names a format and its options. Options that a format does not have are reported and ignored,
as nsys ignores them. DuckDB prints a DOUBLE as Python's repr does, and rounds to one digit as SQLite does; so a cell is
an expression, a line is their concatenation, and no row passes through Python to be formatted.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from nsysql.catalog.query import Column, Query
from nsysql.errors import UsageError, suggestion

TIMES = {"ns": "", "us": "1e-3", "ms": "1e-6", "sec": "1e-9"}  # factors
SIZES = {"B": "", "KB": "1e3", "KiB": "1024e0", "MB": "1e6", "MiB": "1048576e0", "GB": "1e9", "GiB": "1073741824e0"}
DIGITS = {"us": 3, "ms": 4, "sec": 4, "KB": 2, "KiB": 2, "MB": 3, "MiB": 3, "GB": 3, "GiB": 3}
CHOICES = {  # of each category, its default first
    "ts": tuple(TIMES),
    "dur": tuple(TIMES),
    "mem": ("MB", *(unit for unit in SIZES if unit != "MB")),
    "thru": ("MB", *(unit for unit in SIZES if unit != "MB")),
    "gid": ("gidint", "gidhex", "gidsubint", "gidsubhex"),
    "addr": ("hex", "uint"),
    "ratio": ("%",),
}
META = {"time": ("ts", "dur"), "bytes": ("mem", "thru")}
NATIVE = {"ts": "ns", "dur": "ns", "mem": "B", "thru": "B", "addr": "uint", "ratio": "%"}
CATEGORIES = {"(ns)": "dur", "(MB)": "mem", "(MB/s)": "thru", "(%)": "ratio", "(hex)": "addr"}  # by a label's end


@dataclass(frozen=True)
class Units:
    """The unit of each category that was asked for, and whether titles show units."""

    chosen: dict[str, str] = field(default_factory=dict)
    convert: bool = True
    in_titles: bool = True

    def of(self, category: str) -> str:
        """The unit in which values of that category are printed."""
        if not self.convert:
            return NATIVE[category]
        return self.chosen.get(category, CHOICES[category][0])


def read_units(option: str) -> dict[str, str]:
    """The categories that an option such as `time=ms` sets; empty where it is no unit option."""
    category, _, unit = option.partition("=")
    category = category.lower()
    return {
        name: spelled
        for name in META.get(category, (category,))
        for spelled in CHOICES.get(name, ())
        if spelled.lower() == unit.lower()
    }


def split_label(label: str) -> tuple[str, str | None]:
    """A column's label without its unit, and its category: 'Start (ns)' is a timestamp, 'Avg (ns)' a duration."""
    words, _, unit = label.rpartition(" ")
    category = CATEGORIES.get(unit)
    if category is None:
        return label, None
    if category == "dur" and words.rpartition(" ")[2] in ("Start", "End"):
        return words, "ts"
    return words, category


def title(label: str, units: Units) -> str:
    words, category = split_label(label)
    if category is None:
        return label
    if category == "addr" or not units.in_titles:
        return words
    return f"{words} ({units.of(category)}{'/s' if category == 'thru' else ''})"


def converted(value: str, category: str, units: Units) -> str | None:
    """The SQL text of a number in the unit asked for, or None where that is its own unit."""
    unit = units.of(category)
    if category in ("ts", "dur"):
        return f"format('{{:.{DIGITS[unit]}f}}', {value} * {TIMES[unit]})" if TIMES[unit] else None
    if category in ("mem", "thru"):
        return f"format('{{:.{DIGITS[unit]}f}}', {value} / {SIZES[unit]})" if SIZES[unit] else None
    if category == "addr" and unit == "hex":
        return f"CASE WHEN {value} < 0 THEN {value}::VARCHAR ELSE format('0x{{:X}}', {value}) END"
    return None


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


@dataclass(frozen=True)
class FormatSpec:
    """A format: what it is, how its files end, and the options that it knows besides units."""

    about: str
    extension: str
    options: tuple[str, ...] = ()


WIDTHS = ("nohdr", "nofmt", "autolines=LINES", "colmax=CHARS", "WIDTH")
KINDS = {
    "column": FormatSpec("Columns for reading", "txt", WIDTHS),
    "table": FormatSpec("The same in a frame", "txt", WIDTHS),
    "csv": FormatSpec("Values separated by commas", "csv", ("nohdr",)),
    "tsv": FormatSpec("Values separated by tabs", "tsv", ("nohdr", "esc")),
    "json": FormatSpec("An array of objects, one per row", "json"),
    "hdoc": FormatSpec("An HTML page with a table", "html", ("title=TEXT", "css=URL")),
    "htable": FormatSpec("The table of it alone", "html"),
}
UNIT_OPTIONS = ("CATEGORY=UNIT", "noconv", "nohdrunit")


@dataclass(frozen=True)
class Format:
    """A format as asked for: its name, the units, its other options."""

    name: str
    units: Units
    flags: frozenset[str] = frozenset()
    values: dict[str, str] = field(default_factory=dict)
    widths: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()


def read_format(text: str, time_unit: str | None = None) -> Format:
    """The format that `text` asks for; `time_unit` overrides the units of times. Raises UsageError."""
    name, *options = re.split(r":(?!//)", text)  # css=http://... is one option
    if name not in KINDS:
        raise UsageError(f"Unknown format name {name!r}; it can be {', '.join(KINDS)}.{suggestion(name, KINDS)}")
    known = KINDS[name].options
    chosen: dict[str, str] = {}
    flags: set[str] = set()
    values: dict[str, str] = {}
    widths: list[str] = []
    unknown: list[str] = []
    for option in options:
        key, _, value = option.partition("=")
        units = read_units(option)
        if units:
            chosen.update(units)
        elif option in known or option in UNIT_OPTIONS:
            flags.add(option)
        elif any(o.startswith(f"{key}=") for o in known):
            values[key] = value
        elif "WIDTH" in known and (option == "." or (option.isdecimal() and option.isascii())):
            widths.append(option)
        else:
            unknown.append(option)
    if time_unit:
        chosen.update(read_units(f"time={time_unit}"))
    units_asked = Units(chosen, "noconv" not in flags, "nohdrunit" not in flags)
    return Format(name, units_asked, frozenset(flags), values, tuple(widths), tuple(unknown))
