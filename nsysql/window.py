"""The filters that every query takes: a stretch of time, or an NVTX range.

They act on NVIDIA's tables, before any view: of a table with a start and an end, those rows are kept that
overlap the stretch, as `nsys stats --filter-time` and `--filter-nvtx` keep them. The raw views read the
stretch from variables of the connection, so a filtered question has a connection of its own.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from nsysql.errors import MissingData, UsageError, near
from nsysql.parameters import INT64, checked
from nsysql.raw import RawTable
from nsysql.sqlfile import Parameter, Query

if TYPE_CHECKING:
    import duckdb

FILTERS = (
    Parameter("start_ns", "BIGINT", None, "Keep only what is under way at this time or later."),
    Parameter("end_ns", "BIGINT", None, "Keep only what starts before this time."),
    Parameter("nvtx", "VARCHAR", None, "Keep only what overlaps an NVTX range: NAME[@DOMAIN][/INDEX]; the first is 0."),
)
MANY = 1000  # moments for which SQLite looks no closer than from the first to the last
LABELS = """
SELECT label
FROM nvtx_filter
WHERE label IS NOT NULL
GROUP BY label
ORDER BY starts_with(label, $label || '@') DESC, count(*) DESC, label ASC
LIMIT 5000
"""


@dataclass(frozen=True)
class Window:
    """A stretch of time, or an NVTX range that is still to be found."""

    start_ns: int | None = None
    end_ns: int | None = None
    nvtx: str | None = None


@dataclass(frozen=True)
class NvtxRange:
    """A range that a filter names: the one at `index` of `count` with that label; no thread if it is the main one's."""

    label: str
    index: int
    count: int
    start_ns: int
    end_ns: int
    thread_id: int | None
    process_id: int

    def __str__(self) -> str:
        if self.count == 1:
            return f"the NVTX range {self.label}"
        return f"the NVTX range {self.label}/{self.index}, one of {self.count} of that name (/0 is the first)"


def with_filters(query: Query) -> tuple[Parameter, ...]:
    """The query's parameters, then the filters; one that the query declares itself is its own."""
    own = {p.name for p in query.parameters}
    return (*query.parameters, *(p for p in FILTERS if p.name not in own))


def split(query: Query, given: Mapping[str, Any]) -> tuple[dict[str, Any], Window | None]:
    """What is given for the query's own parameters, and the window that the rest asks for.

    Raises UsageError where the window is none.
    """
    filters = {p.name: p for p in with_filters(query)}
    asked = {p.name: checked(query, filters[p.name], given[p.name]) for p in FILTERS if given.get(p.name) is not None}
    start, end = asked.get("start_ns"), asked.get("end_ns")
    if "nvtx" in asked and len(asked) > 1:
        raise UsageError(f"{query.name}: give either nvtx, or start_ns and end_ns.")
    own = {p.name for p in query.parameters}
    if isinstance(start, int) and isinstance(end, int) and start > end:
        raise UsageError(f"{query.name}: start_ns ({start}) is after end_ns ({end}).")
    if "start_ns" in own and start is not None and start == end:  # else it is a moment, in which things are under way
        raise UsageError(f"{query.name}: start_ns and end_ns are both {start}, which leaves no time between them.")
    window = {name: value for name, value in asked.items() if name not in own}
    rest = {name: value for name, value in given.items() if name in own or name not in filters}
    return rest, Window(**window) if window else None


def condition(table: RawTable) -> str:
    """The SQL by which the window of the connection keeps a row of the table; nothing for tables without times.

    NVIDIA loses what began before and has no end, and keeps every row of a table without ends.
    """
    a, b, ours = "getvariable('window_start')", "getvariable('window_end')", "NOT getvariable('window_as_nsys')"
    inside = f"start >= {a} AND start < {b}"
    if "start" not in table.columns:
        return ""
    if "end" in table.columns:
        overlaps = f'"end" >= {a} AND "end" < {b} OR start < {a} AND "end" >= {b}'
        kept = f'({inside} OR {overlaps} OR {ours} AND "end" IS NULL AND start < {b}){_scope(table)}'
    else:
        kept = f"(getvariable('window_as_nsys') OR {inside}{_scope(table)})"
    if table.timeless:
        kept += f" OR {ours} AND {table.timeless}"
    return f" WHERE {a} IS NULL OR {kept}"


