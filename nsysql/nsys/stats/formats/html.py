"""htable and hdoc: the rows as an HTML table, alone or in a page of its own."""

import html
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from nsysql.nsys.stats.report_rows import ReportRows

if TYPE_CHECKING:
    from nsysql.nsys.stats.formats import Format

LOOSE = re.compile(r"&(?=[#\w])|<|>")  # what HTML would read otherwise; a lone & it reads as it is, and nsys leaves it


def htable(answer: ReportRows, form: "Format") -> Iterator[str]:
    """A table element."""
    titles = "".join(f"      <th>{html.escape(c.title, quote=False)}</th>\n" for c in answer.cells)
    head = f"<table>\n  <thead>\n    <tr>\n{titles}    </tr>\n  </thead>\n  <tbody>\n"
    texts = (c.text if c.is_number else _escaped(c.text) for c in answer.cells)
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
    heading = LOOSE.sub(lambda found: html.escape(found[0], quote=False), answer.heading)
    table = htable(answer, form)
    first = next(table)  # where there is nothing to answer from, it says so before anything is written
    yield (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n  <meta charset="UTF-8">\n'
        f"  <title>{title}</title>\n{style}</head>\n<body>\n<h1>{heading}</h1>\n{first}"
    )
    yield from table
    yield "</body>\n</html>\n"


def _escaped(text: str) -> str:
    return f"replace(replace(replace({text}, '&', '&amp;'), '<', '&lt;'), '>', '&gt;')"
