"""csv and tsv, by NVIDIA's rules.

A csv text with a comma is in quotes, and quotes within are left as they are; tabs of a tsv text become
blanks. Line ends of names are written as they are.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from nsysql.nsys.stats.report_rows import ReportRows

if TYPE_CHECKING:
    from nsysql.nsys.stats.formats import Format


def csv(answer: ReportRows, form: "Format") -> Iterator[str]:
    """Comma-separated values: titles, then a line per row."""
    titles = [f'"{c.title}"' if "," in c.title else c.title for c in answer.cells]
    cells = [c.text if c.is_number else _quoted(c.text) for c in answer.cells]
    return _lines(answer, form, titles, cells, ",")


def tsv(answer: ReportRows, form: "Format") -> Iterator[str]:
    """Tab-separated values: titles, then a line per row."""
    tab = "\\t" if "esc" in form.flags else " "
    cells = [c.text if c.is_number else f"replace({c.text}, chr(9), '{tab}')" for c in answer.cells]
    return _lines(answer, form, [c.title.replace("\t", tab) for c in answer.cells], cells, "\t")


def _quoted(text: str) -> str:
    return f"CASE WHEN contains({text}, ',') THEN concat('\"', {text}, '\"') ELSE {text} END"


def _lines(answer: ReportRows, form: "Format", titles: list[str], cells: list[str], between: str) -> Iterator[str]:
    line = f"""concat({f", '{between}', ".join(cells)}, '\n')"""  # takes NULL for no text, and half the time of ||
    head = "" if "nohdr" in form.flags else between.join(titles) + "\n"
    for text in answer.text(line):
        yield head + text
        head = ""
