"""Source lines with their cost, as one self-contained HTML file."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import IO, Any

import polars as pl

from nsysql.pages.lines import Lines, function, page, place, shown_lines
from nsysql.pages.phrases import percent, share
from nsysql.render.html.page import write as write_page
from nsysql.render.timeline.palette import color
from nsysql.words.quantities import safe, time
from nsysql.words.truncate import beginning

MEASURES = {  # columns of a file's table, and the names of their totals
    "gpu_ns": "GPU time", "idle_ns": "idle", "wait_ns": "waits", "launches": "launches", "cpu_samples": "CPU samples",
    "python_samples": "Python", "native_samples": "native", "system_samples": "system",
    "stack_samples": "Python stacks", "page_faults": "page faults",
}  # fmt: skip
COLORS = {"gpu_ns": "kernel", "idle_ns": "cause:host_code", "cpu_samples": "nvtx", "stack_samples": "cuda"}  # of bars
LONGEST = 300  # characters of a source line


@dataclass(frozen=True)
class Line:
    """A line of a file; `number` is None for a gap between lines. Lines without cost have no measures."""

    number: int | None
    text: str
    title: str = ""
    measures: Sequence[Mapping[str, object]] = ()


def write(lines: Lines, texts: Mapping[str, list[str]], file: IO[bytes]) -> None:
    """Write the page; `texts` has the lines of files whose source was found."""
    shown = [name for name, total in lines.totals.items() if total is not None and name in MEASURES]
    order = [name for name in MEASURES if name in shown]
    headings = [{"title": MEASURES[name], "color": _color(name)} for name in order]
    write_page(page(lines), file, headings=headings, files=list(_files(lines, texts, order)))


def _files(lines: Lines, texts: Mapping[str, list[str]], order: list[str]) -> Iterator[dict[str, object]]:
    """The files in order of their first row: name, a note, lines."""
    if "line" not in lines.rows.columns or lines.asked.by != "line":
        return
    rows = lines.rows.filter(pl.col("file").is_not_null() & pl.col("line").is_not_null())
    for (name,), own in rows.group_by("file", maintain_order=True):
        text = texts.get(str(name))
        meaning = "" if text is not None else "its source was not found; --source FOLDER names where it is"
        own_lines = list(_lines(lines, own.sort("line"), text, order))
        yield {"name": safe(str(name)), "meaning": meaning, "lines": own_lines}


def _lines(lines: Lines, rows: pl.DataFrame, text: list[str] | None, order: list[str]) -> Iterator[Line]:
    measured: dict[int, list[dict[str, Any]]] = {}
    for row in rows.to_dicts():
        measured.setdefault(row["line"], []).append(row)
    known = text or []
    numbers = sorted({*measured, *shown_lines(measured, len(known))})
    for before, number in pairwise([0, *numbers]):
        if before and number > before + 1:
            yield Line(None, "")
        source = known[number - 1] if number <= len(known) else ""
        if number not in measured:
            yield Line(number, _text(source))
        for own in measured.get(number, []):
            title = f"{place(own)} {function(own)} ({own['how']})"
            shown = source if known else function(own)
            yield Line(number, _text(shown), title, [_measure(lines, name, own[name] or 0) for name in order])


def _measure(lines: Lines, name: str, value: int) -> dict[str, object]:
    """The text of a number, and of some a bar: its color, and its width in percent of the whole."""
    total = lines.totals[name] or 0
    shown = time(value) if name.endswith("_ns") else f"{value:,}"
    of_all = f" {percent(value, total)}" if name in COLORS else ""
    bar = round(100 * share(value, total), 1)
    return {"text": shown + of_all if value else "", "bar": bar, "color": _color(name)}


def _color(name: str) -> str:
    return color(COLORS[name]) if name in COLORS else ""


def _text(text: str) -> str:
    return beginning(safe(text.expandtabs(4)), LONGEST)
