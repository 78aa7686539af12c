"""`nsysql stats`, `analyze`: the commands of nsys, in its spelling; `nsysql verify`: a report against a CSV of it."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import typer

from nsysql.cli.open_export import find_export, waiting
from nsysql.cli.options import argument, listed, option
from nsysql.cli.rows import Call, command
from nsysql.errors import UsageError

BOOLEAN, WHICH = "[true|false]", "[NAME|ALL]"
WHERE = "Where they go: - is here, @COMMAND its input, else the start of a file's name, . the export's own."
EXPORT = argument(None, metavar="EXPORT", help="An export, or a report of nsys.")


def _several(name: str, letter: str, metavar: str, help: str, **more: Any) -> Any:
    return option(None, f"--{name}", letter, kind=list[str], metavar=metavar, help=help, **more)


def _text(spelled: str, metavar: str, help: str, default: str | None = None) -> Any:
    return option(default, spelled, kind=str, metavar=metavar, help=help)


def _reports(incomplete: str) -> list[str]:
    """The reports of `nsysql stats`, for completion."""
    from nsysql.nsys.reports import TITLES

    return listed(TITLES, incomplete)


SHARED: Any = (
    _several("format", "-f", "NAME[:OPTION...],...", "Their formats; see --help-formats."),
    _several("output", "-o", "OUTPUT,...", WHERE),
    _text("--filter-time", "[START]/[END]", "Only what overlaps this time, such as 1.5s/2s."),
    _text("--filter-nvtx", "NAME[@DOMAIN][/INDEX]", "Only what overlaps this NVTX range."),
    option(False, "--quiet", "-q", kind=bool, help="Rows and errors only."),
    _text("--timeunit", "UNIT", "Unit of all times: nsec, usec, msec or seconds."),
    _text("--force-overwrite", BOOLEAN, "Overwrite files that exist.", "false"),
    _text("--force-export", BOOLEAN, "Export the report again with nsys.", "false"),
    option(None, "--sqlite", kind=Path, metavar="FILE", help="The export of a report."),
)
FORMATS = _text("--help-formats", WHICH, "The formats, or what one is.")
IMPLIED: dict[str, tuple[str, tuple[str, ...]]] = {  # optional values: the default, those that it can have (none: any)
    "--force-overwrite": ("true", ("true", "false")),
    "--force-export": ("true", ("true", "false")),
    "--help-formats": ("", ()),
}


@command(implied=IMPLIED | {"--help-reports": ("", ())})
def stats(
    call: Call,
    export: Path | None = EXPORT,
    report: list[str] | None = _several(
        "report", "-r", "NAME[:OPTION...],...", "Reports; see --help-reports.", autocompletion=_reports
    ),
    _: Any = SHARED,
    report_dir: list[Path] | None = option(None, "--report-dir", metavar="FOLDER", help="A folder of further queries."),
    threads: int | None = option(None, "--threads", metavar="COUNT", min=1, help="Threads to compute with."),
    memory_limit: str | None = _text("--memory-limit", "SIZE", "Memory limit, such as 4GB."),
    help_reports: str | None = _text("--help-reports", WHICH, "The reports, or what one is."),
    help_formats: str | None = FORMATS,
    **shared: Any,
) -> None:
    """The reports of `nsys stats`, as it prints them.

    Reports, formats and outputs are paired one by one; the last element of a shorter list is repeated.
    """
    packs = (*call.packs, *(report_dir or ()))
    if _is_helped("reports_page", help_reports, help_formats, packs):
        return
    from nsysql.nsys.runner import stats

    _write("stats", stats, export, report, shared, packs=packs, threads=threads, memory_limit=memory_limit)


@command(implied=IMPLIED | {"--help-rules": ("", ())})
def analyze(
    call: Call,
    export: Path | None = EXPORT,
    rule: list[str] | None = _several("rule", "-r", "NAME[:OPTION...],...", "Rules; see --help-rules."),
    _: Any = SHARED,
    help_rules: str | None = _text("--help-rules", WHICH, "The rules, or what one is."),
    help_formats: str | None = FORMATS,
    **shared: Any,
) -> None:
    """The rules of `nsys analyze`: what slows the program down, and what helps.

    Rules, formats and outputs are paired one by one; the last element of a shorter list is repeated.
    """
    if _is_helped("rules_page", help_rules, help_formats, call.packs):
        return
    from nsysql.nsys.analyze import analyze

    _write("analyze", analyze, export, rule, shared, packs=call.packs)


def _is_helped(page: str, name: str | None, formats: str | None, packs: tuple[Path, ...]) -> bool:
    """Print what --help-reports or --help-rules, and --help-formats ask for. Whether there was any."""
    if name is None and formats is None:
        return False
    from nsysql.catalog.packs import find_packs, query_paths
    from nsysql.nsys import help

    if name is not None:
        typer.echo(getattr(help, page)(name, query_paths(find_packs(packs))))
    if formats is not None:
        typer.echo(help.formats_page(formats))
    return True


def _write(
    name: str, write: Callable[..., bool], export: Path | None, reports: list[str] | None, shared: dict[str, Any],
    **opening: Any,
) -> None:  # fmt: skip
    """Write reports or rules. Raises UsageError without an export, Exit with 1 if one fails."""
    from nsysql.api.facade import open
    from nsysql.nsys.reports import filters, listed, time_unit, truth
    from nsysql.nsys.runner import ReportRequest

    if export is None:
        raise UsageError(f"Which export? nsysql {name} EXPORT, such as: nsysql {name} run.sqlite")
    request = ReportRequest(
        reports=listed(reports), formats=listed(shared["format"]), outputs=listed(shared["output"]),
        filters=filters(shared["filter_time"], shared["filter_nvtx"]), time_unit=time_unit(shared["timeunit"]),
        quiet=shared["quiet"], overwrite=truth("--force-overwrite", shared["force_overwrite"]),
    )  # fmt: skip
    path = find_export(export, shared["sqlite"], truth("--force-export", shared["force_export"]))
    with open(path, waiting=waiting(f"Reading {path.name}", shared["quiet"]), **opening) as run:
        if not write(run, request):
            raise typer.Exit(1)


@command()
def verify(
    call: Call,
    export: Path = argument(metavar="EXPORT", help="An Nsight Systems .sqlite export."),
    against: Path = option(..., "--against", metavar="FILE", help="The CSV to compare with; .csv or .csv.gz."),
    report: str | None = option(
        None, "--report", "-r", metavar="NAME[:OPTION...]", help="The report; by default by FILE's name."
    ),
    any_order: bool = option(False, "--any-order", help="Ignore the order of rows."),
    exact: bool = option(False, "--exact", help="Count numbers written differently as differences."),
) -> None:
    """The cells in which a report differs from a CSV of nsys stats.

    The exit status is 0 if all are equal, 1 if not. Numbers are equal if they are so in the digits that both have.
    """
    from nsysql.nsys.compare import check, guess, read_file, report_lines

    theirs = read_file(against)
    with call.open(export) as run:
        name = report or guess(against, theirs, run.paths)
        result = check(run, name, theirs)
    for line in report_lines(result, name):
        typer.echo(line)
    moved = result.moved_rows and not any_order
    raise typer.Exit(0 if result.is_same and not moved and not (exact and result.written_otherwise) else 1)
