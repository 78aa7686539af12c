"""Run the rules on an export, and rank what they find: docs/findings.md has the order.

A rule is a query whose header has a section Finding. What it returns is one finding per part and subject, of which
those of one rule and part are merged.
"""

import json
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import polars as pl

from nsysql.capture.export import Export
from nsysql.catalog.header import is_own
from nsysql.catalog.query import Query
from nsysql.catalog.query_file import read_query
from nsysql.errors import BEYOND, MissingData, QueryError, UsageError, suggestion
from nsysql.findings.savings import LITTLE, ROW, Row, replayed
from nsysql.findings.sentences import filled, headline, numbered, unexplained, unsure, without_kernels
from nsysql.words.quantities import time
from nsysql.words.truncate import cut

ONCE_WEIGHT = 0.2  # of what happens once, where there is no series
RECORDED = "--trace=cuda records kernels, and nsysql doctor has the messages of nsys"
FIRST_CALL = "first long CUDA call"  # whichever it is, it sets up the context
NO_CALL = "outside of CUDA calls"
IN_CALLS = 0.1  # of the time before the first GPU work: a call with less is not named
IN_NONE = 0.5  # of it: time in no call is named if it has most
UNKNOWN_WEIGHT = (
    0.3  # of the time of a finding whose saving is unknown, such as the largest kernel: nobody saves all of it
)
UNSURE_WEIGHT = 0.15  # of that if it is only possible, or a library's kernel
WHOLE = ("profiler",)  # claims of findings whose time is not the program's: all of it counts
CLAIMED = 0.3  # of a kernel's time claimed by another finding: then the kernel is not named again
TIE = 0.1  # findings whose savings are so close are ordered by certainty
SERIES_SHARE = 0.05  # of the window: a series with more keeps start-up from leading, if the GPU works in it
WORKS = 0.01  # of a series busy: the GPU works in it
MOSTLY_ONCE = 0.5  # of the window: what happens once is told after the first finding of a series, not after all
IDLE_ONCE = 0.4  # of the window idle under causes that happen once: start-up leads
BARELY_BUSY = 0.15  # of the window busy: start-up leads if nothing repeats
REPEATED = 20  # launches of one kernel that make a repetition
SUBJECTS = 5
FAR_NS = 2**60  # 36 years: no time of a capture is further from its start
CERTAINTY = ("certain", "likely", "possible")
KEPT = ("part_id", "gpu_id", "kind", "name", "length_ns", "busy_ns", "idle_ns", "step_count")  # of parts, in JSON
BYTES = 3_800  # of JSON without --all, compact; a page adds a few keys
FINDINGS, PARTS, SUBJECT = 10, 8, 120  # at most, in JSON without --all; letters of a subject


@dataclass(frozen=True)
class Finding:
    """What limits a part, what could be saved, and what to do."""

    code: str
    part_id: int
    part_kind: str
    part_name: str | None
    gpu_id: int | None
    subject: str
    subjects: tuple[str, ...]
    total_ns: int
    saves_ns: int | None
    bound: str
    certainty: str
    once: bool
    share: float | None  # of its part
    part_ns: int
    step_count: int | None
    says: str
    do: str
    docs: str
    evidence: dict[str, Any] = field(default_factory=dict)
    shown: bool = True
    weight: float = 0.0  # share of the window, by which findings are ranked
    claims: str | None = None
    step_ns: int | None = None
    nth: int = 0  # which of the parts of that kind and name on its GPU
    part_ids: tuple[int, ...] = ()  # its part, and those of other GPUs that it is about as well
    rows: tuple[Row, ...] = ()  # of its rule, with a saving


@dataclass(frozen=True)
class Findings:
    """The parts of a capture, what limits each, and what is not known."""

    parts: pl.DataFrame
    causes: pl.DataFrame
    findings: list[Finding]
    unsure: list[str]
    missing: dict[str, str]
    headline: str
    calls: pl.DataFrame  # CUDA calls before the first GPU work: part_id, gpu_id, title, idle_ns (their time)

    def document(self, all: bool = False) -> dict[str, Any]:
        """The findings as JSON: parts, findings, unsure; without `all` as many as fit in 4 kB, the most important."""
        shown = [_document(f) for f in self.findings if f.shown or all]
        parts = [{key: part[key] for key in KEPT if part[key] is not None} for part in self.parts.to_dicts()]
        parts = [{"id": part.pop("part_id"), **part} for part in parts]
        whole: dict[str, Any] = {"headline": self.headline, "parts": parts, "findings": shown, "unsure": self.unsure}
        whole["missing"] = self.missing
        return whole if all else _fitted(whole)


