"""`nsysql flame`: stacks as a flame graph, or in a format for other tools."""

from enum import StrEnum
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nsysql.cli.options import CONTEXT, EXPORT, FILE, MEMORY, QUIET, THREADS, formats, option, with_options
from nsysql.cli.output import note, opened
from nsysql.cli.query_command import NARROWING
from nsysql.cli.rows import open_export
from nsysql.errors import UsageError

if TYPE_CHECKING:
    from typing import IO

    from nsysql.pages.flame.model import Flame

FORMS = {"txt": "collapsed", "json": "speedscope", "svg": "svg", "html": "html"}  # file extension and format
WEIGHTS = ("gpu", "cpu", "idle", "launches", "samples")
Weight = StrEnum("Weight", [(name, name) for name in WEIGHTS])  # type: ignore[misc]
WEIGHT = "What is counted: time of GPU work, CPU time, idle time, launching calls, or CPU samples."


def _flame(
    ctx: Any, export: Path, weight: Any, start: Any, end: Any, nvtx: str | None, steps: str | None,
    step_range: str | None, format: Any, output: str, quiet: bool, threads: Any, memory_limit: Any,
) -> None:  # fmt: skip
    """A flame graph of NVTX ranges and what ran inside, as HTML, SVG, JSON for speedscope, or collapsed stacks.

    The rows of `nsysql stacks`. An .html zooms and can be searched, an .svg is for documents; both are self-contained.
    A .json opens in speedscope, a .txt in flamegraph.pl and the like.
    """
    from nsysql.pages.flame.model import collect
    from nsysql.pages.scope import PageScope

    form = _form(format, output)
    with opened(output, export) as file:
        with open_export(ctx, export, threads, memory_limit, quiet) as run:
            scope = PageScope(None, start, end, nvtx, steps=steps, step_range=step_range)
            found = collect(run, str(weight), **scope.filters)
        write(found, form, file)
    for text in [] if quiet else found.notes:
        note(f"{text}.")


def write(found: "Flame", form: str, file: "IO[bytes]") -> None:
    """Write the flame graph in this format."""
    module = import_module(f"nsysql.render.flame.{FORMS[form]}")
    if form == "svg":
        file.write(module.svg(found).encode("utf-8", "backslashreplace"))
    else:
        module.write(found, file)


def _form(format: Any, output: str) -> str:
    """The requested format, else that of the file's name. Raises UsageError for another extension."""
    ending = Path(output).suffix.lower().removeprefix(".")
    if format or not ending:
        return str(format or "txt")
    if ending not in FORMS:
        raise UsageError(f"{output} ends in none of .{', .'.join(FORMS)}; choose what to write with --format.")
    return ending


flame = with_options(
    _flame,
    [
        CONTEXT, EXPORT,
        option("weight", Weight, Weight("gpu"), "--weight", help=WEIGHT),
        *NARROWING,
        formats(FORMS, "txt"),
        FILE, QUIET, THREADS, MEMORY,
    ],
)  # fmt: skip
