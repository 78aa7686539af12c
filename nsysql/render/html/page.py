"""A page as one self-contained HTML file: tables with bars, sorted by a click on a heading."""

from collections.abc import Sequence
from typing import IO

from markupsafe import Markup

from nsysql.pages.elements import Page
from nsysql.pages.timeline.model import Timeline
from nsysql.render.html.tables import short_names, tables
from nsysql.render.html.template import script, style, template
from nsysql.render.timeline.svg import svg
from nsysql.words.quantities import safe

WIDTH = 1000  # pixels of a picture


def write(page: Page, file: IO[bytes], timelines: Sequence[tuple[str, Timeline]] = ()) -> None:
    """Write the page, and below it pictures of timelines with their titles."""
    sections = list(page.sections)
    text = template("page.html.j2").render(
        title=safe(page.title),
        tables=tables(tuple(sections), short_names(sections)),
        pictures=[(safe(title), Markup(svg(one, WIDTH, heading=False))) for title, one in timelines],
        style=style(),
        script=script(["tables"]),
    )
    file.write(text.encode("utf-8", "backslashreplace"))
