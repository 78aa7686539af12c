"""What the report tells: summary, idle time, accounts, timeline, steps, flame graph, pictures of the longest gaps.

Its first screen: what each GPU's time is, how much of it can be saved, and the findings.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

import polars as pl

from nsysql.capture.export import Export
from nsysql.errors import MissingData, UsageError
from nsysql.findings import what_if
from nsysql.findings.finding import Finding, Findings
from nsysql.findings.sentences import WORKED
from nsysql.findings.what_if import WhatIf
from nsysql.pages import first_screen, sections
from nsysql.pages import step_accounts as steps
from nsysql.pages.elements import Section
from nsysql.pages.examination import Examination
from nsysql.pages.examination import collect as examine
from nsysql.pages.flame import Flame
from nsysql.pages.flame import collect as flame
from nsysql.pages.idle import explain
from nsysql.pages.idle import page as idle_page
from nsysql.pages.idle.explain import GapDetail
from nsysql.pages.idle.gather import gpu_time_or_raise
from nsysql.pages.idle.page import longest_gaps
from nsysql.pages.phrases import TITLES, Row, gpu_number, whole_percent
from nsysql.pages.phrases import style as style_of
from nsysql.pages.scope import PageScope, ScopedRun
from nsysql.pages.summary import tables as summary_tables
from nsysql.pages.summary.page import Summary
from nsysql.pages.timeline import gather as timeline
from nsysql.pages.timeline.curves import with_curves
from nsysql.pages.timeline.gather import around, interval_around
from nsysql.pages.timeline.model import CAUSE, Timeline
from nsysql.pages.timeline.tracks import ask

FINDINGS, GPUS = 4, 8  # that are shown
NAMED = 0.01  # of the time of all GPUs: what has more is named below the bars
SHOWS = {"memcpy": "h2d,d2h,d2d,p2p,memcpy"}  # styles in the timeline, if not that of the account


@dataclass(frozen=True)
class Segment:
    """A part of a bar: its style, what it is, its time and share, and the styles that a click shows in the timeline."""

    style: str
    title: str
    ns: int
    share: float
    shows: str

    @property
    def is_idle(self) -> bool:
        """Whether the GPU did nothing."""
        return self.style.startswith(CAUSE)


@dataclass(frozen=True)
class Line:
    """A finding: what it saves, in words, of its part, and as a share of the window; its link into the timeline."""

    says: str
    do: str
    code: str
    saves: str
    of_part: str
    share: float
    link: str


@dataclass(frozen=True)
class Overview:
    """What a GPU's window is made of, by its name; the segments of all GPUs together; sentences and findings."""

    headline: str
    bars: tuple[tuple[str, tuple[Segment, ...]], ...]
    together: tuple[Segment, ...]
    mean: str
    savable: str
    lines: tuple[Line, ...]
    left_out: str


