"""Load templates, styles and scripts of HTML files from this folder."""

from collections.abc import Sequence
from functools import cache
from importlib.resources import files

from jinja2 import Environment, FunctionLoader, StrictUndefined, Template
from markupsafe import Markup

FOLDER = files("nsysql.render.html")


def template(name: str) -> Template:
    """A template, which escapes everything but Markup."""
    loader = FunctionLoader(_read)
    return Environment(
        loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    ).get_template(name)


def style() -> Markup:
    """The style of all HTML files."""
    return Markup(_read("report.css"))


def script(modules: Sequence[str]) -> Markup:
    """Modules of the script as one."""
    return Markup('"use strict";\n' + "\n".join(_read(f"script/{name}.js") for name in modules))


@cache
def _read(name: str) -> str:
    return FOLDER.joinpath(name).read_text(encoding="utf-8")
