"""The options that commands share, what the Tab key completes in them, and how a function gets its options."""

from collections.abc import Callable, Iterable
from inspect import Parameter as Argument
from inspect import signature
from keyword import iskeyword
from pathlib import Path
from types import NoneType
from typing import Annotated, Any, Literal, get_args

import typer

from nsysql.catalog import parameters
from nsysql.errors import UsageError

SHOWN_ROWS = 50  # default for --limit in tables
SHOWN_NAMES = 200  # NVTX names that are completed; a shell shows no more
OUTPUT = "Output"  # the heading of the common options in help
UNITS = "With a unit: 1.5ms, 2s, 250ns."


def argument(default: Any = Argument.empty, *, kind: Any = None, name: str = "_", **about: Any) -> Any:
    """A positional argument; required unless it has a default. For `name` and `kind` see `option`."""
    return Argument(name, Argument.KEYWORD_ONLY, default=default, annotation=Annotated[kind, typer.Argument(**about)])


def option(default: Any, *spelled: str, kind: Any = None, name: str = "", **about: Any) -> Any:
    """An option; optional if its default is None.

    As the default of a command's parameter it gets name and type from that, otherwise `name` is as it is spelled.
    """
    kind = kind | None if kind and default is None else kind
    name = name or spelled[0].strip("-").replace("-", "_")
    annotation = Annotated[kind, typer.Option(*spelled, **about)]
    return Argument(
        f"{name}_" if iskeyword(name) else name, Argument.KEYWORD_ONLY, default=default, annotation=annotation
    )


def choice(names: Iterable[str], default: str | None, *spelled: str, **about: Any) -> Any:
    return option(default, *spelled, kind=Literal[tuple(names)], **about)


def options_of(function: Callable[..., object]) -> list[Argument]:
    """The options that are the defaults of a function's parameters, in order; a default can be several."""
    found: list[Argument] = []
    for parameter in signature(function).parameters.values():
        if isinstance(one := parameter.default, Argument):
            kind, about = get_args(one.annotation)
            kind = parameter.annotation if kind is NoneType else kind
            found.append(one.replace(name=parameter.name, annotation=Annotated[kind, about]))
        elif isinstance(one, tuple):
            found += one
    return found


def time(spelled: str, help: str) -> Any:
    return option(
        None, spelled, kind=str, name=f"{spelled.strip('-').replace('-', '_')}_ns", metavar="TIME", callback=as_ns,
        help=f"{help} {UNITS}",
    )  # fmt: skip


def as_ns(text: str | None) -> int | None:
    try:
        ns: int | None = parameters.as_ns(text)
    except UsageError as error:
        raise typer.BadParameter(str(error)) from None
    return ns


def gpu(help: str) -> Any:
    return option(None, "--gpu", kind=int, metavar="ID", help=help)


def top_rows(default: int | None, help: str = "Maximum rows of each section (0 = all).") -> Any:
    """The option --top, whose 0 is given as None: no limit."""
    return option(default, "--top", kind=int, metavar="ROWS", min=0, callback=lambda top: top or None, help=help)


def _common(kind: Any, default: Any, *spelled: str, **about: Any) -> Any:
    return option(default, *spelled, kind=kind, rich_help_panel=OUTPUT, show_default=False, **about)


def formats(names: Iterable[str], default: str) -> Any:
    text = f"Output format; default: from FILE's extension, else {default}."
    return choice(names, None, "--format", "-f", help=text, rich_help_panel=OUTPUT, show_default=False)


def packs(ctx: Any) -> tuple[Path, ...]:
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
ALL = option(False, "--all", kind=bool, help="All sections, not only the first screen.")
EXPORT = argument(
    kind=Path, name="export", metavar="EXPORT",
    help="An export (.sqlite, a folder of Parquet or Arrow, .duckdb of `nsysql convert`), or a report of nsys.",
)  # fmt: skip
EXPORTS = argument(
    metavar="EXPORT...",
    help="An export (.sqlite, a folder of Parquet or Arrow, .duckdb), or a report; or those of all ranks of one job.",
)
STEP_RANGE = option(None, "--step-range", kind=str, metavar="TEXT", help="The NVTX range that marks the steps.")
NARROWING: Any = (
    time("--start", "Narrow the page to what is in progress at this time or later."),
    time("--end", "Narrow the page to what starts before this time."),
    option(
        None, "--nvtx", kind=str, metavar="TEXT", autocompletion=nvtx_names,
        help="Narrow the page to NVTX ranges: NAME[@DOMAIN], all of that name; NAME/0, the first. Busy and idle time "
        "stay those of the whole GPU; calls, kernels and copies are those of the range's process.",
    ),
    option(
        None, "--steps", kind=str, metavar="TEXT",
        help="Narrow the page to steps of the program: steady, 5, or 5:10 with both. See nsysql steps.",
    ),
    STEP_RANGE,
)  # fmt: skip


def narrowing(of_gpu: str) -> Any:
    """The options that narrow a page, after that of a GPU."""
    return (gpu(of_gpu), *NARROWING)


FILE = _common(str, "-", "--output", "-o", metavar="FILE", help="Write to FILE instead of standard output.")
COLUMNS = _common(str, None, "--columns", metavar="NAME,...", help="Only these columns.", autocompletion=columns)
LIMIT = _common(
    int, None, "--limit", metavar="ROWS", min=0,
    help=f"Maximum rows to print (0 = all); default for tables: {SHOWN_ROWS}.",
)  # fmt: skip
NAMES = [
    _common(int, None, "--name-width", metavar="COLUMNS", min=8, help="Widest kernel name, in columns."),
    _common(bool, False, "--full-names", help="Kernel names in full, in tables too; csv, json, parquet have them."),
]
QUIET = _common(bool, False, "--quiet", "-q", help="No notes on stderr.")
THREADS = _common(int, None, "--threads", metavar="COUNT", min=1, help="Number of threads; also NSYSQL_THREADS.")
MEMORY = _common(
    str, None, "--memory-limit", metavar="SIZE",
    help="Memory limit of the process, such as 4GB; also NSYSQL_MEMORY_LIMIT.",
)  # fmt: skip
OF_FILES = [FILE, QUIET, THREADS, MEMORY]  # common options of commands that write a file
OF_PAGES = [FILE, *NAMES, QUIET, THREADS, MEMORY]  # of those that output a page
OF_ROWS = [FILE, COLUMNS, LIMIT, *NAMES, QUIET, THREADS, MEMORY]  # of those that output rows, besides the format
TAKEN = {*(o.name for o in OF_ROWS), "format", "ctx", "export", "help"}  # names that no parameter of a query can have
