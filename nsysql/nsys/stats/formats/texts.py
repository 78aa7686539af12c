"""csv and tsv, by NVIDIA's rules.

A csv text with a comma is in quotes, and quotes within are left as they are; tabs of a tsv text become
blanks. Line ends of names are written as they are.
"""

import html
import json as standard
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from nsysql.nsys.stats.cells import Cell
from nsysql.nsys.stats.report_rows import ReportRows
from nsysql.words.sql_text import literal

if TYPE_CHECKING:
    from nsysql.nsys.stats.formats import Format

LOOSE = re.compile(r"&(?=[#\w])|<|>")  # what HTML would read otherwise; a lone & it reads as it is, and nsys leaves it


def htable(answer: ReportRows, form: "Format") -> Iterator[str]:
    """A table element."""
    titles = "".join(f"      <th>{html.escape(c.title, quote=False)}</th>\n" for c in answer.cells)
    head = f"<table>\n  <thead>\n    <tr>\n{titles}    </tr>\n  </thead>\n  <tbody>\n"
    escaped = "replace(replace(replace({}, '&', '&amp;'), '<', '&lt;'), '>', '&gt;')"
    texts = (c.text if c.is_number else escaped.format(c.text) for c in answer.cells)
    cells = ", ".join(f"'      <td>', {text}, '</td>\n'" for text in texts)
    for text in answer.text(f"concat('    <tr>\n', {cells}, '    </tr>\n')"):
        yield head + text
        head = ""
    yield f"{head}  </tbody>\n</table>\n"


def hdoc(answer: ReportRows, form: "Format") -> Iterator[str]:
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


def json(answer: ReportRows, form: "Format") -> Iterator[str]:
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


def csv(answer: ReportRows, form: "Format") -> Iterator[str]:
    """Comma-separated values: titles, then a line per row."""
    titles = [f'"{c.title}"' if "," in c.title else c.title for c in answer.cells]
    quoted = "CASE WHEN contains({0}, ',') THEN concat('\"', {0}, '\"') ELSE {0} END"
    cells = [c.text if c.is_number else quoted.format(c.text) for c in answer.cells]
    return _lines(answer, form, titles, cells, ",")


def tsv(answer: ReportRows, form: "Format") -> Iterator[str]:
    """Tab-separated values: titles, then a line per row."""
    tab = "\\t" if "esc" in form.flags else " "
    cells = [c.text if c.is_number else f"replace({c.text}, chr(9), '{tab}')" for c in answer.cells]
    return _lines(answer, form, [c.title.replace("\t", tab) for c in answer.cells], cells, "\t")


def _lines(answer: ReportRows, form: "Format", titles: list[str], cells: list[str], between: str) -> Iterator[str]:
    line = f"""concat({f", '{between}', ".join(cells)}, '\n')"""  # takes NULL for no text, and half the time of ||
    head = "" if "nohdr" in form.flags else between.join(titles) + "\n"
    for text in answer.text(line):
        yield head + text
        head = ""
