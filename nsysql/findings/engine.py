"""Run the rules on an export and rank what they find; docs/findings.md explains the order.

A rule is a query whose header has a section Finding. It returns rows by part and subject; those of one rule and part
are merged into one finding.
"""

from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any

import polars as pl

from nsysql.capture.export import Export
from nsysql.catalog.header import is_own
from nsysql.catalog.query import Query
from nsysql.catalog.query_file import read_query
from nsysql.errors import BEYOND, MissingData, QueryError, UsageError, suggestion
from nsysql.findings.finding import ROW, Finding, Findings
from nsysql.findings.ranking import at_least_one, limited, merged, ranked
from nsysql.findings.savings import LITTLE, replayed
from nsysql.findings.sentences import filled, headline, numbered, part_titles, unexplained, unsure, without_kernels
from nsysql.words.quantities import counted, time

FIRST_CALL = "first long CUDA call"  # whatever its name, it sets up the context
NO_CALL = "outside of CUDA calls"
IN_CALLS = 0.1  # share of the time before the first GPU work: calls with less are not named
IN_NONE = 0.5  # share of the same time: time outside of calls is named if it has as much
UNKNOWN_WEIGHT = 0.3  # weight of a finding's time if its saving is unknown, as for the largest kernel
UNSURE_WEIGHT = 0.15  # the same if the finding is only possible, or about a library's kernel
WHOLE = ("profiler",)  # claims of findings about time that is not the program's: all of it counts
SUBJECTS = 5
AWAITED = 0.1  # share of a part in which a GPU waits for another in communication, from which the headline says so
SEVERAL = 0.1  # share of a finding's time in other subjects than the first, from which they are mentioned
FAR_NS = 2**60  # 36 years: no time of a capture is further from its start
CAUSES = {
    "part_id": pl.Int64, "gpu_id": pl.Int64, "cause": pl.String, "title": pl.String,
    "idle_ns": pl.Int64, "gap_count": pl.Int64,
}  # fmt: skip
CALLS = {name: CAUSES[name] for name in ("part_id", "gpu_id", "title", "idle_ns")}


def rules(paths: Mapping[str, Path]) -> dict[str, Query]:
    """Return all rules by code: nsysql's own, then those of packs."""
    return {code_of(query): query for query in map(read_query, filter(_may_be_rule, paths.values())) if query.finding}


def _may_be_rule(path: Path) -> bool:
    """Tell whether a file is worth parsing: nsysql's own rules are in one folder, a pack's file names the section."""
    if is_own(path):
        return path.parent.name == "findings"
    return "Finding" in path.read_text(encoding="utf-8", errors="replace")[:4000]


def code_of(rule: Query) -> str:
    """Return a rule's code, such as few-blocks, without the suffix _rule of names that views have, such as memset."""
    return rule.name.removesuffix("_rule").replace("_", "-")


def find(run: Export, ignore: Collection[str] = (), quoted: bool = False) -> Findings:
    """Find what limits the run; with `quoted`, sentences put the capture's names in quotes.

    Raises UsageError, MissingData as queries do if the export cannot be read, QueryError for impossible times.
    """
    try:
        return _find(run, ignore, quoted)
    except QueryError as error:
        if BEYOND in str(error) and (times := _impossible_times(run)):
            raise QueryError(f"{run.path}: {times}; nothing can be computed from such times.") from error
        raise


