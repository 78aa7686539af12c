"""The options that commands share, what the Tab key completes in them, and how a function gets its options."""

from collections.abc import Callable, Iterable
from enum import StrEnum
from inspect import Parameter as Argument
from inspect import Signature
from pathlib import Path
from typing import Annotated, Any

import typer

from nsysql.catalog.parameters import has_no_unit, read_ns
from nsysql.errors import UsageError

SHOWN_ROWS = 50  # default for --limit in tables
SHOWN_NAMES = 200  # NVTX names that are completed; a shell shows no more
OUTPUT = "Output"  # the heading of the common options in help
UNITS = "With a unit: 1.5ms, 2s, 250ns."


def argument(name: str, kind: Any, *, default: Any = Argument.empty, **about: Any) -> Argument:
    """A positional argument; required unless it has a default."""
    return Argument(name, Argument.KEYWORD_ONLY, default=default, annotation=Annotated[kind, typer.Argument(**about)])


def option(name: str, kind: Any, default: Any, *spelled: str, **about: Any) -> Argument:
    """An option; optional if its default is None."""
    kind = kind if default is not None else kind | None
    annotation = Annotated[kind, typer.Option(*spelled, **about)]
    return Argument(name, Argument.KEYWORD_ONLY, default=default, annotation=annotation)


def choice(name: str, names: Iterable[str], default: str | None, *spelled: str, **about: Any) -> Argument:
    """An option that takes one of these texts."""
    kind = StrEnum(name, [(one, one) for one in names])  # type: ignore[misc]
    return option(name, kind, default and kind(default), *spelled, **about)


def time(name: str, spelled: str, help: str) -> Argument:
    """An option that takes a time with its unit."""
    return option(name, str, None, spelled, metavar="TIME", callback=as_ns, help=f"{help} {UNITS}")


def as_ns(text: str | None) -> int | None:
    """A time of the command line in ns."""
    if text and has_no_unit(text):
        raise typer.BadParameter(f"{text} has no unit; write {text}s or {text}ns.")
    try:
        return None if text is None else read_ns(text)
    except UsageError as error:
        raise typer.BadParameter(str(error)) from None


def gpu(help: str) -> Argument:
    """The option --gpu."""
    return option("gpu", int, None, "--gpu", metavar="ID", help=help)


def top_rows(default: int | None, help: str = "Maximum rows of each section (0 = all).") -> Argument:
    """The option --top, whose 0 is given as None: no limit."""
    return option("top", int, default, "--top", metavar="ROWS", min=0, callback=lambda top: top or None, help=help)


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


def packs(ctx: Any) -> tuple[Path, ...]:
    """The folders given with --pack."""
    return tuple(ctx.find_root().params.get("pack") or ())


def columns(ctx: Any, incomplete: str) -> list[str]:
    """The columns of the query, after those that are there: `name,du` becomes `name,dur_ns`."""
    query = getattr(ctx.command, "query", None)
    return listed([column.name for column in query.columns] if query else [], incomplete)


def nvtx_names(ctx: Any, incomplete: str) -> list[str]:
    """The texts of the export's NVTX ranges; nothing if the export is not yet on the line, or cannot be read."""
    import nsysql
    from nsysql.errors import NsysqlError

    arguments = [ctx.params.get("export"), *ctx.args]  # the option without its value stops the parser
    export = next((path for path in arguments if path and Path(path).exists()), None)
    if export is None:
        return []
    try:
        with nsysql.open(export) as run:
            names = run.relation("nvtx_range").project("name").distinct().order("name").fetchall()
    except NsysqlError:
        return []
    return [name for (name,) in names if name and name.startswith(incomplete)][:SHOWN_NAMES]


def listed(names: Iterable[str], incomplete: str) -> list[str]:
    """The names that continue the last element of a list with commas."""
    before, comma, last = incomplete.rpartition(",")
    return [f"{before}{comma}{name}" for name in names if name.startswith(last.replace("-", "_"))]


CONTEXT = Argument("ctx", Argument.KEYWORD_ONLY, annotation=typer.Context)
ALL = option("all", bool, False, "--all", help="All sections, not only the first screen.")
EXPORT = argument(
    "export", Path, metavar="EXPORT",
    help="An export (.sqlite, a folder of Parquet or Arrow, .duckdb of `nsysql convert`), or a report of nsys.",
)  # fmt: skip
EXPORTS = argument(
    "export", list[Path], metavar="EXPORT...",
    help="An export (.sqlite, a folder of Parquet or Arrow, .duckdb), or a report; or those of all ranks of one job.",
)  # fmt: skip
STEP_RANGE = option(
    "step_range", str, None, "--step-range", metavar="TEXT", help="The NVTX range that marks the steps."
)
NARROWING = [
    time("start_ns", "--start", "Narrow the page to what is in progress at this time or later."),
    time("end_ns", "--end", "Narrow the page to what starts before this time."),
    option(
        "nvtx", str, None, "--nvtx", metavar="TEXT", autocompletion=nvtx_names,
        help="Narrow the page to NVTX ranges: NAME[@DOMAIN], all of that name; NAME/0, the first. Busy and idle time "
        "stay those of the whole GPU; calls, kernels and copies are those of the range's process.",
    ),
    option(
        "steps", str, None, "--steps", metavar="TEXT",
        help="Narrow the page to steps of the program: steady, 5, or 5:10 with both. See nsysql steps.",
    ),
    STEP_RANGE,
]  # fmt: skip

FILE = _common("output", str, "-", "--output", "-o", metavar="FILE", help="Write to FILE instead of standard output.")
COLUMNS = _common(
    "columns", str, None, "--columns", metavar="NAME,...", help="Only these columns.", autocompletion=columns
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
NAMES = [NAME_WIDTH, FULL_NAMES]
QUIET = _common("quiet", bool, False, "--quiet", "-q", help="No notes on stderr.")
THREADS = _common(
    "threads", int, None, "--threads", metavar="COUNT", min=1, help="Number of threads; also NSYSQL_THREADS."
)
MEMORY = _common(
    "memory_limit", str, None, "--memory-limit", metavar="SIZE",
    help="Memory limit of the process, such as 4GB; also NSYSQL_MEMORY_LIMIT.",
)  # fmt: skip
OF_FILES = [FILE, QUIET, THREADS, MEMORY]  # common options of commands that write a file
OF_PAGES = [FILE, *NAMES, QUIET, THREADS, MEMORY]  # of those that output a page
OF_ROWS = [FILE, COLUMNS, LIMIT, *NAMES, QUIET, THREADS, MEMORY]  # of those that output rows, besides the format
TAKEN = {*(o.name for o in OF_ROWS), "format", "ctx", "export", "help"}  # names that no parameter of a query can have
