"""The verdict for programs, as docs/idle-gaps.md describes it."""

from dataclasses import asdict
from typing import Any

from nsysql.pages.verdict.facts import Verdict


def of_verdict(found: Verdict) -> dict[str, Any]:
    """The kinds, shares and sentences, each with the rows that show it."""
    return {
        "kind": found.kind,
        "kinds": [asdict(part) for part in found.kinds],
        "shares_pct": dict(found.shares),
        "start_up": None if found.start_up is None else dict(found.start_up),
        "ending": None if found.ending is None else dict(found.ending),
        "sentences": [
            {"title": one.title, "text": one.text, "rows": [dict(row) for row in one.rows]} for one in found.sentences
        ],
    }
