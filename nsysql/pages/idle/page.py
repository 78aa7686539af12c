"""The idle page: where the GPU was idle and why on the first screen, tables behind --all; the same as JSON."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from typing import Any

import polars as pl

from nsysql.analysis.nvtx.folded_ranges import folded
from nsysql.findings.engine import find
from nsysql.findings.finding import KEPT, Finding, Findings
from nsysql.pages import first_screen
from nsysql.pages.elements import LABEL, Bar, Cell, Column, Page, Section, notes_section
from nsysql.pages.idle.gather import GROUPS, are_few, gpu_time_or_raise, groups, labeled, notes
from nsysql.pages.phrases import activity, call, gpu_number, share, whole_percent, work_names
from nsysql.pages.scope import ScopedRun
from nsysql.pages.sections import Drawn, Table, drawn, rows_of, table
from nsysql.words.quantities import brief_title, counted, safe, time
from nsysql.words.truncate import cut, marker

BUSY = {
    "computing": "kernels running (at least one fills the SMs)",
    "one_small_kernel": "one small kernel (fewer blocks than SMs)",
    "only_communication": "exposed communication (NCCL etc.)",
    "only_copies": "exposed copies and memsets (no kernel running)",
}
OFTEN = 3  # times that gaps recur between the same two activities, from which they are a pattern


def titled(scoped: ScopedRun, rows: pl.DataFrame, cause: str = "cause") -> pl.DataFrame:
    """The rows with the titles of their causes."""
    titles = scoped.rows("idle_causes").select(pl.col("cause").alias(cause), "title")
    return rows.join(titles, on=cause, how="left", maintain_order="left")


def ledger(scoped: ScopedRun) -> pl.DataFrame:
    """idle_ledger with titles, the longest cause of each GPU first."""
    return titled(scoped, scoped.rows("idle_ledger")).sort("gpu_id", "idle_ns", descending=[False, True])


def longest_gaps(scoped: ScopedRun) -> pl.DataFrame:
    """The longest gaps, with the NVTX ranges that they are in."""
    scope, run = scoped.scope, scoped.run
    values = {**scope.window, "min_gap_ns": scope.min_gap_ns, "top": scope.top, "paths": are_few(run)}
    gaps = labeled(run, run.query("idle_gaps", **values))
    return titled(scoped, gaps.sort("dur_ns", "gap_id", descending=[True, False]), "main_cause")


def _patterns(scoped: ScopedRun) -> pl.DataFrame:
    rows = scoped.rows("idle_patterns").filter(pl.col("gap_count") >= OFTEN)
    return titled(scoped, rows.sort("idle_ns", descending=True, maintain_order=True), "main_cause")


def _lengths(scoped: ScopedRun) -> pl.DataFrame:
    rows = scoped.run.query("idle_lengths", min_gap_ns=scoped.scope.min_gap_ns, **scoped.scope.window)
    idle = pl.col("idle_ns").sum().over("gpu_id")
    return rows.with_columns(idle_pct=pl.when(idle > 0).then(100 * pl.col("idle_ns") / idle))


def _busy(scoped: ScopedRun) -> pl.DataFrame:
    """exposed_time with a row for each kind of busy time."""
    rows = scoped.rows("exposed_time")
    kinds = [
        rows.select("gpu_id", pl.lit(text).alias("what"), total_ns=f"{kind}_ns", busy_pct=f"{kind}_pct")
        for kind, text in BUSY.items()
    ]
    return pl.concat(kinds).filter(pl.col("total_ns") > 0).sort("gpu_id", maintain_order=True)


def by_group(scoped: ScopedRun) -> pl.DataFrame:
    """Idle time by what --by names, or after calls that emptied the queue; paths that differ in numbers are one."""
    if scoped.scope.by != "drain":
        return titled(scoped, groups(scoped.run, scoped.scope), "main_cause").sort("idle_ns", descending=True)
    rows = scoped.rows("idle_drains").with_columns(folded(pl.col("drained_by_nvtx")))
    keys = ["gpu_id", "drained_by", "drained_by_nvtx"]
    sums = pl.col("idle_ns", "idle_pct", "gap_count", "calls", "blocked_ns").sum()
    return rows.group_by(keys).agg(sums).sort("idle_ns", *keys, descending=[True, False, False, False])


def group_table(by: str) -> Table:
    """The table of --by."""
    if by == "drain":
        columns = (
            "gpu_id=GPU idle_pct=of_idle_% idle_ns=time gap_count=gaps calls=calls blocked_ns=blocked"
            " drained_by=call:text drained_by_nvtx=NVTX:text"
        )
        title = "Idle after calls that emptied the queue"
        return Table("groups", title, columns, "# is any number", total="idle_ns", read=by_group)
    columns = "gpu_id=GPU idle_pct=of_idle_% idle_ns=time title=main_cause:text name=name:text"
    name = {"nvtx": "NVTX range", "api": "call"}.get(by, by)
    return Table("groups", f"Idle by {name}", columns, rest="row", total="idle_ns", read=by_group)


def _hidden(scoped: ScopedRun) -> Iterator[Section]:
    """How many gaps --min-gap hides."""
    rows = _lengths(scoped)
    count, ns = int(rows["hidden_count"].sum()), int(rows["hidden_ns"].sum())
    if count:
        gaps = counted(count, "gap")
        yield Section("Not listed", before=(f"{gaps} shorter than {time(scoped.scope.min_gap_ns)}: {time(ns)}.",))


def _notes(scoped: ScopedRun) -> Iterator[Section]:
    every = (
        *notes(scoped.run, scoped.scope, scoped.rows("idle_ledger")),
        "times are relative to the start of the capture.",
    )
    yield notes_section(every)


SECTIONS = (
    Table(
        "gpu_time", "GPU time",
        "gpu_id=GPU window_start_ns=from window_ns=window busy_pct=busy:part idle_pct=idle_%? idle_ns=idle"
        " gap_count=gaps lead_in_ns=lead-in tail_ns=tail",
        "lead-in: first CUDA call to first GPU work; tail: last GPU work to last CUDA call",
    ),
    Table(
        "ledger", "Idle by cause",
        "gpu_id=GPU title=cause:text idle_pct=of_idle:part idle_ns=time window_pct=window_% gap_count=gaps"
        " longest_ns=longest",
        "how long each GPU waited under each cause; the share of the window is the most that removing it saves",
        rest="cause", total="idle_ns", read=ledger,
    ),
    Table(
        "patterns", "Recurring gaps",
        "gpu_id=GPU idle_ns=total gap_count=count median_gap_ns=median longest_ns=longest title=main_cause:text"
        " previous_name=after:kernel next_name=before:kernel",
        "between the same two activities",
        rest="pattern", total="idle_ns", read=_patterns,
    ),
    Drawn("gaps", lambda scoped: [_gaps(scoped)], longest_gaps),
    Table(
        "lengths", "Gaps by length",
        "gpu_id=GPU at_least_ns=at_least gap_count=gaps idle_pct=of_idle:part idle_ns=time",
        "few long ones or many short ones; each row reaches to ten times its length",
        total="idle_ns", read=_lengths,
    ),
    Table(
        "exposed_time", "Busy time", "gpu_id=GPU busy_pct=of_busy:part total_ns=time what=what_ran:text",
        "GPU busy is not GPU utilized: what ran in the busy time",
        total="total_ns", read=_busy,
    ),
    Table(
        "in_mpi", "Idle in MPI calls", "gpu_id=GPU in_mpi_ns=in_MPI in_mpi_pct=of_idle_%",
        "idle time in which the launching thread was in an MPI call",
        total="in_mpi_ns", read=lambda scoped: scoped.rows("idle_in_mpi"),
    ),
    Drawn("hidden", _hidden),
    Drawn("notes", _notes),
)  # fmt: skip


SCHEMA = "nsysql.idle_gaps/2"  # a key is added without a new number; one is removed or changed only with it
PATH = 30  # columns of an NVTX path
DIGITS = {4: 10**6, 6: 10**3, 9: 0}  # of the gaps' times in seconds, by the shortest gap in ns
GAPS = 5
MORE = "nsysql idle-gaps --explain GAP | --by nvtx | --all; nsysql findings"
OPTIONS = (  # parts, causes, findings and gaps that are shown, until they fit
    *((4, 5, 3, GAPS), (3, 4, 3, GAPS), (3, 4, 2, GAPS), (3, 3, 1, GAPS), (2, 3, 1, GAPS), (2, 2, 1, 4)),
    *((2, 2, 1, 3), (1, 2, 1, 3), (1, 1, 1, 2)),
)
BUSY_RULES = (  # findings about what the GPU does, not about why it is idle
    *("fp32-matmul", "fp64-on-geforce", "unfused-elementwise", "unfused-attention", "few-blocks", "small-blocks"),
    *("tail-wave", "low-occupancy", "largest-kernel", "graph-traced-whole", "layout-conversion", "memset"),
    *("skewed-kernel", "clocks", "page-faults", "exposed-communication"),
)


@dataclass(frozen=True)
class Idle:
    """Why the GPUs were idle."""

    scoped: ScopedRun
    is_whole: bool = False  # with the tables

    def __post_init__(self) -> None:
        """Raise MissingData if the export has no GPU activity, UsageError if the interval has none."""
        if self.scoped.run.has("_gpu_work_ids"):
            _ = self.diagnosis  # first: it copies long tables, which gpu_time then reads (of 36 CPU s at 1.2 GB: 4)
        gpu_time_or_raise(self.scoped.run, self.scoped.scope)

    @cached_property
    def diagnosis(self) -> Findings | None:
        """The findings; None if the page is narrowed, as they are about whole captures."""
        scope = self.scoped.scope
        return None if scope.filters or scope.per_process else find(self.scoped.run, BUSY_RULES)

    @property
    def parts(self) -> pl.DataFrame:
        """The parts with GPU work, or the interval that the page is narrowed to."""
        parts = self.scoped.interval_parts() if self.diagnosis is None else self.diagnosis.parts
        parts = parts if self.scoped.scope.gpu is None else parts.filter(gpu_id=self.scoped.scope.gpu)
        return parts.filter(pl.col("idle_ns").is_not_null())

    @property
    def causes(self) -> pl.DataFrame:
        """The causes of the parts' idle time."""
        return self.scoped.interval_causes() if self.diagnosis is None else self.diagnosis.causes

    @property
    def every_finding(self) -> list[Finding]:
        """The findings about idle time."""
        every = [] if self.diagnosis is None else self.diagnosis.findings
        return [one for one in every if one.code not in BUSY_RULES]

    @property
    def findings(self) -> list[Finding]:
        """Those that the first screen shows."""
        return [one for one in self.every_finding if one.shown]

    @property
    def lists_gaps(self) -> bool:
        """Whether more gaps, or only long ones, are asked for than the first screen has: they have a table then."""
        scope = self.scoped.scope
        return self.is_whole or bool(scope.min_gap_ns) or scope.top is None or scope.top > GAPS

    def page(self) -> Page:
        """The first screen, then the tables that are asked for."""
        title = f"{self.scoped.run.info.path.stem}: why was the GPU idle?"
        sections = self._first(title)
        if self.scoped.scope.by not in ("cause", "pattern"):
            sections += tuple(group_table(self.scoped.scope.by).sections(self.scoped))
        keys = {"gaps", "hidden"} if self.lists_gaps else set()
        keys |= {"patterns"} if self.scoped.scope.by == "pattern" else set()
        asked = [one for one in SECTIONS if self.is_whole or one.key in keys]
        sections += tuple(section for one in drawn(asked, self.scoped).values() for section in one)
        return Page(title, sections) if self.is_whole else Page(title, sections, first_screen.COLUMNS)

    def _first(self, title: str) -> tuple[Section, ...]:
        rows = [row for row in first_screen.part_rows(self.parts, self.causes) if row.idle_ns]
        worst, findings_of = self._explained(rows)
        gaps, gpus = _gaps(self.scoped, GAPS), self.parts["gpu_id"].n_unique()
        headline = _headline(self)
        unsure = first_screen.problems(self.scoped.run)

        def layout(parts: int, causes: int, findings: int, shown: int) -> tuple[Section, ...]:
            sections = [first_screen.parts_section(rows, headline, parts, gpus, worst)]
            if worst is not None:
                why = _ledger(worst, causes)
                sections += [why] if why.rows else []
                sections += [] if self.lists_gaps else [replace(gaps, rows=gaps.rows[:shown])]
            if findings_of:
                sections.append(first_screen.findings_section(findings_of, findings, self.parts))
            return *sections, first_screen.closing(unsure, MORE)

        return first_screen.first_that_fits(title, (layout(*most) for most in OPTIONS))

    def _explained(self, rows: list[first_screen.PartRow]) -> tuple[first_screen.PartRow | None, list[Finding]]:
        """The part whose causes are shown, and the findings, those about it first.

        It is that of the first finding about a part that matters, else the one with most idle time.
        """
        least = first_screen.NAMED * sum(row.idle_ns for row in rows)
        row_of = {part_id: row for row in rows if row.idle_ns >= least for part_id in row.part_ids}
        part = next((row_of[one.part_id] for one in self.findings if one.part_id in row_of), None)
        part = part or max(rows, key=lambda row: row.idle_ns, default=None)
        return part, sorted(self.findings, key=lambda one: row_of.get(one.part_id) is not part)

    def table(self, top: int | None) -> pl.DataFrame:
        """The main table: all gaps, or idle time by what --by names."""
        run, scope = self.scoped.run, self.scoped.scope
        if scope.by in GROUPS:
            return groups(run, scope, top)
        if scope.by in ("drain", "pattern"):
            return run.query(f"idle_{scope.by}s", top=top, **scope.window)
        return run.query("idle_gaps", min_gap_ns=scope.min_gap_ns, top=top, **scope.window)

    def document(self) -> dict[str, Any]:
        """Parts, causes, gaps and findings about idle time, for programs; the tables if they are asked for."""
        scoped = self.scoped
        document: dict[str, Any] = {
            "schema": SCHEMA,
            "export": scoped.run.path.name,
            "asked": {name: value for name, value in asdict(scoped.scope).items() if name != "step_range"},
            "parts": self.parts.select(KEPT).to_dicts(),
            "causes": self.causes.to_dicts(),
            "findings": [one.fields() for one in (self.every_finding if self.is_whole else self.findings)],
            "gaps": longest_gaps(scoped).drop("title").to_dicts(),
            "notes": notes(scoped.run, scoped.scope, scoped.rows("idle_ledger")),
        }
        if scoped.scope.by not in ("cause", "pattern"):
            document["groups"] = group_table(scoped.scope.by).frame(scoped).to_dicts()
        if self.is_whole:
            document["tables"] = rows_of(SECTIONS, scoped)
        return document


