"""`nsysql summary`: the page on the terminal, as Markdown or JSON, or its main table in the other formats."""

from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from nsysql.cli.filter_options import NARROWING
from nsysql.cli.options import CONTEXT, EXPORT, FILE, MEMORY, NAMES, QUIET, THREADS, formats, option, with_options
from nsysql.cli.output import FOR_PEOPLE, PAGE_FORMS, PAGES, TERMINAL, opened, page_form
from nsysql.cli.rows import OutputOptions, QueryResult, open_export, write_page, write_rows

if TYPE_CHECKING:
    from nsysql.pages.summary.gather import Summary

SHOWN = 5  # rows of a section


def _summary(
    ctx: Any, export: Path, top: int, start: Any, end: Any, nvtx: str | None, steps: str | None, step_range: str | None,
    format: Any, output: str,
    name_width: int | None, full_names: bool, quiet: bool, threads: Any, memory_limit: Any,
) -> None:  # fmt: skip
    """What was captured, what ran, and where the time went: one screen.

    GPUs with their busy and idle time, the top kernels, API calls, memory operations, NVTX ranges and OS
    calls, whether CPU or GPU is ahead, and what the export lacks. As csv, ndjson, parquet or arrow it is the
    table of all kernels.
    """
    form = page_form(format, output)
    with opened(output, export) as file:
        with open_export(ctx, export, threads, memory_limit, quiet, form in PAGES) as run:
            from nsysql.pages.summary.gather import collect

            found = collect(run, start, end, nvtx, steps, step_range)
        _give(
            found,
            form,
            top,
            OutputOptions(form, output, quiet=quiet, name_width=name_width, full_names=full_names),
            file,
        )


def _give(found: "Summary", form: str, top: int, giving: OutputOptions, file: IO[bytes]) -> None:
    from nsysql.pages.summary import document, page
    from nsysql.render import json

    if form in FOR_PEOPLE:
        write_page(page.page(found, top), giving, file)
    elif form == "json":
        json.write_document(document.document(found), file)
    else:
        none = "no rows: this export has no kernels."
        if found.stretch is not None and found.has_gpu_work:
            none = f"no rows: no kernel ran in {found.stretch.words}."
        write_rows(QueryResult(found.kernels, list(found.notes), none), giving, file)


summary = with_options(
    _summary,
    [
        CONTEXT, EXPORT,
        option("top", int, SHOWN, "--top", metavar="ROWS", min=1, help="Rows of each section."),
        *NARROWING,
        formats(PAGE_FORMS, TERMINAL),
        FILE, *NAMES, QUIET, THREADS, MEMORY,
    ],
)  # fmt: skip
