"""A page as one self-contained HTML file: tables with bars, sorted by a click on a heading."""

import re
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import IO

from jinja2 import Environment, FunctionLoader, StrictUndefined, Template
from markupsafe import Markup, escape

from nsysql.pages.elements import Page
from nsysql.render.html.tables import short_names, tables
from nsysql.words.naming import BRIEF, Naming
from nsysql.words.quantities import safe

FOLDER = files("nsysql.render.html")


def template(name: str) -> Template:
    """A template, which escapes everything but Markup."""
    loader = FunctionLoader(_read)
    environment = Environment(
        loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters["breakable"] = breakable
    return environment.get_template(name)


def style() -> Markup:
    """The style of all HTML files."""
    return Markup(_read("report.css"))


def script(modules: Sequence[str]) -> Markup:
    """Modules of the script as one, without the spaces that lines begin with."""
    text = "\n".join(_read(f"script/{name}.js") for name in modules)
    return Markup('"use strict";\n' + re.sub(r"^ +", "", text, flags=re.MULTILINE))


@cache
def _read(name: str) -> str:
    return FOLDER.joinpath(name).read_text(encoding="utf-8")


BREAKS = re.compile("(&lt;|,|::)(?=[^ ])")  # after which a long name may go on in the next line


CODE = re.compile("`([^`]+)`")


def breakable(text: str) -> Markup:
    """The text, escaped, with places where a line may end within names; what is in backticks as code."""
    if isinstance(text, Markup):
        return text
    return Markup(CODE.sub(r"<code>\1</code>", BREAKS.sub(r"\1<wbr>", str(escape(text)))))


def write(page: Page, file: IO[bytes], naming: Naming = BRIEF, picture: str = "") -> None:
    """Write the page, above it an SVG picture of it if there is one."""
    sections = list(page.sections)
    text = template("page.html.j2").render(
        title=safe(page.title),
        picture=Markup(picture),
        tables=tables(tuple(sections), short_names(sections, naming)),
        style=style(),
        script=script(["tables"]),
    )
    file.write(text.encode("utf-8", "backslashreplace"))
