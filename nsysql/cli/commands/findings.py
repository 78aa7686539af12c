"""`nsysql findings` and `nsysql explain`: what limits a run, and the rules by which that is found."""

from pathlib import Path
from typing import Any

from nsysql.cli.options import (
    ALL,
    CONTEXT,
    EXPORT,
    FILE,
    MEMORY,
    NAMES,
    QUIET,
    THREADS,
    argument,
    formats,
    option,
    with_options,
)  # fmt: skip
from nsysql.cli.output import FOR_PEOPLE, PAGES, TERMINAL, opened, page_form
from nsysql.cli.rows import OutputOptions, open_export, write_page


def _findings(
    ctx: Any, export: Path, all: bool, ignore: list[str] | None, format: Any, output: str, name_width: int | None,
    full_names: bool, quiet: bool, threads: Any, memory_limit: Any,
) -> None:  # fmt: skip
    """What limits the run and what to do about it, by what it could save.

    Each part of the capture (start-up, steps, ...) is judged by itself. `nsysql explain CODE` shows a rule; --all adds
    findings below 1 % of their part.
    """
    from nsysql.findings.engine import find
    from nsysql.pages.findings import FindingsPage
    from nsysql.render.rows import write_document

    form = page_form(format, output)
    giving = OutputOptions(form, output, quiet=quiet, name_width=name_width, full_names=full_names)
    with opened(output, export) as file, open_export(ctx, export, threads, memory_limit, quiet, True) as run:
        found = FindingsPage(run.info.path.stem, find(run, ignore or ()), all)
        if form in FOR_PEOPLE:
            write_page(found.page(), giving, file)
        else:
            write_document(found.document(), file)


def _explain(ctx: Any, code: str, export: Path | None, quiet: bool, threads: Any, memory_limit: Any) -> None:
    """A rule of the findings in words; with an export its rows there."""
    import typer

    from nsysql.catalog.packs import find_packs, find_query, query_paths
    from nsysql.cli.chosen_packs import packs

    paths = query_paths(find_packs(packs(ctx)))
    rule = f"{code.replace('-', '_')}_rule"  # where a view has the name of the code
    query = find_query(rule if rule in paths else code, paths)
    typer.echo(f"{code}: {query.doc}\n")
    for key, text in query.finding:
        typer.echo(f"{key:12}{text}")
    if export is not None:
        with open_export(ctx, export, threads, memory_limit, quiet) as run:
            typer.echo(str(run.query(query.name)))


findings = with_options(
    _findings,
    [
        CONTEXT, EXPORT, ALL,
        option("ignore", list[str], None, "--ignore", metavar="CODE", help="Leave a rule out; may be repeated."),
        formats(PAGES, TERMINAL),
        FILE, *NAMES, QUIET, THREADS, MEMORY,
    ],
)  # fmt: skip

explain = with_options(
    _explain,
    [
        CONTEXT,
        argument("code", str, metavar="CODE", help="The rule, such as few-blocks."),
        argument("export", Path | None, metavar="[EXPORT]", help="Show the rule's rows there.", default=None),
        QUIET, THREADS, MEMORY,
    ],
)  # fmt: skip
