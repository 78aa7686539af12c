"""Functions of a connection whose window has several spans that lie apart, in place of those of functions.sql."""

from typing import TYPE_CHECKING

from nsysql.analysis.window import Window

if TYPE_CHECKING:
    import duckdb

    from nsysql.capture.nvtx_range_filter import NvtxRanges

MEASURE = ("within_ns", "inside_ns", "is_within", "is_at")  # functions that measure time in the window


def measure(con: "duckdb.DuckDBPyConnection", window: Window | None) -> None:
    """Let within_ns, inside_ns, is_within and is_at measure the time in these spans; in one stretch of time if None."""
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


def keep_ranges(con: "duckdb.DuckDBPyConnection", found: "NvtxRanges", is_scoped: bool) -> None:
    """Let the raw tables keep what overlaps one of these ranges, of its thread or process if they are scoped."""
    count = _set(con, "kept", found.window)
    anywhere = of_thread = of_process = _overlaps("kept", count)
    if is_scoped:
        threads, processes = [], []
        for number, (thread, process, window) in enumerate(found.scopes):
            name = f"kept_{number}"
            overlaps = _overlaps(name, _set(con, name, window))
            whose = f"thread = {thread}" if thread is not None else f"process_of(thread) = {process}"
            threads.append(f"{whose} AND {overlaps}")
            processes.append(f"process = {process} AND {overlaps}")
        of_thread, of_process = (f"({' OR '.join(some)})" for some in (threads, processes))
    con.execute(
        f"""
CREATE TEMP MACRO in_ranges(first, until) AS {anywhere};
CREATE TEMP MACRO in_ranges_of_thread(thread, first, until) AS {of_thread};
CREATE TEMP MACRO in_ranges_of_process(process, first, until) AS {of_process};
"""
    )


def _set(con: "duckdb.DuckDBPyConnection", name: str, window: Window) -> int:
    """Set variables NAME_starts, NAME_ends and NAME_befores to lists; how many spans."""
    for column in window.table.columns:
        values = ", ".join(map(str, window.table[column]))
        con.execute(f"SET VARIABLE {name}_{column.removesuffix('_ns')}s = [{values}]::BIGINT[]")
    return window.table.height


def _last(variable: str, time: str, count: int) -> str:
    """The position in an ordered list of the last value that is not after a time, from 1; 0 before all. Binary."""
    steps = [0, *(2**bit for bit in reversed(range(count.bit_length())))]
    value = f"getvariable('{variable}')[place + step]"
    further = f"CASE WHEN {value} <= {time} THEN place + step ELSE place END"
    return f"list_reduce({steps}::BIGINT[], lambda place, step: {further})"


def _overlaps(name: str, count: int) -> str:
    """The SQL of whether what lasts from `first` to `until` overlaps one of the spans, as NVIDIA has it."""
    return f"coalesce(getvariable('{name}_starts')[{_last(f'{name}_ends', 'first', count)} + 1] <= until, false)"
