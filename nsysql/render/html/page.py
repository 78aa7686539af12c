"""A page as one self-contained HTML file: tables with bars, sorted by a click on a heading; source lines with cost."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from html import escape as escaped
from importlib.resources import files
from itertools import pairwise
from typing import IO, Any

import polars as pl
from jinja2 import Environment, FunctionLoader, StrictUndefined, Template
from markupsafe import Markup, escape

from nsysql.errors import MissingData
from nsysql.pages.elements import Bar, Cell, Page, Section, Slices
from nsysql.pages.lines import Lines, function, page, place, shown_lines
from nsysql.pages.phrases import percent, share
from nsysql.render.page import slices_svg
from nsysql.render.timeline.palette import color
from nsysql.words.kernel_names import BRIEF, TIED, Names, Naming
from nsysql.words.quantities import safe, time
from nsysql.words.truncate import beginning


@dataclass(frozen=True)
class Shown:
    """A cell: its text, the full name if that is a short one, a bar's share in percent, alignment, what it leads to."""

    text: str
    title: str = ""
    bar: float | None = None
    right: bool = False
    link: str = ""


def tables(
    sections: Iterable[Section], short: Mapping[str, str], has_timeline: bool = False
) -> Iterator[dict[str, Any]]:
    """The sections for the template, kernel names replaced by the mapping; numbers of gaps lead into a timeline."""
    for section in sections:
        has_heading = any(column.heading for column in section.columns)
        links = ["#gap=" if has_timeline and column.heading == "gap" else "" for column in section.columns]
        yield {
            **{name: _text(getattr(section, name)) for name in ("title", "meaning")},
            **{name: [*map(_text, getattr(section, name))] for name in ("before", "after")},
            "headings": [Shown(_text(column.heading), right=column.right) for column in section.columns],
            "rows": [
                [
                    _cell(cell, column.right, short, link)
                    for cell, column, link in zip(row, section.columns, links, strict=True)
                ]
                for row in section.rows
            ],
            "has_heading": has_heading,  # rows are sortable if they do not depend on those before
            "is_sortable": has_heading and len(section.rows) > 1 and all(str(row[0]) for row in section.rows),
        }


def short_names(sections: Iterable[Section], naming: Naming) -> dict[str, str]:
    """A distinct short name for each kernel name in the sections."""
    cells = (cell for section in sections for row in section.rows for cell in row)
    return naming.of(dict.fromkeys(name for cell in cells if isinstance(cell, Names) for name in cell.names))


def _cell(cell: Cell, right: bool, short: Mapping[str, str], link: str = "") -> Shown:
    if isinstance(cell, Bar):
        return Shown("", bar=round(100 * max(0.0, min(1.0, cell.share)), 1))
    if isinstance(cell, Slices):
        return Shown(Markup(slices_svg(cell)))
    if isinstance(cell, Names):
        shown, full = _text(cell.shown(short)), _text(str(cell))
        return Shown(shown, full if full != shown else "", right=right)
    return Shown(_text(cell), right=right, link=f"{link}{cell}" if link and cell.isdigit() else "")


def _text(text: str) -> str:
    return safe(text).replace(TIED, " ")


FOLDER = files("nsysql.render.html")
WIDE, NARROW = 1000, 370  # pixels of pictures, of those for phones


def template(name: str) -> Template:
    """A template, which escapes everything but Markup."""
    loader, none = FunctionLoader(read_text), StrictUndefined
    environment = Environment(loader=loader, autoescape=True, undefined=none, trim_blocks=True, lstrip_blocks=True)
    environment.filters["breakable"] = breakable
    return environment.get_template(name)


def script(modules: Sequence[str]) -> Markup:
    """Modules of the script as one, without the spaces that lines begin with."""
    text = "\n".join(read_text(f"script/{name}.js") for name in modules)
    return Markup('"use strict";\n' + re.sub(r"^ +", "", text, flags=re.MULTILINE))


@cache
def read_text(name: str) -> str:
    """A file of this folder."""
    return FOLDER.joinpath(name).read_text(encoding="utf-8")


BREAKS = re.compile("(&lt;|,|::)(?=[^ ])")  # after which a long name may go on in the next line


CODE = re.compile("`([^`]+)`")


