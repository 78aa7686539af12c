"""The options that `nsysql stats` and `nsysql analyze` share, in the spelling of nsys."""

from pathlib import Path
from typing import Annotated

import typer

from nsysql.cli.open_export import ensure_exported
from nsysql.cli.progress import bar
from nsysql.errors import NotAnExport, UsageError
from nsysql.words.sql_text import REPORTS


def find_export(given: Path, sqlite: Path | None, force: bool) -> Path:
    """The path to open for `given`: for a report `sqlite`, or the .sqlite next to it, else the report itself.

    A missing export is made from the report: in `sqlite`, with `force` next to the report, else in the cache. Raises
    UsageError if `sqlite` is given with an export, NsysqlError if nsys is missing or fails.
    """
    from nsysql.capture.forms import nsys_report

    if given.suffix not in REPORTS:
        if sqlite is not None:
            raise UsageError(f"--sqlite names the export of a report, and {given} is an export already.")
        return ensure_exported(given)
    if not given.exists():
        raise NotAnExport(f"{given} does not exist; give the path of a report or of an export.")
    sibling = given.with_suffix(".sqlite")
    if sqlite is None and not force:
        ensure_exported(given)
        return sibling if sibling.exists() and nsys_report.stale(given) is None else given
    export = sqlite or sibling
    if force or not export.exists():
        with bar(f"Exporting {given.name}") as on_progress:
            nsys_report.make_at(given, export, on_progress)
    return export


Texts = list[str] | None
WHICH = "[NAME|ALL]"
BOOLEAN = "[true|false]"

ExportPath = Annotated[Path | None, typer.Argument(metavar="EXPORT", help="An export, or a report of nsys.")]
Formats = Annotated[
    Texts,
    typer.Option("--format", "-f", metavar="NAME[:OPTION...],...", help="Their formats; see --help-formats."),
]
Outputs = Annotated[
    Texts,
    typer.Option(
        "--output", "-o", metavar="OUTPUT,...",
        help="Where they go: - is here, @COMMAND its input, else the start of a file's name, "
        ". the export's own.",
    ),
]  # fmt: skip
FilterTime = Annotated[
    str | None, typer.Option(metavar="[START]/[END]", help="Only what overlaps this time, such as 1.5s/2s.")
]
FilterNvtx = Annotated[
    str | None, typer.Option(metavar="NAME[@DOMAIN][/INDEX]", help="Only what overlaps this NVTX range.")
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Rows and errors only.")]
TimeUnit = Annotated[str | None, typer.Option(metavar="UNIT", help="Unit of all times: nsec, usec, msec or seconds.")]
ForceOverwrite = Annotated[str, typer.Option(metavar=BOOLEAN, help="Overwrite files that exist.")]
ForceExport = Annotated[str, typer.Option(metavar=BOOLEAN, help="Export the report again with nsys.")]
Sqlite = Annotated[Path | None, typer.Option(metavar="FILE", help="The export of a report.")]
Threads = Annotated[int | None, typer.Option(metavar="COUNT", min=1, help="Threads to compute with.")]
MemoryLimit = Annotated[str | None, typer.Option(metavar="SIZE", help="Memory limit, such as 4GB.")]
HelpFormats = Annotated[str | None, typer.Option(metavar=WHICH, help="The formats, or what one is.")]

# Options with an optional value: its default, and the values they can have (none: any).
IMPLIED: dict[str, tuple[str, tuple[str, ...]]] = {
    "--force-overwrite": ("true", ("true", "false")),
    "--force-export": ("true", ("true", "false")),
    "--help-formats": ("", ()),
}
