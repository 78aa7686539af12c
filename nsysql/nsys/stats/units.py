"""Units of printed columns: a label's unit, the unit asked for, and the SQL that gives a value in it.

Digits match those of nsys, which multiplies times by a power of ten but divides sizes; these round differently.
"""

from dataclasses import dataclass, field

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
    """A column's title: its label with the unit asked for."""
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
