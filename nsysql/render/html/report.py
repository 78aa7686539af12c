"""The report as one HTML file that asks for nothing else."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import IO
from urllib.parse import quote

import polars as pl
from markupsafe import Markup

from nsysql.pages.elements import Page, Section
from nsysql.pages.phrases import gpu_number, percent, seconds
from nsysql.pages.report.gather import Report, Segment
from nsysql.pages.report.page import TIMELINE, VERDICT, Chapter, chapters
from nsysql.pages.timeline.model import Timeline
from nsysql.render.charts.steps import svg as steps_svg
from nsysql.render.flame import svg as flame_svg
from nsysql.render.html.page import in_two_sizes, read_text, script, short_names, tables, template
from nsysql.render.html.payload import Payload, packed
from nsysql.render.timeline.palette import color, on_color
from nsysql.render.timeline.svg import svg
from nsysql.words.kernel_names import BRIEF, Naming
from nsysql.words.quantities import counted, safe, time

SCRIPT = (
    "format", "payload", "view", "rows", "curves", "draw", "arrows", "search", "gaps", "interval", "legend", "strip",
    "text", "details", "address", "input", "tables", "main",
)  # fmt: skip
NAMED, NAMED_LETTER = 880, 7  # pixels of a GPU's bar in a window 1000 wide, and of a letter


FIRST = 2  # sections of the page of ranks above the timeline


def write(report: Report, top: int, file: IO[bytes]) -> None:
    """Write the report of that many rows a section."""
    flame = "" if report.flame is None else in_two_sizes(partial(flame_svg, report.flame))
    steps = "" if report.steps is None else in_two_sizes(partial(steps_svg, report.steps))
    _write(file, report.path.name, chapters(report, top), report.timeline, _still(report.timeline), report.exact,
           Naming(known=lambda: report.kernels), overview=report.overview, flame=flame, steps=steps)  # fmt: skip


def write_job(page: Page, timeline: Timeline | None, file: IO[bytes]) -> None:
    """Write the page of a job's ranks, the timeline of all below what comes first of it."""
    notes = () if timeline is None else tuple(f"{note}." for note in timeline.notes)
    every = (
        Chapter("Ranks", VERDICT, (replace(page.sections[0], title=""), *page.sections[1:FIRST])),
        Chapter("Timeline", TIMELINE, (Section("", before=notes),) if notes else ()),
        Chapter("More about the ranks", "more", page.sections[FIRST:]),
    )
    still = _still(timeline, ~pl.col("is_folded"))
    shown = every if timeline is not None else (every[0], every[2])
    _write(file, page.title, shown, timeline, still, (), BRIEF, overview=None, flame="", steps="")


def _still(timeline: Timeline | None, tracks: pl.Expr | None = None) -> Timeline | None:
    """What is drawn for those without scripting, and in print: the interval that is shown at first."""
    return None if timeline is None else replace(timeline.between(*timeline.window, tracks), curves=timeline.curves)


def _picture(timeline: Timeline) -> Markup:
    return in_two_sizes(lambda width: svg(timeline, width, heading=False))


def _write(
    file: IO[bytes], title: str, every: Sequence[Chapter], timeline: Timeline | None, still: Timeline | None,
    exact: Sequence[tuple[int, int]], naming: Naming, **parts: object,
) -> None:  # fmt: skip
    """Write chapters: `timeline` is packed, `still` drawn for those without scripting."""
    short = short_names([section for chapter in every for section in chapter.sections], naming)
    data = None if timeline is None else packed(timeline, exact)
    text = template("report.html.j2").render(
        title=safe(title),
        chapters=every,
        sections=lambda chapter: tables(chapter.sections, short, data is not None),
        style=Markup(read_text("report.css")),
        script=script(SCRIPT),
        data=None if data is None else Markup(data.text),
        merged="" if data is None else " ".join(filter(None, (_merged_events(data), _merged_values(data)))),
        still=None if still is None else _picture(still),
        **parts,
        **{helper.__name__.lstrip("_"): helper for helper in HELPERS},
    )
    file.write(text.encode("utf-8", "backslashreplace"))


def _segment(one: Segment) -> dict[str, object]:
    fill, share = color(one.style), percent(one.ns, one.ns / one.share if one.share else 1)
    return {
        "title": one.title,
        "time": time(one.ns),
        "share": share,
        "wide": round(100 * one.share, 3),
        "fill": fill,
        "text": on_color(fill),
        "is_idle": one.is_idle,
        "is_named": NAMED * one.share > NAMED_LETTER * (len(one.title) + len(share) + 3),
        "link": f"#only={one.shows}",
    }


def _merged_values(data: Payload) -> str:
    if not data.values:
        return ""
    if not data.values_ns:
        return f"All {counted(data.values, 'value')} of metrics and memory are in it, too."
    return (
        f"Of {data.values:,} values of metrics and memory, those that hold for less than {time(data.values_ns)} are"
        " merged: lowest, mean and highest are kept."
    )


def _merged_events(data: Payload) -> str:
    if not data.part_ns:
        return f"All {data.events:,} events are in this file, each as it was recorded."
    return (
        f"{data.events:,} events, drawn as {data.rows:,}: neighbors shorter than {time(data.part_ns)} are merged,"
        " but not around the longest gaps. nsysql report --start --end keeps an interval in full."
    )


HELPERS = (_segment, _picture, safe, time, seconds, gpu_number, quote)  # functions that the template calls
