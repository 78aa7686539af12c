"""`nsysql doctor`: the page on the terminal, as Markdown or JSON, or its main table in the other formats."""

from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import typer

from nsysql.cli.options import CONTEXT, EXPORT, FILE, MEMORY, QUIET, THREADS, formats, with_options
from nsysql.cli.output import FOR_PEOPLE, PAGE_FORMS, TERMINAL, opened, page_form
from nsysql.cli.rows import OutputOptions, QueryResult, open_export, write_page, write_rows

if TYPE_CHECKING:
    from nsysql.pages.doctor.gather import Examination


def _doctor(ctx: Any, export: Path, format: Any, output: str, quiet: bool, threads: Any, memory_limit: Any) -> None:
    """What an export can and cannot answer, nsys's own messages, and inconsistencies.

    Every query, report, rule and cause of idle time against the capture, with the option of nsys profile that records
    what is missing. Every table is read in full. As csv, ndjson, parquet or arrow it is the table of all of them. Exit
    status 0 if the export can be analyzed, 1 if it is damaged or holds no event.
    """
    form = page_form(format, output)
    with opened(output, export) as file:
        with open_export(ctx, export, threads, memory_limit, quiet, for_page=True) as run:
            from nsysql.pages.doctor.gather import collect

            found = collect(run)
        _write(found, form, OutputOptions(form, output, quiet=quiet), file)
    if not found.can_be_analysed:
        raise typer.Exit(1)


def _write(found: "Examination", form: str, giving: OutputOptions, file: IO[bytes]) -> None:
    from nsysql.pages.doctor import page
    from nsysql.render.rows import write_document

    if form in FOR_PEOPLE:
        write_page(page.page(found), giving, file)
    elif form == "json":
        write_document(page.document(found), file)
    else:
        write_rows(QueryResult(page.table(found)), giving, file)


doctor = with_options(_doctor, [CONTEXT, EXPORT, formats(PAGE_FORMS, TERMINAL), FILE, QUIET, THREADS, MEMORY])
