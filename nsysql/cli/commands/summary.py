"""`nsysql summary`: the page on the terminal, as Markdown or JSON, or its main table in the other formats."""

from typing import TYPE_CHECKING, Any

from nsysql.cli.options import ALL, option
from nsysql.cli.query_command import NARROWING
from nsysql.cli.rows import OutputOptions, PageAnswer, QueryResult, page_command

if TYPE_CHECKING:
    from nsysql.capture.export import Export
    from nsysql.pages.scope import PageScope

SHOWN = 5  # rows of a section


def _summary(
    run: "Export", _: OutputOptions, all: bool, top: int, start: Any, end: Any, nvtx: str | None, steps: str | None,
    step_range: str | None,
) -> PageAnswer:  # fmt: skip
    """What limits the run and what to do, on one screen; --all adds what was captured, what ran, and how long.

    The screen has the parts of the capture (start-up, steps, ...) with GPU busy time and causes of idle time, at most
    five findings with what they save, and what is not known. As csv, ndjson, parquet or arrow it is the table of all
    kernels.
    """
    from nsysql.pages.scope import PageScope
    from nsysql.pages.summary.page import collect

    scope = PageScope(None, start, end, nvtx, steps=steps, step_range=step_range, top=top)
    return PageAnswer(
        lambda: collect(run, scope, all).page(),
        lambda: collect(run, scope, all).document(),
        lambda: _kernels(run, scope),
    )


def _kernels(run: "Export", scope: "PageScope") -> QueryResult:
    from nsysql.pages.first_screen import STANDS_ON
    from nsysql.pages.sections import Asked

    rows = Asked(run, scope).rows("cuda_gpu_kern_sum")
    none = "no rows: no kernel is in this export, or in this interval."
    notes = ["this is the table of kernels, as of nsysql cuda-gpu-kern-sum; -f json has the whole page."]
    return QueryResult(rows, [*notes, *run.data_problems(*STANDS_ON)], none)


TOP = option("top", int, SHOWN, "--top", metavar="ROWS", min=1, help="Rows of each section of --all.")
summary = page_command(_summary, [ALL, TOP, *NARROWING])
