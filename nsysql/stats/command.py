"""`nsysql stats`: the options of `nsys stats`, in its spelling."""

from pathlib import Path
from typing import Annotated

import typer


def stats(
    export: Annotated[Path, typer.Argument(metavar="EXPORT", help="An Nsight Systems .sqlite export.")],
    report: Annotated[
        list[str] | None, typer.Option("--report", "-r", metavar="REPORT", help="Reports, separated by commas.")
    ] = None,
    format: Annotated[
        list[str] | None, typer.Option("--format", "-f", metavar="FORMAT", help="Formats of the reports.")
    ] = None,
    output: Annotated[
        list[str] | None,
        typer.Option("--output", "-o", metavar="PATH", help="Start of the files' names; . is the export's, - no file."),
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Errors only.")] = False,
    force_overwrite: Annotated[str, typer.Option(metavar="BOOL", help="Overwrite existing files.")] = "false",
    force_export: Annotated[str, typer.Option(metavar="BOOL", hidden=True, help="Accepted; nothing is exported.")] = "false",
) -> None:
    """The reports of `nsys stats`, as it prints them."""
    from nsysql.export import open
    from nsysql.stats import face

    reports = [name for text in report or [] for name in text.split(",")]
    with open(export) as run:
        face.stats(run, reports, output or ["-"], quiet=quiet, force=force_overwrite.lower() == "true")