def _impossible_times(run: Export) -> str | None:
    """Name the table, column and row with times beyond any capture; None if there are none."""
    for column in ("start", "end"):
        far = f"WHERE {column}_ns NOT BETWEEN -{FAR_NS} AND {FAR_NS}"
        bad = run.select("_timed_event", "source, row_id", far)
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
        return _lengths_only(parts, *lost, known)
    titles = part_titles(parts)
    titled = parts.with_columns(title=pl.Series([titles[part_id] for part_id in parts["part_id"]], dtype=pl.String))
    findings: list[Finding] = []
    answers: dict[str, pl.DataFrame] = {}
    missing: dict[str, str] = {}
    failed: list[str] = []
    for code, rule in known.items():
        if code in ignore:
            continue
        try:
            answers[code] = run.query(rule.name)
        except MissingData as error:
            missing[code] = str(error)
            continue
        except QueryError as error:
            if BEYOND not in str(error) or _impossible_times(run):
                raise
            missing[code], failed = str(error), [*failed, code]
            continue
        findings += _of_rule(rule, code, answers[code], titled, run.kernel_names, quoted)
    idle = run.query("part_idle") if run.has("_idle_gap") else None
    causes = _causes(idle, run) if idle is not None else pl.DataFrame(schema=CAUSES)
    in_order = at_least_one(ranked(limited(replayed(merged(findings), run), parts), parts, causes, run))
    unknown = [f"{', '.join(failed)}: {BEYOND}"] if failed else []
    unknown += [*unsure(parts, causes, run), *unexplained(parts, causes, in_order)]
    calls = _calls_before(parts, run)
    bound = headline(parts, causes, run)
    if late := _awaited(in_order, parts, answers):
        bound += f"; the other GPU{' waits' if parts['gpu_id'].n_unique() == 2 else 's wait'} for {late}"
    if at_end := sum(f.total_ns for f in in_order if f.code == "host-reads-managed" and f.once and f.shown):
        bound += f"; then the host reads unified memory for {time(at_end)}"
    return Findings(parts, causes, in_order, unknown, missing, bound, calls)


def _awaited(findings: list[Finding], parts: pl.DataFrame, answers: Mapping[str, pl.DataFrame]) -> str | None:
    """Name the GPU that the others wait for: it has most work, or is the last in most communication of all parts."""
    if uneven := next((f.subject for f in findings if f.code == "uneven-gpus" and f.shown), None):
        return uneven
    if not any(f.code == "exposed-communication" and f.shown for f in findings):
        return None
    rows = answers["exposed-communication"].join(parts.select("part_id", "length_ns"), on="part_id")
    rows = rows.filter(~pl.col("is_turn"), pl.col("waiting_ns") >= AWAITED * pl.col("length_ns"))
    gpus = rows["late_gpu"].unique()
    return f"GPU {gpus[0]}" if len(gpus) == 1 and gpus[0] is not None else None


def _lengths_only(parts: pl.DataFrame, why: str, mend: str, rules: Collection[str]) -> Findings:
    """Return the parts with their length only and no finding: time without copies may be that of kernels."""
    unknown = parts.with_columns(pl.lit(None, parts.schema[name]).alias(name) for name in ("busy_ns", "idle_ns"))
    causes, calls = pl.DataFrame(schema=CAUSES), pl.DataFrame(schema=CALLS)
    headline = f"When the GPU worked is not known: {why}"
    unsure = [f"all of what the GPU did: {mend}"]
    return Findings(unknown, causes, [], unsure, dict.fromkeys(rules, f"{why}; {mend}"), headline, calls)


def refuse_unknown(codes: Collection[str], known: Collection[str]) -> None:
    """Raise UsageError for a code that no rule has."""
    for code in codes:
        if code not in known:
            there = f"There is no rule {code!r} of the findings; `nsysql list` has them."
            raise UsageError(f"{there}{suggestion(code, known)}")


def _causes(idle: pl.DataFrame, run: Export) -> pl.DataFrame:
    """Sum idle time by part and cause, largest first."""
    titles = run.query("idle_cause").select("cause", "title")
    sums = idle.group_by("part_id", "gpu_id", "cause").agg(pl.col("idle_ns", "gap_count").sum())
    named = sums.join(titles, on="cause", how="left").select(*CAUSES)
    return named.sort("part_id", "idle_ns", "cause", descending=[False, True, False])


