"""Check values for a query's parameters against its header, and define the filters that every query takes.

A filter is a time interval, an NVTX range, or steps of the program. Filters act on NVIDIA's tables, before any view: of
tables with start and end, rows that overlap the interval are kept, as by `nsys stats --filter-time` and
`--filter-nvtx`. The raw views read the interval from session variables, so a filtered query has its own connection.
"""

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from decimal import ROUND_HALF_EVEN, Decimal
from operator import index
from typing import Any, SupportsIndex

from nsysql.catalog.query import Parameter, Query
from nsysql.errors import UsageError, suggestion

Time = int | str | timedelta  # in ns, or a text with its unit: "1.5ms"
Steps = str | int | tuple[int, int] | range | slice  # "steady", 5, "5:10" or (5, 10) with both, range(5, 11)
NS = {
    "ns": 1, "nsec": 1, "us": 10**3, "\u03bcs": 10**3, "usec": 10**3, "ms": 10**6, "msec": 10**6,
    "s": 10**9, "sec": 10**9, "m": 60 * 10**9, "min": 60 * 10**9, "h": 3600 * 10**9, "hour": 3600 * 10**9,
}  # fmt: skip
PIECE = re.compile(r"([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)([a-z\u03bc]*)")
INT64 = range(-(2**63), 2**63)
# A parameter: times, for queries on schema at_moments, which has the events in progress at these times.
MOMENTS = "moments"

RANGES = "NAME[@DOMAIN], all of that name; NAME/0, the first"
# The filters that every query takes in addition to its own parameters.
FILTERS = (
    Parameter("start_ns", "BIGINT", None, "Keep only what is in progress at this time or later."),
    Parameter("end_ns", "BIGINT", None, "Keep only what starts before this time."),
    Parameter("nvtx", "VARCHAR", None, f"Keep only what overlaps NVTX ranges: {RANGES}."),
    Parameter("steps", "VARCHAR", None, "Keep only what overlaps steps of the program: steady, 5 or 5:10."),
    Parameter("step_range", "VARCHAR", None, "The NVTX range that marks the steps: NAME[@DOMAIN]."),
)


def read_ns(text: str) -> int:
    """Parse '10us', '1.5 ms', '1s2ms3us' or a bare number of ns to nanoseconds. Raises UsageError.

    >>> read_ns("1.5ms"), read_ns("2ns5us2"), read_ns("-3"), read_ns("5 µs")
    (1500000, 5004, -3, 5000)
    """
    no_time = UsageError(f"{text!r} is not a time; write it as 250ns, 10us, 1.5ms or 2s.")
    one_micro = unicodedata.normalize("NFKC", text)  # Unicode has two
    spelled = re.sub(r"(?<=\d) (?=[a-z\u03bc])", "", one_micro)
    total, at = 0, 0
    while at < len(spelled):
        match = PIECE.match(spelled, at)
        if not match or (match[2] and match[2] not in NS):
            raise no_time
        try:
            total += int((Decimal(match[1]) * NS[match[2] or "ns"]).quantize(Decimal(1), ROUND_HALF_EVEN))
        except ArithmeticError:  # too many digits
            raise no_time from None
        at = match.end()
    if not text or total not in INT64:
        raise no_time
    return total


def has_no_unit(text: str) -> bool:
    """Tell whether a time is a non-zero number without a unit, by which users may mean ns, ms or s.

    >>> has_no_unit("3"), has_no_unit("1.5"), has_no_unit("0"), has_no_unit("3s")
    (True, True, False, False)
    """
    match = PIECE.fullmatch(text.strip())
    return match is not None and not match[2] and not re.fullmatch(r"[+-]?[0.]+", text.strip())


def read_moments(text: str) -> list[int]:
    """Parse times separated by commas to nanoseconds. Raises UsageError.

    >>> read_moments("250, 1.5ms")
    [250, 1500000]
    """
    return [read_ns(part.strip()) for part in text.split(",")]


def read_steps(value: Any) -> Any:
    """Write steps as the text that filters take; (1, 3) includes both ends, a range and a slice exclude the last.

    Raises UsageError if it leaves steps out in between or has none.

    >>> read_steps(2), read_steps((1, 3)), read_steps(range(1, 4)), read_steps(slice(1, 4)), read_steps("steady")
    ('2', '1:3', '1:3', '1:3', 'steady')
    """
    if isinstance(value, range | slice):
        first, end = value.start or 0, value.stop
        if end is None or value.step not in (None, 1) or not 0 <= first < end:
            raise UsageError(f"steps is {value!r}; it must name steps that follow each other, such as range(5, 11).")
        value = (first, end - 1)
    if isinstance(value, tuple | list) and len(value) == 2 and all(type(step) is int for step in value):
        return f"{value[0]}:{value[1]}"
    return str(index(value)) if isinstance(value, SupportsIndex) and not isinstance(value, bool) else value


