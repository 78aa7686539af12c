"""Find names in the text of a SELECT: those that it reads, its CTEs; remove its order. Standard library only."""

import re
from collections.abc import Collection, Iterator

PLAIN = re.compile(r"[\w\s.,]*")  # columns and directions only, so not the end of a subquery


def without_order(sql: str) -> str:
    """The SQL without its final ORDER BY of plain columns, if it has one; unchanged if it ends differently.

    >>> without_order("SELECT a FROM t\\nORDER BY a ASC")
    'SELECT a FROM t'
    >>> without_order("SELECT a FROM t\\nORDER BY a ASC\\nLIMIT 3")
    'SELECT a FROM t\\nORDER BY a ASC\\nLIMIT 3'
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


def strip_comments(sql: str) -> str:
    """The SQL with comments and string literals replaced by spaces."""
    return NO_NAMES.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), sql)


def shadowing(sql: str, views: Collection[str]) -> Iterator[tuple[int, str]]:
    """The CTEs named like a view: the line in the SQL, counted from 0, and the name as written."""
    bare = strip_comments(sql)
    for found in CTE.finditer(bare):
        if found["name"].lower() in views:
            yield bare.count("\n", 0, found.start("name")), found["name"]


def words_among(sql: str, names: Collection[str]) -> Iterator[tuple[int, str]]:
    """Occurrences of these names (given in lower case): the line, counted from 0, and the name as written."""
    bare = strip_comments(sql)
    for found in re.finditer(r"\w+", bare):
        if found[0].lower() in names:
            yield bare.count("\n", 0, found.start()), found[0]
