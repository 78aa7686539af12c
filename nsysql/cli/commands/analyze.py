"""`nsysql analyze`: the options of `nsys analyze`, in its spelling."""

from typing import Annotated

import typer

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
    Outputs,
    Quiet,
    Sqlite,
    Texts,
    TimeUnit,
)


def analyze(
    ctx: typer.Context,
    export: ExportPath = None,
    rule: Annotated[
        Texts, typer.Option("--rule", "-r", metavar="NAME[:OPTION...],...", help="Rules; see --help-rules.")
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
    help_rules: Annotated[str | None, typer.Option(metavar=WHICH, help="The rules, or what one is.")] = None,
    help_formats: HelpFormats = None,
) -> None:
    """The rules of `nsys analyze`: what slows the program down, and what helps.

    Rules, formats and outputs are paired one by one; the last element of a shorter list is repeated.
    """
    from nsysql.catalog.packs import find_packs, query_paths
    from nsysql.cli.chosen_packs import packs

    if help_rules is not None or help_formats is not None:
        from nsysql.nsys.analyze.rule_help import rules_page
        from nsysql.nsys.stats.help import formats_page

        if help_rules is not None:
            typer.echo(rules_page(help_rules, query_paths(find_packs(packs(ctx)))))
        if help_formats is not None:
            typer.echo(formats_page(help_formats))
        return
    from nsysql.api.facade import open
    from nsysql.cli.nsys_options import find_export
    from nsysql.cli.progress import waiting
    from nsysql.errors import UsageError
    from nsysql.nsys.analyze.rules import analyze
    from nsysql.nsys.stats.arguments import filters, listed, time_unit, truth
    from nsysql.nsys.stats.runner import ReportRequest

    if export is None:
        raise UsageError("Which export? nsysql analyze EXPORT, such as: nsysql analyze run.sqlite")
    call = ReportRequest(
        reports=listed(rule), formats=listed(format), outputs=listed(output),
        filters=filters(filter_time, filter_nvtx), time_unit=time_unit(timeunit), quiet=quiet,
        overwrite=truth("--force-overwrite", force_overwrite),
    )  # fmt: skip
    found = find_export(export, sqlite, truth("--force-export", force_export))
    with open(found, packs=packs(ctx), waiting=waiting(f"Reading {found.name}", quiet)) as run:
        if not analyze(run, call):
            raise typer.Exit(1)


analyze.implied = IMPLIED | {"--help-rules": ("", ())}  # type: ignore[attr-defined]
