"""`nsysql stats`: the options of `nsys stats`, in its spelling."""

from pathlib import Path
from typing import Annotated

import typer

from nsysql.cli import completion
from nsysql.cli.nsys_options import (
    IMPLIED,
    WHICH,
    ExportPath,
    FilterNvtx,
    FilterTime,
    ForceExport,
    ForceOverwrite,
    Formats,
    HelpFormats,
    MemoryLimit,
    Outputs,
    Quiet,
    Sqlite,
    Texts,
    Threads,
    TimeUnit,
)


def stats(
    ctx: typer.Context,
    export: ExportPath = None,
    report: Annotated[
        Texts,
        typer.Option(
            "--report",
            "-r",
            metavar="NAME[:OPTION...],...",
            help="Reports; see --help-reports.",
            autocompletion=completion.reports,
        ),
    ] = None,
    format: Formats = None,
    output: Outputs = None,
    filter_time: FilterTime = None,
    filter_nvtx: FilterNvtx = None,
    quiet: Quiet = False,
    timeunit: TimeUnit = None,
    force_overwrite: ForceOverwrite = "false",
    force_export: ForceExport = "false",
    sqlite: Sqlite = None,
    report_dir: Annotated[
        list[Path] | None, typer.Option(metavar="FOLDER", help="A folder of further queries.")
    ] = None,
    threads: Threads = None,
    memory_limit: MemoryLimit = None,
    help_reports: Annotated[str | None, typer.Option(metavar=WHICH, help="The reports, or what one is.")] = None,
    help_formats: HelpFormats = None,
) -> None:
    """The reports of `nsys stats`, as it prints them.

    Reports, formats and outputs are paired one by one; the last element of a shorter list is repeated.
    """
    from nsysql.catalog.packs import find_packs, query_paths
    from nsysql.cli.chosen_packs import packs

    folders = (*packs(ctx), *(report_dir or ()))
    if help_reports is not None or help_formats is not None:
        from nsysql.nsys.stats.help import formats_page, reports_page

        if help_reports is not None:
            typer.echo(reports_page(help_reports, query_paths(find_packs(folders))))
        if help_formats is not None:
            typer.echo(formats_page(help_formats))
        return
    from nsysql.api.facade import open
    from nsysql.cli.nsys_options import find_export
    from nsysql.cli.progress import waiting
    from nsysql.errors import UsageError
    from nsysql.nsys.stats import runner
    from nsysql.nsys.stats.arguments import filters, listed, time_unit, truth

    if export is None:
        raise UsageError("Which export? nsysql stats EXPORT, such as: nsysql stats run.sqlite")
    call = runner.ReportRequest(
        reports=listed(report), formats=listed(format), outputs=listed(output),
        filters=filters(filter_time, filter_nvtx), time_unit=time_unit(timeunit), quiet=quiet,
        overwrite=truth("--force-overwrite", force_overwrite),
    )  # fmt: skip
    found = find_export(export, sqlite, truth("--force-export", force_export))
    shown = waiting(f"Reading {found.name}", quiet)
    with open(found, packs=folders, threads=threads, memory_limit=memory_limit, waiting=shown) as run:
        if not runner.stats(run, call):
            raise typer.Exit(1)


stats.implied = IMPLIED | {"--help-reports": ("", ())}  # type: ignore[attr-defined]
