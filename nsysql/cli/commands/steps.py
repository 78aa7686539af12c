"""`nsysql steps`: the page on the terminal, as Markdown or JSON, or its main table in the other formats."""

from typing import TYPE_CHECKING

from nsysql.cli.options import option
from nsysql.cli.output import DRAWN_FORMS
from nsysql.cli.rows import OutputOptions, PageAnswer, QueryResult, page_command

if TYPE_CHECKING:
    from nsysql.capture.export import Export

SHOWN = 3  # slow steps
RANGE = "The NVTX range that marks the steps: NAME[@DOMAIN]; numbers in it are any numbers."


def _steps(run: "Export", _: OutputOptions, step_range: str | None, gpu: int | None, top: int) -> PageAnswer:
    """How long the program's steps take, how much they vary, and why some are slow.

    Steps are found by NVTX ranges that contain most of the launches, else by the sequence of launches. A step's period
    on a GPU begins with its first work there and ends with the next step's; the mean of the steady ones is split into
    what ran and, by cause, idle time. As csv, ndjson, parquet or arrow it is the table of all steps, as svg a picture
    of them for documents.
    """
    from nsysql.pages.steps import page
    from nsysql.pages.steps.measures import collect

    found = collect(run, step_range, gpu, top or None)

    def draw() -> str:
        from nsysql.pages.steps.bars import bars
        from nsysql.render.charts.steps import svg

        return svg(bars(found))

    return PageAnswer(
        lambda: page.page(found),
        lambda: page.document(found),
        lambda: QueryResult(found.times, list(found.notes), found.reason or "no rows."),
        draw,
    )


steps = page_command(
    _steps,
    [
        option("step_range", str, None, "--step-range", metavar="TEXT", help=RANGE),
        option("gpu", int, None, "--gpu", metavar="ID", help="The GPU that the page is about; by default the busiest."),
        option("top", int, SHOWN, "--top", metavar="ROWS", min=0, help="Maximum slow steps to print (0 = all)."),
    ],
    DRAWN_FORMS,
)
