"""Write the SQL that narrows a connection's view of the raw tables to an interval."""

from typing import TYPE_CHECKING

from nsysql.analysis.window import Window
from nsysql.catalog.parameters import INT64
from nsysql.catalog.raw_schema import RawTable

if TYPE_CHECKING:
    import duckdb

    from nsysql.capture.nvtx_range_filter import NvtxRanges


MANY_MOMENTS = 1000  # with more moments SQLite only checks the interval from the first to the last


def condition(table: RawTable) -> str:
    """Return the WHERE by which the connection's window keeps rows of the table; empty for tables without times.

    NVIDIA drops rows that began before it and have no end, and keeps every row of a table without ends.
    """
    a, b, ours = "getvariable('window_start')", "getvariable('window_end')", "NOT getvariable('window_as_nsys')"
    inside = f"start >= {a} AND start < {b}"
    if "start" not in table.columns:
        return ""
    if "end" in table.columns:
        overlaps = f'"end" >= {a} AND "end" < {b} OR start < {a} AND "end" >= {b}'
        kept = f'({inside} OR {overlaps} OR {ours} AND "end" IS NULL AND start < {b})'
        until = f'coalesce("end", {INT64[-1]})'
        kept += f" AND {_in_ranges(table, until)}"
    else:
        kept = f"(getvariable('window_as_nsys') OR {inside} AND {_in_ranges(table, 'start')})"
    if table.timeless:
        kept += f" OR {ours} AND {table.timeless}"
    return f" WHERE {a} IS NULL OR {kept}"


def overlaps_moment(moments: list[int]) -> str:
    """Return SQL, for SQLite and DuckDB alike, that keeps rows that have begun at one of the moments and not ended.

    With many moments it keeps more rows, which the query then drops.
    """
    if not moments:
        return "false"

    def next_one(ordered: list[int]) -> str:
        """Return SQL for the first moment not before the row's start, which is not after the last moment."""
        if len(ordered) == 1:
            return str(ordered[0])
        half = len(ordered) // 2
        first, rest = ordered[:half], ordered[half:]
        return f"CASE WHEN start <= {first[-1]} THEN {next_one(first)} ELSE {next_one(rest)} END"

    ordered = sorted(set(moments))
    first = str(ordered[0]) if len(ordered) > MANY_MOMENTS else next_one(ordered)
    return f'start <= {ordered[-1]} AND coalesce("end", {INT64[-1]}) > {first}'


def _in_ranges(table: RawTable, until: str) -> str:
    """Return SQL that is true if a row is of the thread or process of the named ranges, and overlaps one of several."""
    if "globalTid" in table.columns:
        return f"in_ranges_of_thread(globalTid, start, {until})"
    if "globalPid" in table.columns:
        return f"in_ranges_of_process(globalPid, start, {until})"
    return f"in_ranges(start, {until})"


def set_window(con: "duckdb.DuckDBPyConnection", start: int, end: int, as_nsys: bool) -> None:
    """Make a connection see the raw tables through a window."""
    con.execute(f"SET VARIABLE window_start = '{start}'::BIGINT; SET VARIABLE window_end = '{end}'::BIGINT")
    con.execute(f"SET VARIABLE window_as_nsys = {as_nsys}")


MEASURE = ("within_ns", "inside_ns", "is_within", "is_at")  # functions that measure time in the window


def measure(con: "duckdb.DuckDBPyConnection", window: Window | None) -> None:
    """Make within_ns, inside_ns, is_within and is_at measure the time in these spans; in one interval if None."""
    if window is None:
        for name in MEASURE:
            con.execute(f"DROP MACRO IF EXISTS temp.{name}")
        return
    count = _set(con, "measured", window)
    at, next_one = _last("measured_starts", "moment", count), _last("measured_ends", "first", count)
    starts, ends, befores = (f"getvariable('measured_{name}')" for name in ("starts", "ends", "befores"))
    con.execute(
        f"""
CREATE OR REPLACE TEMP MACRO measured_at(moment) AS {at};
CREATE OR REPLACE TEMP MACRO measured_ns(moment) AS coalesce(
    least(moment, {ends}[measured_at(moment)]) - {starts}[measured_at(moment)] + {befores}[measured_at(moment)], 0);
CREATE OR REPLACE TEMP MACRO within_ns(first, until, low, high) AS measured_ns(until) - measured_ns(first);
CREATE OR REPLACE TEMP MACRO inside_ns(moment, low, high) AS measured_ns(moment);
CREATE OR REPLACE TEMP MACRO is_within(first, until, low, high) AS coalesce(
    {starts}[{next_one} + 1] < until, false);
CREATE OR REPLACE TEMP MACRO is_at(moment, low, high) AS coalesce(moment < {ends}[measured_at(moment)], false);
"""
    )


def keep_ranges(con: "duckdb.DuckDBPyConnection", ranges: "NvtxRanges", is_scoped: bool) -> None:
    """Make the raw tables keep what overlaps one of these ranges, of its thread or process if they are scoped.

    A single range is the connection's window.
    """

    def overlaps(name: str, window: Window) -> str:
        """Whether the time from `first` to `until` overlaps one of the spans, as NVIDIA decides it."""
        if len(ranges.ranges) == 1:
            return "true"
        after = _last(f"{name}_ends", "first", _set(con, name, window))
        return f"coalesce(getvariable('{name}_starts')[{after} + 1] <= until, false)"

    anywhere = of_thread = of_process = overlaps("kept", ranges.window)
    if is_scoped:
        threads, processes = [], []
        for number, (thread, process, window) in enumerate(ranges.scopes):
            inside = overlaps(f"kept_{number}", window)
            whose = f"thread = {thread}" if thread is not None else f"process_of(thread) = {process}"
            threads.append(f"{whose} AND {inside}")
            processes.append(f"process = {process} AND {inside}")
        of_thread, of_process = (f"({' OR '.join(some)})" for some in (threads, processes))
    con.execute(
        f"""
CREATE TEMP MACRO in_ranges(first, until) AS {anywhere};
CREATE TEMP MACRO in_ranges_of_thread(thread, first, until) AS {of_thread};
CREATE TEMP MACRO in_ranges_of_process(process, first, until) AS {of_process};
"""
    )


def _set(con: "duckdb.DuckDBPyConnection", name: str, window: Window) -> int:
    """Set variables NAME_starts, NAME_ends and NAME_befores to lists, and return the number of spans."""
    for column in window.table.columns:
        values = ", ".join(map(str, window.table[column]))
        con.execute(f"SET VARIABLE {name}_{column.removesuffix('_ns')}s = [{values}]::BIGINT[]")
    return window.table.height


def _last(variable: str, time: str, count: int) -> str:
    """Return SQL that finds, by bisection, the last value of a list not after a time: position from 1; 0 before all."""
    steps = [0, *(2**bit for bit in reversed(range(count.bit_length())))]
    value = f"getvariable('{variable}')[place + step]"
    further = f"CASE WHEN {value} <= {time} THEN place + step ELSE place END"
    return f"list_reduce({steps}::BIGINT[], lambda place, step: {further})"
