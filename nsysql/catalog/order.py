"""The order of a query's rows, which takes time and memory that not all readers need to spend.

>>> without_order("SELECT a FROM t\\nORDER BY a ASC")
'SELECT a FROM t'
>>> without_order("SELECT a FROM t\\nORDER BY a ASC\\nLIMIT 3")
'SELECT a FROM t\\nORDER BY a ASC\\nLIMIT 3'
"""

import re

PLAIN = re.compile(r"[\w\s.,]*")  # columns and directions: nothing that could be inside of something else


def without_order(sql: str) -> str:
    """The SQL without the ORDER BY of columns that it ends in; unchanged where it ends in anything else."""
    before, order, after = sql.rstrip().rpartition("\nORDER BY ")
    if not order or not PLAIN.fullmatch(after) or re.search(r"\b(LIMIT|OFFSET|UNION)\b", after, re.IGNORECASE):
        return sql
    return before
