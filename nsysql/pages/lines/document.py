"""The page about lines as JSON with exact values; docs/lines.md describes it."""

from typing import Any

from nsysql.pages.lines.gather import Lines

SCHEMA = "nsysql.lines/1"  # adding a key does not change the number; removing or changing one does


def document(found: Lines) -> dict[str, Any]:
    """The page as lists and dictionaries: totals, then all rows."""
    return {
        "schema": SCHEMA,
        "export": found.path,
        "asked": {"by": found.asked.by, "sort": found.asked.sort, **dict(found.asked.filters)},
        "totals": found.totals,
        "rows": found.rows.to_dicts(),
        "notes": list(found.notes),
    }
