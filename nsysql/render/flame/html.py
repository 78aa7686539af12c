"""A flame graph as one self-contained HTML file: click to zoom, search by name."""

from importlib.resources import files
from typing import IO

from jinja2 import Environment, StrictUndefined
from markupsafe import Markup

from nsysql.pages.flame import TITLES, Flame
from nsysql.render.flame.svg import svg
from nsysql.words.quantities import safe

FOLDER = files("nsysql.render.flame")
WIDTH, FINEST = 1200, 0.05  # pixels; width of the smallest box that is written, visible after zooming


def write(flame: Flame, file: IO[bytes]) -> None:
    """Write the page."""
    template = Environment(autoescape=True, undefined=StrictUndefined).from_string(_read("flame.html.j2"))
    text = template.render(
        title=safe(flame.title),
        weight=TITLES[flame.weight],
        notes=[safe(note) for note in flame.notes],
        picture=Markup(svg(flame, WIDTH, FINEST)),
        script=Markup(_read("flame.js")),
    )
    file.write(text.encode("utf-8", "backslashreplace"))


def _read(name: str) -> str:
    return FOLDER.joinpath(name).read_text(encoding="utf-8")
