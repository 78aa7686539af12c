"""`nsysql stats`: the options of `nsys stats`, in its spelling."""

from pathlib import Path
from typing import Annotated

import typer

Paths = list[Path] | None
Texts = list[str] | None
WHICH = "[NAME|ALL]"
BOOLEAN = "[true|false]"


def stats(
    ctx: typer.Context,
    export: Annotated[
        Path | None, typer.Argument(metavar="EXPORT", help="A .sqlite export, or a report with one beside it.")
    ] = None,
    report: Annotated[
        Texts, typer.Option("--report", "-r", metavar="NAME[:OPTION...],...", help="Reports; see --help-reports.")
    ] = None,
    format: Annotated[
        Texts, typer.Option("--format", "-f", metavar="NAME[:OPTION...],...", help="Their formats; see --help-formats.")
    ] = None,
    output: Annotated[
        Texts,
        typer.Option(
            "--output", "-o", metavar="OUTPUT,...",
            help="Where they go: - is here, @COMMAND its input, else the start of a file's name, . the export's own.",
        ),
    ] = None,
    filter_time: Annotated[
        str | None, typer.Option(metavar="[START]/[END]", help="Only what overlaps this time, such as 1.5s/2s.")
    ] = None,
    filter_nvtx: Annotated[
        str | None, typer.Option(metavar="NAME[@DOMAIN][/INDEX]", help="Only what overlaps this NVTX range.")
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Rows and errors only.")] = False,
    timeunit: Annotated[
        str | None, typer.Option(metavar="UNIT", help="Unit of all times: nsec, usec, msec or seconds.")
    ] = None,
    force_overwrite: Annotated[str, typer.Option(metavar=BOOLEAN, help="Overwrite files that exist.")] = "false",
    force_export: Annotated[str, typer.Option(metavar=BOOLEAN, help="Export a report anew, by nsys.")] = "false",
    sqlite: Annotated[Path | None, typer.Option(metavar="FILE", help="The export of a report.")] = None,
    report_dir: Annotated[Paths, typer.Option(metavar="FOLDER", help="A folder of further queries.")] = None,
    help_reports: Annotated[str | None, typer.Option(metavar=WHICH, help="The reports, or what one is.")] = None,
    help_formats: Annotated[str | None, typer.Option(metavar=WHICH, help="The formats, or what one is.")] = None,
) -> None:  # fmt: skip
    """The reports of `nsys stats`, as it prints them.

    Reports, formats and outputs go together one by one; a list that is too short goes on with its last element.
    """
    from nsysql.cli.app import packs
    from nsysql.pack import find_packs, query_paths

    folders = (*packs(ctx), *(report_dir or ()))
    if help_reports is not None or help_formats is not None:
        from nsysql.stats.pages import formats_page, reports_page

        if help_reports is not None:
            typer.echo(reports_page(help_reports, query_paths(find_packs(folders))))
        if help_formats is not None:
            typer.echo(formats_page(help_formats))
        return
    from nsysql.errors import UsageError
    from nsysql.export import open
    from nsysql.stats import face
    from nsysql.stats.arguments import filters, listed, time_unit, truth
    from nsysql.stats.source import find_export

    if export is None:
        raise UsageError("Which export? nsysql stats EXPORT, such as: nsysql stats run.sqlite")
    call = face.Call(
        reports=listed(report), formats=listed(format), outputs=listed(output), filters=filters(filter_time, filter_nvtx),
        time_unit=time_unit(timeunit), quiet=quiet, overwrite=truth("--force-overwrite", force_overwrite),
    )  # fmt: skip
    with open(find_export(export, sqlite, truth("--force-export", force_export)), packs=folders) as run:
        if not face.stats(run, call):
            raise typer.Exit(1)


# Options whose value can be left out: the value that it then has, and the values that it can have (none: any).
stats.implied = {  # type: ignore[attr-defined]
    "--force-overwrite": ("true", ("true", "false")),
    "--force-export": ("true", ("true", "false")),
    "--help-reports": ("", ()),
    "--help-formats": ("", ()),
}
