"""A query as a command: its parameters as options, its header as help."""

from collections.abc import Callable
from enum import Enum
from inspect import Parameter as Argument
from typing import TYPE_CHECKING, Annotated, Any

import typer

from nsysql.cli.rows import Answer, row_command
from nsysql.pack import Parameter, Query
from nsysql.parameters import read_ns

if TYPE_CHECKING:
    from nsysql.export import Export

SHOWN_TOP = 20  # rows of a table for queries that take `top`


def query_command(query: Query) -> Callable[..., None]:
    """The function of the query's command, its signature made from the header."""

    def ask(run: "Export", format: str, **given: Any) -> Answer:
        values = {name: value.value if isinstance(value, Enum) else value for name, value in given.items()}
        for p in query.parameters:
            if p.name == "top" and values["top"] is None and format == "table":
                values["top"] = SHOWN_TOP
            if values[p.name] is None:
                del values[p.name]
        return Answer(run.query(query.name, **values), run.notes(query.name))

    return row_command(ask, [_option(p) for p in query.parameters])


def _option(p: Parameter) -> Argument:
    name = option_name(p)
    if p.choices:
        kind: Any = Enum(p.name, {c: c for c in p.choices}, type=str)
        default = kind(p.default) if p.default is not None else None
        option = typer.Option(name, help=p.doc)
    elif p.name.endswith("_ns"):
        kind, default = str, None if p.default is None else str(p.default)
        option = typer.Option(name, help=p.doc, metavar="TIME", callback=_as_ns)
    else:
        kind = {"BIGINT": int, "INTEGER": int, "DOUBLE": float, "BOOLEAN": bool}.get(p.type, str)
        default = p.default
        option = typer.Option(name, help=p.doc)
    annotation = Annotated[kind if default is not None else kind | None, option]
    return Argument(p.name, Argument.KEYWORD_ONLY, default=default, annotation=annotation)


def option_name(p: Parameter) -> str:
    """How the command line spells a parameter: min_gap_ns is --min-gap."""
    return "--" + p.name.removesuffix("_ns").replace("_", "-")


def _as_ns(text: str | None) -> int | None:
    return None if text is None else read_ns(text)
