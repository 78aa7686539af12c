"""Parse values of command line options shared by stats and analyze."""

from collections.abc import Iterable

from nsysql.catalog.parameters import INT64, read_ns
from nsysql.errors import UsageError

TIME_UNITS = {  # nsys accepts any prefix of these; the longest is its own name
    "nsec": "ns", "nanoseconds": "ns", "usec": "us", "microseconds": "us", "msec": "ms", "milliseconds": "ms",
    "seconds": "sec",
}  # fmt: skip


def listed(given: Iterable[str] | None) -> list[str]:
    """The elements of an option that can be repeated, each time with several elements."""
    return [element for text in given or () for element in text.split(",") if element]


def truth(option: str, text: str) -> bool:
    """Parse true or false. Raises UsageError for other texts."""
    if text.lower() not in ("true", "false"):
        raise UsageError(f"{option} is {text!r}; it can be true or false.")
    return text.lower() == "true"


def time_unit(text: str | None) -> str | None:
    """The time unit of which the text is a prefix. Raises UsageError."""
    if text is None:
        return None
    found = {unit for name, unit in TIME_UNITS.items() if name.startswith(text.lower())}
    if text.lower() in TIME_UNITS.values():
        return text.lower()
    if len(found) != 1 or not text:
        raise UsageError(f"--timeunit is {text!r}; it can be {', '.join(TIME_UNITS)}, or the beginning of one.")
    return found.pop()


def filters(time: str | None, nvtx: str | None) -> dict[str, str]:
    """The filters of a call as options of its reports; an NVTX range comes before a time. Raises UsageError."""
    if nvtx is not None:
        return {"nvtx": nvtx}
    if time is None:
        return {}
    start, slash, end = time.partition("/")
    if not slash or not (start or end):
        raise UsageError(f"--filter-time is {time!r}; write START/END, where one of the two can be left out: 1s/1.5s.")
    first = read_ns(start) if start else INT64[0]
    last = read_ns(end) if end else INT64[-1]
    if first > last:
        raise UsageError(f"--filter-time is {time!r}: its start is after its end.")
    return {"start": str(first), "end": str(last)}
