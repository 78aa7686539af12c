"""Write answers: what the tools return for findings, rules and gaps with the calls that can follow, as bounded JSON.

Rows are left out until an answer fits, and the answer says so.
"""

import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from nsysql.catalog.raw_schema import read_raw
from nsysql.catalog.requirements import raw_tables
from nsysql.errors import NsysqlError, UsageError, escaped
from nsysql.findings.engine import refuse_unknown, rules
from nsysql.findings.finding import KEPT, Finding

if TYPE_CHECKING:
    import polars

    from nsysql.agents.captures import Capture

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
    return {"tool": tool, "arguments": arguments, "why": why}


def rows_of(frame: "polars.DataFrame") -> list[dict[str, Any]]:
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
    kept = []
    for row in rows:
        room -= len(_dump(row)) + 1
        if room < 0:
            break
        kept.append(row)
    return kept


def _dump(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


CLASSES = ("matrix", "elementwise", "layout", "communication", "softmax")  # claims that are classes of kernels
CAUSES = {
    "host-code": "host_code", "timer-sleep": "os_sleep", "preempted": "preempted", "oversubscribed": "preempted",
    "gil": "gil_wait", "waits-for-thread": "waiting_for_thread", "paced-by-thread": "waiting_for_thread",
    "graphics-interop": "queued_unexplained", "mps-or-other-process": "queued_unexplained",
}  # fmt: skip
WORK = {
    "graph-traced-whole": "graph", "memset": "memset", "page-faults": "kernel", "serial-streams": "kernel",
    "clocks": "kernel", "gpus-take-turns": "kernel",
}  # by code  # fmt: skip
OF_PART = ("startup", "outlier-pause")  # findings about a whole part


def asked(finding: Finding) -> tuple[str, dict[str, Any]]:
    """Return the query whose rows are the evidence of a finding, and its parameters without `top`."""
    of_part = {"part": finding.part_id}
    if finding.code in WORK:
        return "part_work", {**of_part, "kind": WORK[finding.code]}
    if finding.claims == "kernel":
        return "part_work", {**of_part, "kind": "kernel", "name": finding.subject}
    if finding.claims in CLASSES:
        return "part_work", {**of_part, "kernel_class": finding.claims}
    if finding.claims == "copy":
        return "part_work", {**of_part, "kind": "memcpy"}
    if finding.code in OF_PART or finding.claims is None:
        return "part_gaps", of_part
    cause = {"cause": CAUSES[finding.code]} if finding.code in CAUSES else {"claim": finding.claims}
    return "part_gaps", {**of_part, **cause}


def evidence(capture: "Capture", finding: Finding, top: int) -> list[dict[str, Any]]:
    """Return the rows with most time, at most `top`; none if the capture lacks what the query needs."""
    name, parameters = asked(finding)
    if not capture.run.has("_idle_gap" if name == "part_gaps" else "_gpu_work_ids"):
        return []
    return rows_of(capture.run.query(name, **parameters, top=top))


EVIDENCE = 5  # rows behind a finding
PARTS = 8
MORE = 20  # rows of a query for more of the same


def parts(findings: Any, part: int | None) -> list[dict[str, Any]]:
    """Return the parts, each with the two causes that have most idle time."""
    rows = []
    for row in rows_of(findings.parts.select(KEPT)):
        if part in (None, row["part_id"]):
            own = findings.causes.filter(part_id=row["part_id"]).head(2).select("cause", "idle_ns", "gap_count")
            filled = {key: value for key, value in row.items() if value is not None}
            rows.append({**filled, **({"causes": rows_of(own)} if own.height else {})})
    return sorted(rows, key=lambda row: row["length_ns"], reverse=True)[:PARTS]


def finding(one: Any) -> dict[str, Any]:
    kept = ("code", "part_id", "part_kind", "gpu_id", "subject", "total_ns", "saves_ns", "bound", "certainty", "once")
    return {**{key: getattr(one, key) for key in (*kept, "says", "do")}, "evidence": one.evidence}


def of_code(one: "Capture", code: str) -> Answer:
    """Return the rule, its findings in the capture, and the rows with most time."""
    known = rules(one.run.paths)
    code = code.replace("_", "-")
    refuse_unknown([code], known)
    findings = one.findings
    own = [f for f in findings.findings if f.code == code]
    rule = known[code]
    document: dict[str, Any] = {
        "capture": one.name, "code": code, "meaning": " ".join(f"{rule.summary} {rule.about}".split()),
        "findings": [finding(f) for f in own], "rows": evidence(one, own[0], EVIDENCE) if own else [],
    }  # fmt: skip
    if code in findings.missing:
        document["cannot"] = findings.missing[code]
    elif not own:
        document["none"] = "This rule finds nothing in this capture."
    if not own:
        return Answer(document, next=(step("findings", "What the other rules found.", capture=one.name),))
    name, parameters = asked(own[0])
    rows = document["rows"]
    more = step("query", "More such rows.", capture=one.name, name=name, parameters=parameters, limit=MORE)
    return Answer(document, "rows", len(rows), f"query {name}", (*after_rows(one, rows), *([more] if rows else [])))


def of_gap(one: "Capture", gap: int) -> Answer:
    """Return the gap, its time by cause, and its pieces with the rows that are the evidence."""
    from nsysql.pages.idle.explain import collect, sentences
    from nsysql.pages.scope import PageScope

    detail = collect(one.run, PageScope(), gap)
    call = detail.gap["drained_by"]
    plain = {
        "nvtx_path": None,
        "drained_by_nvtx": None,
        "drained_by": call if re.fullmatch(r"\w+", call or "") else None,
    }
    lines = sentences(replace(detail, thread_name=None, gap={**detail.gap, **plain}))
    names = detail.causes
    texts = {name: {key: row[key] for key in ("title", "advice")} for name, row in names.items()}
    times = {name: detail.gap.get(f"{name}_ns") or 0 for name in names}
    causes = [{"cause": name, "idle_ns": ns, **texts[name]} for name, ns in times.items() if ns]
    gap_row = {key: of for key, of in detail.gap.items() if of is not None and key.removesuffix("_ns") not in names}
    kept = set(detail.pieces.columns) - set(gap_row) | {"start_ns", "dur_ns"}
    pieces = [{key: of for key, of in row.items() if of is not None and key in kept} for row in rows_of(detail.pieces)]
    document: dict[str, Any] = {
        "capture": one.name, "gap": gap_row, "why": [*lines],
        "causes": sorted(causes, key=lambda of: -int(of["idle_ns"])), "pieces": pieces, "notes": [*detail.notes],
    }  # fmt: skip
    longest = sorted(pieces, key=lambda of: -int(of["dur_ns"]))
    more = f"query idle_pieces with gap {gap}"
    return Answer(document, "pieces", len(pieces), more, after_rows(one, longest))


def after_rows(one: "Capture", rows: Sequence[Mapping[str, Any]], table: str | None = None) -> tuple[Step, ...]:
    """Return calls about the first row by its key: its gap, and its row in the export, row_id of `table`."""
    gap = next((row["gap_id"] for row in rows[:1] if isinstance(row.get("gap_id"), int)), None)
    steps = [step("explain", "Why the GPU was idle there.", capture=one.name, gap=gap)] if gap is not None else []
    for row in rows:
        name, number = row.get("evidence_table", table), row.get("evidence_row_id", row.get("row_id"))
        if isinstance(number, int) and re.fullmatch(r"\w+", str(name)) and name in one.run.tables:
            text = f"SELECT * FROM raw.{name} WHERE rowid = {number}"
            return (*steps, step("sql", "The row of the export.", capture=one.name, text=text))
    return tuple(steps)


def table_of(one: "Capture", name: str) -> str | None:
    """Return the NVIDIA table that row_id of a query or view refers to; None if there are several."""
    timed = {
        table for table in raw_tables(one.run.find(name)) if {"start", "timestamp"} & read_raw()[table].columns.keys()
    }
    return timed.pop() if len(timed) == 1 else None
