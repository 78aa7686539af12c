"""Values for a query's parameters: checked against its header, durations and sizes understood with units."""

import math
import re
from collections.abc import Mapping
from typing import Any

from nsysql.errors import UsageError, near
from nsysql.sqlfile import Parameter, Query

NS = {
    "ns": 1, "nsec": 1, "us": 10**3, "µs": 10**3, "usec": 10**3, "ms": 10**6, "msec": 10**6,
    "s": 10**9, "sec": 10**9, "m": 60 * 10**9, "min": 60 * 10**9, "h": 3600 * 10**9, "hour": 3600 * 10**9,
}  # fmt: skip
PIECE = re.compile(r"([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)([a-zµ]*)")
INT64 = range(-(2**63), 2**63)
MOMENTS = "moments"  # a parameter: times; for queries that read schema near, which has what is under way then


def read_ns(text: str) -> int:
    """Nanoseconds in '10us', '1.5ms', '1s2ms3us' or a bare number of ns. Raises UsageError.

    >>> read_ns("1.5ms"), read_ns("2ns5us2"), read_ns("-3")
    (1500000, 5004, -3)
    """
    total, at = 0, 0
    while at < len(text):
        found = PIECE.match(text, at)
        if not found or (found[2] and found[2] not in NS):
            raise UsageError(f"{text!r} is no time; write it as 250, 10us, 1.5ms or 2s (a bare number is ns).")
        number, unit = found[1], NS[found[2] or "ns"]
        total += int(number) * unit if number.lstrip("+-").isdigit() else _whole(text, float(number) * unit)
        at = found.end()
    if not text or total not in INT64:
        raise UsageError(f"{text!r} is no time; write it as 250, 10us, 1.5ms or 2s (a bare number is ns).")
    return total


def read_moments(text: str) -> list[int]:
    """Nanoseconds of times separated by commas. Raises UsageError.

    >>> read_moments("250, 1.5ms")
    [250, 1500000]
    """
    return [read_ns(part.strip()) for part in text.split(",")]


def _whole(text: str, value: float) -> int:
    if not math.isfinite(value):
        raise UsageError(f"{text!r} is no time that fits 64 bits of nanoseconds.")
    return round(value)


def bind(query: Query, given: Mapping[str, Any]) -> dict[str, Any]:
    """Every parameter of the query with its value. Raises UsageError for unknown names and wrong values."""
    known = {p.name: p for p in query.parameters}
    for name in given:
        if name not in known:
            has = f"it has {', '.join(known)}" if known else "it has none"
            raise UsageError(f"{query.name} has no parameter {name!r}; {has}.{near(name, known)}")
    return {p.name: checked(query, p, given[p.name]) if p.name in given else p.default for p in known.values()}


def checked(query: Query, p: Parameter, value: Any) -> Any:
    """The value of one parameter. Raises UsageError where it is none."""
    if value is None:
        if p.default is None:
            return None
        raise UsageError(f"{query.name}: {p.name} cannot be None.")
    if p.choices:
        if value not in p.choices:
            raise UsageError(f"{query.name}: {p.name} is {value!r}; it can be {', '.join(p.choices)}.")
        return value
    if p.type == "BOOLEAN":
        if isinstance(value, bool):
            return value
    elif p.type in ("BIGINT", "INTEGER"):
        if isinstance(value, str) and p.name.endswith("_ns"):
            value = read_ns(value)
        if isinstance(value, int) and not isinstance(value, bool) and value in INT64:
            return value
    elif p.type == "DOUBLE":
        if isinstance(value, int | float) and not isinstance(value, bool):
            return float(value)
    elif isinstance(value, str):
        return value
    raise UsageError(f"{query.name}: {p.name} is {value!r}; it must be {_wanted(p)}.")


def _wanted(p: Parameter) -> str:
    if p.name.endswith("_ns"):
        return "a whole number of ns, or a text like '10us'"
    return {
        "BIGINT": "a whole number",
        "INTEGER": "a whole number",
        "DOUBLE": "a number",
        "BOOLEAN": "True or False",
    }.get(p.type, "a text")