def as_ns(value: Any) -> Any:
    """Convert a time to whole ns if it is a text with a unit or a timedelta; other values stay as they are.

    Raises UsageError for another text.
    """
    if isinstance(value, str):
        if has_no_unit(value):
            raise UsageError(f"{value} has no unit; write {value}s or {value}ns.")
        return read_ns(value)
    return value // timedelta(microseconds=1) * 1000 if isinstance(value, timedelta) else value


def bind(query: Query, values: Mapping[str, Any]) -> dict[str, Any]:
    known = {p.name: p for p in query.parameters}
    for name in values:
        if name not in known:
            taken = dict.fromkeys([*known, *(p.name for p in FILTERS)])
            offer = suggestion(name, taken)
            raise UsageError(f"{query.name} has no parameter {name!r}; it has {', '.join(taken)}.{offer}")
    return {p.name: checked(query, p, values[p.name]) if p.name in values else p.default for p in known.values()}


def checked(query: Query, p: Parameter, value: Any) -> Any:
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
        value = as_ns(value) if p.name.endswith("_ns") else value
        if isinstance(value, SupportsIndex) and not isinstance(value, bool) and index(value) in INT64:
            return index(value)
    elif p.type == "DOUBLE":
        if isinstance(value, int | float) and not isinstance(value, bool):
            return float(value)
    elif isinstance(value := read_steps(value) if p.name == "steps" else value, str):
        return value
    raise UsageError(f"{query.name}: {p.name} is {value!r}; it must be {_wanted(p)}.")


def _wanted(p: Parameter) -> str:
    if p.name.endswith("_ns"):
        return "a whole number of ns, a text like '1.5ms' or f'{seconds}s', or a timedelta"
    if p.name == "steps":
        return "a text like 'steady' or '5:10', a number, a pair, a range or a slice"
    whole = "a whole number"
    kinds = {"BIGINT": whole, "INTEGER": whole, "DOUBLE": "a number", "BOOLEAN": "True or False"}
    return kinds.get(p.type, "a text")


@dataclass(frozen=True)
class TimeFilter:
    """A time interval, or an NVTX range or steps whose time is still to be looked up."""

    start_ns: int | None = None
    end_ns: int | None = None
    nvtx: str | None = None
    steps: str | None = None
    step_range: str | None = None


def with_filters(query: Query) -> tuple[Parameter, ...]:
    """Return the query's parameters, then the filters, except those that the query declares itself."""
    own = {p.name for p in query.parameters}
    return (*query.parameters, *(p for p in FILTERS if p.name not in own))


def split_filters(query: Query, values: Mapping[str, Any]) -> tuple[dict[str, Any], TimeFilter | None]:
    """Split the given values into those for the query's own parameters, and the filter.

    Raises UsageError if the filters contradict each other.
    """
    filters = {p.name: p for p in with_filters(query)}
    filters_of_query = {
        p.name: checked(query, filters[p.name], values[p.name]) for p in FILTERS if values.get(p.name) is not None
    }
    start, end = filters_of_query.get("start_ns"), filters_of_query.get("end_ns")
    own = {p.name for p in query.parameters}
    _refuse_several(query, filters_of_query, own)
    if isinstance(start, int) and isinstance(end, int) and start > end:
        raise UsageError(f"{query.name}: start_ns ({start}) is after end_ns ({end}).")
    # as filters, equal times are one moment, at which events can be in progress
    if "start_ns" in own and start is not None and start == end:
        raise UsageError(f"{query.name}: start_ns and end_ns are both {start}, which leaves no time between them.")
    window = {name: value for name, value in filters_of_query.items() if name not in own}
    if "steps" in window and "step_range" in filters_of_query:
        window["step_range"] = filters_of_query["step_range"]
    rest = {name: value for name, value in values.items() if name in own or name not in filters}
    return rest, TimeFilter(**window) if window else None


def _refuse_several(query: Query, values: Mapping[str, Any], own: set[str]) -> None:
    """Raise UsageError if more than one filter is given, or step_range without steps."""
    if len({name.partition("_")[2] == "ns" or name for name in values if name != "step_range"}) > 1:
        several = "steps, or nvtx, or start_ns and end_ns" if "steps" in values else "nvtx, or start_ns and end_ns"
        raise UsageError(f"{query.name}: give either {several}.")
    if "step_range" in values and "steps" not in values and "step_range" not in own:
        raise UsageError(f"{query.name}: step_range says what marks the steps; say with steps which ones: 'steady'.")
