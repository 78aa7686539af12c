"""What a module of nsysql.compute says of itself: READS, the views that it asks for, and PROVIDES, those that it makes.

Read from the module's text, since to import it loads polars.
"""

import ast
import re
from functools import cache
from pathlib import Path

import nsysql

CONSTANT = re.compile(r"^(READS|PROVIDES) = (\([^()]*\))", re.MULTILINE)


def reads(module: str) -> tuple[str, ...]:
    """The views from which a module computes."""
    return _constants(module)["READS"]


def provides(module: str) -> tuple[str, ...]:
    """The views whose rows a module makes: those that name it, and others whose rows it comes by."""
    return _constants(module)["PROVIDES"]


@cache
def _constants(module: str) -> dict[str, tuple[str, ...]]:
    path = Path(nsysql.__file__).parent.joinpath(*module.split(".")[1:]).with_suffix(".py")
    return {name: ast.literal_eval(text) for name, text in CONSTANT.findall(path.read_text(encoding="utf-8"))}