def under_way(moments: list[int]) -> str:
    """The SQL, for SQLite and DuckDB alike, of a row that has begun at one of the moments and not ended.

    Of many moments it keeps more, which the query leaves out.
    """
    if not moments:
        return "false"

    def next_one(ordered: list[int]) -> str:
        """The first of the moments that is not before the row's start, which is not after the last one."""
        if len(ordered) == 1:
            return str(ordered[0])
        half = len(ordered) // 2
        first, rest = ordered[:half], ordered[half:]
        return f"CASE WHEN start <= {first[-1]} THEN {next_one(first)} ELSE {next_one(rest)} END"

    ordered = sorted(set(moments))
    if len(ordered) > MANY:
        return f'start <= {ordered[-1]} AND coalesce("end", {INT64[-1]}) > {ordered[0]}'
    return f'start <= {ordered[-1]} AND coalesce("end", {INT64[-1]}) > {next_one(ordered)}'


def _scope(table: RawTable) -> str:
    thread, process = "getvariable('window_thread')", "getvariable('window_process')"
    if "globalTid" in table.columns:
        return (
            f" AND ({thread} IS NULL OR globalTid = {thread})"
            f" AND ({process} IS NULL OR globalTid & ~16777215 = {process})"
        )
    if "globalPid" in table.columns:
        return f" AND ({process} IS NULL OR globalPid = {process})"
    return ""


def set_window(
    con: "duckdb.DuckDBPyConnection", start: int | None, end: int | None, thread: int | None, process: int | None,
    as_nsys: bool,
) -> None:  # fmt: skip
    """Let a connection see the raw tables through a window."""
    values = {
        "start": INT64[0] if start is None else start,
        "end": INT64[-1] if end is None else end,
        "thread": thread,
        "process": process,
    }
    for name, value in values.items():
        con.execute(f"SET VARIABLE window_{name} = CAST({'NULL' if value is None else repr(str(value))} AS BIGINT)")
    con.execute(f"SET VARIABLE window_as_nsys = {as_nsys}")


def split_range(text: str) -> tuple[str, int]:
    """The label and the index in NAME[@DOMAIN][/INDEX].

    >>> split_range("step@train/2"), split_range("a/b")
    (('step@train', 2), ('a/b', 0))
    """
    found = re.fullmatch(r"(.*)/([0-9]+)", text, re.DOTALL)
    return (found[1], int(found[2])) if found else (text, 0)


def find_range(text: str, ask: Callable[[str, dict[str, Any]], list[tuple[Any, ...]]]) -> NvtxRange:
    """The NVTX range that `text` names. Raises MissingData with near matches."""
    label, index = split_range(text)
    found = ask("SELECT * FROM nvtx_filter WHERE label = $label ORDER BY start_ns, row_id", {"label": label})
    if index < len(found):
        _, _, start, end, thread, process, is_main = found[index]
        return NvtxRange(label, index, len(found), start, end, None if is_main else thread, process)
    if found:
        raise MissingData(f"The NVTX range {label!r} occurs {len(found)} times; {index} is no index of it.")
    labels = [str(row[0]) for row in ask(LABELS, {"label": label})]
    domain, _, name = label.partition(":")  # as reports show it
    meant = [known for known in labels if known.startswith(f"{label}@") or known == f"{name}@{domain}"]
    offer = f" Did you mean {' or '.join(sorted(meant)[:3])}?" if meant else near(label, labels)
    raise MissingData(f"No NVTX range is named {label!r}; write NAME, or NAME@DOMAIN where it has a domain.{offer}")
