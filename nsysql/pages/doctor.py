"""The doctor page: can the export be analyzed, what is not answered and why, and inconsistencies."""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

import polars as pl

from nsysql.pages.elements import LABEL, PROSE, Cell, Column, Page, Section
from nsysql.pages.examination import ANSWERED, CANNOT, PARTLY, Examination, MissingItem
from nsysql.pages.phrases import beginning, joined, percent
from nsysql.pages.sections import table
from nsysql.pages.summary.tables import CAPTURE_HINTS, about
from nsysql.words.quantities import counted, time

SCHEMA = "nsysql.doctor/1"  # adding a key does not change the number; removing or changing one does


def document(examination: Examination) -> dict[str, Any]:
    info = examination.info
    return {
        "schema": SCHEMA,
        "export": info.document(),
        "can_be_analysed": examination.can_be_analysed,
        "events": examination.events,
        "damaged": dict(examination.damaged),
        "answers": [asdict(answer) for answer in examination.answers],
        "lines": list(examination.lines),
        "messages": None if examination.messages is None else examination.messages.to_dicts(),
        "profiler": {
            "total_time_ns": int(examination.costs["total_time_ns"].sum()),
            "costs": examination.costs.to_dicts(),
        },
        "checks": list(examination.checks),
        "findings": list(examination.findings),
    }


def frame(examination: Examination) -> pl.DataFrame:
    """The main table: a row per question."""
    columns = dict.fromkeys(("kind", "name", "verdict", "lacks", "options"), pl.String)
    return pl.DataFrame([answer.row for answer in examination.answers], schema=columns)


KINDS = {
    "query": "queries",
    "report": "reports of nsys stats",
    "rule": "rules of nsys analyze",
    "cause": "causes of idle time",
}
SEVERITIES = ("error", "warning", "info", "verbose")
WAS = "(was on)"
WAS_ON = f"{WAS}: no such events occurred, or this nsys version does not record them."
NO_OPTION = "(no option)"
GRAPHICS = re.compile(r"(\b|_)(DX11|DX12|D3D11|D3D12|VULKAN|OPENGL|KHR|WDDM|NVVIDEO|NVENC|VIDEO)\w*", re.IGNORECASE)
MESSAGE = 120  # characters
SHOWN = 8  # messages
NAMED = 4  # questions that need what is missing; of more the number is shown
COMMON = ("cuda", "nvtx", "osrt", "cublas", "cudnn", "mpi")  # what most runs trace
FOLDED = 2  # lacks of graphics: where there are more, the capture is about none
TELLS = {table: tells for tables, tells, _ in CAPTURE_HINTS for table in tables}
EACH = "nsysql doctor -f csv lists each question and what it lacks."


def page(examination: Examination) -> Page:
    lines = Section("Lines of source", "nsysql lines", (), (PROSE,), tuple((text,) for text in examination.lines))
    sections = (
        _verdict(examination), *_missing(examination), *([lines] if lines.rows else ()), *_messages(examination),
        *_costs(examination), _findings(examination),
    )  # fmt: skip
    return Page(f"{examination.info.path.name}: what can it answer?", sections)


def _verdict(examination: Examination) -> Section:
    if examination.damaged:
        tables = joined(sorted(examination.damaged))
        text = f"No: it is damaged in {tables}. Copy it again, or export the report again."
    elif not examination.events:
        text = "No: nothing was recorded, no event of any kind."
    else:
        text = f"Yes: it has {counted(examination.events, 'event')}."
    count = Counter((answer.kind, answer.verdict) for answer in examination.answers)
    verdicts = (ANSWERED, PARTLY, CANNOT)
    rows = tuple((title, *(f"{count[kind, verdict]:,}" for verdict in verdicts)) for kind, title in KINDS.items())
    columns = (LABEL, Column("answered"), Column("partially"), Column("not answered"))
    return Section("Can it be analyzed?", "", (text,), columns, rows, (EACH,))


def _missing(examination: Examination) -> Iterator[Section]:
    """What is missing, the option that records it, and the questions that need it."""
    meaning = "the option of nsys profile, what it would record, and the questions that need it"
    for verdict, title in (PARTLY, "Partially answered"), (CANNOT, "Not answered"):
        if rows := tuple(_missing_rows(examination, verdict)):
            after = (WAS_ON,) if any(option == WAS for option, _ in rows) else ()
            yield Section(title, meaning, (), (LABEL, PROSE), rows, after)


