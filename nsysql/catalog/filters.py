"""The filters that every query takes: a stretch of time, an NVTX range, or steps of the program.

They act on NVIDIA's tables, before any view: of a table with a start and an end, those rows are kept that
overlap the stretch, as `nsys stats --filter-time` and `--filter-nvtx` keep them. The raw views read the
stretch from variables of the connection, so a filtered question has a connection of its own.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from nsysql.catalog.parameters import FILTERS, checked
from nsysql.catalog.query_file import Parameter, Query
from nsysql.errors import UsageError

if TYPE_CHECKING:
    pass


@dataclass(frozen=True)
class TimeFilter:
    """A stretch of time, or an NVTX range or steps that are still to be found."""

    start_ns: int | None = None
    end_ns: int | None = None
    nvtx: str | None = None
    steps: str | None = None
    step_range: str | None = None


def with_filters(query: Query) -> tuple[Parameter, ...]:
    """The query's parameters, then the filters; one that the query declares itself is its own."""
    own = {p.name for p in query.parameters}
    return (*query.parameters, *(p for p in FILTERS if p.name not in own))


def split_filters(query: Query, given: Mapping[str, Any]) -> tuple[dict[str, Any], TimeFilter | None]:
    """What is given for the query's own parameters, and the window that the rest asks for.

    Raises UsageError where the window is none.
    """
    filters = {p.name: p for p in with_filters(query)}
    asked = {p.name: checked(query, filters[p.name], given[p.name]) for p in FILTERS if given.get(p.name) is not None}
    start, end = asked.get("start_ns"), asked.get("end_ns")
    own = {p.name for p in query.parameters}
    _refuse_several(query, asked, own)
    if isinstance(start, int) and isinstance(end, int) and start > end:
        raise UsageError(f"{query.name}: start_ns ({start}) is after end_ns ({end}).")
    if "start_ns" in own and start is not None and start == end:  # else it is a moment, in which things are under way
        raise UsageError(f"{query.name}: start_ns and end_ns are both {start}, which leaves no time between them.")
    window = {name: value for name, value in asked.items() if name not in own}
    if "steps" in window and "step_range" in asked:
        window["step_range"] = asked["step_range"]
    rest = {name: value for name, value in given.items() if name in own or name not in filters}
    return rest, TimeFilter(**window) if window else None


def _refuse_several(query: Query, asked: Mapping[str, Any], own: set[str]) -> None:
    """Raise UsageError where more is given than one stretch, or a name of steps without steps."""
    if len({name.partition("_")[2] == "ns" or name for name in asked if name != "step_range"}) > 1:
        several = "steps, or nvtx, or start_ns and end_ns" if "steps" in asked else "nvtx, or start_ns and end_ns"
        raise UsageError(f"{query.name}: give either {several}.")
    if "step_range" in asked and "steps" not in asked and "step_range" not in own:
        raise UsageError(f"{query.name}: step_range says what marks the steps; say with steps which ones: 'steady'.")
