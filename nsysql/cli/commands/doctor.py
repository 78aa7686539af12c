"""`nsysql doctor`: the page on the terminal, as Markdown or JSON, or its main table in the other formats."""

from pathlib import Path
from typing import Any

import typer

from nsysql.cli.options import CONTEXT, EXPORT, FILE, MEMORY, QUIET, THREADS, formats, with_options
from nsysql.cli.output import PAGE_FORMS, TERMINAL, form_of, opened
from nsysql.cli.rows import OutputOptions, PageAnswer, QueryResult, give, open_export


def _doctor(ctx: Any, export: Path, format: Any, output: str, quiet: bool, threads: Any, memory_limit: Any) -> None:
    """What an export can and cannot answer, nsys's own messages, and inconsistencies.

    Every query, report, rule and cause of idle time against the capture, with the option of nsys profile that records
    what is missing. Every table is read in full. As csv, ndjson, parquet or arrow it is the table of all of them. Exit
    status 0 if the export can be analyzed, 1 if it is damaged or holds no event.
    """
    giving = OutputOptions(form_of(format, output, PAGE_FORMS), output, quiet=quiet)
    with opened(output, export) as file:
        with open_export(ctx, export, threads, memory_limit, quiet, for_page=True) as run:
            from nsysql.pages.doctor import page
            from nsysql.pages.doctor.gather import collect

            found = collect(run)
        answer = PageAnswer(
            lambda: page.page(found), lambda: page.document(found), lambda: QueryResult(page.table(found))
        )
        give(answer, giving, file)
    if not found.can_be_analysed:
        raise typer.Exit(1)


doctor = with_options(_doctor, [CONTEXT, EXPORT, formats(PAGE_FORMS, TERMINAL), FILE, QUIET, THREADS, MEMORY])