def _fitted(whole: dict[str, Any]) -> dict[str, Any]:
    """The document without what does not fit: findings from the least important, parts that no finding is about."""
    shown, parts = whole["findings"], whole["parts"]
    for most in range(min(len(shown), FINDINGS), -1, -1):
        about = {f["part"]["id"] for f in shown[:most]}
        worked = sorted(parts, key=lambda part: (part["id"] not in about, -part.get("busy_ns", 0), part["id"]))[:PARTS]
        fitted = {
            "headline": whole["headline"], "parts": sorted(worked, key=lambda part: part["id"]),
            "findings": shown[:most], "unsure": whole["unsure"],
        }  # fmt: skip
        left = {"more_findings": len(shown) - most, "more_parts": len(parts) - len(worked)}
        fitted |= {key: count for key, count in left.items() if count}
        if len(json.dumps(fitted, ensure_ascii=False, separators=(",", ":")).encode()) <= BYTES:
            break
    return fitted


def _document(f: Finding) -> dict[str, Any]:
    kept = ("total_ns", "saves_ns", "bound", "certainty", "once", "says", "do", "evidence")
    part = {"id": f.part_id, "kind": f.part_kind, "name": f.part_name}
    of = {"code": f.code, "part": part, "gpu_id": f.gpu_id, "subject": cut(f.subject, SUBJECT)}
    return {**of, **{name: getattr(f, name) for name in kept}}


def rules(paths: Mapping[str, Path]) -> dict[str, Query]:
    """All rules by code: nsysql's own, then those of packs."""
    return {code_of(query): query for query in map(read_query, filter(_may_be_rule, paths.values())) if query.finding}


def _may_be_rule(path: Path) -> bool:
    """Whether a file is worth parsing: nsysql's own rules lie in one folder, a pack's name the section."""
    if is_own(path):
        return path.parent.name == "findings"
    return "Finding" in path.read_text(encoding="utf-8", errors="replace")[:4000]


def code_of(rule: Query) -> str:
    """A rule's code: few-blocks. The suffix _rule is for names that views have, such as memset."""
    return rule.name.removesuffix("_rule").replace("_", "-")


def find(run: Export, ignore: Collection[str] = (), quoted: bool = False) -> Findings:
    """What limits the run; with `quoted` sentences have the names of the capture in quotes.

    Raises UsageError, MissingData as queries do where the export cannot be read, QueryError for impossible times.
    """
    try:
        return _find(run, ignore, quoted)
    except QueryError as error:
        if BEYOND in str(error) and (times := _impossible_times(run)):
            raise QueryError(f"{run.path}: {times}; nothing can be computed from such times.") from error
        raise


def _impossible_times(run: Export) -> str | None:
    """The table and column that has times beyond any capture, with a row of it."""
    for column in ("start", "end"):
        bad = run.narrowed(
            "_timed_event", "source, row_id", None, False, f"WHERE {column}_ns NOT BETWEEN -{FAR_NS} AND {FAR_NS}"
        )
        if bad.height:
            source, row_id = bad.sort("source", "row_id").row(0)
            rows = f"row {row_id} of {source}" + (f" and {bad.height - 1:,} more" if bad.height > 1 else "")
            return f"the column {column} of {rows} is beyond {FAR_NS // 10**9 // 86_400 // 365} years"
    return None


