"""Write values as people read them: scaled by the unit that ends their column's name, and safe on a terminal.

>>> cell("total_time_ns", 1_234_567), cell("bytes", 4_096), cell("time_pct", 99.25), cell("num_calls", 12_345)
('1.235 ms', '4.096 kB', '99.3', '12,345')
"""

import re
from typing import Any

from nsysql.errors import escaped

MOMENT = re.compile(r"(.*_)?(start|end|at|moment)_ns")  # a time on the export's clock; other _ns are durations
IDENTITY = re.compile(r"(.*_)?(id|pid|tid|version)")
TIMES = ((1, "ns"), (10**3, "µs"), (10**6, "ms"), (10**9, "s"))
SIZES = ((1, "B"), (10**3, "kB"), (10**6, "MB"), (10**9, "GB"), (10**12, "TB"))
RATES = tuple((factor, f"{unit}/s") for factor, unit in SIZES)
CLOCKS = ((1, "Hz"), (10**3, "kHz"), (10**6, "MHz"), (10**9, "GHz"))
ENDINGS = {"_bytes_per_s": RATES, "_bytes": SIZES, "_ns": TIMES, "_hz": CLOCKS}


def heading(name: str) -> str:
    """Return a column's name for reading, without its unit, which the cells have: total_time_ns is 'total time'."""
    for ending in (*ENDINGS, "_pct"):
        if name.endswith(ending):
            name = name.removesuffix(ending) + (" %" if ending == "_pct" else "")
            break
    return safe(name).replace("_", " ")


def cell(name: str, value: Any) -> str:
    """Return the text of one value of a column of that name."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int | float):
        return _number(name, value)
    return safe(str(value))


def _number(name: str, value: int | float) -> str:
    if MOMENT.fullmatch(name):
        return f"{value / 10**9:.9f} s"
    for ending, units in ENDINGS.items():
        if f"_{name}".endswith(ending):
            return scaled(value, units)
    if name.endswith("address") and isinstance(value, int):
        return hex(value)
    if name.endswith("_pct"):
        return "<0.1" if 0 < value < 0.05 else tenths(value)
    if isinstance(value, int):
        return str(value) if IDENTITY.fullmatch(name) else f"{value:,}"
    return f"{value:,.3f}"


def scaled(value: int | float | None, units: tuple[tuple[int, str], ...]) -> str:
    """Write four digits and a unit: 1.235 ms; whole numbers of the smallest unit stay whole; empty for None."""
    if value is None:
        return ""
    factor, unit = units[0]
    for larger, name in units[1:]:
        if round(abs(value) / larger, 3) < 1:
            break
        factor, unit = larger, name
    number = value / factor
    if factor == 1 and number == int(number):
        return f"{int(number):,} {unit}"
    return f"{number:,.{max(0, 4 - len(str(int(abs(number)))))}f} {unit}"


def tenths(value: float) -> str:
    """Write a number with one decimal, halves away from zero; all shares are rounded by this.

    >>> tenths(45.45), tenths(-0.25), tenths(1_234.5)
    ('45.5', '-0.3', '1234.5')
    """
    count = _in_tenths(value)
    return f"{'-' if count < 0 else ''}{abs(count) // 10}.{abs(count) % 10}"


def rounded(value: float) -> int:
    """Round the number to a whole one, as people round what `tenths` shows.

    >>> rounded(45.46), rounded(44.4)
    (46, 44)
    """
    size_of = (abs(_in_tenths(value)) + 5) // 10
    return -size_of if value < 0 else size_of


def _in_tenths(value: float) -> int:
    count = int(abs(value) * 10 + 0.5 + 1e-9)  # 45.45 is a little less as a float
    return -count if value < 0 else count


def time(ns: int | float | None) -> str:
    """Write a duration for reading: 1.235 ms."""
    return scaled(ns, TIMES)


def size(count: int | float | None) -> str:
    """Write a number of bytes for reading: 4.096 kB."""
    return scaled(count, SIZES)


def safe(text: str) -> str:
    """Return the text as one line: control characters, line ends, tabs and invisible characters as visible escapes."""
    return escaped(text).replace("\n", "\\n").replace("\t", "\\t")


def columns_of(text: str) -> int:
    """Return the number of terminal columns that a text takes."""
    if text.isascii():
        return len(text)
    from rich.cells import cell_len

    return cell_len(text)


UPPER = ("CUDA", "OS", "NVTX", "GPU", "MPI", "CPU", "I/O")  # first words that keep their capitals


def brief_title(title: str) -> str:
    """Shorten a title to a few words, its first letter small unless it begins with an abbreviation.

    >>> brief_title("Queued, cause unknown"), brief_title("CPU taken by another thread")
    ('queued', 'CPU taken by another thread')
    """
    text = title.partition(",")[0]
    return text if text.startswith(UPPER) else text[:1].lower() + text[1:]


def program(name: str | None) -> str:
    """Return a program without its folder."""
    return re.split(r"[/\\]", name or "")[-1]


def counted(count: int, one: str, several: str = "") -> str:
    """Write a number of things: '1 gap', '1,234 gaps'."""
    return f"{count:,} {one if count == 1 else several or one + 's'}"
