"""`nsysql findings` and `nsysql explain`: what limits a run, and the rules by which that is found."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nsysql.cli.options import ALL, CONTEXT, MEMORY, QUIET, SHOWN_ROWS, THREADS, argument, option, with_options
from nsysql.cli.output import PAGES
from nsysql.cli.rows import OutputOptions, PageAnswer, QueryResult, more_rows, open_export, page_command, write_rows

if TYPE_CHECKING:
    from nsysql.capture.export import Export


def _findings(run: "Export", _: OutputOptions, all: bool, ignore: list[str] | None) -> PageAnswer:
    """What limits the run and what to do about it, by what it could save.

    Each part of the capture (start-up, steps, ...) is judged by itself. `nsysql explain CODE` shows a rule; --all adds
    findings below 1 % of their part.
    """
    from nsysql.findings.engine import find
    from nsysql.pages.findings import FindingsPage

    found = FindingsPage(run.info.path.stem, find(run, ignore or ()), all)
    return PageAnswer(found.page, found.document)


def _explain(ctx: Any, code: str, export: Path | None, quiet: bool, threads: Any, memory_limit: Any) -> None:
    """A rule of the findings in words; with an export what it finds there, and its rows."""
    import typer

    from nsysql.catalog.packs import find_packs, find_query, query_paths
    from nsysql.cli.chosen_packs import packs

    paths = query_paths(find_packs(packs(ctx)))
    rule = f"{code.replace('-', '_')}_rule"  # where a view has the name of the code
    query = find_query(rule if rule in paths else code, paths)
    typer.echo(f"{code}: {query.doc}\n")
    width = max((len(key) + 2 for key, _ in query.finding), default=0)
    for key, text in query.finding:
        typer.echo(f"{key:{width}}{text}")
    if export is not None:
        with open_export(ctx, export, threads, memory_limit, quiet) as run:
            from nsysql.findings.engine import code_of, find
            from nsysql.words.quantities import time

            for one in (f for f in find(run).findings if f.code == code_of(query)):
                saves = f" Saves {one.bound} {time(one.saves_ns)}." if one.saves_ns is not None else ""
                typer.echo(f"{f'part {one.part_id}':{width}}{one.says}{saves}")
            rows = run.answer(query.name, SHOWN_ROWS)
            more = more_rows(rows.total - rows.frame.height, f"nsysql query {query.name} shows all.")
            typer.echo("\nThe rule's rows, without the replay:")
            write_rows(
                QueryResult(rows.frame, more=more), OutputOptions("table", quiet=quiet).of(run), sys.stdout.buffer
            )


IGNORE = option("ignore", list[str], None, "--ignore", metavar="CODE", help="Leave a rule out; may be repeated.")
findings = page_command(_findings, [ALL, IGNORE], PAGES)

explain = with_options(
    _explain,
    [
        CONTEXT,
        argument("code", str, metavar="CODE", help="The rule, such as few-blocks."),
        argument("export", Path | None, metavar="[EXPORT]", help="Show the rule's rows there.", default=None),
        QUIET, THREADS, MEMORY,
    ],
)  # fmt: skip
