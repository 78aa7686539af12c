"""json: an array of objects, one per row, their fields named by the titles.

As nsys does, a text that looks like a number or is true, false or null is written bare. Unlike nsys, line
ends and other control characters are escaped, so that the result is always JSON.
"""

import json as standard
from collections.abc import Iterator
from typing import TYPE_CHECKING

from nsysql.nsys.stats.cells import Cell
from nsysql.nsys.stats.report_rows import ReportRows

if TYPE_CHECKING:
    from nsysql.nsys.stats.formats import Format

BARE = r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?|true|false|null"


def json(answer: ReportRows, form: "Format") -> Iterator[str]:
    """The rows as JSON; an empty array where there are none."""
    fields = (f"'    {_quoted(standard.dumps(c.title, ensure_ascii=False))}: ', {_value(c)}" for c in answer.cells)
    line = "concat(',\n  {\n', " + ", ',\n', ".join(fields) + ", '\n  }')"
    before = "["
    for text in answer.text(line):
        yield before + (text[1:] if before else text)
        before = ""
    yield "\n]\n" if answer.count else "[\n]\n"


def _value(cell: Cell) -> str:
    if cell.is_number:
        return f"coalesce({cell.text}, '\"\"')"
    bare = f"regexp_full_match({cell.text}, '{BARE}')"
    return f"CASE WHEN {bare} THEN {cell.text} ELSE to_json(coalesce({cell.text}, ''))::VARCHAR END"


def _quoted(text: str) -> str:
    return text.replace("'", "''")
