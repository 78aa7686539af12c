"""The declarations of a module of nsysql.analysis: READS, the views that it reads, PROVIDES, those that it computes.

Parsed from the module's text, since importing it would load polars.
"""

import ast
import re
from functools import cache
from pathlib import Path

import nsysql

CONSTANT = re.compile(r"^(READS|PROVIDES) = (\([^()]*\))", re.MULTILINE)


def reads(module: str) -> tuple[str, ...]:
    """The views that a module reads."""
    return _constants(module)["READS"]


def provides(module: str) -> tuple[str, ...]:
    """The views that a module computes: those that name it in their header, and by-products."""
    return _constants(module)["PROVIDES"]


@cache
def _constants(module: str) -> dict[str, tuple[str, ...]]:
    path = Path(nsysql.__file__).parent.joinpath(*module.split(".")[1:]).with_suffix(".py")
    return {name: ast.literal_eval(text) for name, text in CONSTANT.findall(path.read_text(encoding="utf-8"))}