def breakable(text: str) -> Markup:
    """The text, escaped, with places where a line may end within names; what is in backticks as code."""
    if isinstance(text, Markup):
        return text
    return Markup(CODE.sub(r"<code>\1</code>", BREAKS.sub(r"\1<wbr>", str(escape(text)))))


def element(page: Page) -> str:
    """The page as one element for notebooks; without bars: the shares say the same."""

    def text(cell: Cell) -> Markup:
        return Markup(slices_svg(cell) if isinstance(cell, Slices) else escaped(_text(str(cell))))

    return template("notebook.html.j2").render(page=page, text=text)


def in_two_sizes(draw: Callable[[int], str]) -> Markup:
    """A picture for screens and another for phones, of which the style shows one: text in it is not scaled."""
    return Markup(f'<div class="wide big">{draw(WIDE)}</div><div class="narrow">{draw(NARROW)}</div>')


def write(
    page: Page, file: IO[bytes], naming: Naming = BRIEF, draw: Callable[[int], str] | None = None, **source: object
) -> None:
    """Write the page, above it the picture that `draw` makes so many pixels wide, unless there is nothing to draw.

    Below it come the `files` of source lines, under `headings`.
    """
    picture = Markup()
    with suppress(MissingData):  # of steps, where there are none
        picture = in_two_sizes(draw) if draw else picture
    text = template("page.html.j2").render(
        title=safe(page.title),
        picture=picture,
        **{"files": (), "headings": (), **source},
        tables=tables(page.sections, short_names(page.sections, naming)),
        style=Markup(read_text("report.css")),
        script=script(["tables"]),
    )
    file.write(text.encode("utf-8", "backslashreplace"))


MEASURES = {  # columns of a file's table, and the names of their totals
    "gpu_ns": "GPU time", "idle_ns": "idle", "wait_ns": "waits", "launches": "launches", "cpu_samples": "CPU samples",
    "python_samples": "Python", "native_samples": "native", "system_samples": "system",
    "stack_samples": "Python stacks", "page_faults": "page faults",
}  # fmt: skip
COLORS = {"gpu_ns": "kernel", "idle_ns": "cause:host_code", "cpu_samples": "nvtx", "stack_samples": "cuda"}  # of bars
LONGEST = 300  # characters of a source line


def write_lines(lines: Lines, texts: Mapping[str, list[str]], file: IO[bytes]) -> None:
    """Write the page with source lines and their cost; `texts` has the lines of files whose source was found."""
    shown = [name for name, total in lines.totals.items() if total is not None and name in MEASURES]
    order = [name for name in MEASURES if name in shown]
    headings = [{"title": MEASURES[name], "color": _color(name)} for name in order]
    write(page(lines), file, headings=headings, files=list(_files(lines, texts, order)))


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


def _lines(lines: Lines, rows: pl.DataFrame, text: list[str] | None, order: list[str]) -> Iterator[dict[str, object]]:
    """Lines with their texts and measures; one without number is a gap, those without cost have no measures."""
    measured: dict[int, list[dict[str, Any]]] = {}
    for row in rows.to_dicts():
        measured.setdefault(row["line"], []).append(row)
    known = text or []
    numbers = sorted({*measured, *shown_lines(measured, len(known))})
    for before, number in pairwise([0, *numbers]):
        if before and number > before + 1:
            yield {"number": None, "text": "", "measures": ()}
        source = known[number - 1] if number <= len(known) else ""
        if number not in measured:
            yield {"number": number, "text": _source(source), "measures": ()}
        for own in measured.get(number, []):
            title = f"{place(own)} {function(own)} ({own['how']})"
            measures = [_measure(lines, name, own[name] or 0) for name in order]
            shown = _source(source if known else function(own))
            yield {"number": number, "text": shown, "title": title, "measures": measures}


def _measure(lines: Lines, name: str, value: int) -> dict[str, object]:
    """The text of a number, and of some a bar: its color, and its width in percent of the whole."""
    total = lines.totals[name] or 0
    shown = time(value) if name.endswith("_ns") else f"{value:,}"
    of_all = f" {percent(value, total)}" if name in COLORS else ""
    bar = round(100 * share(value, total), 1)
    return {"text": shown + of_all if value else "", "bar": bar, "color": _color(name)}


def _color(name: str) -> str:
    return color(COLORS[name]) if name in COLORS else ""


def _source(text: str) -> str:
    return beginning(safe(text.expandtabs(4)), LONGEST)