def _missing_rows(examination: Examination, verdict: str) -> Iterator[tuple[Cell, ...]]:
    """A row per missing item, those without an option last. A report that lacks more than its query says so."""
    names: dict[MissingItem, dict[str, str]] = {}
    for answer in examination.answers:  # queries first
        name = f"{answer.name} (as in nsys)" if answer.kind in ("report", "rule") else answer.name
        for lack in answer.lacks if answer.verdict == verdict else ():
            names.setdefault(lack, {}).setdefault(answer.name, name)
    graphics = {lack for lack in names if not lack.was_on and GRAPHICS.search(lack.what)}
    for lack, of in sorted(names.items(), key=_order):
        if lack in graphics and len(graphics) > FOLDED:
            continue
        option, _, others = lack.option.partition(" or ")
        hint = f" (or {others})" if others else ""
        if lack.was_on:
            option, hint = WAS, f" ({lack.option})"
        tells = f", {TELLS[first]}" if (first := lack.what.partition(" ")[0]) in TELLS and lack.option else ""
        needed = ", ".join(of.values()) if len(of) <= NAMED else counted(len(of), "question")
        yield option or NO_OPTION, f"{lack.what}{hint}{tells}: {needed}"
    if len(graphics) > FOLDED:
        count = counted(len({name for lack in graphics for name in names[lack]}), "question")
        yield "(graphics)", f"{count} about Direct3D, Vulkan, OpenGL, WDDM and video (--format json)"


def _order(item: tuple[MissingItem, object]) -> tuple[bool, bool, int, bool]:
    """What --trace and plain switches bring, then options that need more than themselves; what no option mends last."""
    option = item[0].option
    kind = option.removeprefix("--trace=")
    return item[0].was_on, not option, COMMON.index(kind) if kind in COMMON else len(COMMON), " or " in option


def _messages(examination: Examination) -> Iterator[Section]:
    """nsys's messages about the capture: counts by severity, and messages about lost events in full."""
    if examination.messages is None:
        yield Section("nsys diagnostics", before=("This export holds no messages; exports since nsys 2024.4 do.",))
        return
    messages = examination.messages.to_dicts()
    counts = {s: sum(row["messages"] for row in messages if row["severity"] == s) for s in SEVERITIES}
    grave = joined([counted(count, s) for s, count in counts.items() if count and s != "info"] or ["nothing of weight"])
    before = f"{grave[0].upper()}{grave[1:]}; {counted(counts['info'], 'remark')} (nsysql capture-messages)."
    told = [m for m in messages if not m["is_refuted"] and (m["is_loss"] or m["severity"] in ("error", "warning"))]
    told.sort(key=lambda row: not row["is_loss"])
    rows = tuple(
        ("events lost" if row["is_loss"] else row["severity"], beginning(row["text"], MESSAGE) + about([row]))
        for row in told[:SHOWN]
    )
    after = (f"{len(told) - SHOWN} more.",) if len(told) > SHOWN else ()
    yield Section("nsys diagnostics", "", (before,), (LABEL, PROSE) if rows else (), rows, after)


def _costs(examination: Examination) -> Iterator[Section]:
    total, length = int(examination.costs["total_time_ns"].sum()), examination.info.duration_ns
    if total:
        share = f", {percent(total, length)} of the capture's {time(length)}" if length else ""
        line = f"Profiler overhead: {time(total)}, summed over threads{share}; gaps it caused are attributed to it."
        rows = [{**row, "name": row["name"] or "(no name)"} for row in examination.costs.to_dicts()]
        yield table(
            "Profiler overhead", "total_time_ns= name=:text", rows, before=(line,), top=3, rest="kind",
            how=" (nsysql profiler-costs)",
        )  # fmt: skip


def _findings(examination: Examination) -> Section:
    """What the checks found, each with its meaning; then those that found nothing."""
    odd = {finding["check"] for finding in examination.findings}
    rows = [
        {**finding, "title": check["title"] + (f", by up to {time(most)}" if (most := finding["before_ns"]) else "")}
        for check in examination.checks
        for finding in examination.findings
        if finding["check"] == check["check"]
    ]
    after = [f"{check['title']}: {check['meaning']}." for check in examination.checks if check["check"] in odd]
    for was_made, heading in (True, "No problems found"), (False, "Not checked, as there are no such rows"):
        if rest := [c["title"] for c in examination.checks if c["check"] not in odd and c["was_made"] == was_made]:
            after.append(f"{heading}: {joined(rest)}.")
    if rows:
        after.append("Which rows: nsysql suspect-rows; which queries they affect: --format json.")
    columns = "found=rows found/rows=of_all:pct title=finding:text table=table:text"
    meaning = "a finding changes no total unless its note says so" if rows else ""
    return table("Clocks and consistency", columns, rows, meaning, after=after)
