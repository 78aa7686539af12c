"""The options that commands share, and how a function gets its options."""

from collections.abc import Callable, Iterable
from enum import StrEnum
from inspect import Parameter as Argument
from inspect import Signature
from pathlib import Path
from typing import Annotated, Any

import typer

from nsysql.cli import completion
from nsysql.cli.output import FORMATS

SHOWN_ROWS = 50  # default for --limit in tables
OUTPUT = "Output"  # the heading of the common options in help


def argument(name: str, kind: Any, *, default: Any = Argument.empty, **about: Any) -> Argument:
    """A positional argument; required unless it has a default."""
    return Argument(name, Argument.KEYWORD_ONLY, default=default, annotation=Annotated[kind, typer.Argument(**about)])


def option(name: str, kind: Any, default: Any, *spelled: str, **about: Any) -> Argument:
    """An option; optional if its default is None."""
    kind = kind if default is not None else kind | None
    annotation = Annotated[kind, typer.Option(*spelled, **about)]
    return Argument(name, Argument.KEYWORD_ONLY, default=default, annotation=annotation)


def _common(name: str, kind: Any, default: Any, *spelled: str, help: str, **about: Any) -> Argument:
    return option(name, kind, default, *spelled, help=help, rich_help_panel=OUTPUT, show_default=False, **about)


def formats(names: Iterable[str], default: str) -> Argument:
    """The option for the output format, with these choices."""
    choices = StrEnum("Format", [(name, name) for name in names])  # type: ignore[misc]
    text = f"Output format; default: from FILE's extension, else {default}."
    return _common("format", choices, None, "--format", "-f", help=text)


def with_options(command: Callable[..., None], options: list[Argument]) -> Callable[..., None]:
    """The function with these options as its signature, which typer reads."""
    command.__annotations__ = {}
    command.__signature__ = Signature(options)  # type: ignore[attr-defined]
    return command


CONTEXT = Argument("ctx", Argument.KEYWORD_ONLY, annotation=typer.Context)
ALL = option("all", bool, False, "--all", help="All sections, not only the first screen.")
EXPORT = argument(
    "export", Path, metavar="EXPORT",
    help="An export (.sqlite, a folder of Parquet or Arrow, .duckdb of `nsysql convert`), or a report of nsys.",
)  # fmt: skip
SQLITE = argument("export", Path, metavar="EXPORT", help="An export (.sqlite), or a report of nsys.")

FORMAT = formats(FORMATS, "table")
FILE = _common("output", str, "-", "--output", "-o", metavar="FILE", help="Write to FILE instead of standard output.")
COLUMNS = _common(
    "columns", str, None, "--columns", metavar="NAME,...", help="Only these columns.", autocompletion=completion.columns
)
LIMIT = _common(
    "limit", int, None, "--limit", metavar="ROWS", min=0,
    help=f"Maximum rows to print (0 = all); default for tables: {SHOWN_ROWS}.",
)  # fmt: skip
NAME_WIDTH = _common(
    "name_width", int, None, "--name-width", metavar="COLUMNS", min=8, help="Widest kernel name, in columns."
)
FULL_NAMES = _common(
    "full_names", bool, False, "--full-names", help="Kernel names in full, in tables too; csv, json, parquet have them."
)
QUIET = _common("quiet", bool, False, "--quiet", "-q", help="No notes on stderr.")
THREADS = _common(
    "threads", int, None, "--threads", metavar="COUNT", min=1, help="Number of threads; also NSYSQL_THREADS."
)
MEMORY = _common(
    "memory_limit",
    str,
    None,
    "--memory-limit",
    metavar="SIZE",
    help="Memory limit of the process, such as 4GB; also NSYSQL_MEMORY_LIMIT.",
)

NAMES = [NAME_WIDTH, FULL_NAMES]
COMMON = [FORMAT, FILE, COLUMNS, LIMIT, *NAMES, QUIET, THREADS, MEMORY]  # options of every command that outputs rows
TAKEN = {*(o.name for o in COMMON), "ctx", "export", "help"}  # names that no parameter of a query can have