def _find(run: Export, ignore: Collection[str], quoted: bool) -> Findings:
    parts = numbered(run.query("part"))
    known = rules(run.paths)
    refuse_unknown(ignore, known)
    longest = parts["length_ns"].max()
    if isinstance(longest, int) and longest > FAR_NS:
        raise QueryError(BEYOND)
    if lost := without_kernels(run):
        return _not_told(parts, lost, known)
    findings: list[Finding] = []
    missing: dict[str, str] = {}
    failed: list[str] = []
    for code, rule in known.items():
        if code in ignore:
            continue
        try:
            rows = run.query(rule.name)
        except MissingData as error:
            missing[code] = str(error)
            continue
        except QueryError as error:
            if BEYOND not in str(error) or _impossible_times(run):
                raise
            missing[code], failed = str(error), [*failed, code]
            continue
        findings += _of_rule(rule, code, rows, parts, run.kernel_names, quoted)
    idle = run.query("part_idle") if run.has("_idle_gap") else None
    causes = _causes(idle, run) if idle is not None else pl.DataFrame(schema=CAUSES)
    ranked = _ranked(replayed(_merged(findings), run), parts, causes, run)
    unknown = [f"{', '.join(failed)}: {BEYOND}"] if failed else []
    unknown += [*unsure(parts, causes, run), *unexplained(parts, causes, ranked)]
    calls = _calls_before(parts, run)
    bound = headline(parts, causes, run)
    if at_end := sum(f.total_ns for f in ranked if f.code == "host-reads-managed" and f.shown):
        bound += f"; then the host reads unified memory for {time(at_end)}"
    return Findings(parts, causes, ranked, unknown, missing, bound, calls)


def _not_told(parts: pl.DataFrame, why: str, rules: Collection[str]) -> Findings:
    """The parts by their length alone, no finding: time without copies may be that of kernels."""
    unknown = parts.with_columns(pl.lit(None, parts.schema[name]).alias(name) for name in ("busy_ns", "idle_ns"))
    causes, calls = pl.DataFrame(schema=CAUSES), pl.DataFrame(schema=CALLS)
    headline = f"When the GPU worked is not known: {why}"
    unsure = [f"all of what the GPU did: {RECORDED}"]
    return Findings(unknown, causes, [], unsure, dict.fromkeys(rules, f"{why}; {RECORDED}"), headline, calls)


def refuse_unknown(codes: Collection[str], known: Collection[str]) -> None:
    """Raise UsageError for a code of no rule."""
    for code in codes:
        if code not in known:
            raise UsageError(
                f"There is no rule {code!r} of the findings; `nsysql list` has them.{suggestion(code, known)}"
            )


CAUSES = {
    "part_id": pl.Int64,
    "gpu_id": pl.Int64,
    "cause": pl.String,
    "title": pl.String,
    "idle_ns": pl.Int64,
    "gap_count": pl.Int64,
}


CALLS = {name: CAUSES[name] for name in ("part_id", "gpu_id", "title", "idle_ns")}


def _causes(idle: pl.DataFrame, run: Export) -> pl.DataFrame:
    """Idle time by part and cause, most first."""
    titles = run.query("idle_cause").select("cause", "title")
    sums = idle.group_by("part_id", "gpu_id", "cause").agg(pl.col("idle_ns", "gap_count").sum())
    named = sums.join(titles, on="cause", how="left").select(*CAUSES)
    return named.sort("part_id", "idle_ns", "cause", descending=[False, True, False])