def _headline(page: Idle) -> str:
    """How much of the GPUs' windows was idle."""
    if page.diagnosis is not None and page.parts.is_empty():  # no kernel is recorded
        return f"{page.diagnosis.headline}."
    rows = page.scoped.rows("gpu_time").to_dicts()
    after = sum(one.total_ns for one in page.findings if one.code == "host-reads-managed" and one.once)
    window, idle = (sum(row[name] for row in rows) - after for name in ("window_ns", "idle_ns"))
    own = int(page.scoped.rows("idle_ledger").filter(cause="profiler")["idle_ns"].sum())
    until = "GPU work" if not after else "kernel"
    text = f"Idle for {whole_percent(share(idle, window))} of the time from first to last {until}"
    if own >= first_screen.WORTH * idle and own:
        text += f", {first_screen.time_of(own // len(rows))} of it profiler overhead"  # the mean, as in the table
    if after:
        text += f"; then for {first_screen.time_of(after)} while the host reads unified memory"
    return f"{text}."


def _ledger(part: first_screen.PartRow, most: int) -> Section:
    """The causes of the part with most idle time, those over a hundredth of it."""
    rows = [
        (title, whole_percent(share(ns, part.idle_ns)), Bar(share(ns, part.idle_ns)), first_screen.time_of(ns))
        for title, ns in part.causes
        if ns >= first_screen.WORTH * part.length_ns
    ]
    meaning = f"in {part.title}; shares of its idle time"
    return Section("Why idle", meaning, (), (LABEL, Column(), Column(), Column()), tuple(rows[:most]))