def _overview(
    run: Export, scope: PageScope, every_account: pl.DataFrame, known: Findings | None, drawn: Timeline | None
) -> Overview | None:
    """The first screen, about the time of its headline: without migrations after the last kernel.

    None without GPU work.
    """
    if known is None or every_account.is_empty():
        return None
    is_worked, accounts, titles = pl.col("kind").is_in(WORKED), every_account, run.cause_titles
    parts = known.parts.filter(is_worked)
    if parts.height and known.parts.filter(~is_worked)["busy_ns"].sum():
        extent = {"start_ns": parts["start_ns"].min(), "end_ns": parts["end_ns"].max()}
        accounts = run.query("gpu_accounts", **scope.window, **extent)
    is_work = pl.col("kind") != "idle"
    every, within = (int(rows.filter(is_work)["total_ns"].sum()) for rows in (every_account, accounts))
    names = pl.Series([], dtype=pl.String) if drawn is None else drawn.events["name"].cast(pl.String).unique()
    by_gpu = accounts.partition_by("gpu_id", as_dict=True, maintain_order=True)
    ordered = sorted(by_gpu.items(), key=lambda one: (one[0][0] is None, one[0]))
    bars = tuple((f"GPU {gpu_number(gpu)}", tuple(_segments(rows, titles))) for (gpu,), rows in ordered[:GPUS])
    worked = pl.lit(True), pl.col("kind").is_in(["computing", "graph"])
    window, computing = (int(accounts.filter(which)["total_ns"].sum()) // len(by_gpu) for which in worked)
    left, whole = first_screen.time_of(window - computing), first_screen.time_of(window)
    mean = f", mean of {len(by_gpu)} GPUs" if len(by_gpu) > 1 else ""
    part = whole_percent((window - computing) / max(1, window))
    savable = f"At most {left} of {whole} ({part}) can be saved with the kernels as they are{mean}."
    if window == computing:
        savable = f"Kernels run in all of {whole}{mean}: only faster kernels can save time there."
    if left_ns := every - within:
        savable += f" What comes before or after, with {first_screen.time_of(left_ns)} of GPU work, is not in it."
    told = first_screen.worth_telling([one for one in known.findings if one.shown], known.parts)[:FINDINGS]
    more = len(by_gpu) - GPUS
    return Overview(
        first_screen.sentence(known.headline),
        bars,
        tuple(one for one in _segments(accounts, titles) if one.share >= NAMED),
        f"Mean of {len(by_gpu)} GPUs:" if len(by_gpu) > 1 else "",
        savable,
        tuple(_line(one, window, known.parts, names) for one in told),
        f"{more} more GPUs: nsysql gpu-accounts." if more > 0 else "",
    )


def _segments(accounts: pl.DataFrame, titles: dict[str, str]) -> Iterator[Segment]:
    """Work first, then idle time by cause; the longest of both first."""
    whole = int(accounts["total_ns"].sum())
    sums: Counter[tuple[bool, str, str]] = Counter()
    for kind, name, ns in accounts.select("kind", "name", "total_ns").rows():
        title = titles.get(name, name) if kind == "idle" else TITLES.get(kind, kind)
        sums[kind == "idle", style_of(kind, name), title] += ns
    for (_, style, title), ns in sorted(sums.items(), key=lambda one: (one[0][0], -one[1], one[0])):
        yield Segment(style, title, ns, ns / max(1, whole), SHOWS.get(style, style))


def _line(one: Finding, window_ns: int, parts: pl.DataFrame, names: pl.Series) -> Line:
    saves, of_part = first_screen.saving(one)
    if saves and not one.once:
        of_part = f"{of_part} of {one.place}"
    share = min(1.0, (one.saves_ns or 0) / max(1, window_ns))
    says = first_screen.says(one, first_screen.gpu_of(one, parts))
    return Line(says, one.do, one.code, saves, of_part, share, _link(one, parts, names))


def _link(one: Finding, parts: pl.DataFrame, names: Sequence[str] | pl.Series) -> str:
    """What it is about: events that have its subject in their name, or the time of its part."""
    for words in dict.fromkeys([one.subject, *reversed(one.subject.split(" > "))]) if one.subject else ():
        if pl.Series(names, dtype=pl.String).str.to_lowercase().str.contains(words.lower(), literal=True).any():
            return f"find={words}"
    part = parts.filter(part_id=one.part_id).select("start_ns", "end_ns").rows()
    return f"t={part[0][0]},{part[0][1]}" if part and None not in part[0] else ""


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


def collect(run: Export, page_scope: PageScope, top: int) -> Report:
    """The frames of the report. Raises UsageError if the interval is empty."""
    with run.remembering():
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
        told = (GapDetail(run.path.name, gap, pl.DataFrame(), causes, None, None, ()) for gap in longest)
        why = [(one.gap, explain.sentences(one)) for one in told]
        gaps = [] if drawn is None else [PicturedGap(*one, around(drawn, one[0])) for one in why]
        accounts = run.query("gpu_accounts", **scope.window) if has_work else pl.DataFrame()
        shapes = ask(run, "occupancy", gpu=scope.gpu, **scope.filters)
        has_flame = has_work and run.has("NVTX_EVENTS")
        is_merged = drawn is not None and drawn.merged_ns > 0
        return Report(
            run.info.path,
            summary.first(""),
            _overview(run, scope, accounts, known, drawn),
            sections.drawn(summary_tables.SECTIONS, summary.scoped),
            sections.drawn(idle_page.SECTIONS, summary.scoped) if has_work else None,
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
