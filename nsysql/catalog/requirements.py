"""Find the tables that an export lacks for a query, and the capture options that record them."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import cache
from os.path import commonprefix
from typing import Any

from nsysql.catalog.packs import read_views
from nsysql.catalog.query import Query
from nsysql.catalog.raw_schema import read_raw

Has = Callable[[str], bool]
SELDOM = frozenset({"_mpi_wait", "_gil_wait"})  # views of rare events: empty tables for these are not reported
ALWAYS = frozenset(  # columns of event tables that every version of nsys writes
    {
        "start", "end", "eventType", "globalTid", "globalPid", "nameId", "correlationId", "deviceId", "demangledName",
        "shortName", "eventClass", "copyKind", "isSchedIn",
    }
)  # fmt: skip


def missing_reason(query: Query, has: Has, values: Mapping[str, Any]) -> str | None:
    """Say why the query cannot run on this export, as the end of a sentence; None if it can.

    `has` tells whether the export has a raw table with rows; parameter `values` decide conditional needs (`NVTX_EVENTS
    if nvtx_name`, `kernel if by=kernel`).
    """
    wanted = missing_tables(query, has, values)
    if not wanted:
        return None
    options = list(dict.fromkeys(filter(None, map(option_of, wanted))))
    advice = f"; capture with {' and '.join(options)}" if options else ""
    return f"the export has no {' and no '.join(dict.fromkeys(map(named, wanted)))}{advice}"


def missing_tables(query: Query, has: Has, values: Mapping[str, Any]) -> list[tuple[str, ...]]:
    """Return the raw tables that the query needs and the export lacks; of each tuple one would suffice."""
    return unmet_needs(needs_of(query, values), has)


def needs_of(query: Query, values: Mapping[str, Any]) -> list[tuple[str, ...]]:
    """Return what the query needs with these values of parameters."""
    needs = list(query.needs)
    for view, condition in query.needs_if:  # nvtx_name, by=kernel
        name, _, value = condition.partition("=")
        if values.get(name) == value if value else values.get(name):
            needs.append((view,))
    return needs


def unmet_needs(needs: Iterable[tuple[str, ...]], has: Has) -> list[tuple[str, ...]]:
    """Return missing_tables for needs as in a header: of each tuple of views and tables one suffices."""
    unmet = [need for need in _expanded(needs) if not any(is_available(name, has) for name in need)]
    every = [tuple(dict.fromkeys(t for name in need for t in _tables(name))) for need in unmet]
    wanted = [tables for tables in every if not any(set(other) < set(tables) for other in every)]
    return list(dict.fromkeys(wanted))


def _expanded(needs: Iterable[tuple[str, ...]]) -> Iterator[tuple[str, ...]]:
    """Yield the needs, with those of a view in its place: all of them are needed, not one."""
    for need in needs:
        view = read_views().get(need[0]) if len(need) == 1 else None
        yield from _expanded(view.needs) if view else [need]


def read_needs(text: str | None) -> tuple[tuple[str, ...], ...]:
    """Parse the needs of a header: 'a, b or c' is (a), (b, c)."""
    return tuple(tuple(need.split(" or ")) for need in text.split(", ")) if text else ()


def named(tables: tuple[str, ...]) -> str:
    """Write the tables in words: joined by "or", or by their common prefix if there are many."""
    beginning = commonprefix(tables)  # noqa: RUF071 -- names, not paths
    return f"{beginning}* table" if len(tables) > 4 and beginning else " or ".join(tables)


def option_of(tables: tuple[str, ...]) -> str:
    """Return the capture options that record any of the tables, joined by "or"; empty if there are none."""
    return " or ".join(dict.fromkeys(flag for t in tables if (flag := read_raw()[t].flag)))


def missing_notes(query: Query, has: Has) -> list[str]:
    """Return notes on data that the query did without, one per capture option that recorded nothing."""
    return [
        f"computed without {' and '.join(tables)}: the export has none; capture with {flag}"
        for flag, tables in unrecorded(query, has)
        if flag.startswith("--trace=")
    ]


def absent_column_notes(columns: Mapping[str, Collection[str]]) -> list[str]:
    """Return notes on missing columns that every nsys writes; `columns` has those of each table."""
    lost = {table: sorted(names & ALWAYS) for table, names in absent_columns(columns).items()}
    return [
        f"computed without {table} ({', '.join(names)}): the export lacks what every nsys writes;"
        " export the report again"
        for table, names in lost.items()
        if names and "start" in read_raw()[table].columns
    ]


def absent_columns(columns: Mapping[str, Collection[str]]) -> dict[str, set[str]]:
    """Return the columns that tables lack under all their names; `columns` has those of each table."""
    absent = {}
    for name, written in columns.items():
        if table := read_raw().get(name):
            has = {"rowid", *(column.lower() for column in written)}
            other = table.aliases | {old: new for new, old in table.aliases.items()}
            lost = {c for c in table.columns if c.lower() not in has and other.get(c, c).lower() not in has}
            absent[name] = lost - table.aliases.keys()
    return {name: lost for name, lost in absent.items() if lost}


def unrecorded(query: Query, has: Has) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield capture options that recorded nothing, with those of their tables that are optional for the query."""
    needs = (*query.needs, *((name,) for name, _ in query.needs_if))
    needed = {t for need in needs for name in need for t in _tables(name)}
    by_flag: dict[str, list[str]] = {}
    for name in sorted(raw_tables(query, ignoring=SELDOM)):
        flag = read_raw()[name].flag
        if flag and not read_raw()[name].in_place:
            by_flag.setdefault(flag, []).append(name)
    for flag, tables in by_flag.items():
        recorded = any(has(t) for t in read_raw() if read_raw()[t].flag == flag)
        if not recorded and not needed.intersection(tables):
            yield flag, tuple(tables)


def raw_tables(query: Query, ignoring: frozenset[str] = frozenset()) -> frozenset[str]:
    """Return the raw tables that a query or view depends on through its views, except through those in `ignoring`."""
    return frozenset[str]().union(*(_raw_tables_of(name, ignoring) for name in query.sources - ignoring))


@cache
def _raw_tables_of(name: str, ignoring: frozenset[str]) -> frozenset[str]:
    """Return the raw tables of one source, cached since views share sources."""
    if name in read_views():
        return raw_tables(read_views()[name], ignoring)
    return frozenset({name} & read_raw().keys())


def is_available(name: str, has: Has) -> bool:
    """Tell whether the export has a table, or what a view needs."""
    view = read_views().get(name)
    if view is None:
        return has(name)
    return all(any(is_available(n, has) for n in need) for need in view.needs)


def _tables(name: str) -> list[str]:
    view = read_views().get(name)
    return [t for need in view.needs for n in need for t in _tables(n)] if view else [name]
