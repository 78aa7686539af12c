"""The SQL by which a connection sees the raw tables through a stretch of time."""

from typing import TYPE_CHECKING

from nsysql.catalog.parameters import INT64
from nsysql.catalog.raw_schema import RawTable

if TYPE_CHECKING:
    import duckdb


MANY_MOMENTS = 1000  # moments for which SQLite looks no closer than from the first to the last


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
        until = f'coalesce("end", {INT64[-1]})'
        kept += f" AND {_in_ranges(table, until)}"
    else:
        kept = f"(getvariable('window_as_nsys') OR {inside}{_scope(table)} AND {_in_ranges(table, 'start')})"
    if table.timeless:
        kept += f" OR {ours} AND {table.timeless}"
    return f" WHERE {a} IS NULL OR {kept}"


def overlaps_moment(moments: list[int]) -> str:
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
    if len(ordered) > MANY_MOMENTS:
        return f'start <= {ordered[-1]} AND coalesce("end", {INT64[-1]}) > {ordered[0]}'
    return f'start <= {ordered[-1]} AND coalesce("end", {INT64[-1]}) > {next_one(ordered)}'


def _scope(table: RawTable) -> str:
    thread, process = "getvariable('window_thread')", "getvariable('window_process')"
    if "globalTid" in table.columns:
        return (
            f" AND ({thread} IS NULL OR globalTid = {thread})"
            f" AND ({process} IS NULL OR process_of(globalTid) = {process})"
        )
    if "globalPid" in table.columns:
        return f" AND ({process} IS NULL OR globalPid = {process})"
    return ""


def _in_ranges(table: RawTable, until: str) -> str:
    """Whether a row overlaps one of several ranges, of its thread or process: true unless there are several."""
    if "globalTid" in table.columns:
        return f"in_ranges_of_thread(globalTid, start, {until})"
    if "globalPid" in table.columns:
        return f"in_ranges_of_process(globalPid, start, {until})"
    return f"in_ranges(start, {until})"


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
