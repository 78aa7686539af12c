"""Sections of a page as tables for the template: plain data, which the template escapes."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from markupsafe import Markup

from nsysql.pages.elements import Bar, Cell, Section, Slices
from nsysql.render import slices
from nsysql.words.naming import TIED, Names, Naming
from nsysql.words.quantities import safe


@dataclass(frozen=True)
class Shown:
    """A cell: its text, the full name if that is a short one, a bar's share in percent, alignment, what it leads to."""

    text: str
    title: str = ""
    bar: float | None = None
    right: bool = False
    link: str = ""


@dataclass(frozen=True)
class Table:
    """A section ready to be written; `is_sortable` if rows do not depend on those before."""

    title: str
    meaning: str
    before: tuple[str, ...]
    headings: tuple[Shown, ...]
    rows: tuple[tuple[Shown, ...], ...]
    after: tuple[str, ...]
    has_heading: bool
    is_sortable: bool


def tables(sections: tuple[Section, ...], short: Mapping[str, str], has_timeline: bool = False) -> list[Table]:
    """The sections, with kernel names replaced by the mapping; numbers of gaps lead into a timeline that is there."""
    return [_table(section, short, has_timeline) for section in sections]


def short_names(sections: "Iterator[Section] | list[Section]", naming: Naming) -> dict[str, str]:
    """A distinct short name for each kernel name in the sections."""
    cells = (cell for section in sections for row in section.rows for cell in row)
    return naming.of(dict.fromkeys(name for cell in cells if isinstance(cell, Names) for name in cell.names))


def _table(section: Section, short: Mapping[str, str], has_timeline: bool) -> Table:
    rows = tuple(
        tuple(
            _cell(cell, column.right, short, "#gap=" if has_timeline and column.heading == "gap" else "")
            for cell, column in zip(row, section.columns, strict=True)
        )
        for row in section.rows
    )
    has_heading = any(column.heading for column in section.columns)
    each = len(rows) > 1 and all(str(row[0]) for row in section.rows)
    headings = tuple(Shown(_text(column.heading), right=column.right) for column in section.columns)
    sentences = (tuple(map(_text, said)) for said in (section.before, section.after))
    before, after = sentences
    return Table(
        _text(section.title), _text(section.meaning), before, headings, rows, after, has_heading, has_heading and each
    )


def _cell(cell: Cell, right: bool, short: Mapping[str, str], link: str = "") -> Shown:
    if isinstance(cell, Bar):
        return Shown("", bar=round(100 * max(0.0, min(1.0, cell.share)), 1))
    if isinstance(cell, Slices):
        return Shown(Markup(slices.svg(cell)))
    if isinstance(cell, Names):
        shown, full = _text(cell.shown(short)), _text(str(cell))
        return Shown(shown, full if full != shown else "", right=right)
    return Shown(_text(cell), right=right, link=f"{link}{cell}" if link and cell.isdigit() else "")


def _text(text: str) -> str:
    return safe(text).replace(TIED, " ")
