"""The filters that every query takes: a time interval, an NVTX range, or steps of the program.

They act on NVIDIA's tables, before any view: of tables with start and end, rows that overlap the interval are kept, as
by `nsys stats --filter-time` and `--filter-nvtx`. The raw views read the interval from session variables, so a filtered
query has its own connection.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from nsysql.catalog.parameters import FILTERS, checked
from nsysql.catalog.query import Parameter, Query
from nsysql.errors import UsageError

if TYPE_CHECKING:
    pass


@dataclass(frozen=True)
class TimeFilter:
    """A time interval, or an NVTX range or steps whose time is still to be looked up."""

    start_ns: int | None = None
    end_ns: int | None = None
    nvtx: str | None = None
    steps: str | None = None
    step_range: str | None = None


def with_filters(query: Query) -> tuple[Parameter, ...]:
    """The query's parameters, then the filters, except those that the query declares itself."""
    own = {p.name for p in query.parameters}
    return (*query.parameters, *(p for p in FILTERS if p.name not in own))


def split_filters(query: Query, given: Mapping[str, Any]) -> tuple[dict[str, Any], TimeFilter | None]:
    """Split the given values into those for the query's own parameters, and the filter.

    Raises UsageError if the filters contradict each other.
    """
    filters = {p.name: p for p in with_filters(query)}
    asked = {p.name: checked(query, filters[p.name], given[p.name]) for p in FILTERS if given.get(p.name) is not None}
    start, end = asked.get("start_ns"), asked.get("end_ns")
    own = {p.name for p in query.parameters}
    _refuse_several(query, asked, own)
    if isinstance(start, int) and isinstance(end, int) and start > end:
        raise UsageError(f"{query.name}: start_ns ({start}) is after end_ns ({end}).")
    if (
        "start_ns" in own and start is not None and start == end
    ):  # as filters, equal times are a moment, at which events can be in progress
        raise UsageError(f"{query.name}: start_ns and end_ns are both {start}, which leaves no time between them.")
    window = {name: value for name, value in asked.items() if name not in own}
    if "steps" in window and "step_range" in asked:
        window["step_range"] = asked["step_range"]
    rest = {name: value for name, value in given.items() if name in own or name not in filters}
    return rest, TimeFilter(**window) if window else None


def _refuse_several(query: Query, asked: Mapping[str, Any], own: set[str]) -> None:
    """Raise UsageError if more than one filter is given, or step_range without steps."""
    if len({name.partition("_")[2] == "ns" or name for name in asked if name != "step_range"}) > 1:
        several = "steps, or nvtx, or start_ns and end_ns" if "steps" in asked else "nvtx, or start_ns and end_ns"
        raise UsageError(f"{query.name}: give either {several}.")
    if "step_range" in asked and "steps" not in asked and "step_range" not in own:
        raise UsageError(f"{query.name}: step_range says what marks the steps; say with steps which ones: 'steady'.")
