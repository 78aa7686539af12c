"""Write answers as JSON of bounded size: rows are left out until an answer fits, and the answer says so."""

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from nsysql.errors import NsysqlError, UsageError, escaped

if TYPE_CHECKING:
    import polars

LIMIT, LEAST, MOST = 8_000, 1_000, 40_000  # characters of an answer: default, minimum, maximum
TEXT = 600  # characters of a text; the middle of a longer one is left out
SHORTER = (200, 60)  # the same, if a single row is too long
Step = dict[str, Any]  # a call that can follow: tool, arguments, why


@dataclass(frozen=True)
class Answer:
    """A document whose list `rows` can be shortened; `total` is the number of rows there are, None if unknown."""

    document: dict[str, Any]
    rows: str = "rows"
    total: int | None = 0
    more: str = ""  # how to get the other rows
    next: tuple[Step, ...] = ()


def step(tool: str, why: str, **arguments: Any) -> Step:
    """Describe a call that can follow an answer."""
    return {"tool": tool, "arguments": arguments, "why": why}


def rows_of(frame: "polars.DataFrame") -> list[dict[str, Any]]:
    """Return the rows of a frame with the values that `-f json` has."""
    from nsysql.render.table import json_lines

    return [json.loads(line) for chunk in json_lines(frame) for line in chunk.splitlines()]


def text_of(answer: Answer, limit: int = LIMIT) -> str:
    """Return the answer as JSON of at most `limit` characters. Raises NsysqlError if not even its first row fits."""
    for longest in (TEXT, *SHORTER):
        document = cleaned(answer.document, longest)
        rows, next = document.pop(answer.rows, []), cleaned([*answer.next[:3]], longest)
        room = limit - len(_dump(_whole(document, answer, [], next, cut=True)))
        kept = _fitting(rows, room)
        if kept or (not rows and room >= 0):
            cut = answer.total is None or len(kept) < max(len(rows), answer.total)
            text = _dump(_whole(document, answer, kept, next, cut))
            if len(text) <= limit:
                return text
    mend = f"give max_characters up to {MOST}, or ask for fewer columns"
    raise NsysqlError(f"the answer does not fit into {limit:,} characters, not even with one row: {mend}.")


def error_text(error: Exception, next: Sequence[Step] = ()) -> str:
    """Write an answer that could not be given: why, and what to do."""
    document = {"cannot": cleaned(str(error), 1500), "kind": type(error).__name__}
    return _dump({**document, "next": [*next]} if next else document)


def read_limit(value: object) -> int:
    """Return the answer size that a caller requests. Raises UsageError."""
    if isinstance(value, bool) or not isinstance(value, int) or not LEAST <= value <= MOST:
        raise UsageError(f"max_characters is {value!r}; it must be a whole number from {LEAST} to {MOST}.")
    return value


def cleaned(value: Any, longest: int = TEXT) -> Any:
    """Prepare a value for JSON: control and invisible characters as escapes, long texts cut, no NaN."""
    if isinstance(value, str):
        text, half = escaped(value), longest // 2
        left_out = f"{text[:half]}…{len(text) - 2 * half} characters…{text[-half:]}"
        return text if len(text) <= longest else left_out
    if isinstance(value, Mapping):
        return {escaped(str(key)): cleaned(one, longest) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [cleaned(one, longest) for one in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def _whole(document: dict[str, Any], answer: Answer, rows: list[Any], next: list[Step], cut: bool) -> dict[str, Any]:
    whole = {**document, answer.rows: rows} if answer.rows in answer.document else dict(document)
    if cut:
        counts = {"rows_total": answer.total, "rows_shown": len(rows)}
        whole["truncated"] = {**counts, "how_to_get_more": answer.more}
    return {**whole, "next": next} if next else whole


def _fitting(rows: list[Any], room: int) -> list[Any]:
    """Return the first rows that fit."""
    kept = []
    for row in rows:
        room -= len(_dump(row)) + 1
        if room < 0:
            break
        kept.append(row)
    return kept


def _dump(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
