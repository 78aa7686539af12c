"""The formats of reports: each a function from an answer and its options to chunks of text.

`csv:noconv:nohdr` names a format and its options. Options that a format does not have are reported and ignored,
as nsys ignores them.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from importlib import import_module

from nsysql.errors import UsageError, suggestion
from nsysql.nsys.stats.cells import Units, read_units
from nsysql.nsys.stats.report_rows import ReportRows


@dataclass(frozen=True)
class FormatSpec:
    """A format: what it is, how its files end, and the options that it knows besides units."""

    about: str
    extension: str
    writer: str
    options: tuple[str, ...] = ()


WIDTHS = ("nohdr", "nofmt", "autolines=LINES", "colmax=CHARS", "WIDTH")
KINDS = {
    "column": FormatSpec("Columns for reading", "txt", "columns:column", WIDTHS),
    "table": FormatSpec("The same in a frame", "txt", "columns:table", WIDTHS),
    "csv": FormatSpec("Values separated by commas", "csv", "texts:csv", ("nohdr",)),
    "tsv": FormatSpec("Values separated by tabs", "tsv", "texts:tsv", ("nohdr", "esc")),
    "json": FormatSpec("An array of objects, one per row", "json", "texts:json"),
    "hdoc": FormatSpec("An HTML page with a table", "html", "texts:hdoc", ("title=TEXT", "css=URL")),
    "htable": FormatSpec("The table of it alone", "html", "texts:htable"),
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

    @property
    def extension(self) -> str:
        """The end of its files' names."""
        return KINDS[self.name].extension

    def write(self, answer: ReportRows) -> Iterator[str]:
        """The answer's text in chunks; none where the format has nothing to say of an answer without rows."""
        module, _, function = KINDS[self.name].writer.partition(":")
        texts: Iterator[str] = getattr(import_module(f"nsysql.nsys.stats.formats.{module}"), function)(answer, self)
        return texts


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