def _gaps(scoped: ScopedRun, most: int | None = None) -> Section:
    """The longest gaps, one line each."""
    gaps = longest_gaps(scoped)[:most]
    several = gaps["gpu_id"].n_unique() > 1
    columns = (
        "gpu=GPU gap=gap at=at length=length cause=main_cause:whole after=after:text before=before:text path=in?:text"
    )
    shortest = min(gaps["dur_ns"], default=0)
    digits = next(digits for digits, least_ns in DIGITS.items() if shortest >= least_ns)
    rows = [_gap(row, several, digits) for row in gaps.to_dicts()]
    meaning = "after: the blocking call after which the GPU ran dry" if any(row["after"] for row in rows) else ""
    return table("Longest gaps", columns, rows, meaning)


def _gap(gap: dict[str, Any], several: bool, digits: int) -> dict[str, Cell]:
    part = gap[f"{gap['main_cause']}_ns"] / max(1, gap["dur_ns"])
    path = cut(safe(" > ".join(map(marker, gap["nvtx_path"].split(" > ")[-2:]))), PATH) if gap["nvtx_path"] else ""
    return {
        "gpu": gpu_number(gap["gpu_id"]) if several else "",
        "gap": str(gap["gap_id"]),
        "at": f"{gap['start_ns'] / 1e9:.{digits}f} s",
        "length": first_screen.time_of(gap["dur_ns"]),
        "cause": brief_title(gap["title"]) + ("" if part >= first_screen.MOSTLY else f" {whole_percent(part)}"),
        "after": call(gap["drained_by"]) if gap["drained_by"] else "",
        "before": work_names("{}", gap["next_name"], brief=activity),
        "path": path,
    }