def _calls_before(parts: pl.DataFrame, run: Export) -> pl.DataFrame:
    """Sum long CUDA calls before the first GPU work, of the thread longest in calls, and time in none if it is most."""
    before = parts.filter(kind="before").select("part_id", "gpu_id", "length_ns")
    if before.is_empty() or not run.has("_api_call_ids"):
        return pl.DataFrame(schema=CALLS)
    calls = run.query("part_call").filter(pl.col("cause") != "launch", pl.col("name").is_not_null())
    calls = calls.join(before, on=["part_id", "gpu_id"], nulls_equal=True)
    sums = calls.group_by("part_id", "thread_id").agg(pl.col("total_ns").sum())
    order = sums.sort("part_id", "total_ns", "thread_id", descending=[False, True, False])
    longest = order.unique("part_id", keep="first").select("part_id", "thread_id")
    own = calls.join(longest, on=["part_id", "thread_id"])
    later_ns = pl.col("total_ns").sum().over("part_id") - pl.col("length_ns")  # the last call ends in the work
    is_last = pl.col("first_row_id") == pl.col("first_row_id").max().over("part_id")
    own = own.with_columns(total_ns=pl.col("total_ns") - pl.when(is_last).then(later_ns.clip(0)).otherwise(0))
    own = own.filter(pl.col("total_ns") >= IN_CALLS * pl.col("length_ns"))
    is_first = pl.col("first_row_id") == pl.col("first_row_id").min().over("part_id")
    is_first &= pl.col("cause") != "sync"  # it can wait for work from before the capture
    first_ns = pl.when(is_first).then(pl.min_horizontal("first_ns", "total_ns")).otherwise(0)
    own = pl.concat([
        own.with_columns(idle_ns=first_ns, name=pl.lit(FIRST_CALL)),
        own.with_columns(idle_ns=pl.col("total_ns") - first_ns),
    ])  # fmt: skip
    own = own.filter(pl.col("idle_ns") >= IN_CALLS * pl.col("length_ns"))
    own = own.select("part_id", "gpu_id", title="name", idle_ns="idle_ns")
    none_ns = pl.col("length_ns") - pl.col("total_ns").fill_null(0)
    left = before.join(order.unique("part_id", keep="first"), on="part_id", how="left").with_columns(idle_ns=none_ns)
    left = left.filter(pl.col("idle_ns") >= IN_NONE * pl.col("length_ns"))
    return pl.concat([own, left.select("part_id", "gpu_id", title=pl.lit(NO_CALL), idle_ns="idle_ns")])


def _of_rule(
    rule: Query, code: str, rows: pl.DataFrame, parts: pl.DataFrame, kernels: Mapping[str, str], quoted: bool = False
) -> Iterator[Finding]:
    """Yield the findings of a rule: one per part, about its subject with most to save."""
    if rows.is_empty():
        return
    parts = parts.with_columns(longest_ns=pl.col("window_ns").max())  # a GPU that works for a short time is no limit
    known = {row["part_id"]: row for row in parts.iter_rows(named=True)}
    rows = rows.with_columns(pl.col("subject").fill_null("?"))  # a name that the export lacks
    for (part_id,), own in rows.group_by("part_id", maintain_order=True):
        own = own.sort("saves_ns", "total_ns", "subject", descending=[True, True, False], nulls_last=True)
        part, first = known[part_id], own.row(0, named=True)
        total = int(own["total_ns"].sum())
        alike = own.filter(pl.col("bound") == first["bound"])["saves_ns"]  # unknown savings of other rows add nothing
        saves = int(alike.sum()) if alike.null_count() < alike.len() else None
        size = total if saves is None else saves
        if size <= 0:
            continue
        says, do = filled(rule, first, kernels, quoted)
        if (rest := total - first["total_ns"]) >= SEVERAL * total:
            says += f" Likewise {counted(own.height - 1, 'other')}: {time(rest)}."
        unit = part["length_ns"] or 1
        is_known = saves is not None and first["bound"] != "unknown"
        yield Finding(
            code, part_id, part["kind"], part["name"], part["gpu_id"],
            first["subject"], tuple(own["subject"].head(SUBJECTS)), total,
            min(size, unit) if is_known else None,
            first["bound"] if saves is not None else "unknown", first["certainty"], bool(first["once"]),
            min(size / unit, 1.0), unit, part["step_count"], says, do, code,
            {"query": rule.name, "part_id": part_id},
            size >= LITTLE * max(unit, (part["window_ns"] or 0) if first["once"] else 0),
            _factor(first, is_known) * min(size, unit) / max(part["longest_ns"] or unit, 1),
            first["claims"], part["title"], part["nth"], (part_id,),
            tuple(own.select(ROW).drop_nulls().rows()),
        )  # fmt: skip


def _factor(row: Mapping[str, Any], is_known: bool) -> float:
    """Return the weight of a finding's size: 1 for a saving, less for a time of which the saving is unknown."""
    if is_known or row["claims"] in WHOLE:
        return 1.0
    if row["bound"] != "unknown" or not row["claims"]:
        return 0.0
    return UNSURE_WEIGHT if row["certainty"] == "possible" or row.get("library") else UNKNOWN_WEIGHT
