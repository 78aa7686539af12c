"""The report as chapters of sections; the sections are those of the summary and the idle page.

A page of its own becomes a chapter by a line in `chapters`, between what runs and the notes.
"""

import re
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import polars as pl

from nsysql.pages import what_if
from nsysql.pages.doctor import page as doctor_page
from nsysql.pages.elements import Page, Section
from nsysql.pages.phrases import Row, account_name, gpu_number
from nsysql.pages.report.gather import PicturedGap, Report
from nsysql.pages.sections import table
from nsysql.pages.steps import page as steps_page
from nsysql.words.quantities import time

GPU = ("gpu_time", "idle_ledger", "longest_gaps", "launch_pace")  # of the summary; the idle page says most of it better
LAST = ("capture_messages", "lacks", "notes")
VERDICT, TIMELINE, GAPS, FLAME = "verdict", "timeline", "gaps", "flame"  # chapters that have pictures
ACCOUNTS = 8  # of a GPU
FOLDED = "What it answers and what not, and what is odd in it"
COMMANDS = {  # of chapters: what shows their numbers, whether it takes a GPU, and an interval
    VERDICT: (("idle-gaps", True, True), ("summary", False, True)),
    TIMELINE: (("timeline", True, True),),
    "time": (("gpu-accounts", False, True), ("idle-gaps", True, True), ("launches", False, True)),
    GAPS: (("idle-gaps", True, True),),
    "steps": (("steps", True, False),),
    "what-if": (("what-if", False, False),),
    FLAME: (("flame", False, True),),
    "ran": (("summary", False, True), ("occupancy", True, True)),
    "doctor": (("doctor", False, False),),
}


Sections = dict[str, tuple[Section, ...]]


@dataclass(frozen=True)
class Chapter:
    """A heading, what links to it name, its sections, and the commands that show its numbers.

    Where it is `folded`, a click on that text shows its sections.
    """

    title: str
    anchor: str
    sections: tuple[Section, ...] = ()
    gaps: tuple[PicturedGap, ...] = ()
    commands: tuple[str, ...] = ()
    folded: str = ""


def chapters(report: Report, top: int) -> tuple[Chapter, ...]:
    """The chapters, in reading order; those that would be empty are left out."""
    summary = report.summary
    doctor = () if report.doctor is None else _without_notes(doctor_page(report.doctor))
    can = next((sentence for section in doctor for sentence in section.before), "")
    changes = () if report.what_if is None else what_if.page(report.what_if).sections
    notes = () if report.timeline is None else report.timeline.notes
    made = (
        Chapter("What limits the run", VERDICT, _first(report)),
        Chapter("Timeline", TIMELINE, (Section("", before=tuple(f"{note}." for note in notes)),) if notes else ()),
        Chapter("Where the time went", "time", tuple(_time(report, summary))),
        Chapter("Longest gaps", GAPS, _named(report.idle or {}, ["gaps"]), report.gaps),
        Chapter("Steps", "steps", () if report.steps is None else _without_notes(steps_page(report.steps))),
        Chapter("What changes would save", "what-if", changes),
        Chapter("GPU time by NVTX range", FLAME),
        Chapter("What ran", "ran", tuple(_ran(report, summary, top))),
        Chapter("What the export holds", "doctor", doctor, folded=f"{can} {FOLDED}"),
        Chapter("Notes", "notes", _named(summary, LAST)),
    )
    drawn = {TIMELINE: report.timeline is not None, FLAME: report.flame is not None}
    kept = (c for c in made if c.sections or c.gaps or drawn.get(c.anchor))
    return tuple(replace(c, commands=tuple(_commands(report, c.anchor))) for c in kept)


def _commands(report: Report, anchor: str) -> Iterator[str]:
    """The commands that show the numbers of a chapter, narrowed as the report is."""
    scope, path = report.scope, shlex.quote(report.path.name)
    options = [("start", _ns(scope.start_ns)), ("end", _ns(scope.end_ns)), ("nvtx", scope.nvtx)]
    options += [("steps", scope.steps), ("step-range", scope.step_range)]
    of_gpu = "" if scope.gpu is None else f" --gpu {scope.gpu}"
    narrowed = "".join(f" --{name} {shlex.quote(value)}" for name, value in options if value is not None)
    for command, takes_gpu, takes_interval in COMMANDS.get(anchor, ()):
        is_there = {"idle-gaps": report.idle is not None, "occupancy": not report.launch_shapes.is_empty()}
        if not is_there.get(command, True):
            continue
        own = (of_gpu if takes_gpu else "") + (narrowed if takes_interval else "")
        yield f"nsysql {command} {path}{own}" + (" -o flame.html" if command == "flame" else "")


def _ns(time: int | None) -> str | None:
    return None if time is None else f"{time}ns"


