"""Work with SQL as text: quoting, names that a SELECT reads, its CTEs and its order; and parts of error messages."""

import re
from collections.abc import Collection, Iterable, Iterator
from functools import lru_cache

REPORTS = (".nsys-rep", ".qdrep")  # extensions of files that nsys must export first
HOW_TO_EXPORT = "make an export with: nsys export --type sqlite REPORT.nsys-rep"

OPTIONS = dict[str, str | bool | int | float | list[str]]
NOTHING_FETCHED: OPTIONS = {  # for every DuckDB connection that reads an export: extensions are never downloaded
    "autoinstall_known_extensions": False,
    "autoload_known_extensions": False,
}
KIND = re.compile(r"^(?:\w+ )+(?:Error|Exception): ")  # prefix of DuckDB's messages


def literal(text: str) -> str:
    """Return the text as an SQL literal."""
    return "'" + text.replace("'", "''") + "'"


def quoted(name: str) -> str:
    """Return the name of a table or column as a quoted SQL identifier."""
    return '"' + name.replace('"', '""') + '"'


def decoded(cell: str) -> str:
    r"""Return SQL that decodes bytes to text: as UTF-8 if valid, else with \xFF for each invalid byte."""
    return f"coalesce(TRY(decode({cell})), {cell}::VARCHAR)"


def first_line(error: Exception) -> str:
    """Return the first line of a DuckDB message, without the error type."""
    return KIND.sub("", (str(error).strip() or type(error).__name__).splitlines()[0]).rstrip(".")


def of_nsys(tables: Iterable[str]) -> bool:
    """Tell whether tables of these names are those of an nsys export."""
    metadata = ("StringIds", "META_DATA_EXPORT", "EXPORT_META_DATA")
    kinds = ("CUPTI_ACTIVITY_KIND_", "NVTX_EVENTS", "OSRT_API")
    return any(name in metadata or name.startswith(kinds) for name in tables)


PLAIN = re.compile(r"[\w\s.,]*")  # columns and directions only, so not the end of a subquery


def without_order(sql: str) -> str:
    r"""Remove the SQL's final ORDER BY of plain columns, if it has one; SQL that ends differently is unchanged.

    >>> without_order("SELECT a FROM t\nORDER BY a ASC")
    'SELECT a FROM t'
    >>> without_order("SELECT a FROM t\nORDER BY a ASC\nLIMIT 3")
    'SELECT a FROM t\nORDER BY a ASC\nLIMIT 3'
    """
    before, order, after = sql.rstrip().rpartition("\nORDER BY ")
    if not order or not PLAIN.fullmatch(after) or re.search(r"\b(LIMIT|OFFSET|UNION)\b", after, re.IGNORECASE):
        return sql
    return before


NO_NAMES = re.compile(r"--[^\n]*|/\*.*?\*/|'(?:[^']|'')*'", re.DOTALL)
CTE = re.compile(
    r"""(?: \bWITH \s+ (?:RECURSIVE\s+)? | , \s* )
        "? (?P<name>\w+) "?
        (?: \s* \( [^()]* \) )?
        (?: \s* USING \s+ KEY \s* \( [^()]* \) )?
        \s* \b AS \s* (?:(?:NOT \s+)? MATERIALIZED \s*)? \(""",
    re.VERBOSE | re.IGNORECASE,
)


@lru_cache(1)  # a file's sources and its checks ask in turn
def strip_comments(sql: str) -> str:
    """Replace comments and string literals in the SQL by spaces."""
    return NO_NAMES.sub(lambda match: "\n".join(" " * len(line) for line in match[0].split("\n")), sql)


def shadowing(sql: str, views: Collection[str]) -> Iterator[tuple[int, str]]:
    """Yield the CTEs named like a view: the line in the SQL, counted from 0, and the name as written."""
    bare = strip_comments(sql)
    for match in CTE.finditer(bare):
        if match["name"].lower() in views:
            yield bare.count("\n", 0, match.start("name")), match["name"]


def words_among(sql: str, names: Collection[str]) -> Iterator[tuple[int, str]]:
    """Yield occurrences of these names (given in lower case): the line, counted from 0, and the name as written."""
    bare = strip_comments(sql)
    for match in re.finditer(r"\w+", bare):
        if match[0].lower() in names:
            yield bare.count("\n", 0, match.start()), match[0]
