"""column and table: the rows in columns as wide as their first lines need.

Numbers are put right, below each other by their decimal points, with the thousands separators of the user's
locale; a column is one of numbers where more of its texts are numbers than not. DuckDB measures the first
lines and lays out every line.
"""

import locale
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from nsysql.nsys.stats.cells import DECIMAL, NUMBER, Cell
from nsysql.nsys.stats.report_rows import ReportRows
from nsysql.words.sql_text import literal

if TYPE_CHECKING:
    from nsysql.nsys.stats.formats import Format


@cache
def separators() -> tuple[str, str]:
    """The locale's thousands separator and decimal point. Does not change Python's own locale."""
    before = locale.setlocale(locale.LC_NUMERIC)
    try:
        locale.setlocale(locale.LC_NUMERIC, "")
        conventions = locale.localeconv()
        return (str(conventions["thousands_sep"]) if conventions["grouping"] else ""), str(conventions["decimal_point"])
    except (locale.Error, UnicodeDecodeError):
        return "", "."
    finally:
        locale.setlocale(locale.LC_NUMERIC, before)


def grouped(text: str, is_plain: str, thousands: str, point: str) -> str:
    """The SQL of a number's text with separators; other texts are unchanged."""
    if not thousands and point == ".":
        return text
    digits = f"regexp_extract({text}, '[0-9]+')"
    by_three = f"rtrim(regexp_replace(reverse({digits}), '([0-9]{{3}})', '\\1,', 'g'), ',')"
    whole = f"replace(reverse({by_three}), ',', {literal(thousands)})"
    fraction = f"replace(regexp_extract({text}, '\\..*'), '.', {literal(point)})"
    return f"CASE WHEN {is_plain} THEN regexp_extract({text}, '^[+-]?') || {whole} || {fraction} ELSE {text} END"


LINES, WIDEST = 100, 100  # read for the widths; the widest that a column gets by itself
CLIPPED = "…"


@dataclass(frozen=True)
class Border:
    """The characters around and between the cells of a line, and of a rule."""

    line: tuple[str, str, str]
    rule: tuple[str, str, str]
    is_closed: bool


@dataclass(frozen=True)
class CellSql:
    """A cell's SQL: what is shown, whether that is a number, a plain one, and its length from the point on.

    `facts` are the aggregates that measure it: the longest before the point, from the point on, and over all,
    and whether more texts are numbers than not.
    """

    shown: str
    is_plain: str
    fraction: str
    facts: str


@dataclass(frozen=True)
class Column:
    """A column's title and width, how many characters its numbers have from the point on, and its side."""

    title: str
    width: int
    fraction: int = 0
    is_right: bool = False


def column(answer: ReportRows, form: "Format") -> Iterator[str]:
    """Columns divided by blanks."""
    blanks = (" ", "  ", "")
    return _page(answer, form, Border(blanks, blanks, False))


def table(answer: ReportRows, form: "Format") -> Iterator[str]:
    """Columns divided by lines."""
    return _page(answer, form, Border(("| ", " | ", " |"), ("+-", "-+-", "-+"), True))


def _page(answer: ReportRows, form: "Format", frame: Border) -> Iterator[str]:
    texts = [_text(cell, form) for cell in answer.cells]
    measured = _measured(answer, form, texts)
    yield f"\n ** {answer.heading}:\n\n"
    if measured is None:
        yield f"{answer.report.nothing}\n"
        return
    yield answer.report.intro
    shown = [(text, c) for text, c in zip(texts, measured, strict=True) if c.width > 0]
    columns = [c for _, c in shown]
    if len(shown) < len(measured):  # as nsys does it: however many are hidden, an empty column is left at the end
        columns.append(Column("", 0))
    rule = _framed(["-" * c.width for c in columns], frame.rule) + "\n"
    titles = _framed([_centred(c) for c in columns], frame.line) + "\n"
    head = (rule if frame.is_closed else "") + ("" if "nohdr" in form.flags else titles + rule)
    cells = [_laid(text, c) for text, c in shown] + ["''"] * (len(columns) - len(shown))
    before, between, after = frame.line
    line = f"concat('{before}', " + f", '{between}', ".join(cells) + f", '{after}\n')"
    for text in answer.text(line):
        yield head + text
        head = ""
    yield (rule if frame.is_closed else "") + answer.report.outro(answer.count)


def _text(cell: Cell, form: "Format") -> CellSql:
    text, fraction = f"coalesce({cell.text}, '')", "0"
    if cell.is_whole:
        number = plain = f"{text} <> ''"
    elif cell.is_number:
        number, plain = f"{text} <> ''", f"({text} <> '' AND NOT contains({text}, 'e'))"
    else:
        number, plain = f"regexp_full_match({text}, '{NUMBER}')", f"regexp_full_match({text}, '{DECIMAL}')"
    shown = text
    if "nofmt" not in form.flags:
        shown = grouped(text, plain, *separators())
        if not cell.is_whole:
            has_point = f"{plain} AND contains({text}, '.')"
            fraction = f"CASE WHEN {has_point} THEN length({text}) - instr({text}, '.') + 1 ELSE 0 END"
    return CellSql(shown, plain, fraction, _facts(cell, shown, number, plain, fraction))


def _facts(cell: Cell, shown: str, number: str, plain: str, fraction: str) -> str:
    longest, numbers = f"max(length({shown}))", f"count(*) FILTER ({number})"
    if fraction == "0":
        measures = f"0, 0, {longest}"
    else:
        measures = f"max(length({shown}) - {fraction}) FILTER ({plain}), max({fraction}), {longest}"
    others = "0" if cell.is_number else f"count(*) FILTER ({shown} <> '' AND NOT {number})"
    return f"{measures}, {numbers} > {others}"


def _measured(answer: ReportRows, form: "Format", texts: list[CellSql]) -> list[Column] | None:
    """The columns as wide as the first lines need, or None where there are no lines."""
    lengths = answer.first(", ".join(t.facts for t in texts), _whole(form, "autolines", LINES))
    if not lengths[0]:
        return None
    widest = _whole(form, "colmax", WIDEST)
    columns = []
    for i, cell in enumerate(answer.cells):
        before, fraction, longest, is_right = lengths[1 + 4 * i : 5 + 4 * i]
        width = max(len(cell.title), longest, (before or 0) + fraction)
        width = min(width, widest) if widest else width
        if i < len(form.widths) and form.widths[i] != ".":
            width = int(form.widths[i])
        columns.append(Column(cell.title, width, fraction, is_right))
    return columns


def _whole(form: "Format", option: str, default: int) -> int:
    value = form.values.get(option, "")
    return int(value) if value.isascii() and value.isdecimal() else default


def _centred(c: Column) -> str:
    title = c.title if len(c.title) <= c.width else c.title[: max(c.width - 1, 0)] + CLIPPED
    return (" " * ((c.width - len(title)) // 2) + title).ljust(c.width)


def _laid(t: CellSql, c: Column) -> str:
    """The SQL of a cell in its column: the point below the point above, clipped where the column is too narrow."""
    text = t.shown
    if c.fraction:
        text = f"CASE WHEN {t.is_plain} THEN {text} || repeat(' ', {c.fraction} - {t.fraction}) ELSE {text} END"
    side = "lpad" if c.is_right else "rpad"
    clipped = f"left({text}, {c.width - 1}) || '{CLIPPED}'"
    return f"CASE WHEN length({text}) > {c.width} THEN {clipped} ELSE {side}({text}, {c.width}, ' ') END"


def _framed(cells: Sequence[str], marks: tuple[str, str, str]) -> str:
    return marks[0] + marks[1].join(cells) + marks[2]
