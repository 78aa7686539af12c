"""`nsysql summary`: the page on the terminal, as Markdown or JSON, or its main table in the other formats."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from nsysql.cli.options import ALL, CONTEXT, EXPORT, FILE, MEMORY, NAMES, QUIET, THREADS, formats, option, with_options
from nsysql.cli.output import FOR_PEOPLE, PAGE_FORMS, PAGES, TERMINAL, opened, page_form
from nsysql.cli.query_command import NARROWING
from nsysql.cli.rows import OutputOptions, QueryResult, open_export, write_page, write_rows

if TYPE_CHECKING:
    from nsysql.capture.export import Export
    from nsysql.pages.scope import PageScope

SHOWN = 5  # rows of a section


def _summary(
    ctx: Any, export: Path, all: bool, top: int, start: Any, end: Any, nvtx: str | None, steps: str | None,
    step_range: str | None, format: Any, output: str, name_width: int | None, full_names: bool, quiet: bool,
    threads: Any, memory_limit: Any,
) -> None:  # fmt: skip
    """What limits the run and what to do, on one screen; --all adds what was captured, what ran, and how long.

    The screen has the parts of the capture (start-up, steps, ...) with GPU busy time and causes of idle time, at most
    five findings with what they save, and what is not known. As csv, ndjson, parquet or arrow it is the table of all
    kernels.
    """
    from nsysql.pages.scope import PageScope
    from nsysql.pages.summary.page import collect
    from nsysql.render.rows import write_document

    form = page_form(format, output)
    giving = OutputOptions(form, output, quiet=quiet, name_width=name_width, full_names=full_names)
    scope = PageScope(start_ns=start, end_ns=end, nvtx=nvtx, top=top, steps=steps, step_range=step_range)
    with opened(output, export) as file, open_export(ctx, export, threads, memory_limit, quiet, form in PAGES) as run:
        if form not in PAGES:
            write_rows(_kernels(run, scope), giving, file)
            return
        found = collect(run, scope, all)
        if form in FOR_PEOPLE:
            write_page(found.page(), giving, file)
        else:
            write_document(found.document(), file)


def _kernels(run: "Export", scope: "PageScope") -> QueryResult:
    from nsysql.pages.first_screen import STANDS_ON
    from nsysql.pages.sections import Asked

    rows = Asked(run, scope).rows("cuda_gpu_kern_sum")
    none = "no rows: no kernel is in this export, or in this interval."
    notes = ["this is the table of kernels, as of nsysql cuda-gpu-kern-sum; -f json has the whole page."]
    return QueryResult(rows, [*notes, *run.data_problems(*STANDS_ON)], none)


summary = with_options(
    _summary,
    [
        CONTEXT, EXPORT, ALL,
        option("top", int, SHOWN, "--top", metavar="ROWS", min=1, help="Rows of each section of --all."),
        *NARROWING,
        formats(PAGE_FORMS, TERMINAL),
        FILE, *NAMES, QUIET, THREADS, MEMORY,
    ],
)  # fmt: skip
