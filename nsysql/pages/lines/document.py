"""The page about lines for programs: JSON with exact values, as docs/lines.md describes it."""

from typing import Any

from nsysql.pages.lines.gather import Lines

SCHEMA = "nsysql.lines/1"  # a key is added without a new number; one is removed or changed only with it


def document(found: Lines) -> dict[str, Any]:
    """The page in lists and dictionaries: totals, then all rows."""
    return {
        "schema": SCHEMA,
        "export": found.path,
        "asked": {"by": found.asked.by, "sort": found.asked.sort, **dict(found.asked.filters)},
        "totals": found.totals,
        "rows": found.rows.to_dicts(),
        "notes": list(found.notes),
    }
