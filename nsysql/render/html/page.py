"""A page as one HTML file that asks for nothing else: its tables with bars, sorted by a click on a heading."""

from typing import IO

from nsysql.pages.elements import Page
from nsysql.quantities import safe
from nsysql.render.html.tables import short_names, tables
from nsysql.render.html.template import script, style, template


def write(page: Page, file: IO[bytes]) -> None:
    """Write the page."""
    sections = list(page.sections)
    text = template("page.html.j2").render(
        title=safe(page.title),
        tables=tables(tuple(sections), short_names(sections)),
        style=style(),
        script=script(["tables"]),
    )
    file.write(text.encode("utf-8", "backslashreplace"))
