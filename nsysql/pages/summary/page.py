"""The summary: parts and findings on the first screen, tables behind --all; the same as JSON."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from nsysql.findings.engine import find
from nsysql.findings.finding import Findings
from nsysql.pages import first_screen
from nsysql.pages.elements import Page, Section
from nsysql.pages.scope import PageScope, ScopedRun
from nsysql.pages.sections import drawn, rows_of
from nsysql.pages.summary import metrics
from nsysql.pages.summary.tables import SECTIONS, without_gpu_work
from nsysql.words.quantities import columns_of, counted, program
from nsysql.words.truncate import cut

SCHEMA = "nsysql.summary/2"  # a key is added without a new number; one is removed or changed only with it
FINDINGS = 5  # in JSON without the tables; nsysql findings has all
SHOWN = 3  # rows of a table about the CPU
NAME = 20  # columns of a program, least of an export
GAP = " " * 5  # between an export's name and what is in it
NAMED = 2  # GPUs and processes that the title names


@dataclass(frozen=True)
class Summary:
    """What the page is about: an export, or an interval of it, and whether the tables follow."""

    scoped: ScopedRun
    is_whole: bool = False  # with the tables

    def __post_init__(self) -> None:
        """Raise MissingData if there is no such NVTX range."""
        self.scoped.scope.interval(self.scoped.run)

    @cached_property
    def diagnosis(self) -> Findings | None:
        """The findings; None if the page is narrowed, as they are about whole captures."""
        return None if self.scoped.scope.filters else find(self.scoped.run)

    def page(self) -> Page:
        """The first screen, then the tables if they are asked for."""
        _ = self.diagnosis  # first: for the findings long tables are copied, which the title reads as well
        title = heading(self.scoped)
        sections = self.first(title)
        if self.is_whole:
            sections += tuple(section for one in drawn(SECTIONS, self.scoped).values() for section in one)
        return Page(title, sections) if self.is_whole else Page(title, sections, first_screen.COLUMNS)

    def first(self, title: str) -> tuple[Section, ...]:
        """The sections of the first screen."""
        if self.diagnosis is None:
            return _of_interval(self.scoped)
        shown = [one for one in self.diagnosis.findings if one.shown or self.is_whole]
        findings, has_work = self.diagnosis, self.scoped.run.has("_gpu_work_ids")
        more = "idle-gaps | steps | report -o r.html | explain CODE | --all"
        if not has_work:
            after = {"steps": "nvtx_range", "lines": "cpu_sample"}  # pages, and what they read without GPU work
            pages = [name for name, view in after.items() if self.scoped.run.has(view)]
            more = " | ".join(["doctor", *pages, "--all"])
        headline = findings.headline if has_work else without_gpu_work(self.scoped)
        untraced = metrics.untraced(self.scoped.run, self.scoped.rows("gpu_time")) if has_work else []
        unsure = [*first_screen.problems(self.scoped.run), *untraced, *findings.unsure]
        shown_of = replace(findings, headline=headline, unsure=unsure)
        return first_screen.screen(title, shown_of, shown, more, self._without_gpu())

    def _without_gpu(self) -> tuple[Section, ...]:
        """What the CPU did if no GPU worked: MPI ranks, NVTX ranges and OS calls with most time."""
        if self.scoped.run.has("_gpu_work_ids") or self.is_whole:
            return ()
        parts = [part for part in SECTIONS if part.key in ("mpi_ranks", "nvtx", "cuda_api_sum", "osrt_sum")]
        shown = drawn(parts, ScopedRun(self.scoped.run, PageScope(top=SHOWN)))
        return tuple(replace(section, after=()) for one in shown.values() for section in one)[:2]

    def document(self) -> dict[str, Any]:
        """Parts, findings and what is not known, for programs; the tables if they are asked for."""
        run = self.scoped.run
        narrowed_to = self.scoped.scope.interval(run)
        document: dict[str, Any] = {"schema": SCHEMA, "export": run.info.path.name, "narrowed_to": narrowed_to}
        if self.diagnosis is None:
            document["parts"] = self.scoped.interval_parts().to_dicts()
        else:
            document |= {"headline": self.diagnosis.headline, **self.diagnosis.document(self.is_whole)}
            if not self.is_whole:
                document["findings"] = document["findings"][:FINDINGS]
        document["notes"] = list(run.data_problems(*first_screen.STANDS_ON))
        if self.is_whole:
            document["capture"] = run.info.document()
            document["tables"] = rows_of(SECTIONS, self.scoped)
        return document


def _of_interval(scoped: ScopedRun) -> tuple[Section, ...]:
    """The first screen of a page that is narrowed: the interval without findings, which are about the whole capture."""
    parts, interval = scoped.interval_parts(), scoped.scope.interval(scoped.run)
    rows = first_screen.part_rows(parts, scoped.interval_causes())
    where = "findings are about the whole capture: nsysql findings; tables of the interval: --all"
    more = first_screen.closing((), where)
    if not rows:
        return Section("", before=(f"No GPU work in {interval}.",)), more
    headline = f"Limited to {interval}; busy and idle time from its first to its last GPU work."
    return first_screen.parts_section(rows, headline, len(rows), parts["gpu_id"].n_unique()), more


def heading(scoped: ScopedRun) -> str:
    """The export, its GPUs, kernels and processes, and its length, in a line."""
    run = scoped.run
    facts, ns = [*_gpus(scoped), *_processes(scoped)], run.info.duration_ns
    captured = [f"{first_screen.time_of(ns)} captured"] if ns else []
    for left in range(len(facts), -1, -1):  # the last that do not fit beside the name are left out
        text = " · ".join([*facts[:left], *captured])
        if (room := first_screen.COLUMNS - len(GAP) - columns_of(text)) >= min(NAME, columns_of(run.info.path.stem)):
            break
    return f"{cut(run.info.path.stem, max(NAME, room))}{GAP}{text}"


def _gpus(scoped: ScopedRun) -> list[str]:
    used = set(scoped.rows("gpu_time")["gpu_id"]) if scoped.run.has("_gpu_work_ids") else set()
    names = [
        (row["name"] or "GPU").removeprefix("NVIDIA ")
        for row in scoped.rows("gpus").to_dicts()
        if row["gpu_id"] in used
    ]
    alike = {name: names.count(name) for name in names}
    return [f"{count} x {name}" if count > 1 else name for name, count in alike.items()][:NAMED]


def _processes(scoped: ScopedRun) -> list[str]:
    rows = scoped.run.query("processes", count_nvtx=False, **scoped.scope.filters).to_dicts()
    kernels = sum(row["kernels"] for row in rows)
    facts = [counted(kernels, "kernel")] if kernels else []
    rows = [row for row in rows if row["kernels"]] or rows
    if len(rows) > NAMED:
        return [*facts, counted(len(rows), "process", "processes")]
    return [*facts, *(f"{cut(program(row['name'] or 'process'), NAME)} {row['pid']}" for row in rows)]
