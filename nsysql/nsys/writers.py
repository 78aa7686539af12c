"""The writers of formats, by NVIDIA's rules: functions from an answer and the options of a format to chunks of text.

A csv text with a comma is in quotes, and quotes within are left as they are; tabs of a tsv text become
blanks. Line ends of names are written as they are.

In column and table numbers are put right, below each other by their decimal points, with the thousands separators of
the user's locale; a column is one of numbers where more of its texts are numbers than not. DuckDB measures the first
lines, which say how wide columns are, and lays out every line.
"""

import html
import json as standard
import locale
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from nsysql.nsys.formats import DECIMAL, NUMBER, Cell, Format
from nsysql.nsys.report_rows import ReportRows
from nsysql.words.sql_text import literal

LOOSE = re.compile(r"&(?=[#\w])|<|>")  # what HTML would read otherwise; a lone & it reads as it is, and nsys leaves it


def htable(answer: ReportRows, form: Format) -> Iterator[str]:
    titles = "".join(f"      <th>{html.escape(c.title, quote=False)}</th>\n" for c in answer.cells)
    head = f"<table>\n  <thead>\n    <tr>\n{titles}    </tr>\n  </thead>\n  <tbody>\n"
    escaped = "replace(replace(replace({}, '&', '&amp;'), '<', '&lt;'), '>', '&gt;')"
    texts = (c.text if c.is_number else escaped.format(c.text) for c in answer.cells)
    cells = ", ".join(f"'      <td>', {text}, '</td>\n'" for text in texts)
    for text in answer.text(f"concat('    <tr>\n', {cells}, '    </tr>\n')"):
        yield head + text
        head = ""
    yield f"{head}  </tbody>\n</table>\n"


def hdoc(answer: ReportRows, form: Format) -> Iterator[str]:
    """A page: the heading and the table."""
    title = html.escape(form.values.get("title", "Nsight Systems Stats Output"), quote=False)
    css = form.values.get("css")
    style = f'  <link rel="stylesheet" href="{html.escape(css)}">\n' if css else ""
    heading = LOOSE.sub(lambda match: html.escape(match[0], quote=False), answer.heading)
    table = htable(answer, form)
    first = next(table)  # where there is nothing to answer from, it says so before anything is written
    yield (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n  <meta charset="UTF-8">\n'
        f"  <title>{title}</title>\n{style}</head>\n<body>\n<h1>{heading}</h1>\n{first}"
    )
    yield from table
    yield "</body>\n</html>\n"


BARE = r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?|true|false|null"


def json(answer: ReportRows, form: Format) -> Iterator[str]:
    """The rows as JSON; an empty array where there are none."""
    keys = (f"    {standard.dumps(c.title, ensure_ascii=False)}: " for c in answer.cells)
    fields = (f"{literal(key)}, {_value(c)}" for key, c in zip(keys, answer.cells, strict=True))
    line = "concat(',\n  {\n', " + ", ',\n', ".join(fields) + ", '\n  }')"
    before = "["
    for text in answer.text(line):
        yield before + (text[1:] if before else text)
        before = ""
    yield "\n]\n" if answer.count else "[\n]\n"


def _value(cell: Cell) -> str:
    if cell.is_number:
        return f"coalesce({cell.text}, '\"\"')"
    bare = f"regexp_full_match({cell.text}, '{BARE}')"
    return f"CASE WHEN {bare} THEN {cell.text} ELSE to_json(coalesce({cell.text}, ''))::VARCHAR END"


def csv(answer: ReportRows, form: Format) -> Iterator[str]:
    titles = [f'"{c.title}"' if "," in c.title else c.title for c in answer.cells]
    quoted = "CASE WHEN contains({0}, ',') THEN concat('\"', {0}, '\"') ELSE {0} END"
    cells = [c.text if c.is_number else quoted.format(c.text) for c in answer.cells]
    return _lines(answer, form, titles, cells, ",")


def tsv(answer: ReportRows, form: Format) -> Iterator[str]:
    tab = "\\t" if "esc" in form.flags else " "
    cells = [c.text if c.is_number else f"replace({c.text}, chr(9), '{tab}')" for c in answer.cells]
    return _lines(answer, form, [c.title.replace("\t", tab) for c in answer.cells], cells, "\t")


def _lines(answer: ReportRows, form: Format, titles: list[str], cells: list[str], between: str) -> Iterator[str]:
    line = f"""concat({f", '{between}', ".join(cells)}, '\n')"""  # takes NULL for no text, and half the time of ||
    head = "" if "nohdr" in form.flags else between.join(titles) + "\n"
    for text in answer.text(line):
        yield head + text
        head = ""


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
Marks = tuple[str, str, str]
BLANKS = (" ", "  ", "")


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


def column(answer: ReportRows, form: Format) -> Iterator[str]:
    """Columns divided by blanks."""
    return _page(answer, form, BLANKS, BLANKS, is_closed=False)


def table(answer: ReportRows, form: Format) -> Iterator[str]:
    return _page(answer, form, ("| ", " | ", " |"), ("+-", "-+-", "-+"), is_closed=True)


def _page(answer: ReportRows, form: Format, of_line: Marks, of_rule: Marks, is_closed: bool) -> Iterator[str]:
    """The lines; a line and a rule have these marks before, between and after their cells."""
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
    rule = of_rule[1].join("-" * c.width for c in columns).join(of_rule[::2]) + "\n"
    titles = of_line[1].join(map(_centred, columns)).join(of_line[::2]) + "\n"
    head = (rule if is_closed else "") + ("" if "nohdr" in form.flags else titles + rule)
    cells = [_laid(text, c) for text, c in shown] + ["''"] * (len(columns) - len(shown))
    before, between, after = of_line
    line = f"concat('{before}', " + f", '{between}', ".join(cells) + f", '{after}\n')"
    for text in answer.text(line):
        yield head + text
        head = ""
    yield (rule if is_closed else "") + answer.report.outro(answer.count)


def _text(cell: Cell, form: Format) -> CellSql:
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


def _measured(answer: ReportRows, form: Format, texts: list[CellSql]) -> list[Column] | None:
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


def _whole(form: Format, option: str, default: int) -> int:
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


WRITERS = {write.__name__: write for write in (column, table, csv, tsv, json, hdoc, htable)}