def _named(sections: Sections, keys: Sequence[str]) -> tuple[Section, ...]:
    return tuple(section for key in keys for section in sections.get(key, ()))


def _first(report: Report) -> tuple[Section, ...]:
    """The first screen of the summary, without what is drawn of it: headline and findings."""
    if report.overview is None:
        return report.first
    parts, closing = replace(report.first[0], before=()), report.first[-1]
    return (parts, replace(closing, rows=closing.rows[:-1])) if len(closing.rows) > 1 else (parts,)


def _time(report: Report, summary: Sections) -> Iterator[Section]:
    if report.idle is None:
        yield from _named(summary, GPU)
        return
    yield from _accounts(report)
    yield from _named(report.idle, [key for key in report.idle if key not in ("gaps", "notes")])
    yield from _named(summary, ("launch_pace",))


def _accounts(report: Report) -> Iterator[Section]:
    """What each GPU's time was spent on, each nanosecond once."""
    titles = {} if report.timeline is None else report.timeline.titles
    for (gpu_id,), rows in report.accounts.group_by("gpu_id", maintain_order=True):
        meaning = f"each nanosecond of the window once; sums to {time(int(rows['total_ns'].sum()))}"
        named = [{**row, "what": account_name(row["kind"], row["name"], titles)} for row in rows.to_dicts()]
        yield table(
            f"What GPU {gpu_number(gpu_id)} did",
            "total_ns=share:share total_ns=time count=count kind=kind:text what=what:text", named, meaning,
            top=ACCOUNTS, rest="account", how=" (nsysql gpu-accounts)", total="total_ns",
        )  # fmt: skip


def _ran(report: Report, summary: Sections, top: int) -> Iterator[Section]:
    """What was captured, what the summary has of names, the launch shapes of kernels below the kernels."""
    yield from _named(summary, ("processes",))
    for key, sections in summary.items():
        if key not in ("processes", *GPU, *LAST):
            yield from sections
        if key == "cuda_gpu_kern_sum":
            yield from launch_shapes(report.launch_shapes, top)


def _without_notes(page: Page) -> tuple[Section, ...]:
    """The sections of a page but those that the report has elsewhere."""
    return tuple(s for s in page.sections if s.title not in ("nsys diagnostics", "Not captured", "Notes"))


TITLE = "Kernels by launch shape"
OCCUPANCY = ("occupancy_pct", "limited_by", "waves", "last_wave_pct")
COLUMNS = (
    "gpu=GPU time_pct=share:part total_ns=total count=count occupancy_pct=occupancy:pct limited_by=limited_by:text"
    " waves=waves last_wave_pct=last_wave_full:pct grid=grid block=block registers=registers shared_bytes=shared"
    " name=name:kernel"
)
MEANING = "shares of the GPU's kernel time; shared memory of a block, static and dynamic"
EXPLAINED = (
    "Occupancy is theoretical: the share of an SM's warps that blocks of this shape can fill, and what allows no more;"
    " what was reached is not in an export. A wave is as many blocks as the whole GPU takes at once."
)


def launch_shapes(rows: pl.DataFrame, top: int) -> Iterator[Section]:
    """The first rows of `occupancy` as a section; without its columns, and with the reason, where it knows none."""
    if rows.is_empty():
        return
    largest = rows.sort("total_ns", descending=True, maintain_order=True)
    shown = largest.head(top)
    several = rows["gpu_id"].n_unique() > 1
    before = (EXPLAINED,) if any(shown[name].count() for name in OCCUPANCY) else ()
    yield table(
        TITLE, COLUMNS, [_row(row, several) for row in largest.to_dicts()], MEANING, before, tuple(_unknown(shown)),
        top, "launch shape", " (nsysql occupancy)",
    )  # fmt: skip


def _row(row: Row, several: bool) -> dict[str, Any]:
    shared = (row["static_shared_memory_bytes"], row["dynamic_shared_memory_bytes"])
    waves, registers = row["waves"], row["registers_per_thread"]
    return {
        **row,
        "gpu": gpu_number(row["gpu_id"]) if several else None,
        "waves": None if waves is None else f"{waves:,.2f}",
        "registers": None if registers is None else str(registers),
        "shared_bytes": None if None in shared else sum(shared),
        **{name: re.sub("( x 1)+$", "", row[name] or "") for name in ("grid", "block")},
    }


def _unknown(shown: pl.DataFrame) -> Iterator[str]:
    """Why shapes have no occupancy, or no waves."""
    for reason, count in shown.group_by("not_covered", maintain_order=True).len().rows():
        if reason is not None:
            of = "" if count == shown.height else f" of {count:,} of these"
            yield f"Theoretical occupancy{of} is not known: {reason} (nsysql occupancy)."
    if shown["occupancy_pct"].count() and shown["waves"].count() < shown["occupancy_pct"].count():
        yield "Without waves: the export does not say how many SMs the GPU has."
