"""`nsysql findings` and `nsysql explain`: what limits a run, and the rules by which that is found."""

from pathlib import Path
from typing import Any

from nsysql.cli.options import (
    ALL,
    CONTEXT,
    EXPORT,
    FILE,
    MEMORY,
    QUIET,
    THREADS,
    argument,
    formats,
    option,
    with_options,
)  # fmt: skip
from nsysql.cli.output import opened
from nsysql.cli.rows import open_export

SHOWN = 5
FORMS = ("terminal", "json")


def _findings(
    ctx: Any, export: Path, all: bool, ignore: list[str] | None, format: Any, output: str, quiet: bool, threads: Any,
    memory_limit: Any,
) -> None:  # fmt: skip
    """What limits the run and what to do about it, by what it could save.

    Each part of the capture (start-up, steps, ...) is judged by itself. `nsysql explain CODE` shows a rule.
    """
    from nsysql.findings.engine import find
    from nsysql.render.rows import write_document
    from nsysql.words.quantities import time

    with opened(output, export) as file, open_export(ctx, export, threads, memory_limit, quiet) as run:
        found = find(run, ignore or ())
        if format == "json":
            write_document(found.document(all), file)
            return
        lines = [f"{found.headline}.", ""]
        for number, f in enumerate([f for f in found.findings if f.shown or all][: None if all else SHOWN], start=1):
            saves = "" if f.saves_ns is None else f"  [{f.bound} {time(f.saves_ns)}]"
            lines += [f"{number}  {f.says}{saves}", f"   {f.do}", f"   {f.code}, {f.certainty}, part {f.part_kind}", ""]
        lines += [f"Not sure  {text}" for text in found.unsure]
        file.write(("\n".join(lines).rstrip() + "\n").encode("utf-8", "backslashreplace"))


def _explain(ctx: Any, code: str, export: Path | None, quiet: bool, threads: Any, memory_limit: Any) -> None:
    """A rule of the findings in words; with an export its rows there."""
    import typer

    from nsysql.catalog.lookup import find_query
    from nsysql.catalog.packs import find_packs, query_paths
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
        formats(FORMS, "terminal"),
        FILE, QUIET, THREADS, MEMORY,
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