def _calls_before(parts: pl.DataFrame, run: Export) -> pl.DataFrame:
    """CUDA calls with a tenth of the time before the first GPU work, of the thread longest in calls; most in none."""
    before = parts.filter(kind="before").select("part_id", "gpu_id", "length_ns")
    if before.is_empty() or not run.has("_api_call_ids"):
        return pl.DataFrame(schema=CALLS)
    calls = run.query("part_call").filter(pl.col("cause") != "launch", pl.col("name").is_not_null())
    calls = calls.join(before, on=["part_id", "gpu_id"], nulls_equal=True)
    sums = calls.group_by("part_id", "thread_id").agg(pl.col("total_ns").sum())
    order = sums.sort("part_id", "total_ns", "thread_id", descending=[False, True, False])
    longest = order.unique("part_id", keep="first").select("part_id", "thread_id")
    named = calls.join(longest, on=["part_id", "thread_id"]).group_by("part_id", "gpu_id", "length_ns", "name", "cause")
    own = named.agg(pl.col("first_row_id").min(), idle_ns=pl.col("total_ns").sum())  # a call can end in the work
    own = own.with_columns(idle_ns=pl.min_horizontal("idle_ns", "length_ns"))
    own = own.filter(pl.col("idle_ns") >= IN_CALLS * pl.col("length_ns"))
    is_first = pl.col("first_row_id") == pl.col("first_row_id").min().over("part_id")
    is_first &= pl.col("cause") != "sync"  # it can wait for work from before the capture
    title = pl.when(is_first).then(pl.lit(FIRST_CALL)).otherwise("name")
    own = own.select("part_id", "gpu_id", title.alias("title"), "idle_ns")
    none_ns = pl.col("length_ns") - pl.col("total_ns").fill_null(0)
    left = before.join(order.unique("part_id", keep="first"), on="part_id", how="left").with_columns(idle_ns=none_ns)
    left = left.filter(pl.col("idle_ns") >= IN_NONE * pl.col("length_ns"))
    return pl.concat([own, left.select("part_id", "gpu_id", title=pl.lit(NO_CALL), idle_ns="idle_ns")])


def _of_rule(
    rule: Query, code: str, rows: pl.DataFrame, parts: pl.DataFrame, kernels: Mapping[str, str], quoted: bool = False
) -> Iterator[Finding]:
    """The findings of a rule: one per part, of its subjects the one with most to save."""
    if rows.is_empty():
        return
    known = {row["part_id"]: row for row in parts.iter_rows(named=True)}
    rows = rows.with_columns(pl.col("subject").fill_null("?"))  # a name that the export lacks
    for (part_id,), own in rows.group_by("part_id", maintain_order=True):
        own = own.sort("saves_ns", "total_ns", "subject", descending=[True, True, False], nulls_last=True)
        part, first = known[part_id], own.row(0, named=True)
        total = int(own["total_ns"].sum())
        alike = own.filter(pl.col("bound") == first["bound"])["saves_ns"]  # what is unknown of other rows adds nothing
        saves = int(alike.sum()) if alike.null_count() < alike.len() else None
        size = total if saves is None else saves
        if size <= 0:
            continue
        says, do = filled(rule, first, kernels, quoted)
        unit = part["length_ns"] or 1
        is_known = saves is not None and first["bound"] != "unknown"
        yield Finding(
            code, part_id, part["kind"], part["name"], part["gpu_id"],
            first["subject"], tuple(own["subject"].head(SUBJECTS)), total,
            min(size, unit) if is_known else None,
            first["bound"] if saves is not None else "unknown", first["certainty"], bool(first["once"]),
            min(size / unit, 1.0), unit, part["step_count"], says, do, code,
            {"query": rule.name, "part_id": part_id}, size >= LITTLE * unit,
            _factor(first, is_known) * min(size, unit) / max(part["window_ns"] or unit, 1),
            first["claims"], part["step_ns"], part["nth"], (part_id,),
            tuple(own.select(ROW).drop_nulls().rows()),
        )  # fmt: skip


def _factor(row: Mapping[str, Any], is_known: bool) -> float:
    """How much the size of a finding counts: all of a saving, less of a time of which the saving is unknown."""
    if is_known or row["claims"] in WHOLE:
        return 1.0
    if row["bound"] != "unknown" or not row["claims"]:
        return 0.0
    return UNSURE_WEIGHT if row["certainty"] == "possible" or row.get("library") else UNKNOWN_WEIGHT


def _ranked(findings: list[Finding], parts: pl.DataFrame, causes: pl.DataFrame, run: Export) -> list[Finding]:
    """The findings in order: by share of the window, what happens once last unless nothing repeats."""
    series = parts.filter(
        (pl.col("kind") == "series")
        & (pl.col("length_ns") >= SERIES_SHARE * pl.col("window_ns"))
        & (pl.col("busy_ns") >= WORKS * pl.col("length_ns"))
    )
    findings = _without_claimed(findings)
    used = _used(parts)
    pause = [f for f in findings if f.code == "outlier-pause" and (f.gpu_id is None or f.gpu_id in used)]
    findings = [replace(f, weight=0.0) if f.code == "outlier-pause" else f for f in findings if f not in pause]
    again, once = [f for f in findings if not f.once], [f for f in findings if f.once]
    if series.height:
        ordered = [*_ordered(again), *_ordered(once)]
        most = [f for f in ordered[1:] if f.once and f.weight >= MOSTLY_ONCE]
        return [*pause, *ordered[:1], *most, *(f for f in ordered[1:] if f not in most)]
    leads = _startup_leads(parts, causes, run)
    weighed = [replace(f, weight=f.weight * (10 if f.code == "startup" and leads else ONCE_WEIGHT)) for f in once]
    return pause + _ordered(again + weighed)


