"""`nsysql steps`: the page on the terminal, as Markdown or JSON, or its main table in the other formats."""

from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from nsysql.cli.options import CONTEXT, EXPORT, FILE, MEMORY, NAMES, QUIET, THREADS, formats, option, with_options
from nsysql.cli.output import DRAWN_FORMS, FOR_PEOPLE, PAGES, SVG, TERMINAL, drawn_form, opened
from nsysql.cli.rows import OutputOptions, QueryResult, open_export, write_page, write_rows

if TYPE_CHECKING:
    from nsysql.pages.steps.gather import Steps

SHOWN = 3  # slow steps
RANGE = "The NVTX range that marks the steps: NAME[@DOMAIN]; numbers in it are any numbers."


def _steps(
    ctx: Any, export: Path, step_range: str | None, gpu: int | None, top: int, format: Any, output: str,
    name_width: int | None, full_names: bool, quiet: bool, threads: Any, memory_limit: Any,
) -> None:  # fmt: skip
    """How long the program's steps take, how much they vary, and why some are slow.

    Steps are found by NVTX ranges that contain most of the launches, else by the sequence of launches. A step's period
    on a GPU begins with its first work there and ends with the next step's; the mean of the steady ones is split into
    what ran and, by cause, idle time. As csv, ndjson, parquet or arrow it is the table of all steps, as svg a picture
    of them for documents.
    """
    from nsysql.pages.steps.gather import StepsAsked, collect

    form = drawn_form(format, output)
    with opened(output, export) as file:
        with open_export(ctx, export, threads, memory_limit, quiet, form in (*PAGES, SVG)) as run:
            found = collect(run, StepsAsked(step_range, gpu, top or None))
        giving = OutputOptions(form, output, quiet=quiet, name_width=name_width, full_names=full_names)
        _give(found, giving, file)


def _give(found: "Steps", giving: OutputOptions, file: IO[bytes]) -> None:
    from nsysql.pages.steps import page
    from nsysql.render.rows import write_document

    if giving.form in FOR_PEOPLE:
        write_page(page.page(found), giving, file)
    elif giving.form == SVG:
        from nsysql.pages.steps.bars import bars
        from nsysql.render.charts.steps import svg

        file.write(svg(bars(found)).encode("utf-8", "backslashreplace"))
    elif giving.form == "json":
        write_document(page.document(found), file)
    else:
        write_rows(QueryResult(found.times, list(found.notes), found.reason or "no rows."), giving, file)


steps = with_options(
    _steps,
    [
        CONTEXT, EXPORT,
        option("step_range", str, None, "--step-range", metavar="TEXT", help=RANGE),
        option("gpu", int, None, "--gpu", metavar="ID", help="The GPU that the page is about; by default the busiest."),
        option("top", int, SHOWN, "--top", metavar="ROWS", min=0, help="Maximum slow steps to print (0 = all)."),
        formats(DRAWN_FORMS, TERMINAL),
        FILE, *NAMES, QUIET, THREADS, MEMORY,
    ],
)  # fmt: skip
