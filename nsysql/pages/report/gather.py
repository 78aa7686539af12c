"""What the report tells: summary, idle time, accounts, timeline, steps, flame graph, pictures of the longest gaps."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

import polars as pl

from nsysql.capture.export import Export
from nsysql.errors import MissingData, UsageError
from nsysql.findings import what_if
from nsysql.findings.finding import Findings
from nsysql.findings.sentences import WORKED
from nsysql.findings.what_if import WhatIf
from nsysql.pages import sections
from nsysql.pages import step_accounts as steps
from nsysql.pages.elements import Section
from nsysql.pages.examination import Examination
from nsysql.pages.examination import collect as examine
from nsysql.pages.flame import Flame
from nsysql.pages.flame import collect as flame
from nsysql.pages.idle import explain
from nsysql.pages.idle import tables as idle_tables
from nsysql.pages.idle.explain import GapDetail
from nsysql.pages.idle.gather import gpu_time_or_raise
from nsysql.pages.idle.tables import longest_gaps
from nsysql.pages.phrases import Row
from nsysql.pages.report.overview import Overview, overview
from nsysql.pages.scope import PageScope, ScopedRun
from nsysql.pages.summary import tables as summary_tables
from nsysql.pages.summary.page import Summary
from nsysql.pages.timeline import gather as timeline
from nsysql.pages.timeline.curves import with_curves
from nsysql.pages.timeline.gather import around, interval_around
from nsysql.pages.timeline.model import Timeline
from nsysql.pages.timeline.tracks import ask

T = TypeVar("T")
GAPS = 6  # longest gaps that get a picture


@dataclass(frozen=True)
class PicturedGap:
    """A row of idle_gaps, why the GPU was idle in sentences, and the timeline around it."""

    gap: Row
    sentences: tuple[str, ...]
    timeline: Timeline


@dataclass(frozen=True)
class Report:
    """All that the report tells; without GPU work there are no idle sections, without events no timeline.

    `first` is the first screen of the summary, `overview` what of it is drawn, unless the report is narrowed; `summary`
    and `idle` are the sections of these pages by key. `accounts` are rows of gpu_accounts, `launch_shapes` those of
    occupancy, `kernels` the short names of kernels. Steps, replay, flame graph and what the doctor finds are left out
    if the capture is so large that its timeline is merged: they take as long as all else.
    """

    path: Path
    first: tuple[Section, ...]
    overview: Overview | None
    summary: dict[str, tuple[Section, ...]]
    idle: dict[str, tuple[Section, ...]] | None
    timeline: Timeline | None
    gaps: tuple[PicturedGap, ...]
    accounts: pl.DataFrame
    launch_shapes: pl.DataFrame
    steps: steps.Steps | None
    flame: Flame | None
    what_if: WhatIf | None
    doctor: Examination | None
    scope: PageScope
    kernels: dict[str, str]

    @property
    def exact(self) -> list[tuple[int, int]]:
        """The intervals in which the timeline keeps every event."""
        return [interval_around(one.gap) for one in self.gaps]


def collect(run: Export, scope: PageScope, top: int) -> Report:
    """The frames of the report. Raises UsageError if the interval is empty."""
    with run.remembering():
        return _collect(run, scope, top)


def _collect(run: Export, page_scope: PageScope, top: int) -> Report:
    scope = replace(page_scope, top=top)
    summary = Summary(ScopedRun(run, scope), is_whole=True)
    known = summary.diagnosis  # first: findings need the most memory
    has_work = run.has("_gpu_work_ids") and not summary.scoped.rows("gpu_time").is_empty()
    if has_work:
        gpu_time_or_raise(run, scope)
    longest: Sequence[Row] = longest_gaps(summary.scoped).head(GAPS).to_dicts() if has_work else []
    try:
        exact = [interval_around(gap) for gap in longest]
        drawn = with_curves(timeline.collect(run, page_scope, exact=exact), run, page_scope.gpu, exact=exact)
    except MissingData:
        drawn = None
    causes = explain.by_name(summary.scoped.rows("idle_causes"))
    why = [explain.sentences(GapDetail(run.path.name, gap, pl.DataFrame(), causes, None, None, ())) for gap in longest]
    gaps = [] if drawn is None else [PicturedGap(*one, around(drawn, one[0])) for one in zip(longest, why, strict=True)]
    accounts = run.query("gpu_accounts", **scope.window) if has_work else pl.DataFrame()
    shapes = ask(run, "occupancy", gpu=scope.gpu, **scope.filters)
    has_flame = has_work and run.has("NVTX_EVENTS")
    is_merged = drawn is not None and drawn.merged_ns > 0
    return Report(
        run.info.path,
        summary.first(""),
        _overview(run, scope, accounts, known, drawn),
        sections.drawn(summary_tables.SECTIONS, summary.scoped),
        sections.drawn(idle_tables.SECTIONS, summary.scoped) if has_work else None,
        drawn,
        tuple(gaps),
        accounts,
        pl.DataFrame() if shapes is None else shapes,
        None if is_merged or scope.filters else _steps(run, page_scope),
        _or_none(lambda: flame(run, "gpu", **scope.filters)) if has_flame and not is_merged else None,
        None if is_merged or scope.filters else _or_none(lambda: what_if.collect(run)),
        None if is_merged or scope.filters else examine(run),
        page_scope,
        run.kernel_names,
    )


def _overview(
    run: Export, scope: PageScope, accounts: pl.DataFrame, known: Findings | None, drawn: Timeline | None
) -> Overview | None:
    """The first screen, about the time of its headline: without migrations after the last kernel.

    None without GPU work.
    """
    if known is None or accounts.is_empty():
        return None
    is_worked, shown = pl.col("kind").is_in(WORKED), accounts
    worked = known.parts.filter(is_worked)
    if worked.height and known.parts.filter(~is_worked)["busy_ns"].sum():
        part = {"start_ns": worked["start_ns"].min(), "end_ns": worked["end_ns"].max()}
        shown = run.query("gpu_accounts", **scope.window, **part)
    whole, within = (int(rows.filter(pl.col("kind") != "idle")["total_ns"].sum()) for rows in (accounts, shown))
    names = pl.Series([], dtype=pl.String) if drawn is None else drawn.events["name"].cast(pl.String).unique()
    return overview(shown, {} if drawn is None else drawn.titles, known, names, whole - within)


def _steps(run: Export, scope: PageScope) -> steps.Steps | None:
    """The steps of the capture; None if there are none."""
    steps_ = _or_none(lambda: steps.collect(run, scope.step_range, scope.gpu))
    return None if steps_ is None or steps_.series is None else steps_


def _or_none(collected: Callable[[], T]) -> T | None:
    """What is collected; None if the export lacks it, or it has no work on the GPU asked for."""
    try:
        return collected()
    except (UsageError, MissingData):
        return None