def _used(parts: pl.DataFrame) -> list[int | None]:
    """The GPUs that work a tenth as much as the one with most: a pause of another one is no pause of the program."""
    busy = parts.group_by("gpu_id").agg(pl.col("busy_ns").sum())
    return busy.filter(pl.col("busy_ns") >= TIE * pl.col("busy_ns").max())["gpu_id"].to_list()


def _startup_leads(parts: pl.DataFrame, causes: pl.DataFrame, run: Export) -> bool:
    window = int(parts.unique("gpu_id")["window_ns"].sum() or 0)
    if not window:
        return False
    worked = parts.filter(pl.col("kind").is_in(["startup", "series", "rest", "work"]))
    busy = int(worked["busy_ns"].sum() or 0)
    inside = causes.filter(pl.col("part_id").is_in(worked["part_id"].implode()))
    once = inside.filter(pl.col("cause").is_in(["module_load", "context_setup", "first_launch"]))
    if int(once["idle_ns"].sum()) > IDLE_ONCE * window:
        return True
    if busy >= BARELY_BUSY * window:
        return False
    most = (
        run.query("part_kernel").group_by("name", "gpu_id").agg(pl.col("count").sum())["count"].max()
        if run.has("_kernel_ids")
        else 0
    )
    return not isinstance(most, int) or most < REPEATED


def _merged(findings: list[Finding]) -> list[Finding]:
    """Findings of several GPUs with one code and subject in parts of one kind and name as one: the GPU with most.

    What happens once is one finding of the capture, that of the part with most; it says how much the GPU's others have.
    """
    merged: dict[tuple[Any, ...], Finding] = {}
    for f in findings:
        key: tuple[Any, ...] = (f.code, f.subject)
        if not f.once:
            key = (*key, f.part_kind, f.part_name, f.nth)
        other = merged.get(key)
        if other is not None and f.once and other.gpu_id == f.gpu_id:
            most, less = sorted((other, f), key=lambda one: -one.weight)
            if less.total_ns >= LITTLE * most.total_ns:
                most = replace(most, says=f"{most.says} Another {time(less.total_ns)} elsewhere.")
            merged[key] = most
            continue
        if other is None or other.gpu_id == f.gpu_id:
            merged[key if other is None else (*key, f.part_id)] = f
            continue
        most = max(other, f, key=lambda one: one.weight)
        merged[key] = replace(most, gpu_id=None, part_ids=other.part_ids + f.part_ids, rows=other.rows + f.rows)
    return list(merged.values())


def _without_claimed(findings: list[Finding]) -> list[Finding]:
    """Leave out the largest kernel if another finding claims it."""
    claimed = {
        (f.part_id, subject)
        for f in findings
        if f.code in ("few-blocks", "small-blocks", "fp32-matmul", "fp64-on-geforce", "page-faults")
        and (f.share or 0) > CLAIMED / 3
        for subject in f.subjects
    }
    return [f for f in findings if f.code != "largest-kernel" or (f.part_id, f.subject) not in claimed]


def _ordered(findings: list[Finding]) -> list[Finding]:
    """By weight; within a tenth of each other by certainty."""
    ordered = sorted(findings, key=lambda f: (-f.weight, f.code, f.part_id, f.subject))
    for at in range(len(ordered) - 1):
        one, other = ordered[at], ordered[at + 1]
        close = other.weight > 0 and one.weight - other.weight <= TIE * one.weight
        if close and CERTAINTY.index(other.certainty) < CERTAINTY.index(one.certainty):
            ordered[at], ordered[at + 1] = other, one
    return ordered
