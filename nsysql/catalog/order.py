"""Remove the ORDER BY of a query, for readers that do not need to spend its time and memory.

>>> without_order("SELECT a FROM t\\nORDER BY a ASC")
'SELECT a FROM t'
>>> without_order("SELECT a FROM t\\nORDER BY a ASC\\nLIMIT 3")
'SELECT a FROM t\\nORDER BY a ASC\\nLIMIT 3'
"""

import re

PLAIN = re.compile(r"[\w\s.,]*")  # columns and directions only, so not the end of a subquery


def without_order(sql: str) -> str:
    """The SQL without its final ORDER BY of plain columns; unchanged if it ends differently."""
    before, order, after = sql.rstrip().rpartition("\nORDER BY ")
    if not order or not PLAIN.fullmatch(after) or re.search(r"\b(LIMIT|OFFSET|UNION)\b", after, re.IGNORECASE):
        return sql
    return before
